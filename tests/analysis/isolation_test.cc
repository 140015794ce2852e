// Simulations in processes of their own: what comes back, and what a crash takes with it.
#include "analysis/run/isolation.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <new>
#include <set>
#include <thread>

#include "analysis/run/batch.h"
#include "analysis/store/record_bytes.h"
#include "sim/base/cancelled.h"
#include "tests/analysis/sample_records.h"

namespace heddle::analysis {
namespace {

using Catch::Matchers::Contains;

const std::atomic<bool> kGoOn{false};

LaunchRecord numbered(size_t i) {
  LaunchRecord r = sample_launch("app", static_cast<uint32_t>(i), i);
  r.host.max_rss_bytes = static_cast<uint64_t>(getpid());
  return r;
}

// 3 crashes, 4 is killed, 5 leaves, 6 to 8 throw, 9 never ends.
LaunchRecord work(size_t i, const ReportProgress& progress, const Warn& warn) {
  switch (i) {
    case 3:
      std::signal(SIGSEGV, SIG_DFL);  // neither Catch2 nor a sanitizer is to tell more of it
      std::raise(SIGSEGV);
      break;
    case 4:
      std::raise(SIGKILL);
      break;
    case 5:
      _exit(7);
    case 6:
      throw Error("six.traceg:3: is bad");
    case 7:
      throw device::DeadlockError("seven", {"warp 1", "warp 2"});
    case 8:
      throw std::bad_alloc();
    case 9:
      for (;;) {
        pause();
      }
    default:
      break;
  }
  warn("odd " + std::to_string(i));
  progress({.cycle = 10, .warp_instructions = 20, .blocks_done = i, .blocks_total = 40});
  return numbered(i);
}

TEST_CASE("records of any kind come back as they are") {
  LaunchRecord r = sample_launch("app", 2, 3);
  r.shape.cluster = {2, 1, 1};
  r.unknown_opcodes = {{"FOO", 7}};
  r.sampling = {true, 1, 2, 3, 4, "why", 5, 6};
  r.profile.instructions.resize(2);
  r.profile.instructions[1].text = "FADD R1, R2, R3";
  r.profile.instructions[1].counts.stall[3] = 9;
  r.profile.series = {{128, {1, 2, 3, 4, 5, 6, 7, 8}}};
  r.profile.spans = {{"SM 1", 2, "block (0,0,0)", 3, 4, "{}"}};
  r.profile.dropped_spans = 5;
  r.host = {0.25, "here", "now", 3, 1 << 20, "a.traceg"};
  const std::string bytes = to_bytes(r);
  const LaunchRecord back = record_from_bytes(bytes);
  CHECK(to_bytes(back) == bytes);
  CHECK(back.trace == "app");
  CHECK(back.sampling.reason == "why");
  CHECK(back.profile.instructions[1].counts.stall[3] == 9);
  CHECK(back.profile.spans[0].name == "block (0,0,0)");
  CHECK(back.flop.size() == 2);
  CHECK(back.host.trace_path == "a.traceg");
}

TEST_CASE("a launch comes back with its warnings and its progress, from another process") {
  Isolation isolation(work);
  std::vector<std::string> warnings;
  uint64_t blocks = 0;
  const LaunchRecord r = isolation.run(
      1, kGoOn, [&](const device::Progress& p) { blocks = p.blocks_total; },
      [&](std::string_view text) { warnings.emplace_back(text); });
  CHECK(r.launch == 1);
  CHECK(r.values.size() == numbered(1).values.size());
  CHECK(r.host.max_rss_bytes != static_cast<uint64_t>(getpid()));
  CHECK(blocks == 40);
  CHECK(warnings == std::vector<std::string>{"odd 1"});
  // One after the other in the same one.
  CHECK(isolation.run(2, kGoOn, nullptr, nullptr).host.max_rss_bytes == r.host.max_rss_bytes);
}

TEST_CASE("a crash says how, and the others go on") {
  Isolation isolation(work);
  CHECK_THROWS_AS(isolation.run(3, kGoOn, nullptr, nullptr), Crashed);
  CHECK_THROWS_WITH(isolation.run(3, kGoOn, nullptr, nullptr),
                    "the process of the simulation was ended by signal 11 (Segmentation fault)");
  CHECK_THROWS_WITH(isolation.run(4, kGoOn, nullptr, nullptr),
                    Contains("signal 9 (Killed), perhaps for want"));
  CHECK_THROWS_WITH(isolation.run(5, kGoOn, nullptr, nullptr), Contains("ended with status 7"));
  CHECK(isolation.run(1, kGoOn, nullptr, nullptr).launch == 1);
}

TEST_CASE("errors come back as what they were") {
  Isolation isolation(work);
  CHECK_THROWS_WITH(isolation.run(6, kGoOn, nullptr, nullptr), "six.traceg:3: is bad");
  CHECK_THROWS_AS(isolation.run(8, kGoOn, nullptr, nullptr), std::bad_alloc);
  try {
    isolation.run(7, kGoOn, nullptr, nullptr);
    FAIL("no deadlock");
  } catch (const device::DeadlockError& e) {
    CHECK(std::string(e.what()) == "seven");
    CHECK(e.report == std::vector<std::string>{"warp 1", "warp 2"});
  }
}

TEST_CASE("a batch: several at a time, crashes among them") {
  Isolation isolation(work);
  std::set<size_t> good, bad;
  BatchCalls calls;
  calls.simulate = [&](size_t i) { return isolation.run(i, kGoOn, nullptr, nullptr); };
  calls.done = [&](size_t i, const Outcome& outcome) { (outcome.record ? good : bad).insert(i); };
  run_batch(9, {}, {.jobs = 3, .keep_going = true}, calls);
  CHECK(good == std::set<size_t>{0, 1, 2});
  CHECK(bad == std::set<size_t>{3, 4, 5, 6, 7, 8});
}

TEST_CASE("one that never ends is ended by a cancellation") {
  Isolation isolation(work);
  std::atomic<bool> cancel{false};
  std::jthread later([&cancel] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    cancel = true;
  });
  CHECK_THROWS_AS(isolation.run(9, cancel, nullptr, nullptr), Cancelled);
  CHECK(isolation.run(1, kGoOn, nullptr, nullptr).launch == 1);
}

}  // namespace
}  // namespace heddle::analysis
