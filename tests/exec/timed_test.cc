// Warps that are executed while they are simulated: they stop before what depends on time, the observer knows
// of it then, and it is done, once, when whoever gives the time lets them go on.
#include <bit>
#include <catch2/catch.hpp>
#include <vector>

#include "sim/exec/cluster.h"
#include "sim/exec/layout.h"
#include "tests/exec/exec_case.h"
#include "tests/exec/onlooker.h"

namespace heddle::exec::test {
namespace {

using Status = Warp::Status;

class Seen : public Onlooker {
 public:
  struct Access {
    uint32_t mask;
    uint64_t first, last;  // addresses of the first and the last lane
    bool operator==(const Access&) const = default;
  };
  uint32_t executions = 0;
  std::vector<Access> accesses;  // of global memory

 private:
  void executed(const Block& /*b*/, uint32_t /*warp*/, uint32_t /*pc*/, uint32_t /*active*/,
                uint32_t /*mask*/) override {
    ++executions;
  }
  void accessed(const Block& /*b*/, uint32_t /*warp*/, uint32_t /*pc*/, uint32_t mask, const Register& at,
                const Register* /*to*/) override {
    if (at[static_cast<uint32_t>(std::countr_zero(mask))] >= kGlobalBase) {
      accesses.push_back({mask, at[0], at[31]});
    }
  }
};

// One warp of a kernel whose statements leave %r0, which each thread stores; %rd0 is a word of global memory.
struct Timed {
  explicit Timed(const std::string& statements)
      : program(ptx::parse("t.ptx",
                           ".version 8.8 .target sm_90a .address_size 64\n" +
                               storing("ld.param.u64 %rd0, [out]; add.u64 %rd0, %rd0, 512;\n" + statements)),
                memory),
        out(memory.allocate(1024)),
        launch(program.launch(program.kernel("k"))) {
    launch.grid = {1, 1, 1};
    launch.block = {32, 1, 1};
    launch.observer = &seen;
    launch.time = &time;
    ptx::set_parameter(ptx::parameter(program.module(), program.kernel("k"), 0), out, launch);
    cluster = std::make_unique<Cluster>(launch, 0);
  }
  Warp& warp() { return cluster->blocks()[0]->warp(0); }
  Status run() { return warp().run(Block::kTurn); }
  uint32_t word(uint64_t offset) const {
    uint32_t x = 0;
    memory.read(out + offset, {reinterpret_cast<uint8_t*>(&x), sizeof x});
    return x;
  }

  Memory memory;
  ptx::Program program;
  uint64_t out;
  SimulatedTime time;
  Seen seen;
  Launch launch;
  std::unique_ptr<Cluster> cluster;
};

}  // namespace

TEST_CASE("a clock shows the time at which the warp goes on, in cycles or ns") {
  for (const bool timer : {false, true}) {
    CAPTURE(timer);
    const std::string clock = timer ? "%globaltimer" : "%clock64";
    Timed t("mov.u64 %rd1, " + clock + "; mov.u64 %rd2, " + clock +
            "; cvt.u32.u64 %r1, %rd1; cvt.u32.u64 %r2, %rd2; mad.lo.u32 %r0, %r2, 10000, %r1;");
    t.time.ns_per_cycle = 2;
    CHECK(t.run() == Status::kPaused);
    CHECK(t.warp().at_clock());
    t.time.cycle = 100;
    CHECK(t.run() == Status::kPaused);
    CHECK(t.warp().at_clock());
    t.time.cycle = 300;
    CHECK(t.run() == Status::kDone);
    CHECK(t.word(0) == (timer ? 600 * 10000 + 200 : 300 * 10000 + 100));
  }
}

TEST_CASE("atomics that return something stop, and are told once, before they are done") {
  Timed t("atom.global.add.u32 %r0, [%rd0], 1;");
  CHECK(t.run() == Status::kPaused);
  CHECK_FALSE(t.warp().at_clock());
  CHECK(t.seen.accesses == std::vector<Seen::Access>{{~0U, t.out + 512, t.out + 512}});
  CHECK(t.word(512) == 0);
  const uint32_t before = t.seen.executions;
  CHECK(t.run() == Status::kDone);
  CHECK(t.word(512) == 32);
  CHECK(t.word(4 * 31) == 31);
  // Of what is behind it only the store of the result has addresses.
  CHECK(t.seen.accesses.size() == 2);
  CHECK(t.seen.accesses.back() == Seen::Access{~0U, t.out, t.out + 4 * 31});
  Timed other("atom.global.add.u32 %r0, [%rd0], 1; add.u32 %r0, %r0, 1;");  // counted once as well
  CHECK(other.run() == Status::kPaused);
  CHECK(other.seen.executions == before);
}

TEST_CASE("lanes whose guard does not hold stop nobody") {
  Timed t(
      "setp.lt.u32 %p1, %r31, 4; mov.u32 %r0, 9; @%p1 atom.global.add.u32 %r0, [%rd0], 1;\n"
      "setp.gt.u32 %p2, %r31, 40; @%p2 atom.global.add.u32 %r0, [%rd0], 1; @%p2 mov.u32 %r0, %clock;");
  CHECK(t.run() == Status::kPaused);
  REQUIRE(t.seen.accesses.size() == 1);
  CHECK(t.seen.accesses[0].mask == 0xf);
  CHECK(t.run() == Status::kDone);
  CHECK(t.word(512) == 4);
  CHECK(t.word(4 * 4) == 9);
}

TEST_CASE("what stops, and what does not depend on time") {
  const struct {
    const char* statement;
    bool stops;
  } all[] = {
      {"mov.u32 %r0, %clock;", true},
      {"mov.u32 %r0, %clock_hi;", true},
      {"mov.u32 %r0, %globaltimer_lo;", true},
      {"ld.global.u32 %r0, [%rd0];", false},
      {"ld.acquire.gpu.global.u32 %r0, [%rd0];", true},
      {"ld.volatile.global.u32 %r0, [%rd0];", true},
      {"atom.global.cas.b32 %r0, [%rd0], 0, 1;", true},
      {"red.global.add.u32 [%rd0], 1; mov.u32 %r0, 0;", false},
      {"st.release.gpu.global.u32 [%rd0], 1; mov.u32 %r0, 0;", false},
      {"activemask.b32 %r0;", false},
      {"bar.warp.sync -1; mov.u32 %r0, 0;", false},
      {"vote.sync.ballot.b32 %r0, 1, -1;", false},
      {"membar.gl; mov.u32 %r0, 0;", false},
      {"setp.lt.u32 %p1, %r31, 4; @%p1 bra next; mov.u32 %r0, 0; next: mov.u32 %r1, 1;", false},
  };
  for (const auto& [statement, stops] : all) {
    CAPTURE(statement);
    Timed t(statement);
    CHECK(t.run() == (stops ? Status::kPaused : Status::kDone));
  }
}

}  // namespace heddle::exec::test
