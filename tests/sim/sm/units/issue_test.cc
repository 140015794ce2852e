// One sub-core with the dispatch stage, alone: a unit that the test wires takes its memory instructions.
#include "sim/sm/issue/subcore.h"

#include <catch2/catch.hpp>

#include "sim/engine/archive.h"
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

// Warps of one block, the youngest first: slot 31 before 30, and so on.
sm::IssueOrder of_one_block() {
  sm::IssueOrder order(spec::Issue::GREEDY_THEN_YOUNGEST);
  for (uint32_t slot = 0; slot < sm::kSlotsPerSubcore; ++slot) {
    sm::Warp w;
    w.index = static_cast<uint16_t>(slot);
    w.age = slot + 1;
    order.greet(slot, w);
  }
  return order;
}

TEST_CASE("warps in line at a port come one after the other; who leaves is no longer in anybody's way") {
  const sm::IssueOrder order = of_one_block();
  for (const uint32_t port : {0u, 5u, uint32_t{sm::kPortLg}, uint32_t{sm::kPortMio}}) {
    CAPTURE(port);
    sm::PortLines lines;
    CHECK(lines.empty());
    lines.join(port, 1u << 3, order);
    lines.join(port, 1u << 31 | 1u << 3 | 1u, order);  // 3 is in line already
    CHECK(lines.ports() == 1u << port);
    CHECK(lines.behind() == (1u << 31 | 1u));
    lines.leave(port, 7);  // is not in line
    CHECK(lines.behind() == (1u << 31 | 1u));
    lines.leave(port, 3);
    CHECK(lines.behind() == 1u);
    lines.join(port, 1u << 3, order);
    lines.leave(port, 0);  // not the first
    CHECK(lines.behind() == 1u << 3);
    lines.leave(port, 31);
    CHECK(lines.behind() == 0);
    CHECK(lines.ports() == 1u << port);
    lines.leave(port, 3);
    CHECK(lines.empty());
  }
}

TEST_CASE("each port has a line of its own") {
  const sm::IssueOrder order = of_one_block();
  sm::PortLines lines;
  lines.join(2, 0b0011, order);
  lines.join(3, 0b1100, order);
  CHECK(lines.behind() == 0b0101);
  lines.leave(3, 1);  // is in the other
  CHECK(lines.behind() == 0b0101);
  lines.leave(2, 1);
  lines.leave(3, 3);
  CHECK(lines.behind() == 0);
  CHECK(lines.ports() == 0b1100);
}

// As IssueOrder and PortLines are saved: slots with age, block and turn; then the newest turn, the slot that
// issued last, whether it stays.
std::vector<uint8_t> saved_order(uint32_t last) {
  Archive w;
  uint64_t none = 0;
  for (uint32_t i = 0; i < 3 * sm::kSlotsPerSubcore; ++i) {
    w(none);
  }
  bool stays = true;
  w(none, last, stays);
  return w.take();
}

TEST_CASE("a saved order that names a slot which a sub-core does not have is refused") {
  for (const uint32_t last : {0u, sm::kSlotsPerSubcore - 1, sm::kSlotsPerSubcore, ~0u}) {
    CAPTURE(last);
    const std::vector<uint8_t> bytes = saved_order(last);
    sm::IssueOrder order(spec::Issue::GREEDY_THEN_YOUNGEST);
    Archive r(bytes);
    if (last < sm::kSlotsPerSubcore) {
      order.serialize(r);
      r.end();
      CHECK(order.pick(1u << last) == last);
    } else {
      CHECK_THROWS_WITH(order.serialize(r), Catch::Contains("a slot that the sub-core does not have"));
    }
  }
}

TEST_CASE("saved lines of warps with gaps, or with warps that are not in them, are refused") {
  // Of the first port: its slots, how many, their order; the others are empty.
  const auto read = [](uint32_t slots, uint32_t count, uint8_t first) {
    Archive w;
    for (uint32_t port = 0; port < sm::kPortCount; ++port) {
      uint32_t none = 0;
      uint8_t nobody = 0;
      port == 0 ? w(slots, count, first) : w(none, none, nobody);
      for (uint32_t i = 1; i < sm::kSlotsPerSubcore; ++i) {
        w(nobody);
      }
    }
    uint32_t ports = 1;
    w(ports);
    const std::vector<uint8_t> bytes = w.take();
    sm::PortLines lines;
    Archive r(bytes);
    lines.serialize(r);
    r.end();
    return lines.behind();
  };
  CHECK(read(1u << 5, 1, 5) == 0);
  CHECK(read(1u << 31, 1, 31) == 0);
  CHECK_THROWS_WITH(read(1u << 5, 2, 5), Catch::Contains("a line of warps with gaps"));
  CHECK_THROWS_WITH(read(1u << 5, 0, 5), Catch::Contains("a line of warps with gaps"));
  CHECK_THROWS_WITH(read(1u << 5, 1, 4), Catch::Contains("a warp in line that is not there"));
  CHECK_THROWS_WITH(read(1u << 5, 1, 32), Catch::Contains("a warp in line that is not there"));
}

}  // namespace
}  // namespace heddle::simtest
