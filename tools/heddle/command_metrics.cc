// heddle metrics: prints the catalogue.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
<<<<<<< HEAD
#include <algorithm>
#include <cctype>
=======
#include <boost/algorithm/string/predicate.hpp>
>>>>>>> 06b3eb908fb94bdc0d5ff78276a96512d206dec4
#include <memory>
#include <string>
#include <string_view>

#include "analysis/report/relation_report.h"
#include "analysis/report/table.h"
#include "sim/engine/error.h"
#include "sim/stats/result.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/console.h"

namespace heddle::cli {
namespace {

<<<<<<< HEAD
// Without a difference between upper and lower case: "l2" is in "sectors of the L2".
bool has(std::string_view text, std::string_view part) {
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
=======
int relations(const std::string& part) {
  const std::string text = analysis::relations_text(part);
  if (text.empty()) {
    throw Error(fmt::format("no relation has '{}' in the name of a metric", part));
  }
  print(text);
  return 0;
>>>>>>> 06b3eb908fb94bdc0d5ff78276a96512d206dec4
}

int metrics(const std::string& part) {
  using Align = analysis::TextTable::Align;
  analysis::TextTable t({{"metric", Align::kLeft}, {"unit", Align::kLeft}, {"meaning", Align::kLeft}});
  for (const stats::MetricInfo& m : stats::catalogue()) {
<<<<<<< HEAD
    if (has(m.name, part) || has(m.meaning, part)) {
=======
    const std::string both = m.name + " " + m.meaning;
    if (boost::algorithm::icontains(both, part)) {
>>>>>>> 06b3eb908fb94bdc0d5ff78276a96512d206dec4
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
<<<<<<< HEAD
  c->add_option("TEXT", *part,
                "only the metrics with this text in their name or meaning, in upper or lower case");
  c->callback([part, &status] { status = metrics(*part); });
=======
  c->add_option("TEXT", *part, "only the metrics with this text in their name or meaning");
  auto related = std::make_shared<bool>(false);
  c->add_flag("--relations", *related, "what must hold between the metrics of every launch, instead");
  c->callback([part, related, &status] { status = *related ? relations(*part) : metrics(*part); });
>>>>>>> 06b3eb908fb94bdc0d5ff78276a96512d206dec4
}

}  // namespace heddle::cli
