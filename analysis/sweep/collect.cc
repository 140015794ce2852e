#include "analysis/sweep/collect.h"

#include <fmt/format.h>

#include <list>
#include <utility>

#include "analysis/store/result_store.h"
#include "analysis/store/sqlite.h"
#include "frontends/output/temporary.h"
#include "sim/base/error.h"

namespace heddle::sweep {
namespace {

namespace fs = std::filesystem;
using analysis::Database;
using analysis::Statement;

// Beside the tables of any result database.
constexpr char kTables[] = R"sql(
CREATE TABLE sweep_points (
  run_id INTEGER NOT NULL REFERENCES runs(id),
  point INTEGER NOT NULL,
  axis_number INTEGER NOT NULL,
  axis TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (run_id, axis_number)
) WITHOUT ROWID;
CREATE TABLE sweep_failures (
  run_id INTEGER NOT NULL REFERENCES runs(id),
  trace TEXT NOT NULL,
  launch INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  kind TEXT NOT NULL,
  message TEXT NOT NULL,
  PRIMARY KEY (run_id, trace, launch)
) WITHOUT ROWID;
CREATE TABLE sweep_skipped (
  point INTEGER NOT NULL,
  gpu TEXT NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (point, gpu)
) WITHOUT ROWID;
)sql";

// Shards that are open, the last used first: a sweep may have thousands.
class OpenShards {
 public:
  explicit OpenShards(const ShardIndex& index) : index_(index) {}

  Database& at(size_t shard) {
    for (auto it = open_.begin(); it != open_.end(); ++it) {
      if (it->first == shard) {
        open_.splice(open_.begin(), open_, it);
        return open_.front().second;
      }
    }
    if (open_.size() >= kMost) {
      open_.pop_back();
    }
    open_.emplace_front(shard, Database(index_.files()[shard], Database::Mode::kRead));
    return open_.front().second;
  }

 private:
  static constexpr size_t kMost = 64;
  const ShardIndex& index_;
  std::list<std::pair<size_t, Database>> open_;
};

// A table with rows of launches, and how to copy them.
struct Table {
  std::string name;
  std::string select;  // all columns of the rows of one launch, in the order of the table's key
  std::string insert;
  int id_column = 0;    // of the launch's id
  int run_column = -1;  // of the run's id
};

std::vector<Table> launch_tables(Database& db) {
  std::vector<Table> out;
  Statement names = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid");
  while (names.step()) {
    const std::string name = names.text(0);
    const std::string id = name == "launches" ? "id" : "launch_id";
    Table t{name, "", "", -1};
    std::string columns, marks, order;
    Statement info =
        db.prepare(fmt::format("SELECT name, cid FROM pragma_table_info('{}') ORDER BY cid", name));
    for (int i = 0; info.step();) {
      if (info.text(0) == "id" && name != "launches") {
        continue;  // of spans: counts their rows in the file, and does so anew
      }
      columns += (i ? ", " : "") + info.text(0);
      marks += i ? ", ?" : "?";
      t.id_column = info.text(0) == id ? i : t.id_column;
      t.run_column = info.text(0) == "run_id" ? i : t.run_column;
      ++i;
    }
    Statement key =
        db.prepare(fmt::format("SELECT name FROM pragma_table_info('{}') WHERE pk > 0 ORDER BY pk", name));
    while (key.step()) {
      order += (order.empty() ? " ORDER BY " : ", ") + key.text(0);
    }
    // What depends on the host stays in the shards.
    if (t.id_column >= 0 && name != "host_timing") {
      t.select = fmt::format("SELECT {} FROM {} WHERE {} = ?{}", columns, name, id, order);
      t.insert = fmt::format("INSERT INTO {} ({}) VALUES ({})", name, columns, marks);
      out.push_back(std::move(t));
    }
  }
  return out;
}

void copy_launch(Database& from, int64_t from_id, Database& to, int64_t run, int64_t id,
                 const std::vector<Table>& tables) {
  enum Type { kInteger = 1, kReal = 2, kText = 3 };  // SQLite's
  for (const Table& t : tables) {
    Statement row = from.prepare(t.select);
    Statement insert = to.prepare(t.insert);
    for (row.bind(1, from_id); row.step();) {
      for (int c = 0; c < row.columns(); ++c) {
        if (c == t.id_column || c == t.run_column) {
          insert.bind(c + 1, c == t.id_column ? id : run);
        } else if (row.type(c) == kInteger) {
          insert.bind(c + 1, row.integer(c));
        } else if (row.type(c) == kReal) {
          insert.bind(c + 1, row.real(c));
        } else {
          insert.bind(c + 1, row.text(c));
        }
      }
      insert.run();
    }
  }
}

void write_sweep_tables(Database& db, const Collection& collection) {
  Statement point = db.prepare("INSERT INTO sweep_points VALUES (?, ?, ?, ?, ?)");
  for (size_t r = 0; r < collection.runs.size(); ++r) {
    const CollectedRun& run = collection.runs[r];
    for (size_t a = 0; a < collection.axes.size(); ++a) {
      point.bind(1, uint64_t{r + 1}).bind(2, uint64_t{run.point}).bind(3, uint64_t{a + 1});
      point.bind(4, collection.axes[a]).bind(5, run.values[a]).run();
    }
  }
  Statement failure = db.prepare("INSERT INTO sweep_failures VALUES (?, ?, ?, ?, ?, ?)");
  for (const CollectedFailure& f : collection.failures) {
    failure.bind(1, uint64_t{f.run + 1}).bind(2, f.trace).bind(3, f.launch).bind(4, f.attempts);
    failure.bind(5, name_of(f.kind)).bind(6, f.message).run();
  }
  Statement skipped = db.prepare("INSERT INTO sweep_skipped VALUES (?, ?, ?)");
  for (const SkippedPoint& s : collection.skipped) {
    skipped.bind(1, uint64_t{s.point}).bind(2, s.gpu).bind(3, s.reason).run();
  }
}

size_t write_database(const fs::path& file, const Collection& collection, const ShardIndex& index) {
  Database db = analysis::create_result_database(file);
  analysis::Transaction transaction(db);
  db.execute(kTables);
  const std::vector<Table> tables = launch_tables(db);
  OpenShards shards(index);
  size_t copied = 0;
  int64_t id = 0;
  for (size_t r = 0; r < collection.runs.size(); ++r) {
    const CollectedRun& run = collection.runs[r];
    analysis::RunRecord record = run.record();
    record.id = static_cast<int64_t>(r + 1);
    analysis::insert_run(db, record);
    for (const RunKey& key : run.launches) {
      ++id;
      if (const std::optional<ShardResult> at = index.find(key)) {
        copy_launch(shards.at(at->shard), at->launch_id, db, record.id, id, tables);
        ++copied;
      }
    }
  }
  write_sweep_tables(db, collection);
  transaction.commit();
  return copied;
}

}  // namespace

size_t collect(const fs::path& file, const Collection& collection, const ShardIndex& shards) {
  if (fs::exists(file)) {
    Database old(file, Database::Mode::kRead);
    analysis::check_version(old);  // nobody's other file is replaced
  }
  output::Temporary part(file, file);
  part.close();
  const size_t copied = write_database(part.path(), collection, shards);
  part.commit(/*replace=*/true);
  return copied;
}

}  // namespace heddle::sweep
