#include "tools/heddle/sweep_slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "analysis/report/format.h"
#include "analysis/run/host.h"
#include "analysis/sweep/journal.h"
#include "analysis/sweep/sweep_file.h"
#include "frontends/output/output_file.h"
#include "sim/base/align.h"
#include "sim/base/error.h"
#include "tools/heddle/console.h"
#include "tools/heddle/interrupt.h"
#include "tools/heddle/shell.h"
#include "tools/heddle/slurm.h"
#include "tools/heddle/sweep_run.h"

namespace heddle::cli {

extern const char* const kSlurmTemplate;  // made by the build from tools/cluster/sweep.sbatch

namespace {

namespace fs = std::filesystem;

constexpr size_t kNamed = 20;    // tasks that ended badly; the database names all runs that failed
constexpr size_t kTasks = 1000;  // of an array, unless the user asks for more

std::string read_all(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string filled(std::string text, const std::map<std::string, std::string>& values,
                   const std::string& name) {
  for (size_t at = 0; (at = text.find("{{", at)) != std::string::npos;) {
    const size_t end = text.find("}}", at);
    const std::string key = text.substr(at + 2, end == std::string::npos ? end : end - at - 2);
    const auto it = values.find(key);
    if (it == values.end()) {
      throw Error(fmt::format("{}: nothing is called {{{{{}}}}}; legal: array, command, cpus, log, name",
                              name, key.substr(0, 20)));
    }
    text.replace(at, end + 2 - at, it->second);
    at += it->second.size();
  }
  if (text.find(values.at("command")) == std::string::npos) {
    throw Error(name + ": has no {{command}}: its job would simulate nothing");
  }
  return text;
}

std::string template_of(const SlurmOptions& o) {
  if (o.template_file.empty()) {
    return default_slurm_template();
  }
  if (!fs::is_regular_file(o.template_file)) {
    throw Error(fmt::format("{}: cannot be read", o.template_file.string()));
  }
  return read_all(o.template_file);
}

// Submissions so far, in order.
std::vector<fs::path> rounds_of(const sweep::Folder& folder) {
  std::vector<fs::path> out;
  for (size_t i = 1; fs::exists(folder.slurm() / fmt::format("{}", i)); ++i) {
    out.push_back(folder.slurm() / fmt::format("{}", i));
  }
  return out;
}

std::string job_of(const fs::path& round) {
  std::string id = read_all(round / "job");
  id.erase(std::remove(id.begin(), id.end(), '\n'), id.end());
  return id;
}

// In the folder of the sweep, where nothing is anybody else's.
void write_own(const fs::path& file, std::string_view text) {
  output::write_file(file, output::text_that_begins("a file of a sweep", ""), output::Replace::kAny, text);
}

// A line per run: chunk, point, GPU, launch; numbers from 0.
void write_chunks(const sweep::SweepPlan& plan, const std::vector<size_t>& tasks, size_t chunk,
                  const fs::path& file) {
  std::string text;
  const auto& gpus = plan.sweep().gpu();
  for (size_t i = 0; i < tasks.size(); ++i) {
    const sweep::PlannedConfig& c = plan.config_of(tasks[i]);
    const auto gpu = std::find(gpus.begin(), gpus.end(), c.gpu) - gpus.begin();
    text += fmt::format("{} {} {} {}\n", i / chunk, c.point, gpu, tasks[i] % plan.launches().size());
  }
  write_own(file, text);
}

std::string submit(const sweep::SweepPlan& plan, const sweep::Folder& folder,
                   const std::vector<size_t>& tasks, const SlurmOptions& o) {
  const size_t most = std::max<size_t>(1, std::min(largest_array(), o.chunk ? SIZE_MAX : kTasks));
  const size_t chunk = std::max(o.chunk, divide_up(tasks.size(), most));
  const size_t array = divide_up(tasks.size(), chunk);
  const fs::path round = fs::absolute(folder.slurm() / fmt::format("{}", rounds_of(folder).size() + 1));
  const std::string name = fs::absolute(folder.path).lexically_normal().stem().string();
  const std::string script =
      filled(template_of(o),
             {{"name", job_name(name)},
              {"array", fmt::format("0-{}", array - 1)},
              {"cpus", fmt::format("{}", o.jobs)},
              {"log", job_file(round) + "/task-%a.log"},
              {"command", fmt::format("{} sweep slurm-task {} --round {} --jobs {}",
                                      shell_word(fs::read_symlink("/proc/self/exe").string()),
                                      shell_word(fs::absolute(folder.path).string()),
                                      shell_word(round.string()), o.jobs)}},
             o.template_file.empty() ? "the template" : o.template_file.string());
  fs::create_directories(round);
  write_own(round / "sweep.textproto", sweep::to_text(plan.sweep()));
  write_chunks(plan, tasks, chunk, round / "chunks");
  write_own(round / "job.sbatch", script);
  std::string job;
  try {
    job = submit_job(round / "job.sbatch");
  } catch (...) {
    fs::remove_all(round);
    throw;
  }
  write_own(round / "job", job + "\n");
  note(fmt::format("Slurm job {}: {} runs in {} tasks", job, analysis::grouped(tasks.size()),
                   analysis::grouped(array)));
  return job;
}

// Returns when the job has ended or a signal came.
void watch(const sweep::SweepPlan& plan, const sweep::Folder& folder, const std::string& job,
           const SlurmOptions& o) {
  const size_t done = sweep::progress_of(plan, folder).done;
  const size_t finished = sweep::read_journals(folder.journals(), analysis::revision()).finished;
  std::string last;
  bool silent = false;
  while (!caught_signal()) {
    const std::optional<SlurmTasks> tasks = job_tasks(job);
    if (!tasks && !silent) {
      warn("Slurm does not answer; waiting");
    }
    silent = !tasks;
    if (tasks) {
      const size_t now = sweep::read_journals(folder.journals(), analysis::revision()).finished;
      const std::string line =
          fmt::format("{} of {} runs done; Slurm job {}: {} tasks running, {} waiting",
                      analysis::grouped(done + now - finished), analysis::grouped(plan.tasks()), job,
                      tasks->running, tasks->pending);
      if (line != last) {
        note(line);
      }
      last = line;
      if (tasks->gone()) {
        return;
      }
    }
    for (double waited = 0; waited < o.poll_s && !caught_signal(); waited += 0.1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
}

// Says and writes down how the tasks ended that left runs unfinished. Returns how all ended: "2 COMPLETED, 1
// TIMEOUT".
std::string explain(const sweep::SweepPlan& plan, const sweep::Folder& folder, const std::string& job) {
  const std::map<std::string, std::string> ends = job_ends(job);
  const sweep::JournalIndex journals = sweep::read_journals(folder.journals(), analysis::revision());
  std::unique_ptr<sweep::Journal> journal;
  std::map<std::string, std::string> labels;
  for (size_t t = 0; !journals.lost.empty() && t < plan.tasks(); ++t) {
    labels[plan.key_of(t).text()] = plan.label_of(t);
  }
  size_t said = 0;
  for (const auto& [task, end] : ends) {
    const std::string message = fmt::format("Slurm job {}_{}: {}", job, task, end);
    std::string lost;
    const auto it = journals.lost.find(fmt::format("{}_{}", job, task));
    for (size_t i = 0; it != journals.lost.end() && i < it->second.size(); ++i) {
      if (!journal) {
        journal = std::make_unique<sweep::Journal>(folder.journals() / (sweep::worker_name() + ".log"),
                                                   analysis::revision(), "");
      }
      journal->explain(it->second[i], message);
      lost += (i ? ", " : "; lost: ") + labels[it->second[i]];
    }
    if (end != "COMPLETED" && said++ < kNamed) {
      warn(message + lost);
    }
  }
  if (said > kNamed) {
    warn(fmt::format("and {} tasks more", said - kNamed));
  }
  std::map<std::string, size_t> counts;
  for (const auto& [task, end] : ends) {
    ++counts[end];
  }
  std::string text;
  for (const auto& [end, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, end);
  }
  return text;
}

// What changes with everything that was tried.
size_t tried(const sweep::Folder& folder) {
  const sweep::JournalIndex journals = sweep::read_journals(folder.journals(), analysis::revision());
  size_t n = journals.finished;
  for (const auto& [key, history] : journals.tasks) {
    n += static_cast<size_t>(history.attempts);
  }
  return n;
}

}  // namespace

std::string default_slurm_template() { return kSlurmTemplate; }

int run_sweep_on_slurm(const sweep::SweepPlan& plan, const sweep::Folder& folder, const SlurmOptions& o) {
  catch_signals();
  std::string job;
  size_t before = tried(folder);
  if (const std::vector<fs::path> rounds = rounds_of(folder); !rounds.empty()) {
    const std::string earlier = job_of(rounds.back());
    const std::optional<SlurmTasks> tasks = job_tasks(earlier);
    if (!tasks) {
      throw Error(fmt::format("Slurm does not answer: whether the job {} of {} still runs is not known",
                              earlier, folder.path.string()));
    }
    job = tasks->gone() ? "" : earlier;
    if (job.empty()) {
      explain(plan, folder, earlier);
    } else {
      note(fmt::format("Slurm job {} of {} still runs", job, folder.path.string()));
    }
  }
  bool retry_failed = o.retry_failed;
  while (true) {
    if (job.empty()) {
      const std::vector<size_t> tasks =
          sweep::tasks_to_do(plan, sweep::progress_of(plan, folder, retry_failed));
      retry_failed = false;
      if (tasks.empty()) {
        return 0;
      }
      before = tried(folder);
      job = submit(plan, folder, tasks, o);
    }
    if (!o.watch) {
      note(
          "heddle sweep status tells how far it is; the same command watches, submits again what was lost, "
          "and collects");
      return 0;
    }
    watch(plan, folder, job, o);
    if (caught_signal()) {
      note(fmt::format("the Slurm job {} goes on; the same command watches it again, scancel {} ends it", job,
                       job));
      return 128 + caught_signal();
    }
    const std::string ends = explain(plan, folder, job);
    if (tried(folder) == before) {
      throw Error(fmt::format("Slurm job {} ended without a run being tried ({}); its output is in {}", job,
                              ends.empty() ? "Slurm does not say how" : ends,
                              rounds_of(folder).back().string()));
    }
    before = tried(folder);
    job.clear();
  }
}

int run_slurm_task(const sweep::Folder& folder, const fs::path& round, size_t chunk, int jobs) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  std::ifstream in(round / "chunks");
  if (!in) {
    throw Error(fmt::format("{}: cannot be read", (round / "chunks").string()));
  }
  struct Run {
    size_t chunk = 0, point = 0, gpu = 0, launch = 0;
  };
  std::vector<Run> runs;
  std::set<size_t> points;
  for (Run r; in >> r.chunk >> r.point >> r.gpu >> r.launch;) {
    if (r.chunk == chunk) {
      runs.push_back(r);
      points.insert(r.point);
    }
  }
  if (runs.empty()) {
    throw Error(fmt::format("{}: has no chunk {}", (round / "chunks").string(), chunk));
  }
  const sweep::SweepPlan plan(sweep::read_sweep(round / "sweep.textproto"), warn, &points);
  std::vector<size_t> tasks;
  for (const Run& r : runs) {
    for (size_t c = 0; c < plan.configs().size(); ++c) {
      if (plan.configs()[c].point == r.point &&
          plan.configs()[c].gpu == plan.sweep().gpu(static_cast<int>(r.gpu))) {
        tasks.push_back(c * plan.launches().size() + r.launch);
      }
    }
  }
  const std::string array = variable("SLURM_ARRAY_JOB_ID");
  return run_sweep_tasks(plan, folder, tasks, jobs, /*quiet=*/false,
                         array.empty() ? "task" : fmt::format("{}_{}", array, chunk));
}

}  // namespace heddle::cli
