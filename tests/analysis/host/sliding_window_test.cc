// The sliding-window kernel's streams: who reads and writes what.
#include "analysis/validate/host/sliding_window.h"

#include <catch2/catch.hpp>

#include "sim/base/error.h"

namespace heddle::hostbench {
namespace {

// LDG.E, STG.E, LDG.E, STG.E, EXIT with encodings as in traces/h200/hostbench/sliding_window.sass.
const std::string kCode =
    "# function _Z9k_slidingPiS_ii base 0\n"
    "0000 0000000402007981 001ea2000c1e1900 LDG.E R0, desc[UR4][R2.64] ;\n"
    "0010 0000000702007986 0041e2000c101904 STG.E desc[UR4][R2.64], R7 ;\n"
    "0020 0000000404007981 001ea2000c1e1900 LDG.E R0, desc[UR4][R4.64] ;\n"
    "0030 0000000904007986 000fe2000c101904 STG.E desc[UR4][R4.64], R9 ;\n"
    "0040 000000000000794d 000fea0003800000 EXIT ;\n";

TEST_CASE("warps go through the stream, and round the frequent bytes") {
  SlidingWindow k(kCode, "code", 6144, 2);  // 48 warps of 128 bytes; a block has 32
  CHECK(k.image().shape.grid.x == 2);
  CHECK(k.image().shape.block.x == 1024);
  isa::BlockTrace b;
  REQUIRE(k.next(b));
  REQUIRE(b.warps.size() == 32);
  CHECK(b.warps[3].instructions == 5);
  REQUIRE(b.warps[3].refs.size() == 4);
  CHECK(b.warps[3].refs[0].base == SlidingWindow::kPersist + 3 * 128);
  CHECK(b.warps[3].refs[1].base == SlidingWindow::kPersist + 3 * 128);
  CHECK(b.warps[3].refs[2].base == SlidingWindow::kStream + 3 * 128);
  CHECK(b.warps[3].refs[3].stride == 4);
  REQUIRE(k.next(b));
  CHECK(b.linear == 1);
  CHECK(b.warps[15].refs[0].base == SlidingWindow::kPersist + 47 * 128);
  CHECK(b.warps[16].refs[0].base == SlidingWindow::kPersist);
  CHECK(b.warps[16].refs[2].base == SlidingWindow::kStream + 48 * 128);
  CHECK_FALSE(k.next(b));
}

TEST_CASE("other code and sizes are refused") {
  CHECK_THROWS_WITH(SlidingWindow(kCode, "code", 100, 1), Catch::Contains("multiples of 128"));
  const std::string three =
      kCode.substr(0, kCode.find("\n0030") + 1) + kCode.substr(kCode.find("\n0040") + 1);
  CHECK_THROWS_WITH(SlidingWindow(three, "code", 128, 1), Catch::Contains("code: 3 memory accesses"));
}

}  // namespace
}  // namespace heddle::hostbench
