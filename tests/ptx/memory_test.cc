// Loads, stores, atomics, asynchronous copies, barriers (ptx.md 2.7, 2.8, 2.10 to 2.12).
#include <catch2/catch.hpp>

#include "tests/ptx/ptx_case.h"

namespace heddle::ptx::test {

TEST_CASE("loads and stores: fields and addresses", "[ptx]") {
  const auto ld = one("ld.global.cs.v4.f32 {%f1, %f2, _, %f4}, [%rd1 + -16];");
  CHECK(ld.op->cache == CacheOp::kCs);
  CHECK(ld.operand(1).kind == OperandKind::kAddress);
  CHECK(ld.operand(1).base == Base::kRegister);
  CHECK(ld.operand(1).value == -16);
  CHECK(ld.function->elements(ld.operand(0))[2].kind == OperandKind::kSink);
  const auto param = one("ld.param.u64 %rd1, [pa+4];");
  CHECK(param.operand(1).base == Base::kVariable);
  CHECK(param.module->variables[param.operand(1).id].name == "pa");
  CHECK(param.operand(1).value == 4);
  CHECK(one("ld.u32 %r1, [0x1000];").operand(1).base == Base::kAbsolute);
  CHECK(one("ld.shared.u32 %r1, sm[8];").operand(1).value == 8);
  CHECK(one("ld.volatile.global.u8 %r1, [%rd1];").op->semantics == Semantics::kVolatile);
  const auto acquire = one("ld.acquire.cluster.shared::cluster.b32 %r1, [%r2];");
  CHECK(acquire.op->semantics == Semantics::kAcquire);
  CHECK(acquire.op->scope == Scope::kCluster);
  CHECK(acquire.op->space == Space::kSharedCluster);
  CHECK(one("ld.mmio.relaxed.sys.global.u32 %r1, [%rd1];").op->has(Flag::kMmio));
  const auto hint = one("st.global.L1::evict_last.L2::cache_hint.b64 [%rd1], %rd2, %rd3;");
  CHECK(hint.op->l1 == Evict::kLast);
  CHECK(hint.name(2) == "%rd3");
  CHECK(one("ld.global.b128 %rq1, [%rd1].unified;").op->type() == Type::kB128);
  CHECK(one("st.weak.global.wt.u8 [%rd1], %r1;").op->cache == CacheOp::kWt);
  CHECK(one("ldu.global.f32 %f1, [gl];").op->opcode == Opcode::kLdu);
  CHECK(error_of("ld.global.u32 %rs1, [%rd1];") ==
        "15: '%rs1' is of type .b16 (legal: a register that holds .u32, or a wider one)");
  CHECK(error_of("ld.global.v2.u32 {%r1}, [%rd1];") == "18: a list of 1 (legal: 2 for 'ld.global.v2.u32')");
  CHECK(error_of("ld.global.u32 %r1, %rd1;") ==
        "20: an address in brackets is needed (legal: [register], [register + number], [variable])");
  CHECK(error_of("ld.global.u32 %r1, [%f1];") ==
        "21: '%f1' of type .f32 as an address (legal: an integer register of 32 or 64 bits)");
  CHECK(error_of("ld.global.u32 %r1, [sm];") ==
        "21: 'sm' is a .shared variable (legal: for 'ld.global.u32' one of .global)");
  CHECK(error_of("ld.global.u32 %r1, [%r99];") == "21: unknown name '%r99' (legal: %r0 to %r31)");
  CHECK(error_of("ld.global.v4.f64 {%fd1,%fd2,%fd3,%fd4}, [%rd1];") ==
        "1: 'ld.global.v4.f64' moves 32 bytes (legal: up to 16, from sm_100 32)");
  CHECK(error_of("st.const.u32 [cn], %r1;").find("3: '.const' is no modifier of 'st' (legal: .weak") == 0);
  CHECK(error_of("ld.shared.ca.L1::evict_last.u32 %r1, [%r2];").find("'.L1::evict_last' is no modifier") !=
        std::string::npos);
}

TEST_CASE("addresses: conversions, windows, hints", "[ptx]") {
  CHECK(one("cvta.to.global.u64 %rd1, %rd2;").op->has(Flag::kTo));
  CHECK(one("cvta.shared.u64 %rd1, sm;").operand(1).kind == OperandKind::kVariable);
  CHECK(one("cvta.param.u64 %rd1, pa;").op->space == Space::kParam);
  CHECK(one("isspacep.shared::cluster %p1, %rd1;").op->space == Space::kSharedCluster);
  CHECK(one("mapa.shared::cluster.u32 %r1, %r2, %r3;").op->opcode == Opcode::kMapa);
  CHECK(one("getctarank.u64 %r1, %rd2;").op->type() == Type::kU64);
  CHECK(one("prefetch.global.L2 [%rd1];").op->mode == Mode::kLevel2);
  CHECK(one("prefetch.param.tensormap [pa];").op->has(Flag::kTensormap));
  CHECK(one("prefetchu.L1 [%rd1];").op->opcode == Opcode::kPrefetchu);
  CHECK(one("applypriority.global.L2::evict_normal [%rd1], 128;").op->l2 == Evict::kNormal);
  CHECK(one("discard.global.L2 [%rd1], 128;").operand(1).value == 128);
  const auto policy = one("createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd1, 0.5;");
  CHECK(policy.op->l2 == Evict::kLast);
  CHECK(policy.op->l2_secondary == Evict::kUnchanged);
  CHECK(policy.operand(1).value == 0x3f000000);
  CHECK(one("createpolicy.range.L2::evict_first.b64 %rd1, [%rd2], 1, 2;").op->opcode ==
        Opcode::kCreatepolicyRange);
  CHECK(one("createpolicy.cvt.L2.b64 %rd1, 3;").op->opcode == Opcode::kCreatepolicyCvt);
}

TEST_CASE("atomics", "[ptx]") {
  const auto cas = one("atom.acq_rel.sys.global.cas.b64 %rd1, [%rd2], %rd3, 5;");
  CHECK(cas.op->combine == Combine::kCas);
  CHECK(cas.op->scope == Scope::kSys);
  CHECK(cas.operand(3).value == 5);
  CHECK(one("atom.shared.inc.u32 _, [sm], 7;").operand(0).kind == OperandKind::kSink);
  CHECK(one("atom.global.v4.f32.add {%f1,%f2,%f3,%f4}, [%rd1], {%f5,%f6,%f7,%f8};").op->vector == 4);
  CHECK(one("atom.add.noftz.bf16x2 %r1, [%rd1], %r2;").op->has(Flag::kNoftz));
  CHECK(one("red.relaxed.gpu.global.add.f64 [%rd1], %fd1;").op->opcode == Opcode::kRed);
  CHECK(
      one("red.async.relaxed.cluster.mbarrier::complete_tx::bytes.shared::cluster.min.s32 [%r1], %r2, [%r3];")
          .op->has(Flag::kCompleteTx));
  CHECK(one("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r1], {%r2, %r3}, [%r4];")
            .op->vector == 2);
  CHECK(one("multimem.ld_reduce.relaxed.gpu.global.add.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];").op->vector == 4);
  CHECK(error_of("atom.global.add.s64 %rd1, [%rd2], %rd3;")
            .find("'.s64' is no modifier of 'atom.global.add'") != std::string::npos);
  CHECK(error_of("atom.shared.add.L2::cache_hint.u32 %r1, [sm], %r2, %rd1;") ==
        "1: 'atom.shared.add.L2::cache_hint.u32': .L2::cache_hint in shared memory (legal: of .global and "
        "generic addresses)");
}

TEST_CASE("asynchronous copies", "[ptx]") {
  const auto plain = one("cp.async.cg.shared.global.L2::128B [%r1], [%rd1], 16, %r2;");
  CHECK(plain.op->cache == CacheOp::kCg);
  CHECK(plain.op->source_space == Space::kGlobal);
  CHECK(plain.operand(3).kind == OperandKind::kRegister);
  CHECK(one("cp.async.ca.shared::cta.global [%r1], [%rd1], 4;").operand(3).kind == OperandKind::kNone);
  CHECK(one("cp.async.ca.shared.global [%r1], [%rd1], 4, !%p1;").operand(3).negated);
  CHECK(one("cp.async.cg.shared.global.L2::cache_hint [%r1], [%rd1], 16, %rd2;").name(3) == "%rd2");
  CHECK(one("cp.async.wait_group 2;").operand(0).value == 2);
  CHECK(one("cp.async.mbarrier.arrive.noinc.shared.b64 [%r1];").op->has(Flag::kNoinc));
  const auto bulk =
      one("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_"
          "hint [%r1], [%rd1], "
          "%r2, [%r3], %rs1, %rd2;");
  CHECK(bulk.op->space == Space::kSharedCluster);
  CHECK(bulk.name(4) == "%rs1");
  CHECK(bulk.name(5) == "%rd2");
  CHECK(one("cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 64;").op->has(Flag::kBulkGroup));
  CHECK(one("cp.async.bulk.wait_group.read 0;").op->has(Flag::kRead));
  CHECK(one("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [%rd1], [%r1], 64;")
            .op->combine == Combine::kAdd);
  const auto tensor =
      one("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, "
          "{%r2, %r3, 0}], "
          "[%r4];");
  CHECK(tensor.op->geometry == Geometry::k3d);
  CHECK(tensor.function->elements(tensor.operand(2)).size() == 3);
  CHECK(one("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r1], "
            "[%rd1, {%r2, %r3, "
            "%r4, %r5}], [%r6], {%rs1, %rs2};")
            .op->mode == Mode::kIm2col);
  CHECK(one("cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd1, {%r1}], [%r2];").operand(1).kind ==
        OperandKind::kRegister);
  CHECK(one("tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 2, %r1;").op->mode == Mode::kBoxDim);
  CHECK(one("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], "
            "[%r1], 128;")
            .op->has(Flag::kTensormapGeneric));
  CHECK(error_of("cp.async.shared.global [%r1], [%rd1], 16;") ==
        "23: 'cp.async.shared.global' lacks a modifier (legal: .ca, .cg)");
  CHECK(error_of("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r1}], [%r2];") ==
        "62: a list of 1 (legal: 2 for 'cp.async.bulk.tensor.2d.global.shared::cta.bulk_group')");
}

TEST_CASE("mbarriers", "[ptx]") {
  CHECK(one("mbarrier.init.shared.b64 [%r1], 32;").operand(1).value == 32);
  CHECK(one("mbarrier.arrive.shared.b64 %rd1, [%r1];").operand(0).kind == OperandKind::kRegister);
  CHECK(one("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1], %r2;").op->scope ==
        Scope::kCluster);
  CHECK(one("mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 128;").op->has(Flag::kExpectTx));
  CHECK(one("mbarrier.arrive.release.cta.expect_tx.shared::cta.b64 %rd1, [%r1], 128;")
            .op->has(Flag::kExpectTx));
  CHECK(one("mbarrier.arrive_drop.noComplete.shared.b64 %rd1, [%r1], 2;").op->has(Flag::kNoComplete));
  CHECK(one("mbarrier.try_wait.parity.shared.b64 %p1, [%r1], %r2, 1000;").operand(3).value == 1000);
  CHECK(one("mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1;").op->opcode == Opcode::kMbarrierTestWait);
  CHECK(one("mbarrier.pending_count.b64 %r1, %rd1;").op->opcode == Opcode::kMbarrierPendingCount);
  CHECK(error_of("mbarrier.arrive.expect_tx.shared.b64 _, [%r1];") ==
        "1: wrong operands of 'mbarrier.arrive.expect_tx.shared.b64' (legal: d, [address], source)");
}

TEST_CASE("barriers, fences, warp operations", "[ptx]") {
  CHECK(one("bar.sync 0;").operand(1).kind == OperandKind::kNone);
  CHECK(one("bar.cta.sync %r1, 64;").op->opcode == Opcode::kBarSync);
  CHECK(one("barrier.sync.aligned 1, %r2;").op->has(Flag::kAligned));
  CHECK(one("bar.arrive 1, 64;").op->opcode == Opcode::kBarArrive);
  CHECK(one("bar.red.popc.u32 %r1, 2, !%p1;").operand(2).negated);
  CHECK(one("barrier.red.and.pred %p1, 2, 64, %p2;").op->combine == Combine::kAnd);
  CHECK(one("bar.warp.sync 0xffffffff;").operand(0).value == 0xffffffff);
  CHECK(one("barrier.cluster.arrive.relaxed.aligned;").op->semantics == Semantics::kRelaxed);
  CHECK(one("barrier.cluster.wait.acquire;").op->semantics == Semantics::kAcquire);
  CHECK(one("membar.gl;").op->scope == Scope::kGpu);
  CHECK(one("fence.sc.cluster;").op->semantics == Semantics::kSc);
  CHECK(one("fence.acq_rel.gpu;").op->scope == Scope::kGpu);
  CHECK(one("fence.proxy.async.shared::cta;").op->mode == Mode::kAsync);
  CHECK(one("fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;").op->has(Flag::kTensormapGeneric));
  CHECK(one("fence.mbarrier_init.release.cluster;").op->opcode == Opcode::kFenceMbarrierInit);
  const auto shfl = one("shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 0x1f, -1;");
  CHECK(shfl.op->mode == Mode::kBfly);
  CHECK(shfl.name(1) == "%p1");
  CHECK(shfl.operand(5).value == 0xffffffff);
  CHECK(one("vote.sync.ballot.b32 %r1, !%p1, -1;").op->mode == Mode::kBallot);
  CHECK(one("match.all.sync.b64 %r1|%p1, %rd1, -1;").op->mode == Mode::kAll);
  CHECK(one("redux.sync.xor.b32 %r1, %r2, -1;").op->combine == Combine::kXor);
  CHECK(one("activemask.b32 %r1;").op->opcode == Opcode::kActivemask);
  CHECK(one("elect.sync _|%p1, -1;").name(1) == "%p1");
  CHECK(one("griddepcontrol.wait;").op->mode == Mode::kWait);
  CHECK(one("nanosleep.u32 100;").operand(0).value == 100);
  CHECK(one("setmaxnreg.inc.sync.aligned.u32 240;").op->mode == Mode::kIncrease);
  CHECK(one("alloca.u64 %rd1, %rd2, 16;").operand(2).value == 16);
  CHECK(one("stackrestore.u64 %rd1;").op->opcode == Opcode::kStackrestore);
  CHECK(one("pmevent.mask 3;").op->has(Flag::kMask));
  CHECK(error_of("shfl.bfly.b32 %r1, %r2, 1, 31;") ==
        "1: 'shfl.bfly.b32' lacks .sync (legal: .sync and a mask from sm_70 and .version 6.4)");
  CHECK(error_of("shfl.bfly.b32 %r1, %r2, 1, 31;", "6.0", "sm_60").empty());
  CHECK(error_of("bar.sync;") == "1: wrong operands of 'bar.sync' (legal: source, {source})");
  CHECK(error_of("elect.sync %r1, -1;") == "1: wrong operands of 'elect.sync' (legal: d|p, source)");
}

}  // namespace heddle::ptx::test
