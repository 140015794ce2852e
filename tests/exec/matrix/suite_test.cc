// Kernels of the measured suite (traces/h200/suite.cu) that multiply matrices, as nvcc compiles them.
#include <catch2/catch.hpp>

#include <cmath>
#include <fstream>
#include <regex>
#include <sstream>

#include "tests/exec/matrix/matrix_case.h"

namespace heddle::exec::test {
namespace {

constexpr const char* kSuite = "tests/exec/data/suite.ptx";

// The kernel of the suite alone, its asynchronous copies as plain ones: what they calculate is the same.
std::unique_ptr<const ptx::Module> kernel(const std::string& name) {
  std::ifstream file(kSuite);
  std::stringstream all;
  all << file.rdbuf();
  const std::string text = all.str();
  const size_t begin = text.find(".visible .entry " + name), end = text.find("\n}\n", begin);
  std::string body = text.substr(begin, end + 3 - begin);
  body = std::regex_replace(
      body, std::regex("cp\\.async\\.cg\\.shared\\.global \\[(%r\\d+)\\], \\[(%rd\\d+)\\], 16;"),
      "{ .reg .b32 %x<4>; ld.global.v4.b32 {%x0, %x1, %x2, %x3}, [$2]; st.shared.v4.b32 [$1], {%x0, %x1, "
      "%x2, %x3}; "
      "}");
  body = std::regex_replace(body, std::regex("cp\\.async\\.(commit|wait)_group[ 0-9]*;"), "");
  return ptx::parse("t.ptx", ".version 8.8 .target sm_90a .address_size 64\n" + body);
}

std::vector<uint16_t> halves(size_t count, uint32_t which) {
  std::vector<uint16_t> out(count);
  for (size_t i = 0; i < count; ++i) {
    out[i] =
        static_cast<uint16_t>(f16(static_cast<float>(mixed(static_cast<uint32_t>(i), which, 7) % 9) - 4));
  }
  return out;
}

}  // namespace

TEST_CASE("products of f16: wmma, and ldmatrix with mma") {
  constexpr uint32_t kN = 128;
  const auto a = halves(kN * kN, 1), b = halves(kN * kN, 2);
  for (const bool wmma : {false, true}) {
    std::vector<float> expected(kN * kN);
    for (uint32_t y = 0; y < kN; ++y) {
      for (uint32_t x = 0; x < kN; ++x) {
        for (uint32_t k = 0; k < kN; ++k) {
          expected[y * kN + x] += of_f16(a[y * kN + k]) * of_f16(wmma ? b[k * kN + x] : b[x * kN + k]);
        }
      }
    }
    const std::string name = wmma ? "_Z11k_gemm_wmmaPK6__halfS1_Pfi" : "_Z10k_gemm_mmaPK6__halfS1_Pfi";
    Case c(kernel(name));
    const uint64_t out = c.buffer(std::vector<float>(kN * kN));
    const uint32_t blocks = kN / (wmma ? 32 : 64);
    c.run(name, {blocks, blocks}, {128}, {c.buffer(a), c.buffer(b), out, kN});
    CHECK(c.get<float>(out, kN * kN) == expected);
  }
}

TEST_CASE("wgmma, many times into the same sums") {
  constexpr uint32_t kTimes = 9;
  // Half i of A is 0.01 * (i % 7) and of B 0.02 * (i % 5). Blocks of 8 rows of 16 bytes, 128 bytes along K
  // and 256 along M or N.
  const auto half = [](uint32_t row, uint32_t k) { return row / 8 * 128 + k / 8 * 64 + row % 8 * 8 + k % 8; };
  const auto rounded = [](float x) { return static_cast<double>(of_f16(f16(x))); };
  Case c(kernel("_Z7k_wgmmaPfi"));
  const uint64_t out = c.buffer(std::vector<float>(128));
  c.run("_Z7k_wgmmaPfi", {1}, {128}, {out, kTimes});
  const auto sums = c.get<float>(out, 128);
  for (uint32_t thread = 0; thread < 128; ++thread) {
    double sum = 0;
    for (uint32_t i = 0; i < 32; ++i) {
      const uint32_t row = thread / 32 * 16 + thread % 32 / 4 + 8 * (i / 2 % 2);
      const uint32_t col = 8 * (i / 4) + 2 * (thread % 4) + i % 2;
      for (uint32_t k = 0; k < 16; ++k) {
        sum += kTimes * rounded(0.01F * static_cast<float>(half(row, k) % 7)) *
               rounded(0.02F * static_cast<float>(half(col, k) % 5));
      }
    }
    CHECK(sum > 0);
    CHECK(std::abs(sums[thread] - sum) < 1e-5 * sum);
  }
}

}  // namespace heddle::exec::test
