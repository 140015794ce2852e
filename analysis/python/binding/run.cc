// Whole launches: what `heddle run` does, under Python's control.
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>

#include "analysis/python/binding/binding.h"
#include "analysis/run/batch.h"
#include "analysis/run/plan.h"
#include "analysis/run/residency.h"
#include "analysis/run/run_record.h"
#include "analysis/run/simulator.h"
#include "analysis/store/result_store.h"
#include "configs/loader/draft.h"

namespace heddle::python {
namespace {

using analysis::PlannedLaunch;
using analysis::RunSettings;

// How far the launches are; any thread writes, the caller's reads.
class Gauge {
 public:
  explicit Gauge(std::vector<double> weights) : weights_(std::move(weights)), at_(weights_.size()) {}

  void update(size_t launch, const device::Progress& p) {
    const std::lock_guard lock(mutex_);
    at_[launch] = p;
    running_[launch] = true;
  }
  void finish(size_t launch, uint64_t warp_instructions) {
    const std::lock_guard lock(mutex_);
    at_[launch].warp_instructions = warp_instructions;
    running_.erase(launch);
    finished_[launch] = true;
  }
  // launches, finished, share of the work, warp instructions; of the oldest that runs: index, cycle, blocks
  // done and in all.
  py::tuple state() const {
    const std::lock_guard lock(mutex_);
    double done = 0;
    uint64_t instructions = 0;
    for (size_t i = 0; i < at_.size(); ++i) {
      const double share = finished_.contains(i) ? 1
                           : at_[i].blocks_total ? static_cast<double>(at_[i].blocks_done) /
                                                       static_cast<double>(at_[i].blocks_total)
                                                 : 0;
      done += weights_[i] * share;
      instructions += at_[i].warp_instructions;
    }
    const double all = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    const bool any = !running_.empty();
    const size_t first = any ? running_.begin()->first : 0;
    const device::Progress p = any ? at_[first] : device::Progress();
    return py::make_tuple(at_.size(), finished_.size(), all > 0 ? done / all : 1.0, instructions,
                          any ? static_cast<int64_t>(first) : -1, p.cycle, p.blocks_done, p.blocks_total);
  }

