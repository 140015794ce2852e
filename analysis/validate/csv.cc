#include "analysis/validate/csv.h"

#include <fmt/format.h>

#include "frontends/input/limits.h"
#include "frontends/input/printable.h"
#include "frontends/input/regular_file.h"
#include "sim/base/error.h"

namespace heddle::analysis {
namespace {

class Parser {
 public:
  Parser(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  bool at_end() const { return pos_ == text_.size(); }
  uint64_t line() const { return line_; }

  // The fields up to the next line end outside quotes. One empty field stands for an empty line.
  std::vector<std::string> record() {
    std::vector<std::string> fields;
    do {
      fields.push_back(peek() == '"' ? quoted() : plain());
    } while (take(','));
    if (!at_end()) {
      take('\r');
      if (!take('\n')) {
        fail("text after a closing quote");
      }
      ++line_;
    }
    return fields;
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw Error(fmt::format("{}:{}: {}", file_, line_, what));
  }

 private:
  char peek() const { return at_end() ? '\0' : text_[pos_]; }
  bool take(char c) {
    if (at_end() || text_[pos_] != c) {
      return false;
    }
    ++pos_;
    return true;
  }

  std::string plain() {
    size_t end = text_.find_first_of(",\n", pos_);
    end = end == std::string_view::npos ? text_.size() : end;
    std::string_view field = text_.substr(pos_, end - pos_);
    pos_ = end;
    if (field.ends_with('\r')) {
      field.remove_suffix(1);
    }
    return std::string(field);
  }

  std::string quoted() {
    const uint64_t start = line_;
    std::string out;
    ++pos_;
    for (;;) {
      if (at_end()) {
        throw Error(fmt::format("{}:{}: quote without an end", file_, start));
      }
      char c = text_[pos_++];
      if (c == '"' && !take('"')) {
        return out;
      }
      line_ += c == '\n';
      out += c;
    }
  }

  std::string_view text_;
  std::string_view file_;
  size_t pos_ = 0;
  uint64_t line_ = 1;
};

}  // namespace

std::optional<size_t> CsvTable::column(std::string_view name) const {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] == name) {
      return i;
    }
  }
  return std::nullopt;
}

CsvTable parse_csv(std::string_view text, std::string file, const std::vector<std::string>& columns) {
  if (text.starts_with("\xef\xbb\xbf")) {
    text.remove_prefix(3);
  }
  CsvTable t;
  t.file = std::move(file);
  t.columns = columns;
  Parser p(text, t.file);
  while (!p.at_end()) {
    const uint64_t line = p.line();
    std::vector<std::string> fields = p.record();
    if ((fields.size() == 1 && fields[0].empty()) || (t.rows.empty() && fields == columns)) {
      continue;
    }
    if (t.columns.empty()) {
      for (const std::string& f : fields) {
        if (t.column(f)) {
          throw Error(fmt::format("{}:{}: two columns are called '{}'", t.file, line, f));
        }
        t.columns.push_back(f);
      }
      continue;
    }
    if (fields.size() != t.columns.size()) {
      throw Error(fmt::format("{}:{}: {} fields where {} {}", t.file, line, fields.size(),
                              columns.empty() ? "the header has" : "there should be", t.columns.size()));
    }
    t.rows.push_back(std::move(fields));
    t.lines.push_back(line);
  }
  if (t.columns.empty()) {
    throw Error(fmt::format("{}: no header line", t.file));
  }
  return t;
}

CsvTable parse_csv(std::string_view text, std::string file) { return parse_csv(text, std::move(file), {}); }

CsvTable read_csv(const std::filesystem::path& file) { return read_csv(file, {}); }

CsvTable read_csv(const std::filesystem::path& file, const std::vector<std::string>& columns) {
  return parse_csv(input::read_regular_file(file, input::limits().text_bytes), file.string(), columns);
}

}  // namespace heddle::analysis
