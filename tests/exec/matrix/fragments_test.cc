// Where mma has its elements, for every shape and type of sm_90: the formulas of ptx.md 4.1 as they stand
// there, against a plain product of small whole numbers.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "tests/exec/matrix/matrix_case.h"

namespace heddle::exec::test {
namespace {

using Place = std::pair<uint32_t, uint32_t>;
// Of lane (g, t), element i.
using Map = Place (*)(uint32_t g, uint32_t t, uint32_t i);

struct Form {
  uint32_t m, n, k;
  std::string ab, c;                            // types
  uint32_t a_elements, b_elements, c_elements;  // of a lane
  Map a, b, c_map;                              // row and column of A; row (of K) and column of B
};

uint32_t bits(const std::string& type) {
  return type == "b1"                                                       ? 1
         : type == "s4" || type == "u4"                                     ? 4
         : type == "s8" || type == "u8" || type == "e4m3" || type == "e5m2" ? 8
         : type == "f16" || type == "bf16"                                  ? 16
         : type == "f64"                                                    ? 64
                                                                            : 32;
}

// A whole number that the type has, of any 32 bits.
int64_t number(const std::string& type, uint32_t x) {
  if (type == "b1") {
    return x & 1;
  }
  if (type == "u4" || type == "u8") {
    return x % (1U << bits(type));
  }
  if (type == "s4" || type == "s8") {
    return static_cast<int64_t>(x % (1U << bits(type))) - (1 << (bits(type) - 1));
  }
  return static_cast<int64_t>(x % 7) - 3;
}

uint64_t encoded(const std::string& type, int64_t x) {
  const auto f = static_cast<float>(x);
  if (type == "f16") {
    return f16(f);
  }
  if (type == "bf16") {
    return f32(f) >> 16;
  }
  if (type == "f32" || type == "tf32") {
    return f32(f);
  }
  if (type == "f64") {
    return __builtin_bit_cast(uint64_t, static_cast<double>(x));
  }
  if (type == "e5m2") {
    return f16(f) >> 8;
  }
  if (type == "e4m3") {
    // Of f16, whose exponent counts from 15 instead of 7; three bits of the fraction.
    const uint64_t h = f16(f);
    return x == 0 ? 0 : (h >> 8 & 0x80) | ((h & 0x7fff) - (8 << 10)) >> 7;
  }
  return static_cast<uint64_t>(x) & ((uint64_t{1} << bits(type)) - 1);
}

Registers registers(const std::string& type, uint32_t elements) {
  return bits(type) >= 32 ? Registers{elements, bits(type) == 64} : Registers{elements * bits(type) / 32};
}

void put(Lanes& lanes, const Registers& r, const std::string& type, uint32_t lane, uint32_t i, int64_t x) {
  const uint32_t per = bits(type) >= 32 ? 1 : 32 / bits(type);
  lanes[lane * r.count + i / per] |= encoded(type, x) << i % per * bits(type);
}

void check(const Form& f, const std::string& type_b, const std::string& opcode) {
  INFO(opcode);
  const Registers ra = registers(f.ab, f.a_elements), rb = registers(type_b, f.b_elements),
                  rc = registers(f.c, f.c_elements);
  const auto a = [&](uint32_t row, uint32_t k) { return number(f.ab, mixed(row, k, 1)); };
  const auto b = [&](uint32_t k, uint32_t col) { return number(type_b, mixed(k, col, 2)); };
  const auto c = [&](uint32_t row, uint32_t col) {
    return static_cast<int64_t>(mixed(row, col, 3) % 50) - 20;
  };
  Lanes va(32 * ra.count), vb(32 * rb.count), vc(32 * rc.count);
  Lanes expected(32 * rc.count);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t g = lane / 4, t = lane % 4;
    for (uint32_t i = 0; i < f.a_elements; ++i) {
      const Place p = f.a(g, t, i);
      REQUIRE((p.first < f.m && p.second < f.k));
      put(va, ra, f.ab, lane, i, a(p.first, p.second));
    }
    for (uint32_t i = 0; i < f.b_elements; ++i) {
      const Place p = f.b(g, t, i);
      REQUIRE((p.first < f.k && p.second < f.n));
      put(vb, rb, type_b, lane, i, b(p.first, p.second));
    }
    for (uint32_t i = 0; i < f.c_elements; ++i) {
      const auto [row, col] = f.c_map(g, t, i);
      put(vc, rc, f.c, lane, i, c(row, col));
      int64_t sum = c(row, col);
      for (uint32_t k = 0; k < f.k; ++k) {
        sum += opcode.find(".xor.") != std::string::npos ? a(row, k) ^ b(k, col) : a(row, k) * b(k, col);
      }
      put(expected, rc, f.c, lane, i, sum);
    }
  }
  CHECK(run_mma(opcode, ra, rb, rc, rc, va, vb, vc) == expected);
}

Place sums(uint32_t g, uint32_t t, uint32_t i) { return {g + 8 * (i >> 1), 2 * t + (i & 1)}; }

}  // namespace