 private:
  const std::vector<double> weights_;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<device::Progress> at_;
  std::map<size_t, bool> running_, finished_;
};

struct Failure {
  std::string launch;
  std::exception_ptr error;
};

// The exception object that Python would see.
py::object as_object(const std::exception_ptr& error) {
  const py::module_ errors = py::module_::import("heddle.errors");
  try {
    std::rethrow_exception(error);
  } catch (const device::DeadlockError& e) {
    return errors.attr("DeadlockError")(e.what(), e.report);
  } catch (const TraceError& e) {
    return errors.attr("TraceError")(e.what());
  } catch (...) {
    return errors.attr("SimulationError")(analysis::message_of(error));
  }
}

struct Request {
  const config::Draft* config;
  std::vector<PlannedLaunch> launches;
  RunSettings settings;
  std::string out, exists;
  bool host_timing, keep_going;
};

// Records of what was finished, failures as (launch, exception), what stopped the run or None, warnings.
py::tuple run(Request q, const py::object& progress) {
  Records records;
  const config::GpuConfig gpu = throwing<ConfigError>([&] { return q.config->finish(); });
  throwing<ConfigError>([&] { analysis::check(q.settings, gpu); });
  std::vector<std::string> overrides = q.config->overrides();
  std::ranges::move(analysis::describe(q.settings), std::back_inserter(overrides));
  records.run = analysis::run_record(gpu, q.config->fidelity(), overrides, q.launches.size());
  analysis::share_out(q.settings, q.launches.size());
  std::unique_ptr<analysis::ResultStore> store;
  if (!q.out.empty()) {
    analysis::StoreOptions how;
    how.if_exists = q.exists == "append"    ? analysis::IfExists::kAppend
                    : q.exists == "replace" ? analysis::IfExists::kReplace
                                            : analysis::IfExists::kRefuse;
    how.host_timing = q.host_timing;
    throwing<ResultsError>([&] { store = std::make_unique<analysis::ResultStore>(q.out, records.run, how); });
  }
  Gauge gauge(analysis::weights(q.launches));
  std::vector<Failure> failures;
  std::mutex warnings_mutex;
  std::vector<std::string> warnings;
  const auto warn = [&](std::string_view w) {
    const std::lock_guard lock(warnings_mutex);
    warnings.emplace_back(w);
  };
  const auto work = [&](std::atomic<bool>& cancel) {
    const analysis::Simulator simulator(gpu, q.settings, cancel, warn);
    analysis::BatchOptions batch;
    batch.jobs = q.settings.jobs;
    batch.keep_going = q.keep_going;
    batch.warn = warn;
    batch.follows = analysis::follows(q.launches, q.settings);
    batch.cancel = &cancel;
    analysis::BatchCalls calls;
    calls.simulate = [&](size_t i) {
      gauge.update(i, {});
      analysis::LaunchRecord r =
          simulator.simulate(q.launches[i], [&gauge, i](const device::Progress& p) { gauge.update(i, p); });
      gauge.finish(i, r.warp_instructions);
      return r;
    };
    calls.done = [&](size_t i, analysis::Outcome outcome) {
      if (!outcome.record) {
        failures.push_back({q.launches[i].label(), outcome.error});
        return;
      }
      if (store) {
        store->add(*outcome.record);
      }
      records.launches.push_back(std::move(*outcome.record));
    };
    analysis::run_batch(q.launches.size(),
                        q.settings.jobs > 1 ? analysis::largest_first(q.launches) : std::vector<size_t>(),
                        batch, calls);
  };
  const auto tell = [&] {
    if (!progress.is_none()) {
      progress(gauge.state());
    }
  };
  py::object stopped = py::none();
  try {
    interruptible(work, tell, std::chrono::milliseconds(100));
    tell();
  } catch (py::error_already_set& e) {
    stopped = e.value();
  } catch (const Error& e) {
    stopped = py::module_::import("heddle.errors").attr("ResultsError")(e.what());  // the store's
  }
  py::list failed;
  for (const Failure& f : failures) {
    failed.append(py::make_tuple(f.launch, as_object(f.error)));
  }
  return py::make_tuple(std::move(records), failed, stopped, warnings);
}

}  // namespace

void bind_run(py::module_& m) {
  py::class_<RunSettings>(m, "Settings")
      .def(py::init<>())
      .def_readwrite("threads", &RunSettings::threads)
      .def_readwrite("jobs", &RunSettings::jobs)
      .def_readwrite("cpus", &RunSettings::cpus)
      .def_readwrite("watchdog_cycles", &RunSettings::watchdog_cycles)
      .def_readwrite("sample", &RunSettings::sample)
      .def_readwrite("warm_up", &RunSettings::warm_up)
      .def_property(
          "keep", [](const RunSettings& s) { return s.between == analysis::Between::kKeep; },
          [](RunSettings& s, bool keep) {
            s.between = keep ? analysis::Between::kKeep : analysis::Between::kFlush;
          })
      .def_property(
          "l2_set_aside", [](const RunSettings& s) { return s.l2.set_aside_bytes; },
          [](RunSettings& s, uint64_t bytes) { s.l2.set_aside_bytes = bytes; })
      .def("set_l2_window",
           [](RunSettings& s, const std::string& text) { s.l2.window = analysis::parse_window(text); })
      .def_property(
          "profile_interval", [](const RunSettings& s) { return s.profile.series_interval; },
          [](RunSettings& s, uint32_t cycles) {  // 0: no profile
            s.profile.instructions = cycles != 0;
            s.profile.series_interval = cycles;
          })
      .def_readwrite("strict", &RunSettings::strict)
      .def_readwrite("allow_capability_mismatch", &RunSettings::allow_capability_mismatch);
  m.def("run", [](const config::Draft& config, std::vector<PlannedLaunch> launches,
                  const RunSettings& settings, const std::string& out, const std::string& exists,
                  bool host_timing, bool keep_going, const py::object& progress) {
    return run({&config, std::move(launches), settings, out, exists, host_timing, keep_going}, progress);
  });
}

}  // namespace heddle::python
