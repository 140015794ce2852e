// wmma: matrices from memory, multiplied and stored. Only what is in memory is defined (ptx.md 4.3).
#include <catch2/catch.hpp>

#include "tests/exec/matrix/matrix_case.h"

namespace heddle::exec::test {
namespace {

struct Form {
  std::string ab, dc;  // types
  uint32_t m, n, k;
  uint32_t a, b, c;              // registers
  bool types_of_factors = true;  // in the opcode
  std::string op;                // of bits
};

uint32_t bits(const std::string& type) {
  return type == "b1"                      ? 1
         : type == "f64"                   ? 64
         : type == "f16" || type == "bf16" ? 16
         : type[1] == '8'                  ? 8
         : type[1] == '4'                  ? 4
                                           : 32;
}

uint64_t encoded(const std::string& type, int x) {
  const auto f = static_cast<float>(x);
  return type == "f16"                     ? f16(f)
         : type == "bf16"                  ? f32(f) >> 16
         : type == "f32" || type == "tf32" ? f32(f)
         : type == "f64"                   ? __builtin_bit_cast(uint64_t, static_cast<double>(x))
                                           : static_cast<uint64_t>(x) & ((uint64_t{1} << bits(type)) - 1);
}

int value(const std::string& type, uint32_t row, uint32_t col, uint32_t which) {
  const uint32_t x = mixed(row, col, which);
  return type == "b1"     ? static_cast<int>(x % 2)
         : type[0] == 'u' ? static_cast<int>(x % 7)
                          : static_cast<int>(x % 7) - 3;
}

// Elements from row to row, or column to column: with room between them.
uint32_t distance(const std::string& type, uint32_t length) {
  return length + (bits(type) < 8 ? 128 / bits(type) : 8);
}

struct Matrix {
  std::string type;
  bool col;
  uint32_t rows, cols;
  std::vector<uint8_t> bytes = {};

