#include "analysis/run/residency.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <utility>

#include "configs/loader/byte_units.h"
#include "sim/base/error.h"
#include "sim/base/text.h"

namespace heddle::analysis {
namespace {

using memory::AccessProperty;

constexpr std::array<std::pair<std::string_view, AccessProperty>, 3> kProperties = {{
    {"normal", AccessProperty::kNormal},
    {"streaming", AccessProperty::kStreaming},
    {"persisting", AccessProperty::kPersisting},
}};

[[noreturn]] void bad(std::string_view text, std::string_view what) {
  throw Error(
      fmt::format("access window \"{}\": {}; legal: BASE,BYTES[,RATIO[,HIT[,MISS]]], as in "
                  "0x7f0000000000,8MiB,0.5,persisting,streaming",
                  text, what));
}

uint64_t number(const std::string& s, std::string_view text, const char* name) {
  std::string_view digits = s;
  const uint64_t factor = config::take_byte_unit(digits);
  const bool hex = digits.starts_with("0x");
  digits.remove_prefix(hex ? 2 : 0);
  const auto value = parse_number<uint64_t>(digits, hex ? 16 : 10);
  if (!value || *value > UINT64_MAX / factor) {
    bad(text, fmt::format("{} is \"{}\"", name, s));
  }
  return *value * factor;
}

AccessProperty property(const std::string& s, std::string_view text) {
  for (const auto& [name, p] : kProperties) {
    if (s == name) {
      return p;
    }
  }
  bad(text, fmt::format("a property is \"{}\" (legal: normal, streaming, persisting)", s));
}

std::string_view name(AccessProperty p) {
  for (const auto& [name, value] : kProperties) {
    if (value == p) {
      return name;
    }
  }
  return "none";
}

}  // namespace

memory::AccessWindow parse_window(std::string_view text) {
  std::vector<std::string> part(1);
  for (const char c : text) {
    if (c == ',') {
      part.emplace_back();
    } else {
      part.back() += c;
    }
  }
  if (part.size() < 2 || part.size() > 5) {
    bad(text, fmt::format("{} fields", part.size()));
  }
  memory::AccessWindow w;
  w.base = number(part[0], text, "BASE");
  w.bytes = number(part[1], text, "BYTES");
  if (part.size() > 2) {
    size_t used = 0;
    try {
      w.hit_ratio = std::stod(part[2], &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used == 0 || used != part[2].size() || !(w.hit_ratio >= 0 && w.hit_ratio <= 1)) {
      bad(text, fmt::format("RATIO is \"{}\" (legal: 0 to 1)", part[2]));
    }
  }
  w.hit = part.size() > 3 ? property(part[3], text) : AccessProperty::kPersisting;
  w.miss = part.size() > 4 ? property(part[4], text) : AccessProperty::kStreaming;
  return w;
}

void check(const memory::L2Policy& policy, const config::GpuConfig& gpu) {
  if (!policy.active()) {
    return;
  }
  const uint32_t cc = gpu.limits().compute_capability();
  if (cc < 80) {
    throw Error(fmt::format("'{}' has compute capability {}.{}: L2 residency control needs 8.0", gpu.name(),
                            cc / 10, cc % 10));
  }
  if (policy.set_aside_bytes > gpu.l2().max_persisting_bytes()) {
    throw Error(
        fmt::format("an L2 set-aside of {} bytes; legal values on '{}': up to {} (l2.max_persisting_bytes)",
                    policy.set_aside_bytes, gpu.name(), gpu.l2().max_persisting_bytes()));
  }
}

std::vector<std::string> describe(const memory::L2Policy& policy) {
  std::vector<std::string> out;
  if (policy.set_aside_bytes) {
    out.push_back(fmt::format("--l2-set-aside={}", policy.set_aside_bytes));
  }
  if (const memory::AccessWindow& w = policy.window; w.bytes) {
    out.push_back(fmt::format("--l2-window={:#x},{},{},{},{}", w.base, w.bytes, w.hit_ratio, name(w.hit),
                              name(w.miss)));
  }
  return out;
}

}  // namespace heddle::analysis
