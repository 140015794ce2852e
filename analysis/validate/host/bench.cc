#include "analysis/validate/host/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "analysis/report/table.h"
#include "analysis/validate/csv.h"
#include "analysis/validate/host/l2_persist.h"
#include "frontends/input/limits.h"
#include "frontends/input/regular_file.h"
#include "sim/base/error.h"
#include "sim/base/text.h"

namespace heddle::hostbench {
namespace {

constexpr double kUsualBound = 15;  // per cent: of rows of which nothing else is asked

// Parameters are read by the experiments; a number that is none is the table's fault.
template <class F>
std::optional<double> of_row(const MeasuredRow& r, F&& f) {
  try {
    return f();
  } catch (const std::logic_error&) {
    throw Error(fmt::format("{}: test {}: '{}' is no parameter of it", r.place, r.test, r.parameter));
  }
}

KernelTimes kernel_times(const std::vector<MeasuredRow>& rows) {
  KernelTimes times;
  for (const Row& r : rows) {
    if (r.test == "touch_us") {
      double& t = r.parameter.starts_with("64")   ? times.touch_64mib
                  : r.parameter.starts_with("32") ? times.touch_32mib
                  : r.parameter.starts_with("16") ? times.touch_16mib
                                                  : times.touch_8mib;
      t = t > 0 ? t : r.value;
    }
  }
  return times;
}

// In percent.
double error_of(double simulated, const Compared& c) { return 100 * (simulated / c.row.value - 1); }
bool within(const Compared& c) {
  return c.simulated && c.bound && std::abs(error_of(*c.simulated, c)) <= *c.bound;
}

// Whether the machines that were measured do not agree any better than this.
bool between_runs(const Compared& c) {
  return c.simulated && c.row.low < c.row.high && *c.simulated >= c.row.low && *c.simulated <= c.row.high;
}

std::vector<std::string> cells(const Compared& c) {
  return {c.row.test,
          c.row.parameter,
          fmt::format("{:.4g}", c.row.value),
          c.row.low < c.row.high ? fmt::format("{:.4g}-{:.4g}", c.row.low, c.row.high) : "",
          c.simulated ? fmt::format("{:.4g}", *c.simulated) : "not modelled yet",
          c.simulated ? fmt::format("{:+.1f}", error_of(*c.simulated, c)) : "",
          c.bound ? fmt::format("{:g}", *c.bound) : "",
          !c.simulated || !c.bound || within(c) ? ""
          : between_runs(c)                     ? "beyond, as other runs"
                                                : "beyond"};
}

double number_in(const analysis::CsvTable& table, size_t row, size_t column) {
  const std::string& cell = table.rows[row][column];
  const auto value = parse_number<double>(cell);
  if (!value || !std::isfinite(*value)) {
    throw Error(fmt::format("{}:{}: '{}' is no number", table.file, table.lines[row], cell));
  }
  return *value;
}

}  // namespace

std::vector<MeasuredRow> read_rows(const std::filesystem::path& file) {
  std::vector<MeasuredRow> rows;
  const std::string text = input::read_regular_file(file, input::limits().text_bytes);
  std::vector<std::string> columns = {"test", "parameter", "value", "unit"};
  if (text.starts_with(fmt::format("{},low,high", fmt::join(columns, ",")))) {
    columns.insert(columns.end(), {"low", "high"});
  }
  const analysis::CsvTable table = analysis::parse_csv(text, file.string(), columns);
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const std::vector<std::string>& cells = table.rows[i];
    MeasuredRow r{{cells[0], cells[1], number_in(table, i, 2), cells[3]},
                  fmt::format("{}:{}", table.file, table.lines[i]),
                  file.stem().string().ends_with("_scored")};
    const bool several = columns.size() > 4 && !(cells[4].empty() && cells[5].empty());
    r.low = several ? number_in(table, i, 4) : r.value;
    r.high = several ? number_in(table, i, 5) : r.value;
    if (r.low > r.value || r.high < r.value) {
      throw Error(fmt::format("{}: {} does not lie between {} and {}", r.place, r.value, r.low, r.high));
    }
    rows.push_back(std::move(r));
  }
  return rows;
}

