#include "analysis/validate/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "analysis/store/record.h"
#include "analysis/validate/csv.h"
#include "sim/base/error.h"
#include "sim/base/text.h"

namespace heddle::analysis {
namespace {

// The first of the names that is a column.
std::optional<size_t> first_column(const CsvTable& t, std::initializer_list<std::string_view> names) {
  for (std::string_view n : names) {
    if (std::optional<size_t> c = t.column(n)) {
      return c;
    }
  }
  return std::nullopt;
}

double number(const CsvTable& t, size_t row, size_t column) {
  const std::string& text = t.rows[row][column];
  const auto value = parse_number<double>(text);
  if (!value || !std::isfinite(*value)) {
    throw Error(fmt::format("{}:{}: column '{}': '{}' is not a number", t.file, t.lines[row],
                            t.columns[column], text));
  }
  return *value;
}

// Nsight gives 0 for a launch without clusters.
std::optional<isa::Dim3> cluster_of(const CsvTable& t, size_t row) {
  isa::Dim3 c;
  for (auto [name, to] : {std::pair<std::string_view, uint32_t*>{"launch__cluster_dim_x", &c.x},
                          {"launch__cluster_dim_y", &c.y},
                          {"launch__cluster_dim_z", &c.z}}) {
    const std::optional<size_t> column = t.column(name);
    if (column && !t.rows[row][*column].empty()) {
      const double n = number(t, row, *column);
      if (n < 0 || n > 32 || n != std::floor(n)) {
        throw Error(fmt::format("{}:{}: column '{}': '{}' is not a cluster size", t.file, t.lines[row], name,
                                t.rows[row][*column]));
      }
      *to = std::max<uint32_t>(1, static_cast<uint32_t>(n));
    }
  }
  return c.count() > 1 ? std::optional(c) : std::nullopt;
}

// "(512, 1, 1)", as Nsight writes it; one or two numbers and no parentheses will do.
std::optional<isa::Dim3> size_of(const CsvTable& t, size_t row, std::string_view name) {
  const std::optional<size_t> column = t.column(name);
  if (!column || t.rows[row][*column].empty()) {
    return std::nullopt;
  }
  const std::string& text = t.rows[row][*column];
  std::array<uint32_t, 3> n = {1, 1, 1};
  size_t count = 0;
  for (size_t at = text.find_first_not_of("(), "); at != std::string::npos && count <= n.size();
       at = text.find_first_not_of("(), ", at)) {
    const size_t end = std::min(text.find_first_of("(), ", at), text.size());
    const auto value = parse_number<uint32_t>(std::string_view(text).substr(at, end - at));
    if (count == n.size() || value.value_or(0) == 0) {
      count = n.size() + 1;
      break;
    }
    n[count++] = *value;
    at = end;
  }
  if (count == 0 || count > n.size()) {
    throw Error(fmt::format("{}:{}: column '{}': '{}' is no size such as (512, 1, 1)", t.file, t.lines[row],
                            name, text));
  }
  return isa::Dim3{n[0], n[1], n[2]};
}

Reference to_reference(const CsvTable& t) {
  const std::optional<size_t> name = first_column(t, {"name", "trace"});
  const std::optional<size_t> launch = t.column("launch");
  const std::optional<size_t> cycles = first_column(t, {"cycles_median", "cycles"});
  if (!name || !cycles) {
    throw Error(fmt::format("{}:1: a reference table needs the columns {}", t.file,
                            !name ? "'name' or 'trace'" : "'cycles_median' or 'cycles'"));
  }
  std::vector<std::pair<size_t, std::string>> numeric = {{*cycles, kCycles}};
  if (auto c = first_column(t, {"sm_active_cycles_max_median", "sm_active_cycles"})) {
    numeric.emplace_back(*c, kSmActiveCycles);
  }
  for (size_t c = 0; c < t.columns.size(); ++c) {
    if (metric_index(t.columns[c])) {
      numeric.emplace_back(c, t.columns[c]);
    }
  }
  Reference out;
  out.file = t.file;
  std::set<std::pair<std::string, uint32_t>> seen;
  for (size_t i = 0; i < t.rows.size(); ++i) {
    ReferenceRow r;
    r.name = t.rows[i][*name];
    if (r.name.empty()) {
      throw Error(fmt::format("{}:{}: empty name", t.file, t.lines[i]));
    }
    if (launch) {
      const double n = number(t, i, *launch);
      if (n < 1 || n > 4294967295.0 || n != std::floor(n)) {
        throw Error(fmt::format("{}:{}: launch '{}' is not a positive integer", t.file, t.lines[i],
                                t.rows[i][*launch]));
      }
      r.launch = static_cast<uint32_t>(n);
    }
    if (!seen.emplace(r.name, r.launch).second) {
      throw Error(
          fmt::format("{}:{}: '{}' launch {} is in the table twice", t.file, t.lines[i], r.name, r.launch));
    }
    for (const auto& [column, metric] : numeric) {
      if (!t.rows[i][column].empty()) {
        r.values.emplace(metric, number(t, i, column));
      }
    }
    r.cluster = cluster_of(t, i);
    r.grid = size_of(t, i, "grid");
    r.block = size_of(t, i, "block");
    out.rows.push_back(std::move(r));
  }
  if (out.rows.empty()) {
    throw Error(fmt::format("{}: the reference table has no rows", t.file));
  }
  return out;
}

}  // namespace

std::optional<double> ReferenceRow::value(std::string_view metric) const {
  auto it = values.find(metric);
  return it == values.end() ? std::nullopt : std::optional<double>(it->second);
}

Reference read_reference(const std::filesystem::path& file) { return to_reference(read_csv(file)); }

Reference parse_reference(std::string_view text, std::string file) {
  return to_reference(parse_csv(text, std::move(file)));
}

}  // namespace heddle::analysis
