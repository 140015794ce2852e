// mma.sync: where the elements are (ptx.md 4.1), and whole products of small whole numbers.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "tests/exec/matrix/matrix_case.h"

namespace heddle::exec::test {

TEST_CASE("a whole m16n8k16 product of f16, bf16 by hand-placed elements") {
  for (const bool bf16 : {false, true}) {
    const auto bits = [&](int x) {
      return bf16 ? f32(static_cast<float>(x)) >> 16 : f16(static_cast<float>(x));
    };
    const auto a = [](uint32_t row, uint32_t k) { return static_cast<int>((3 * row + 5 * k) % 11) - 5; };
    const auto b = [](uint32_t k, uint32_t col) { return static_cast<int>((7 * k + 2 * col) % 13) - 6; };
    Lanes va(32 * 4), vb(32 * 2), vc(32 * 4);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      const uint32_t g = lane / 4, t = lane % 4;
      for (uint32_t i = 0; i < 8; ++i) {
        va[lane * 4 + i / 2] |= bits(a(g + 8 * (i >> 1 & 1), 2 * t + (i & 1) + 8 * (i >> 2))) << 16 * (i & 1);
      }
      for (uint32_t i = 0; i < 4; ++i) {
        vb[lane * 2 + i / 2] |= bits(b(2 * t + (i & 1) + 8 * (i >> 1), g)) << 16 * (i & 1);
        vc[lane * 4 + i] = f32(static_cast<float>(100 * lane + i));
      }
    }
    const std::string type = bf16 ? "bf16" : "f16";
    const Lanes d = run_mma(fmt::format("mma.sync.aligned.m16n8k16.row.col.f32.{0}.{0}.f32", type), {4}, {2},
                            {4}, {4}, va, vb, vc);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      for (uint32_t i = 0; i < 4; ++i) {
        double sum = 100 * lane + i;
        for (uint32_t k = 0; k < 16; ++k) {
          sum += a(lane / 4 + 8 * (i >> 1), k) * b(k, 2 * (lane % 4) + (i & 1));
        }
        CHECK(of_f32(d[lane * 4 + i]) == sum);
      }
    }
  }
}

}  // namespace heddle::exec::test
