// mov, cvta, isspacep, mapa, getctarank, alloca.
#include <algorithm>

#include "frontends/ptx/execute/arith_handler.h"
#include "frontends/ptx/execute/moves.h"
#include "frontends/ptx/execute/translator.h"
#include "sim/exec/layout.h"

namespace heddle::ptx {
namespace {

uint64_t ones(uint32_t bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

// The window of a space in the generic one.
uint64_t window(Space space) {
  switch (space) {
    case Space::kShared:
    case Space::kSharedCluster:
      return exec::kSharedWindow;
    case Space::kLocal:
      return exec::kLocalWindow;
    case Space::kConst:
      return exec::kConstWindow;
    default:
      return 0;
  }
}

}  // namespace

// Elements of `bits` bits each, the first lowest, into one register of up to 64.
void Translator::pack(exec::Slot to, uint32_t bits, const std::vector<Operand>& from) {
  exec::Slot sum = source(from[0], bits);
  for (size_t i = 1; i < from.size(); ++i) {
    // In a temporary as long as elements are read, which may be in the same register.
    const exec::Slot d = i + 1 == from.size() ? to : temporary();
    compute(insert_fn, d, sum, source(from[i], bits), constant(i * bits));
    sum = d;
  }
}

void Translator::unpack(const std::vector<Operand>& to, uint32_t bits, exec::Slot from) {
  const exec::Slot copy = temporary();
  compute(copy_fn, copy, from);
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i].kind == OperandKind::kRegister) {
      compute(extract_fn, destination(to[i]), copy, constant(i * bits), constant(ones(bits)));
    }
  }
}

// Two of f32 side by side, each by itself.
bool Translator::float_pairs(const Instr& instr, const Op& op) {
  constexpr uint32_t kBits = 32;
  if (op.type() != Type::kF32x2) {
    return false;
  }
  Op one = op;
  std::replace(one.types.begin(), one.types.end(), Type::kF32x2, Type::kF32);
  const exec::arith::Fn fn = arith_handler(one, {});
  if (fn.fn == nullptr) {
    missing();
    return true;
  }
  exec::Slot halves[2];
  for (uint32_t i = 0; i < 2; ++i) {
    exec::Slot s[5] = {exec::kNoSlot, exec::kNoSlot, exec::kNoSlot, exec::kNoSlot, exec::kNoSlot};
    for (size_t k = 1; k < instr.operand_count; ++k) {
      s[k - 1] = temporary();
      compute(extract_fn, s[k - 1], source(instr, k), constant(uint64_t{i} * kBits), constant(ones(kBits)));
    }
    if (fn.controlled) {
      s[exec::arith::kControlPlace] = constant(fn.control);
    }
    halves[i] = temporary();
    exec::Inst& in = emit(exec::Kind::kCompute);
    in.fn = fn.fn;
    in.d[0] = halves[i];
    std::copy_n(s, 5, in.s);
  }
  compute(insert_fn, destination(operand(instr, 0)), halves[0], halves[1], constant(kBits));
  return true;
}

void Translator::mov(const Instr& instr, const Op& op) {
  const std::vector<Operand> to = elements(operand(instr, 0)), from = elements(operand(instr, 1));
  const uint32_t width = bits(op.type());
  if (op.vector > 1 || (to.size() > 1 && from.size() > 1)) {  // element by element
    if (to.size() != from.size()) {
      missing("a whole vector");
      return;
    }
    std::vector<exec::Slot> copies;
    for (const Operand& o : from) {
      copies.push_back(temporary());
      compute(copy_fn, copies.back(), source(o, width));
    }
    for (size_t i = 0; i < to.size(); ++i) {
      if (to[i].kind == OperandKind::kRegister) {
        compute(copy_fn, destination(to[i]), copies[i]);
      }
    }
    return;
  }
  const auto parts = static_cast<uint32_t>(std::max(to.size(), from.size()));
  if (width == 128) {  // two registers
    const auto half = [&](exec::Slot s, uint32_t i) { return s + i; };
    if (parts == 1) {
      const exec::Slot d = destination(to[0]), s = source(from[0], 64);
      compute(copy_fn, half(d, 0), half(s, 0));
      compute(copy_fn, half(d, 1), half(s, 1));
      return;
    }
    for (uint32_t i = 0; i < 2; ++i) {
      const auto begin = static_cast<std::ptrdiff_t>(i * parts / 2);
      const auto end = begin + static_cast<std::ptrdiff_t>(parts / 2);
      if (to.size() == 1) {
        const std::vector<Operand> some(from.begin() + begin, from.begin() + end);
        if (some.size() == 1) {
          compute(copy_fn, half(destination(to[0]), i), source(some[0], 64));
        } else {
          pack(half(destination(to[0]), i), 128 / parts, some);
        }
      } else {
        unpack({to.begin() + begin, to.begin() + end}, 128 / parts, half(source(from[0], 64), i));
      }
    }
    return;
  }
  if (from.size() > 1) {
    pack(destination(to[0]), width / parts, from);
  } else if (to.size() > 1) {
    unpack(to, width / parts, source(from[0], width));
  } else if (from[0].kind == OperandKind::kSpecial || from[0].kind == OperandKind::kVariable ||
             from[0].kind == OperandKind::kFunction) {
    compute(cut_fn, destination(to[0]), source(from[0], width), constant(ones(width)));
  } else {
    compute(copy_fn, destination(to[0]), source(from[0], width));
  }
}

