// One unit of an SM alone: warps that issue their instructions when the test says so, and a record of what
// the unit does to them. No issue stage, no memory, no device.
//
//   Kernel k{membar()};
//   UnitBench bench(k);
//   sm::Fences fences(bench.state);
//   bench.attach(fences, {UnitEvent::Kind::kCopyDone});
//   bench.issue(fences, 0, 100);
//   bench.run(1000);
//   CHECK(bench.parked == std::vector<UnitBench::At>{{0, 500}});
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <ostream>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/isa/recorded_program.h"
#include "sim/memory/message.h"
#include "sim/sm/code/timed_instr.h"
#include "sim/sm/lsu/lsu.h"
#include "sim/sm/state/sm_state.h"
#include "sim/sm/state/unit.h"
#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {

class UnitBench : public sm::WarpScheduler, public sm::QueueRoom {
 public:
  using Kind = sm::UnitEvent::Kind;
  struct At {
    uint32_t warp;
    Cycle cycle;
    bool operator==(const At&) const = default;
    friend std::ostream& operator<<(std::ostream& out, const At& a) {
      return out << "warp " << a.warp << " at " << a.cycle;
    }
  };

  // Warp w of the kernel's first block is hardware warp w; the block is in slot 0.
  explicit UnitBench(Kernel& kernel, const spec::GpuConfig& gpu = test_gpu(), uint64_t address_offset = 0)
      : config(gpu),
        state(0, config, *this),
        timed(bind(kernel.image(), config.sm(), address_offset)),
        grid_(kernel) {
    state.begin(nullptr, {}, nullptr, true);
    kernel.rewind();
    program_ = grid_.next();
    sm::BlockSlot& b = state.block(0);
    b.active = true;
    b.program = program_.get();
    b.kernel = &timed;
    b.warps = b.warps_left = program_->warps();
    for (uint32_t i = 0; i < program_->warps(); ++i) {
      sm::Warp w;
      w.active = true;
      w.index = static_cast<uint16_t>(i);
      w.age = i + 1;
      w.stream.start(program_->warp(i), timed, 0);
      w.next = w.stream.done() ? nullptr : &w.stream.peek();
      state.start_warp(i, w);
    }
  }

  // Events of these kinds are the unit's.
  void attach(sm::Unit& unit, std::initializer_list<Kind> kinds) {
    for (Kind k : kinds) {
      units_[k] = &unit;
    }
  }

  // The warp's next instruction issues, after everything that happens until then. Returns what
  // Unit::start() does.
  Cycle issue(sm::Unit& unit, uint32_t warp, Cycle now) {
    come_to(now);
    sm::Warp& w = state.warp(warp);
    const sm::TimedInstr& t = w.stream.peek();
    isa::Operands operands;
    if (t.hands_out && w.stream.mask() != 0) {
      w.stream.issue(operands);
    }
    state.expect(warp, t, stats::Stall::kLongScoreboard);
    const Cycle again = unit.start({.subcore = state.subcore_of(warp),
                                    .warp = warp,
                                    .instr = t,
                                    .mask = w.stream.mask(),
                                    .operands = operands,
                                    .now = now,
                                    .start = now,
                                    .pipe_free = pipe_free[state.subcore_of(warp)]});
    w.stream.advance(0);
    w.next = w.stream.done() ? nullptr : &w.stream.peek();
    return again;
  }

  // It is that cycle, and what has been scheduled before it has happened: for what the test does to a unit.
  void come_to(Cycle now) {
    run(now);
    state.set_now(now);
  }
  // What is scheduled before `end` happens.
  void run(Cycle end) {
    while (state.events().next() < end) {
      const Cycle now = state.events().next();
      state.set_now(now);
      state.events().run(now, [&](const sm::UnitEvent& e) {
        if (e.kind == Kind::kResult) {
          results.push_back({e.warp, now});
          state.result(e.warp, e.arg, now);
        } else if (e.kind == Kind::kOperandsRead) {
          reads.push_back({e.warp, now});
          state.release(e.warp, state.kernel(e.warp).code[e.arg].read_barrier, now);
        } else {
          units_.at(e.kind)->event(e, now);
        }
      });
    }
  }

  // What has left the SM before `end`.
  std::vector<memory::Request> sent(Cycle end = kNever) {
    std::vector<memory::Request> out;
    state.outbox().depart(end, [&](const memory::Request& r) { out.push_back(r); });
    return out;
  }

  const spec::GpuConfig config;
  sm::SmState state;
  const sm::TimedKernel timed;
  std::vector<Cycle> pipe_free = std::vector<Cycle>(state.subcores());
  // What happened to warps, in order: looked at again at once, or from that cycle on; gone; their results
  // written, their operands read.
  std::vector<At> evaluated, parked, gone, results, reads;
  // Queues to the LSU that became full (1) or not (0), by port.
  std::map<uint8_t, std::vector<bool>> full;

 private:
  static sm::TimedKernel bind(const isa::KernelImage& image, const spec::Sm& c, uint64_t address_offset) {
    sm::TimedKernel k = sm::bind(image, c);
    k.address_offset = address_offset;
    return k;
  }
  void evaluate(uint32_t warp, Cycle now) override { evaluated.push_back({warp, now}); }
  void park(uint32_t warp, Cycle at, Cycle) override { parked.push_back({warp, at}); }
  void retired(uint32_t warp, Cycle now) override {
    gone.push_back({warp, now});
    --state.block(0).warps_left;
  }
  void set_port_full(uint32_t, uint8_t port, bool is_full, Cycle) override {
    if (full[port].empty() ? is_full : full[port].back() != is_full) {
      full[port].push_back(is_full);
    }
  }

  isa::RecordedGrid grid_;
  std::unique_ptr<isa::BlockProgram> program_;
  std::map<Kind, sm::Unit*> units_;
};

using At = UnitBench::At;
using Ats = std::vector<UnitBench::At>;

}  // namespace heddle::simtest
