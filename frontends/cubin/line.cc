#include "frontends/cubin/line.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace heddle::cubin {
namespace {

// Fields that say nothing.
constexpr uint64_t kNoRegister = 255, kNoUniform = 63, kTrue = 7, kNotTrue = 15, kTrueAbove = kTrue << 4;

std::string signed_hex(int64_t v) {
  return v < 0 ? fmt::format("-0x{:x}", ~static_cast<uint64_t>(v) + 1) : fmt::format("0x{:x}", v);
}

double half_value(uint32_t h) {
  const uint32_t exponent = h >> 10 & 31, fraction = h & 1023;
  const double m = exponent == 0    ? std::ldexp(fraction, -24)
                   : exponent == 31 ? (fraction != 0 ? NAN : INFINITY)
                                    : std::ldexp(fraction + 1024, static_cast<int>(exponent) - 25);
  return (h & 0x8000) != 0 ? -m : m;
}

}  // namespace

std::string float_text(double value) {
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isnan(value)) {
    return (sign.empty() ? "+" : sign) + "QNAN ";
  }
  if (std::isinf(value)) {
    return (sign.empty() ? "+" : sign) + "INF ";
  }
  if (value == 0) {
    return sign.empty() ? "0" : "-0.0 ";
  }
  constexpr double kLongest = 1e9;  // from here on with an exponent
  return std::fabs(value) >= kLongest ? fmt::format("{:.20e}", value) : fmt::format("{:.20g}", value);
}

Line& Line::pick(uint32_t first, uint32_t count, std::span<const std::string_view> names) {
  const uint64_t value = bits(first, count);
  if (value >= names.size() || names[value] == "?") {
    unknown();
    return *this;
  }
  return suffix(names[value]);
}

Line& Line::text(const std::string& text) {
  operands_ += operands_.empty() ? " " : ", ";
  operands_ += text;
  return *this;
}

std::string Line::reg_name(uint32_t first) const {
  const uint64_t r = bits(first, 8);
  return r == 255 ? "RZ" : fmt::format("R{}", r);
}

std::string Line::ureg_name(uint32_t first) const {
  constexpr uint64_t kMost = 80;  // of which ptxas uses the last one, too
  names_uniform_ = true;
  if (!no_ureg(first) && bits(first, ureg_bits()) >= kMost) {
    unknown();
  }
  return no_ureg(first) ? "URZ" : fmt::format("UR{}", bits(first, ureg_bits()));
}

std::string Line::pred_name(uint32_t first, bool negated) const {
  const uint64_t p = bits(first, 3);
  return std::string(negated ? "!" : "") + (uniform_ ? "U" : "") + (p == 7 ? "PT" : fmt::format("P{}", p));
}

std::string Line::source(std::string text, uint32_t negated, uint32_t absolute, uint32_t reuse,
                         std::string_view behind) const {
  if (absolute != 0 && bit(absolute)) {
    text = "|" + text + "|";
  }
  if (negated != 0 && bit(negated)) {
    text = std::string(minus_) + text;
  }
  return text + (reuse != 0 && !uniform_ && bit(reuse) ? ".reuse" : "") + std::string(behind);
}

bool Line::swapped() const {
  const uint32_t f = w_.form();
  return f == 2 || f == 3 || f == 7;
}

std::string Line::immediate(Number n) const {
  const auto value = static_cast<uint32_t>(bits(32, 32));
  switch (n) {
    case Number::kUnsigned:
      return fmt::format("0x{:x}", value);
    case Number::kSigned:
      return signed_hex(static_cast<int32_t>(value));
    case Number::kFloat:
      return float_text(std::bit_cast<float>(value));
    case Number::kDouble:
      return float_text(std::bit_cast<double>(uint64_t{value} << 32));
    case Number::kHalves:
      return float_text(half_value(value >> 16)) + ", " + float_text(half_value(value & 0xffff));
    case Number::kBfloats:
      return float_text(std::bit_cast<float>(value & 0xffff0000)) + ", " +
             float_text(std::bit_cast<float>(value << 16));
  }
  return "";
}

std::string Line::constant(const std::string& index) const {
  const uint64_t offset = bits(38, 16);
  if (offset > INT16_MAX) {
    unknown();  // negative
  }
  return fmt::format("c[0x{:x}][{}{}]", bits(54, 5), index,
                     index.empty() ? fmt::format("0x{:x}", offset)
                     : offset == 0 ? ""
                                   : fmt::format("+0x{:x}", offset));
}

