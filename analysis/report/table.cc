#include "analysis/report/table.h"

#include <algorithm>

namespace heddle::analysis {
namespace {

// Characters, not bytes, of UTF-8 text.
size_t width(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

void TextTable::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::str() const {
  std::vector<size_t> widths;
  for (size_t c = 0; c < columns_.size(); ++c) {
    size_t w = width(columns_[c].title);
    for (const auto& row : rows_) {
      w = std::max(w, width(row[c]));
    }
    widths.push_back(w);
  }
  std::string out;
  auto line = [&](auto cell) {
    std::string text;
    for (size_t c = 0; c < columns_.size(); ++c) {
      const std::string& content = cell(c);
      const std::string pad(widths[c] - width(content), ' ');
      text += c ? "  " : "";
      text += columns_[c].align == Align::kRight ? pad + content : content + pad;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + '\n';
  };
  line([&](size_t c) -> const std::string& { return columns_[c].title; });
  size_t total = 0;
  for (size_t w : widths) {
    total += w + 2;
  }
  out += std::string(total - 2, '-') + '\n';
  for (const auto& row : rows_) {
    line([&](size_t c) -> const std::string& { return row[c]; });
  }
  return out;
}

}  // namespace heddle::analysis
