// Integer, floating point, comparison and conversion instructions (ptx.md 2.1 to 2.5, 2.9).
#include <catch2/catch.hpp>

#include "tests/ptx/ptx_case.h"

namespace heddle::ptx::test {

TEST_CASE("integer: fields", "[ptx]") {
  CHECK(one("add.sat.s32 %r1, %r2, -1;").op->has(Flag::kSat));
  CHECK(one("add.cc.u32 %r1, %r2, %r3;").op->has(Flag::kCc));
  CHECK(one("addc.u64 %rd1, %rd2, %rd3;").op->opcode == Opcode::kAddc);
  CHECK(one("mul.hi.u64 %rd1, %rd2, %rd3;").op->part == Part::kHi);
  CHECK(one("mul.wide.u16 %r1, %rs2, %rs3;").op->part == Part::kWide);
  CHECK(one("mad.wide.s32 %rd1, %r2, %r3, %rd4;").op->type() == Type::kS32);
  CHECK(one("mad.hi.sat.s32 %r1, %r2, %r3, %r4;").op->has(Flag::kSat));
  CHECK(one("madc.hi.cc.u32 %r1, %r2, %r3, %r4;").op->opcode == Opcode::kMadc);
  CHECK(one("mul24.lo.s32 %r1, %r2, %r3;").op->opcode == Opcode::kMul24);
  CHECK(one("sad.u16 %rs1, %rs2, %rs3, %rs4;").op->type() == Type::kU16);
  CHECK(one("max.relu.s16x2 %r1, %r2, %r3;").op->has(Flag::kRelu));
  CHECK(one("bfind.shiftamt.s64 %r1, %rd2;").op->has(Flag::kShiftamt));
  CHECK(one("fns.b32 %r1, %r2, %r3, %r4;").op->opcode == Opcode::kFns);
  CHECK(one("bfe.s64 %rd1, %rd2, 3, %r1;").operand(2).value == 3);
  CHECK(one("szext.wrap.s32 %r1, %r2, %r3;").op->mode == Mode::kWrap);
  CHECK(one("dp2a.hi.u32.s32 %r1, %r2, %r3, %r4;").op->types[1] == Type::kS32);
  CHECK(one("lop3.b32 %r1, %r2, %r3, %r4, 0x96;").operand(4).value == 0x96);
  const auto lop = one("lop3.or.b32 _|%p1, %r2, %r3, %r4, 1, !%p2;");
  CHECK(lop.op->bool_op == BoolOp::kOr);
  CHECK(lop.operand(0).kind == OperandKind::kSink);
  CHECK(lop.name(1) == "%p1");
  CHECK(lop.operand(6).negated);
  CHECK(one("prmt.b32.ecr %r1, %r2, %r3, %r4;").op->mode == Mode::kEcr);
  CHECK(one("prmt.b32 %r1, %r2, %r3, 0x5410;").operand(3).value == 0x5410);
  CHECK(one("shf.r.clamp.b32 %r1, %r2, %r3, %r4;").op->mode2 == Mode::kRight);
  CHECK(one("and.pred %p1, %p2, %p3;").op->type() == Type::kPred);
}

TEST_CASE("integer: operands that do not fit", "[ptx]") {
  CHECK(error_of("add.u32 %rd1, %r2, %r3;") ==
        "9: '%rd1' is of type .b64 (legal: a register that holds .u32)");
  CHECK(error_of("add.s32 %r1, %f2, %r3;") ==
        "14: '%f2' is of type .f32 (legal: a register that holds .s32)");
  CHECK(error_of("and.b32 %f1, %f2, %f3;").empty());  // bits fit any type of their size
  CHECK(error_of("add.u16 %rs1, %rs2, -1;").empty());
  CHECK(one("add.u16 %rs1, %rs2, -1;").operand(2).value == 0xffff);
  CHECK(error_of("add.u32 %r1, %r2, 1.5;") ==
        "19: a floating-point number where .u32 is needed (legal: an integer)");
  CHECK(error_of("add.u32 5, %r2, %r3;") ==
        "9: a number where a register is needed (legal: a register of type .u32)");
  CHECK(error_of("add.u32 _, %r2, %r3;") == "9: '_' is not legal here (legal: a register of type .u32)");
  CHECK(error_of("add.u32 %r1, %r2 + 1, %r3;") ==
        "14: a number added to '%r2' (legal: in an address, or by an add before)");
  CHECK(error_of("add.u32 %r1, [%r2], %r3;") ==
        "14: an address in brackets where a value is needed (legal: a register or number)");
  CHECK(error_of("add.u32 %r1, !%r2, %r3;") ==
        "15: '!' before '%r2' of type .b32 (legal: before a .pred register)");
  CHECK(error_of("add.u32 %r1, gl, %r3;") == "14: 'gl' is no register (legal: a register or number)");
  CHECK(error_of("lop3.b32 %r1, %r2, %r3, %r4, %r5;") ==
        "30: '%r5' where a number is needed (legal: a constant)");
  CHECK(error_of("mul.wide.s32 %r1, %r2, %r3;") ==
        "14: '%r1' is of type .b32 (legal: a register that holds .s64)");
  CHECK(error_of("add.u32 %r1, %tid.x, 1;").empty());
}

TEST_CASE("floating point: fields", "[ptx]") {
  const auto add = one("add.rz.ftz.sat.f32 %f1, %f2, 0f3F800000;");
  CHECK(add.op->rounding == Rounding::kRz);
  CHECK(add.op->has(Flag::kFtz));
  CHECK(add.op->has(Flag::kSat));
  CHECK(add.operand(2).value == 0x3f800000);
  CHECK(one("add.f32 %f1, %f2, %f3;").op->rounding == Rounding::kNone);
  CHECK(one("mul.f64 %fd1, %fd2, 0.5;").operand(2).value == 0x3fe0000000000000);
  CHECK(one("fma.rn.relu.bf16x2 %r1, %r2, %r3, %r4;").op->has(Flag::kRelu));
  CHECK(one("fma.rn.oob.f16 %h1, %h2, %h3, %h4;").op->has(Flag::kOob));
  CHECK(one("add.f16x2 %r1, %r2, %r3;").op->type() == Type::kF16x2);
  CHECK(one("add.bf16 %rs1, %rs2, %rs3;").op->type() == Type::kBf16);
  CHECK(one("min.NaN.xorsign.abs.f32 %f1, %f2, %f3;").op->has(Flag::kXorsign));
  CHECK(one("testp.subnormal.f64 %p1, %fd1;").op->mode == Mode::kSubnormal);
  CHECK(one("div.full.ftz.f32 %f1, %f2, %f3;").op->has(Flag::kFull));
  CHECK(one("rcp.approx.ftz.f64 %fd1, %fd2;").op->has(Flag::kApprox));
  CHECK(one("sqrt.rp.f32 %f1, %f2;").op->rounding == Rounding::kRp);
  CHECK(one("ex2.approx.ftz.bf16x2 %r1, %r2;").op->type() == Type::kBf16x2);
  CHECK(one("tanh.approx.f16 %h1, %h2;").op->opcode == Opcode::kTanh);
  CHECK(one("copysign.f32 %f1, %f2, %f3;").op->opcode == Opcode::kCopysign);
  CHECK(error_of("fma.f32 %f1, %f2, %f3, %f4;") ==
        "8: 'fma.f32' lacks a modifier (legal: .rn, .rz, .rm, .rp)");
  CHECK(error_of("mad.f32 %f1, %f2, %f3, %f4;") ==
        "1: 'mad.f32' lacks rounding (legal: .rn, .rz, .rm or .rp from sm_20)");
  CHECK(error_of("add.f32 %f1, %f2, 1;") ==
        "19: an integer where .f32 is needed (legal: a floating-point number such as 1.0)");
  CHECK(error_of("add.f64 %fd1, %fd2, %f3;") ==
        "21: '%f3' is of type .f32 (legal: a register that holds .f64)");
  CHECK(error_of("ex2.f32 %f1, %f2;") == "8: 'ex2.f32' lacks a modifier (legal: .approx)");
}

TEST_CASE("comparison: fields and predicates", "[ptx]") {
  const auto setp = one("setp.lt.and.ftz.f32 %p1|%p2, %f1, %f2, !%p3;");
  CHECK(setp.op->compare == Compare::kLt);
  CHECK(setp.op->bool_op == BoolOp::kAnd);
  CHECK(setp.name(0) == "%p1");
  CHECK(setp.name(1) == "%p2");
  CHECK(setp.operand(4).negated);
  const auto plain = one("setp.hs.u32 _, %r1, 7;");
  CHECK(plain.operand(0).kind == OperandKind::kSink);
  CHECK(plain.operand(1).kind == OperandKind::kNone);
  CHECK(plain.operand(4).kind == OperandKind::kNone);
  CHECK(one("setp.num.f64 %p1, %fd1, %fd2;").op->compare == Compare::kNum);
  CHECK(one("set.gtu.xor.u32.f32 %r1, %f1, %f2, %p1;").op->types[1] == Type::kF32);
  CHECK(one("selp.f32 %f1, %f2, 0f00000000, %p1;").operand(3).kind == OperandKind::kRegister);
  CHECK(one("slct.ftz.u64.f32 %rd1, %rd2, %rd3, %f1;").op->has(Flag::kFtz));
  CHECK(error_of("setp.lo.s32 %p1, %r1, %r2;")
            .find("8: '.s32' is no modifier of 'setp.lo' (legal: .and, .or, .xor, .u16") == 0);
  CHECK(error_of("setp.lt.b32 %p1, %r1, %r2;").find("8: '.b32' is no modifier of 'setp.lt'") == 0);
  CHECK(error_of("setp.eq.and.s32 %p1, %r1, %r2;") ==
        "1: wrong operands of 'setp.eq.and.s32' (legal: d|{p}, source, source, predicate)");
  CHECK(error_of("setp.eq.s32 %r1, %r1, %r2;") ==
        "13: '%r1' is of type .b32 (legal: a register that holds .pred)");
  CHECK(error_of("setp.eq.f16 %p1|%p2, %h1, %h2;").find("wrong operands") != std::string::npos);
}

TEST_CASE("conversions: which rounding", "[ptx]") {
  CHECK(one("cvt.rni.ftz.sat.f32.f32 %f1, %f2;").op->rounding == Rounding::kRni);
  CHECK(one("cvt.u64.u8 %rd1, %rs2;").op->types[1] == Type::kU8);  // from a wider register
  CHECK(one("cvt.s8.s32 %r1, %r2;").op->types[0] == Type::kS8);
  CHECK(one("cvt.rn.satfinite.relu.e4m3x2.f32 %rs1, %f1, %f2;").op->types[0] == Type::kE4m3x2);
  CHECK(one("cvt.rn.f16x2.e5m2x2 %r1, %rs1;").op->types[1] == Type::kE5m2x2);
  CHECK(one("cvt.rna.satfinite.tf32.f32 %r1, %f1;").op->rounding == Rounding::kRna);
  CHECK(one("cvt.rz.relu.bf16x2.f32 %r1, %f1, %f2;").op->has(Flag::kRelu));
  CHECK(one("cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r4;").op->opcode == Opcode::kCvtPack);
  CHECK(error_of("cvt.sat.u64.u32 %rd1, %r1;") ==
        "1: 'cvt.sat.u64.u32': every .u32 is a .u64 (legal: .sat to fewer values)");
  CHECK(error_of("cvt.sat.s32.u16 %r1, %rs1;") ==
        "1: 'cvt.sat.s32.u16': every .u16 is a .s32 (legal: .sat to fewer values)");
  CHECK(error_of("cvt.sat.u32.s32 %r1, %r2;").empty());
  CHECK(error_of("cvt.sat.s16.u16 %rs1, %rs2;").empty());
  CHECK(error_of("cvt.f32.s32 %f1, %r1;") ==
        "1: 'cvt.f32.s32' of an integer (legal: with .rn, .rz, .rm or .rp)");
  CHECK(error_of("cvt.rn.s32.f32 %r1, %f1;") ==
        "1: 'cvt.rn.s32.f32' to an integer (legal: with .rni, .rzi, .rmi or .rpi)");
  CHECK(error_of("cvt.f32.f64 %f1, %fd1;") ==
        "1: 'cvt.f32.f64' to fewer bits (legal: with .rn, .rz, .rm or .rp)");
  CHECK(error_of("cvt.rn.f64.f32 %fd1, %f1;") == "1: 'cvt.rn.f64.f32' is exact (legal: without rounding)");
  CHECK(error_of("cvt.rn.u32.u16 %r1, %rs1;") ==
        "1: 'cvt.rn.u32.u16' between integers (legal: without rounding)");
  CHECK(error_of("cvt.ftz.u32.u16 %r1, %rs1;") ==
        "1: 'cvt.ftz.u32.u16' without .f32 (legal: .ftz where one type is .f32)");
}

TEST_CASE("mov: whole, packed, addresses, special registers", "[ptx]") {
  CHECK(one("mov.pred %p1, %p2;").op->type() == Type::kPred);
  const auto pack = one("mov.b64 %rd1, {%r1, %r2};");
  CHECK(pack.operand(1).kind == OperandKind::kVector);
  CHECK(pack.function->elements(pack.operand(1)).size() == 2);
  const auto unpack = one("mov.b64 {%f1, _}, %rd1;");
  CHECK(unpack.function->elements(unpack.operand(0))[1].kind == OperandKind::kSink);
  CHECK(one("mov.b32 {%rs1, %rs2}, %r1;").operand(0).value == 2);
  CHECK(one("mov.b128 %rq1, {%rd1, %rd2};").op->type() == Type::kB128);
  const auto address = one("mov.u64 %rd1, gl + 8;");
  CHECK(address.operand(1).kind == OperandKind::kVariable);
  CHECK(address.operand(1).value == 8);
  CHECK(address.module->variables[address.operand(1).id].name == "gl");
  CHECK(one("mov.u64 %rd1, callee;").operand(1).kind == OperandKind::kFunction);
  const auto tid = one("mov.u32 %r1, %tid.y;");
  CHECK(tid.operand(1).kind == OperandKind::kSpecial);
  CHECK(Special::unpack(tid.operand(1).id).kind == SpecialKind::kTid);
  CHECK(int{Special::unpack(tid.operand(1).id).element} == 1);
  CHECK(int{Special::unpack(one("mov.b32 %r1, %envreg31;").operand(1).id).number} == 31);
  CHECK(Special::unpack(one("mov.u64 %rd1, %pm3_64;").operand(1).id).kind == SpecialKind::kPm64);
  CHECK(Special::unpack(one("mov.pred %p1, %is_explicit_cluster;").operand(1).id).kind ==
        SpecialKind::kIsExplicitCluster);
  CHECK(one("mov.u32 %r1, WARP_SZ;").operand(1).value == 32);
  const auto all = one("mov.v4.u32 {%r1, %r2, %r3, _}, %ctaid;");
  CHECK(all.operand(1).value == 4);
  CHECK(int{Special::unpack(all.function->elements(all.operand(1))[2].id).element} == 2);
  CHECK(error_of("mov.u32 %r1, %tid.q;").find("14: unknown name '%tid.q'") == 0);
  CHECK(error_of("mov.u32 %r1, %tid;") == "14: '%tid' is a vector (legal: one element, as %tid.x)");
  CHECK(error_of("mov.u32 %r1, %clock64;").find("14: '%clock64' is of type .u64") == 0);
  CHECK(error_of("mov.u32 %r1, %clusterid.x;", "7.7", "sm_80") ==
        "14: '%clusterid.x' is not in this module's language (legal: from .version 7.8, sm_90)");
  CHECK(error_of("mov.b64 %rd1, {%r1, %r2, %r3};") ==
        "15: a list of 3 as .b64 (legal: 2 or 4 of equal size)");
  CHECK(error_of("mov.b64 %rd1, {%rs1, %rs2};") ==
        "16: '%rs1' is of type .b16 (legal: a register that holds .b32)");
  CHECK(error_of("mov.u16 %rs1, gl;") == "15: the address of 'gl' as .u16 (legal: 32 or 64 bits)");
}

}  // namespace heddle::ptx::test