  uint32_t stride() const { return distance(type, col ? rows : cols); }
  Matrix& make() {
    bytes.resize(size_t{stride()} * (col ? cols : rows) * bits(type) / 8, 0x55);
    return *this;
  }
  void set(uint32_t r, uint32_t c, uint64_t x) {
    const size_t at = (col ? size_t{c} * stride() + r : size_t{r} * stride() + c) * bits(type);
    for (uint32_t b = 0; b < bits(type); ++b) {
      uint8_t& byte = bytes[(at + b) / 8];
      const auto bit = static_cast<uint8_t>(1 << (at + b) % 8);
      byte = static_cast<uint8_t>((x >> b & 1) != 0 ? byte | bit : byte & ~bit);
    }
  }
};

std::string registers(char name, uint32_t count) { return Registers{count}.list(name); }

void check(const Form& f, bool col_a, bool col_b, bool col_c) {
  const auto word = [](bool col) { return std::string(col ? "col" : "row"); };
  const std::string shape = "m" + std::to_string(f.m) + "n" + std::to_string(f.n) + "k" + std::to_string(f.k);
  Matrix a = {f.ab, col_a, f.m, f.k}, b = {f.ab, col_b, f.k, f.n}, c = {f.dc, col_c, f.m, f.n};
  a.make(), b.make(), c.make();
  Matrix expected = c;
  for (uint32_t k = 0; k < f.k; ++k) {
    for (uint32_t row = 0; row < f.m; ++row) {
      a.set(row, k, encoded(f.ab, value(f.ab, row, k, 1)));
    }
    for (uint32_t col = 0; col < f.n; ++col) {
      b.set(k, col, encoded(f.ab, value(f.ab, k, col, 2)));
    }
  }
  for (uint32_t row = 0; row < f.m; ++row) {
    for (uint32_t col = 0; col < f.n; ++col) {
      int sum = value(f.dc, row, col, 3);
      c.set(row, col, encoded(f.dc, sum));
      for (uint32_t k = 0; k < f.k; ++k) {
        const int x = value(f.ab, row, k, 1), y = value(f.ab, k, col, 2);
        sum += f.op.substr(0, 3) == "xor" ? x ^ y : x * y;
      }
      expected.set(row, col, encoded(f.dc, sum));
    }
  }
  const std::string reg = bits(f.dc) == 64 ? ".reg .f64 " : f.dc == "f32" ? ".reg .f32 " : ".reg .b32 ";
  const std::string reg_ab = bits(f.ab) == 64 ? ".reg .f64 " : ".reg .b32 ";
  const std::string types =
      f.types_of_factors ? f.dc + "." + f.ab + "." + f.ab + "." + f.dc : f.dc + "." + f.dc;
  const auto load = [&](const std::string& which, const std::string& layout, char r, uint32_t count,
                        const Matrix& m) {
    return "ld.param.u64 %q, [p" + which + "];\nwmma.load." + which + ".sync.aligned." + layout + "." +
           shape + ".global." + m.type + " " + registers(r, count) + ", [%q], " + std::to_string(m.stride()) +
           ";\n";
  };
  const std::string text =
      ".entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd) {\n.reg .b64 %q; " + reg_ab +
      "%a<9>, %b<9>; " + reg + "%c<9>, %d<9>;\n" + load("a", word(col_a), 'a', f.a, a) +
      load("b", word(col_b), 'b', f.b, b) + load("c", word(col_c), 'c', f.c, c) + "wmma.mma" +
      (f.op.empty() ? "" : "." + f.op) + ".sync.aligned." + word(col_a) + "." + word(col_b) + "." + shape +
      "." + types + " " + registers('d', f.c) + ", " + registers('a', f.a) + ", " + registers('b', f.b) +
      ", " + registers('c', f.c) + ";\nld.param.u64 %q, [pd];\nwmma.store.d.sync.aligned." + word(col_c) +
      "." + shape + ".global." + f.dc + " [%q], " + registers('d', f.c) + ", " + std::to_string(c.stride()) +
      ";\nret; }\n";
  INFO(text);
  Case run(text);
  const Matrix filler = Matrix{f.dc, col_c, f.m, f.n}.make();
  const uint64_t pd = run.buffer(filler.bytes);
  run.run("k", {1}, {32}, {run.buffer(a.bytes), run.buffer(b.bytes), run.buffer(c.bytes), pd});
  CHECK(run.get<uint8_t>(pd, expected.bytes.size()) == expected.bytes);
}

}  // namespace

TEST_CASE("products of all shapes, types and layouts") {
  std::vector<Form> forms = {
      {"f16", "f16", 16, 16, 16, 8, 8, 4, false, ""}, {"f16", "f32", 16, 16, 16, 8, 8, 8, false, ""},
      {"f16", "f16", 8, 32, 16, 8, 8, 4, false, ""},  {"f16", "f32", 8, 32, 16, 8, 8, 8, false, ""},
      {"f16", "f16", 32, 8, 16, 8, 8, 4, false, ""},  {"f16", "f32", 32, 8, 16, 8, 8, 8, false, ""},
      {"bf16", "f32", 16, 16, 16, 4, 4, 8, true, ""}, {"bf16", "f32", 8, 32, 16, 2, 8, 8, true, ""},
      {"bf16", "f32", 32, 8, 16, 8, 2, 8, true, ""},  {"tf32", "f32", 16, 16, 8, 4, 4, 8, true, ""},
      {"f64", "f64", 8, 8, 4, 1, 1, 2, true, ""},
  };
  for (const std::string t : {"s8", "u8"}) {
    forms.push_back({t, "s32", 16, 16, 16, 2, 2, 8, true, ""});
    forms.push_back({t, "s32", 8, 32, 16, 1, 4, 8, true, ""});
    forms.push_back({t, "s32", 32, 8, 16, 4, 1, 8, true, ""});
  }
  for (const Form& f : forms) {
    for (const uint32_t layouts : {0, 1, 2, 3, 4, 7}) {
      check(f, (layouts & 1) != 0, (layouts & 2) != 0, (layouts & 4) != 0);
    }
  }
  for (const bool col_c : {false, true}) {
    check({"s4", "s32", 8, 8, 32, 1, 1, 2, true, ""}, false, true, col_c);
    check({"u4", "s32", 8, 8, 32, 1, 1, 2, true, ""}, false, true, col_c);
    check({"b1", "s32", 8, 8, 128, 1, 1, 2, true, "xor.popc"}, false, true, col_c);
    check({"b1", "s32", 8, 8, 128, 1, 1, 2, true, "and.popc"}, false, true, col_c);
  }
}

TEST_CASE("a matrix without a stride, and what is wrong") {
  const auto text = [](const std::string& stride) {
    return ".entry k(.param .u64 p) { .reg .b64 %q; .reg .b32 %r<9>; ld.param.u64 %q, [p];\n"
           "wmma.load.a.sync.aligned.row.m8n8k32.global.s4 {%r0}, [%q]" +
           stride +
           ";\nadd.u32 %r0, %r0, %r0;\n"
           "wmma.load.c.sync.aligned.row.m8n8k32.global.s32 {%r1, %r2}, [%q];\n"
           "wmma.store.d.sync.aligned.row.m8n8k32.global.s32 [%q], {%r2, %r1};\n ret; }";
  };
  // Columns 2t and 2t + 1 change places.
  std::vector<uint32_t> words(64), expected(64);
  for (uint32_t i = 0; i < 64; ++i) {
    words[i] = i;
    expected[i] = i ^ 1;
  }
  Case c(text(""));
  const uint64_t p = c.buffer(words);
  c.run("k", {1}, {32}, {p});
  CHECK(c.get<uint32_t>(p, 64) == expected);
  CHECK(
      Case(text(", 33")).error("k", {1}, {32}, {p}).find("a stride of 33 elements (legal: multiples of 8)") !=
      std::string::npos);
  CHECK(Case(text(""))
            .error("k", {1}, {32}, {0x10})
            .find("t.ptx:3: load of 4 bytes at 0x10 in global memory") != std::string::npos);
}

TEST_CASE("an instruction for whole warps without one") {
  const std::string text =
      ".entry k(.param .u64 p) { .reg .b32 %r<4>; .reg .pred %p; mov.u32 %r0, %tid.x;\n"
      "setp.lt.u32 %p, %r0, 5;\n"
      "@%p bra there; movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r0;\nthere: ret; }";
  CHECK(Case(text).error("k", {1}, {16}, {0}).find("for whole warps in one with lanes 0xffff only") !=
        std::string::npos);
  // Five lanes end, and the others wait for them.
  const std::string error = Case(text).error("k", {1}, {32}, {0});
  CHECK(error.find("t.ptx:4") != std::string::npos);
}

TEST_CASE("lanes that come from two sides do it together") {
  const auto out = stored(
      "setp.lt.u32 %p1, %r31, 16; mov.u32 %r1, %r31; mov.u32 %r2, 0; @%p1 bra low;\n"
      "add.u32 %r2, %r2, 1;\nbra.uni both;\nlow: add.u32 %r2, %r2, 2;\n"
      "both: movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;",
      {1}, {32});
  CHECK(out[0] == (0U | 4U << 16));  // rows 0 and 1 of column 0: lanes 0 and 4
  // Lane 9: rows 2 and 3 of column 2, which are in the low halves of lanes 9 and 13.
  CHECK(out[9] == (9U | 13U << 16));
}

TEST_CASE("lanes that come to it one after the other wait for each other, and go on from there") {
  // Both sides of a branch call the function that it is in.
  const auto out = stored(
      "setp.lt.u32 %p1, %r31, 16; @%p1 bra low;\n"
      "call (%r0), f, (%r31); add.u32 %r0, %r0, 1; bra.uni end;\nlow: call (%r0), f, (%r31);",
      {1}, {32}, ".func (.reg .b32 d) f(.reg .b32 a) { movmatrix.sync.aligned.m8n8.trans.b16 d, a; ret; }\n");
  for (uint32_t lane = 0; lane < 32; ++lane) {
    // Rows 2 (lane % 4) and the next of column lane / 4; the numbers stand in the even columns.
    const uint32_t column = lane / 4, row = lane % 4 * 2;
    const uint32_t expected = column % 2 != 0 ? 0 : (row * 4 + column / 2) | (row * 4 + 4 + column / 2) << 16;
    CHECK(out[lane] == expected + (lane < 16 ? 0 : 1));
  }
}

}  // namespace heddle::exec::test
