// Calls: their machine code against what ptxas 13.0 makes for sm_90a, and what is told of their lanes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/ptx/lower_case.h"

namespace heddle::ptx {
namespace {

const char* const kHead = ".version 8.0 .target sm_90 .address_size 64\n";

// k calls leaf, which is given three words and gives one.
const char* const kLeaf =
    ".func (.param .b32 r) leaf(.param .b32 a, .param .b32 b, .param .b32 c) {\n"
    ".reg .f32 %f<5>; .reg .b32 %r<2>;\n"
    "ld.param.f32 %f1, [a]; ld.param.f32 %f2, [b]; ld.param.u32 %r1, [c]; cvt.rn.f32.s32 %f3, %r1;\n"
    "fma.rn.f32 %f4, %f1, %f2, %f3; st.param.f32 [r+0], %f4; ret; }\n";
const char* const kCallsLeaf =
    ".entry k(.param .u64 p, .param .u32 n) { .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n"
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r2, [n]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; "
    "add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3]; ld.global.f32 %f2, [%rd3+256];\n"
    "{ .param .b32 p0; st.param.f32 [p0+0], %f1; .param .b32 p1; st.param.f32 [p1+0], %f2; .param .b32 p2; "
    "st.param.b32 [p2+0], %r2; .param .b32 q; call.uni (q), leaf, (p0, p1, p2); ld.param.f32 %f3, [q+0]; }\n"
    "st.global.f32 [%rd3], %f3; ret; }\n";

const char* const kFib =
    ".func (.param .b32 r) fib(.param .b32 a) { .reg .pred %p<2>; .reg .b32 %r<9>;\n"
    "ld.param.u32 %r8, [a]; setp.lt.s32 %p1, %r8, 2; @%p1 bra end; add.s32 %r4, %r8, -1;\n"
    "{ .param .b32 p0; st.param.b32 [p0+0], %r4; .param .b32 q; call.uni (q), fib, (p0); ld.param.b32 %r5, "
    "[q+0]; }\nadd.s32 %r6, %r8, -2;\n"
    "{ .param .b32 p0; st.param.b32 [p0+0], %r6; .param .b32 q; call.uni (q), fib, (p0); ld.param.b32 %r7, "
    "[q+0]; }\nadd.s32 %r8, %r7, %r5;\nend: st.param.b32 [r+0], %r8; ret; }\n"
    ".entry k(.param .u64 p, .param .u32 n) { .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r2, [n]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; "
    "add.s64 %rd3, %rd1, %rd2;\n"
    "{ .param .b32 p0; st.param.b32 [p0+0], %r2; .param .b32 q; call.uni (q), fib, (p0); ld.param.b32 %r3, "
    "[q+0]; }\nst.global.u32 [%rd3], %r3; ret; }\n";

const char* const kPointer =
    ".func (.param .b32 r) f0(.param .b32 a); .func (.param .b32 r) f1(.param .b32 a);\n"
    ".global .align 8 .u64 table[2] = {f0, f1};\n"
    ".func (.param .b32 r) f0(.param .b32 a) { .reg .f32 %f<3>; ld.param.f32 %f1, [a]; add.f32 %f2, %f1, "
    "0f3F800000; st.param.f32 [r+0], %f2; ret; }\n"
    ".func (.param .b32 r) f1(.param .b32 a) { .reg .f32 %f<3>; ld.param.f32 %f1, [a]; mul.f32 %f2, %f1, "
    "0f40400000; st.param.f32 [r+0], %f2; ret; }\n"
    ".entry k(.param .u64 p, .param .u32 n) { .reg .b32 %r<9>; .reg .b64 %rd<19>; .reg .f32 %f<9>;\n"
    "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 1; mul.wide.u32 %rd2, %r2, 8; mov.u64 "
    "%rd3, table; add.s64 %rd4, %rd3, %rd2; ld.global.u64 %rd5, [%rd4]; mul.wide.u32 %rd6, %r1, 4; "
    "add.s64 %rd7, %rd1, %rd6; ld.global.f32 %f1, [%rd7];\n"
    "{ .param .b32 p0; st.param.f32 [p0+0], %f1; .param .b32 q; prototype_0: .callprototype (.param .b32 _) "
    "_ "
    "(.param .b32 _); call (q), %rd5, (p0), prototype_0; ld.param.f32 %f2, [q+0]; }\n"
    "st.global.f32 [%rd7], %f2; ret; }\n";

Issued issued(const std::string& text, isa::Dim3 block, uint32_t n) {
  return {Issued::Whole{}, std::string(kHead) + text, {1, 1, 1}, block, n};
}

std::vector<std::string> code_of(const std::string& text) {
  const auto module = parse("k.ptx", kHead + text);
  return lower::lower(*module, *module->function("k"))->image.text;
}

size_t place(const std::vector<std::string>& code, const std::string& what) {
  return static_cast<size_t>(
      std::find_if(code.begin(), code.end(), [&](const std::string& s) { return s.starts_with(what); }) -
      code.begin());
}

}  // namespace

TEST_CASE("lower: a call of a function that nobody else names") {
  const auto c = code_of(std::string(kLeaf) + kCallsLeaf);
  // As ptxas: the return address, the call; a conversion, the sum, the address again, the return.
  REQUIRE(count(c, "CALL.REL.NOINC") == 1);
  REQUIRE(count(c, "RET.REL.NODEC") == 1);
  const size_t call = place(c, "CALL"), end = place(c, "EXIT");
  CHECK(place(c, "I2FP.F32.S32") > end);
  CHECK(place(c, "FFMA") > end);
  // It goes to the function, which lies behind the kernel, and comes back behind itself.
  const auto module = parse("k.ptx", std::string(kHead) + kLeaf + kCallsLeaf);
  const auto kernel = lower::lower(*module, *module->function("k"));
  CHECK(kernel->image.code[call].target == (end + 1) * 16);
  CHECK(has(c, fmt::format("MOV R7, {:#x}", (call + 1) * 16)));
  CHECK(count(c, "STL") == 0);
  CHECK(kernel->image.shape.registers_per_thread <= 16);
}

TEST_CASE("timed: a function's instructions are issued between the call and what follows it") {
  const Issued i = issued(std::string(kLeaf) + kCallsLeaf, {40, 1, 1}, 3);
  const auto w = i.warp(0, 1);  // of eight lanes
  const auto at = [&](const std::string& what) { return std::find(w.begin(), w.end(), what) - w.begin(); };
  CHECK(at("CALL.REL.NOINC ff") < at("FFMA ff"));
  CHECK(at("FFMA ff") < at("RET.REL.NODEC ff"));
  CHECK(at("RET.REL.NODEC ff") < at("STG.E ff"));
  CHECK(w.back() == "EXIT ff");
}

TEST_CASE("lower: recursion keeps registers of its callers by the ABI") {
  const auto module = parse("k.ptx", std::string(kHead) + kFib);
  const auto kernel = lower::lower(*module, *module->function("k"));
  const auto& c = kernel->image.text;
  CHECK(count(c, "CALL.REL.NOINC") == 3);
  CHECK(count(c, "MOV R20, 0x") == 3);
  CHECK(count(c, "RET.REL.NODEC R20 0x0") == 1);
  // ptxas keeps R2, R16, R17 (of which one is for a convergence barrier), R20 and R21.
  CHECK(count(c, "STL [R1+") + count(c, "STL [R1]") == 4);
  CHECK(count(c, "LDL R") == 4);
  CHECK(has(c, "STL [R1+0x8], R20") != has(c, "STL [R1+0x4], R20"));
  CHECK(has(c, "IADD3 R1, R1, -0x10, RZ"));
  CHECK(has(c, "IADD3 R1, R1, 0x10, RZ"));
  CHECK(kernel->image.shape.registers_per_thread == 24);  // as ptxas says
}

TEST_CASE("timed: each call of a recursion has its place on the stack") {
  const Issued i = issued(kFib, {32, 1, 1}, 3);  // fib(3): 5 calls
  const auto w = i.warp(0, 0);
  CHECK(count(w, "CALL.REL.NOINC ffffffff") == 5);
  CHECK(count(w, "RET.REL.NODEC ffffffff") == 5);
  CHECK(count(w, "STL ffffffff") == 20);
  const isa::WarpTrace& t = i.blocks[0].warps[0];
  std::vector<uint64_t> stores;
  size_t at = 0;
  for (const isa::Run& r : t.runs) {
    for (uint32_t k = 0; k < r.count; ++k) {
      const isa::Instr& in = i.image.code[r.first + k];
      if (r.mask != 0 && in.op == isa::OpClass::kStLocal) {
        stores.push_back(t.refs[at].base);
      }
      at += r.mask != 0 ? in.mem_refs : 0;
    }
  }
  CHECK(at == t.refs.size());
  REQUIRE(stores.size() == 20);
  // fib(3), fib(2), fib(1), fib(0), fib(1): one below the other, as deep as the recursion.
  const auto frame = [&](size_t call) { return *std::min_element(&stores[4 * call], &stores[4 * call] + 4); };
  CHECK(frame(0) - frame(1) == 16);
  CHECK(frame(1) - frame(2) == 16);
  CHECK(frame(2) == frame(3));
  CHECK(frame(4) == frame(1));
}

TEST_CASE("timed: lanes that call different functions through pointers are told apart") {
  const auto c = code_of(kPointer);
  CHECK(count(c, "c[0x2]") == 1);  // where the function is, from its index
  CHECK(count(c, "RET.REL.NODEC R20 0x0") == 2);
  const Issued i = issued(kPointer, {32, 1, 1}, 0);
  const auto w = i.warp(0, 0);
  CHECK(count(w, "CALL.REL.NOINC ffffffff") == 1);
  CHECK(count(w, "FADD 55555555") == 1);
  CHECK(count(w, "FMUL aaaaaaaa") == 1);
  CHECK(count(w, "RET.REL.NODEC 55555555") == 1);
  CHECK(count(w, "RET.REL.NODEC aaaaaaaa") == 1);
}

TEST_CASE("lower: what is alive behind a call has registers that the function does not use") {
  const auto module = parse("k.ptx", std::string(kHead) + kLeaf + kCallsLeaf);
  const auto kernel = lower::lower(*module, *module->function("k"));
  const auto& c = kernel->image.text;
  // The store's address is from before the call.
  const std::string store = c[place(c, "STG.E")];
  const std::string base = store.substr(store.find("[R") + 1, store.find(".64") - store.find("[R") - 1);
  for (size_t i = place(c, "EXIT") + 1; i < c.size(); ++i) {
    CHECK(c[i].find(" " + base + ",") == std::string::npos);
  }
}

TEST_CASE("lower: arguments that do not fit into R4 to R15 are stored at R1") {
  const std::string text =
      ".func (.param .b32 r) sum(.param .align 4 .b8 s[64], .param .b32 k);\n.global .u64 table[1] = {sum};\n"
      ".func (.param .b32 r) sum(.param .align 4 .b8 s[64], .param .b32 k) { .reg .f32 %f<9>; .reg .b32 "
      "%r<3>;\n"
      "ld.param.f32 %f1, [s]; ld.param.f32 %f2, [s+60]; ld.param.u32 %r1, [k]; add.f32 %f3, %f1, %f2; "
      "cvt.rn.f32.s32 %f4, %r1; add.f32 %f5, %f3, %f4; st.param.f32 [r], %f5; ret; }\n"
      ".entry k(.param .u64 p, .param .u32 n) { .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n"
      "ld.param.u64 %rd1, [p]; ld.param.u32 %r2, [n]; ld.global.f32 %f1, [%rd1];\n"
      "{ .param .align 4 .b8 p0[64]; st.param.f32 [p0], %f1; st.param.f32 [p0+60], %f1; .param .b32 p1; "
      "st.param.b32 [p1], %r2; .param .b32 q; call.uni (q), sum, (p0, p1); ld.param.f32 %f3, [q]; }\n"
      "st.global.f32 [%rd1], %f3; ret; }\n";
  const auto c = code_of(text);
  CHECK(has(c, "IADD3 R1, R1, -0x40, RZ"));  // ptxas: a stack frame of 64 bytes
  CHECK(has(c, "STL [R1], "));
  CHECK(has(c, "STL [R1+0x3c], "));
  CHECK(count(c, "LDL") == 2);
  // Both see the same places: what is stored below R1 of the caller is loaded from there.
  const Issued i = issued(text, {32, 1, 1}, 1);
  std::vector<uint64_t> stored, loaded;
  const isa::WarpTrace& t = i.blocks[0].warps[0];
  size_t at = 0;
  for (const isa::Run& r : t.runs) {
    for (uint32_t k = 0; k < r.count; ++k) {
      const isa::Instr& in = i.image.code[r.first + k];
      const size_t refs = r.mask != 0 ? in.mem_refs : 0;
      if (refs != 0 && (in.op == isa::OpClass::kStLocal || in.op == isa::OpClass::kLdLocal)) {
        (in.op == isa::OpClass::kStLocal ? stored : loaded).push_back(t.refs[at].base);
      }
      at += refs;
    }
  }
  std::sort(stored.begin(), stored.end());
  std::sort(loaded.begin(), loaded.end());
  CHECK(stored == loaded);
}

TEST_CASE("lower: functions of the driver are called through their table") {
  const std::string text =
      ".extern .func (.param .b64 r) malloc(.param .b64 a);\n"
      ".entry k(.param .u64 p, .param .u32 n) { .reg .b64 %rd<9>;\nld.param.u64 %rd1, [p];\n"
      "{ .param .b64 p0; st.param.b64 [p0], 64; .param .b64 q; call.uni (q), malloc, (p0); ld.param.b64 "
      "%rd2, "
      "[q]; }\nst.global.u64 [%rd1], %rd2; ret; }\n";
  const auto c = code_of(text);
  // ptxas: the entry's offset, the address from bank 4, the return address by LEPC, the call.
  CHECK(count(c, "c[0x4]") == 1);
  CHECK(count(c, "LEPC R20, 0x") == 1);
  CHECK(count(c, "CALL.ABS.NOINC") == 1);
  CHECK(count(issued(text, {32, 1, 1}, 0).warp(0, 0), "CALL.ABS.NOINC ffffffff") == 1);
}

}  // namespace heddle::ptx
