// heddle host: a host program on the model of the machine around the SMs. heddle hostbench: that model
// against silicon.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/report/graph_dot.h"
#include "analysis/run/run_record.h"
#include "analysis/run/traced_kernels.h"
#include "analysis/run/workload_values.h"
#include "analysis/store/result_store.h"
#include "analysis/timeline/critical_path.h"
#include "analysis/timeline/host_timeline.h"
#include "analysis/validate/host/bench.h"
#include "configs/loader/config.h"
#include "frontends/output/output_file.h"
#include "frontends/workload/expected.h"
#include "frontends/workload/measured.h"
#include "frontends/workload/reader.h"
#include "frontends/workload/run.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/host/platform/run.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/console.h"
#include "tools/heddle/host_profile.h"
#include "tools/heddle/host_text.h"
#include "tools/heddle/interrupt.h"
#include "tools/heddle/load_gpu.h"
#include "tools/heddle/options.h"

namespace heddle::cli {
namespace {

struct HostOptions {
  std::filesystem::path file;
  bool profile = false;  // the file is one
  std::string gpu;
  config::LoadOptions load;
  std::filesystem::path out;
  std::filesystem::path timeline, dot;
  bool force = false;
  bool check = false;
  bool critical_path = false;
  bool together = false;
  int threads = 1;
  std::vector<std::string> limits;
  std::optional<uint64_t> jitter;
  size_t lines = 100;
};

host::Limits limits_of(const std::vector<std::string>& given) {
  host::Limits out;
  for (const std::string& text : given) {
    const size_t at = text.find('=');
    const auto value = parse_number<uint64_t>(at == std::string::npos ? "" : text.substr(at + 1));
    if (!value) {
      throw Error(fmt::format("--limit {}: not NAME=NUMBER", text));
    }
    host::set_limit(out, text.substr(0, at), *value);
  }
  return out;
}

// A line every few seconds.
class Ticker {
 public:
  explicit Ticker(const char* what) : what_(what) {}
  void operator()(host::Ps now, uint64_t count) {
    constexpr auto kEvery = std::chrono::seconds(3);
    const auto at = std::chrono::steady_clock::now();
    if (at - last_ >= kEvery) {
      last_ = at;
      note(fmt::format("{:.1f} us simulated, {} {}", host::to_us(now), count, what_));
    }
  }

