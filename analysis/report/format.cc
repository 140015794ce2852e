#include "analysis/report/format.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <memory>

#include "frontends/input/printable.h"

namespace heddle::analysis {
namespace {

// Three digits, as long as they do not round up to four.
std::string three_digits(double v) {
  if (v < 9.995) {
    return fmt::format("{:.2f}", v);
  }
  return v < 99.95 ? fmt::format("{:.1f}", v) : fmt::format("{:.0f}", v);
}

}  // namespace

std::string grouped(uint64_t value) {
  std::string digits = std::to_string(value);
  for (size_t i = digits.size(); i > 3; i -= 3) {
    digits.insert(i - 3, ",");
  }
  return digits;
}

std::string number(double value) {
  const double magnitude = std::fabs(value);
  if (magnitude == std::floor(magnitude) && magnitude < 9e15) {
    return (value < 0 ? "-" : "") + grouped(static_cast<uint64_t>(magnitude));
  }
  std::string text = fmt::format("{:.2f}", magnitude);
  for (size_t i = text.size() - 3; i > 3 && magnitude < 9e15; i -= 3) {
    text.insert(i - 3, ",");
  }
  return (value < 0 ? "-" : "") + text;
}

std::string quantity(double value, std::string_view unit) {
  static constexpr const char* kPrefix[] = {"", "k", "M", "G", "T", "P"};
  size_t i = 0;
  for (; value >= 999.5 && i + 1 < std::size(kPrefix); ++i) {
    value /= 1000;
  }
  std::string digits =
      i == 0 && value == std::floor(value) ? fmt::format("{:.0f}", value) : three_digits(value);
  const std::string suffix = kPrefix[i] + std::string(unit);
  return suffix.empty() ? digits : digits + " " + suffix;
}

std::string duration(double seconds) {
  if (seconds < 999.5e-9) {
    return fmt::format("{:.0f} ns", seconds * 1e9);
  }
  if (seconds < 999.5e-6) {
    return three_digits(seconds * 1e6) + " us";
  }
  return seconds < 999.5e-3 ? three_digits(seconds * 1e3) + " ms" : three_digits(seconds) + " s";
}

std::string clock_time(double seconds) {
  const auto s = static_cast<uint64_t>(std::llround(seconds));
  if (s < 60) {
    return fmt::format("{} s", s);
  }
  return s < 3600 ? fmt::format("{}:{:02} min", s / 60, s % 60)
                  : fmt::format("{}:{:02} h", s / 3600, s % 3600 / 60);
}

std::string demangled(const std::string& name) {
  int status = -1;  // a name of C, t say, is not the type that this letter stands for
  std::unique_ptr<char, void (*)(void*)> text(
      name.starts_with("_Z") ? abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status) : nullptr,
      std::free);
  return input::printable(status == 0 && text ? text.get() : name);
}

std::string shortened(const std::string& text, size_t width) {
  return text.size() <= width || width < 3 ? text : text.substr(0, width - 2) + "..";
}

std::string csv_field(std::string_view raw) {
  std::string text = input::printable_lines(raw);
  if (text.find_first_of(",\"\n") == std::string_view::npos) {
    return text;
  }
  std::string out = "\"";
  for (char c : text) {
    out += c;
    if (c == '"') {
      out += '"';
    }
  }
  return out + '"';
}

}  // namespace heddle::analysis
