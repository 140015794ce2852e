// When a rate counts as constant.
#include "sim/sampling/steady_state.h"

#include <catch2/catch.hpp>

namespace heddle::sampling {
namespace {

TEST_CASE("a constant rate is seen after a wave and a half") {
  SteadyState s;
  s.begin(400, 1000, 0, 0);
  for (uint64_t work = 10; work <= 590; work += 10) {  // two cycles for each instruction
    s.progress(1000 + 2 * work, static_cast<double>(work));
    REQUIRE(!s.steady());
  }
  s.progress(1000 + 2 * 600, 600);
  const auto span = s.steady();
  REQUIRE(span);
  CHECK(span->work == 400);
  CHECK(span->cycles == 800);
  CHECK(span->spread == 0);
  CHECK(span->first_mark == 2);
  CHECK(span->last_mark == 6);
}

TEST_CASE("phases within a wave need two waves") {
  SteadyState s;
  s.begin(400, 0, 0, 0);
  // Half of each wave takes 100 cycles, the other 300.
  Cycle at = 0;
  double work = 0;
  for (int half = 0; half < 4; ++half) {
    REQUIRE(!s.steady());
    s.progress(at += half % 2 ? 150 : 50, work += 100);
    s.progress(at += half % 2 ? 150 : 50, work += 100);
  }
  const auto span = s.steady();
  REQUIRE(span);
  CHECK(span->work == 800);
  CHECK(span->cycles == 800);
}

TEST_CASE("a rate that changes is not constant") {
  SteadyState s;
  s.begin(400, 0, 0, 0);
  Cycle at = 0;
  double work = 0;
  for (int quarter = 0; quarter < 48; ++quarter) {
    s.progress(at += static_cast<Cycle>(100 + 10 * quarter), work += 100);
    REQUIRE(!s.steady());
  }
}

TEST_CASE("waves that vary around a mean need more of them") {
  SteadyState s;
  s.begin(400, 0, 0, 0);
  Cycle at = 0;
  double work = 0;
  int waves = 0;
  while (!s.steady()) {
    REQUIRE(waves < 16);
    for (Cycle quarter : {Cycle{100}, Cycle{400}, Cycle{100}, Cycle{waves % 2 ? 450u : 350u}}) {
      s.progress(at += quarter, work += 100);
    }
    ++waves;
  }
  const auto span = s.steady();
  // Standard deviation 53.5, times Student's 2.365, over the root of 8: 4.5 %. Six waves give 5.7 %.
  CHECK(waves == 8);
  CHECK(span->work == 400.0 * waves);
  CHECK(span->cycles == 1000.0 * waves);
}

TEST_CASE("begin() counts anew: nothing before it counts, and the first mark has number 0 again") {
  SteadyState s;
  s.begin(400, 0, 0, 0);
  for (uint64_t quarter = 1; quarter <= 80; ++quarter) {  // more than are remembered
    s.progress(100 * quarter, 100.0 * static_cast<double>(quarter));
  }
  REQUIRE(s.steady());
  s.begin(400, 8000, 8000, 0);
  CHECK(s.marks() == 1);
  for (uint64_t quarter = 1; quarter <= 6; ++quarter) {
    REQUIRE(!s.steady());
    CHECK(s.marks() == quarter);
    s.progress(8000 + 200 * quarter, 8000 + 100.0 * static_cast<double>(quarter));
  }
  const auto span = s.steady();
  REQUIRE(span);
  CHECK(span->cycles == 800);
  CHECK(span->first_mark == 2);
  CHECK(span->last_mark == 6);
  s.begin(400, 9200, 8600, 1);
  CHECK(s.marks() == 0);
  CHECK_FALSE(s.steady());
}

TEST_CASE("what is ignored does not count") {
  SteadyState s;
  s.begin(400, 0, 0, 1);
  s.progress(9999, 400);  // the first mark
  CHECK(s.marks() == 1);
  for (int quarter = 1; quarter <= 6; ++quarter) {
    REQUIRE(!s.steady());
    s.progress(9999 + 100 * static_cast<Cycle>(quarter), 400 + 100.0 * quarter);
  }
  REQUIRE(s.steady());
  CHECK(s.steady()->cycles == 400);
}

}  // namespace
}  // namespace heddle::sampling
