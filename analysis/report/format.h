// Numbers as a reader wants them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::analysis {

// 1234567 -> "1,234,567".
std::string grouped(uint64_t value);

// With separators; two decimals where the value is not an integer.
std::string number(double value);

// Three or four significant digits with a decimal prefix: quantity(8391424, "B") -> "8.39 MB".
std::string quantity(double value, std::string_view unit);

// "812 ns", "5.70 us", "1.20 ms", "3.4 s".
std::string duration(double seconds);

// Time to wait, in words of a clock: "8 s", "1:05 min", "2:03 h".
std::string clock_time(double seconds);

// The readable form of a mangled C++ name, or the name itself; control characters as \xNN.
std::string demangled(const std::string& name);

// `text` cut to `width` characters, with dots in place of the rest.
std::string shortened(const std::string& text, size_t width);

// `text` as a field of a CSV file: quoted when it has to be, control characters other than line ends and tabs
// as \xNN.
std::string csv_field(std::string_view text);

}  // namespace heddle::analysis
