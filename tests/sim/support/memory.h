// The memory side by itself: requests in, answers out.
#pragma once

#include <vector>

#include "sim/engine/worker_pool.h"
#include "sim/memory/fabric.h"
#include "sim/memory/l2.h"
#include "sim/memory/memory_system.h"

namespace heddle::simtest {

struct OwnFabric {
  explicit OwnFabric(const spec::GpuConfig& gpu) : own_fabric(gpu) {}
  memory::Fabric own_fabric;
};

// All slices, one request after the other.
class WholeL2 : private OwnFabric, public memory::L2 {
 public:
  WholeL2(const spec::GpuConfig& gpu, stats::CounterSet& counters)
      : OwnFabric(gpu), L2(gpu, own_fabric, counters) {}
  // Of an SM of `partition`; when data or acknowledgement leaves its slice.
  Ticks serve(const memory::Request& r, uint32_t partition, Ticks at) {
    const Served s = L2::serve(r, map().home(r.line), partition, at);
    for (uint32_t d = 0; d < own_fabric.directions(); ++d) {
      own_fabric.book(d, {&transfers()});
    }
    settle();
    const Ticks done = end(s);
    forget_transfers();
    return done;
  }
};

// The memory side with outboxes and inboxes instead of SMs.
class MemorySide : public memory::MemorySystem {
 public:
  explicit MemorySide(const spec::GpuConfig& gpu)
      : MemorySystem(gpu),
        out_(gpu.topology().sms()),
        in_(gpu.topology().sms()),
        payloads_(gpu.topology().sms()) {
    for (uint32_t sm = 0; sm < out_.size(); ++sm) {
      connect(sm, out_[sm], in_[sm], payloads_[sm]);
    }
  }
  // Sends them, each SM's in the order of their times, and appends each answer to responses[sm], by arrival.
  void process(const std::vector<memory::Request>& requests,
               std::vector<std::vector<memory::Response>>& responses) {
    for (const memory::Request& r : requests) {
      if (r.kind == memory::RequestKind::kFetch) {
        out_[r.sm].fetch(r);
      } else {
        out_[r.sm].send(r);
      }
    }
    exchange(kNever);
    for (uint32_t sm = 0; sm < in_.size(); ++sm) {
      for (Cycle t = in_[sm].next(); t != kNever; t = in_[sm].next()) {
        in_[sm].run(t, [&](const memory::Inbox::Answer& a) {
          responses[sm].push_back({t, a.id, a.sectors});
        });
      }
      in_[sm].clear();
    }
  }
  void exchange(Cycle horizon) {
    MemorySystem::exchange(horizon, pool_, [](uint32_t) {});
  }
  memory::Inbox& inbox(uint32_t sm) { return in_[sm]; }
  memory::Outbox& outbox(uint32_t sm) { return out_[sm]; }

 private:
  WorkerPool pool_{1};
  std::vector<memory::Outbox> out_;
  std::vector<memory::Inbox> in_;
  std::vector<memory::Payloads> payloads_;
};

}  // namespace heddle::simtest
