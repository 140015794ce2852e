// Result databases as files: who may write one, what is left when a writer dies.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "analysis/store/result_reader.h"
#include "analysis/store/result_store.h"
#include "analysis/store/sqlite.h"
#include "sim/base/error.h"
#include "tests/analysis/sample_records.h"
#include "tests/analysis/sample_store.h"
#include "tests/support/temp_dir.h"

namespace heddle::analysis {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

using test::TempDir;

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
