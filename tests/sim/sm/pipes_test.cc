// Issue intervals of the pipes: ALU 2, each FMA half 2, FP64 4, XU 8, uniform 2; tensor by its rate.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

Cycles issue_cycles(std::initializer_list<Op> ops) {
  Kernel k(ops);
  return run(test_gpu(), k).cycles(0);
}

TEST_CASE("a pipe takes an instruction every `interval` cycles") {
  CHECK(issue_cycles({alu(), alu(), alu()}) == Cycles{0, 2, 4});
  CHECK(issue_cycles({imad(), imad(), imad()}) == Cycles{0, 2, 4});
  CHECK(issue_cycles({dfma(), dfma(), dfma()}) == Cycles{0, 4, 8});
  CHECK(issue_cycles({mufu(), mufu(), mufu()}) == Cycles{0, 8, 16});
  Op u = make(OpClass::kUniform, "UIADD3");
  CHECK(issue_cycles({u, u, u}) == Cycles{0, 2, 4});
  Op b = bra();
  CHECK(issue_cycles({b, b, b}) == Cycles{0, 1, 2});
}

TEST_CASE("pairs of FP32 take the half for two cycles, exponentials what other functions take, unless told") {
  spec::GpuConfig silent = test_gpu();  // about these two
  auto& ops = *silent.mutable_sm()->mutable_op();
  ops.erase(std::remove_if(ops.begin(), ops.end(),
                           [](const auto& o) { return o.op() == "fp32x2" || o.op() == "mufu_exp"; }),
            ops.end());
  REQUIRE(static_cast<int>(ops.size()) + 2 == test_gpu().sm().op_size());
  const Op pair = make(OpClass::kFp32x2, "FFMA2", 1);
  Kernel pairs({pair, pair, pair});
  CHECK(run(silent, pairs).cycles(0) == Cycles{0, 2, 4});
  const Op exponential = make(OpClass::kMufuExp, "MUFU.EX2", 1);
  Kernel exponentials({exponential, exponential, mufu()});
  CHECK(run(silent, exponentials).cycles(0) == Cycles{0, 8, 16});
  spec::GpuConfig g = test_gpu();
  for (spec::OpTiming& o : *g.mutable_sm()->mutable_op()) {
    if (o.op() == "mufu_exp") {
      o.set_interval(4);
    }
  }
  Kernel k({exponential, exponential, mufu(), exponential});
  CHECK(run(g, k).cycles(0) == Cycles{0, 4, 8, 16});
}

TEST_CASE("FP32 sums of the tensor cores may take longer than FP16 sums") {
  spec::GpuConfig g = test_gpu();
  g.mutable_sm()->mutable_tensor()->set_mma_f32_sum_factor(2);
  Op wide = hmma(2048, 16), narrow = hmma(2048, 16);
  wide.in.mma_acc_bits = 32;
  narrow.in.mma_acc_bits = 16;
  Kernel k({narrow, narrow, wide, wide});
  CHECK(run(g, k).cycles(0) == Cycles{0, 8, 16, 32});
}

TEST_CASE("a pipe with a queue takes some instructions ahead") {
  spec::GpuConfig g = test_gpu();
  for (auto& p : *g.mutable_sm()->mutable_pipe()) {
    if (p.pipe() == "xu") {
      p.set_queue(2);
      p.set_queue_latency(5);
    }
  }
  // Two enter at once. The first is worked on from 5 to 13, then the third enters; from there one in 8
  // cycles.
  Kernel k;
  k.add(mufu(), 5);
  Outcome o = run(g, k);
  CHECK(o.cycles(0) == Cycles{0, 1, 13, 21, 29});
  CHECK(o[stats::Stall::kMioThrottle] == 11 + 7 + 7);
  // The second is worked on from 13, so its result comes 20 cycles after 8, and wakes the warp one cycle
  // later.
  Kernel chain{mufu(), mufu().writes_barrier(0), nop().waits(0b1)};
  CHECK(run(g, chain).cycles(0) == Cycles{0, 1, 29});
}

