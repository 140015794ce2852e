// Writes results to a SQLite file, a launch at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "analysis/store/claimed_file.h"
#include "analysis/store/record.h"
#include "analysis/store/sqlite.h"

namespace heddle::analysis {

struct StoreOptions {
  IfExists if_exists = IfExists::kRefuse;
  // Off: no host_timing rows, so that the files of two equal runs have equal bytes.
  bool host_timing = true;
};

// Fills `file`, which is empty or does not exist, with empty tables and the catalogue of metrics.
Database create_result_database(const std::filesystem::path& file);

// Adds a row to `runs`, with the record's id.
void insert_run(Database& db, const RunRecord& run);

// Each launch is one transaction, so whatever ends the process, the file holds whole launches and nothing
// else. The run's own row is written with its first launch: a run that finished nothing leaves no trace, and
// not even a file where there was none before.
class ResultStore {
 public:
  // Creates or opens the file and writes to it once, so that a place that cannot be written is known before
  // any simulation. Throws heddle::Error, and does not touch a file that is not a result database of this
  // version, nor one that another process is about to write (ClaimedFile).
  ResultStore(const std::filesystem::path& file, RunRecord run, const StoreOptions& options = {});
  ~ResultStore();
  ResultStore(const ResultStore&) = delete;
  ResultStore& operator=(const ResultStore&) = delete;

  // Sets the id of a copy of the record; those given are ignored. Throws heddle::Error (disk full, lock
  // held); the store can be used again afterwards.
  void add(const LaunchRecord& launch);

  // Spans of the run that belong to no launch: host threads, streams, copy engines. One transaction; before
  // the first launch or after, in any number of calls. With them, the times of all spans of the run count
  // from the run's start; without, those of a launch's spans from its own start.
  void add_spans(const std::vector<stats::Span>& spans);

  // What the run counted beside its launches, each name once. As add_spans().
  void add_counters(const std::vector<RunCounter>& counters);

  // The launches that follow belong to another run, whose row is written with the first of them.
  void begin_run(RunRecord run);

  uint64_t launches() const { return launches_; }

 private:
  void discard();
  void write_run();
  void insert_spans(std::optional<int64_t> launch, const std::vector<stats::Span>& spans);
  void insert_profile(int64_t id, const LaunchRecord& r);
  void insert_launch(int64_t id, const LaunchRecord& r);
  void insert_details(int64_t id, const LaunchRecord& r);

  RunRecord run_;
  StoreOptions options_;
  ClaimedFile file_;
  uint64_t launches_ = 0;
  bool has_run_ = false;  // the row of this run is written
  Database db_;
};

}  // namespace heddle::analysis
