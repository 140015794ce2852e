// mma.sp: which elements the metadata picks, and which lanes have it (PTX manual, mma.sp; ptx.md 4.6).
#include <catch2/catch.hpp>

#include <array>

#include "tests/exec/matrix/matrix_case.h"

namespace heddle::exec::test {
namespace {

struct Form {
  std::string shape, types;
  uint32_t k, width;     // of an element of A and B, bits
  uint32_t group, kept;  // elements of A's row, and how many of them are kept
  uint32_t lanes;        // of a quad that have metadata
  uint64_t (*encode)(int x);
  uint32_t selectors;
};

int a_value(uint32_t row, uint32_t k) { return static_cast<int>(mixed(row, k, 1) % 7) - 3; }
int b_value(uint32_t k, uint32_t col) { return static_cast<int>(mixed(k, col, 2) % 7) - 3; }

// The four bits of a group: two of four units, in order.
uint32_t indices(uint32_t row, uint32_t group, bool tf32) {
  if (tf32) {
    return mixed(row, group, 3) % 2 != 0 ? 14 : 4;
  }
  constexpr std::array<uint32_t, 6> kPairs = {4, 8, 9, 12, 13, 14};
  return kPairs[mixed(row, group, 3) % 6];
}

void check(const Form& f, uint32_t selector, const std::string& variant) {
  const bool tf32 = f.group == 2, pairs = f.group == 8, f16_sums = f.types.substr(0, 3) == "f16";
  const uint32_t per = f.width >= 32 ? 1 : 32 / f.width;
  const uint32_t kept = f.k / 2;
  // Place in the whole row of element j of the kept ones.
  const auto source = [&](uint32_t row, uint32_t j) {
    const uint32_t group = j / f.kept, two = indices(row, group, tf32);
    const uint32_t in = j % f.kept;
    const uint32_t first = two & 3, second = two >> 2;
    return group * f.group + (tf32    ? first / 2
                              : pairs ? 2 * (in < 2 ? first : second) + in % 2
                                      : (in == 0 ? first : second));
  };
  const Registers ra = {16 * kept / per / 32}, rb = {8 * f.k / per / 32}, rc = {f16_sums ? 2U : 4U};
  Lanes va(32 * ra.count), vb(32 * rb.count), vc(32 * rc.count), ve(32, 0xdeadbeef), expected(32 * rc.count);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t g = lane / 4, t = lane % 4;
    for (uint32_t r = 0; r < ra.count; ++r) {
      for (uint32_t i = 0; i < per; ++i) {
        const uint32_t row = g + 8 * (r % 2), j = per * t + i + 4 * per * (r / 2);
        va[lane * ra.count + r] |= f.encode(a_value(row, source(row, j))) << i * f.width;
      }
    }
    for (uint32_t r = 0; r < rb.count; ++r) {
      for (uint32_t i = 0; i < per; ++i) {
        vb[lane * rb.count + r] |= f.encode(b_value(per * t + i + 4 * per * r, g)) << i * f.width;
      }
    }
    for (uint32_t i = 0; i < 4; ++i) {
      const uint32_t row = g + 8 * (i / 2), col = 2 * t + i % 2;
      int sum = 0;
      for (uint32_t j = 0; j < kept; ++j) {
        sum += a_value(row, source(row, j)) * b_value(source(row, j), col);
      }
      const uint64_t bits = f16_sums                        ? f16(static_cast<float>(sum))
                            : f.types.substr(0, 3) == "s32" ? static_cast<uint32_t>(sum)
                                                            : f32(static_cast<float>(sum));
      expected[lane * rc.count + (f16_sums ? i / 2 : i)] |= f16_sums ? bits << 16 * (i % 2) : bits;
    }
    // Metadata: lane `part` of those that have it.
    const uint32_t part = t - selector * f.lanes;
    if (t / f.lanes != selector) {
      continue;
    }
    uint64_t e = 0;
    for (uint32_t i = 0; i < 8; ++i) {
      // Wide elements: half a register each of rows g and g + 8. Narrow ones: rows g and g + 8 alternate.
      const uint32_t row = f.width >= 16 ? g + 8 * (i / 4) : g + 8 * (part % 2);
      const uint32_t group = f.width >= 16 ? 4 * part + i % 4 : 8 * (part / 2) + i;
      e |= uint64_t{indices(row, group, tf32)} << 4 * i;
    }
    ve[lane] = e;
  }
  const std::string opcode = "mma.sp" + variant + ".sync.aligned." + f.shape + ".row.col." + f.types;
  INFO(opcode << " selector " << selector);
  CHECK(run_mma(opcode, ra, rb, rc, rc, va, vb, vc, ", %e0, " + std::to_string(selector), ve) == expected);
}

uint64_t f16_of(int x) { return f16(static_cast<float>(x)); }
uint64_t bf16_of(int x) { return f32(static_cast<float>(x)) >> 16; }
uint64_t tf32_of(int x) { return f32(static_cast<float>(x)); }
uint64_t e5m2_of(int x) { return f16(static_cast<float>(x)) >> 8; }
uint64_t s8_of(int x) { return static_cast<uint8_t>(x); }
uint64_t s4_of(int x) { return static_cast<uint32_t>(x) & 15; }

}  // namespace

