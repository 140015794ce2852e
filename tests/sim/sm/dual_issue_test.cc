// Maxwell and Pascal: an arithmetic instruction and the access, conversion or special function behind it
// issue in one cycle. ALU 5 cycles and 2 to the next, IMAD 6 and 2, MUFU 20 and 8, LDS 30.
#include <catch2/catch.hpp>
#include <string>

#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

spec::GpuConfig dual_gpu() {
  spec::GpuConfig g = test_gpu();
  g.mutable_sm()->mutable_issue()->set_dependences(spec::Issue::SCOREBOARD);
  g.mutable_sm()->mutable_issue()->set_dual_issue(true);
  return g;
}

Cycles issued(Kernel& k) { return run(dual_gpu(), k).cycles(0); }
Cycles issued(std::initializer_list<Op> code) {
  Kernel k(code);
  return issued(k);
}

TEST_CASE("two pairs, one after the other") {
  Kernel k{alu(1), lds(2), imad(3), mufu(4)};
  CHECK(issued(k) == Cycles{0, 0, 1, 1});
  CHECK(run(test_gpu(), k.without_control()).cycles(0) == Cycles{0, 1, 2, 3});
}

TEST_CASE("a pair takes one issue slot, and is in one state for one cycle") {
  Kernel k{alu(1), lds(2), imad(3), mufu(4)};
  const Outcome o = run(dual_gpu(), k);
  CHECK(o[Counter::kInstExecuted] == 4);
  CHECK(o[Counter::kDualIssued] == 2);
  CHECK(o[Counter::kIssueActive] == 2);
  CHECK(o[Stall::kSelected] == 2);
  CHECK(o.stall_sum() == o[Counter::kWarpsActive]);
}

TEST_CASE("only a simple instruction leads, and only an access, a conversion or a special function follows") {
  CHECK(issued({alu(1), imad(2)}) == Cycles{0, 1});
  CHECK(issued({lds(1), alu(2)}) == Cycles{0, 1});
  CHECK(issued({mufu(1), lds(2)}) == Cycles{0, 1});
  CHECK(issued({dfma(1), lds(2)}) == Cycles{0, 1});
  CHECK(issued({alu(1), ldg(2), stg()}) == Cycles{0, 0, 1});
  CHECK(issued({alu(1), make(OpClass::kConvert, "F2I", 2)}) == Cycles{0, 0});
  CHECK(issued({alu(1), make(OpClass::kLdc, "LDC", 2)}) == Cycles{0, 0});
  CHECK(issued({alu(1), make(OpClass::kBitCount, "POPC", 2)}) == Cycles{0, 1});
  CHECK(issued({alu(1), make(OpClass::kS2RThread, "S2R", 2)}) == Cycles{0, 1});
}

TEST_CASE("what needs a result of the first waits for it: read or written again") {
  CHECK(issued({alu(1), mufu(2, {1})}) == Cycles{0, 5});
  CHECK(issued({alu(1), mufu(1)}) == Cycles{0, 5});
  CHECK(issued({mufu(1), alu(2), lds(3).src(isa::RegFile::kGpr, 1)}) == Cycles{0, 1, 20});
  CHECK(issued({alu(1, {2}), mufu(2)}) == Cycles{0, 0});  // read before it is written
}

TEST_CASE("two constants cannot be read in one cycle") {
  CHECK(issued({alu(1).constant(3, 0), mufu(2)}) == Cycles{0, 0});
  CHECK(issued({alu(1).constant(3, 0), mufu(2).constant(3, 4)}) == Cycles{0, 1});
}

TEST_CASE("a pipe that is busy, or a queue that is full, makes no pair") {
  CHECK(issued({mufu(1), alu(2), mufu(3)}) == Cycles{0, 1, 8});
  Kernel k;
  for (int i = 0; i < 8; ++i) {  // 5 entries, which leave from cycle 10 on
    k.add(lds(i));
  }
  k.add(alu(20));
  k.add(lds(21));
  const Cycles c = issued(k);
  CHECK(c[8] == c[7] + 1);
  CHECK(c[9] > c[8]);
}

TEST_CASE("a full queue makes no pair, whichever of the sub-core's warps comes to it") {
  for (uint32_t slot = 0; slot < 8; ++slot) {
    CAPTURE(slot);
    Kernel k;
    for (int i = 0; i < 8; ++i) {
      k.add(lds(i));
    }
    k.add(alu(20));
    k.add(lds(21));
    k.warps(4 * slot + 1);
    for (uint32_t w = 0; w < 4 * slot; ++w) {
      k.order(w, {});
    }
    const Cycles c = run(dual_gpu(), k).cycles(4 * slot);
    REQUIRE(c.size() == 10);
    CHECK(c[8] == c[7] + 1);
    CHECK(c[9] > c[8]);
  }
}

TEST_CASE("nothing that shares a pipe with arithmetic goes along, though the pipe takes one every cycle") {
  spec::GpuConfig g = dual_gpu();
  for (spec::PipeTiming& p : *g.mutable_sm()->mutable_pipe()) {
    if (p.pipe() == "alu" || p.pipe() == "fmaheavy" || p.pipe() == "fmalite") {
      p.set_interval(1);
    }
  }
  const auto converts_in = [&](const std::string& pipe, const Op& lead) {
    for (spec::OpTiming& o : *g.mutable_sm()->mutable_op()) {
      if (o.op() == "convert") {
        o.set_pipe(pipe);
      }
    }
    const Op convert = make(OpClass::kConvert, "F2F", 4);
    Kernel k{lead, convert, Op(lead), Op(convert)};
    k.mutable_image().code[2].dst[0].index = 5;
    k.mutable_image().code[3].dst[0].index = 6;
    return run(g, k).cycles(0);
  };
  CHECK(converts_in("xu", alu(1)) == Cycles{0, 0, 1, 8});  // which takes one in 8 cycles
  CHECK(converts_in("alu", alu(1)) == Cycles{0, 1, 2, 3});
  CHECK(converts_in("fmaheavy", imad(1)) == Cycles{0, 1, 2, 3});
  CHECK(converts_in("fmalite", ffma(1)) == Cycles{0, 1, 2, 3});
  CHECK(converts_in("fma", ffma(1)) == Cycles{0, 1, 2, 3});
}

TEST_CASE("the two are in one line of code, which is 8 instructions") {
  Kernel k;
  k.add(imad(), 7);
  k.add(alu(1));
  k.add(lds(2));
  const Cycles c = issued(k);
  CHECK(c[8] == c[7] + 1);
}

TEST_CASE("one warp's pair leaves nothing for the others of its sub-core") {
  Kernel k{alu(1), lds(2)};
  k.warps(5);
  const Outcome o = run(dual_gpu(), k);
  CHECK(o.cycles(0) == Cycles{0, 0});
  CHECK(o.cycles(4) == Cycles{2, 2});  // the ALU takes one in 2 cycles
}

}  // namespace
}  // namespace heddle::simtest
