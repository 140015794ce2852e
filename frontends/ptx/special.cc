#include "frontends/ptx/special.h"

#include <cstddef>
#include <iterator>
#include <unordered_map>

#include "sim/base/text.h"

namespace heddle::ptx {
namespace {

constexpr SpecialInfo kInfos[] = {
#define HEDDLE_PTX_X(name, word, type, elements, version, sm) {word, Type::type, elements, version, sm},
    HEDDLE_PTX_SPECIALS(HEDDLE_PTX_X)
#undef HEDDLE_PTX_X
};

const std::unordered_map<std::string_view, SpecialKind>& names() {
  static const auto* const kNames = [] {
    auto* out = new std::unordered_map<std::string_view, SpecialKind>;  // lives as long as the program
    for (size_t i = 0; i < std::size(kInfos); ++i) {
      out->emplace(kInfos[i].name, static_cast<SpecialKind>(i));
    }
    return out;
  }();
  return *kNames;
}

// envreg12, pm3, pm3_64
std::optional<Special> numbered(std::string_view name) {
  Special s;
  std::string_view number;
  uint8_t most = 7;
  if (name.starts_with("envreg")) {
    s.kind = SpecialKind::kEnvreg;
    number = name.substr(6);
    most = 31;
  } else if (name.starts_with("pm")) {
    s.kind = name.ends_with("_64") ? SpecialKind::kPm64 : SpecialKind::kPm;
    number = name.substr(2, name.size() - 2 - (name.ends_with("_64") ? 3 : 0));
  }
  const auto n = parse_number<uint8_t>(number);
  if (!n || *n > most) {
    return std::nullopt;
  }
  s.number = *n;
  return s;
}

}  // namespace

const SpecialInfo& info(SpecialKind kind) { return kInfos[static_cast<size_t>(kind)]; }

std::optional<Special> special_named(std::string_view name) {
  if (!name.starts_with('%')) {
    return std::nullopt;
  }
  name.remove_prefix(1);
  const size_t dot = name.find('.');
  const auto it = names().find(name.substr(0, dot));
  if (it == names().end() || it->second >= SpecialKind::kEnvreg) {
    return numbered(name);
  }
  Special s;
  s.kind = it->second;
  const bool vector = info(s.kind).elements > 1;
  if (dot == std::string_view::npos) {
    s.whole = vector;
    return s;
  }
  constexpr std::string_view kElements = "xyzw";
  const std::string_view element = name.substr(dot + 1);
  if (!vector || element.size() != 1 || kElements.find(element) == std::string_view::npos) {
    return std::nullopt;
  }
  s.element = static_cast<uint8_t>(kElements.find(element));
  return s;
}

}  // namespace heddle::ptx
