// heddle metrics: prints the catalogue.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/algorithm/string/predicate.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "analysis/report/relation_report.h"
#include "analysis/report/table.h"
#include "sim/base/error.h"
#include "sim/stats/result.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/console.h"

namespace heddle::cli {
namespace {

int relations(const std::string& part) {
  const std::string text = analysis::relations_text(part);
  if (text.empty()) {
    throw Error(fmt::format("no relation has '{}' in the name of a metric", part));
  }
  print(text);
  return 0;
}

int metrics(const std::string& part) {
  using Align = analysis::TextTable::Align;
  analysis::TextTable t({{"metric", Align::kLeft}, {"unit", Align::kLeft}, {"meaning", Align::kLeft}});
  for (const stats::MetricInfo& m : stats::catalogue()) {
    const std::string both = m.name + " " + m.meaning;
    if (boost::algorithm::icontains(both, part)) {
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
  auto related = std::make_shared<bool>(false);
  c->add_flag("--relations", *related, "what must hold between the metrics of every launch, instead");
  c->callback([part, related, &status] { status = *related ? relations(*part) : metrics(*part); });
}

}  // namespace heddle::cli
