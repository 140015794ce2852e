// Registers that must lie one behind the other: those of wide accesses, tiles and products.
#include <algorithm>
#include <set>

#include "frontends/ptx/lower/select.h"

namespace heddle::ptx::lower {

// If none of them is in another group already.
void Select::make_group(const Operand& o) {
  if (o.kind != OperandKind::kVector) {
    return;
  }
  std::set<uint32_t> seen;
  std::vector<uint32_t> registers;
  uint32_t words = 0;
  for (const Operand& e : f_.elements(o)) {
    const uint32_t r = uses_.origin_register(e);
    if (r == kNone || values_[r].there() || uses_.uniform_register(r) || !seen.insert(r).second ||
        bits(f_.register_types[r]) < 8) {
      return;
    }
    registers.push_back(r);
    words += std::max(1U, bits(f_.register_types[r]) / 32);
  }
  if (words > 16) {
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
  // What an instruction writes before what it reads: the former costs moves always, the latter not.
  for (const bool results : {true, false}) {
    for (uint32_t i = 0; i < f_.instrs.size(); ++i) {
      const Op& o = uses_.op(i);
      const auto x = uses_.operands(i);
      const bool matrix =
          o.opcode == Opcode::kMma || o.opcode == Opcode::kLdmatrix || o.opcode == Opcode::kStmatrix;
      if (o.opcode != Opcode::kLd && o.opcode != Opcode::kSt && !matrix) {
        continue;
      }
      for (size_t k = 0; k < x.size(); ++k) {
        if (is_destination(o, k) == results) {
          make_group(x[k]);
        }
      }
    }
  }
}

}  // namespace heddle::ptx::lower