 private:
  const char* what_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

workload::Workload read_program(const HostOptions& o, analysis::TracedKernels& traced) {
  if (o.profile) {
    return read_profile(o.file);
  }
  return o.file.filename() == "kernelslist.g" || o.file.extension() == ".g"
             ? workload::from_kernelslist(o.file, [&](const auto& trace) { return traced.stream(trace); })
             : workload::read_workload(o.file);
}

int host_command(const HostOptions& o) {
  catch_signals();
  const config::GpuConfig gpu = load_gpu(o.gpu, o.load);
  const analysis::TracedKernels::Options simulated{o.together, o.threads, &cancel_flag(), warn,
                                                   Ticker("traced kernels have ended")};
  analysis::TracedKernels traced(gpu, simulated);
  workload::Workload w = read_program(o, traced);
  if (const std::string line = workload::measured_elsewhere(w, gpu); !line.empty()) {
    warn(line);
  }
  analysis::WorkloadValues values(traced, w);
  w.rules.jitter = o.jitter ? o.jitter : w.rules.jitter;
  // Before the program runs: a place that cannot be written is known at once.
  std::optional<output::OutputFile> timeline, dot;
  if (!o.timeline.empty()) {
    timeline.emplace(o.timeline, output::timeline(), replace(o.force));
  }
  if (!o.dot.empty()) {
    dot.emplace(o.dot, output::dot_graph(), replace(o.force));
  }
  std::unique_ptr<analysis::ResultStore> store;
  if (!o.out.empty()) {
    analysis::StoreOptions options;
    options.if_exists = o.force ? analysis::IfExists::kReplace : analysis::IfExists::kRefuse;
    store = std::make_unique<analysis::ResultStore>(
        o.out, analysis::run_record(gpu, "default", o.load.overrides, 0), options);
  }
  host::PlatformOptions run{w.rules, true, o.check, {}, traced.model()};
  run.limits = limits_of(o.limits);
  if (!o.together) {  // which tells itself
    run.progress = Ticker("calls made");
  }
  run.kernel_time = [&](uint32_t kernel, const memory::L2Policy& policy) {
    return traced.under(w.program.kernels[kernel].trace, policy);
  };
  run.cancel = &cancel_flag();
  run.graphs = !o.dot.empty();
  run.effects = values.effects();
  const host::Result r = workload::run(w, gpu, run);
  values.write_results(o.force);
  print(traced.output());
  print(host_summary(r));
  print(host_calls(w.program, r));
  if (o.critical_path) {
    print("\n" + analysis::critical_path_text(r));
  }
  if (timeline) {
    analysis::write_host_trace(timeline->stream(), r);
    timeline->commit();
  }
  if (dot) {
    dot->stream() << analysis::graphs_as_dot(w.program, r.graphs);
    dot->commit();
  }
  if (store) {
    store->add_spans(analysis::host_spans(r));
    store->add_counters(host_counters(r));
  }
  int status = 0;
  if (!r.deadlock.empty()) {
    report_error(fmt::format("{}: nothing can go on after {:.3f} us", o.file.string(), host::to_us(r.end)));
    for (const std::string& line : r.deadlock) {
      detail("  " + line);
    }
    status = 1;
  }
  if (o.check) {
    std::vector<std::string> lines = counted(workload::unexpected(w, r));
    const std::vector<std::string> findings = host_findings(w.program, r);
    lines.insert(lines.end(), findings.begin(), findings.end());
    for (size_t i = 0; i < lines.size() && i < o.lines; ++i) {
      report_error(o.file.string() + ": " + lines[i]);
    }
    if (lines.size() > o.lines) {
      detail(fmt::format("  ... and {} more (--check-lines)", lines.size() - o.lines));
    }
    status = lines.empty() ? status : 1;
  }
  return status;
}

// ---- hostbench

output::FileKind page_kind() {
  return output::text_that_begins("a page of heddle hostbench", hostbench::kPageTitle);
}

struct BenchOptions {
  std::vector<std::filesystem::path> files;
  std::string gpu;
  config::LoadOptions load;
  std::filesystem::path page;
  std::filesystem::path l2;
  int threads = 1;
  bool force = false;
};

int hostbench_command(const BenchOptions& o) {
  const config::GpuConfig gpu = load_gpu(o.gpu, o.load);
  std::vector<hostbench::MeasuredRow> rows;
  for (const auto& f : o.files) {
    const auto more = hostbench::read_rows(f);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  const std::vector<hostbench::Compared> compared =
      hostbench::compare(rows, gpu, {o.l2, o.threads, &cancel_flag()});
  if (!hostbench::any(compared)) {
    throw Error(fmt::format("{}: no row of an experiment that is asked for: nothing to compare",
                            o.files.front().string()));
  }
  print(hostbench::as_text(compared));
  if (!o.page.empty()) {
    output::write_file(o.page, page_kind(), replace(o.force),
                       hostbench::as_page(compared, o.gpu, config::hash(gpu)));
  }
  return 0;
}

}  // namespace

void add_host(CLI::App& app, int& status) {
  auto o = std::make_shared<HostOptions>();
  CLI::App* c = app.add_subcommand("host", "a host program: streams, copies, events, launches");
  c->add_option("FILE", o->file,
                "NAME.workload.textproto (frontends/workload/README.md), a kernelslist.g, or a profile")
      ->required();
  c->add_flag("--from-profile", o->profile,
              "FILE is what PyTorch's profiler has written (export_chrome_trace), or a .gz or .xz of it "
              "(analysis/python/README.md)");
  c->add_option("--gpu", o->gpu, "GPU: a name (heddle config list) or a configuration file")->required();
  c->add_option("--out", o->out, "result database that gets the timeline")->type_name("FILE.db");
  add_force(*c, o->force);
  c->add_option("--dot", o->dot, "the program's graphs for Graphviz: dot -Tsvg FILE.dot")
      ->type_name("FILE.dot");
  c->add_option("--timeline", o->timeline, "the timeline for Perfetto or chrome://tracing")
      ->type_name("FILE.json");
  c->add_flag("--check", o->check,
              "exit status 1 for errors of calls that the file does not expect, and for use of memory after "
              "its free, "
              "before its allocation, or without synchronisation");
  c->add_flag("--critical-path", o->critical_path,
              "also what the end of the program waited for, and the gaps between kernels");
  c->add_option("--jitter", o->jitter,
                "a seed: the processor's speed and wake-ups of threads are drawn as they were seen to vary "
                "from run to run")
      ->type_name("SEED");
  c->add_option("--check-lines", o->lines, "lines that --check prints at most; by custom 100");
  add_repeatable(
      *c, "--limit", o->limits,
      "raise or lower a limit: commands (under way at once, 2000000), nodes (of a graph, 500000), spans (of "
      "the timeline, 4000000), records (errors, answers and times kept of each, 100000), findings (of "
      "--check, 10000), steps (calls and events of devices; any number); repeatable")
      ->type_name("NAME=N");
  c->add_flag(
      "--together", o->together,
      "kernels given as traces or modules are simulated with what runs beside them, each launch; else each "
      "once, by itself");
  c->add_option("--threads", o->threads, "host threads that simulate; results do not depend on it")
      ->check(CLI::Range(1, 1024));
  add_repeatable(*c, "--set", o->load.overrides, "override one value of the configuration; repeatable")
      ->type_name("PATH=VALUE");
  c->callback([o, &status] { status = host_command(*o); });
}

void add_hostbench(CLI::App& app, int& status) {
  auto o = std::make_shared<BenchOptions>();
  CLI::App* c = app.add_subcommand("hostbench", "the host model against measurements");
  c->add_option("FILE", o->files, "tables `test,parameter,value,unit` of tools/microbench")->required();
  c->add_option("--gpu", o->gpu, "GPU: a name (heddle config list) or a configuration file")->required();
  c->add_option("--l2", o->l2, "also the rows l2_persist_us, with this code of the kernel; ten minutes or so")
      ->type_name("FILE.sass");
  c->add_option("--threads", o->threads, "host threads for --l2")->check(CLI::Range(1, 1024));
  c->add_option("--page", o->page, "write the table as a page")->type_name("FILE.md");
  add_force(*c, o->force);
  add_repeatable(*c, "--set", o->load.overrides, "override one value of the configuration; repeatable")
      ->type_name("PATH=VALUE");
  c->callback([o, &status] { status = hostbench_command(*o); });
}

}  // namespace heddle::cli
