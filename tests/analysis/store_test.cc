// What a result database keeps, and what is read back.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <tuple>

#include "analysis/store/flop.h"
#include "analysis/store/result_reader.h"
#include "analysis/store/result_store.h"
#include "tests/analysis/sample_records.h"
#include "tests/analysis/sample_store.h"
#include "tests/support/temp_dir.h"

namespace heddle::analysis {
namespace {

namespace fs = std::filesystem;

using test::TempDir;

auto fields(const RunRecord& r) {
  return std::tie(r.id, r.gpu, r.product, r.config_hash, r.config_text, r.fidelity, r.overrides, r.seed,
                  r.revision, r.launches_planned);
}

auto fields(const LaunchRecord& r) {
  return std::tie(r.id, r.run_id, r.trace, r.launch, r.trace_hash, r.kernel, r.kernel_id, r.shape.grid,
                  r.shape.block, r.shape.cluster, r.shape.registers_per_thread, r.core_mhz, r.cycles,
                  r.sm_active_cycles, r.warp_instructions, r.used_control_bits, r.values, r.stall_warp_cycles,
                  r.unknown_opcodes);
}

auto fields(const HostTiming& h) {
  return std::tie(h.wall_seconds, h.hostname, h.date, h.threads, h.max_rss_bytes, h.trace_path);
}

TEST_CASE("a sampled launch is marked") {
  TempDir dir;
  {
    ResultStore store(dir / "r.db", sample_run(), {});
    LaunchRecord r = sample_launch("vecadd", 1, 1);
    store.add(r);
    r.launch = 2;
    r.sampling = {true, 512, 4096, 11000, 11500, "", 32, 132};
    store.add(r);
    r.launch = 3;
    r.sampling = {true, 4096, 4096, 11283, 11283, "no steady state"};
    store.add(r);
  }
  CHECK(query(dir / "r.db", "SELECT group_concat(launch_id || ':' || sampled) = '2:1,3:0' FROM sampling") ==
        1);
  ResultReader reader(dir / "r.db");
  const std::vector<LaunchRecord> launches = reader.launches(1);
  REQUIRE(launches.size() == 3);
  CHECK_FALSE(launches[0].sampling.requested);
  CHECK(launches[1].sampling.requested);
  CHECK(launches[1].sampling.sampled());
  CHECK(launches[1].sampling.detailed_blocks == 512);
  CHECK(launches[1].sampling.total_blocks == 4096);
  CHECK(launches[1].sampling.detailed_sms == 32);
  CHECK(launches[1].sampling.total_sms == 132);
  CHECK(launches[1].sampling.cycles_low == 11000);
  CHECK(launches[1].sampling.cycles_high == 11500);
  CHECK_FALSE(launches[2].sampling.sampled());
  CHECK(launches[2].sampling.reason == "no steady state");
}

stats::Profile sample_profile() {
  stats::Profile p;
  for (uint32_t i = 0; i < 3; ++i) {
    stats::InstructionProfile in;
    in.pc = 16 * i;
    in.opcode = i == 1 ? "FFMA.FTZ" : "LDG.E";
    in.text = in.opcode + " R" + std::to_string(i);
    in.source_file = i == 1 ? "/a/b.cu" : "";
    in.source_line = i == 1 ? 42 : 0;
    in.counts.executed = 10 + i;
    in.counts.threads = 320 + i;
    in.counts.requests = 4 * i;
    in.counts.sectors = 5 * i;
    in.counts.sector_hits = 3 * i;
    in.counts.shared_wavefronts = 7 * i;
    in.counts.shared_conflicts = i;
    in.counts.stall[static_cast<size_t>(stats::Stall::kLongScoreboard)] = 100 * i;
    in.counts.stall[static_cast<size_t>(stats::Stall::kWait)] = 1 + i;
    p.instructions.push_back(in);
  }
  p.series = {{128, {1, 2, 3, 4, 5, 6, 7, 8}}, {300, {10, 20, 30, 40, 50, 60, 70, 80}}};
  p.spans = {{"SM 0", 1, "block (0,0,0)", 1500, 2500, "{}"}, {"SM 1", 0, "block (1,0,0)", 1501, 2600, ""}};
  p.dropped_spans = 9;
  return p;
}

TEST_CASE("a profile is read back") {
  TempDir dir;
  LaunchRecord launch = sample_launch("vecadd", 1, 1);
  launch.profile = sample_profile();
  launch.flop = flops_of(launch.profile);
  {
    ResultStore store(dir / "r.db", sample_run(), {});
    store.add_spans({{"host thread 0", 0, "cudaMalloc", 0, 700, ""}});
    store.add(launch);
    store.add(sample_launch("vecadd", 2, 2));
    store.add_spans({{"stream 0", 0, "vecadd", 800, 9000, "{\"launch\":1}"}});
  }
  ResultReader reader(dir / "r.db");
  const stats::Profile expected = sample_profile(), got = reader.profile(1);
  REQUIRE(got.instructions.size() == 3);
  for (size_t i = 0; i < 3; ++i) {
    const auto &a = got.instructions[i], &b = expected.instructions[i];
    CHECK(a.source_file == b.source_file);
    CHECK(a.source_line == b.source_line);
    CHECK(std::tie(a.pc, a.opcode, a.text) == std::tie(b.pc, b.opcode, b.text));
    CHECK(a.counts.executed == b.counts.executed);
    CHECK(a.counts.threads == b.counts.threads);
    CHECK(a.counts.requests == b.counts.requests);
    CHECK(a.counts.sectors == b.counts.sectors);
    CHECK(a.counts.sector_hits == b.counts.sector_hits);
    CHECK(a.counts.shared_wavefronts == b.counts.shared_wavefronts);
    CHECK(a.counts.shared_conflicts == b.counts.shared_conflicts);
    CHECK(a.counts.stall == b.counts.stall);
  }
  REQUIRE(got.series.size() == 2);
  for (size_t i = 0; i < 2; ++i) {
    CHECK(got.series[i].cycle == expected.series[i].cycle);
    CHECK(got.series[i].growth == expected.series[i].growth);
  }
  CHECK(got.dropped_spans == 9);
  CHECK(reader.flop(1) == std::map<std::string, uint64_t>{{"fp32", 2 * 321}});
  CHECK(reader.profile(2).empty());
  CHECK(reader.flop(2).empty());
  std::string spans;
  reader.for_each_span(1, [&](int64_t id, const stats::Span& s) {
    spans += fmt::format("{} {}/{} {} {}-{} {}; ", id, s.track, s.lane, s.name, s.start_ps, s.end_ps, s.args);
  });
  CHECK(spans ==
        "0 host thread 0/0 cudaMalloc 0-700 ; 1 SM 0/1 block (0,0,0) 1500-2500 {}; "
        "1 SM 1/0 block (1,0,0) 1501-2600 ; 0 stream 0/0 vecadd 800-9000 {\"launch\":1}; ");
}

TEST_CASE("a host program's run: counters by name, tracks with the time that their spans cover") {
  TempDir dir;
  {
    ResultStore store(dir / "r.db", sample_run(), {});
    store.add_counters({{"time ps", 100}, {"calls", 3}});
    store.add_spans({{"thread", 0, "a", 10, 30, ""},
                     {"device", 0, "k", 0, 40, ""},
                     {"device", 1, "k", 20, 60, ""},
                     {"device", 0, "k", 70, 80, ""}});
    store.begin_run(sample_run());
    store.add_counters({{"calls", 4}});
  }
  ResultReader reader(dir / "r.db");
  const std::vector<RunCounter> counters = reader.counters(1);
  REQUIRE(counters.size() == 2);
  CHECK((counters[0].name == "calls" && counters[0].value == 3));
  CHECK((counters[1].name == "time ps" && counters[1].value == 100));
  CHECK(reader.counters(2).size() == 1);
  const std::vector<TrackUse> tracks = reader.tracks(1);
  REQUIRE(tracks.size() == 2);
  CHECK((tracks[0].track == "device" && tracks[0].spans == 3 && tracks[0].busy_ps == 70));
  CHECK((tracks[1].track == "thread" && tracks[1].spans == 1 && tracks[1].busy_ps == 20));
  CHECK(reader.tracks(2).empty());
}

TEST_CASE("spans alone make a run") {
  TempDir dir;
  { ResultStore(dir / "r.db", sample_run(), {}).add_spans({{"host thread 0", 0, "wait", 0, 7, ""}}); }
  CHECK(query(dir / "r.db", "SELECT count(*) FROM runs JOIN spans ON run_id = runs.id") == 1);
}

TEST_CASE("floating-point operations by opcode") {
  const auto flop = [](const char* opcode, isa::OpClass op = isa::OpClass::kFp32, uint32_t work = 0) {
    stats::InstructionProfile p;
    p.opcode = opcode;
    p.op = op;
    p.mma_work = work;
    p.counts.executed = 8;
    p.counts.threads = 100;
    const Flop f = flop_of(p);
    return fmt::format("{} {}", f.count, f.kind);
  };
  CHECK(flop("FADD") == "100 fp32");
  CHECK(flop("FFMA.FTZ") == "200 fp32");
  CHECK(flop("HFMA2.BF16_V2") == "400 fp16");
  CHECK(flop("DFMA") == "200 fp64");
  CHECK(flop("MUFU.RCP") == "0 ");
  CHECK(flop("HMMA.16816.F32", isa::OpClass::kHmma, 16 * 8 * 16) == "32768 tensor");
  CHECK(flop("HGMMA.64x64x16.F32", isa::OpClass::kGmma, 64 * 64 * 16) == "262144 tensor");
  CHECK(flop("IMMA.16832.S8.S8", isa::OpClass::kImma, 16 * 8 * 32) == "0 ");
}

TEST_CASE("what is written is read back") {
  TempDir dir;
  write_two(dir / "r.db", {});
  ResultReader reader(dir / "r.db");
  std::vector<RunRecord> runs = reader.runs();
  REQUIRE(runs.size() == 1);
  RunRecord run = sample_run();
  run.id = 1;
  CHECK((fields(runs[0]) == fields(run)));
  std::vector<LaunchRecord> launches = reader.launches(1);
  REQUIRE(launches.size() == 2);
  LaunchRecord second = sample_launch("vecadd", 2, 2);
  second.id = 2;
  second.run_id = 1;
  CHECK((fields(launches[1]) == fields(second)));
  CHECK((fields(launches[1].host) == fields(second.host)));
  CHECK_FALSE(launches[1].metric("no_such_metric").has_value());
}

TEST_CASE("one row per fact") {
  TempDir dir;
  write_two(dir / "r.db", {});
  const fs::path f = dir / "r.db";
  CHECK(query(f, "SELECT count(*) FROM runs") == 1);
  CHECK(query(f, "SELECT count(*) FROM launches") == 2);
  auto metrics = static_cast<int64_t>(stats::catalogue().size());
  CHECK(query(f, "SELECT count(*) FROM metrics") == metrics);
  CHECK(query(f, "SELECT count(*) FROM counters") == 2 * metrics);
  CHECK(query(f, "SELECT count(*) FROM stalls") == int64_t{2} * stats::kStallCount);
  CHECK(query(f, "SELECT count(*) FROM unknown_opcodes") == 2);
  CHECK(query(f, "SELECT count(*) FROM host_timing") == 2);
  CHECK(query(f, "SELECT count(*) FROM counters WHERE name NOT IN (SELECT name FROM metrics)") == 0);
  CHECK(query(f, "SELECT count(*) FROM metrics WHERE unit = '' OR meaning = ''") == 0);
  CHECK(query(f, "SELECT value FROM counters WHERE launch_id = 1 AND name = 'dram__bytes_read.sum'") ==
        8391424);
}

TEST_CASE("equal runs give equal bytes without host timing, equal hashes with it") {
  TempDir dir;
  write_two(dir / "a.db", {.host_timing = false}, 0.5);
  write_two(dir / "b.db", {.host_timing = false}, 0.7);
  CHECK(bytes(dir / "a.db") == bytes(dir / "b.db"));
  CHECK(query(dir / "a.db", "SELECT count(*) FROM host_timing") == 0);

  write_two(dir / "c.db", {}, 0.5);
  write_two(dir / "d.db", {}, 0.7);
  CHECK(bytes(dir / "c.db") != bytes(dir / "d.db"));
  const std::string hash = ResultReader(dir / "a.db").content_hash();
  CHECK(hash.size() == 16);
  CHECK(ResultReader(dir / "c.db").content_hash() == hash);
  CHECK(ResultReader(dir / "d.db").content_hash() == hash);
}

TEST_CASE("the hash follows results and settings, not the revision") {
  TempDir dir;
  auto hash_of = [&](const std::string& name, const RunRecord& run, const LaunchRecord& launch) {
    {
      ResultStore store(dir / name, run);
      store.add(launch);
    }
    return ResultReader(dir / name).content_hash();
  };
  RunRecord run = sample_run();
  const std::string base = hash_of("0.db", run, sample_launch("x", 1, 1));
  CHECK(hash_of("1.db", run, sample_launch("x", 1, 2)) != base);
  run.seed = 8;
  CHECK(hash_of("2.db", run, sample_launch("x", 1, 1)) != base);
  run = sample_run();
  run.revision = "another";
  CHECK(hash_of("3.db", run, sample_launch("x", 1, 1)) == base);
}

}  // namespace
}  // namespace heddle::analysis