std::vector<Compared> compare(const std::vector<MeasuredRow>& rows, const config::GpuConfig& gpu,
                              const BenchOptions& options) {
  const KernelTimes times = kernel_times(rows);
  std::vector<Compared> out;
  for (const MeasuredRow& r : rows) {
    Compared c{r, of_row(r, [&] { return bound(r); }), of_row(r, [&] { return simulate(r, gpu, times); })};
    if (!c.bound && c.simulated) {
      c.bound = kUsualBound;
    }
    if (!c.simulated && !options.l2.empty()) {
      c.simulated = l2_persist_us(r, gpu, options.l2, options.threads, options.cancel);
    }
    if (c.bound || c.simulated) {
      out.push_back(c);
    }
  }
  return out;
}

bool any(const std::vector<Compared>& rows) {
  for (const Compared& c : rows) {
    if (c.bound || !c.simulated) {
      return true;
    }
  }
  return false;
}

std::string summary(const std::vector<Compared>& rows) {
  size_t good = 0, asked = 0, missing = 0, between = 0;
  std::vector<double> spreads;  // of several runs, in per cent of their median
  struct Half {
    size_t rows = 0, close = 0;
    double sum = 0;
  } halves[2];
  for (const Compared& c : rows) {
    if (c.simulated) {
      Half& h = halves[c.row.scored ? 1 : 0];
      const double error = std::abs(error_of(*c.simulated, c));
      ++h.rows;
      h.sum += error;
      h.close += error <= kUsualBound ? 1 : 0;
    }
    good += within(c) ? 1 : 0;
    asked += c.simulated && c.bound ? 1 : 0;
    missing += c.simulated ? 0 : 1;
    between += between_runs(c) ? 1 : 0;
    if (c.simulated && c.row.low < c.row.high) {
      spreads.push_back(100 * (c.row.high - c.row.low) / c.row.value);
    }
  }
  std::string out = fmt::format("{} of {} within what is asked; {} not modelled yet\n", good, asked, missing);
  for (const Half& h : halves) {
    if (halves[1].rows > 0 && h.rows > 0) {
      out += fmt::format("{}: {} rows, mean error {:.1f} %, {:.0f} % of them within {:g} %\n",
                         &h == halves ? "seen" : "only scored", h.rows, h.sum / static_cast<double>(h.rows),
                         100.0 * static_cast<double>(h.close) / static_cast<double>(h.rows), kUsualBound);
    }
  }
  if (!spreads.empty()) {
    const auto middle = spreads.begin() + static_cast<ptrdiff_t>(spreads.size() / 2);
    std::nth_element(spreads.begin(), middle, spreads.end());
    out += fmt::format(
        "{} of the {} rows of several runs lie between the least and the greatest of these, which are {:.0f} "
        "% of "
        "the median apart (median of the rows)\n",
        between, spreads.size(), *middle);
  }
  return out;
}

std::string as_text(const std::vector<Compared>& rows) {
  using Align = analysis::TextTable::Align;
  analysis::TextTable table({{"experiment", Align::kLeft},
                             {"parameter", Align::kLeft},
                             {"measured"},
                             {"runs"},
                             {"simulated"},
                             {"error %"},
                             {"asked %"},
                             {"", Align::kLeft}});
  for (const Compared& c : rows) {
    table.add(cells(c));
  }
  return table.str() + summary(rows);
}

std::string as_page(const std::vector<Compared>& rows, const std::string& gpu, const std::string& hash) {
  std::string page = fmt::format(
      "{}\n\n"
      "Made by `heddle hostbench --page`; microseconds. Configuration `{}`, hash {}. Where there were "
      "several runs, "
      "on several\nmachines, measured is their median, and runs says from where to where they go.\n\n"
      "| experiment | parameter | measured | runs | simulated | error % | asked % | "
      "|\n|---|---|---:|---:|---:|---:|---:|---|\n",
      kPageTitle, gpu, hash);
  for (const Compared& c : rows) {
    page += fmt::format("| {} |\n", fmt::join(cells(c), " | "));
  }
  return page + "\n" + summary(rows);
}

}  // namespace heddle::hostbench
