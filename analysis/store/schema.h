// The result database. analysis/README.md describes it for its readers.
#pragma once

#include <cstdint>

namespace heddle::analysis {

// "HEDL" in the file's header: tells our files from other SQLite files.
inline constexpr int64_t kApplicationId = 0x4845444c;

// Raised with every change of a table; a file of another version is refused, not guessed at.
inline constexpr int64_t kSchemaVersion = 6;

// Settings that the file's bytes depend on. `secure_delete` zeroes freed space, so that no stale bytes stay
// in a page.
inline constexpr char kSettings[] = R"sql(
PRAGMA page_size = 4096;
PRAGMA encoding = 'UTF-8';
PRAGMA auto_vacuum = NONE;
PRAGMA journal_mode = DELETE;
PRAGMA synchronous = NORMAL;
PRAGMA secure_delete = ON;
PRAGMA foreign_keys = ON;
)sql";

// Ids are given by the writer, in the order of the launches: SQLite never chooses one. What depends on the
// host is in `host_timing` and nowhere else.
inline constexpr char kSchema[] = R"sql(
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  gpu TEXT NOT NULL,
  product TEXT NOT NULL,
  config_hash TEXT NOT NULL,
  config_text TEXT NOT NULL,
  fidelity TEXT NOT NULL,
  overrides TEXT NOT NULL,
  seed INTEGER NOT NULL,
  revision TEXT NOT NULL,
  launches_planned INTEGER NOT NULL
);
CREATE TABLE launches (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs(id),
  trace TEXT NOT NULL,
  launch INTEGER NOT NULL,
  trace_hash TEXT NOT NULL,
  kernel TEXT NOT NULL,
  kernel_id INTEGER NOT NULL,
  stream INTEGER NOT NULL,
  grid_x INTEGER NOT NULL,
  grid_y INTEGER NOT NULL,
  grid_z INTEGER NOT NULL,
  block_x INTEGER NOT NULL,
  block_y INTEGER NOT NULL,
  block_z INTEGER NOT NULL,
  cluster_x INTEGER NOT NULL,
  cluster_y INTEGER NOT NULL,
  cluster_z INTEGER NOT NULL,
  registers INTEGER NOT NULL,
  static_shared INTEGER NOT NULL,
  dynamic_shared INTEGER NOT NULL,
  core_mhz REAL NOT NULL,
  cycles INTEGER NOT NULL,
  sm_active_cycles INTEGER NOT NULL,
  warp_instructions INTEGER NOT NULL,
  used_control_bits INTEGER NOT NULL,
  UNIQUE (run_id, trace, launch)
);
CREATE TABLE run_counters (
  run_id INTEGER NOT NULL REFERENCES runs(id),
  name TEXT NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (run_id, name)
) WITHOUT ROWID;
CREATE TABLE metrics (
  name TEXT PRIMARY KEY,
  unit TEXT NOT NULL,
  meaning TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE counters (
  launch_id INTEGER NOT NULL REFERENCES launches(id),
  name TEXT NOT NULL,
  value NUMERIC NOT NULL,
  PRIMARY KEY (launch_id, name)
) WITHOUT ROWID;
CREATE TABLE stalls (
  launch_id INTEGER NOT NULL REFERENCES launches(id),
  reason TEXT NOT NULL,
  warp_cycles INTEGER NOT NULL,
  ratio REAL NOT NULL,
  PRIMARY KEY (launch_id, reason)
) WITHOUT ROWID;
CREATE TABLE unknown_opcodes (
  launch_id INTEGER NOT NULL REFERENCES launches(id),
  opcode TEXT NOT NULL,
  warp_instructions INTEGER NOT NULL,
  PRIMARY KEY (launch_id, opcode)
) WITHOUT ROWID;
CREATE TABLE sampling (
  launch_id INTEGER PRIMARY KEY REFERENCES launches(id),
  sampled INTEGER NOT NULL,
  detailed_blocks INTEGER NOT NULL,
  total_blocks INTEGER NOT NULL,
  detailed_sms INTEGER NOT NULL,
  total_sms INTEGER NOT NULL,
  cycles_low INTEGER NOT NULL,
  cycles_high INTEGER NOT NULL,
  reason TEXT NOT NULL
);
CREATE TABLE series (
  launch_id INTEGER NOT NULL REFERENCES launches(id),
  name TEXT NOT NULL,
  cycle INTEGER NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (launch_id, name, cycle)
) WITHOUT ROWID;
CREATE TABLE instructions (
  launch_id INTEGER NOT NULL REFERENCES launches(id),
  pc INTEGER NOT NULL,
  opcode TEXT NOT NULL,
  sass TEXT NOT NULL,
  source_file TEXT NOT NULL,
  source_line INTEGER NOT NULL,
  executed INTEGER NOT NULL,
  threads INTEGER NOT NULL,
  flop INTEGER NOT NULL,
  flop_kind TEXT NOT NULL,
  requests INTEGER NOT NULL,
  sectors INTEGER NOT NULL,
  sector_hits INTEGER NOT NULL,
  shared_wavefronts INTEGER NOT NULL,
  shared_conflicts INTEGER NOT NULL,
  PRIMARY KEY (launch_id, pc)
) WITHOUT ROWID;
CREATE TABLE instruction_stalls (
  launch_id INTEGER NOT NULL,
  pc INTEGER NOT NULL,
  reason TEXT NOT NULL,
  warp_cycles INTEGER NOT NULL,
  PRIMARY KEY (launch_id, pc, reason),
  FOREIGN KEY (launch_id, pc) REFERENCES instructions(launch_id, pc)
) WITHOUT ROWID;
CREATE TABLE spans (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs(id),
  launch_id INTEGER REFERENCES launches(id),
  track TEXT NOT NULL,
  lane INTEGER NOT NULL,
  name TEXT NOT NULL,
  start_ps INTEGER NOT NULL,
  end_ps INTEGER NOT NULL,
  args TEXT NOT NULL
);
CREATE TABLE dropped_spans (
  launch_id INTEGER PRIMARY KEY REFERENCES launches(id),
  spans INTEGER NOT NULL
);
CREATE TABLE host_timing (
  launch_id INTEGER PRIMARY KEY REFERENCES launches(id),
  wall_seconds REAL NOT NULL,
  hostname TEXT NOT NULL,
  date TEXT NOT NULL,
  threads INTEGER NOT NULL,
  max_rss_bytes INTEGER NOT NULL,
  trace_path TEXT NOT NULL
);
)sql";

}  // namespace heddle::analysis
