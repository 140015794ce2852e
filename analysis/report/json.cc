#include "analysis/report/json.h"

#include <fmt/format.h>

#include <cmath>

namespace heddle::analysis {
namespace {

// Bytes of the UTF-8 character at the beginning of `s`; 0 when there is none.
size_t character(std::string_view s) {
  const auto byte = [&](size_t i) { return i < s.size() ? static_cast<uint8_t>(s[i]) : 0; };
  const auto tail = [&](size_t n) {
    for (size_t i = 1; i < n; ++i) {
      if ((byte(i) & 0xc0) != 0x80) {
        return size_t{0};
      }
    }
    return n;
  };
  const uint8_t b = byte(0);
  return b < 0x80                 ? 1
         : b >= 0xc2 && b <= 0xdf ? tail(2)
         : b >= 0xe0 && b <= 0xef ? tail(3)
         : b >= 0xf0 && b <= 0xf4 ? tail(4)
                                  : 0;
}

}  // namespace

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (!first_.back()) {
    out_ << ',';
  }
  first_.back() = false;
  if (break_) {
    out_ << '\n';
    break_ = false;
  }
}

void JsonWriter::text(std::string_view s) {
  out_ << '"';
  while (!s.empty()) {
    const size_t n = character(s);
    const char c = s[0];
    if (n == 0) {
      out_ << "\\ufffd";
    } else if (c == '"' || c == '\\') {
      out_ << '\\' << c;
    } else if (static_cast<uint8_t>(c) < 0x20 || c == '<' || c == '>' || c == '&' || c == 0x7f) {
      out_ << fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      out_ << s.substr(0, n);
    }
    s.remove_prefix(n ? n : 1);
  }
  out_ << '"';
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  text(name);
  out_ << ':';
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view s) {
  separate();
  text(s);
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  separate();
  out_ << (std::isfinite(number) ? fmt::format("{}", number) : "null");
  return *this;
}

JsonWriter& JsonWriter::integer(int64_t number) {
  separate();
  out_ << number;
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  out_ << json;
  return *this;
}

JsonWriter& JsonWriter::line() {
  break_ = true;
  return *this;
}

JsonWriter& JsonWriter::open(char c) {
  separate();
  out_ << c;
  first_.push_back(true);
  return *this;
}

JsonWriter& JsonWriter::close(char c) {
  first_.pop_back();
  if (break_) {
    out_ << '\n';
    break_ = false;
  }
  out_ << c;
  return *this;
}

}  // namespace heddle::analysis
