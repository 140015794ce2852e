// A table of text with aligned columns.
#pragma once

#include <string>
#include <vector>

namespace heddle::analysis {

class TextTable {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kRight;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // A row shorter than the header is filled up with empty cells.
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }

  // Title line, rule, one line per row; two spaces between columns, none at the end of a line.
  std::string str() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace heddle::analysis