TEST_CASE("floating point") {
  const Map a_k8 = [](uint32_t g, uint32_t t, uint32_t i) {
    return Place{i < 2 ? g : g + 8, 2 * t + (i & 1)};
  };
  const Map b_k8 = [](uint32_t g, uint32_t t, uint32_t i) { return Place{2 * t + i, g}; };
  const Map a_k16 = [](uint32_t g, uint32_t t, uint32_t i) {
    return Place{g + 8 * (i >> 1 & 1), 2 * t + (i & 1) + 8 * (i >> 2)};
  };
  const Map b_k16 = [](uint32_t g, uint32_t t, uint32_t i) {
    return Place{2 * t + (i & 1) + 8 * (i >> 1), g};
  };
  const Map a_words = [](uint32_t g, uint32_t t, uint32_t i) {
    return Place{g + 8 * (i & 1), t + 4 * (i >> 1)};
  };
  const Map b_words = [](uint32_t g, uint32_t t, uint32_t i) { return Place{t + 4 * i, g}; };
  const Map single = [](uint32_t g, uint32_t t, uint32_t) { return Place{g, t}; };
  for (const std::string c : {"f16", "f32"}) {
    for (const std::string ab : {"f16", "bf16"}) {
      if (ab == "bf16" && c == "f16") {
        continue;
      }
      const std::string types = fmt::format("{0}.{1}.{1}.{0}", c, ab);
      check({16, 8, 8, ab, c, 4, 2, 4, a_k8, b_k8, sums}, ab, "mma.sync.aligned.m16n8k8.row.col." + types);
      check({16, 8, 16, ab, c, 8, 4, 4, a_k16, b_k16, sums}, ab,
            "mma.sync.aligned.m16n8k16.row.col." + types);
    }
  }
  const std::string tf32 = ".row.col.f32.tf32.tf32.f32", f64 = ".row.col.f64.f64.f64.f64";
  check({16, 8, 4, "tf32", "f32", 2, 1, 4, a_words, b_words, sums}, "tf32",
        "mma.sync.aligned.m16n8k4" + tf32);
  check({16, 8, 8, "tf32", "f32", 4, 2, 4, a_words, b_words, sums}, "tf32",
        "mma.sync.aligned.m16n8k8" + tf32);
  check({8, 8, 4, "f64", "f64", 1, 1, 2, single, b_words, sums}, "f64", "mma.sync.aligned.m8n8k4" + f64);
  check({16, 8, 4, "f64", "f64", 2, 1, 4, a_words, b_words, sums}, "f64", "mma.sync.aligned.m16n8k4" + f64);
  check({16, 8, 8, "f64", "f64", 4, 2, 4, a_words, b_words, sums}, "f64", "mma.sync.aligned.m16n8k8" + f64);
  check({16, 8, 16, "f64", "f64", 8, 4, 4, a_words, b_words, sums}, "f64", "mma.sync.aligned.m16n8k16" + f64);
}

TEST_CASE("8 bits") {
  const Map a_k16 = [](uint32_t g, uint32_t t, uint32_t i) {
    return Place{g + 8 * (i >> 2), 4 * t + (i & 3)};
  };
  const Map b_k16 = [](uint32_t g, uint32_t t, uint32_t i) { return Place{4 * t + i, g}; };
  const Map a_k32 = [](uint32_t g, uint32_t t, uint32_t i) {
    return Place{g + 8 * (i >> 2 & 1), 4 * t + (i & 3) + 16 * (i >> 3)};
  };
  const Map b_k32 = [](uint32_t g, uint32_t t, uint32_t i) {
    return Place{4 * t + (i & 3) + 16 * (i >> 2), g};
  };
  const Map a_m8 = [](uint32_t g, uint32_t t, uint32_t i) { return Place{g, 4 * t + i}; };
  for (const std::string a : {"s8", "u8"}) {
    for (const std::string b : {"s8", "u8"}) {
      const std::string types = fmt::format(".row.col.s32.{}.{}.s32", a, b);
      check({8, 8, 16, a, "s32", 4, 4, 2, a_m8, b_k16, sums}, b, "mma.sync.aligned.m8n8k16" + types);
      check({16, 8, 16, a, "s32", 8, 4, 4, a_k16, b_k16, sums}, b, "mma.sync.aligned.m16n8k16" + types);
      check({16, 8, 32, a, "s32", 16, 8, 4, a_k32, b_k32, sums}, b, "mma.sync.aligned.m16n8k32" + types);
    }
  }
  for (const std::string a : {"e4m3", "e5m2"}) {
    for (const std::string b : {"e4m3", "e5m2"}) {
      for (const std::string c : {"f16", "f32"}) {
        const std::string types = fmt::format(".row.col.{0}.{1}.{2}.{0}", c, a, b);
        check({16, 8, 16, a, c, 8, 4, 4, a_k16, b_k16, sums}, b, "mma.sync.aligned.m16n8k16" + types);
        check({16, 8, 32, a, c, 16, 8, 4, a_k32, b_k32, sums}, b, "mma.sync.aligned.m16n8k32" + types);
      }
    }
  }
}

