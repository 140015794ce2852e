// heddle sweep table: every launch of every configuration, what it took and what bounds it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "analysis/sweep/table.h"
#include "frontends/output/output_file.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/console.h"
#include "tools/heddle/options.h"
#include "tools/heddle/sweep_run.h"

namespace heddle::cli {
namespace {

struct TableOptions {
  SweepChoice choice;
  std::string sort = "point";
  std::filesystem::path csv, svg;
  bool force = false;
};

int table(const TableOptions& o) {
  const sweep::ResultTable t = sweep::read_table(results_of(o.choice), o.sort == "time");
  if (!o.csv.empty()) {
    output::write_file(o.csv, output::text_that_begins("a table of heddle sweep", "launch,point,gpu"),
                       replace(o.force), sweep::table_csv(t));
  }
  if (!o.svg.empty()) {
    output::write_file(o.svg, output::svg_picture(), replace(o.force), sweep::table_svg(t));
  }
  print(sweep::table_text(t));
  const auto without =
      std::count_if(t.rows.begin(), t.rows.end(), [](const auto& r) { return !r.issue_pct; });
  if (without > 0) {
    note(fmt::format("{} row{} no shares of a peak: the file does not have the configuration", without,
                     without == 1 ? " has" : "s have"));
  }
  return 0;
}

}  // namespace

void add_sweep_table(CLI::App& sweep, int& status) {
  auto o = std::make_shared<TableOptions>();
  CLI::App* t =
      sweep.add_subcommand("table", "every launch of every configuration: its time, what bounds it");
  t->add_option("FILE", o->choice.file, "the sweep, the folder of its results, or its results.db")
      ->required();
  t->add_option("--out", o->choice.out, "folder of the results; otherwise NAME.sweep for NAME.textproto")
      ->type_name("DIR");
  t->add_option("--sort", o->sort, "the order of each launch's rows: the sweep's, or the fastest first")
      ->check(CLI::IsMember({"point", "time"}))
      ->capture_default_str();
  t->add_option("--csv", o->csv, "the table as a file, times in seconds")->type_name("FILE.csv");
  t->add_option("--svg", o->svg, "draw the times, coloured by what bounds them")->type_name("FILE.svg");
  add_force(*t, o->force);
  t->callback([o, &status] { status = table(*o); });
}

}  // namespace heddle::cli
