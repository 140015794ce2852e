#include "frontends/input/limits.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "sim/base/error.h"

namespace heddle::input {

namespace {

constexpr const char* kVariable = "HEDDLE_LIMITS";

uint64_t parse_size(std::string_view text, std::string_view setting) {
  constexpr std::string_view kUnits = "KMGT";
  uint64_t v = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), v);
  std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  uint64_t factor = 1;
  if (unit.size() == 1 && kUnits.find(unit[0]) != std::string_view::npos) {
    factor <<= 10 * (kUnits.find(unit[0]) + 1);
    unit = {};
  }
  if (ec != std::errc() || !unit.empty() || __builtin_mul_overflow(v, factor, &v)) {
    throw Error(std::string(kVariable) + ": " + std::string(setting) +
                " (legal: NAME=N with N from 0 to 2^64-1, and K, M, G or T behind it)");
  }
  return v;
}

void apply(std::string_view settings, Limits& limits) {
  while (!settings.empty()) {
    const std::string_view one = settings.substr(0, settings.find(','));
    settings.remove_prefix(std::min(settings.size(), one.size() + 1));
    if (one.empty()) {
      continue;
    }
    const std::string_view name = one.substr(0, one.find('='));
    std::string names;
    Limit* found = nullptr;
    for (Limit* l : limits.all()) {
      names += (names.empty() ? "" : ", ") + std::string(l->name);
      found = name == l->name ? l : found;
    }
    if (!found) {
      throw Error(std::string(kVariable) + ": no limit '" + std::string(name) + "' (legal: " + names + ")");
    }
    found->value = parse_size(one.substr(std::min(one.size(), name.size() + 1)), one);
  }
}

Limits& current() {
  static Limits all = [] {
    Limits l;
    if (const char* settings = std::getenv(kVariable)) {
      apply(settings, l);
    }
    return l;
  }();
  return all;
}

}  // namespace

std::string Limit::legal() const {
  return "up to " + std::to_string(value) + "; " + kVariable + "=" + name + "=N changes that";
}

std::array<Limit*, 16> Limits::all() {
  return {&name_bytes,    &opcode_bytes, &line_bytes,   &blank_bytes,       &header_bytes, &code_bytes,
          &instructions,  &list_bytes,   &list_entries, &warp_instructions, &block_bytes,  &text_bytes,
          &section_bytes, &elements,     &window_bytes, &expansion};
}

const Limits& limits() { return current(); }

ScopedLimits::ScopedLimits(std::string_view settings) : before_(current()) {
  Limits changed = before_;
  apply(settings, changed);
  current() = changed;
}

ScopedLimits::~ScopedLimits() { current() = before_; }

}  // namespace heddle::input
