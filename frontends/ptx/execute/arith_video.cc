// Video instructions: which parts of the operands, and how they are combined.
#include <optional>

#include "frontends/ptx/execute/arith_handler.h"
#include "frontends/ptx/execute/arith_types.h"
#include "sim/exec/arith/video.h"

namespace heddle::ptx {
namespace {

using exec::arith::Fn;
using exec::arith::Second;
using exec::arith::Video;
using exec::arith::VideoOp;

struct Kind {
  VideoOp op;
  uint8_t lanes;
};

std::optional<Kind> kind_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::kVadd:
      return Kind{VideoOp::kAdd, 1};
    case Opcode::kVsub:
      return Kind{VideoOp::kSub, 1};
    case Opcode::kVabsdiff:
      return Kind{VideoOp::kAbsdiff, 1};
    case Opcode::kVmin:
      return Kind{VideoOp::kMin, 1};
    case Opcode::kVmax:
      return Kind{VideoOp::kMax, 1};
    case Opcode::kVshl:
      return Kind{VideoOp::kShl, 1};
    case Opcode::kVshr:
      return Kind{VideoOp::kShr, 1};
    case Opcode::kVset:
      return Kind{VideoOp::kSet, 1};
    case Opcode::kVmad:
      return Kind{VideoOp::kMad, 1};
    case Opcode::kVadd2:
    case Opcode::kVadd4:
      return Kind{VideoOp::kAdd, static_cast<uint8_t>(opcode == Opcode::kVadd2 ? 2 : 4)};
    case Opcode::kVsub2:
    case Opcode::kVsub4:
      return Kind{VideoOp::kSub, static_cast<uint8_t>(opcode == Opcode::kVsub2 ? 2 : 4)};
    case Opcode::kVabsdiff2:
    case Opcode::kVabsdiff4:
      return Kind{VideoOp::kAbsdiff, static_cast<uint8_t>(opcode == Opcode::kVabsdiff2 ? 2 : 4)};
    case Opcode::kVavrg2:
    case Opcode::kVavrg4:
      return Kind{VideoOp::kAverage, static_cast<uint8_t>(opcode == Opcode::kVavrg2 ? 2 : 4)};
    case Opcode::kVmin2:
    case Opcode::kVmin4:
      return Kind{VideoOp::kMin, static_cast<uint8_t>(opcode == Opcode::kVmin2 ? 2 : 4)};
    case Opcode::kVmax2:
    case Opcode::kVmax4:
      return Kind{VideoOp::kMax, static_cast<uint8_t>(opcode == Opcode::kVmax2 ? 2 : 4)};
    case Opcode::kVset2:
    case Opcode::kVset4:
      return Kind{VideoOp::kSet, static_cast<uint8_t>(opcode == Opcode::kVset2 ? 2 : 4)};
    default:
      return std::nullopt;
  }
}

// As Video::part_a of one element.
uint8_t part_of(const Operand* o) {
  if (o == nullptr || !o->selected) {
    return 0;
  }
  const Selection s = selection(*o);
  return static_cast<uint8_t>(s.index[0] + (s.halves ? 5 : 1));
}
// Of several: what is written last is the lowest element's. `first`: the default's lowest part.
uint16_t parts_of(const Operand* o, uint8_t lanes, uint32_t first) {
  uint16_t out = 0;
  for (uint32_t i = 0; i < lanes; ++i) {
    uint32_t index = first + i;
    if (o != nullptr && o->selected) {
      index = selection(*o).index[lanes - 1 - i];
    }
    out = static_cast<uint16_t>(out | index << 4 * i);
  }
  return out;
}
uint8_t written(const Operand* o, uint8_t lanes) {
  if (o == nullptr || !o->selected) {
    return static_cast<uint8_t>((1U << lanes) - 1);
  }
  uint8_t out = 0;
  const Selection s = selection(*o);
  for (uint32_t i = 0; i < s.count; ++i) {
    out = static_cast<uint8_t>(out | 1U << s.index[i]);
  }
  return out;
}

bool negated(const Operand* o) { return o != nullptr && o->negated; }

// Whether each selection is one that the instruction can have.
bool fits(const ArithOperands& operands, uint8_t lanes) {
  const uint32_t most = lanes == 1 ? 0 : 2U * lanes - 1;
  const auto ok = [&](const Operand* o, bool source) {
    if (o == nullptr || !o->selected) {
      return true;
    }
    const Selection s = selection(*o);
    if (lanes == 1) {
      return s.count == 1 && s.index[0] < (s.halves ? 2 : 4);
    }
    bool good = s.halves == (lanes == 2) && (source ? s.count == lanes : s.count <= lanes);
    for (uint32_t i = 0; i < s.count; ++i) {
      good = good && s.index[i] <= (source ? most : lanes - 1U);
    }
    return good;
  };
  return ok(operands.d, false) && ok(operands.s[0], true) && ok(operands.s[1], true) &&
         (operands.s[2] == nullptr || !operands.s[2]->selected);
}

}  // namespace

bool is_video(const Op& op) { return kind_of(op.opcode).has_value(); }

Fn video_handler(const Op& op, const ArithOperands& operands) {
  const auto kind = kind_of(op.opcode);
  const bool negates = negated(operands.s[0]) || negated(operands.s[1]) || negated(operands.s[2]);
  if (!kind || !fits(operands, kind->lanes) || (negates && kind->op != VideoOp::kMad)) {
    return {};
  }
  Video v;
  v.op = kind->op;
  v.lanes = kind->lanes;
  const bool set = kind->op == VideoOp::kSet;
  const auto sign = [](Type t) { return t == Type::kS32; };
  v.d_signed = !set && sign(op.types[0]);
  v.a_signed = sign(op.types[set ? 0 : 1]);
  v.b_signed = sign(op.types[set ? 1 : 2]);
  v.sat = op.has(Flag::kSat);
  v.clamp = op.mode == Mode::kClamp;
  v.relations = comparison_of(op, op.type()).relations;
  v.scale = op.mode == Mode::kShr7 ? 7 : op.mode == Mode::kShr15 ? 15 : 0;
  v.plus_one = op.has(Flag::kPo);
  v.negate_product = negated(operands.s[0]) != negated(operands.s[1]);
  v.negate_c = negated(operands.s[2]);
  v.second = op.combine == Combine::kAdd   ? Second::kAdd
             : op.combine == Combine::kMin ? Second::kMin
             : op.combine == Combine::kMax ? Second::kMax
                                           : Second::kNone;
  if (kind->lanes == 1) {
    v.part_a = part_of(operands.s[0]);
    v.part_b = part_of(operands.s[1]);
    v.part_d = part_of(operands.d);
  } else {
    v.part_a = parts_of(operands.s[0], kind->lanes, 0);
    v.part_b = parts_of(operands.s[1], kind->lanes, kind->lanes);
    v.part_d = written(operands.d, kind->lanes);
  }
  return exec::arith::video_fn(v);
}

}  // namespace heddle::ptx