TEST_CASE("sub-cores have queues of their own to a pipe that they share") {
  spec::GpuConfig g = test_gpu();
  for (auto& p : *g.mutable_sm()->mutable_pipe()) {
    if (p.pipe() == "adu") {
      p.set_interval(2);
      p.set_queue(2);
      p.set_queue_latency(6);
    }
  }
  Kernel k({make(OpClass::kS2ur, "S2UR"), make(OpClass::kS2ur, "S2UR"), make(OpClass::kS2ur, "S2UR")});
  k.warps(2);
  Outcome o = run(g, k);
  // One pipe: the four that enter at first are done at 8, 10, 12, 14; each leaves room in its own sub-core's
  // queue.
  Cycles third{o.cycles(0)[2] - o.cycles(0)[0], o.cycles(1)[2] - o.cycles(1)[0]};
  std::sort(third.begin(), third.end());
  CHECK(third == Cycles{8, 10});
}

TEST_CASE("an instruction class may have an interval of its own") {
  Op f2f = make(OpClass::kConvert64, "F2F.F64.F32");
  CHECK(issue_cycles({f2f, f2f, mufu(), mufu()}) == Cycles{0, 16, 32, 40});
}

TEST_CASE("an instruction class may hold its warp beyond the stall count") {
  spec::GpuConfig g = test_gpu();
  for (auto& o : *g.mutable_sm()->mutable_op()) {
    if (o.op() == "imad_wide") {
      o.set_extra_stall(1);
    }
  }
  Kernel k{make(OpClass::kImadWide, "IMAD.WIDE").stall(3), nop(), nop()};
  CHECK(run(g, k).cycles(0) == Cycles{0, 4, 5});
}

TEST_CASE("a pipe or a class that the configuration misspells is an error that names it") {
  spec::GpuConfig g = test_gpu();
  g.mutable_sm()->mutable_op(0)->set_op("no such class");
  Kernel k{nop()};
  CHECK_THROWS_WITH(run(g, k), Catch::Contains("no such class"));
  g = test_gpu();
  g.mutable_sm()->mutable_op(0)->set_pipe("no such pipe");
  CHECK_THROWS_WITH(run(g, k), Catch::Contains("no such pipe"));
}

TEST_CASE("different pipes do not hold each other up") {
  CHECK(issue_cycles({alu(), imad(), alu(), imad(), alu()}) == Cycles{0, 1, 2, 3, 4});
  CHECK(issue_cycles({mufu(), dfma(), alu(), imad(), mufu()}) == Cycles{0, 1, 2, 3, 8});
}

TEST_CASE("FP32 uses both halves of the FMA pipe: one a cycle") {
  Kernel k;
  k.add(ffma(), 6);
  Outcome o = run(test_gpu(), k);
  CHECK(o.cycles(0) == Cycles{0, 1, 2, 3, 4, 5});
  CHECK(o[Counter::kPipeFma] == 6);
  CHECK(o[Counter::kPipeFmaLite] == 3);
  CHECK(o[Counter::kPipeFmaHeavy] == 3);
}

TEST_CASE("integer multiplication keeps the heavy half, FP32 beside it takes the light one") {
  Kernel k{imad(), ffma(), imad(), ffma(), imad(), ffma()};
  Outcome o = run(test_gpu(), k);
  CHECK(o.cycles(0) == Cycles{0, 1, 2, 3, 4, 5});
  CHECK(o[Counter::kPipeFmaHeavy] == 3);
  CHECK(o[Counter::kPipeFmaLite] == 3);
  // An IMAD behind two FFMAs finds the heavy half taken by the second.
  CHECK(issue_cycles({ffma(), ffma(), imad()}) == Cycles{0, 1, 3});
}

TEST_CASE("packed half arithmetic on the pipe fp16 takes both halves of FMA") {
  spec::GpuConfig g = test_gpu();
  for (auto& o : *g.mutable_sm()->mutable_op()) {
    if (o.op() == "half") {
      o.set_pipe("fp16");
      o.set_counted_pipe("fma");
      o.set_interval(2);
    }
  }
  Op hfma = make(OpClass::kHalf, "HFMA2");
  Kernel k{ffma(), hfma, ffma(), hfma, hfma};
  Outcome o = run(g, k);
  // FFMA holds one half for 2 cycles, HFMA2 both.
  CHECK(o.cycles(0) == Cycles{0, 2, 4, 6, 8});
  CHECK(o[Counter::kPipeFma] == 5);
  CHECK(o[Counter::kPipeFmaHeavy] + o[Counter::kPipeFmaLite] == 2 + 2 * 3);
  CHECK(o[Counter::kPipeFp16] == 3);
  CHECK(o[stats::Stall::kMathPipeThrottle] == 4);
}

