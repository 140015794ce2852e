// heddle run: simulates traces.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "analysis/report/kernel_report.h"
#include "analysis/report/run_report.h"
#include "analysis/run/checkpoint_file.h"
#include "analysis/run/checkpointed.h"
#include "analysis/run/plan.h"
#include "sim/base/error.h"
#include "tools/heddle/checks.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/console.h"
#include "tools/heddle/module_launch.h"
#include "tools/heddle/stored_batch.h"

namespace heddle::cli {
namespace {

constexpr size_t kTableRows = 200;  // `heddle report` prints them all

struct RunArguments {
  SimOptions sim;
  StoredBatchOptions batch;
  std::vector<std::filesystem::path> paths;
  std::vector<uint32_t> cluster;
  size_t from_launch = 1;  // of all launches
  ModuleLaunchOptions ptx;
};

// The one launch of a module: executed while it is simulated.
analysis::PlannedLaunch module_launch(const RunArguments& o, ModuleLaunch& launch) {
  analysis::PlannedLaunch out;
  out.source.path = o.ptx.file;
  out.source.trace = out.trace = o.ptx.file.stem().string();
  out.source.number = out.number = 1;
  out.open = [&launch] {
    trace::OpenedTrace t;
    t.source = launch.timed();
    t.fingerprint = "executed";
    return t;
  };
  return out;
}

std::vector<analysis::PlannedLaunch> launches_of(const RunArguments& o) {
  std::vector<analysis::PlannedLaunch> out = analysis::plan_launches(o.paths, o.sim.strict, warn);
  if (!o.cluster.empty()) {
    std::vector<uint32_t> d = o.cluster;
    d.resize(3, 1);
    for (analysis::PlannedLaunch& l : out) {
      l.cluster = isa::Dim3{d[0], d[1], d[2]};
    }
  }
  // Every launch finds a cold machine: what is left out would have left nothing to the others.
  if (o.from_launch > out.size()) {
    throw Error(fmt::format("--from-launch {}: there are {} launches (legal: 1 to {})", o.from_launch,
                            out.size(), out.size()));
  }
  out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(o.from_launch) - 1);
  return out;
}

int run(RunArguments o) {
  std::unique_ptr<ModuleLaunch> ptx;
  std::vector<analysis::PlannedLaunch> launches;
  if (is_module_launch(o.paths, o.ptx)) {
    for (const uint32_t n : o.cluster) {
      o.ptx.cluster += fmt::format("{}{}", o.ptx.cluster.empty() ? "" : ",", n);
    }
    ptx = std::make_unique<ModuleLaunch>(o.ptx);
    launches.push_back(module_launch(o, *ptx));
  } else {
    launches = launches_of(o);
  }
  analysis::CheckpointSettings& checkpoint = o.batch.checkpoint;
  checkpoint.replace = replace(o.sim.force);
  if (!checkpoint.resume.empty()) {
    checkpoint.resumed =
        std::make_shared<analysis::CheckpointFile>(analysis::read_checkpoint(checkpoint.resume));
    launches = analysis::from_saved(std::move(launches), checkpoint.resume, *checkpoint.resumed);
  }
  StoredBatch batch(o.sim, o.batch, std::move(launches));
  if (ptx) {
    exec::Launch& launch = ptx->launch();
    launch.reconvergence_stack = exec::reconverges_by_stack(batch.gpu().limits().compute_capability());
    launch.multiprocessors = static_cast<uint32_t>(batch.gpu().topology().sms());
    launch.warps_of_sm = batch.gpu().limits().max_warps_per_sm();
  }
  const int status = batch.run();
  if (ptx && status == 0) {
    const exec::ExecuteResult nested = ptx->execute_nested({});
    if (nested.launches != 0) {
      warn(fmt::format(
          "the kernel has launched kernels: {} were executed, not timed (heddle exec PROGRAM times them)",
          nested.launches));
    }
    ptx->write_outputs(o.sim.force);
    print(ptx->output() + nested.output);
  }
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

void add_checkpoint_options(CLI::App& c, RunArguments& o) {
  analysis::CheckpointSettings& s = o.batch.checkpoint;
  CLI::Option* from = c.add_option("--from-launch", o.from_launch,
                                   "leave out the launches before this one, counted from 1 over all traces")
                          ->type_name("N")
                          ->check(at_least(1));
  CLI::Option* file =
      c.add_option("--checkpoint", s.file,
                   "save the launch that is simulated in this file on Ctrl-C and SIGTERM, and "
                   "when the two options below say so; each time replaces the one before")
          ->type_name("FILE");
  c.add_option("--checkpoint-at", s.at,
               "save at the end of the first quantum behind this core cycle of a launch, and go on")
      ->type_name("CYCLE")
      ->check(at_least(0))
      ->needs(file);
  c.add_option("--checkpoint-every", s.every, "save again and again, so many core cycles of a launch apart")
      ->type_name("CYCLES")
      ->check(at_least(1))
      ->needs(file);
  CLI::Option* resume =
      c.add_option("--resume", s.resume,
                   "go on with the launch that --checkpoint saved in this file, then with those behind it")
          ->type_name("FILE")
          ->excludes(from);
  for (CLI::Option* p : {file, resume}) {
    for (const char* other : {"--sample", "--jobs", "--cpus"}) {
      p->excludes(c.get_option(other));
    }
  }
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  auto o = std::make_shared<RunArguments>();
  CLI::App* c = app.add_subcommand("run", "simulate the kernels of traces");
  c->add_option(
       "PATH", o->paths,
       "directory with a kernelslist.g, that file, a .traceg[.zst|.xz|.gz], a .heddle, a folder of .heddle "
       "files, or a directory of such directories; or a module in PTX or machine code, FILE.ptx or "
       "FILE.cubin, "
       "with --kernel, --grid, --block")
      ->required();
  add_sim_options(*c, o->sim, true);
  add_profile_options(*c, o->sim);
  add_checkpoint_options(*c, *o);
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
  add_module_options(*c, o->ptx);
  c->add_flag("--keep-going,-k,!--fail-fast", o->batch.keep_going,
              "go on with the next kernel after one that fails (the default), or stop at the first");
  c->callback([o, &status] { status = run(*o); });
}

}  // namespace heddle::cli
