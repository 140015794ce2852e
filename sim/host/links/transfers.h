// Copy engines, links and memory: what moves bytes. An engine works on one copy at a time, in order; what all
// moves at the same time shares the links' directions and the memory, each of which is a rate: a fluid model,
// max-min fair, weighted by what each has under way. While a link holds up kernels' accesses, all that uses
// it waits in one queue with them, whatever its direction.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/host/core/core.h"

namespace heddle::host {

class Transfers {
 public:
  explicit Transfers(Core& core);

  // A copy or memset whose turn has come.
  void start(uint32_t slot);
  // kFlowStart: the first byte moves. kFlowEnd: the first of the flows is through, unless `stamp` is
  // outdated.
  void flow_start(uint32_t slot);
  void flow_end(uint64_t stamp);
  // How long the end of a kernel waits for what others have under way over the device's links now (MD01).
  Ps flush(uint32_t kernel) const;

 private:
  static constexpr uint32_t kNoEngine = kNone;
  struct Use {
    uint32_t resource;
    double weight;  // of the resource, for one byte of payload
  };
  struct Flow {
    uint32_t slot;
    uint32_t engine;
    uint32_t step;  // what it followed
    double left;    // bytes
    double rate;    // bytes per picosecond
    double limit;
    double share;  // rates are in proportion to these
    std::array<Use, 4> uses;
    uint32_t use_count;
  };
  struct Engine {
    bool busy = false;
    std::deque<uint32_t> waiting;
    uint32_t track;
  };
  enum Resource : uint32_t { kDown, kUp, kPeerOut, kPeerIn, kMemory, kResources };

  uint32_t engine_of(const Command& c) const;
  void begin(uint32_t slot, uint32_t engine);
  Flow make_flow(uint32_t slot, uint32_t engine) const;
  void kernel_flow(const Command& c, Flow& f) const;
  // Others on its way keep it below its limit.
  static bool held_up(const Flow& f) { return f.rate < f.limit * (1 - 1e-12); }
  void advance();  // moves all flows to now
  void share();    // rates, and the next end
  void one_queue(std::vector<bool>& fixed, const std::vector<double>& left) const;
  void end_flow(const Flow& flow);

  Core& core_;
  std::vector<double> capacity_;
  std::vector<Flow> flows_;
  Ps moved_to_{};
  uint64_t stamp_ = 0;
  std::vector<Engine> engines_;
  uint32_t engines_per_device_;
  std::vector<uint32_t> memory_track_, traffic_track_;
};

}  // namespace heddle::host