TEST_CASE("packed half arithmetic counts as FP16 on the FMA pipe") {
  Kernel k;
  k.add(make(OpClass::kHalf, "HFMA2"), 4);
  Outcome o = run(test_gpu(), k);
  CHECK(o.cycles(0) == Cycles{0, 1, 2, 3});
  CHECK(o[Counter::kPipeFp16] == 4);
  CHECK(o[Counter::kPipeFma] == 4);
}

TEST_CASE("warps of one sub-core share its pipes, sub-cores do not") {
  Kernel k;
  k.add(dfma(), 2);
  k.warps(5);
  Outcome o = run(test_gpu(), k);
  for (uint32_t warp : {1u, 2u, 3u}) {
    CHECK(o.cycles(warp) == Cycles{0, 4});
  }
  Cycles both = o.cycles(0);
  for (Cycle c : o.cycles(4)) {
    both.push_back(c);
  }
  std::sort(both.begin(), both.end());
  CHECK(both == Cycles{0, 4, 8, 12});
}

TEST_CASE("a pipe that the SM shares takes one instruction from all sub-cores together") {
  Kernel k{make(OpClass::kS2ur, "S2UR")};
  k.warps(4);
  CHECK(run(test_gpu(), k).cycles_of(0) == Cycles{0, 1, 2, 3});
  spec::GpuConfig g = test_gpu();
  for (auto& p : *g.mutable_sm()->mutable_pipe()) {
    if (p.pipe() == "adu") {
      p.set_interval(3);
    }
  }
  CHECK(run(g, k).cycles_of(0) == Cycles{0, 3, 6, 9});
}

TEST_CASE("tensor instructions hold the array for M x N x K x bits / rate cycles") {
  // m16n8k16 of 16 bits: 2048 x 16 / 4096 = 8. Result 10 cycles after the array.
  Op mma = hmma(16 * 8 * 16, 16);
  Kernel k{mma, mma, Op(mma).writes_barrier(0), nop().waits(0b1)};
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 8, 16, 16 + 8 + 10 + 1});
}

TEST_CASE("the time in the array is rounded to the nearest cycle and at least one") {
  CHECK(issue_cycles({hmma(16 * 8 * 8, 16), nop(), hmma(16 * 8 * 8, 16)}) == Cycles{0, 1, 4});
  CHECK(issue_cycles({hmma(5 * 256, 16), hmma(1, 16)}) == Cycles{0, 5});
  CHECK(issue_cycles({hmma(5 * 256 + 127, 16), hmma(1, 16)}) == Cycles{0, 5});
  CHECK(issue_cycles({hmma(5 * 256 + 128, 16), hmma(1, 16)}) == Cycles{0, 6});
  CHECK(issue_cycles({hmma(1, 16), hmma(1, 16)}) == Cycles{0, 1});
}

TEST_CASE("an overhead per instruction, and a latency that grows with the time in the array") {
  spec::GpuConfig g = test_gpu();
  g.mutable_sm()->mutable_tensor()->set_mma_overhead(2);
  g.mutable_sm()->mutable_tensor()->set_mma_latency_factor(2);
  Op mma = hmma(2048, 16);  // 8 cycles
  Kernel k{mma, Op(mma).writes_barrier(0), nop().waits(0b1)};
  CHECK(run(g, k).cycles(0) == Cycles{0, 10, 10 + 10 + 2 * 8 + 1});
}

TEST_CASE("integer and FP64 matrix instructions") {
  Op imma = hmma(16 * 8 * 32, 8);
  imma.in.op = OpClass::kImma;
  CHECK(issue_cycles({imma, imma}) == Cycles{0, 8});
  // m8n8k4 of 64 bits: 256 x 64 / 1024 = 16, and 20 more to the result.
  Op dmma = hmma(8 * 8 * 4, 64);
  dmma.in.op = OpClass::kDmma;
  CHECK(issue_cycles({Op(dmma).writes_barrier(0), Op(dmma).writes_barrier(1), nop().waits(0b01),
                      nop().waits(0b10)}) == Cycles{0, 16, 37, 53});
}

