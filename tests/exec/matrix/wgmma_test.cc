// wgmma: operands in shared memory by descriptors, against matrices that are put there as a plain description
// of the layouts says: chunks of 16 bytes in lines of 32, 64 or 128 bytes, whose places are exchanged.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include <bit>
#include <functional>

#include "tests/exec/matrix/matrix_case.h"

namespace heddle::exec::test {
namespace {

constexpr uint32_t kThreads = 128, kWords = 64;  // of shared memory, for each thread: 32 KiB
constexpr uint32_t kBytes = kThreads * kWords * 4;
constexpr uint32_t kOfB = kBytes / 2;

int value(uint32_t row, uint32_t k, uint32_t which) { return static_cast<int>(mixed(row, k, which) % 7) - 3; }

// A matrix in shared memory and the descriptor's fields but for its address.
struct Layout {
  uint32_t swizzle = 0;  // bytes of a line
  bool mn_major = false;
  uint32_t element = 2;  // bytes
  uint32_t leading = 0, stride = 0;

  uint64_t descriptor() const {
    const uint64_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
    return uint64_t{leading} >> 4 << 16 | uint64_t{stride} >> 4 << 32 | mode << 62;
  }

  // Bytes from the matrix's beginning, which is at a multiple of 1024.
  uint32_t at(uint32_t row, uint32_t k) const {
    const uint32_t along = mn_major ? row : k, across = mn_major ? k : row;
    if (swizzle == 0) {
      // Blocks of 8 lines of 16 bytes. `leading`: to the next block along K, `stride`: along M or N.
      const uint32_t bytes = along * element, block = bytes / 16, next = across / 8;
      return (mn_major ? next : block) * leading + (mn_major ? block : next) * stride + across % 8 * 16 +
             bytes % 16;
    }
    const uint32_t bytes = along * element, block = bytes / swizzle;
    const uint32_t line = across % 8, chunk = bytes % swizzle / 16;
    // Every 128 bytes the order changes: with lines of 64 bytes every second line, of 32 every fourth.
    const uint32_t place = chunk ^ (line * swizzle / 128 % (swizzle / 16));
    return across / 8 * stride + block * leading + line * swizzle + place * 16 + bytes % 16;
  }
};

void store(std::vector<uint8_t>& memory, uint32_t at, uint64_t bits, uint32_t bytes) {
  REQUIRE(at + bytes <= memory.size());
  for (uint32_t i = 0; i < bytes; ++i) {
    memory[at + i] = static_cast<uint8_t>(bits >> 8 * i);
  }
}

Lanes as_lanes(const std::vector<uint8_t>& memory) {
  Lanes out(kThreads * kWords);
  for (size_t i = 0; i < out.size(); ++i) {
    for (size_t b = 0; b < 4; ++b) {
      out[i] |= uint64_t{memory[4 * i + b]} << 8 * b;
    }
  }
  return out;
}

struct Product {
  std::string opcode;  // behind wgmma.mma_async
  uint32_t n = 16, k = 16;
  uint32_t results = 8;
  std::string tail = ", 1, 1, 1, 0, 0";
  uint64_t descriptor_a = 0, descriptor_b = 0;
  uint32_t start_a = 0, start_b = kOfB;
  std::string accumulators = "";  // statements that set %d
  std::string a_registers;        // instead of a descriptor
};

// Fills shared memory with %a, makes the descriptors, multiplies.
WarpCode code_of(const Product& p) {
  WarpCode code;
  code.threads = kThreads;
  code.before = ".shared .align 1024 .b8 buf[" + std::to_string(kBytes) + "];\n";
  code.in = {{'a', {kWords}}};
  code.out = {p.results};
  code.text = "mov.u32 %t1, buf; mad.lo.u32 %t2, %t0, " + std::to_string(4 * kWords) + ", %t1;\n";
  for (uint32_t i = 0; i < kWords; ++i) {
    code.text += "st.shared.b32 [%t2+" + std::to_string(4 * i) + "], %a" + std::to_string(i) + ";\n";
  }
  const auto descriptor = [](const std::string& r, uint32_t start, uint64_t fields) {
    return "add.u32 %t2, %t1, " + std::to_string(start) +
           "; and.b32 %t2, %t2, 0x3ffff; shr.u32 %t2, %t2, 4;\n"
           "cvt.u64.u32 " +
           r + ", %t2; or.b64 " + r + ", " + r + ", " + std::to_string(fields) + ";\n";
  };
  code.text += "fence.proxy.async.shared::cta; bar.sync 0;\n" + descriptor("%q2", p.start_a, p.descriptor_a) +
               descriptor("%q3", p.start_b, p.descriptor_b);
  for (uint32_t i = 0; i < p.results; ++i) {
    code.text += "mov.b32 %d" + std::to_string(i) + ", 0;\n";
  }
  code.text += p.accumulators + "wgmma.fence.sync.aligned;\nwgmma.mma_async" + p.opcode + " " +
               code.out.list('d') + ", " + (p.a_registers.empty() ? "%q2" : p.a_registers) + ", %q3" +
               p.tail + ";\nwgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;";
  return code;
}

using Encode = std::function<uint64_t(int)>;
uint64_t f16_of(int x) { return f16(static_cast<float>(x)); }
uint64_t tf32_of(int x) { return f32(static_cast<float>(x)); }
uint64_t e5m2_of(int x) { return f16(static_cast<float>(x)) >> 8; }
uint64_t s8_of(int x) { return static_cast<uint8_t>(x); }

// Puts A and B there and compares with a plain product: D's register i of warp w, lane (g, t) is row 16w + g
// + 8 * (i / 2 % 2), column 8 * (i / 4) + 2t + i % 2.
void check(Product p, const Layout& a, const Layout& b, const Encode& encode, bool whole = false,
           int sign = 1) {
  INFO(p.opcode << p.tail << " a " << a.swizzle << a.mn_major << " b " << b.swizzle << b.mn_major);
  std::vector<uint8_t> memory(kBytes);
  for (uint32_t k = 0; k < p.k; ++k) {
    for (uint32_t row = 0; row < 64; ++row) {
      store(memory, p.start_a + a.at(row, k), encode(value(row, k, 1)), a.element);
    }
    for (uint32_t col = 0; col < p.n; ++col) {
      store(memory, p.start_b + b.at(col, k), encode(value(col, k, 2)), b.element);
    }
  }
  p.descriptor_a |= a.descriptor();
  p.descriptor_b |= b.descriptor();
  const Lanes d = run(code_of(p), {as_lanes(memory)});
  Lanes expected(kThreads * p.results);
  for (uint32_t thread = 0; thread < kThreads; ++thread) {
    const uint32_t g = thread % 32 / 4, t = thread % 4;
    for (uint32_t i = 0; i < p.n / 2; ++i) {
      const uint32_t row = thread / 32 * 16 + g + 8 * (i / 2 % 2), col = 8 * (i / 4) + 2 * t + i % 2;
      int sum = 0;
      for (uint32_t k = 0; k < p.k; ++k) {
        sum += sign * value(row, k, 1) * value(col, k, 2);
      }
      if (p.results == p.n / 4) {  // f16
        expected[thread * p.results + i / 2] |= f16(static_cast<float>(sum)) << 16 * (i % 2);
      } else {
        expected[thread * p.results + i] = whole ? static_cast<uint32_t>(sum) : f32(static_cast<float>(sum));
      }
    }
  }
  CHECK(d == expected);
}

// Layouts with room for 64 rows and K of 32 bytes.
Layout k_major(uint32_t swizzle, uint32_t element) {
  return swizzle == 0 ? Layout{0, false, element, 128, 256}
                      : Layout{swizzle, false, element, 16, 8 * swizzle};
}
Layout mn_major(uint32_t swizzle) {
  return swizzle == 0 ? Layout{0, true, 2, 1024, 128}
                      : Layout{swizzle, true, 2, 2 * 8 * swizzle, 8 * swizzle};
}

}  // namespace

TEST_CASE("f16: all layouts, both majors, of A and of B") {
  for (const uint32_t swizzle_a : {0, 32, 64, 128}) {
    for (const uint32_t swizzle_b : {0, 32, 64, 128}) {
      for (const int major : {0, 1, 2, 3}) {
        const Layout a = (major & 1) != 0 ? mn_major(swizzle_a) : k_major(swizzle_a, 2);
        const Layout b = (major & 2) != 0 ? mn_major(swizzle_b) : k_major(swizzle_b, 2);
        Product p;
        p.opcode = ".sync.aligned.m64n64k16.f32.f16.f16";
        p.n = 64;
        p.results = 32;
        p.tail = std::string(", 1, 1, 1, ") + (a.mn_major ? "1" : "0") + ", " + (b.mn_major ? "1" : "0");
        check(p, a, b, f16_of);
      }
    }
  }
}

TEST_CASE("the other types, along K") {
  for (const uint32_t swizzle : {0, 32, 64, 128}) {
    const auto with = [&](const std::string& opcode, uint32_t k, uint32_t results, const std::string& tail) {
      Product p;
      p.opcode = ".sync.aligned." + opcode;
      p.k = k;
      p.results = results;
      p.tail = tail;
      return p;
    };
    check(with("m64n16k16.f16.f16.f16", 16, 4, ", 1, 1, 1, 0, 0"), k_major(swizzle, 2), k_major(swizzle, 2),
          f16_of);
    check(with("m64n16k16.f32.bf16.bf16", 16, 8, ", 1, 1, 1, 0, 0"), k_major(swizzle, 2), k_major(swizzle, 2),
          [](int x) { return f32(static_cast<float>(x)) >> 16; });
    check(with("m64n16k8.f32.tf32.tf32", 8, 8, ", 1, 1, 1"), k_major(swizzle, 4), k_major(swizzle, 4),
          tf32_of);
    check(with("m64n16k32.f32.e5m2.e5m2", 32, 8, ", 1, 1, 1"), k_major(swizzle, 1), k_major(swizzle, 1),
          e5m2_of);
    check(with("m64n16k32.f16.e5m2.e5m2", 32, 4, ", 1, 1, 1"), k_major(swizzle, 1), k_major(swizzle, 1),
          e5m2_of);
    check(with("m64n16k32.s32.s8.s8", 32, 8, ", 1"), k_major(swizzle, 1), k_major(swizzle, 1), s8_of, true);
  }
}

TEST_CASE("bits: 256 of a row are 8 words") {
  for (const uint32_t swizzle : {0, 32, 64, 128}) {
    const Layout l = k_major(swizzle, 4);
    std::vector<uint8_t> memory(kBytes);
    for (uint32_t k = 0; k < 8; ++k) {
      for (uint32_t row = 0; row < 64; ++row) {
        store(memory, l.at(row, k), mixed(row, k, 1), 4);
      }
      for (uint32_t col = 0; col < 16; ++col) {
        store(memory, kOfB + l.at(col, k), mixed(col, k, 2), 4);
      }
    }
    Product p;
    p.opcode = ".sync.aligned.m64n16k256.s32.b1.b1.and.popc";
    p.tail = ", 1";
    p.descriptor_a = p.descriptor_b = l.descriptor();
    const Lanes d = run(code_of(p), {as_lanes(memory)});
    for (uint32_t thread = 0; thread < kThreads; ++thread) {
      const uint32_t row = thread / 32 * 16 + thread % 32 / 4 + 8, col = 8 + 2 * (thread % 4) + 1;
      uint64_t sum = 0;
      for (uint32_t k = 0; k < 8; ++k) {
        sum += static_cast<uint64_t>(std::popcount(mixed(row, k, 1) & mixed(col, k, 2)));
      }
      CHECK(d[thread * 8 + 7] == sum);
    }
  }
}

TEST_CASE("a start inside a line of 128 bytes") {
  // The second 32 bytes of each row: the exchange is by absolute addresses.
  const Layout a = k_major(128, 2);
  Product p;
  p.opcode = ".sync.aligned.m64n16k16.f32.f16.f16";
  std::vector<uint8_t> memory(kBytes);
  for (uint32_t k = 0; k < 64; ++k) {
    for (uint32_t row = 0; row < 64; ++row) {
      store(memory, a.at(row, k), f16_of(value(row, k, 1)), 2);
      if (row < 16) {
        store(memory, kOfB + a.at(row, k), f16_of(value(row, k, 2)), 2);
      }
    }
  }
  p.start_a = 32;
  p.start_b = kOfB + 96;
  p.descriptor_a = p.descriptor_b = a.descriptor();
  const Lanes d = run(code_of(p), {as_lanes(memory)});
  int sum = 0;
  for (uint32_t k = 0; k < 16; ++k) {
    sum += value(16 + 3, 16 + k, 1) * value(4, 48 + k, 2);
  }
  CHECK(of_f32(d[(32 + 3 * 4 + 2) * 8]) == sum);  // warp 1, g = 3, t = 2: row 19, column 4
}

TEST_CASE("a pattern that begins at an odd line of 128 bytes") {
  // 3 * 128 behind a multiple of 1024, with base offset 3.
  Product p;
  p.opcode = ".sync.aligned.m64n16k16.f32.f16.f16";
  p.start_a = 384;
  p.start_b = kOfB + 384;
  p.descriptor_a = p.descriptor_b = uint64_t{3} << 49;
  check(p, k_major(128, 2), k_major(128, 2), f16_of);
}

TEST_CASE("scales and the accumulator") {
  Product p;
  p.opcode = ".sync.aligned.m64n16k16.f32.f16.f16";
  p.tail = ", 1, -1, 1, 0, 0";
  check(p, k_major(0, 2), k_major(0, 2), f16_of, false, -1);
  p.tail = ", 1, 1, -1, 0, 0";
  check(p, k_major(0, 2), k_major(0, 2), f16_of, false, -1);
  p.tail = ", 1, -1, -1, 0, 0";
  check(p, k_major(0, 2), k_major(0, 2), f16_of);
  // With a false predicate what was in D does not count, be it NaN.
  p.tail = ", %p0, 1, 1, 0, 0";
  p.accumulators = "mov.b32 %d0, 0x7fffffff; mov.b32 %d1, 0x41200000; setp.ne.u32 %p0, %t0, %t0;\n";
  check(p, k_major(0, 2), k_major(0, 2), f16_of);
  p.accumulators = "mov.b32 %d0, 0x41200000; setp.eq.u32 %p0, %t0, %t0;\n";
  p.descriptor_a = p.descriptor_b = k_major(0, 2).descriptor();
  CHECK(of_f32(run(code_of(p), {Lanes(kThreads * kWords)})[0]) == 10);
}

TEST_CASE("A in registers") {
  // Register r of lane (g, t): row g + 8 * (r % 2), columns 2t, 2t + 1 and 8 more for r of 2 and 3. Here from
  // the thread's number, which is in all of them: A is 1 where its lane has an even number.
  Product p;
  p.opcode = ".sync.aligned.m64n8k16.f32.f16.f16";
  p.n = 8;
  p.results = 4;
  p.tail = ", 1, 1, 1, 0";
  p.a_registers = "{%a0, %a1, %a2, %a3}";
  const Layout b = k_major(32, 2);
  std::vector<uint8_t> memory(kBytes);
  for (uint32_t k = 0; k < 16; ++k) {
    for (uint32_t col = 0; col < 8; ++col) {
      store(memory, kOfB + b.at(col, k), f16_of(value(col, k, 2)), 2);
    }
  }
  p.descriptor_b = b.descriptor();
  p.accumulators = "";
  for (uint32_t r = 0; r < 4; ++r) {
    for (uint32_t half = 0; half < 2; ++half) {
      // value(row, k, 1) as f16, calculated from row and k: (5 * row + 3 * k) % 8.
      const std::string n = std::to_string(r);
      p.accumulators +=
          "{ .reg .b32 %x, %y; .reg .b16 %h; shr.u32 %x, %t0, 5; shl.b32 %x, %x, 4; and.b32 %y, %t0, 31; "
          "shr.u32 %y, %y, 2; add.u32 %x, %x, %y; add.u32 %x, %x, " +
          std::to_string(8 * (r % 2)) +
          ";\n"
          "and.b32 %y, %t0, 3; shl.b32 %y, %y, 1; add.u32 %y, %y, " +
          std::to_string(8 * (r / 2) + half) +
          "; mul.lo.u32 %x, %x, 5; mad.lo.u32 %x, %y, 3, %x; and.b32 %x, %x, 7;\n"
          "cvt.rn.f16.u32 %h, %x; mov.b32 %y, {0, %h}; " +
          (half == 0 ? fmt::format("shr.u32 %a{}, %y, 16; }}\n", n)
                     : fmt::format("or.b32 %a{0}, %a{0}, %y; }}\n", n));
    }
  }
  const Lanes d = run(code_of(p), {as_lanes(memory)});
  for (uint32_t thread = 0; thread < kThreads; ++thread) {
    for (uint32_t i = 0; i < 4; ++i) {
      const uint32_t row = thread / 32 * 16 + thread % 32 / 4 + 8 * (i / 2), col = 2 * (thread % 4) + i % 2;
      int sum = 0;
      for (uint32_t k = 0; k < 16; ++k) {
        sum += static_cast<int>((5 * row + 3 * k) % 8) * value(col, k, 2);
      }
      CHECK(of_f32(d[thread * 4 + i]) == sum);
    }
  }
}

TEST_CASE("sparse A: of four elements the first and the last") {
  Product p;
  p.opcode = ".sp.sync.aligned.m64n16k32.f32.f16.f16";
  // 12: indices 0 and 3.
  p.accumulators = "mov.b32 %t2, 0xcccccccc;\n";
  for (const uint32_t selector : {0, 1}) {
    for (const uint32_t swizzle : {0, 64, 128}) {
      p.tail = ", %t2, " + std::to_string(selector) + ", 1, 1, 1, 0, 0";
      const Layout a = k_major(swizzle, 2);
      const Layout b = swizzle == 0 ? Layout{0, false, 2, 128, 512} : k_major(swizzle, 2);
      std::vector<uint8_t> memory(kBytes);
      for (uint32_t k = 0; k < 32; ++k) {
        for (uint32_t row = 0; row < 64 && k < 16; ++row) {
          store(memory, a.at(row, k), f16_of(value(row, k, 1)), 2);
        }
        for (uint32_t col = 0; col < 16; ++col) {
          store(memory, kOfB + b.at(col, k), f16_of(value(col, k, 2)), 2);
        }
      }
      p.descriptor_a = a.descriptor();
      p.descriptor_b = b.descriptor();
      const Lanes d = run(code_of(p), {as_lanes(memory)});
      for (uint32_t thread = 0; thread < kThreads; ++thread) {
        const uint32_t row = thread / 32 * 16 + thread % 32 / 4, col = 2 * (thread % 4);
        int sum = 0;
        for (uint32_t j = 0; j < 16; ++j) {
          sum += value(row, j, 1) * value(col, j / 2 * 4 + j % 2 * 3, 2);
        }
        CHECK(of_f32(d[thread * 8]) == sum);
      }
    }
  }
}

TEST_CASE("a descriptor that leads out of shared memory") {
  Product p;
  p.opcode = ".sync.aligned.m64n16k16.f32.f16.f16";
  p.start_a = kBytes - 128;
  p.descriptor_a = p.descriptor_b = k_major(0, 2).descriptor();
  std::string error;
  run(code_of(p), {Lanes(kThreads * kWords)}, &error);
  CHECK(error.find("t.ptx:") == 0);
  // The last warp to come to the barrier goes on first: its rows begin 0x600 behind.
  CHECK(error.find("matrix A of wgmma reaches shared address 0x8980, out of bounds") != std::string::npos);
}

}  // namespace heddle::exec::test
