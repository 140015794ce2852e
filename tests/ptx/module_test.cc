// Modules, functions and variables (ptx.md 1.2, 1.3, 1.5).
#include <catch2/catch.hpp>

#include "tests/ptx/ptx_case.h"

namespace heddle::ptx::test {

TEST_CASE("module: head", "[ptx]") {
  const auto m = parse("t", ".version 8.5\n.target sm_90a, debug\n.address_size 32\n");
  CHECK(int{m->target.version} == 85);
  CHECK(m->target.sm == 90);
  CHECK(m->target.suffix == 'a');
  CHECK(m->debug);
  CHECK(m->address_bits == 32);
  CHECK(error_in("") == "t:1:1: the module has no .version (legal: .version and .target at its beginning)");
  CHECK(error_in(".version 8.0") ==
        "t:1:1: the module has no .target (legal: .version and .target at its beginning)");
  CHECK(error_in(".version 8") == "t:1:10: unexpected '8' (legal: a version such as 8.5)");
  CHECK(error_in(".version 0.3").find("legal: 1.0 to 9.0") != std::string::npos);
  CHECK(error_in(".version 8.0 .target sm90").find("t:1:14: unknown target 'sm90' (legal: sm_50") == 0);
  CHECK(error_in(".version 8.0 .target sm_90 .address_size 16") ==
        "t:1:28: .address_size 16 (legal: 32, 64)");
  CHECK(error_in(".global .u32 x;") == "t:1:1: no .version before this (legal: .version and .target first)");
  CHECK(error_in_whole("mov").find("t:2:1: unexpected 'mov' (legal: .version, .target") == 0);
  CHECK(error_in_whole(".visible .reg2").find("t:2:10: unexpected '.reg2' (legal: .entry, .func, .global") ==
        0);
}

TEST_CASE("module: files, sections, pragmas, dwarf lines", "[ptx]") {
  const auto m = whole(
      ".file 1 \"a.cu\", 12, 34\n.file 2 \"b.h\"\n.pragma \"nounroll\";\n@@DWARF .byte 1\n"
      ".section .debug_str { lbl: .b8 104,0 \n .b64 lbl+4 { .b8 1 } }\n.global .u32 x;");
  REQUIRE(m->files.size() == 2);
  CHECK(m->files[1].number == 2);
  CHECK(m->files[1].name == "b.h");
  CHECK(m->pragmas == std::vector<std::string_view>{"nounroll"});
  CHECK(m->variable("x") != nullptr);
  CHECK(error_in_whole(".section .debug_str { .b8 1") == "t:2:21: section without an end (legal: { ... })");
}

TEST_CASE("module: entries with parameters and bounds", "[ptx]") {
  const auto m = whole(
      ".visible .entry k(.param .u8 a, .param .u64 .ptr .global .align 16 b, .param .align 8 .b8 c[12], "
      ".param .u32 d)\n"
      ".maxntid 128, 2 .minnctapersm 3 .maxnreg 64 .reqnctapercluster 2, 1, 1 .explicitcluster "
      ".maxclusterrank 8\n"
      ".blocksareclusters .pragma \"x\"; .newdirective 5\n{ ret; }\n"
      ".entry p .reqntid 32 { exit; }\n.weak .func q();");
  const Function* k = m->function("k");
  REQUIRE(k != nullptr);
  CHECK(k->entry);
  CHECK(k->linkage == Linkage::kVisible);
  REQUIRE(k->signature.parameters.size() == 4);
  const uint64_t offsets[] = {0, 8, 16, 28};
  const uint64_t sizes[] = {1, 8, 12, 4};
  for (size_t i = 0; i < 4; ++i) {
    const Variable& v = m->variables[k->signature.parameters[i].id];
    CHECK(v.offset == offsets[i]);
    CHECK(v.size == sizes[i]);
    CHECK(v.parameter == i);
    CHECK(v.space == Space::kParam);
  }
  const Variable& b = m->variables[k->signature.parameters[1].id];
  CHECK(b.pointer);
  CHECK(b.pointer_space == Space::kGlobal);
  CHECK(b.pointer_align == 16);
  CHECK(k->parameter_bytes == 32);
  CHECK(k->bounds.max_threads[0] == 128);
  CHECK(k->bounds.max_threads[1] == 2);
  CHECK(k->bounds.max_threads[2] == 1);
  CHECK(k->bounds.min_blocks == 3);
  CHECK(k->bounds.max_registers == 64);
  CHECK(k->bounds.required_cluster[0] == 2);
  CHECK(k->bounds.explicit_cluster);
  CHECK(k->bounds.max_cluster_rank == 8);
  CHECK(k->bounds.blocks_are_clusters);
  CHECK(k->pragmas == std::vector<std::string_view>{"x"});
  CHECK(m->function("p")->bounds.required_threads[0] == 32);
  REQUIRE(m->warnings.size() == 1);
  CHECK(m->warnings[0].find("t:4:33: unknown directive '.newdirective' is ignored (legal: .maxnreg") == 0);
  CHECK_FALSE(m->function("q")->defined);
  CHECK(error_in_whole(".entry k .maxntid { }") == "t:2:10: .maxntid with 0 numbers (legal: one to three)");
  CHECK(error_in_whole(".entry k(.param .b8 a[32765]) { }") ==
        "t:2:8: the parameters of 'k' take 32765 bytes (legal: up to 32764)");
  CHECK(
      error_in(".version 8.0 .target sm_90\n.entry k(.param .b8 a[4353]) { }") ==
      "t:2:8: the parameters of 'k' take 4353 bytes (legal: up to 4352; 32764 from .version 8.1 and sm_70)");
  CHECK(error_in_whole(".entry k { ret; } .entry k { }") ==
        "t:2:26: 'k' has a body already (legal: one definition)");
  CHECK(error_in_whole(".entry k; .func k { }") ==
        "t:2:17: 'k' is declared as .entry before (legal: the same)");
  CHECK(error_in_whole(".func k(.param .b32 a); .func k { }") ==
        "t:2:31: 'k' has other parameters than in its declaration before (legal: the same)");
  CHECK(error_in_whole(".entry k { ret;") == "t:2:8: the body of 'k' has no end (legal: { ... })");
  CHECK(error_in_whole(".entry k(.u32 a) { }").find("t:2:15: unexpected 'a' (legal: .param or .reg") == 0);
}

TEST_CASE("module: functions, aliases, prototypes in the order of old compilers", "[ptx]") {
  const auto m = whole(
      ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
      ".visible .func (.param .s32 r) f (.param .u32 a)\n"
      ".func (.reg .f32 r) g (.reg .f32 x, .reg .u32 n) .noreturn { mov.f32 r, x; ret; }\n"
      ".func h(.param .b8 rest[]);\n.alias i, g;\n");
  CHECK(m->function("vprintf")->linkage == Linkage::kExtern);
  CHECK(m->function("vprintf")->signature.parameters.size() == 2);
  const Function* g = m->function("g");
  CHECK(g->signature.noreturn);
  REQUIRE(g->signature.returns.size() == 1);
  CHECK(g->signature.returns[0].is_register);
  CHECK(g->register_name(g->signature.returns[0].id) == "r");
  CHECK(g->register_types[g->signature.returns[0].id] == Type::kF32);
  CHECK(m->functions[m->function("i")->alias_of].name == "g");
  CHECK(m->variables.size() == 0);  // prototypes make none
  CHECK(error_in_whole(".func a(); .func b();\n.alias a, b; .alias b, a;")
            .find("'b' would be an alias of itself") != std::string::npos);
  CHECK(error_in_whole(".alias a, b;") ==
        "t:2:11: 'b' is no function (legal: one that is declared before the .alias)");
}

TEST_CASE("variables: sizes, alignment, linkage", "[ptx]") {
  const auto m = whole(
      ".visible .global .align 16 .b8 a[3][5];\n.global .v4 .f32 b;\n.extern .shared .align 8 .b8 dyn[];\n"
      ".const .u16 c[4];\n.global .attribute(.managed) .u64 d;\n.extern .global .u32 e; .visible .global "
      ".u32 e = 3;\n"
      ".common .global .b32 f, g[2];\n.global .texref t; .global .samplerref s = { addr_mode_0 = wrap, "
      "filter_mode = 1 };\n"
      ".global .attribute(.unified(19, 95)) .f32 u;\n.tex .u32 old;");
  CHECK(m->variable("a")->size == 15);
  CHECK(m->variable("a")->align == 16);
  CHECK(m->variable("a")->dimensions == std::vector<uint64_t>{3, 5});
  CHECK(m->variable("b")->size == 16);
  CHECK(m->variable("b")->align == 16);
  CHECK(m->variable("dyn")->unsized);
  CHECK(m->variable("dyn")->size == 0);
  CHECK(m->variable("c")->align == 2);
  CHECK(m->variable("d")->managed);
  CHECK(m->variable("e")->linkage == Linkage::kVisible);
  CHECK(m->initials[m->variable("e")->initial].chunks[0].bytes == std::vector<uint8_t>{3, 0, 0, 0});
  CHECK(m->variable("g")->size == 8);
  CHECK(m->variable("t")->type == Type::kTexref);
  CHECK(m->variable("old")->type == Type::kTexref);
  CHECK(error_in_whole(".global .align 3 .u32 x;") ==
        "t:2:9: alignment 3 (legal: a power of two up to 1048576)");
  CHECK(error_in_whole(".global .pred x;").find("t:2:15: variable of type .pred (legal: .b8") == 0);
  CHECK(error_in_whole(".global x;") == "t:2:9: unexpected 'x' (legal: a type such as .u32)");
  CHECK(error_in_whole(".global .u32 x, y")
            .find("t:2:18: unexpected the end of the file (legal: ',' or ';')") == 0);
  CHECK(error_in_whole(".global .u64 x[0x1000000000][0x1000000000];") ==
        "t:2:14: 'x' is too large (legal: up to 140737488355328 bytes)");
  CHECK(error_in_whole(".global .u32 x; .global .u32 x;") ==
        "t:2:30: 'x' is defined a second time (legal: one definition; others .extern)");
  CHECK(error_in_whole(".extern .global .u32 x; .global .u64 x;") ==
        "t:2:38: 'x' is declared as .global .u32 before (legal: the same space and type)");
  CHECK(error_in_whole(".reg .u32 x;") == "t:2:11: registers outside a function (legal: .reg in a body)");
}

TEST_CASE("variables: initialisers", "[ptx]") {
  const auto m = whole(
      ".func f();\n.global .u32 x = 1 + 2;\n.global .s16 a[2][3] = {{1, -1}, {3}};\n.global .f32 fl[] = "
      "{1.0, 0f40000000};\n"
      ".global .u64 p[3] = {x, generic(x) + 4, f};\n.global .b8 q[4] = {0xFF(x), 0xFF00(x), 7};\n"
      ".global .v2 .u8 v[2] = {{1, 2}, {3, 4}};\n.const .u32 flat[2][2] = {1, 2, 3};\n.global .u8 text[4] = "
      "{104, 105};");
  const auto initial = [&](const char* name) -> const Initial& {
    return m->initials[m->variable(name)->initial];
  };
  CHECK(initial("x").chunks[0].bytes == std::vector<uint8_t>{3, 0, 0, 0});
  REQUIRE(initial("a").chunks.size() == 2);
  CHECK(initial("a").chunks[0].bytes == std::vector<uint8_t>{1, 0, 0xff, 0xff});
  CHECK(initial("a").chunks[1].offset == 6);
  CHECK(initial("a").chunks[1].bytes == std::vector<uint8_t>{3, 0});
  CHECK(m->variable("fl")->size == 8);
  CHECK(initial("fl").chunks[0].bytes == std::vector<uint8_t>{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40});
  const auto& r = initial("p").relocations;
  REQUIRE(r.size() == 3);
  CHECK(m->variables[r[0].id].name == "x");
  CHECK_FALSE(r[0].generic);
  CHECK(r[0].size == 8);
  CHECK(r[1].generic);
  CHECK(r[1].addend == 4);
  CHECK(r[1].offset == 8);
  CHECK(r[2].function);
  CHECK(m->functions[r[2].id].name == "f");
  const auto& q = initial("q").relocations;
  REQUIRE(q.size() == 2);
  CHECK(int{q[0].shift} == 0);
  CHECK(int{q[1].shift} == 8);
  CHECK(initial("q").chunks[0].offset == 2);
  CHECK(initial("v").chunks[0].bytes == std::vector<uint8_t>{1, 2, 3, 4});
  CHECK(initial("flat").chunks[0].bytes.size() == 12);
  CHECK(error_in_whole(".global .u32 x[2] = {1, 2, 3};") ==
        "t:2:28: too many values for 'x' (legal: 2 in these braces)");
  // Dimensions without elements, found by the fuzzer.
  CHECK(error_in_whole(".global .u32 x[2][0] = {{1}, {2}};") ==
        "t:2:26: too many values for 'x' (legal: 0 in these braces)");
  CHECK(error_in_whole(".global .u32 x[][0] = {{1}};") ==
        "t:2:25: too many values for 'x' (legal: 0 in these braces)");
  CHECK(error_in_whole(".global .u32 x[2][0] = {{}, {}};").empty());
  CHECK(error_in_whole(".global .u32 x = 1.5;") ==
        "t:2:18: a floating-point number in .u32 (legal: integers)");
  CHECK(error_in_whole(".global .u64 x = y;") ==
        "t:2:18: unknown name 'y' (legal: a variable or function declared before)");
  CHECK(error_in_whole(".shared .u32 x = 1;") ==
        "t:2:14: initialiser of a .shared variable (legal: of .global and .const)");
  CHECK(error_in_whole(".global .u8 y; .global .u8 x = y;").find("an address in a value of 1 bytes") !=
        std::string::npos);
  CHECK(error_in_whole(".global .u8 y; .global .u8 x = 0xF0(y);").find("a mask that is not one byte") !=
        std::string::npos);
  CHECK(error_in_whole(".global .u32 x[2] = {{1}};") ==
        "t:2:22: braces inside the last dimension (legal: a value)");
  CHECK(error_in_whole(".global .u32 x[2] = {{{{{{{{{{{{{{{{{{1}}}}}}}}}}}}}}}}}};")
            .find("initialiser nested too deeply") != std::string::npos);
}

}  // namespace heddle::ptx::test