TEST_CASE("FP64 matrix instructions have an overhead and a latency factor of their own") {
  spec::GpuConfig g = test_gpu();
  g.mutable_sm()->mutable_tensor()->set_mma_overhead(7);
  g.mutable_sm()->mutable_tensor()->set_dmma_overhead(3);
  g.mutable_sm()->mutable_tensor()->set_dmma_latency_factor(1.5);
  Op dmma = hmma(8 * 8 * 4, 64);  // 16 cycles
  dmma.in.op = OpClass::kDmma;
  Kernel k{dmma, Op(dmma).writes_barrier(0), nop().waits(0b1)};
  CHECK(run(g, k).cycles(0) == Cycles{0, 19, 19 + 20 + 24 + 1});
}

TEST_CASE("every instruction counts in its pipe") {
  Kernel k{alu(),         ffma(),
           dfma(),        mufu(),
           hmma(256, 16), make(OpClass::kUniform, "UIADD3"),
           exit_op(),     make(OpClass::kS2ur, "S2UR"),
           lds(1),        make(OpClass::kShuffle, "SHFL"),
           nop()};
  k.stream(0, {{0}, {1}, {2}, {3}, {4}, {5}, {7}, {8}, {9}, {10}, {6}});
  Outcome o = run(test_gpu(), k);
  for (Counter c : {Counter::kPipeAlu, Counter::kPipeFma, Counter::kPipeFp64, Counter::kPipeXu,
                    Counter::kPipeTensor, Counter::kPipeUniform, Counter::kPipeCbu, Counter::kPipeAdu}) {
    CHECK(o[c] == 1);
  }
  CHECK(o[Counter::kPipeLsu] == 2);
  CHECK(o[Counter::kInstExecuted] == 11);
}

TEST_CASE("an instruction may count in another pipe than the one that delays it, or in none") {
  Op umov = make(OpClass::kUniformMove, "UMOV"), wait = make(OpClass::kNop, "ERRBAR");
  Kernel k{umov, umov, bra(), make(OpClass::kVoteUniform, "VOTEU"), wait};
  Outcome o = run(test_gpu(), k);
  CHECK(o.cycles(0) == Cycles{0, 2, 3, 4, 5});
  for (Counter c : {Counter::kPipeUniform, Counter::kPipeCbu, Counter::kPipeAlu, Counter::kPipeLsu}) {
    CHECK(o[c] == 0);
  }
}

TEST_CASE("fences and CCTL pass through the LSU; a fence beyond the block is also seen by the texture pipe") {
  Op cta = make(OpClass::kMembar, "MEMBAR.ALL.CTA").flags(isa::kFlagScopeCta);
  Kernel k{cta, make(OpClass::kMembar, "MEMBAR.ALL.GPU"), make(OpClass::kErrbar, "CGAERRBAR"),
           make(OpClass::kCctl, "CCTL.IVALL"), make(OpClass::kRedux, "REDUX.SUM")};
  Outcome o = run(test_gpu(), k);
  CHECK(o[Counter::kPipeLsu] == 3);
  CHECK(o[Counter::kPipeTex] == 1);
  CHECK(o[Counter::kPipeAdu] == 2);
  CHECK(o[Counter::kSharedMiscWavefronts] == 3);
}

TEST_CASE("special registers: what differs from lane to lane comes from the LSU, the rest from the ADU") {
  Kernel k{make(OpClass::kS2RThread, "S2R", 1), make(OpClass::kS2R, "S2R", 2), make(OpClass::kS2R, "S2R", 3)};
  Outcome o = run(test_gpu(), k);
  CHECK(o[Counter::kPipeLsu] == 1);
  CHECK(o[Counter::kPipeAdu] == 2);
  CHECK(o[Counter::kSharedMiscWavefronts] == 1);
}

}  // namespace
}  // namespace heddle::simtest