TEST_CASE("sparse products of all types, all selectors") {
  const std::vector<Form> forms = {
      {"m16n8k16", "f32.f16.f16.f32", 16, 16, 4, 2, 1, f16_of, 4},
      {"m16n8k32", "f32.f16.f16.f32", 32, 16, 4, 2, 2, f16_of, 2},
      {"m16n8k16", "f16.f16.f16.f16", 16, 16, 4, 2, 1, f16_of, 4},
      {"m16n8k32", "f16.f16.f16.f16", 32, 16, 4, 2, 2, f16_of, 2},
      {"m16n8k16", "f32.bf16.bf16.f32", 16, 16, 4, 2, 1, bf16_of, 4},
      {"m16n8k32", "f32.bf16.bf16.f32", 32, 16, 4, 2, 2, bf16_of, 2},
      {"m16n8k8", "f32.tf32.tf32.f32", 8, 32, 2, 1, 1, tf32_of, 4},
      {"m16n8k16", "f32.tf32.tf32.f32", 16, 32, 2, 1, 2, tf32_of, 2},
      {"m16n8k32", "s32.s8.s8.s32", 32, 8, 4, 2, 2, s8_of, 2},
      {"m16n8k64", "s32.s8.s8.s32", 64, 8, 4, 2, 4, s8_of, 1},
      {"m16n8k64", "f32.e5m2.e5m2.f32", 64, 8, 4, 2, 4, e5m2_of, 1},
      {"m16n8k64", "s32.s4.s4.s32", 64, 4, 8, 4, 2, s4_of, 2},
      {"m16n8k128", "s32.s4.s4.s32", 128, 4, 8, 4, 4, s4_of, 1},
  };
  for (const Form& f : forms) {
    for (uint32_t selector = 0; selector < f.selectors; ++selector) {
      check(f, selector, "");
    }
  }
  check(forms[1], 1, "::ordered_metadata");
}

TEST_CASE("a selector that there is not") {
  WarpCode code;
  code.in = {{'a', {4}}, {'b', {4}}, {'c', {4}}};
  code.out = {4};
  code.text =
      "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3},\n"
      "{%b0, %b1, %b2, %b3}, {%c0, %c1, %c2, %c3}, %t0, 2;";
  std::string error;
  const Lanes four(32 * 4);
  try {
    run(code, {four, four, four});
  } catch (const ptx::NotCovered& e) {
    error = e.lines().at(0);
  }
  CHECK(error.find("t.ptx:") == 0);
  CHECK(error.find("sparsity selector 2 (legal: 0 to 1)") != std::string::npos);
}

}  // namespace heddle::exec::test
