// ldmatrix, stmatrix, movmatrix (ptx.md 4.2): each element is 16 * row + column of its tile, plus 256 * tile.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "tests/exec/matrix/matrix_case.h"

namespace heddle::exec::test {
namespace {

// Fills shared memory `buf` with four tiles, a row of 8 elements behind the other, then `text`. %t1: the
// address of this lane's row; %t2: of its pair of elements.
WarpCode tiles(const std::string& text, uint32_t results) {
  WarpCode code;
  code.before = ".shared .align 16 .b8 buf[1024];\n";
  code.in = {{'a', {8}}};
  code.out = {results};
  code.text = "mov.u32 %t1, buf; mad.lo.u32 %t1, %t0, 16, %t1;\n";
  for (int i = 0; i < 4; ++i) {
    code.text += "st.shared.b32 [%t1+" + std::to_string(4 * i) + "], %a" + std::to_string(i) + ";\n";
  }
  code.text += "bar.warp.sync -1;\n" + text;
  return code;
}

uint64_t element(uint64_t tile, uint64_t row, uint64_t col) { return 256 * tile + 16 * row + col; }

// For %a0 to %a3 of lane l: row l of the four tiles.
Lanes rows() {
  Lanes out(32 * 8);
  for (uint64_t lane = 0; lane < 32; ++lane) {
    for (uint64_t i = 0; i < 4; ++i) {
      out[lane * 8 + i] = element(lane / 8, lane % 8, 2 * i) | element(lane / 8, lane % 8, 2 * i + 1) << 16;
    }
  }
  return out;
}

}  // namespace

TEST_CASE("ldmatrix: a row of a tile to four lanes") {
  for (const uint64_t count : {1, 2, 4}) {
    for (const bool trans : {false, true}) {
      const Lanes d =
          run(tiles("ldmatrix.sync.aligned.m8n8.x" + std::to_string(count) + (trans ? ".trans" : "") +
                        ".shared.b16 " + Registers{static_cast<uint32_t>(count)}.list('d') + ", [%t1];",
                    static_cast<uint32_t>(count)),
              {rows()});
      for (uint64_t lane = 0; lane < 32; ++lane) {
        const uint64_t g = lane / 4, t = 2 * (lane % 4);
        for (uint64_t i = 0; i < count; ++i) {
          CHECK(d[lane * count + i] == (trans ? element(i, t, g) | element(i, t + 1, g) << 16
                                              : element(i, g, t) | element(i, g, t + 1) << 16));
        }
      }
    }
  }
}

TEST_CASE("stmatrix is the inverse") {
  for (const std::string trans : {"", ".trans"}) {
    const std::string list = "{%a4, %a5, %a6, %a7}";
    const std::string there_and_back = fmt::format(
        "ldmatrix.sync.aligned.m8n8.x4{0}.shared.b16 {1}, [%t1];\n"
        "st.shared.b32 [%t1], 0; bar.warp.sync -1;\n"
        "stmatrix.sync.aligned.m8n8.x4{0}.shared.b16 [%t1], {1};\nbar.warp.sync -1;\n"
        "ld.shared.v4.b32 {{%d0, %d1, %d2, %d3}}, [%t1];",
        trans, list);
    const Lanes d = run(tiles(there_and_back, 4), {rows()});
    const Lanes expected = rows();
    for (size_t lane = 0; lane < 32; ++lane) {
      for (size_t i = 0; i < 4; ++i) {
        CHECK(d[lane * 4 + i] == expected[lane * 8 + i]);
      }
    }
  }
}

TEST_CASE("movmatrix transposes") {
  const Lanes d = run(tiles("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%a4}, [%t1];\n"
                            "movmatrix.sync.aligned.m8n8.trans.b16 %d0, %a4;",
                            1),
                      {rows()});
  for (uint64_t lane = 0; lane < 32; ++lane) {
    const uint64_t g = lane / 4, t = 2 * (lane % 4);
    CHECK(d[lane] == (element(0, t, g) | element(0, t + 1, g) << 16));
  }
}

TEST_CASE("tiles that are nowhere") {
  std::string error;
  run(tiles("add.u32 %t1, %t1, 2; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%d0}, [%t1];", 1), {rows()},
      &error);
  CHECK(error.find("load of 16 bytes") != std::string::npos);
  CHECK(error.find("misaligned (legal: multiples of 16)") != std::string::npos);
  // Only the first eight lanes of x1 have an address.
  run(tiles("setp.gt.u32 %p0, %t0, 7; @%p0 mov.u32 %t1, 3; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%d0}, "
            "[%t1];",
            1),
      {rows()}, &error);
  CHECK(error == "");
  run(tiles("add.u32 %t1, %t1, 1024; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%d0}, [%t1];", 1), {rows()},
      &error);
  CHECK(error.find("t.ptx:") == 0);
  CHECK(error.find("out of bounds (the block's: 1024 bytes") != std::string::npos);
}

}  // namespace heddle::exec::test
