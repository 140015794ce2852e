// Bodies: scopes, registers, labels, lists, source lines, calls (ptx.md 1.2, 1.3, 1.5).
#include <catch2/catch.hpp>

#include "tests/ptx/ptx_case.h"

namespace heddle::ptx::test {

TEST_CASE("registers: ids for those that occur, names and types back", "[ptx]") {
  const auto m = module_of(".reg .b32 %x<100000>, lone, r1<3>; mov.b32 %x99999, lone; mov.b32 r12, r10;");
  const Function* k = m->function("k");
  REQUIRE(k->register_types.size() == 4);
  CHECK(k->declared_registers >= 100000);
  CHECK(k->register_name(k->operands_of(k->instrs[0])[0].id) == "%x99999");
  CHECK(k->register_name(k->operands_of(k->instrs[0])[1].id) == "lone");
  CHECK(k->register_name(k->operands_of(k->instrs[1])[0].id) == "r12");
  CHECK(k->register_types == std::vector<Type>(4, Type::kB32));
  CHECK(error_of("mov.b32 %r32, %r0;") == "9: unknown name '%r32' (legal: %r0 to %r31)");
  CHECK(error_of("mov.b32 %r05, %r0;") == "9: unknown name '%r05' (legal: %r0 to %r31)");
  CHECK(error_of("mov.b32 %q1, %r0;") ==
        "9: unknown name '%q1' (legal: names declared before in this scope or around it)");
  CHECK(error_of(".reg .b32 %y<0>;") == "14: %y<0> (legal: 1 to 4294967295 registers)");
  CHECK(error_of(".reg .b32 %y<4000000000>;") ==
        "11: too many registers with '%y' (legal: up to 16777216 in a function)");
  CHECK(error_of(".reg .b32 %r<3>;") ==
        "11: '%r' is declared a second time in this scope (legal: one declaration of a name)");
  CHECK(error_of(".reg .texref %y;").find("14: register of type .texref (legal: .pred") == 0);
  CHECK(error_of(".reg .b32 %y[3];").find("11: register '%y' with dimensions") == 0);
}

TEST_CASE("registers: vectors and their elements", "[ptx]") {
  const auto m =
      module_of(".reg .v4 .f32 v; ld.global.v4.f32 v, [%rd1]; add.f32 %f1, v.x, v.w; mov.f32 v.g, %f1;");
  const Function* k = m->function("k");
  const Operand v = k->operands_of(k->instrs[0])[0];
  REQUIRE(v.kind == OperandKind::kVector);
  REQUIRE(k->elements(v).size() == 4);
  CHECK(k->elements(v)[0].id == k->operands_of(k->instrs[1])[1].id);
  CHECK(k->elements(v)[3].id == k->operands_of(k->instrs[1])[2].id);
  CHECK(k->elements(v)[1].id == k->operands_of(k->instrs[2])[0].id);
  CHECK(k->register_name(k->elements(v)[3].id) == "v.w");
  CHECK(error_of(".reg .v2 .f32 v; mov.f32 %f1, v.z;") ==
        "31: unknown name 'v.z' (legal: names declared before in this scope or around it)");
  CHECK(error_of(".reg .v2 .f32 v; mov.f32 %f1, v.x.y;").find("unknown name") != std::string::npos);
  CHECK(error_of(".reg .v2 .f32 v; add.f32 %f1, v, %f2;") ==
        "31: 'v' is a vector of 2 (legal: one element, as v.x)");
}

TEST_CASE("scopes: names inside hide those outside", "[ptx]") {
  const auto m = module_of(
      "{ .reg .f32 %r1; mov.f32 %r1, %f0; }\n{ .reg .pred p; setp.eq.s32 p, %r1, 0; @!p bra L; L: mov.u32 "
      "%r2, 1; }\n"
      "{ .reg .pred p; setp.eq.s32 p, %r1, 0; @p bra L; L: ret; }");
  const Function* k = m->function("k");
  CHECK(k->register_types[k->operands_of(k->instrs[0])[0].id] == Type::kF32);
  CHECK(k->register_types[k->operands_of(k->instrs[1])[2].id] == Type::kB32);
  CHECK(k->operands_of(k->instrs[2])[0].value == 3);
  CHECK(k->instrs[2].guard_negated);
  CHECK(k->operands_of(k->instrs[5])[0].value == 6);
  CHECK(k->instrs[2].guard != k->instrs[5].guard);
  CHECK(k->register_name(k->instrs[2].guard) == "p");
  CHECK(error_of("{ L: } bra L;") == "12: 'L' is no label (legal: a label of this scope or around it)");
  CHECK(error_of("@%r1 ret;") == "2: '%r1' is of type .b32 (legal: a guard is a .pred register)");
  CHECK(error_of("@%p99 ret;") == "2: unknown name '%p99' (legal: %p0 to %p31)");
  CHECK(error_of("L: L: ret;").find("4: 'L' is declared a second time") == 0);
  CHECK(error_of(std::string(1001, '{')).find("scopes nested too deeply (legal: up to 1000 levels)") !=
        std::string::npos);
}

TEST_CASE("labels: forwards, backwards, at the end, several in a row", "[ptx]") {
  const auto m = module_of("A: B: bra C; bra.uni A; C: bra E; E:");
  const Function* k = m->function("k");
  CHECK(k->operands_of(k->instrs[0])[0].value == 2);
  CHECK(k->operands_of(k->instrs[1])[0].value == 0);
  CHECK(m->ops[k->instrs[1].op].has(Flag::kUni));
  CHECK(k->operands_of(k->instrs[2])[0].value == 3);
  CHECK(k->instrs.size() == 3);
}

TEST_CASE("lists: branch targets, call targets, prototypes", "[ptx]") {
  const auto m = module_of(
      "ts: .branchtargets A, B; brx.idx.uni %r1, ts; A: ret; B:\n"
      "fs: .calltargets callee; mov.u64 %rd1, callee; call (%r1), %rd1, (%r2, %f1), fs;\n"
      "pr: .callprototype (.reg .b32 _) _ (.reg .b32 _, .reg .f32 _); call.uni (%r1), %rd1, (%r2, "
      "0f00000000), pr;");
  const Function* k = m->function("k");
  REQUIRE(k->branch_targets.size() == 1);
  CHECK(k->branch_targets[0] == std::vector<uint32_t>{1, 2});
  CHECK(k->operands_of(k->instrs[0])[1].kind == OperandKind::kList);
  CHECK(k->call_targets[0].size() == 1);
  CHECK(k->prototypes[0].parameters.size() == 2);
  const auto call = k->operands_of(k->instrs[4]);
  REQUIRE(call.size() == 4);
  CHECK(k->elements(call[0]).size() == 1);
  CHECK(call[1].kind == OperandKind::kRegister);
  CHECK(k->elements(call[2])[1].kind == OperandKind::kImmediate);
  CHECK(call[3].kind == OperandKind::kList);
  CHECK_FALSE(call[3].negated);
  CHECK(k->operands_of(k->instrs[3])[3].negated);
  CHECK(error_of("brx.idx %r1, ts;") ==
        "14: 'ts' lists no branch targets (legal: the name of a .branchtargets before)");
  CHECK(error_of("ts: .branchtargets A;") ==
        "20: 'A' is no label (legal: labels of this scope or around it)");
  CHECK(error_of("call (%r1), %rd1, (%r2);") ==
        "13: call through register '%rd1' without targets (legal: at the end the name of a .callprototype or "
        ".calltargets)");
}

TEST_CASE("calls: a result that nobody wants", "[ptx]") {
  CHECK(error_of("call (_), callee, (%r2, %f1);").empty());
  CHECK(error_of("call (%r1), callee, (_, %f1);") ==
        "22: '_' is not legal here (legal: a register of type .b32)");
}

TEST_CASE("calls: direct, with parameters in memory", "[ptx]") {
  const auto m = whole(
      ".func (.param .b32 r) f (.param .b64 a, .param .align 8 .b8 s[16]);\n.func g();\n.entry k { .reg .b32 "
      "%r<2>; "
      ".reg .b64 %rd<2>;\n{ .param .b32 ret0; .param .b64 p0; .param .align 8 .b8 p1[16]; st.param.b64 "
      "[p0+0], %rd1;\n"
      "call.uni (ret0), f, (p0, p1); ld.param.b32 %r1, [ret0+0]; } call g; call.uni g, (); ret; }");
  const Function* k = m->function("k");
  const auto call = k->operands_of(k->instrs[1]);
  CHECK(call[1].kind == OperandKind::kFunction);
  CHECK(m->functions[call[1].id].name == "f");
  CHECK(m->variables[k->elements(call[2])[1].id].name == "p1");
  CHECK(error_of("call (%r1), callee, (%r1);") == "21: call with 1 argument (legal: 2)");
  CHECK(error_of("call callee, (%r1, %f1);") == "1: call with 0 returned values (legal: 1)");
  CHECK(error_of("call (%r1), callee, (%rd1, %f1);") ==
        "22: '%rd1' is of type .b64 (legal: a register that holds .b32)");
  CHECK(error_of("call nothing, (%r1);") ==
        "6: 'nothing' is no function (legal: one declared before, or a register with its targets)");
  CHECK(error_of("call;") ==
        "1: wrong operands of call (legal: call (returns), function, (arguments), targets;)");
  CHECK(error_in_whole(".func f(.param .b64 a);\n.entry k { .param .b32 p; call f, (p); }") ==
        "t:3:36: 'p' has 4 bytes (legal: 8, as the function's parameter)");
}

TEST_CASE("source lines and pragmas stand at instructions", "[ptx]") {
  const auto m = module_of(
      ".loc 1 10 3\nmov.u32 %r1, 1;\n.loc 2 7 0, function_name $L__info_string0+12, inlined_at 1 11 "
      "5\nmov.u32 %r2, 2;\n"
      ".pragma \"nounroll\";\nL: bra L;");
  const Function* k = m->function("k");
  REQUIRE(k->locs.size() == 2);
  CHECK(k->locs[0].instr == 0);
  CHECK(k->locs[0].line == 10);
  CHECK(k->locs[1].instr == 1);
  CHECK(k->locs[1].inlined);
  CHECK(k->locs[1].inlined_line == 11);
  CHECK(k->locs[1].function_name == "$L__info_string0");
  CHECK(k->locs[1].function_offset == 12);
  REQUIRE(k->loop_pragmas.size() == 1);
  CHECK(k->loop_pragmas[0].text == "nounroll");
  CHECK(k->loop_pragmas[0].instr == 2);
  CHECK(m->source.place(k->instrs[1].at).line == kFirstLine + 3);
  CHECK(error_of(".locc 1 2 3").find("1: unexpected '.locc' (legal: .reg, .param") == 0);
}

TEST_CASE("shared memory of a function", "[ptx]") {
  const auto m = module_of(".shared .b8 a[3]; .shared .align 8 .f64 b[2]; .local .b8 c[100];");
  CHECK(shared_bytes(*m, *m->function("k")) == 24);
}

}  // namespace heddle::ptx::test
