#include <fmt/format.h>
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>
#include <memory>

#include "analysis/store/result_reader.h"
#include "analysis/store/result_store.h"
#include "analysis/store/sqlite.h"
#include "analysis/sweep/collect.h"
#include "analysis/sweep/journal.h"
#include "analysis/sweep/shards.h"
#include "sim/base/error.h"
#include "tests/analysis/sample_records.h"
#include "tests/support/temp_dir.h"

namespace heddle::sweep {
namespace {

namespace fs = std::filesystem;
using analysis::Database;
using analysis::LaunchRecord;
using analysis::ResultStore;
using analysis::RunRecord;
using test::TempDir;

constexpr size_t kRuns = 3, kLaunches = 2;

std::string bytes(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

RunRecord run_of(size_t run) {
  RunRecord r = analysis::sample_run();
  r.config_hash = fmt::format("hash{}", run);
  r.config_text = kConfigText[0];
  return r;
}

LaunchRecord launch_of(size_t run, size_t launch) {
  LaunchRecord r = analysis::sample_launch("vecadd", static_cast<uint32_t>(launch + 1), 10 * run + launch);
  r.host.hostname = fmt::format("host{}", run * launch);
  return r;
}

RunKey key_of(size_t run, size_t launch) {
  return {fmt::format("hash{}", run), "vecadd", static_cast<uint32_t>(launch + 1), "fedcba9876543210", false};
}

// Writes tasks (run, launch) to a shard, in this order.
void write_shard(const fs::path& file, const std::vector<std::pair<size_t, size_t>>& tasks) {
  std::unique_ptr<ResultStore> store;
  for (auto [run, launch] : tasks) {
    if (store) {
      store->begin_run(run_of(run));
    } else {
      store = std::make_unique<ResultStore>(file, run_of(run));
    }
    store->add(launch_of(run, launch));
  }
}

Collection collection() {
  Collection c;
  c.axes = {"l2.ways", "name"};
  for (size_t r = 0; r < kRuns; ++r) {
    c.runs.push_back({[r] { return run_of(r); }, r, {fmt::format("{}", r * 4), "x"}, {}});
    for (size_t l = 0; l < kLaunches; ++l) {
      c.runs.back().launches.push_back(key_of(r, l));
    }
  }
  c.skipped = {{7, "h200", "impossible"}};
  return c;
}

int64_t query(const fs::path& file, const std::string& sql) {
  Database db(file, Database::Mode::kRead);
  return db.integer(sql);
}

TEST_CASE("the merged database does not depend on who did what, and when") {
  TempDir dir;
  const std::string revision = analysis::sample_run().revision;
  for (const char* name : {"one", "two", "many"}) {
    fs::create_directory(dir / name);
  }
  write_shard(dir / "one" / "a.db", {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}});
  write_shard(dir / "two" / "a.db", {{2, 1}, {0, 0}, {1, 1}});
  write_shard(dir / "two" / "b.db", {{1, 0}, {2, 0}, {0, 1}, {0, 0}});  // (0, 0) twice
  for (size_t i = 0; i < kRuns * kLaunches; ++i) {
    write_shard(dir / "many" / fmt::format("{}.db", 9 - i), {{i / kLaunches, i % kLaunches}});
  }
  for (const char* name : {"one", "two", "many"}) {
    CHECK(collect(dir / (std::string(name) + ".db"), collection(), ShardIndex(dir / name, revision)) == 6);
  }
  const std::string merged = bytes(dir / "one.db");
  CHECK(merged.size() > 10'000);
  CHECK(bytes(dir / "two.db") == merged);
  CHECK(bytes(dir / "many.db") == merged);
  // Again over the old file.
  CHECK(collect(dir / "one.db", collection(), ShardIndex(dir / "many", revision)) == 6);
  CHECK(bytes(dir / "one.db") == merged);

  analysis::ResultReader reader(dir / "one.db");
  REQUIRE(reader.runs().size() == kRuns);
  const LaunchRecord expected = launch_of(2, 1), found = reader.launches(3).at(1);
  CHECK(found.cycles == expected.cycles);
  CHECK(found.id == 6);
  CHECK(found.stall_warp_cycles == expected.stall_warp_cycles);
  CHECK(found.unknown_opcodes == expected.unknown_opcodes);
  CHECK(found.metric("dram__bytes_read.sum") == expected.metric("dram__bytes_read.sum"));
  CHECK(query(dir / "one.db", "SELECT count(*) FROM host_timing") == 0);
  CHECK(query(dir / "one.db", "SELECT value FROM sweep_points WHERE run_id = 3 AND axis = 'l2.ways'") == 8);
  CHECK(query(dir / "one.db", "SELECT point FROM sweep_skipped WHERE reason = 'impossible'") == 7);
  CHECK_FALSE(fs::exists(dir / "one.db.part"));
}

TEST_CASE("what is missing leaves a gap: ids stay") {
  TempDir dir;
  write_shard(dir / "a.db", {{2, 0}, {0, 1}});
  Collection c = collection();
  c.failures = {{1, "vecadd", 1, 3, Failure::kTimeout, "not finished after 2 s"}};
  CHECK(collect(dir / "r.db", c, ShardIndex(dir.path, analysis::sample_run().revision)) == 2);
  CHECK(query(dir / "r.db", "SELECT group_concat(id) = '2,5' FROM launches") == 1);
  CHECK(query(dir / "r.db", "SELECT attempts FROM sweep_failures WHERE run_id = 2 AND kind = 'timeout'") ==
        3);
}

TEST_CASE("results of another revision are not used, empty shards are no error, other files are") {
  TempDir dir;
  fs::create_directory(dir / "s");
  write_shard(dir / "s" / "a.db", {{0, 0}});
  std::ofstream(dir / "s" / "b.db").flush();
  const ShardIndex other(dir / "s", "another");
  CHECK(other.results() == 0);
  CHECK(other.foreign() == 1);
  CHECK_FALSE(other.find(key_of(0, 0)));
  CHECK(ShardIndex(dir / "s", analysis::sample_run().revision).find(key_of(0, 0)));
  CHECK(ShardIndex(dir / "nowhere", "x").results() == 0);
  std::ofstream(dir / "r.db") << "not a database, and long enough to be looked at";
  CHECK_THROWS_AS(collect(dir / "r.db", collection(), other), Error);
  CHECK(bytes(dir / "r.db").starts_with("not a database"));
}

TEST_CASE("keys tell results apart") {
  const RunKey key = key_of(0, 0);
  CHECK(key.text() == "hash0:fedcba9876543210:vecadd/1");
  RunKey sampled = key;
  sampled.sampled = true;
  CHECK(sampled != key);
  CHECK(sampled.text() != key.text());

  TempDir dir;
  {
    RunRecord run = run_of(0);
    run.config_text = kConfigText[1];
    ResultStore(dir / "a.db", run).add(launch_of(0, 0));
  }
  const ShardIndex shards(dir.path, run_of(0).revision);
  CHECK(shards.find(sampled));
  CHECK_FALSE(shards.find(key));
}

TEST_CASE("the journal counts attempts") {
  TempDir dir;
  {
    Journal j(dir / "1.log", "rev", "12_3");
    j.start("done");
    j.done("done");
    j.start("stopped");
    j.stopped("stopped");
    j.start("slow");
    j.failed("slow", Failure::kTimeout, "not finished\nafter 2 s");
    j.start("slow");
    j.failed("slow", Failure::kTimeout, "not finished after 3 s");
    j.start("broken");
    j.failed("broken", Failure::kDeadlock, "stuck");
    j.start("now");
    const JournalIndex alive = read_journals(dir.path, "rev");
    CHECK(alive.alive == 1);
    CHECK(alive.tasks.at("now").running == 1);
    CHECK(alive.tasks.at("now").attempts == 0);
  }
  const JournalIndex index = read_journals(dir.path, "rev");
  CHECK(index.alive == 0);
  CHECK(index.finished == 1);
  CHECK(index.tasks.count("done") == 0);
  CHECK(index.tasks.count("stopped") == 0);
  const History slow = index.tasks.at("slow");
  CHECK(slow.attempts == 2);
  CHECK(slow.message == "not finished after 3 s");
  CHECK_FALSE(slow.given_up(2));  // the third attempt is to come
  CHECK(slow.given_up(1));
  CHECK(index.tasks.at("broken").given_up(9));
  const History killed = index.tasks.at("now");
  CHECK(killed.attempts == 1);
  CHECK(killed.last == Failure::kKilled);
  CHECK(index.lost.at("12_3") == std::vector<std::string>{"now"});
  CHECK(read_journals(dir.path, "other").tasks.empty());
  {
    Journal j(dir / "2.log", "rev", "");
    j.explain("now", "TIMEOUT of the Slurm job 12_3");
    CHECK_THROWS_AS(Journal(dir / "2.log", "rev", ""), Error);
  }
  CHECK(read_journals(dir.path, "rev").tasks.at("now").message == "TIMEOUT of the Slurm job 12_3");
}

}  // namespace
}  // namespace heddle::sweep
