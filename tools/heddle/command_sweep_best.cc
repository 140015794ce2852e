// heddle sweep best, heddle sweep plot: the configurations of a sweep compared.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/sweep/ranking.h"
#include "analysis/sweep/ranking_text.h"
#include "analysis/sweep/results.h"
#include "frontends/output/output_file.h"
#include "sim/base/error.h"
#include "tools/heddle/checks.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/console.h"
#include "tools/heddle/options.h"
#include "tools/heddle/sweep_run.h"

namespace heddle::cli {
namespace {

struct BestOptions {
  SweepChoice choice;
  std::string metric = "cycles", group_by, x, y;
  std::vector<std::string> pareto;
  std::optional<size_t> baseline;
  size_t top = 10;
  std::filesystem::path svg;
  bool force = false;
};

int best(const BestOptions& o) {
  sweep::SweepResults results(results_of(o.choice));
  const size_t baseline = sweep::baseline_of(results, o.baseline);
  if (o.pareto.empty()) {
    if (!o.svg.empty()) {
      throw Error("--svg draws the objectives of --pareto; heddle sweep plot draws along axes");
    }
    print(sweep::best_text(results, sweep::parse_objective(o.metric), baseline, o.group_by, o.top));
    return 0;
  }
  std::vector<sweep::Objective> objectives;
  objectives.reserve(o.pareto.size());
  for (const std::string& text : o.pareto) {
    objectives.push_back(sweep::parse_objective(text));
  }
  print(sweep::pareto_text(results, objectives, baseline));
  if (!o.svg.empty()) {
    output::write_file(o.svg, output::svg_picture(), replace(o.force),
                       sweep::pareto_svg(results, objectives, baseline));
  }
  return 0;
}

int plot(const BestOptions& o) {
  sweep::SweepResults results(results_of(o.choice));
  const size_t baseline = sweep::baseline_of(results, o.baseline);
  output::write_file(o.svg, output::svg_picture(), replace(o.force),
                     o.y.empty() ? sweep::axis_svg(results, o.metric, baseline, o.x)
                                 : sweep::map_svg(results, o.metric, baseline, o.x, o.y));
  return 0;
}

void add_common(CLI::App& app, BestOptions& o) {
  app.add_option("FILE", o.choice.file, "the sweep, the folder of its results, or its results.db")
      ->required();
  app.add_option("--out", o.choice.out, "folder of the results; otherwise NAME.sweep for NAME.textproto")
      ->type_name("DIR");
  app.add_option("--metric", o.metric,
                 "a metric (heddle metrics), or cycles, time; NAME:max where more is better")
      ->capture_default_str();
  app.add_option("--baseline", o.baseline, "point that the others are compared with; otherwise the first")
      ->check(at_least(0));
  add_force(app, o.force);
}

}  // namespace

void add_sweep_best(CLI::App& sweep, int& status) {
  auto o = std::make_shared<BestOptions>();
  CLI::App* b = sweep.add_subcommand("best", "the best configurations, or the Pareto front");
  add_common(*b, *o);
  CLI::Option* group = b->add_option("--group-by", o->group_by, "the best of each: trace, gpu or an axis");
  CLI::Option* top = b->add_option("--top", o->top, "how many")->check(at_least(1))->capture_default_str();
  b->add_option("--pareto", o->pareto, "metrics and axes, comma-separated: cycles,l2.size")
      ->delimiter(',')
      ->expected(2, 8)
      ->allow_extra_args(false)
      ->type_name("A,B")
      ->excludes(group)
      ->excludes(top)
      ->excludes(b->get_option("--metric"));
  b->add_option("--svg", o->svg, "draw two objectives of --pareto")->type_name("FILE.svg");
  b->callback([o, &status] { status = best(*o); });
  CLI::App* p = sweep.add_subcommand("plot", "draw a metric along one axis, or over two");
  add_common(*p, *o);
  p->add_option("--x", o->x, "axis")->required();
  p->add_option("--y", o->y, "second axis: a map instead of lines");
  p->add_option("--svg", o->svg, "the picture")->required()->type_name("FILE.svg");
  p->callback([o, &status] { status = plot(*o); });
}

}  // namespace heddle::cli