TEST_CASE("4 bits and 1 bit") {
  const Map a_m8 = [](uint32_t g, uint32_t t, uint32_t i) { return Place{g, 8 * t + i}; };
  const Map a_k32 = [](uint32_t g, uint32_t t, uint32_t i) {
    return Place{g + 8 * (i >> 3), 8 * t + (i & 7)};
  };
  const Map b_k32 = [](uint32_t g, uint32_t t, uint32_t i) { return Place{8 * t + i, g}; };
  const Map a_k64 = [](uint32_t g, uint32_t t, uint32_t i) {
    return Place{g + 8 * (i >> 3 & 1), 8 * t + (i & 7) + 32 * (i >> 4)};
  };
  const Map b_k64 = [](uint32_t g, uint32_t t, uint32_t i) {
    return Place{8 * t + (i & 7) + 32 * (i >> 3), g};
  };
  for (const std::string a : {"s4", "u4"}) {
    for (const std::string b : {"s4", "u4"}) {
      const std::string types = fmt::format(".row.col.s32.{}.{}.s32", a, b);
      check({8, 8, 32, a, "s32", 8, 8, 2, a_m8, b_k32, sums}, b, "mma.sync.aligned.m8n8k32" + types);
      check({16, 8, 32, a, "s32", 16, 8, 4, a_k32, b_k32, sums}, b, "mma.sync.aligned.m16n8k32" + types);
      check({16, 8, 64, a, "s32", 32, 16, 4, a_k64, b_k64, sums}, b, "mma.sync.aligned.m16n8k64" + types);
    }
  }
  const Map bits_m8 = [](uint32_t g, uint32_t t, uint32_t i) { return Place{g, 32 * t + i}; };
  const Map bits_a = [](uint32_t g, uint32_t t, uint32_t i) {
    return Place{g + 8 * (i >> 5 & 1), 32 * t + (i & 31) + 128 * (i >> 6)};
  };
  const Map bits_b = [](uint32_t g, uint32_t t, uint32_t i) {
    return Place{32 * t + (i & 31) + 128 * (i >> 5), g};
  };
  for (const std::string op : {"xor", "and"}) {
    const std::string types = ".row.col.s32.b1.b1.s32." + op + ".popc";
    check({8, 8, 128, "b1", "s32", 32, 32, 2, bits_m8, bits_b, sums}, "b1",
          "mma.sync.aligned.m8n8k128" + types);
    check({16, 8, 128, "b1", "s32", 64, 32, 4, bits_a, bits_b, sums}, "b1",
          "mma.sync.aligned.m16n8k128" + types);
    check({16, 8, 256, "b1", "s32", 128, 64, 4, bits_a, bits_b, sums}, "b1",
          "mma.sync.aligned.m16n8k256" + types);
  }
}

// Four products of 8x8x4, each of lanes 4q to 4q + 3 and 16 + 4q to 16 + 4q + 3.
TEST_CASE("m8n8k4 of f16") {
  const auto a = [](uint32_t q, uint32_t row, uint32_t k) { return number("f16", mixed(row, k, q)); };
  const auto b = [](uint32_t q, uint32_t k, uint32_t col) { return number("f16", mixed(k, col, q + 9)); };
  for (const std::string la : {"row", "col"}) {
    for (const std::string lb : {"row", "col"}) {
      for (const std::string dc : {"f16.f16", "f32.f16", "f32.f32"}) {
        const std::string d_type = dc.substr(0, 3), c_type = dc.substr(4);
        const Registers two = {2}, rc = registers(c_type, 8), rd = registers(d_type, 8);
        Lanes va(64), vb(64), vc(32 * rc.count), expected(32 * rd.count);
        for (uint32_t lane = 0; lane < 32; ++lane) {
          const uint32_t q = lane / 4 % 4, low = lane % 4, high = lane >= 16 ? 4 : 0;
          for (uint32_t i = 0; i < 4; ++i) {
            put(va, two, "f16", lane, i, la == "row" ? a(q, low + high, i) : a(q, i + high, low));
            put(vb, two, "f16", lane, i, lb == "row" ? b(q, low, i + high) : b(q, i, low + high));
          }
          for (uint32_t i = 0; i < 8; ++i) {
            const auto at = [&](const std::string& type) {
              return type == "f16" ? Place{low + high, i}
                                   : Place{(lane & 1) + (i & 2) + high, (i & 4) + (lane & 2) + (i & 1)};
            };
            const auto c = [&](Place p) { return number("f16", mixed(p.first, p.second, 77 + q)); };
            put(vc, rc, c_type, lane, i, c(at(c_type)));
            const Place p = at(d_type);
            int64_t sum = c(p);
            for (uint32_t k = 0; k < 4; ++k) {
              sum += a(q, p.first, k) * b(q, k, p.second);
            }
            put(expected, rd, d_type, lane, i, sum);
          }
        }
        const std::string opcode =
            fmt::format("mma.sync.aligned.m8n8k4.{}.{}.{}.f16.f16.{}", la, lb, d_type, c_type);
        INFO(opcode);
        CHECK(run_mma(opcode, two, two, rc, rd, va, vb, vc) == expected);
      }
    }
  }
}

}  // namespace heddle::exec::test
