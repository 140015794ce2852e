// The unit of tensor memory alone.
#include "sim/sm/tensor_memory/tensor_memory.h"

#include <catch2/catch.hpp>
#include <deque>

#include "sim/engine/archive.h"

#include "tests/sim/sm/units/tma_bench.h"

namespace heddle::simtest {
namespace {

using isa::OpClass;

constexpr uint64_t kObject = 0x440;

// 0.5 cycles a column, 128 bytes a cycle; results 10 cycles later, 30 with a pair; registers 20 cycles later.
spec::GpuConfig with_tensor_memory() {
  spec::GpuConfig gpu = test_gpu();
  spec::TensorMemory& t = *gpu.mutable_sm()->mutable_tensor_memory();
  t.set_columns(512);
  t.set_mma_column_cycles(0.5);
  t.set_shared_byte_cycles(1.0 / 128);
  t.set_mma_latency(10);
  t.set_pair_latency(20);
  t.set_move_byte_cycles(1.0 / 128);
  t.set_move_latency(20);
  t.set_allocation_latency(5);
  return gpu;
}

struct Bench : UnitBench {
  explicit Bench(Kernel& k, const spec::GpuConfig& gpu = with_tensor_memory())
      : UnitBench(k, gpu),
        fences(state),
        port(state),
        barriers(state, fences, port, quiet),
        unit(state, barriers) {
    port.connect(quiet, barriers);
    attach(unit, {Kind::kTensorDone});
    unit.reset(0);
  }

  Cycle start(OpClass op, uint32_t warp, Cycle now, const isa::Operands& operands, uint32_t flags = 0,
              uint8_t registers = 0) {
    come_to(now);
    isa::Instr& in = instrs.emplace_back();
    in.op = op;
    in.flags = flags;
    in.matrices = registers;
    sm::TimedInstr& t = timed_instrs.emplace_back(timed.code[0]);
    t.op = op;
    t.instr = &in;
    t.write_barrier = 0;  // somebody waits for its result
    state.expect(warp, t, stats::Stall::kLongScoreboard);
    return unit.start({.subcore = state.subcore_of(warp),
                       .warp = warp,
                       .instr = t,
                       .mask = 1,
                       .operands = operands,
                       .now = now,
                       .start = now,
                       .pipe_free = pipe_free[state.subcore_of(warp)]});
  }
  void product(Cycle now, uint16_t columns, uint32_t a_bytes, uint32_t bytes, uint32_t flags = 0) {
    isa::Operands o;
    o.tensor = {columns, a_bytes, bytes};
    start(OpClass::kTensorMma, 0, now, o, flags);
  }
  void copy(Cycle now, uint32_t bytes) {
    isa::Operands o;
    o.tensor.bytes = bytes;
    start(OpClass::kTensorCopy, 0, now, o);
  }
  void commit(Cycle now) {
    isa::Operands o;
    o.mbarrier.kind = isa::MbarrierOp::Kind::kArrive;
    o.mbarrier.address = kObject;
    start(OpClass::kTensorCommit, 0, now, o);
  }
  Cycle columns(uint32_t warp, Cycle now, uint16_t n, bool free = false) {
    isa::Operands o;
    o.tensor.columns = n;
    return start(OpClass::kTensorAlloc, warp, now, o, free ? uint32_t{isa::kFlagTensorFree} : 0);
  }
  // An object for one arrival a phase.
  void object() {
    isa::MbarrierOp init;
    init.kind = isa::MbarrierOp::Kind::kInit;
    init.address = kObject;
    barriers.change_mbarrier(0, init, 0);
  }
  // The cycle in which the object's first phase is complete.
  Cycle completed(Cycle from) {
    for (Cycle t = from;; ++t) {
      run(t + 1);
      if (state.block(0).mbarriers[kObject].phase == 1) {
        return t;
      }
      REQUIRE(t < 10000);
    }
  }