void Translator::convert_address(const Instr& instr, const Op& op) {
  const exec::Slot d = destination(operand(instr, 0));
  const exec::Slot s = source(instr, 1);
  const uint64_t base = window(op.space);
  if (base == 0) {  // global, and parameters of kernels, whose addresses are generic
    compute(copy_fn, d, s);
  } else if (op.has(Flag::kTo)) {
    compute(sub_fn, d, s, constant(base));
  } else {
    compute(add_fn, d, s, constant(base));
  }
  if (bits(op.type()) == 32) {
    compute(cut_fn, d, d, constant(ones(32)));
  }
}

void Translator::is_space(const Instr& instr, const Op& op) {
  const exec::Slot d = destination(operand(instr, 0));
  const exec::Slot s = source(instr, 1);
  uint64_t base = window(op.space);
  uint64_t bytes = exec::kWindowBytes;
  if (op.space == Space::kParam || op.space == Space::kParamEntry) {
    base = exec::kParamWindow;
  } else if (op.space == Space::kSharedCluster) {
    bytes = exec::kSharedWindows;
  } else if (op.space == Space::kShared) {
    const exec::Slot own = temporary();
    compute(add_fn, own, special_slot(exec::Special::kSharedBase), constant(base));
    compute(inside_fn, d, s, own, constant(bytes));
    return;
  } else if (op.space == Space::kGlobal) {
    // What is in none of the windows; parameters are global.
    const exec::Slot in_const = temporary(), others = temporary();
    compute(inside_fn, in_const, s, constant(exec::kConstWindow), constant(bytes));
    compute(inside_fn, others, s, constant(exec::kLocalWindow), constant(bytes));
    compute(insert_fn, in_const, in_const, others, constant(0));
    compute(inside_fn, others, s, constant(exec::kSharedWindow), constant(exec::kSharedWindows));
    compute(insert_fn, in_const, in_const, others, constant(0));
    compute(not_fn, d, in_const);
    return;
  }
  compute(inside_fn, d, s, constant(base), constant(bytes));
}

// alloca and its stack, which is a register that a warp knows; shared addresses of a cluster, whose blocks'
// windows lie one behind the other.
bool Translator::stack_or_cluster(const Instr& instr, const Op& op) {
  constexpr uint64_t kRankBit = 24;  // of exec::kWindowBytes
  constexpr uint64_t kDefaultAlign = 8;
  static_assert(exec::kWindowBytes == uint64_t{1} << kRankBit);
  switch (op.opcode) {
    case Opcode::kStacksave:
      compute(copy_fn, destination(operand(instr, 0)), exec::kStackSlot);
      return true;
    case Opcode::kStackrestore:
      compute(copy_fn, exec::kStackSlot, source(instr, 0));
      return true;
    case Opcode::kAlloca: {
      const Operand& align = operand(instr, 2);
      const exec::Slot d = destination(operand(instr, 0)), size = source(instr, 1);
      exec::Inst& in = emit(exec::Kind::kAlloca);
      in.d[0] = d;
      in.s[0] = size;
      in.offset = align.kind == OperandKind::kNone ? static_cast<int64_t>(kDefaultAlign) : align.value;
      if (in.offset <= 0 || (in.offset & (in.offset - 1)) != 0) {
        missing("an alignment that is no power of two");
      }
      return true;
    }
    case Opcode::kMapa: {
      const exec::Slot d = destination(operand(instr, 0)), a = source(instr, 1), rank = source(instr, 2);
      const exec::Slot cut = temporary();
      compute(cut_fn, cut, a, constant(~(exec::kSharedWindows - exec::kWindowBytes)));
      compute(insert_fn, d, cut, rank, constant(kRankBit));
      return true;
    }
    case Opcode::kGetctarank:
      compute(extract_fn, destination(operand(instr, 0)), source(instr, 1), constant(kRankBit),
              constant(exec::kMostClusterBlocks - 1));
      return true;
    default:
      return false;
  }
}

}  // namespace heddle::ptx
