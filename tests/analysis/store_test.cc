#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <tuple>

#include "analysis/store/flop.h"
#include "analysis/store/result_reader.h"
#include "analysis/store/result_store.h"
#include "analysis/store/sqlite.h"
#include "sim/base/error.h"
#include "tests/analysis/sample_records.h"
#include "tests/support/temp_dir.h"

namespace heddle::analysis {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

using test::TempDir;

std::string bytes(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

int64_t query(const fs::path& file, const std::string& sql) {
  Database db(file, Database::Mode::kRead);
  return db.integer(sql);
}

void write_two(const fs::path& file, const StoreOptions& options, double wall_seconds = 0.5) {
  ResultStore store(file, sample_run(), options);
  for (uint32_t i = 1; i <= 2; ++i) {
    LaunchRecord r = sample_launch("vecadd", i, i);
    r.host.wall_seconds = wall_seconds;
    store.add(r);
  }
}

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

TEST_CASE("an existing file is refused, added to or replaced") {
  TempDir dir;
  const fs::path f = dir / "r.db";
  write_two(f, {});
  CHECK_THROWS_WITH(write_two(f, {}),
                    Contains("r.db: the file exists") && Contains("--append") && Contains("--force"));
  CHECK(query(f, "SELECT count(*) FROM launches") == 2);

  write_two(f, {.if_exists = IfExists::kAppend});
  CHECK(query(f, "SELECT count(*) FROM runs") == 2);
  CHECK(query(f, "SELECT count(*) FROM launches") == 4);
  CHECK(query(f, "SELECT count(*) FROM launches WHERE run_id = 2") == 2);

  write_two(f, {.if_exists = IfExists::kReplace});
  CHECK(query(f, "SELECT count(*) FROM runs") == 1);
  CHECK(query(f, "SELECT count(*) FROM launches") == 2);
}

TEST_CASE("files that are not ours are left alone") {
  TempDir dir;
  std::ofstream(dir / "notes.txt")
      << "dear diary, this is certainly not a database; it has enough bytes for a header,"
         " though: one hundred are what SQLite looks at first.\n";
  const std::string before = bytes(dir / "notes.txt");
  for (IfExists mode : {IfExists::kAppend, IfExists::kReplace}) {
    CHECK_THROWS_WITH(write_two(dir / "notes.txt", {.if_exists = mode}), Contains("not a database"));
  }
  CHECK(bytes(dir / "notes.txt") == before);
  {
    Database other(dir / "other.db", Database::Mode::kCreate);
    other.execute("CREATE TABLE t (x)");
  }
  for (IfExists mode : {IfExists::kAppend, IfExists::kReplace}) {
    CHECK_THROWS_WITH(write_two(dir / "other.db", {.if_exists = mode}),
                      Contains("not a Heddle result database"));
  }
  CHECK_THROWS_WITH(ResultReader(dir / "other.db"), Contains("not a Heddle result database"));
  CHECK_THROWS_WITH(ResultReader(dir / "none.db"), Contains("none.db: no such file"));
  CHECK_FALSE(fs::exists(dir / "none.db"));
}

TEST_CASE("another schema version is refused") {
  TempDir dir;
  write_two(dir / "r.db", {});
  {
    Database db(dir / "r.db", Database::Mode::kWrite);
    db.execute("PRAGMA user_version = 99");
  }
  CHECK_THROWS_WITH(ResultReader(dir / "r.db"), Contains("version 99"));
  CHECK_THROWS_WITH(write_two(dir / "r.db", {.if_exists = IfExists::kAppend}), Contains("version 99"));
}

TEST_CASE("a place that cannot be written is known at once") {
  TempDir dir;
  CHECK_THROWS_WITH(ResultStore(dir / "no/such/dir/r.db", sample_run()),
                    Contains("r.db: cannot open the database") && Contains("No such file or directory"));
  CHECK_THROWS_WITH(ResultStore(dir.path, sample_run(), {.if_exists = IfExists::kReplace}),
                    Contains("directory"));
}

TEST_CASE("a run without finished launches leaves nothing") {
  TempDir dir;
  { ResultStore store(dir / "r.db", sample_run()); }
  CHECK_FALSE(fs::exists(dir / "r.db"));
  CHECK(fs::is_empty(dir.path));

  write_two(dir / "r.db", {});
  { ResultStore store(dir / "r.db", sample_run(), {.if_exists = IfExists::kAppend}); }
  CHECK(query(dir / "r.db", "SELECT count(*) FROM runs") == 1);
}

TEST_CASE("a launch that cannot be stored leaves no part of itself") {
  TempDir dir;
  {
    ResultStore store(dir / "r.db", sample_run());
    store.add(sample_launch("vecadd", 1, 1));
    // The same launch twice breaks the UNIQUE constraint.
    CHECK_THROWS_AS(store.add(sample_launch("vecadd", 1, 2)), Error);
    store.add(sample_launch("vecadd", 2, 3));
  }
  CHECK(query(dir / "r.db", "SELECT count(*) FROM launches") == 2);
  CHECK(query(dir / "r.db", "SELECT count(DISTINCT launch_id) FROM counters") == 2);
}

TEST_CASE("a killed process keeps whole launches only") {
  TempDir dir;
  const fs::path f = dir / "r.db";
  int pipe_fd[2];
  REQUIRE(pipe(pipe_fd) == 0);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ResultStore store(f, sample_run());
    for (uint32_t i = 1;; ++i) {
      store.add(sample_launch("vecadd", i, i));
      if (write(pipe_fd[1], "x", 1) != 1) {
        _exit(1);
      }
    }
  }
  char c;
  for (int i = 0; i < 5; ++i) {
    REQUIRE(read(pipe_fd[0], &c, 1) == 1);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(pipe_fd[0]);
  close(pipe_fd[1]);
  int64_t launches = query(f, "SELECT count(*) FROM launches");
  CHECK(launches >= 5);
  auto metrics = static_cast<int64_t>(stats::catalogue().size());
  CHECK(query(f, "SELECT count(*) FROM counters") == launches * metrics);
  CHECK(query(f, "SELECT count(*) FROM host_timing") == launches);
  CHECK(query(f, "SELECT count(*) FROM runs") == 1);
}

TEST_CASE("of several processes that create one database, one does") {
  const TempDir dir;
  const fs::path f = dir / "r.db";
  for (int round = 0; round < 20; ++round) {
    std::vector<pid_t> children;
    for (int i = 0; i < 4; ++i) {
      children.push_back(fork());
      if (children.back() == 0) {
        try {
          ResultStore store(f, sample_run());
          store.add(sample_launch("vecadd", 1, 1));
          usleep(50'000);  // while the others try
          _exit(0);
        } catch (const Error&) {
          _exit(1);
        }
      }
    }
    int good = 0;
    for (const pid_t child : children) {
      int status = 0;
      waitpid(child, &status, 0);
      good += WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    REQUIRE(good == 1);
    REQUIRE(query(f, "SELECT count(*) FROM launches") == 1);
    fs::remove(f);
  }
}

TEST_CASE("a database that is being written is not replaced") {
  const TempDir dir;
  const fs::path f = dir / "r.db";
  StoreOptions force, append;
  force.if_exists = IfExists::kReplace;
  append.if_exists = IfExists::kAppend;
  {
    ResultStore writer(f, sample_run());
    writer.add(sample_launch("vecadd", 1, 1));
    CHECK_THROWS_WITH(ResultStore(f, sample_run(), force), Contains("r.db: another heddle writes to it"));
    CHECK_THROWS_WITH(ResultStore(f, sample_run()), Contains("r.db: the file exists, and another heddle"));
    ResultStore(f, sample_run(), append).add(sample_launch("vecadd", 2, 2));
    writer.add(sample_launch("vecadd", 3, 3));
  }
  CHECK(query(f, "SELECT count(*) FROM launches") == 3);
  ResultStore(f, sample_run(), force).add(sample_launch("vecadd", 1, 1));
  CHECK(query(f, "SELECT count(*) FROM launches") == 1);
}

TEST_CASE("what a killed process left without a run is not in the way") {
  const TempDir dir;
  const fs::path f = dir / "r.db";
  for (const bool with_tables : {true, false}) {
    const pid_t child = fork();
    if (child == 0) {
      if (with_tables) {
        new ResultStore(f, sample_run());
      } else {
        std::ofstream touched(f);
      }
      _exit(0);  // as kill -9: no destructor
    }
    waitpid(child, nullptr, 0);
    REQUIRE(fs::exists(f));
    write_two(f, {});
    CHECK(query(f, "SELECT count(*) FROM launches") == 2);
    CHECK_THROWS_WITH(ResultStore(f, sample_run()), Contains("the file exists"));
    fs::remove(f);
  }
}

TEST_CASE("a result database is a regular file, and a link to it stays one") {
  const TempDir dir;
  StoreOptions force;
  force.if_exists = IfExists::kReplace;
  for (const StoreOptions& o : {StoreOptions(), force}) {
    CHECK_THROWS_WITH(ResultStore("/dev/null", sample_run(), o), Contains("/dev/null: is no regular file"));
    CHECK_THROWS_WITH(ResultStore(dir.path, sample_run(), o), Contains("is a directory"));
    CHECK_THROWS_WITH(ResultStore("", sample_run(), o), Contains("empty name"));
  }
  write_two(dir / "r.db", {});
  fs::permissions(dir / "r.db", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("r.db", dir / "link.db");
  ResultStore(dir / "link.db", sample_run(), force).add(sample_launch("vecadd", 1, 1));
  CHECK(fs::is_symlink(dir / "link.db"));
  CHECK(query(dir / "r.db", "SELECT count(*) FROM launches") == 1);
  CHECK((fs::status(dir / "r.db").permissions() & fs::perms::all) ==
        (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("a locked database is an error within five seconds") {
  const TempDir dir;
  const fs::path f = dir / "r.db";
  write_two(f, {});
  Database other(f, Database::Mode::kWrite);
  other.execute("BEGIN EXCLUSIVE");
  StoreOptions append;
  append.if_exists = IfExists::kAppend;
  const auto start = std::chrono::steady_clock::now();
  CHECK_THROWS_WITH(ResultReader(f), Contains("r.db: the database is locked by another program"));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
  CHECK_THROWS_WITH(ResultStore(f, sample_run(), append),
                    Contains("r.db: the database is locked by another program"));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
}

TEST_CASE("files that are no database to read") {
  const TempDir dir;
  CHECK_THROWS_WITH(ResultReader(dir.path), Contains("is a directory"));
  CHECK_THROWS_WITH(ResultReader("/dev/null"), Contains("/dev/null: is a device (legal: a result database)"));
}

}  // namespace
}  // namespace heddle::analysis
