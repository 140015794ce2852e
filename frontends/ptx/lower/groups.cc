// Registers that must lie one behind the other: those of wide accesses, tiles and products.
#include <algorithm>
#include <set>
#include <span>

#include "frontends/ptx/lower/select.h"

namespace heddle::ptx::lower {
namespace {

constexpr uint32_t kWidestGroup = 128;  // the sums of a warp group's product

bool in_groups(Opcode o) {
  switch (o) {
    case Opcode::kLd:
    case Opcode::kSt:
    case Opcode::kMma:
    case Opcode::kMmaSp:
    case Opcode::kLdmatrix:
    case Opcode::kStmatrix:
    case Opcode::kWgmmaMmaAsync:
    case Opcode::kWgmmaMmaAsyncSp:
    case Opcode::kTcgen05Ld:
    case Opcode::kTcgen05St:
      return true;
    default:
      return false;
  }
}

}  // namespace

// If none of them is in another group already.
void Select::make_group(std::span<const Operand> list) {
  std::set<uint32_t> seen;
  std::vector<uint32_t> registers;
  uint32_t words = 0;
  for (const Operand& e : list) {
    const uint32_t r = uses_.origin_register(e);
    if (r == kNone || values_[r].there() || uses_.uniform_register(r) || !seen.insert(r).second ||
        bits(f_.register_types[r]) < 8) {
      return;
    }
    registers.push_back(r);
    words += std::max(1U, bits(f_.register_types[r]) / 32);
  }
  if (words > kWidestGroup) {
    return;
  }
  const Value all = out_.make(File::kVector, static_cast<uint8_t>(words));
  uint8_t at = 0;
  for (const uint32_t r : registers) {
    const auto n = static_cast<uint8_t>(std::max(1U, bits(f_.register_types[r]) / 32));
    values_[r] = {all.reg, at, n};
    at = static_cast<uint8_t>(at + n);
  }
}

void Select::find_groups() {
  for (uint32_t i = 0; i < f_.instrs.size(); ++i) {
    if (uses_.op(i).opcode == Opcode::kWmmaMma) {
      find_wmma_groups(i);
    }
  }
  // What an instruction writes before what it reads: the former costs moves always, the latter not.
  for (const bool results : {true, false}) {
    for (uint32_t i = 0; i < f_.instrs.size(); ++i) {
      const Op& o = uses_.op(i);
      const auto x = uses_.operands(i);
      if (!in_groups(o.opcode)) {
        continue;
      }
      for (size_t k = 0; k < x.size(); ++k) {
        if (x[k].kind == OperandKind::kVector && is_destination(o, k) == results) {
          make_group(f_.elements(x[k]));
        }
      }
    }
  }
  for (uint32_t i = 0; i < f_.instrs.size(); ++i) {
    if (uses_.op(i).opcode == Opcode::kWgmmaMmaAsync || uses_.op(i).opcode == Opcode::kWgmmaMmaAsyncSp) {
      now_ = i;
      const Value v = value(f_.elements(at(0))[0].id);
      const bool known = std::any_of(accumulators_.begin(), accumulators_.end(),
                                     [&](const Value& a) { return a.reg == v.reg; });
      if (!known) {
        accumulators_.push_back({v.reg, 0, out_.registers[v.reg].count});
      }
    }
  }
}

}  // namespace heddle::ptx::lower
