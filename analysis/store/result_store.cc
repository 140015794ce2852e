#include "analysis/store/result_store.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <system_error>
#include <utility>

#include "analysis/store/schema.h"
#include "sim/base/error.h"

namespace heddle::analysis {
namespace {

namespace fs = std::filesystem;

// With a launch that took hours, another process may hold the file for a while.
constexpr std::chrono::milliseconds kPatience{10'000};

void write_catalogue(Database& db) {
  Statement s = db.prepare(
      "INSERT INTO metrics VALUES (?, ?, ?)"
      " ON CONFLICT (name) DO UPDATE SET unit = excluded.unit, meaning = excluded.meaning");
  for (const stats::MetricInfo& m : stats::catalogue()) {
    s.bind(1, m.name).bind(2, m.unit).bind(3, m.meaning).run();
  }
}

// With empty tables.
void create_tables(Database& db) {
  db.execute(kSchema);
  db.execute(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId, kSchemaVersion));
}

}  // namespace

Database create_result_database(const fs::path& file) {
  Database db(file, Database::Mode::kCreate);
  db.execute(kSettings);
  Transaction t(db);
  create_tables(db);
  write_catalogue(db);
  t.commit();
  return db;
}

void insert_run(Database& db, const RunRecord& run) {
  Statement s = db.prepare("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  s.bind(1, run.id).bind(2, run.gpu).bind(3, run.product).bind(4, run.config_hash).bind(5, run.config_text);
  s.bind(6, run.fidelity).bind(7, run.overrides).bind(8, run.seed).bind(9, run.revision);
  s.bind(10, run.launches_planned).run();
}

ResultStore::ResultStore(const fs::path& file, RunRecord run, const StoreOptions& options)
    : run_(std::move(run)),
      options_(options),
      file_(file, options.if_exists),
      db_(file_.path(), file_.created() ? Database::Mode::kCreate : Database::Mode::kWrite) {
  try {
    db_.execute(kSettings);
    Transaction t(db_);
    if (file_.created()) {
      create_tables(db_);
    }
    write_catalogue(db_);
    t.commit();
    db_.set_patience(kPatience);
  } catch (...) {
    discard();
    throw;
  }
}

ResultStore::~ResultStore() { discard(); }

// A new file with nothing in it is in the way of the next attempt.
void ResultStore::discard() {
  if (file_.created() && !has_run_ && launches_ == 0) {
    std::error_code ignored;
    fs::remove(file_.path(), ignored);
  }
}

void ResultStore::add(const LaunchRecord& launch) {
  Transaction t(db_);
  if (!has_run_) {
    write_run();
  }
  int64_t id = db_.integer("SELECT coalesce(max(id), 0) + 1 FROM launches");
  insert_launch(id, launch);
  insert_details(id, launch);
  insert_profile(id, launch);
  t.commit();
  has_run_ = true;
  ++launches_;
}

void ResultStore::add_spans(const std::vector<stats::Span>& spans) {
  Transaction t(db_);
  if (!has_run_) {
    write_run();
  }
  insert_spans(std::nullopt, spans);
  t.commit();
  has_run_ = true;
}

void ResultStore::add_counters(const std::vector<RunCounter>& counters) {
  Transaction t(db_);
  if (!has_run_) {
    write_run();
  }
  Statement s = db_.prepare("INSERT INTO run_counters VALUES (?, ?, ?)");
  for (const RunCounter& c : counters) {
    s.bind(1, run_.id).bind(2, c.name).bind(3, c.value).run();
  }
  t.commit();
  has_run_ = true;
}

void ResultStore::begin_run(RunRecord run) {
  run_ = std::move(run);
  has_run_ = false;
}

void ResultStore::write_run() {
  run_.id = db_.integer("SELECT coalesce(max(id), 0) + 1 FROM runs");
  insert_run(db_, run_);
}

void ResultStore::insert_launch(int64_t id, const LaunchRecord& r) {
  Statement s = db_.prepare(
      "INSERT INTO launches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
      "?)");
  int i = 0;
  auto put = [&](auto value) { s.bind(++i, value); };
  put(id);
  put(run_.id);
  put(std::string_view(r.trace));
  put(r.launch);
  put(std::string_view(r.trace_hash));
  put(std::string_view(r.kernel));
  put(r.kernel_id);
  put(r.shape.stream);
  for (const isa::Dim3& d : {r.shape.grid, r.shape.block, r.shape.cluster}) {
    put(d.x);
    put(d.y);
    put(d.z);
  }
  put(r.shape.registers_per_thread);
  put(r.shape.static_shared_bytes);
  put(r.shape.dynamic_shared_bytes);
  put(r.core_mhz);
  put(r.cycles);
  put(r.sm_active_cycles);
  put(r.warp_instructions);
  put(int64_t{r.used_control_bits});
  s.run();
}

void ResultStore::insert_details(int64_t id, const LaunchRecord& r) {
  Statement counter = db_.prepare("INSERT INTO counters VALUES (?, ?, ?)");
  const std::vector<stats::MetricInfo>& catalogue = stats::catalogue();
  for (size_t i = 0; i < r.values.size() && i < catalogue.size(); ++i) {
    if (!std::isnan(r.values[i])) {
      counter.bind(1, id).bind(2, catalogue[i].name).bind(3, r.values[i]).run();
    }
  }
  Statement stall = db_.prepare("INSERT INTO stalls VALUES (?, ?, ?, ?)");
  for (int i = 0; i < stats::kStallCount; ++i) {
    std::string_view reason = stats::kStallInfo[i].name;
    stall.bind(1, id).bind(2, reason).bind(3, r.stall_warp_cycles[i]);
    stall.bind(4, r.metric_or_zero(stall_metric(reason))).run();
  }
  Statement unknown = db_.prepare("INSERT INTO unknown_opcodes VALUES (?, ?, ?)");
  for (const auto& [opcode, count] : r.unknown_opcodes) {
    unknown.bind(1, id).bind(2, opcode).bind(3, count).run();
  }
  if (r.sampling.requested) {
    Statement s = db_.prepare("INSERT INTO sampling VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    s.bind(1, id).bind(2, int64_t{r.sampling.sampled()}).bind(3, r.sampling.detailed_blocks);
    s.bind(4, r.sampling.total_blocks).bind(5, int64_t{r.sampling.detailed_sms});
    s.bind(6, int64_t{r.sampling.total_sms}).bind(7, r.sampling.cycles_low).bind(8, r.sampling.cycles_high);
    s.bind(9, r.sampling.reason).run();
  }
  if (options_.host_timing) {
    Statement host = db_.prepare("INSERT INTO host_timing VALUES (?, ?, ?, ?, ?, ?, ?)");
    host.bind(1, id).bind(2, r.host.wall_seconds).bind(3, r.host.hostname).bind(4, r.host.date);
    host.bind(5, r.host.threads).bind(6, r.host.max_rss_bytes).bind(7, r.host.trace_path).run();
  }
}

}  // namespace heddle::analysis
