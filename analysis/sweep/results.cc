#include "analysis/sweep/results.h"

#include <fmt/format.h>

#include <limits>
#include <map>

#include "analysis/store/record.h"
#include "analysis/store/result_store.h"
#include "frontends/input/regular_file.h"
#include "sim/base/error.h"

namespace heddle::sweep {
namespace {

const std::filesystem::path& existing(const std::filesystem::path& file) {
  if (const std::string why = input::why_not_regular(file); !why.empty()) {
    throw Error(fmt::format("{}: {} (heddle sweep collect writes it)", file.string(), why));
  }
  return file;
}

}  // namespace

std::string metric_name(std::string_view name) {
  const std::string_view full = name == "cycles" ? "gpc__cycles_elapsed.max"
                                : name == "time" ? "gpu__time_duration.sum"
                                                 : name;
  return analysis::metric_index(full) ? std::string(full) : "";
}

SweepResults::SweepResults(const std::filesystem::path& file)
    : db_(existing(file), analysis::Database::Mode::kRead) {
  analysis::check_version(db_);
  if (db_.integer("SELECT count(*) FROM sqlite_master WHERE name = 'sweep_points'") == 0) {
    throw Error(fmt::format("{}: not the database of a sweep", db_.file()));
  }
  analysis::Statement axes = db_.prepare("SELECT DISTINCT axis FROM sweep_points ORDER BY axis_number");
  while (axes.step()) {
    axes_.push_back(axes.text(0));
  }
  std::map<int64_t, size_t> index;
  analysis::Statement runs = db_.prepare("SELECT id, gpu FROM runs ORDER BY id");
  while (runs.step()) {
    index[runs.integer(0)] = configs_.size();
    configs_.push_back({runs.integer(0), 0, runs.text(1), {}});
  }
  analysis::Statement points =
      db_.prepare("SELECT run_id, point, value FROM sweep_points ORDER BY run_id, axis_number");
  while (points.step()) {
    ResultConfig& c = configs_[index.at(points.integer(0))];
    c.point = static_cast<size_t>(points.integer(1));
    c.values.push_back(points.text(2));
  }
  // In the order of the runs' launches, whichever runs have them.
  analysis::Statement launches = db_.prepare(
      "SELECT trace, launch FROM launches GROUP BY trace, launch"
      " ORDER BY min(id - run_id * (SELECT launches_planned FROM runs LIMIT 1))");
  while (launches.step()) {
    launches_.push_back(fmt::format("{}/{}", launches.text(0), launches.integer(1)));
  }
}

std::vector<std::vector<double>> SweepResults::values(const std::string& metric) {
  const std::string name = metric_name(metric);
  if (name.empty()) {
    throw Error(
        fmt::format("no metric '{}' (heddle metrics lists them; cycles and time are short names)", metric));
  }
  std::map<int64_t, size_t> config;
  for (size_t i = 0; i < configs_.size(); ++i) {
    config[configs_[i].run_id] = i;
  }
  std::map<std::string, size_t> launch;
  for (size_t i = 0; i < launches_.size(); ++i) {
    launch[launches_[i]] = i;
  }
  std::vector<std::vector<double>> out(
      configs_.size(), std::vector<double>(launches_.size(), std::numeric_limits<double>::quiet_NaN()));
  analysis::Statement s = db_.prepare(
      "SELECT run_id, trace, launch, value FROM counters JOIN launches ON launch_id = id WHERE name = ?");
  for (s.bind(1, name); s.step();) {
    out[config.at(s.integer(0))][launch.at(fmt::format("{}/{}", s.text(1), s.integer(2)))] = s.real(3);
  }
  return out;
}

}  // namespace heddle::sweep
