#include "tools/heddle/options.h"

#include <CLI/CLI.hpp>

#include "analysis/run/residency.h"
#include "tools/heddle/checks.h"

namespace heddle::cli {

analysis::StoreOptions SimOptions::store() const {
  analysis::StoreOptions s;
  s.if_exists = append  ? analysis::IfExists::kAppend
                : force ? analysis::IfExists::kReplace
                        : analysis::IfExists::kRefuse;
  s.host_timing = !no_host_timing;
  return s;
}

void add_force(CLI::App& app, bool& force) {
  app.add_flag("--force", force, "replace files of another kind, too");
}

CLI::Option* add_repeatable(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                            const std::string& help) {
  // Without this a vector option swallows the positional arguments behind it.
  return app.add_option(name, values, help)->allow_extra_args(false);
}

void add_profile_options(CLI::App& app, SimOptions& o) {
  constexpr uint32_t kInterval = 128;
  CLI::Option* out = app.get_option("--out");
  CLI::Option* sample = app.get_option("--sample");
  CLI::Option* profile = app.add_flag_callback(
      "--profile",
      [&o] {
        o.profile.instructions = true;
        o.profile.series_interval = o.profile.series_interval ? o.profile.series_interval : kInterval;
      },
      "also store counts and stalls by instruction, and counters over time");
  app.add_option("--profile-interval", o.profile.series_interval,
                 "core cycles between the samples of --profile; doubled when there are more than 1024")
      ->check(CLI::Range(1u, 1u << 30))
      ->needs(profile);
  CLI::Option* timeline =
      app.add_flag("--timeline", o.profile.blocks, "also store when each block was on which SM");
  app.add_option("--timeline-warps", o.profile.warps_of_sms, "the same for the warps of these SMs")
      ->type_name("SM[,SM]...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->needs(timeline);
  app.add_option("--timeline-limit", o.profile.max_spans,
                 "blocks and warps stored per launch; further ones are counted only")
      ->check(at_least(0))
      ->needs(timeline)
      ->capture_default_str();
  for (CLI::Option* p : {profile, timeline}) {
    p->needs(out)->excludes(sample);
  }
}

void add_launch_options(CLI::App& app, analysis::RunSettings& o) {
  CLI::Option* threads = app.add_option("--threads", o.threads,
                                        "host threads that simulate one launch; results do not depend on it")
                             ->check(CLI::Range(1, 1024))
                             ->capture_default_str();
  CLI::Option* jobs =
      app.add_option("--jobs,-j", o.jobs, "launches simulated at a time; results do not depend on it")
          ->check(CLI::Range(1, 1024))
          ->capture_default_str();
  app.add_option("--cpus", o.cpus, "host threads in all, shared out between launches and within them")
      ->check(CLI::Range(1, 1024))
      ->excludes(threads)
      ->excludes(jobs);
  app.add_flag("--allow-capability-mismatch", o.allow_capability_mismatch,
               "simulate traces of another compute capability than the GPU's");
}

void add_sim_options(CLI::App& app, SimOptions& o, bool gpu_required) {
  app.add_option("--gpu", o.gpu, "GPU: a name (heddle config list) or a configuration file")
      ->required(gpu_required);
  add_repeatable(app, "--set", o.overrides, "override one value of the configuration: l2.ways=16; repeatable")
      ->type_name("PATH=VALUE");
  app.add_option("--fidelity", o.fidelity, "preset: fast, default, detailed, or a file")
      ->capture_default_str();
  add_launch_options(app, o);
  app.add_option(
         "--quantum", o.quantum,
         "cycles that SMs advance by themselves, at most; 0: as many as there can be. Results do not depend "
         "on it, which this is there to check")
      ->capture_default_str();
  app.add_option("--watchdog", o.watchdog_cycles,
                 "cycles without an issued instruction that count as a deadlock")
      ->check(at_least(1))
      ->capture_default_str();
  app.add_flag(
      "--sample", o.sample,
      "simulate only as many blocks as tell how long the others take, where the grid is long enough");
  app.add_option_function<std::string>(
         "--between",
         [&o](const std::string& s) {
           o.between = s == "keep" ? analysis::Between::kKeep : analysis::Between::kFlush;
         },
         "what a launch finds in the L2: nothing (flush), as Nsight Compute measures by default; or what the "
         "launches before it in its recording have left (keep), as in a program")
      ->check(CLI::IsMember({"flush", "keep"}))
      ->default_str("flush");
  app.add_option("--warm-up", o.warm_up,
                 "so often each launch is simulated before the time that counts, on the same machine")
      ->check(CLI::Range(0, 100))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--l2-set-aside", o.l2.set_aside_bytes,
                 "bytes of the L2 that are set aside for persisting lines")
      ->transform(size_value(false))
      ->type_name("SIZE");
  app.add_option_function<std::string>(
         "--l2-window", [&o](const std::string& s) { o.l2.window = analysis::parse_window(s); },
         "access-policy window of the launches: addresses that persist in the set-aside")
      ->type_name("BASE,BYTES[,RATIO[,HIT[,MISS]]]");
  app.add_flag("--strict", o.strict, "unknown opcodes and unknown lines of a kernelslist.g are errors");
  CLI::Option* out =
      app.add_option("--out", o.out, "store the results in this SQLite file")->type_name("FILE.db");
  CLI::Option* append =
      app.add_flag("--append", o.append, "add a run to the file of --out if it exists")->needs(out);
  app.add_flag("--force", o.force,
               "replace the database of --out if it exists, and other outputs whatever they are")
      ->excludes(append);
  app.add_flag("--no-host-timing", o.no_host_timing,
               "leave the table host_timing empty: equal runs then give equal bytes")
      ->needs(out);
  app.add_flag("--quiet,-q", o.quiet, "no progress on stderr");
}

}  // namespace heddle::cli
