// heddle run: simulates traces.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "analysis/report/kernel_report.h"
#include "analysis/report/run_report.h"
#include "analysis/run/plan.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/console.h"
#include "tools/heddle/stored_batch.h"

namespace heddle::cli {
namespace {

constexpr size_t kTableRows = 200;  // `heddle report` prints them all

struct RunArguments {
  SimOptions sim;
  StoredBatchOptions batch;
  std::vector<std::filesystem::path> paths;
  std::vector<uint32_t> cluster;
};

std::vector<analysis::PlannedLaunch> launches_of(const RunArguments& o) {
  std::vector<analysis::PlannedLaunch> out = analysis::plan_launches(o.paths, o.sim.strict, warn);
  if (!o.cluster.empty()) {
    std::vector<uint32_t> d = o.cluster;
    d.resize(3, 1);
    for (analysis::PlannedLaunch& l : out) {
      l.cluster = isa::Dim3{d[0], d[1], d[2]};
    }
  }
  return out;
}

int run(const RunArguments& o) {
  StoredBatch batch(o.sim, o.batch, launches_of(o));
  const int status = batch.run();
  const std::vector<analysis::LaunchRecord>& results = batch.results();
  if (!results.empty()) {
    print(analysis::run_heading(batch.record(), results) + "\n");
    const std::optional<config::GpuConfig> gpu = batch.gpu();
    print(results.size() == 1
              ? analysis::kernel_details(results[0], analysis::roofs(results[0], gpu))
              : analysis::launch_tables(results, kTableRows, gpu) + analysis::sampling_note(results));
  }
  return status;
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  auto o = std::make_shared<RunArguments>();
  CLI::App* c = app.add_subcommand("run", "simulate the kernels of traces");
  c->add_option(
       "PATH", o->paths,
       "directory with a kernelslist.g, that file, a .traceg[.zst|.xz|.gz], a .heddle, a folder of .heddle "
       "files, or a directory of such directories")
      ->required();
  add_sim_options(*c, o->sim, true);
  add_profile_options(*c, o->sim);
  c->add_option("--summary", o->batch.summary, "write one line per kernel to this CSV file")
      ->type_name("FILE.csv");
  c->add_option(
       "--cluster", o->cluster,
       "blocks per cluster; for kernels with a compiled-in size (__cluster_dims__), which a trace lacks")
      ->type_name("X[,Y[,Z]]")
      ->delimiter(',')
      ->expected(1, 3)
      ->allow_extra_args(false)
      ->check(CLI::Range(1, 32));
  c->add_flag("--keep-going,-k,!--fail-fast", o->batch.keep_going,
              "go on with the next kernel after one that fails (the default), or stop at the first");
  c->callback([o, &status] { status = run(*o); });
}

}  // namespace heddle::cli