std::string Line::place32(Number n, uint32_t negated, uint32_t absolute, uint32_t reuse,
                          std::string_view behind) const {
  switch (w_.form()) {
    case 1:
      return source(uniform_ ? ureg_name(32) : reg_name(32), negated, absolute, reuse, behind);
    case 2:
    case 4:
      return immediate(n);
    case 3:
    case 5:
      return source(constant(bit(91) ? ureg_name(24) : ""), negated, absolute, 0, behind);
    default:
      return source(ureg_name(32), negated, absolute, 0, behind);
  }
}

std::string Line::place64(uint32_t negated, uint32_t absolute, uint32_t reuse,
                          std::string_view behind) const {
  return source(uniform_ ? ureg_name(64) : reg_name(64), negated, absolute, reuse, behind);
}

Line& Line::a(uint32_t negated, uint32_t absolute, std::string_view behind) {
  return text(source(uniform_ ? ureg_name(24) : reg_name(24), negated, absolute, kReuseFirst, behind));
}

// A sign goes with the place: 63 and 62 with that from bit 32 on, wide_signs() with that from bit 64 on.
Line& Line::b(Number n, uint32_t negated, uint32_t absolute, std::string_view behind) {
  return text(swapped() ? place64(negated != 0 ? wide_negated_ : 0, absolute != 0 ? wide_absolute_ : 0,
                                  kReuseSecond, behind)
                        : place32(n, negated, absolute, kReuseSecond, behind));
}

Line& Line::c(Number n, uint32_t negated, uint32_t absolute, std::string_view behind) {
  return text(swapped() ? place32(n, negated != 0 ? 63 : 0, absolute != 0 ? 62 : 0, kReuseThird, behind)
                        : place64(negated, absolute, kReuseThird, behind));
}

Line& Line::second(Number n, uint32_t negated, uint32_t absolute, std::string_view behind, uint32_t reuse) {
  return text(place32(n, negated, absolute, reuse, behind));
}

Line& Line::number(uint64_t value) { return text(fmt::format("0x{:x}", value)); }

Line& Line::signed_number(int64_t value) { return text(signed_hex(value)); }

std::string Line::target_text(int64_t bytes) const {
  return signed_hex(static_cast<int64_t>(pc_) + 16 + bytes);
}

std::string Line::address(uint32_t reg, std::string_view wide, int64_t offset,
                          const std::string& ureg) const {
  std::string out;
  if (reg != kNoPlace && (bits(reg, 8) != 255 || (offset == 0 && ureg.empty()))) {
    out = reg_name(reg) + std::string(wide);
  }
  if (!ureg.empty()) {
    out += (out.empty() ? "" : "+") + ureg;
  }
  if (offset != 0) {
    out += (out.empty() ? "" : "+") + signed_hex(offset);
  }
  return "[" + out + "]";
}

bool Line::all_said() const {
  const Word rest = leftover();
  uint64_t low = rest.low, high = rest.high;
  const auto drop = [](uint64_t& word, uint32_t first, uint32_t count,
                       std::initializer_list<uint64_t> values) {
    const uint64_t mask = ((uint64_t{1} << count) - 1) << first % 64;
    for (const uint64_t v : values) {
      if ((word & mask) >> first % 64 == v) {
        word &= ~mask;
        return;
      }
    }
  };
  drop(low, 24, 8, {kNoRegister});
  drop(high, 64, 8, {kNoRegister, kNoUniform, kTrueAbove});
  drop(high, 77, 4, {kTrue, kNotTrue});
  drop(high, 81, 3, {kTrue});
  drop(high, 84, 3, {kTrue});
  drop(high, 87, 4, {kTrue, kNotTrue});
  if (uniform_ || uniform_guard_ || names_uniform_) {
    drop(high, 91, 1, {1});
  }
  return low == 0 && high == 0;
}

std::string Line::str() const {
  std::string guard;
  if (bits(12, 4) != 7) {
    const uint64_t p = bits(12, 3);
    guard = fmt::format("@{}{}P{} ", bit(15) ? "!" : "", uniform_guard_ ? "U" : "",
                        p == 7 ? "T" : std::to_string(p));
  }
  return guard + name_ + operands_;
}

}  // namespace heddle::cubin
