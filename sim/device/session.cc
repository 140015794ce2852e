#include "sim/device/session.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/error.h"
#include "sim/device/occupancy.h"
#include "sim/device/quantum_loop.h"
#include "sim/isa/recorded_program.h"
#include "sim/sm/code/timed_instr.h"

namespace heddle::device {
namespace {

// Ranges of numbers, for lines of code and constants: taken from the lowest gap, so that they stay small.
class Ranges {
 public:
  uint32_t take(uint32_t count) {
    count = (count + kUnit - 1) / kUnit * kUnit;
    uint32_t first = 0;
    for (const auto& [begin, length] : taken_) {
      if (begin - first >= count) {
        break;
      }
      first = begin + length;
    }
    taken_[first] = std::max(count, kUnit);
    return first;
  }
  void give_back(uint32_t first) { taken_.erase(first); }

 private:
  static constexpr uint32_t kUnit = 64;  // whole units of every cache
  std::map<uint32_t, uint32_t> taken_;   // first number to how many
};

struct Launched {
  std::unique_ptr<isa::BlockSource> source;
  std::optional<isa::RecordedGrid> replay;
  sm::TimedKernel kernel;
  uint64_t tag = 0;
};

}  // namespace

struct Session::Impl {
  Impl(const config::GpuConfig& gpu, const SessionOptions& o) : loop(gpu, o.threads) {
    Machine& m = loop.machine();
    loop.begin({.threads = o.threads,
                .quantum = o.quantum,
                .cancel = o.cancel,
                .watchdog_cycles = o.watchdog_cycles,
                .what = "kernels that run together"},
               0);
    // As a single launch counts its time, so that one takes as long in both.
    const Cycle origin = gpu.launch().start_cycles();
    m.memory->reset({}, false, origin);
    for (auto& s : m.sms) {
      s->begin(origin, o.observer);
    }
    m.distributor->begin();
    launched.resize(1 + std::min<uint32_t>(gpu.limits().max_resident_grids(), UINT8_MAX));
  }

  // Nothing that the launch has stored is still to leave an SM.
  bool settled(uint8_t number) const;
  Ended take_ended();

  QuantumLoop loop;
  Ranges lines, constants;
  std::vector<std::unique_ptr<Launched>> launched;  // by number; reads that belong to no launch have number 0
  uint32_t count = 0;
};

Session::Session(const config::GpuConfig& gpu, const SessionOptions& options)
    : impl_(std::make_unique<Impl>(gpu, options)) {}
Session::~Session() = default;

uint32_t Session::most_launches() const { return static_cast<uint32_t>(impl_->launched.size() - 1); }
uint32_t Session::launches() const { return impl_->count; }

void Session::launch(std::unique_ptr<isa::BlockSource> kernel, int32_t priority, Cycle at, uint64_t tag,
                     uint64_t address_offset) {
  Machine& m = impl_->loop.machine();
  const auto free = std::find(impl_->launched.begin() + 1, impl_->launched.end(), nullptr);
  if (free == impl_->launched.end()) {
    throw Error("kernel " + kernel->image().name + ": " + std::to_string(most_launches()) +
                " launches are on the machine already");
  }
  const auto number = static_cast<uint8_t>(free - impl_->launched.begin());
  auto l = std::make_unique<Launched>();
  const isa::KernelImage& image = kernel->image();
  const stats::Occupancy occ = occupancy(m.config, image.shape);
  l->kernel = sm::bind(image, m.config.sm());
  sm::number_lines(l->kernel, impl_->lines.take(l->kernel.lines), impl_->constants.take(l->kernel.constants));
  l->kernel.address_offset = address_offset;
  l->source = std::move(kernel);
  isa::RecordedGrid& program = l->replay.emplace(*l->source);
  l->tag = tag;
  impl_->loop.skip_to(impl_->count == 0 ? at : 0);
  at = std::max(at, impl_->loop.now());
  const uint64_t line_bytes = m.config.sm().fetch().line_bytes();
  m.memory->launch(number, l->kernel.first_line * line_bytes, l->kernel.lines * line_bytes, at);
  for (auto& s : m.sms) {
    s->add_kernel(l->kernel);
  }
  *free = std::move(l);
  ++impl_->count;
  m.distributor->launch({.number = number,
                         .program = &program,
                         .kernel = &(*free)->kernel,
                         .occupancy = occ,
                         .priority = priority},
                        at);
}

bool Session::Impl::settled(uint8_t number) const {
  const auto& sms = loop.machine().sms;
  return std::all_of(sms.begin(), sms.end(),
                     [&](const auto& s) { return s->outbox().last_departure(number) == 0; });
}

Session::Ended Session::Impl::take_ended() {
  std::vector<GridEnd>& ended = loop.machine().distributor->ended();
  const GridEnd e = ended.front();
  ended.erase(ended.begin());
  Launched& l = *launched[e.number];
  const Ended out = {l.tag, e.first_block,
                     std::max(e.last_warp, loop.machine().memory->last_performed(e.number)), e.work};
  lines.give_back(l.kernel.first_line);
  constants.give_back(l.kernel.first_constant);
  launched[e.number].reset();
  --count;
  return out;
}

std::optional<Session::Ended> Session::advance(Cycle until) {
  const Machine& m = impl_->loop.machine();
  while (true) {
    if (!m.distributor->ended().empty() && impl_->settled(m.distributor->ended().front().number)) {
      return impl_->take_ended();
    }
    if (impl_->count == 0) {
      return std::nullopt;
    }
    if (impl_->loop.now() >= until) {
      return std::nullopt;
    }
    impl_->loop.advance(until);
  }
}

Cycle Session::now() const { return impl_->loop.now(); }

stats::CounterSet Session::counters() const { return impl_->loop.counters(); }

}  // namespace heddle::device
