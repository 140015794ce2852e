// What few programs use: reductions at barriers, cache policies, questions about addresses, the stack, jumps
// through tables, fields of tensor maps. As ptxas 13.0 does it for sm_90a.
#include "frontends/ptx/lower/select.h"

namespace heddle::ptx::lower {

bool Select::other() {
  const Op& o = op();
  switch (o.opcode) {
    case Opcode::kBarRed:
    case Opcode::kBarrierRed:
      barrier_reduction();
      return true;
    case Opcode::kBrxIdx: {
      const Value byte = made("SHF.L.U32", {in(0), 0x2, Field()}), to = temporary(2);
      emit("LDC", {low(to)}, {constant(2, 0x0), byte});
      emit("SHF.R.S32.HI", {high(to)}, {Field(), 0x1f, low(to)});
      emit("BRX", {}, {to, immediate(0)}).ordered = true;
      return true;
    }
    case Opcode::kCreatepolicyFractional:
    case Opcode::kCreatepolicyRange:
    case Opcode::kCreatepolicyCvt:
      cache_policy();
      return true;
    case Opcode::kCvtPack:
      emit(
          "I2IP"_op + whole_number(info(o.types[0]).kind == TypeKind::kSigned, bits(o.types[0])) + ".S32.SAT",
          {result()}, {in(1), in(2), in(3)});
      return true;
    case Opcode::kIsspacep:
      address_space();
      return true;
    case Opcode::kMbarrierPendingCount: {
      const Value field = made("SHF.R.U32.HI", {Field(), 0xb, in(1, true)});
      const Value count = made("LOP3.LUT", {field, 0xfffff, Field(), 0x40, kNotPT});
      emit("IADD3", {result()}, {count, 0x100000, Field()});
      return true;
    }
    case Opcode::kStacksave:
      emit("IMAD.MOV.U32", {low(result())}, {Field(), Field(), stack_pointer()});
      return true;
    case Opcode::kStackrestore:
      emit("MOV", {stack_pointer()}, {in(0).kind == Field::Kind::kValue ? Field(low(in(0).value)) : in(0)})
          .ordered = true;
      return true;
    case Opcode::kAlloca: {
      const Field size = in(1);
      const Value down =
          made("IMAD.IADD",
               {stack_pointer(), 0x1, size.kind == Field::Kind::kValue ? Field(low(size.value)) : size});
      emit("LOP3.LUT", {stack_pointer()}, {down, 0xfffffff0, Field(), 0xc0, kNotPT}).ordered = true;
      emit("MOV", {low(result())}, {stack_pointer()});
      return true;
    }
    case Opcode::kPmevent:
      emit("PMTRIG", {}, {0x80}).ordered = true;
      return true;
    case Opcode::kTensormapReplace:
      replace_field();
      return true;
    case Opcode::kTensormapCpFenceproxy: {
      // Each lane copies a word.
      const Value lane = temporary(), word = temporary(), place = temporary(2), carry = predicate();
      emit("S2R", {lane}, {special_register(SpecialRegister::kLaneid)});
      const Value byte = made("SHF.L.U32", {lane, 0x2, Field()});
      const Address to = address(at(0));
      const Address from = address(at(1));
      emit("IADD3", {low(place), carry}, {byte, to.base.there() ? Field(low(to.base)) : Field(), Field()});
      emit("IADD3.X", {high(place)},
           {Field(), to.base.count == 2 ? Field(high(to.base)) : Field(), Field(), carry});
      Machine& load = emit("LDS", {word}, {});
      load.address = from;
      load.loads = load.ordered = true;
      Machine& m = emit("ATOMG.E.EXCH.STRONG.GPU", {kPT, Field()}, {word});
      m.address = Address{place, to.offset, true, 4};
      m.stores = m.ordered = true;
      return true;
    }
    default:
      return false;
  }
}

// U8, S16, ...
sass::Mod Select::whole_number(bool sign, uint32_t bits) {
  switch (bits) {
    case 2:
      return sign ? Mod::kS2 : Mod::kU2;
    case 4:
      return sign ? Mod::kS4 : Mod::kU4;
    case 8:
      return sign ? Mod::kS8 : Mod::kU8;
    default:
      return sign ? Mod::kS16 : Mod::kU16;
  }
}

void Select::barrier_reduction() {
  const Op& o = op();
  const bool counts = o.combine == Combine::kPopc;
  const Mod how = counts ? Mod::kPOPC : o.combine == Combine::kAnd ? Mod::kAND : Mod::kOR;
  // The result, the barrier, threads if there are any, the condition.
  const size_t last = uses_.operands(now_).size() - 1;
  std::vector<Field> s{in(1).kind == Field::Kind::kZero ? Field(immediate(0)) : in(1)};
  if (last > 2 && at(2).kind != OperandKind::kNone) {
    s.push_back(in(2));
  }
  s.push_back(in(last));
  emit("BAR.RED"_op + how + ".DEFER_BLOCKING", {}, s).ordered = true;
  Machine& m = counts ? emit("B2R.RESULT", {result()}, {}) : emit("B2R.RESULT", {Field(), result()}, {});
  m.ordered = true;
}

void Select::cache_policy() {
  const Op& o = op();
  const Value to = result(), u = temporary(2, File::kUniform);
  const auto word = [&](const sass::Opcode& opcode, Value d, std::vector<Field> s) {
    emit(opcode, {d}, std::move(s));
  };
  Value part_of = temporary(1, File::kUniform);
  if (o.opcode == Opcode::kCreatepolicyCvt) {
    into_uniform(u, at(1));
  } else if (o.opcode == Opcode::kCreatepolicyFractional) {
    const Field fraction = in(1);
    if (fraction.kind == Field::Kind::kValue) {
      const Value scaled = made("FMUL", {fraction, number(15.99F)});
      const Value whole = made("F2I.U32.TRUNC.NTZ", {scaled});
      word("R2UR", part_of, {whole});
      word("USHF.L.U32", part_of, {part_of, 0x4, Field()});
      word("ULOP3.LUT", part_of, {part_of, 0xf0, Field(), 0xe2, kNotUPT});
    } else {
      word("UMOV", part_of, {0xf0});
    }
    word("USHF.R.U32", part_of, {part_of, 0x4, Field()});
    word("UMOV", high(u), {0x140});
    word("ULOP3.LUT", high(u), {high(u), 0xf, part_of, 0xf8, kNotUPT});
    word("USHF.L.U32", high(u), {high(u), 0x14, Field()});
    word("UMOV", low(u), {Field()});
  } else {
    cache_policy_of_range(u, part_of);
  }
  if (out_.registers[to.reg].file == File::kVector) {
    emit("IMAD.U32", {low(to)}, {Field(), Field(), low(u)});
    emit("IMAD.U32", {high(to)}, {Field(), Field(), high(u)});
  }
}

// Of a range: in units of a power of two, of which there are at most 127.
void Select::cache_policy_of_range(Value u, Value shift) {
  const auto word = [&](const sass::Opcode& opcode, Value d, std::vector<Field> s) {
    emit(opcode, {d}, std::move(s));
  };
  const Value base = temporary(2, File::kUniform), end = temporary(2, File::kUniform),
              below = temporary(1, File::kPredicate), size = temporary(1, File::kUniform);
  into_uniform(base, at(1));
  const Value rounded = made("F2I.U32.CEIL.NTZ", {0xc});
  const Value least = made("MOV", {0x7});
  word("R2UR", shift, {made("VIADDMNMX", {rounded, least, 0xc, kNotPT})});
  word("UMOV", size, {0x1});
  word("USHF.L.U32", size, {size, shift, Field()});
  word("UIADD3", size, {size, 0x3ff, Field()});
  word("UIADD3", low(end), {size, low(base), Field()});
  word("UIADD3.X", high(end), {Field(), high(base), Field()});
  for (const Value& v : {base, end}) {
    word("USHF.R.U64", low(v), {low(v), shift, high(v)});
    word("USHF.R.U32.HI", high(v), {Field(), shift, high(v)});
  }
  word("UIADD3", low(end), {low(base), low(end), Field()});
  word("UIADD3.X", high(end), {high(base), high(end), Field()});
  emit("ISETP.LT.U32.AND", {below, kPT}, {low(end), 0x7f, kPT});
  word("USEL", low(end), {low(end), 0x7f, below});
  word("UMOV", high(u), {0x1d0});
  word("UIADD3", shift, {shift, -0xc, Field()});
  static constexpr int64_t kShifts[] = {0x8, 0x7, 0x5};
  const Value fields[] = {shift, low(base), low(end)};
  for (size_t k = 0; k < std::size(fields); ++k) {
    word("ULOP3.LUT", high(u), {high(u), k == 0 ? 0xf : 0x7f, fields[k], 0xf8, kNotUPT});
    word("USHF.L.U32", high(u), {high(u), kShifts[k], Field()});
  }
  word("UMOV", low(u), {Field()});
}

// Shared and local memory are asked for by an instruction, the others by the ends of windows.
void Select::address_space() {
  const Op& o = op();
  const Value to = result();
  const Field from = in(1);
  const Value v = from.kind == Field::Kind::kValue ? from.value : Value{};
  Value asked;
  const bool by_query =
      o.space == Space::kShared || o.space == Space::kSharedCluster || o.space == Space::kLocal;
  if (by_query || o.space == Space::kGlobal) {
    const sass::Opcode which = o.space == Space::kLocal           ? "QSPC.E.L"_op
                               : o.space == Space::kSharedCluster ? "QSPC.E.D"_op
                               : o.space == Space::kGlobal        ? "QSPC.E.G"_op
                                                                  : "QSPC.E.S"_op;
    asked = by_query ? to : predicate();
    emit(which, {asked, Field()}, {v});
    if (by_query) {
      return;
    }
  }
  const Value begin = temporary(2, File::kUniform), below = predicate(), above = predicate();
  emit("ULDC.64", {begin}, {constant(0, 0x18)});
  const Field words_of[] = {v.there() ? Field(low(v)) : Field(), v.there() ? Field(high(v)) : Field()};
  for (const Value& p : {below, above}) {
    const Value lower = predicate();
    emit("ISETP.GE.U32.AND", {lower, kPT}, {words_of[0], low(begin), kPT});
    emit("ISETP.GE.U32.AND.EX", {p, kPT}, {words_of[1], high(begin), kPT, lower});
  }
  emit("PLOP3.LUT", {to, kPT}, {below, above, asked.there() ? Field(asked) : Field(kPT), 0x20, immediate(0)});
}

// A field of a tensor map: its word is stored; of small ones it is changed.
void Select::replace_field() {
  const Op& o = op();
  const size_t last = uses_.operands(now_).back().kind == OperandKind::kNone
                          ? uses_.operands(now_).size() - 2
                          : uses_.operands(now_).size() - 1;
  const Address where = address(at(0));
  const bool shared = o.space == Space::kShared;
  const bool small =
      o.mode != Mode::kGlobalAddress && o.mode != Mode::kGlobalDim && o.mode != Mode::kGlobalStride;
  Value v = vector(at(last));
  if (o.mode == Mode::kGlobalDim && v.there()) {
    v = made("IADD3", {v, -1, Field()});
  }
  if (small) {
    const Value old = temporary();
    Machine& load = emit(shared ? "LDS"_op : "LDG.E"_op, {old}, {});
    load.address = where;
    load.loads = load.ordered = true;
    const Value shifted = made("SHF.L.U32", {v, 0x4, Field()});
    v = made("LOP3.LUT", {old, 0x70, shifted, 0xb8, kNotPT});
  }
  Machine& m = emit((shared ? "STS"_op : "STG.E"_op) + (v.count == 2 ? ".64"_mod : ""_mod), {}, {v});
  m.address = where;
  m.stores = m.ordered = true;
}

}  // namespace heddle::ptx::lower
