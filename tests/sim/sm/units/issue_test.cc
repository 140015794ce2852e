// One sub-core with the dispatch stage, alone: a unit that the test wires takes its memory instructions.
#include "sim/sm/issue/subcore.h"

#include <catch2/catch.hpp>

#include "tests/sim/support/unit_bench.h"

namespace heddle::simtest {
namespace {

struct Takes : sm::Unit {
  void reset(Cycle) override {}
  Cycle start(const sm::Issued& i) override {
    started.push_back({i.warp, i.now});
    return 0;
  }
  void event(const sm::UnitEvent&, Cycle) override {}
  Ats started;
};

struct IssueBench : sm::WarpScheduler {
  explicit IssueBench(Kernel& k)
      : config(test_gpu()),
        state(0, config, *this),
        timed(sm::bind(k.image(), config.sm())),
        instructions(config.sm().fetch(), 4, state.counters(), {state.outbox(), 0}),
        constants(config.sm().constants(), 4, 0, 1, state.counters(), {state.outbox(), 0}),
        dispatch(state, constants, config),
        pipes(config.sm()),
        arrays(1, sm::TensorArray(config.sm().tensor())),
        subcore({state, instructions, constants, dispatch, pipes, subcores, arrays}, 0),
        grid(k) {
    state.begin(nullptr, {}, nullptr, true);
    instructions.reset();
    instructions.add(0, timed.lines, 1);
    dispatch.wire(sm::Handler::kMemory, unit);
    k.rewind();
    program = grid.next();
    sm::BlockSlot& b = state.block(0);
    b.active = true;
    b.program = program.get();
    b.warps = b.warps_left = program->warps();
    for (uint32_t i = 0; i < program->warps(); ++i) {  // all in this sub-core
      sm::Warp w;
      w.active = true;
      w.index = static_cast<uint16_t>(i);
      w.age = i + 1;
      w.stream.start(program->warp(i), timed, 0);
      w.next = &w.stream.peek();
      state.start_warp(4 * i, w);
      subcore.evaluate(i, 0);
    }
  }
  void run(Cycle end) {
    while (subcore.next() < end) {
      const Cycle now = subcore.next();
      state.set_now(now);
      subcore.step(now);
    }
  }
  void evaluate(uint32_t warp, Cycle now) override { subcore.evaluate(warp / 4, now); }
  void park(uint32_t warp, Cycle at, Cycle now) override { subcore.park(warp / 4, at, now); }
  void retired(uint32_t warp, Cycle now) override { gone.push_back({warp, now}); }

  const spec::GpuConfig config;
  sm::SmState state;
  const sm::TimedKernel timed;
  sm::InstructionSupply instructions;
  sm::ConstantCache constants;
  sm::Dispatch dispatch;
  sm::SharedPipes pipes;
  std::vector<sm::TensorArray> arrays;
  std::vector<sm::SubCore> subcores;
  Takes unit;
  sm::SubCore subcore;
  isa::RecordedGrid grid;
  std::unique_ptr<isa::BlockProgram> program;
  Ats gone;
};

TEST_CASE(
    "a warp goes on while it can, then the youngest of the ready ones; at first, slot 0 counts as the last") {
  Kernel k{lds(1), lds(2)};
  k.warps(3);
  IssueBench b(k);
  b.run(100);
  CHECK(b.unit.started == Ats{{0, 0}, {0, 1}, {8, 2}, {8, 3}, {4, 4}, {4, 5}});
}

TEST_CASE("stall counts pass between a warp's issues; others use the slots") {
  Kernel k{lds(1).stall(4), lds(2)};
  k.warps(2);
  IssueBench b(k);
  b.run(100);
  CHECK(b.unit.started == Ats{{0, 0}, {4, 1}, {0, 4}, {4, 5}});
  CHECK(b.state.counters()[Counter::kInstExecuted] == 4);
  CHECK(b.dispatch.issued() == 4);
}

TEST_CASE("a full queue stops those that want into it, and no others") {
  Kernel k{lds(1), lds(2)};
  IssueBench b(k);
  b.subcore.set_port_full(sm::kPortMio, true, 0);
  b.run(50);
  CHECK(b.unit.started.empty());
  b.subcore.set_port_full(sm::kPortMio, false, 50);
  b.run(100);
  CHECK(b.unit.started == Ats{{0, 50}, {0, 51}});
  CHECK(b.state.counters()[Stall::kMioThrottle] == 50);
}

TEST_CASE("a warp at the end of its stream goes") {
  Kernel k{alu(1), alu(2)};
  IssueBench b(k);
  b.run(100);
  CHECK(b.gone == Ats{{0, 3}});  // issues at 0 and 2, the pipe's interval
}

}  // namespace
}  // namespace heddle::simtest
