// Moves, special registers, what lanes tell each other.
#include <algorithm>

#include "frontends/ptx/lower/select.h"
#include "frontends/ptx/special.h"

namespace heddle::ptx::lower {
bool Select::moves() {
  const Op& o = op();
  switch (o.opcode) {
    case Opcode::kMov:
    case Opcode::kCvta:
      move();
      return true;
    case Opcode::kShfl:
    case Opcode::kVote:
    case Opcode::kMatch:
    case Opcode::kRedux:
    case Opcode::kActivemask:
    case Opcode::kElect:
      return lanes();
    default:
      return false;
  }
}

void Select::move() {
  const Operand& from = at(1);
  if (from.kind == OperandKind::kSpecial) {
    special(from);
    return;
  }
  if (at(0).kind == OperandKind::kVector) {  // halves of a register have no place of their own
    const auto parts = f_.elements(at(0));
    const Field whole = in(1);
    for (uint32_t k = 0; k < parts.size(); ++k) {
      if (parts[k].kind != OperandKind::kRegister) {
        continue;
      }
      const bool words = bits(f_.register_types[parts[k].id]) == 32;
      if (uses_.writer(parts[k].id) == now_ && whole.kind == Field::Kind::kValue &&
          (!words || whole.value.count > k)) {
        values_[parts[k].id] = words ? part(whole.value, k) : part(whole.value, 0);
      } else {
        emit("MOV", {value(parts[k].id)},
             {whole.kind == Field::Kind::kValue ? Field(part(whole.value, 0)) : whole});
      }
    }
    return;
  }
  const Value to = result();
  if (from.kind == OperandKind::kVector) {
    const auto parts = f_.elements(from);
    if (bits(f_.register_types[at(0).id]) <= 32) {
      emit("PRMT", {to}, {field(parts[0]), 0x5410, parts.size() > 1 ? field(parts[1]) : Field()});
    } else {
      for (uint32_t k = 0; k < to.count; ++k) {
        emit("IMAD.MOV.U32", {part(to, k)},
             {Field(), Field(), field(parts[std::min<size_t>(k, parts.size() - 1)])});
      }
    }
    return;
  }
  if (f_.register_types[at(0).id] == Type::kPred) {
    emit("PLOP3.LUT", {to, kPT}, {in(1), kPT, kPT, 0x80, immediate(0)});
    return;
  }
  const bool zero = in(1).kind == Field::Kind::kZero && !uniform_result();
  if (zero && to.count == 2) {
    emit("CS2R", {to}, {special_register(SpecialRegister::kZero)});
    return;
  }
  for (uint32_t k = 0; k < to.count; ++k) {
    Field f = in(1, k == 1);
    if (k == 0 && f.kind == Field::Kind::kValue) {
      f.value = part(f.value, 0);
    }
    if (uniform_result()) {
      emit("UMOV", {part(to, k)}, {f});
    } else if (k % 2 == 0) {
      emit("IMAD.MOV.U32", {part(to, k)}, {Field(), Field(), f});
    } else {
      emit("MOV", {part(to, k)}, {f});
    }
  }
}

void Select::special(const Operand& o) {
  const Special s = Special::unpack(o.id);
  const Value to = result();
  const uint32_t axis = std::min<uint32_t>(s.element, 2);  // there is no fourth one
  sass::Operand what;
  switch (s.kind) {
    case SpecialKind::kTid:
      what = special_register(SpecialRegister::kTidX);
      what.index += axis;
      break;
    case SpecialKind::kCtaid:
      what = special_register(SpecialRegister::kCtaidX);
      what.index += axis;
      if (out_.registers[to.reg].file == File::kUniform) {
        emit("S2UR", {to}, {what});
        return;
      }
      break;
    case SpecialKind::kNtid:
    case SpecialKind::kNctaid: {
      const int at = (s.kind == SpecialKind::kNtid ? 0 : 12) + 4 * s.element;
      emit(out_.registers[to.reg].file == File::kUniform ? "ULDC"_op : "LDC"_op, {to}, {constant(0, at)});
      return;
    }
    case SpecialKind::kClock:
    case SpecialKind::kClock64:
      emit("CS2R", {to}, {special_register(SpecialRegister::kClocklo)}).ordered = true;
      return;
    case SpecialKind::kLaneid:
      what = special_register(SpecialRegister::kLaneid);
      break;
    case SpecialKind::kWarpid:
      what = special_register(SpecialRegister::kVirtid);
      break;
    case SpecialKind::kLanemaskEq:
    case SpecialKind::kLanemaskLe:
    case SpecialKind::kLanemaskLt:
    case SpecialKind::kLanemaskGe:
    case SpecialKind::kLanemaskGt:
      what = special_register(SpecialRegister::kLtmask);
      break;
    default:
      what = special_register(SpecialRegister::kVirtualsmid);
  }
  emit("S2R", {Value{to.reg, to.part, 1}}, {what});
}

bool Select::lanes() {
  const Op& o = op();
  switch (o.opcode) {
    case Opcode::kShfl: {
      const sass::Opcode how = o.mode == Mode::kUp     ? "SHFL.UP"_op
                               : o.mode == Mode::kDown ? "SHFL.DOWN"_op
                               : o.mode == Mode::kBfly ? "SHFL.BFLY"_op
                                                       : "SHFL.IDX"_op;
      const Operand& p = at(1);
      const bool wanted = p.kind == OperandKind::kRegister && uses_.reads(p.id) != 0;
      const Field c = in(4);
      emit(how, {wanted ? Field(value(p.id)) : Field(kPT), result()},
           {vector(at(2)), in(3), c.kind == Field::Kind::kZero ? Field(immediate(0)) : c})
          .ordered = true;
      return true;
    }
    case Opcode::kVote: {
      if (o.mode == Mode::kBallot) {
        emit("VOTE.ANY", {result(), kPT}, {in(1)}).ordered = true;
      } else {
        emit(o.mode == Mode::kAll   ? "VOTE.ALL"_op
             : o.mode == Mode::kAny ? "VOTE.ANY"_op
                                    : "VOTE.EQ"_op,
             {result()}, {in(1)})
            .ordered = true;
      }
      return true;
    }
    case Opcode::kActivemask:
      emit("VOTE.ANY", {result(), kPT}, {kPT}).ordered = true;
      return true;
    case Opcode::kMatch:
      emit(o.mode == Mode::kAll ? "MATCH.ALL"_op : "MATCH.ANY"_op, {result()},
           {in(o.mode == Mode::kAll ? 2 : 1)})
          .ordered = true;
      return true;
    case Opcode::kRedux: {
      const Value u = temporary(1, File::kUniform);
      emit("REDUX.SUM", {u}, {vector(at(1))}).ordered = true;
      emit("IMAD.U32", {result()}, {Field(), Field(), u});
      return true;
    }
    default:
      return false;
  }
}

}  // namespace heddle::ptx::lower
