// What `heddle run`, `heddle.run` and the access reports do with many host threads at once, over all of the
// program's rooms: the same as with one. Under the thread sanitizer (tools/check tsan), no data races either.
#include <fmt/format.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "analysis/access/kernel_accesses.h"
#include "analysis/run/batch.h"
#include "analysis/run/plan.h"
#include "analysis/run/simulator.h"
#include "analysis/store/record_bytes.h"
#include "configs/loader/config.h"
#include "tests/support/temp_dir.h"
#include "tests/trace/native.h"

namespace heddle::analysis {
namespace {

using accelsim::test::block;
using accelsim::test::header;
using accelsim::test::HeaderOptions;
using accelsim::test::warp;

std::string hex(uint64_t v) { return fmt::format("{:#x}", v); }

// `blocks` of two warps that load, meet at a barrier, add and store; `rounds` times each.
trace::test::Text small(int blocks, int rounds) {
  HeaderOptions h;
  h.grid = fmt::format("({},1,1)", blocks);
  h.block = "(64,1,1)";
  trace::test::Text t;
  t.trace = header(h);
  for (int b = 0; b < blocks; ++b) {
    std::string warps;
    for (int w = 0; w < 2; ++w) {
      std::vector<std::string> lines;
      for (int i = 0; i < rounds; ++i) {
        const uint64_t at = 128 * static_cast<uint64_t>((b * rounds + i) * 2 + w);
        lines.push_back("0000 ffffffff 1 R3 LDG.E 1 R2 4 1 " + hex(0x7f0000000000 + at) + " 4");
        lines.emplace_back("0010 ffffffff 0 BAR.SYNC 0 0");
        lines.emplace_back("0020 ffffffff 1 R5 FADD 2 R3 R3 0");
        lines.push_back("0030 ffffffff 0 RED.E.ADD 2 R2 R5 4 1 " + hex(0x7f0010000000 + at / 512) + " 4");
        lines.push_back("0040 ffffffff 0 STG.E 2 R2 R5 4 1 " + hex(0x7f0020000000 + at) + " 4");
      }
      lines.emplace_back("0050 ffffffff 0 EXIT 0 0");
      warps += warp(w, lines);
    }
    t.trace += block(fmt::format("{},0,0", b), warps);
  }
  return t;
}

void write(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream out(file, std::ios::binary);
  out << bytes;
  REQUIRE(out.good());
}

// Each kernel as text and as .heddle, whose blocks are decoded by all threads.
std::vector<PlannedLaunch> capture(const test::TempDir& dir) {
  std::vector<std::filesystem::path> files;
  for (const int blocks : {40, 80, 120}) {
    const trace::test::Text text = small(blocks, 4);
    files.push_back(dir / fmt::format("kernel-{}.traceg", blocks));
    write(files.back(), text.trace);
    files.push_back(dir / fmt::format("kernel-{}.heddle", blocks));
    write(files.back(), trace::test::pack(text, {.chunk_bytes = 256}));
  }
  return plan_launches(files, true);
}

// All that is known of each launch, except what the host took for it.
std::vector<std::string> simulate(const std::vector<PlannedLaunch>& launches, const RunSettings& settings) {
  const config::GpuConfig gpu = config::load("h200");
  std::atomic<bool> cancel = false;
  const Simulator simulator(gpu, settings, cancel);
  std::atomic<uint64_t> told = 0;
  std::vector<std::string> out;
  BatchCalls calls;
  calls.simulate = [&](size_t i) {
    return simulator.simulate(launches[i], [&](const device::Progress&) { ++told; });
  };
  calls.done = [&](size_t i, Outcome outcome) {
    REQUIRE(i == out.size());
    REQUIRE(outcome.record.has_value());
    outcome.record->host = {};
    out.push_back(to_bytes(*outcome.record));
  };
  run_batch(launches.size(), largest_first(launches), {.jobs = settings.jobs, .cancel = &cancel}, calls);
  return out;
}

TEST_CASE("launches side by side, each on several threads") {
  const test::TempDir dir;
  const std::vector<PlannedLaunch> launches = capture(dir);
  RunSettings settings;
  const std::vector<std::string> one = simulate(launches, settings);
  REQUIRE(one.size() == 6);
  settings.jobs = 3;
  settings.threads = 4;
  CHECK((simulate(launches, settings) == one));  // bytes, not to be printed
}

TEST_CASE("with profiles") {
  const test::TempDir dir;
  const std::vector<PlannedLaunch> launches = capture(dir);
  RunSettings settings;
  settings.profile.instructions = true;
  settings.profile.series_interval = 100;
  settings.profile.blocks = true;
  settings.profile.warps_of_sms = {0, 5};
  const std::vector<std::string> one = simulate(launches, settings);
  settings.jobs = 2;
  settings.threads = 3;
  CHECK((simulate(launches, settings) == one));  // bytes, not to be printed
}

// Threads share the blocks of a .heddle from some 500,000 warp instructions each.
TEST_CASE("accesses are counted by several threads") {
  constexpr uint64_t kBlocks = 1100, kThreads = 4;
  const trace::test::Opened opened = trace::test::open_text(small(1, 200));
  trace::test::Kernel k = trace::test::read_all(*opened.source);
  k.image.shape.grid.x = kBlocks;
  for (uint64_t b = 1; b < kBlocks; ++b) {
    k.blocks.push_back(k.blocks.front());
    k.blocks.back().linear = b;
    k.blocks.back().index.x = static_cast<uint32_t>(b);
  }
  const test::TempDir dir;
  const std::filesystem::path file = dir / "long.heddle";
  write(file, trace::test::pack(k.image, opened.listing, k.blocks, {.chunk_bytes = 4096}));

  const std::atomic<bool> cancel = false;
  const KernelAccesses one = profile_kernel(file, std::nullopt, AccessSide::kSectors, 1, cancel);
  const KernelAccesses many = profile_kernel(file, std::nullopt, AccessSide::kSectors, kThreads, cancel);
  CHECK(one.accesses == kBlocks * 2 * 200 * 3);
  CHECK(many.accesses == one.accesses);
  REQUIRE(many.all.size() == 3);
  for (size_t i = 0; i < one.all.size(); ++i) {
    CHECK(many.all[i].index == one.all[i].index);
    CHECK(many.all[i].requests == one.all[i].requests);
    CHECK(many.all[i].total == one.all[i].total);
    CHECK(many.all[i].worst.block == one.all[i].worst.block);
  }
}

}  // namespace
}  // namespace heddle::analysis
