// Machine code that is executed as its instructions issue (sim/exec/issue/exec_grid.h): what memory has
// when time decides, and that nothing but time does.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <string_view>
#include <vector>

#include "sim/device/gpu.h"
#include "sim/exec/execute.h"
#include "tests/cubin/at_issue_case.h"
#include "tests/sim/support/test_config.h"

namespace heddle::cubin::test {
namespace {

struct Ran {
  std::vector<uint8_t> bytes;  // of the first buffer
  stats::KernelResult result;

  template <class T>
  T at(size_t i) const {
    T out;
    std::memcpy(&out, bytes.data() + i * sizeof(T), sizeof out);
    return out;
  }
};

// Simulated, or only executed.
struct Case : AtIssue {
  uint32_t sms = 4;

  Ran run(bool simulated, const device::RunOptions& options = {}) const {
    const AtIssueLaunch l(*this);
    Ran out;
    if (simulated) {
      TimedSource source = l.source();
      device::Gpu gpu(simtest::test_gpu(sms));
      out.result = gpu.run(source, options);
    } else {
      exec::execute(exec::completed(l.launch()), {});
    }
    out.bytes = l.bytes(1);
    return out;
  }
};

void check_options(const Case& c, const Ran& first) {
  for (const int threads : {1, 2, 8}) {
    for (const uint64_t quantum : {1, 64, 235}) {
      device::RunOptions o;
      o.threads = threads;
      o.quantum = quantum;
      const Ran r = c.run(true, o);
      CHECK(r.bytes == first.bytes);
      CHECK(r.result.cycles == first.result.cycles);
    }
  }
}

}  // namespace

TEST_CASE("without races, machine code computes what it computes without time") {
  const Case widths{{"widths", {3, 1, 1}, {96, 1, 1}, {zeros(288 * 31 + 64), noise(288 * 16)}}};
  const Case parted{{"parted", {6, 1, 1}, {256, 1, 1}, {zeros(6 * 1024), noise(6 * 1024)}}};
  const Case sums{{"sums", {5, 1, 1}, {64, 1, 1}, {zeros(64), zeros(320 * 4)}}};
  for (const Case& c : {widths, parted, sums}) {
    INFO(c.kernel);
    const Ran simulated = c.run(true);
    CHECK(simulated.bytes == c.run(false).bytes);
    check_options(c, simulated);
  }
}

TEST_CASE("a flag of another block is seen, and the data behind it") {
  const Case c{{"flag", {8, 1, 1}, {128, 1, 1}, {zeros(8192)}}};
  const Ran r = c.run(true);
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 1024; ++i) {
    sum += i * i;
  }
  CHECK(r.at<uint32_t>(1) == sum);
  check_options(c, r);
}

TEST_CASE("what a lock guards may be loaded and stored as any word") {
  const Case c{{"lock", {12, 1, 1}, {32, 1, 1}, {zeros(256)}, {5}}};
  const Ran r = c.run(true);
  CHECK(r.at<uint32_t>(32) == 60);
  CHECK(r.at<uint32_t>(0) == 0);
  check_options(c, r);
}

TEST_CASE("a race has one outcome, whatever the number of threads") {
  const Case c{{"race", {4, 1, 1}, {128, 1, 1}, {zeros(4096)}, {6}}};
  const Ran r = c.run(true);
  // Of 512 threads that add one at the same time most are lost.
  CHECK(r.at<uint32_t>(0) >= 6);
  CHECK(r.at<uint32_t>(0) < 512);
  check_options(c, r);
}

TEST_CASE("warps of a block that race share its memory as they do on silicon") {
  constexpr uint32_t kRows = 6, kWords = 2048;
  std::vector<uint8_t> in(size_t{4} * kRows * kWords);
  std::vector<uint32_t> words(in.size() / 4), sums;
  for (uint32_t i = 0; i < words.size(); ++i) {
    words[i] = i * 2654435761U >> 20;
  }
  std::memcpy(in.data(), words.data(), in.size());
  for (uint32_t row = 0; row < kRows; ++row) {
    const auto begin = words.begin() + row * kWords;
    const uint32_t top = *std::max_element(begin, begin + kWords);
    sums.push_back(
        std::accumulate(begin, begin + kWords, 0U, [&](uint32_t s, uint32_t x) { return s + top - x; }));
  }
  const Case rows{{"rows", {kRows, 1, 1}, {256, 1, 1}, {zeros(64), in}, {kWords}}};
  const Ran r = rows.run(true);
  for (uint32_t row = 0; row < kRows; ++row) {
    CHECK(r.at<uint32_t>(row) == sums[row]);
  }
  check_options(rows, r);
  // Each finds the other at about the turn that it is in itself.
  const Case half_way{{"half_way", {1, 1, 1}, {64, 1, 1}, {zeros(64)}}};
  const Ran h = half_way.run(true);
  for (uint32_t w = 0; w < 2; ++w) {
    CHECK(h.at<uint32_t>(w) >= 990);
    CHECK(h.at<uint32_t>(w) <= 1010);
  }
}

TEST_CASE("copies bring what their thread has stored before") {
  const Case c{{"copies", {4, 1, 1}, {64, 1, 1}, {zeros(4096), noise(4096)}}};
  const Ran r = c.run(true);
  const std::vector<uint8_t> in = noise(4096);
  const auto word = [&](uint32_t i) {
    uint32_t w = 0;
    std::memcpy(&w, &in[size_t{4} * i], sizeof w);
    return w;
  };
  for (uint32_t t = 0; t < 256; ++t) {
    const uint32_t x = word(4 * t), other = t / 64 * 64 + 63 - t % 64;
    CHECK(r.at<uint32_t>(4 * t) == x + 3 * x + (t % 2 != 0 ? 0 : word(4 * t + 3)));
    CHECK(r.at<uint32_t>(4 * t + 1) == 3 * word(4 * other));
  }
  CHECK(r.bytes == c.run(false).bytes);
  check_options(c, r);
}

TEST_CASE("between two clocks lie the cycles of the chain") {
  const Case c{{"clocks", {1, 1, 1}, {32, 1, 1}, {zeros(512)}, {0x3f000000}}};
  const Ran r = c.run(true);
  // 64 times FFMA, of 4 cycles each; what stands around them takes some more.
  CHECK(r.at<uint64_t>(0) >= 64 * 4);
  CHECK(r.at<uint64_t>(0) < 64 * 4 + 40);
}

TEST_CASE("a kernel in which nobody gets on ends with an error that says where") {
  const Case c{{"never", {2, 1, 1}, {32, 1, 1}, {zeros(64)}}};
  const std::string text = error_of([&] { c.run(true); });
  CHECK_THAT(text, Catch::Contains("live lock"));
}

}  // namespace heddle::cubin::test
