// Sweeps: what `heddle sweep` does, under Python's control.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>

#include "analysis/python/binding/binding.h"
#include "analysis/sweep/execute.h"
#include "analysis/sweep/folder.h"
#include "analysis/sweep/plan.h"
#include "analysis/sweep/results.h"
#include "analysis/sweep/sweep_file.h"

namespace heddle::python {
namespace {

namespace fs = std::filesystem;

sweep::Folder existing(const std::string& folder) {
  sweep::Folder f{folder};
  if (!fs::exists(f.file())) {
    throw Error(folder + ": no folder of a sweep: it has no sweep.textproto");
  }
  return f;
}

// Simulates what is to do and collects. `folder` empty: `file` is the folder of a sweep that goes on.
// `configs`: config::LoadOptions::shipped.
py::tuple run(const std::string& file, const std::string& folder, const std::string& configs, int jobs,
              bool retry_failed, bool skip_impossible, const py::object& progress) {
  std::mutex mutex;  // guards what follows; any thread
  std::vector<std::string> warnings;
  size_t done = 0, all = 0;
  const auto warn = [&](std::string_view text) {
    const std::lock_guard lock(mutex);
    warnings.emplace_back(text);
  };
  std::unique_ptr<sweep::SweepPlan> plan;
  const sweep::Folder where = folder.empty() ? existing(file) : sweep::Folder{folder};
  const auto work = [&](std::atomic<bool>& cancel) {
    sweep::Sweep s = sweep::read_sweep(folder.empty() ? where.file() : fs::path(file));
    s.set_skip_impossible(s.skip_impossible() || skip_impossible);
    plan = std::make_unique<sweep::SweepPlan>(std::move(s), warn, nullptr, std::vector<fs::path>{configs});
    where.create(plan->sweep());
    const sweep::Progress before = sweep::progress_of(*plan, where, retry_failed);
    if (before.alive > 0) {
      throw Error(where.path.string() + ": another sweep works on it");
    }
    const std::vector<size_t> tasks = sweep::tasks_to_do(*plan, before);
    {
      const std::lock_guard lock(mutex);
      all = tasks.size();
    }
    sweep::ExecuteOptions options;
    options.jobs = jobs > 0 ? jobs : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    options.cancel = &cancel;
    options.warn = warn;
    sweep::ExecuteCalls calls;
    calls.finish = [&](size_t, uint64_t) {
      const std::lock_guard lock(mutex);
      ++done;
    };
    sweep::execute(*plan, where, tasks, options, calls);
    if (!cancel) {
      sweep::collect_folder(*plan, where);
    }
  };
  const auto tell = [&] {
    if (!progress.is_none()) {
      const auto [n, of] = [&] {
        const std::lock_guard lock(mutex);
        return std::pair(done, all);
      }();
      progress(n, of);
    }
  };
  interruptible(work, tell, std::chrono::milliseconds(100));
  tell();
  return py::make_tuple(where.results().string(), warnings);
}

// Puts together what is finished; the database's path, runs done and in all.
py::tuple collect(const std::string& folder, const std::string& configs) {
  const sweep::Folder f = existing(folder);
  const sweep::SweepPlan plan(sweep::read_sweep(f.file()), [](std::string_view) {}, nullptr, {configs});
  sweep::collect_folder(plan, f);
  return py::make_tuple(f.results().string(), sweep::progress_of(plan, f).done, plan.tasks());
}

}  // namespace

void bind_sweep(py::module_& m) {
  m.def("sweep", &run);
  m.def("collect", &collect);
  py::class_<sweep::SweepResults>(m, "SweepResults")
      .def(py::init([](const std::string& file) {
        return throwing<ResultsError>([&] { return std::make_unique<sweep::SweepResults>(file); });
      }))
      .def("axes", &sweep::SweepResults::axes)
      .def("launches", &sweep::SweepResults::launches)
      .def("configs",
           [](const sweep::SweepResults& r) {
             py::list out;
             for (const sweep::ResultConfig& c : r.configs()) {
               out.append(py::make_tuple(c.run_id, c.point, c.gpu, c.values));
             }
             return out;
           })
      .def("values", [](sweep::SweepResults& r, const std::string& metric) {
        return throwing<ResultsError>([&] { return r.values(metric); });
      });
}

}  // namespace heddle::python
