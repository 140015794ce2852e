#include "analysis/report/hot_spots.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/report/table.h"
#include "sim/isa/kernel.h"

namespace heddle::analysis {
namespace {

using Align = TextTable::Align;

uint64_t cost(const stats::InstructionProfile& p) {
  return std::accumulate(p.counts.stall.begin(), p.counts.stall.end(), uint64_t{0});
}

// The state that most of the instruction's warp-cycles were in.
std::string_view largest(const stats::InstructionProfile& p) {
  const auto at = std::max_element(p.counts.stall.begin(), p.counts.stall.end()) - p.counts.stall.begin();
  return stats::kStallInfo[static_cast<size_t>(at)].name;
}

}  // namespace

std::string hot_spots(const std::vector<stats::InstructionProfile>& code, size_t top) {
  std::vector<const stats::InstructionProfile*> order;
  uint64_t total = 0;
  for (const stats::InstructionProfile& p : code) {
    total += cost(p);
    if (cost(p) > 0) {
      order.push_back(&p);
    }
  }
  if (order.empty()) {
    return "";
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return cost(*a) > cost(*b); });
  const bool lines = std::any_of(code.begin(), code.end(), [](const auto& p) { return p.source_line != 0; });
  std::vector<TextTable::Column> columns = {{"%"}, {"pc"}, {"largest", Align::kLeft}};
  if (lines) {
    columns.push_back({"source", Align::kLeft});
  }
  columns.push_back({"instruction", Align::kLeft});
  TextTable t(std::move(columns));
  for (size_t i = 0; i < order.size() && i < top; ++i) {
    const stats::InstructionProfile& p = *order[i];
    std::vector<std::string> row = {
        fmt::format("{:.1f}", 100 * static_cast<double>(cost(p)) / static_cast<double>(total)),
        fmt::format("{:04x}", p.pc), std::string(largest(p))};
    if (lines) {
      row.push_back(isa::source_text(p.source_file, p.source_line));
    }
    row.push_back(p.text);
    t.add(std::move(row));
  }
  return "hot spots, % of warp-cycles\n" + t.str();
}

}  // namespace heddle::analysis
