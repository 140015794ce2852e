// Moves, special registers, what lanes tell each other.
#include <fmt/format.h>

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
      emit("PRMT", {to}, {field(parts[0]), "0x5410", parts.size() > 1 ? field(parts[1]) : Field()});
    } else {
      for (uint32_t k = 0; k < to.count; ++k) {
        emit("IMAD.MOV.U32", {part(to, k)},
             {Field(), Field(), field(parts[std::min<size_t>(k, parts.size() - 1)])});
      }
    }
    return;
  }
  if (f_.register_types[at(0).id] == Type::kPred) {
    emit("PLOP3.LUT", {to, "PT"}, {in(1), "PT", "PT", "0x80", "0x0"});
    return;
  }
  const bool zero = in(1).kind == Field::Kind::kZero && !uniform_result();
  if (zero && to.count == 2) {
    emit("CS2R", {to}, {"SRZ"});
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
  const char axis = "XYZW"[s.element];
  std::string what;
  switch (s.kind) {
    case SpecialKind::kTid:
      what = fmt::format("SR_TID.{}", axis);
      break;
    case SpecialKind::kCtaid:
      if (out_.registers[to.reg].file == File::kUniform) {
        emit("S2UR", {to}, {fmt::format("SR_CTAID.{}", axis).c_str()});
        return;
      }
      what = fmt::format("SR_CTAID.{}", axis);
      break;
    case SpecialKind::kNtid:
    case SpecialKind::kNctaid: {
      const int at = (s.kind == SpecialKind::kNtid ? 0 : 12) + 4 * s.element;
      emit(out_.registers[to.reg].file == File::kUniform ? "ULDC" : "LDC", {to},
           {fmt::format("c[0x0][{:#x}]", at).c_str()});
      return;
    }
    case SpecialKind::kClock:
    case SpecialKind::kClock64:
      emit("CS2R", {to}, {"SR_CLOCKLO"}).ordered = true;
      return;
    case SpecialKind::kLaneid:
      what = "SR_LANEID";
      break;
    case SpecialKind::kWarpid:
      what = "SR_VIRTID";
      break;
    case SpecialKind::kLanemaskEq:
    case SpecialKind::kLanemaskLe:
    case SpecialKind::kLanemaskLt:
    case SpecialKind::kLanemaskGe:
    case SpecialKind::kLanemaskGt:
      what = "SR_LTMASK";
      break;
    default:
      what = "SR_VIRTUALSMID";
  }
  emit("S2R", {Value{to.reg, to.part, 1}}, {what.c_str()});
}

bool Select::lanes() {
  const Op& o = op();
  switch (o.opcode) {
    case Opcode::kShfl: {
      const char* const how = o.mode == Mode::kUp     ? "SHFL.UP"
                              : o.mode == Mode::kDown ? "SHFL.DOWN"
                              : o.mode == Mode::kBfly ? "SHFL.BFLY"
                                                      : "SHFL.IDX";
      const Operand& p = at(1);
      const bool wanted = p.kind == OperandKind::kRegister && uses_.reads(p.id) != 0;
      const Field c = in(4);
      emit(how, {wanted ? Field(value(p.id)) : Field("PT"), result()},
           {vector(at(2)), in(3), c.kind == Field::Kind::kZero ? Field("0x0") : c})
          .ordered = true;
      return true;
    }
    case Opcode::kVote: {
      if (o.mode == Mode::kBallot) {
        emit("VOTE.ANY", {result(), "PT"}, {in(1)}).ordered = true;
      } else {
        emit(o.mode == Mode::kAll   ? "VOTE.ALL"
             : o.mode == Mode::kAny ? "VOTE.ANY"
                                    : "VOTE.EQ",
             {result()}, {in(1)})
            .ordered = true;
      }
      return true;
    }
    case Opcode::kActivemask:
      emit("VOTE.ANY", {result(), "PT"}, {"PT"}).ordered = true;
      return true;
    case Opcode::kMatch:
      emit(o.mode == Mode::kAll ? "MATCH.ALL" : "MATCH.ANY", {result()}, {in(o.mode == Mode::kAll ? 2 : 1)})
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
