// Loops that wait for a barrier object in a recording.
#include "sim/isa/recorded_spins.h"

#include <catch2/catch.hpp>
#include <utility>

#include "tests/sim/support/tensor_ops.h"

namespace heddle::simtest {
namespace {

using Codes = std::vector<uint32_t>;

struct Left {
  uint64_t out = 0;
  Codes codes;  // that are executed
  isa::WarpTrace trace;
};

Codes codes_of(const isa::WarpTrace& w) {
  Codes c;
  for (const isa::Run& r : w.runs) {
    for (uint32_t i = 0; i < r.count; ++i) {
      c.push_back(r.first + i);
    }
  }
  return c;
}

Left leave_out(const Kernel& kernel, const std::function<void(isa::WarpTrace&)>& change = {}) {
  Kernel k = kernel;
  isa::BlockTrace block;
  REQUIRE(k.next(block));
  Left l;
  l.trace = block.warps.at(0);
  if (change) {
    change(l.trace);
  }
  l.out = isa::leave_out_spins(isa::RecordedSyncs(k.image()), l.trace);
  l.codes = codes_of(l.trace);
  CHECK(l.trace.instructions == l.codes.size());
  return l;
}

Op wait_at(uint64_t barrier, uint64_t parity = 0) { return mbarrier_wait(barrier, parity); }

TEST_CASE("of a wait that was asked again and again, the last time counts") {
  Kernel k{nop(), wait_at(64), bra(), nop()};
  k.order(0, {0, 1, 2, 1, 2, 1, 2, 3});
  const Left l = leave_out(k);
  CHECK(l.out == 4);
  CHECK(l.codes == Codes{0, 1, 2, 3});
  CHECK(l.trace.refs.size() == 1);
}

TEST_CASE("references behind the loop stay with their instructions") {
  Kernel k{ldg(1).at(0x100, 4), wait_at(64), bra(), ldg(1).at(0x200, 4), wait_at(72)};
  k.order(0, {0, 1, 2, 1, 2, 3, 4, 2, 4});
  const Left l = leave_out(k);
  CHECK(l.out == 4);
  CHECK(l.codes == Codes{0, 1, 2, 3, 4});
  REQUIRE(l.trace.refs.size() == 4);
  CHECK(l.trace.refs[0].base == 0x100);
  CHECK(l.trace.refs[1].base == 64);
  CHECK(l.trace.refs[2].base == 0x200);
  CHECK(l.trace.refs[3].base == 72);
}

TEST_CASE("a loop with two waits, the second behind a sleep, is one loop") {
  // TRYWAIT; then NANOSLEEP and PHASECHK until it says yes.
  Kernel k{wait_at(64), make(OpClass::kNanosleep, "NANOSLEEP"), wait_at(64), nop()};
  k.order(0, {0, 1, 2, 1, 2, 1, 2, 3});
  const Left l = leave_out(k);
  CHECK(l.out == 6);
  CHECK(l.codes == Codes{2, 3});
}

TEST_CASE("a second wait further away than 8 instructions is another one") {
  const auto apart = [](int between) {
    Kernel k{wait_at(64)};
    k.add(nop(), between);
    k.add(wait_at(64));
    return leave_out(k).out;
  };
  CHECK(apart(7) == 8);
  CHECK(apart(8) == 0);
}

TEST_CASE("a turn of more than 64 instructions does something else besides") {
  const auto turn = [](uint32_t between) {
    Kernel k{wait_at(64)};
    k.add(nop(), static_cast<int>(between));
    std::vector<Kernel::Step> steps;
    for (uint32_t i = 0; i <= between; ++i) {
      steps.push_back({i});
    }
    steps.push_back({0});
    return leave_out(k.stream(0, steps)).out;
  };
  CHECK(turn(63) == 64);
  CHECK(turn(64) == 0);
}

TEST_CASE("what touches memory or waits for others between two waits keeps both") {
  const Op between[] = {lds(1),
                        ldg(1),
                        sts(),
                        atoms(1),
                        bar(),
                        membar(),
                        mbarrier_arrive(64),
                        mbarrier_init(64, 1),
                        make(OpClass::kClusterBarrier, "UCGABAR_ARV"),
                        make(OpClass::kClusterWait, "UCGABAR_WAIT"),
                        exit_op()};
  for (const Op& o : between) {
    CAPTURE(o.text);
    Kernel k{wait_at(64), o};
    k.order(0, {0, 1, 0, 1});
    CHECK(leave_out(k).out == 0);
    CHECK(leave_out(k).codes == Codes{0, 1, 0, 1});
  }
  Kernel quiet{wait_at(64), alu()};
  quiet.order(0, {0, 1, 0, 1});
  CHECK(leave_out(quiet).out == 2);
}

TEST_CASE("waits for different phases, objects or lanes are different waits") {
  Kernel k{wait_at(64), nop()};
  k.order(0, {0, 1, 0, 1});
  CHECK(leave_out(k).out == 2);
  CHECK(leave_out(k, [](isa::WarpTrace& w) {
          for (uint32_t lane = 0; lane < 32; ++lane) {
            w.values[w.refs[1].list + lane] = uint64_t{1} << 31;
          }
        }).out == 0);
  CHECK(leave_out(k, [](isa::WarpTrace& w) { w.refs[1].base = 72; }).out == 0);
  Kernel lanes = k;
  lanes.stream(0, {{0, 0xf}, {1}, {0, 0xff}, {1}});
  CHECK(leave_out(lanes).out == 0);
}

TEST_CASE("a wait that is not recorded completely stays") {
  Kernel k{wait_at(64), nop()};
  k.order(0, {0, 1, 0, 1});
  CHECK(leave_out(k, [](isa::WarpTrace& w) { w.refs[1].count = 0; }).out == 0);
  CHECK(leave_out(k, [](isa::WarpTrace& w) { w.refs[0].kind = isa::MemRef::Kind::kNone; }).out == 0);
}

TEST_CASE("waits that are predicated off are none") {
  Kernel k{wait_at(64), nop()};
  k.stream(0, {{0}, {1}, {0, 0}, {1}, {0}, {1}});
  const Left l = leave_out(k);
  // The one that is not executed is part of the turn that goes.
  CHECK(l.out == 4);
  CHECK(l.codes == Codes{0, 1});
}

TEST_CASE("a kernel without waits stays as it is") {
  Kernel k{mbarrier_arrive(64), nop()};
  k.order(0, {0, 1, 0, 1});
  CHECK(leave_out(k).out == 0);
  CHECK(leave_out(k).codes == Codes{0, 1, 0, 1});
}

}  // namespace
}  // namespace heddle::simtest
