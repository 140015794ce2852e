// heddle config: shows, compares and checks configurations.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "analysis/report/table.h"
#include "configs/loader/config.h"
#include "sim/base/error.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/config_matter.h"
#include "tools/heddle/console.h"
#include "tools/heddle/load_gpu.h"
#include "tools/heddle/options.h"

namespace heddle::cli {
namespace {

struct ConfigOptions {
  config::LoadOptions load;
  config::ShowOptions show;
  bool plain = false;
  bool hash = false;
  std::vector<std::string> gpus;
  MatterOptions matter;
};

std::string provenance_text(const config::GpuConfig& gpu) {
  std::string out;
  for (const auto& [kind, count] : config::provenance_summary(gpu)) {
    std::string name = config::Provenance::Kind_Name(kind);
    for (char& c : name) {
      c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, name);
  }
  return out;
}

int list(const ConfigOptions& o) {
  using Align = analysis::TextTable::Align;
  analysis::TextTable t({{"name", Align::kLeft}, {"product", Align::kLeft}, {"values", Align::kLeft}});
  for (const std::string& name : config::gpu_names(o.load)) {
    try {
      const config::GpuConfig gpu = config::load(name, o.load);
      t.add({name, gpu.product(), provenance_text(gpu)});
    } catch (const Error&) {
      t.add({name, "", fmt::format("cannot be used: heddle config check {}", name)});
    }
  }
  print(t.str());
  std::string presets;
  for (const std::string& name : config::fidelity_names(o.load)) {
    presets += " " + name;
  }
  print(fmt::format("\nfidelity presets:{}\n", presets));
  return 0;
}

int show(const ConfigOptions& o) {
  const config::GpuConfig gpu = load_gpu(o.gpus.at(0), o.load);
  config::ShowOptions how = o.show;
  how.annotate = !o.plain;
  print(o.hash ? config::hash(gpu) + "\n" : config::to_text(gpu, how));
  return 0;
}

int diff(const ConfigOptions& o) {
  using Align = analysis::TextTable::Align;
  const std::string &a = o.gpus.at(0), &b = o.gpus.at(1);
  analysis::TextTable t({{"value", Align::kLeft}, {a, Align::kLeft}, {b, Align::kLeft}});
  auto shown = [](const std::string& value) { return value.empty() ? "not set" : value; };
  for (const config::Difference& d : config::diff(load_gpu(a, o.load), load_gpu(b, o.load))) {
    t.add({d.path, shown(d.a), shown(d.b)});
  }
  print(t.empty() ? "no difference\n" : t.str());
  return 0;
}

int check(const ConfigOptions& o) {
  int bad = 0;
  for (const std::string& name : o.gpus) {
    const std::vector<std::string> problems = config::check(name, o.load);
    for (const std::string& p : problems) {
      report_error(p);
    }
    bad += !problems.empty();
    if (problems.empty()) {
      print(fmt::format("{}: good: {}\n", name, provenance_text(load_gpu(name, o.load))));
    }
  }
  if (!bad && !o.matter.traces.empty()) {
    print_what_matters(o.gpus, o.load, o.matter);
  }
  return bad ? 1 : 0;
}

}  // namespace

void add_config(CLI::App& app, int& status) {
  auto o = std::make_shared<ConfigOptions>();
  CLI::App* c = app.add_subcommand("config", "show, compare, check and make GPU configurations");
  c->require_subcommand(1);
  auto add = [&](const char* name, const char* help, int (*function)(const ConfigOptions&)) {
    CLI::App* s = c->add_subcommand(name, help);
    s->add_option("--fidelity", o->load.fidelity, "preset: fast, default, detailed, or a file")
        ->capture_default_str();
    add_repeatable(*s, "--set", o->load.overrides, "override one value: l2.ways=16; repeatable")
        ->type_name("PATH=VALUE");
    s->callback([o, function, &status] { status = function(*o); });
    return s;
  };
  add("list", "the GPUs and fidelity presets there are", list);
  CLI::App* s = add("show", "print the resolved configuration", show);
  s->add_option("GPU", o->gpus, "name or file")->required()->expected(1);
  CLI::Option* under = s->add_option("--under", o->show.under, "only this part: sm.l1");
  CLI::Option* flat = s->add_flag("--flat", o->show.flat, "lines path=value, as --set takes them");
  CLI::Option* plain = s->add_flag("--plain", o->plain, "no comments with unit and provenance");
  s->add_flag("--hash", o->hash, "only the hash of the values")  // of all of them
      ->excludes(under)
      ->excludes(flat)
      ->excludes(plain);
  CLI::App* d = add("diff", "the values in which two configurations differ", diff);
  d->add_option("GPU", o->gpus, "two names or files")->required()->expected(2);
  CLI::App* k = add("check", "find everything that is wrong", check);
  k->add_option("GPU", o->gpus, "names or files")->required();
  add_matter_options(*k, o->matter);
  add_config_fit(*c, status);
}

}  // namespace heddle::cli
