// heddle metrics: prints the catalogue.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <memory>
#include <string>
#include <string_view>

#include "analysis/report/table.h"
#include "sim/engine/error.h"
#include "sim/stats/result.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/console.h"

namespace heddle::cli {
namespace {

// Without a difference between upper and lower case: "l2" is in "sectors of the L2".
bool has(std::string_view text, std::string_view part) {
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

int metrics(const std::string& part) {
  using Align = analysis::TextTable::Align;
  analysis::TextTable t({{"metric", Align::kLeft}, {"unit", Align::kLeft}, {"meaning", Align::kLeft}});
  for (const stats::MetricInfo& m : stats::catalogue()) {
    if (has(m.name, part) || has(m.meaning, part)) {
      t.add({m.name, m.unit, m.meaning});
    }
  }
  if (t.empty()) {
    throw Error(
        fmt::format("no metric has '{}' in its name or meaning (heddle metrics lists them all)", part));
  }
  print(t.str());
  return 0;
}

}  // namespace

void add_metrics(CLI::App& app, int& status) {
  auto part = std::make_shared<std::string>();
  CLI::App* c = app.add_subcommand("metrics", "list every metric with its unit and meaning");
  c->add_option("TEXT", *part,
                "only the metrics with this text in their name or meaning, in upper or lower case");
  c->callback([part, &status] { status = metrics(*part); });
}

}  // namespace heddle::cli
