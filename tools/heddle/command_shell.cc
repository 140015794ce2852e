// heddle completion, heddle man: the command line described for shells and man.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "analysis/run/host.h"
#include "configs/loader/config.h"
#include "configs/loader/fields.h"
#include "sim/stats/result.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/console.h"
#include "tools/heddle/describe.h"

namespace heddle::cli {
namespace {

CompletionValues completion_values() {
  CompletionValues v;
  v.gpus = config::gpu_names();
  v.presets = config::fidelity_names();
  for (const stats::MetricInfo& m : stats::catalogue()) {
    v.metrics.emplace_back(m.name);
  }
  // The fields that some GPU sets: tables have an entry per name.
  if (!v.gpus.empty()) {
    for (const config::Leaf& l : config::leaves(config::load("h200"))) {
      v.fields.push_back(l.path);
    }
  }
  return v;
}

}  // namespace

void add_shell(CLI::App& app, int& status) {
  auto shell = std::make_shared<std::string>();
  CLI::App* c = app.add_subcommand("completion", "print a completion script: bash, zsh, fish; man: the page");
  c->add_option("SHELL", *shell, "bash, zsh or fish")->required()->type_name("bash|zsh|fish");
  c->callback([shell, &app, &status] {
    print(completion_script(*shell, describe(app), completion_values()));
    status = 0;
  });
  CLI::App* m = app.add_subcommand("man", "print the manual page: heddle man | man -l -");
  m->group("");  // the help of all commands fits a screen
  m->callback([&app, &status] {
    print(man_page(describe(app), analysis::revision()));
    status = 0;
  });
}

}  // namespace heddle::cli
