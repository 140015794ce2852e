#include "analysis/store/result_reader.h"

#include <fmt/format.h>

#include <limits>
#include <string_view>

#include "analysis/store/config_text.h"
#include "analysis/store/schema.h"
#include "sim/base/error.h"
#include "sim/base/fnv.h"

namespace heddle::analysis {
namespace {

// Rows in the order of their keys.
constexpr const char* kHashed[] = {
    ("SELECT id, gpu, product, config_hash, config_text, fidelity, overrides, seed, launches_planned "
     "FROM runs ORDER BY id"),  // a comma is not missing
    "SELECT * FROM run_counters ORDER BY run_id, name",
    "SELECT * FROM launches ORDER BY id",
    "SELECT * FROM counters ORDER BY launch_id, name",
    "SELECT * FROM stalls ORDER BY launch_id, reason",
    "SELECT * FROM unknown_opcodes ORDER BY launch_id, opcode",
    "SELECT * FROM sampling ORDER BY launch_id",
    "SELECT * FROM series ORDER BY launch_id, name, cycle",
    "SELECT * FROM instructions ORDER BY launch_id, pc",
    "SELECT * FROM instruction_stalls ORDER BY launch_id, pc, reason",
    "SELECT * FROM spans ORDER BY id",
    "SELECT * FROM dropped_spans ORDER BY launch_id",
};

}  // namespace

ResultReader::ResultReader(const std::filesystem::path& file) : db_(file, Database::Mode::kRead) {
  if (db_.integer("PRAGMA application_id") != kApplicationId) {
    throw Error(fmt::format("{}: not a Heddle result database", db_.file()));
  }
  if (int64_t v = db_.integer("PRAGMA user_version"); v != kSchemaVersion) {
    throw Error(fmt::format("{}: result database of version {}, this program reads version {}", db_.file(), v,
                            kSchemaVersion));
  }
}

std::vector<RunRecord> ResultReader::runs() {
  std::vector<RunRecord> out;
  Statement s = db_.prepare(
      "SELECT id, gpu, product, config_hash, config_text, fidelity, overrides, seed, revision, "
      "launches_planned"
      " FROM runs ORDER BY id");
  while (s.step()) {
    RunRecord r;
    r.id = s.integer(0);
    r.gpu = s.text(1);
    r.product = s.text(2);
    r.config_hash = s.text(3);
    r.config_text = s.text(4);
    r.fidelity = s.text(5);
    r.overrides = s.text(6);
    r.seed = static_cast<uint64_t>(s.integer(7));
    r.revision = s.text(8);
    r.launches_planned = static_cast<uint64_t>(s.integer(9));
    out.push_back(std::move(r));
  }
  return out;
}

RunRecord ResultReader::whole(RunRecord run) {
  const std::optional<int64_t> base = base_of(run.config_text);
  if (!base) {
    return run;
  }
  if (base_run_ != *base) {
    Statement s = db_.prepare("SELECT config_text FROM runs WHERE id = ?");
    s.bind(1, *base);
    base_text_ = s.step() ? s.text(0) : "";
    base_run_ = *base;
  }
  try {
    run.config_text = whole_config(run.config_text, base_text_);
  } catch (const Error& e) {
    throw Error(fmt::format("{}: run {}: {}", db_.file(), run.id, e.what()));
  }
  return run;
}

std::vector<LaunchRecord> ResultReader::launches(int64_t run_id) {
  std::vector<LaunchRecord> out;
  Statement s = db_.prepare(
      "SELECT id, run_id, trace, launch, trace_hash, kernel, kernel_id, stream, grid_x, grid_y, grid_z, "
      "block_x,"
      " block_y, block_z, cluster_x, cluster_y, cluster_z, registers, static_shared, dynamic_shared, "
      "core_mhz, cycles,"
      " sm_active_cycles, warp_instructions, used_control_bits FROM launches WHERE run_id = ? ORDER BY id");
  s.bind(1, run_id);
  while (s.step()) {
    LaunchRecord r;
    int i = 0;
    auto number = [&] { return static_cast<uint64_t>(s.integer(i++)); };
    auto number32 = [&] { return static_cast<uint32_t>(s.integer(i++)); };
    r.id = s.integer(i++);
    r.run_id = s.integer(i++);
    r.trace = s.text(i++);
    r.launch = number32();
    r.trace_hash = s.text(i++);
    r.kernel = s.text(i++);
    r.kernel_id = number();
    r.shape.stream = number();
    for (isa::Dim3* d : {&r.shape.grid, &r.shape.block, &r.shape.cluster}) {
      d->x = number32();
      d->y = number32();
      d->z = number32();
    }
    r.shape.registers_per_thread = number32();
    r.shape.static_shared_bytes = number32();
    r.shape.dynamic_shared_bytes = number32();
    r.core_mhz = s.real(i++);
    r.cycles = number();
    r.sm_active_cycles = number();
    r.warp_instructions = number();
    r.used_control_bits = number() != 0;
    read_details(r);
    out.push_back(std::move(r));
  }
  return out;
}

void ResultReader::read_details(LaunchRecord& r) {
  r.values.assign(stats::catalogue().size(), std::numeric_limits<double>::quiet_NaN());
  Statement counter = db_.prepare("SELECT name, value FROM counters WHERE launch_id = ?");
  for (counter.bind(1, r.id); counter.step();) {
    if (std::optional<size_t> i = metric_index(counter.text(0))) {
      r.values[*i] = counter.real(1);
    }
  }
  Statement stall = db_.prepare("SELECT reason, warp_cycles FROM stalls WHERE launch_id = ?");
  for (stall.bind(1, r.id); stall.step();) {
    std::string reason = stall.text(0);
    for (int i = 0; i < stats::kStallCount; ++i) {
      if (stats::kStallInfo[i].name == reason) {
        r.stall_warp_cycles[i] = static_cast<uint64_t>(stall.integer(1));
      }
    }
  }
  Statement unknown =
      db_.prepare("SELECT opcode, warp_instructions FROM unknown_opcodes WHERE launch_id = ?");
  for (unknown.bind(1, r.id); unknown.step();) {
    r.unknown_opcodes[unknown.text(0)] = static_cast<uint64_t>(unknown.integer(1));
  }
  Statement sampling = db_.prepare(
      "SELECT detailed_blocks, total_blocks, cycles_low, cycles_high, reason, detailed_sms, total_sms FROM "
      "sampling "
      "WHERE launch_id = "
      "?");
  for (sampling.bind(1, r.id); sampling.step();) {
    r.sampling.requested = true;
    r.sampling.detailed_blocks = static_cast<uint64_t>(sampling.integer(0));
    r.sampling.total_blocks = static_cast<uint64_t>(sampling.integer(1));
    r.sampling.cycles_low = static_cast<uint64_t>(sampling.integer(2));
    r.sampling.cycles_high = static_cast<uint64_t>(sampling.integer(3));
    r.sampling.reason = sampling.text(4);
    r.sampling.detailed_sms = static_cast<uint32_t>(sampling.integer(5));
    r.sampling.total_sms = static_cast<uint32_t>(sampling.integer(6));
  }
  Statement host = db_.prepare(
      "SELECT wall_seconds, hostname, date, threads, max_rss_bytes, trace_path FROM host_timing WHERE "
      "launch_id = ?");
  for (host.bind(1, r.id); host.step();) {
    r.host.wall_seconds = host.real(0);
    r.host.hostname = host.text(1);
    r.host.date = host.text(2);
    r.host.threads = static_cast<int>(host.integer(3));
    r.host.max_rss_bytes = static_cast<uint64_t>(host.integer(4));
    r.host.trace_path = host.text(5);
  }
}

std::string ResultReader::content_hash() {
  Fnv h;
  for (const char* query : kHashed) {
    Statement s = db_.prepare(query);
    while (s.step()) {
      for (int c = 0; c < s.columns(); ++c) {
        // The length separates neighbouring columns. SQLite's text form of a REAL has 15 digits; hexadecimal
        // is exact.
        std::string text = s.type(c) == 2 ? fmt::format("{:a}", s.real(c)) : s.text(c);
        h.add(fmt::format("{}:", text.size()));
        h.add(text);
      }
      h.add("\n");
    }
  }
  return fmt::format("{:016x}", h.value());
}

}  // namespace heddle::analysis
