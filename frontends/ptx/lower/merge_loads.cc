// Loads of words that lie one behind the other in shared memory become wide ones, as far as the address is
// known to be a multiple of their width. ptxas places shared variables itself, so it knows; of global memory
// it does not.
#include <algorithm>
#include <map>
#include <set>

#include "frontends/ptx/lower/select.h"

namespace heddle::ptx::lower {
namespace {

constexpr uint32_t kWord = 4, kWidest = 4;  // bytes; words

uint32_t low_bit(int64_t n) { return n == 0 ? 1U << 10 : static_cast<uint32_t>(n & -n); }

}  // namespace

// A power of 2 that an operand is a multiple of.
uint32_t Select::multiple_of(const Operand& o, uint32_t depth) const {
  const Operand x = uses_.origin(o);
  if (x.kind == OperandKind::kImmediate) {
    return low_bit(x.value);
  }
  if (x.kind == OperandKind::kVariable) {
    return 16;
  }
  const uint32_t m = x.kind == OperandKind::kRegister ? uses_.writer(x.id) : kNone;
  if (m == kNone || depth == 0) {
    return 1;
  }
  const auto of = uses_.operands(m);
  const auto factor = [&](size_t k) { return multiple_of(of[k], depth - 1); };
  switch (uses_.op(m).opcode) {
    case Opcode::kShl: {
      const Operand n = uses_.origin(of[2]);
      return n.kind == OperandKind::kImmediate && n.value < 8 ? factor(1) << n.value : 1;
    }
    case Opcode::kMul:
    case Opcode::kMad: {
      const uint32_t product = std::min(factor(1) * factor(2), 1U << 10);
      return uses_.op(m).opcode == Opcode::kMul ? product : std::min(product, factor(3));
    }
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kOr:
      return std::min(factor(1), factor(2));
    case Opcode::kAnd:
      return std::max(factor(1), factor(2));
    default:
      return 1;
  }
}

// Of a block; those of one stretch of code without stores.
void Select::merge_loads(Block& b) {
  std::map<std::pair<uint32_t, uint32_t>, std::vector<size_t>> open;  // by base and guard
  const auto close = [&] {
    for (auto& [key, loads] : open) {
      merge(b, loads);
    }
    open.clear();
  };
  for (size_t i = 0; i < b.code.size(); ++i) {
    const Machine& m = b.code[i];
    if (m.ordered || (m.stores && m.space != isa::MemSpace::kGlobal)) {
      close();
    } else if (m.opcode == sass::Opcode("LDS") && m.address && m.d.size() == 1 &&
               m.d[0].kind == Field::Kind::kValue) {
      const uint32_t r = m.d[0].value.reg;
      if (out_.registers[r].count == 1 && out_.registers[r].file == File::kVector && written_[r] == 1) {
        open[{m.address->base.reg, m.guard.reg}].push_back(i);
      }
    }
  }
  close();
  std::erase_if(b.code, [](const Machine& m) { return m.opcode.name == sass::Mnemonic::kNone; });
}

void Select::merge(Block& b, std::vector<size_t>& loads) {
  const auto offset = [&](size_t i) { return b.code[i].address->offset; };
  std::stable_sort(loads.begin(), loads.end(), [&](size_t x, size_t y) { return offset(x) < offset(y); });
  for (size_t k = 0; k < loads.size();) {
    uint32_t words = kWidest;
    for (; words > 1; words /= 2) {
      bool all = k + words <= loads.size() && b.code[loads[k]].address->multiple >= kWord * words &&
                 offset(loads[k]) % (int64_t{kWord} * words) == 0;
      for (uint32_t w = 1; all && w < words; ++w) {
        all = offset(loads[k + w]) == offset(loads[k]) + int64_t{kWord} * w;
      }
      if (all) {
        break;
      }
    }
    if (words > 1) {
      const Value wide = temporary(static_cast<uint8_t>(words));
      const size_t first = *std::min_element(loads.begin() + static_cast<std::ptrdiff_t>(k),
                                             loads.begin() + static_cast<std::ptrdiff_t>(k + words));
      Machine m = b.code[loads[k]];
      for (uint32_t w = 0; w < words; ++w) {
        moved_[b.code[loads[k + w]].d[0].value.reg] = {wide.reg, static_cast<uint8_t>(w), 1};
        b.code[loads[k + w]].opcode = {};
        m.also.push_back(b.code[loads[k + w]].origin);
      }
      m.opcode = words == 4 ? "LDS.128"_op : "LDS.64"_op;
      m.d[0] = wide;
      b.code[first] = m;
    }
    k += std::max(words, 1U);
  }
}

void Select::merge_all_loads() {
  written_.assign(out_.registers.size(), 0);
  for (const Block& b : out_.blocks) {
    for (const Machine& m : b.code) {
      for (const Field& f : m.d) {
        if (f.kind == Field::Kind::kValue) {
          ++written_[f.value.reg];
        }
      }
    }
  }
  for (Block& b : out_.blocks) {
    merge_loads(b);
  }
  const auto move = [&](Value& v) {
    const auto to = moved_.find(v.reg);
    if (v.there() && to != moved_.end()) {
      v = to->second;
    }
  };
  for (Block& b : out_.blocks) {
    for (Machine& m : b.code) {
      for (auto* list : {&m.d, &m.s}) {
        for (Field& f : *list) {
          move(f.value);
        }
      }
      for (auto* a : {&m.address, &m.copied_to}) {
        if (*a) {
          move((*a)->base);
        }
      }
    }
  }
}

}  // namespace heddle::ptx::lower
