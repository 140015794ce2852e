// Matrix instructions, textures and surfaces, video instructions (ptx.md 2.13, 4).
#include <catch2/catch.hpp>

#include "tests/ptx/ptx_case.h"

namespace heddle::ptx::test {

TEST_CASE("matrices: fields and fragments", "[ptx]") {
  const auto ld = one("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r1,%r2,%r3,%r4}, [%r5];");
  CHECK(int{ld.op->number} == 4);
  CHECK(ld.op->has(Flag::kTrans));
  CHECK(ld.op->shape == Shape{8, 8, 0});
  CHECK(one("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r5];").operand(0).kind ==
        OperandKind::kRegister);
  CHECK(one("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r5], {%r1,%r2};").op->opcode == Opcode::kStmatrix);
  CHECK(one("movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;").op->opcode == Opcode::kMovmatrix);
  const auto mma = one(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, "
      "{%f1,%f2,%f3,%f4};");
  CHECK(mma.op->shape == Shape{16, 8, 16});
  CHECK(mma.op->layout_a == Layout::kRow);
  CHECK(mma.op->layout_b == Layout::kCol);
  CHECK(mma.op->types == std::array<Type, 4>{Type::kF32, Type::kBf16, Type::kBf16, Type::kF32});
  CHECK(one("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32 {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, "
            "{%r5,%r6}, "
            "{%r1,%r2,%r3,%r4};")
            .op->has(Flag::kSatfinite));
  CHECK(one("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, "
            "{%r5,%r6}, "
            "{%r1,%r2,%r3,%r4};")
            .op->combine == Combine::kAnd);
  CHECK(one("mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1,%r2}, {%r3,%r4}, "
            "{%r5,%r6}, "
            "{%r7,%r8}, %r9, 0x0;",
            "9.0", "sm_90a")
            .op->opcode == Opcode::kMmaSp);
  CHECK(one("wmma.load.a.sync.aligned.m16n16k16.shared.row.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%r9], 16;")
            .op->opcode == Opcode::kWmmaLoadA);
  CHECK(one("wmma.store.d.sync.aligned.col.m16n16k16.global.f32 [%rd1], {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8};")
            .operand(2)
            .kind == OperandKind::kNone);
  const auto wgmma = one(
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %rd1, %rd2, %p1, 1, -1, 0, 1;");
  CHECK(wgmma.op->shape == Shape{64, 8, 16});
  CHECK(static_cast<int32_t>(wgmma.operand(5).value) == -1);
  CHECK(one("wgmma.mma_async.sync.aligned.m64n16k32.s32.s8.u8 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, "
            "{%r1,%r2,%r3,%r4}, %rd2, "
            "%p1;")
            .op->types[2] == Type::kU8);
  CHECK(
      one("wgmma.mma_async.sync.aligned.m64n16k16.f16.f16.f16 {%r1,%r2,%r3,%r4}, %rd1, %rd2, 1, 1, 1, 0, 0;")
          .operand(3)
          .value == 1);
  CHECK(one("wgmma.wait_group.sync.aligned 1;").operand(0).value == 1);
  CHECK(error_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, "
                 "{%f1,%f2,%f3,%f4};") ==
        "51: a list of 2 (legal: 4 for 'mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32')");
  CHECK(error_of("mma.sync.aligned.m16n8k16.col.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r5}, {%f1};")
            .find("'.col' is no modifier of 'mma.sync.aligned.m16n8k16.col'") != std::string::npos);
  CHECK(error_of("wgmma.mma_async.sync.aligned.m64n9k16.f32.f16.f16 {%f1}, %rd1, %rd2, %p1, 1, 1, 0, 0;")
            .find("'.m64n9k16' is no modifier") != std::string::npos);
  CHECK(error_of("wmma.mma.sync.row.col.m16n16k16.f32.f32 {%f1}, {%r1}, {%r1}, {%f1};")
            .find("lacks .aligned") != std::string::npos);
}

TEST_CASE("textures and surfaces", "[ptx]") {
  const auto tex = one("tex.2d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r1, %r2}];");
  CHECK(tex.op->geometry == Geometry::k2d);
  CHECK(tex.name(2) == "%rd1");
  CHECK(one("tex.1d.v4.u32.s32 {%r1,%r2,%r3,%r4}|%p1, [tx, {%r5}];").name(1) == "%p1");
  CHECK(one("tex.level.a2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%r1, %f1, %f2, %f2}], %f5;").op->mode ==
        Mode::kLevel);
  CHECK(
      one("tex.grad.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1, %f2}], {%f3, %f4}, {%f5, %f6};").op->mode ==
      Mode::kGrad);
  CHECK(one("tld4.g.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1, %f2}];").op->channel == Channel::kG);
  CHECK(one("txq.width.b32 %r1, [%rd1];").op->mode == Mode::kWidth);
  CHECK(one("suld.b.2d.v2.b32.trap {%r1, %r2}, [%rd1, {%r3, %r4}];").op->mode == Mode::kTrap);
  CHECK(one("sust.b.1d.b64.zero [%rd1, {%r3}], %rd2;").op->mode == Mode::kZero);
  CHECK(one("sured.b.min.2d.u64.clamp [%rd1, {%r3, %r4}], %rd2;").op->combine == Combine::kMin);
  CHECK(one("istypep.texref %p1, %rd1;").op->type() == Type::kTexref);
  CHECK(error_of("tex.2d.v4.f32.s32 {%f1,%f2,%f3}, [%rd1, {%r1, %r2}];") ==
        "19: a list of 3 (legal: 4 for 'tex.2d.v4.f32.s32')");
}

TEST_CASE("video instructions: parts of registers", "[ptx]") {
  const auto v = one("vadd.s32.u32.s32.sat.min %r1, %r2.b3, -%r3.h1, %r4;");
  CHECK(v.op->combine == Combine::kMin);
  REQUIRE(v.operand(1).selected);
  CHECK_FALSE(selection(v.operand(1)).halves);
  CHECK(int{selection(v.operand(1)).index[0]} == 3);
  CHECK(selection(v.operand(2)).halves);
  CHECK(v.operand(2).negated);
  const auto four = one("vabsdiff4.u32.u32.u32.add %r1, %r2.b7610, %r3, %r4;");
  CHECK(int{selection(four.operand(1)).count} == 4);
  CHECK(int{selection(four.operand(1)).index[1]} == 6);
  CHECK(one("vset.u32.u32.lt %r1, %r2, %r3;").op->compare == Compare::kLt);
  CHECK(one("vmad.u32.u32.u32.shr7 %r1, %r2.h0, %r3.h0, -%r4;").op->mode == Mode::kShr7);
  CHECK(one("vshl.u32.u32.u32.clamp %r1, %r2, %r3;").op->mode == Mode::kClamp);
  CHECK(error_of("vadd.s32.u32.s32 %r1, %r2.q3, %r3;").find("23: unknown name '%r2.q3'") == 0);
}

}  // namespace heddle::ptx::test
