// heddle config fit: a configuration of published figures, or of what tools/microbench measured.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/report/table.h"
#include "configs/fit/fit.h"
#include "configs/loader/config.h"
#include "frontends/input/regular_file.h"
#include "frontends/output/output_file.h"
#include "sim/base/error.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/console.h"
#include "tools/heddle/options.h"

namespace heddle::cli {
namespace {

constexpr const char* kHeader = "# proto-file: configs/schema/gpu.proto";

output::FileKind configuration() { return output::text_that_begins("a configuration of a GPU", kHeader); }

struct FitOptions {
  config::Figures figures;
  std::filesystem::path rows, out;
  bool force = false;
};

std::string kind_name(config::Provenance::Kind kind) { return config::Provenance::Kind_Name(kind); }

// Rows of microbenchmarks have formulas of their own, beside the programs that print them.
int fit_rows(const FitOptions& o) {
  if (const std::string why = input::why_not_regular(o.rows); !why.empty()) {
    throw Error(fmt::format("{}: {}", o.rows.string(), why));
  }
  const std::filesystem::path configs = config::gpu_file("h200").path.parent_path().parent_path();
  const std::filesystem::path program = configs.parent_path() / "tools" / "microbench" / "fill_config.py";
  if (!std::filesystem::exists(program)) {
    throw Error(fmt::format(
        "{}: rows of microbenchmarks are read by {}, which is not there (it comes with Heddle's sources)",
        o.rows.string(), program.string()));
  }
  {
    output::OutputFile place(o.out, configuration(), replace(o.force));
  }  // throws where it may not be written
  std::vector<std::string> words = {
      "/usr/bin/python3", "-B", program.string(), o.rows.string(), "--configs", configs.string(), "--name",
      o.figures.name,     "-o", o.out.string()};
  const std::pair<const char*, const std::string*> more[] = {{"--capability", &o.figures.capability},
                                                             {"--base", &o.figures.base}};
  for (const auto& [option, value] : more) {
    if (!value->empty()) {
      words.insert(words.end(), {option, *value});
    }
  }
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  execv(words[0].c_str(), arguments.data());
  throw Error(fmt::format("{}: {}", words[0], std::strerror(errno)));
}

std::string report(const config::Fit& f, const std::string& file) {
  using Align = analysis::TextTable::Align;
  analysis::TextTable t({{"value", Align::kLeft}, {""}, {"kind", Align::kLeft}, {"why", Align::kLeft}});
  for (const config::FittedValue& v : f.values) {
    t.add({v.path, v.value, kind_name(v.kind), v.source});
  }
  std::string out = t.empty() ? "" : t.str() + "\n";
  for (const std::string& note : f.notes) {
    out += note + "\n";
  }
  const std::map<config::Provenance::Kind, int> counts = config::provenance_summary(f.config);
  int all = 0;
  for (const auto& [kind, count] : counts) {
    all += count;
  }
  const auto assumed = counts.find(config::Provenance::ASSUMED);
  return out + fmt::format(
                   "{0}: {1} of {2} values are assumed; of the chip, all that no line above names are {3}'s. "
                   "heddle config show {0} says which\n",
                   file, assumed == counts.end() ? 0 : assumed->second, all, f.base);
}

int fit(const FitOptions& o) {
  if (!o.rows.empty()) {
    return fit_rows(o);
  }
  if (o.figures.capability.empty() && o.figures.base.empty()) {
    throw Error(
        "config fit: the figures need --capability (or --base) to start from, or RESULTS.csv of "
        "tools/microbench");
  }
  const config::Fit f = config::fit(o.figures);
  const std::string text = fmt::format(
      "{}\n# proto-message: heddle.config.GpuConfig\n#\n# Made by heddle config fit, from {}.\n{}", kHeader,
      f.base, config::to_text(f.config, {.annotate = false, .flat = false, .under = ""}));
  output::write_file(o.out, configuration(), replace(o.force), text);
  print(report(f, o.out.string()));
  return 0;
}

}  // namespace

void add_config_fit(CLI::App& config, int& status) {
  auto o = std::make_shared<FitOptions>();
  CLI::App* c =
      config.add_subcommand("fit", "a configuration of a few published figures, or of microbenchmarks");
  config::Figures& f = o->figures;
  CLI::Option* rows =
      c->add_option("RESULTS", o->rows, "rows of tools/microbench instead of figures")->type_name("FILE.csv");
  c->add_option("-o,--out", o->out, "the configuration")->required()->type_name("FILE.textproto");
  c->add_option("--name", f.name, "of the configuration")->required();
  c->add_option("--capability", f.capability, "sm_86, ...: what the SM and the limits are taken from");
  c->add_option("--base", f.base,
                "the shipped GPU to start from; otherwise the capability's with the nearest number of SMs");
  for (CLI::Option* figure :
       {c->add_option("--product", f.product, "its name in words"),
        c->add_option("--source", f.source, "where the figures are from, for their provenance"),
        c->add_option("--sms", f.sms, "SMs")->check(CLI::Range(1, 1024)),
        c->add_option("--gpcs", f.gpcs, "GPCs")->check(CLI::Range(1, 64)),
        c->add_option("--core-mhz", f.core_mhz, "boost clock")->check(CLI::Range(1.0, 1e5)),
        c->add_option("--dram-gb-per-s", f.dram_gb_per_s, "memory bandwidth, 10^9 bytes per second")
            ->check(CLI::Range(0.1, 1e6)),
        c->add_option("--memory-gib", f.memory_gib, "size of the memory")->check(CLI::Range(0.01, 1e5)),
        c->add_option("--l2-mib", f.l2_mib, "size of the L2")->check(CLI::Range(0.0625, 1e5)),
        c->add_option("--l2-latency", f.l2_latency, "core cycles of a load that hits in L2")
            ->check(CLI::Range(1, 100000)),
        c->add_option("--dram-latency", f.dram_latency, "core cycles of a load that misses it")
            ->check(CLI::Range(1, 100000))}) {
    figure->excludes(rows);
  }
  add_force(*c, o->force);
  c->callback([o, &status] { status = fit(*o); });
}

}  // namespace heddle::cli
