#include "analysis/sweep/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/report/format.h"
#include "analysis/report/launch_facts.h"
#include "analysis/report/roofs.h"
#include "analysis/report/svg.h"
#include "analysis/report/table.h"
#include "analysis/store/result_reader.h"
#include "analysis/sweep/results.h"

namespace heddle::sweep {
namespace {

using analysis::kSeriesColours;
using analysis::Roof;
using analysis::Svg;
using analysis::TextTable;
using Align = TextTable::Align;

constexpr double kLeft = 190, kTop = 48, kWidth = 480, kRow = 18, kBar = 13, kRight = 240;
constexpr const char* kLatency = "#8c959f";

// Nothing without any roof; 0 for a unit that the machine lacks.
std::optional<double> percent_of(const std::vector<Roof>& roofs, std::string_view name) {
  const auto it = std::find_if(roofs.begin(), roofs.end(), [&](const Roof& r) { return r.name == name; });
  return roofs.empty() ? std::nullopt : std::optional(it == roofs.end() ? 0.0 : it->percent);
}

// What bounds it without the per cent: the colour's key.
std::string limit_of(const TableRow& row) { return row.bound.substr(0, row.bound.find(' ')); }

bool one_launch(const ResultTable& table) {
  return std::all_of(table.rows.begin(), table.rows.end(),
                     [&](const TableRow& r) { return r.launch == table.rows.front().launch; });
}

// What tells a bar from the others.
std::string label(const TableRow& row, bool with_launch) {
  std::vector<std::string> parts = {row.gpu};
  parts.insert(parts.end(), row.values.begin(), row.values.end());
  if (with_launch) {
    parts.push_back(row.launch);
  }
  return analysis::shortened(fmt::format("{}", fmt::join(parts, " ")), 28);
}

}  // namespace

ResultTable read_table(const std::filesystem::path& file, bool by_time) {
  const SweepResults results(file);
  analysis::ResultReader reader(file);
  std::map<int64_t, analysis::RunRecord> runs;
  for (analysis::RunRecord& run : reader.runs()) {
    runs[run.id] = std::move(run);
  }
  ResultTable table{results.axes(), {}};
  for (const ResultConfig& c : results.configs()) {
    const std::optional<config::GpuConfig> machine = analysis::configuration(reader.whole(runs.at(c.run_id)));
    for (const analysis::LaunchRecord& l : reader.launches(c.run_id)) {
      const std::vector<Roof> roofs = analysis::roofs(l, machine);
      const analysis::LaunchFacts f = analysis::facts(l);
      table.rows.push_back({.point = c.point,
                            .gpu = c.gpu,
                            .values = c.values,
                            .launch = fmt::format("{}/{}", l.trace, l.launch),
                            .cycles = l.cycles,
                            .core_mhz = l.core_mhz,
                            .seconds = f.seconds,
                            .issue_pct = percent_of(roofs, "issue slots"),
                            .l2_pct = percent_of(roofs, "L2"),
                            .dram_pct = percent_of(roofs, "DRAM"),
                            .bound = analysis::bottleneck(roofs)});
    }
  }
  std::map<std::string, size_t> order;
  for (size_t i = 0; i < results.launches().size(); ++i) {
    order[results.launches()[i]] = i;
  }
  std::stable_sort(table.rows.begin(), table.rows.end(), [&](const TableRow& a, const TableRow& b) {
    const size_t left = order[a.launch], right = order[b.launch];
    return left != right ? left < right : by_time && a.seconds < b.seconds;
  });
  return table;
}

std::string table_text(const ResultTable& table) {
  std::vector<TextTable::Column> columns = {{"launch", Align::kLeft}, {"point"}, {"gpu", Align::kLeft}};
  for (const std::string& axis : table.axes) {
    columns.push_back({axis});
  }
  for (const char* title : {"cycles", "MHz", "time", "of the fastest", "issue %", "L2 %", "DRAM %"}) {
    columns.push_back({title});
  }
  columns.push_back({"bound by, % of peak", Align::kLeft});
  std::map<std::string, double> fastest;
  for (const TableRow& r : table.rows) {
    const auto [it, first] = fastest.try_emplace(r.launch, r.seconds);
    it->second = std::min(it->second, r.seconds);
  }
  TextTable t(columns);
  for (const TableRow& r : table.rows) {
    std::vector<std::string> cells = {r.launch, fmt::format("{}", r.point), r.gpu};
    cells.insert(cells.end(), r.values.begin(), r.values.end());
    const double best = fastest[r.launch];
    const auto percent = [](const std::optional<double>& p) {
      return p ? fmt::format("{:.1f}", *p) : std::string("-");
    };
    for (std::string cell :
         {analysis::grouped(r.cycles), fmt::format("{:.0f}", r.core_mhz), analysis::duration(r.seconds),
          best > 0 ? fmt::format("{:.2f}x", r.seconds / best) : std::string("-"), percent(r.issue_pct),
          percent(r.l2_pct), percent(r.dram_pct), r.bound.empty() ? std::string("-") : r.bound}) {
      cells.push_back(std::move(cell));
    }
    t.add(cells);
  }
  return t.str();
}

std::string table_csv(const ResultTable& table) {
  std::string out = "launch,point,gpu";
  for (const std::string& axis : table.axes) {
    out += "," + analysis::csv_field(axis);
  }
  out += ",cycles,core_mhz,seconds,issue_pct,l2_pct,dram_pct,bound\n";
  for (const TableRow& r : table.rows) {
    out += fmt::format("{},{},{}", analysis::csv_field(r.launch), r.point, analysis::csv_field(r.gpu));
    for (const std::string& value : r.values) {
      out += "," + analysis::csv_field(value);
    }
    out += fmt::format(",{},{:g},{:.9g}", r.cycles, r.core_mhz, r.seconds);
    for (const std::optional<double>& p : {r.issue_pct, r.l2_pct, r.dram_pct}) {
      out += p ? fmt::format(",{:.2f}", *p) : ",";
    }
    out += "," + analysis::csv_field(r.bound) + "\n";
  }
  return out;
}

std::string table_svg(const ResultTable& table) {
  const bool with_launch = !table.rows.empty() && !one_launch(table);
  double low = INFINITY, high = 0;
  std::map<std::string, const char*> colours;
  for (const TableRow& r : table.rows) {
    if (r.seconds > 0) {
      low = std::min(low, r.seconds);
      high = std::max(high, r.seconds);
    }
    const std::string limit = limit_of(r);
    colours.try_emplace(limit, limit == "latency" || limit.empty() ? kLatency : nullptr);
  }
  size_t next = 0;
  for (auto& [limit, colour] : colours) {
    colour = colour ? colour : kSeriesColours[next++ % std::size(kSeriesColours)];
  }
  if (high == 0) {
    low = high = 1;
  }
  // Whole decades: a bar that ends at the left edge would be none.
  const double first = std::floor(std::log10(low) - 0.1),
               last = std::max(std::ceil(std::log10(high)), first + 1);
  const auto x_at = [&](double seconds) {
    return kLeft + kWidth * (std::log10(seconds) - first) / (last - first);
  };
  const double bottom = kTop + kRow * static_cast<double>(table.rows.size());
  Svg svg(kLeft + kWidth + kRight, bottom + 50);
  svg.text(kLeft, 20, with_launch || table.rows.empty() ? "time" : "time of " + table.rows.front().launch,
           14);
  double legend = kLeft;
  for (const auto& [limit, colour] : colours) {
    const std::string name = limit.empty() ? "unknown" : limit;
    svg.rectangle(legend, 28, 10, 10, colour);
    svg.text(legend + 14, 37, name, 11);
    legend += 30 + 7 * static_cast<double>(name.size());
  }
  for (double decade = first; decade <= last; ++decade) {
    const double seconds = std::pow(10, decade), x = x_at(seconds);
    svg.line(x, kTop, x, bottom, "#d8dee4");
    svg.text(x, bottom + 16, analysis::duration(seconds), 11, "middle");
  }
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const TableRow& r = table.rows[i];
    const double top = kTop + kRow * static_cast<double>(i);
    svg.text(kLeft - 6, top + 12, label(r, with_launch), 11, "end");
    if (r.seconds <= 0) {
      continue;
    }
    svg.rectangle(kLeft, top + 2, x_at(r.seconds) - kLeft, kBar, colours[limit_of(r)],
                  fmt::format("{} cycles at {:.0f} MHz", analysis::grouped(r.cycles), r.core_mhz));
    svg.text(x_at(r.seconds) + 5, top + 12, analysis::duration(r.seconds) + "  " + r.bound, 11);
  }
  svg.text(kLeft + kWidth / 2, bottom + 36, "time, logarithmic", 12, "middle");
  return svg.str();
}

}  // namespace heddle::sweep
