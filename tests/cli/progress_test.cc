#include "tools/heddle/progress.h"

#include <catch2/catch.hpp>

namespace heddle::cli {
namespace {

ProgressState sample() {
  ProgressState s;
  s.launches = 57;
  s.finished = 2;
  s.running = "vecadd/1";
  s.running_share = 0.429;
  s.share = 0.125;
  s.warp_instructions = 12'100'000;
  s.seconds = 10;
  return s;
}

TEST_CASE("progress in words") {
  CHECK(progress_text(sample()) ==
        "kernel 3/57 vecadd/1 42 %, total 12 %, 1.21 M warp-inst/s, 1:10 min left");
  ProgressState s = sample();
  s.running = "a\x1b[2J/1";
  CHECK(progress_text(s).starts_with("kernel 3/57 a\\x1b[2J/1 42 %"));
}

TEST_CASE("no estimate before there is something to estimate from, none at the end") {
  ProgressState s = sample();
  s.share = 0.001;
  CHECK(progress_text(s).find("left") == std::string::npos);
  s.share = 1;
  s.finished = 57;
  s.running = "";
  CHECK(progress_text(s) == "kernel 57/57, total 100 %, 1.21 M warp-inst/s");
}

TEST_CASE("a bar") {
  CHECK(progress_bar(sample(), 200).starts_with("[###.....................] kernel 3/57"));
  ProgressState s = sample();
  s.share = 1;
  CHECK(progress_bar(s, 200).starts_with("[########################] "));
}

TEST_CASE("a narrow terminal") {
  CHECK(progress_bar(sample(), 80) == progress_text(sample()));
  CHECK(progress_bar(sample(), 11) == "kernel 3/57");
}

TEST_CASE("lines are rare: a short batch writes none") {
  std::string out;
  ProgressMeter meter(ProgressMeter::Style::kLines, {1, 2}, [&](std::string_view text) { out += text; });
  for (size_t i = 0; i < 2; ++i) {
    meter.begin(i, "k");
    for (uint64_t b = 0; b < 1000; ++b) {
      meter.update(i, {.cycle = b, .warp_instructions = b, .blocks_done = b, .blocks_total = 1000});
    }
    meter.finish(i, 1000);
  }
  meter.clear();
  CHECK(out.empty());
}

TEST_CASE("no style, no output") {
  std::string out;
  ProgressMeter meter(ProgressMeter::Style::kNone, {1}, [&](std::string_view text) { out += text; });
  meter.begin(0, "k");
  meter.finish(0, 1);
  meter.clear();
  CHECK(out.empty());
}

}  // namespace
}  // namespace heddle::cli
