#include "frontends/sass/modifiers.h"

#include <algorithm>
#include <array>

namespace heddle::sass {
namespace {

using isa::OpClass;

constexpr std::array<std::string_view, 12> kFunctions = {
    "COS", "EX2", "LG2", "RCP", "RCP64H", "RSQ", "RSQ64H", "RSQ64X", "SIN", "SQRT", "TANH", "RCP64X"};
constexpr std::array<std::string_view, 7> kOperations = {"ARRIVE", "ATOM", "CAS",     "CCTL",
                                                         "EXCH",   "LD",   "PHASECHK"};
constexpr std::array<std::string_view, 6> kWidths = {"8", "16", "32", "64", "128", "256"};

bool in(const auto& list, std::string_view t) { return std::find(list.begin(), list.end(), t) != list.end(); }

bool is_odd(std::string_view t, const auto& list) { return !t.empty() && !in(list, t); }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool names_shape(std::string_view opcode) {
  bool names = false;
  for_each_modifier(opcode, [&](std::string_view t) { names |= !t.empty() && is_digit(t.front()); });
  return names;
}

std::string_view first_modifier(std::string_view opcode) {
  std::string_view first;
  for_each_modifier(opcode, [&](std::string_view t) { first = first.empty() ? t : first; });
  return first;
}

bool has_odd_number(std::string_view opcode) {
  bool odd = false;
  for_each_modifier(opcode, [&](std::string_view t) {
    const bool number = !t.empty() && std::all_of(t.begin(), t.end(), is_digit);
    odd |= number && !in(kWidths, t);
  });
  return odd;
}

}  // namespace

bool has_odd_modifier(std::string_view opcode, const OpcodeInfo& info, const MmaShape& shape) {
  if (!info.known) {
    return false;  // reported as a whole
  }
  switch (info.op) {
    case OpClass::kHmma:
    case OpClass::kImma:
    case OpClass::kDmma:
    case OpClass::kGmma:
      return shape.work() == 0 && names_shape(opcode);
    case OpClass::kMufu:
    case OpClass::kMufuExp:
      return base_of(opcode) == "MUFU" && is_odd(first_modifier(opcode), kFunctions);
    case OpClass::kMbarrier:
      return base_of(opcode) == "SYNCS" && is_odd(first_modifier(opcode), kOperations);
    default:
      return info.wide == Wide::kAccess && has_odd_number(opcode);
  }
}

}  // namespace heddle::sass