  QuietMemory quiet;
  sm::Fences fences;
  sm::ClusterPort port;
  sm::Barriers barriers;
  sm::TensorMemory unit;
  std::deque<isa::Instr> instrs;
  std::deque<sm::TimedInstr> timed_instrs;
};

TEST_CASE("a product of 64 columns with A of 4 KiB arrives 32 + 32 + 10 cycles behind its issue") {
  Kernel k{nop()};
  Bench b(k);
  b.object();
  b.product(100, 64, 4096, 2048);
  b.commit(101);
  CHECK(b.completed(102) == 174);
  CHECK(b.state.counters()[Counter::kTensorBusy] == 4 * 48);
}

TEST_CASE("products follow each other by what takes longer, their columns or their operands") {
  Kernel k{nop()};
  SECTION("operands: 48 cycles") {
    Bench b(k);
    b.object();
    b.product(100, 64, 4096, 2048);
    b.product(101, 64, 4096, 2048);
    b.commit(102);
    CHECK(b.completed(103) == 174 + 48);
  }
  SECTION("columns: 128 cycles") {
    Bench b(k);
    b.object();
    b.product(100, 256, 4096, 8192);
    b.product(101, 256, 4096, 8192);
    b.commit(102);
    CHECK(b.completed(103) == 100 + 128 + 32 + 128 + 10);
  }
  SECTION("A in tensor memory is not waited for") {
    Bench b(k);
    b.object();
    b.product(100, 64, 0, 2048);
    b.commit(101);
    CHECK(b.completed(102) == 100 + 32 + 10);
  }
}

TEST_CASE("a product of a pair arrives 20 cycles later, and both SMs' arrays work") {
  Kernel k{nop()};
  Bench b(k);
  b.object();
  b.product(100, 64, 4096, 1024, isa::kFlagPair);
  b.commit(101);
  CHECK(b.completed(102) == 100 + 32 + 32 + 10 + 20);
  CHECK(b.state.counters()[Counter::kTensorBusy] == 2 * 4 * 40);
}

TEST_CASE("a commit without work arrives in the next cycle, one of a block that has gone not at all") {
  Kernel k{nop()};
  Bench b(k);
  b.object();
  b.commit(100);
  CHECK(b.completed(101) == 101);
  b.product(200, 64, 0, 0);
  b.commit(201);
  ++b.state.block(0).generation;
  b.run(1000);
  CHECK(b.state.block(0).mbarriers[kObject].phase == 1);
}

TEST_CASE(
    "a load of 8 registers has its result 8 + 20 cycles behind its issue; a sub-core's follow each other") {
  Kernel k{nop()};
  k.warps(2);
  Bench b(k);
  b.start(OpClass::kTensorLd, 0, 100, {}, 0, 8);
  b.start(OpClass::kTensorLd, 0, 101, {}, 0, 8);
  b.start(OpClass::kTensorSt, 1, 101, {}, 0, 4);
  b.run(1000);
  CHECK(b.results == Ats{{1, 125}, {0, 128}, {0, 136}});
}

TEST_CASE("who finds no free columns waits, and the first that came goes first") {
  Kernel k{nop()};
  k.warps(4);
  Bench b(k);
  CHECK(b.columns(0, 100, 256) == 0);
  CHECK(b.columns(1, 101, 512) == kNever);
  CHECK(b.columns(2, 102, 128) == kNever);
  CHECK(b.unit.describe() == "2 warps wait for columns of tensor memory, 256 are free");
  CHECK(b.columns(0, 200, 256, true) == 0);
  CHECK(b.parked == Ats{{1, 205}});
  CHECK(b.columns(1, 300, 512, true) == 0);
  CHECK(b.parked == Ats{{1, 205}, {2, 305}});
  CHECK(b.unit.describe().empty());
}

TEST_CASE("a copy has the array for its bytes and is complete 10 cycles later; products follow it") {
  Kernel k{nop()};
  SECTION("alone: 32 cycles") {
    Bench b(k);
    b.object();
    b.copy(100, 4096);
    b.commit(101);
    CHECK(b.completed(102) == 100 + 32 + 10);
  }
  SECTION("in front of a product of 32 + 32 cycles") {
    Bench b(k);
    b.object();
    b.copy(100, 4096);
    b.product(101, 64, 4096, 2048);
    b.commit(102);
    CHECK(b.completed(103) == 100 + 32 + 32 + 32 + 10);
  }
  SECTION("behind one that has the array for 48") {
    Bench b(k);
    b.object();
    b.product(100, 64, 4096, 2048);
    b.copy(101, 4096);
    b.commit(102);
    CHECK(b.completed(103) == 100 + 48 + 32 + 10);
  }
}

TEST_CASE("saved in the middle of everything, reset and restored, it goes on as if nothing had happened") {
  Kernel k{nop()};
  k.warps(4);
  Bench b(k);
  b.object();
  CHECK(b.columns(2, 50, 500) == 0);
  CHECK(b.columns(3, 51, 100) == kNever);
  b.product(100, 64, 4096, 2048);                  // the array is taken until 148
  b.start(OpClass::kTensorLd, 1, 100, {}, 0, 64);  // this way until 164
  b.commit(101);                                   // at 174
  Archive w;
  b.unit.serialize(w);
  const std::vector<uint8_t> saved = w.take();
  b.unit.reset(0);
  Archive r(saved);
  b.unit.serialize(r);
  r.end();
  Archive again;
  b.unit.serialize(again);
  CHECK((again.take() == saved));
  CHECK(b.unit.describe() == "1 warps wait for columns of tensor memory, 12 are free");
  b.product(102, 64, 4096, 2048);
  b.start(OpClass::kTensorLd, 1, 103, {}, 0, 8);  // until 172
  CHECK(b.completed(104) == 174);
  CHECK(b.columns(2, 180, 500, true) == 0);
  CHECK(b.parked == Ats{{3, 185}});
  b.commit(185);
  b.run(222);
  CHECK(b.state.block(0).mbarriers[kObject].phase == 1);
  b.run(223);
  CHECK(b.state.block(0).mbarriers[kObject].phase == 2);  // 174 + 48
  std::erase_if(b.results, [](const At& a) { return a.warp != 1; });
  CHECK(b.results == Ats{{1, 164 + 20}, {1, 172 + 20}});
}

TEST_CASE("a GPU without tensor memory refuses its instructions") {
  Kernel k{nop()};
  spec::GpuConfig without = test_gpu();
  without.mutable_sm()->clear_tensor_memory();
  Bench b(k, without);
  b.product(100, 64, 0, 0);
  REQUIRE(b.state.fault() != nullptr);
  CHECK(b.state.fault()->text.find("tensor memory, which this GPU does not have") != std::string::npos);
}

}  // namespace
}  // namespace heddle::simtest
