#include <cstddef>

#include "frontends/ptx/resolver.h"
#include "frontends/ptx/words.h"
#include "sim/base/text.h"

namespace heddle::ptx {
namespace {

std::string dotted(Type type) { return "." + std::string(info(type).name); }

bool writes(const OperandSpec& spec) {
  return spec.role == OperandRole::kDestination || spec.role == OperandRole::kDestinationOrSink;
}

// Which element of a vector register: x y z w, r g b a.
std::optional<uint32_t> element_named(std::string_view word) {
  constexpr std::string_view kFirst = "xyzw";
  constexpr std::string_view kSecond = "rgba";
  if (word.size() != 1) {
    return std::nullopt;
  }
  const size_t at =
      kFirst.find(word[0]) != std::string_view::npos ? kFirst.find(word[0]) : kSecond.find(word[0]);
  return at == std::string_view::npos ? std::nullopt : std::optional(static_cast<uint32_t>(at));
}

// b0, h1, b3210 of a video instruction, as Operand::value: the halves' bit, the number, the indices.
std::optional<int64_t> selection_named(std::string_view word) {
  const bool halves = word.starts_with('h');
  if (word.size() < 2 || word.size() > 5 || (!halves && !word.starts_with('b'))) {
    return std::nullopt;
  }
  int64_t out = (halves ? 1 : 0) | static_cast<int64_t>(word.size() - 1) << 4;
  for (size_t i = 1; i < word.size(); ++i) {
    if (word[i] < '0' || word[i] > '7') {
      return std::nullopt;
    }
    out |= static_cast<int64_t>(word[i] - '0') << (4 + 4 * i);
  }
  return out;
}

// Whether an instruction on `space` may name a variable of `variable`.
bool reaches(Space space, Space variable) {
  switch (space) {
    case Space::kNone:
      return true;
    case Space::kSharedCluster:
      return variable == Space::kShared;
    case Space::kParamEntry:
    case Space::kParamFunc:
      return variable == Space::kParam;
    default:
      return space == variable;
  }
}

}  // namespace

Selection selection(const Operand& operand) {
  Selection s{(operand.value & 1) != 0, static_cast<uint8_t>(operand.value >> 4 & 15), {}};
  for (int i = 0; i < 4; ++i) {
    s.index[i] = static_cast<uint8_t>(operand.value >> (8 + 4 * i) & 15);
  }
  return s;
}

// "%r5" of `%r<10>`, "%v.x", "%r1.b0", or a name of its own.
std::optional<Resolver::Register> Resolver::find_register(std::string_view name) {
  const size_t dot = name.find('.');
  const std::string_view base = name.substr(0, dot);
  const Named* found = nullptr;
  uint64_t index = 0;
  const bool digit = base.back() >= '0' && base.back() <= '9';
  if (digit) {
    size_t start = base.size();
    while (start > 1 && base[start - 1] >= '0' && base[start - 1] <= '9' && base.size() - start < 10) {
      --start;
    }
    for (; start < base.size() && found == nullptr; ++start) {
      if (base[start] == '0' && start + 1 < base.size()) {
        continue;  // %r05 is not %r5
      }
      const Named* range = names_.find(base.substr(0, start), true);
      const auto n = parse_number<uint64_t>(base.substr(start));
      if (range != nullptr && n && *n * f_->ranges[range->id].vector < f_->ranges[range->id].count) {
        found = range;
        index = *n;
      }
    }
  }
  if (!digit || plain_registers_ != 0 || found == nullptr) {
    const Named* plain = names_.find(base);
    if (plain != nullptr && NameTable::inner(found, plain) == plain) {
      found = plain;
      index = 0;
    }
  }
  if (found == nullptr || (found->meaning != Meaning::kRegister && found->meaning != Meaning::kRegisters)) {
    return std::nullopt;
  }
  const RegisterRange& range = f_->ranges[found->id];
  Register r;
  r.type = range.type;
  r.vector = range.vector;
  r.number = static_cast<uint32_t>(range.first + index * range.vector);
  if (dot != std::string_view::npos) {
    const std::string_view suffix = name.substr(dot + 1);
    const auto element = element_named(suffix);
    const auto selected = selection_named(suffix);
    if (r.vector > 1 && element && *element < r.vector) {
      r.number += *element;
      r.vector = 1;
      r.element = true;
    } else if (r.vector == 1 && selected) {
      r.selected = true;
      r.selection = *selected;
    } else {
      return std::nullopt;
    }
  }
  return r;
}

bool Resolver::place(const ast::Item& item, const OperandSpec& spec, const Op& op, const ast::Operand& a,
                     Operand& out) {
  switch (spec.role) {
    case OperandRole::kAddress:
      return address(op, a, out);
    case OperandRole::kLabel:
      return label(a, out);
    case OperandRole::kBranchTargets: {
      const Named* found = a.kind == ast::OperandKind::kName ? names_.find(a.name) : nullptr;
      if (found == nullptr || found->meaning != Meaning::kBranchTargets) {
        return wrong(
            a.at, quoted(a.name) + " lists no branch targets (legal: the name of a .branchtargets before)");
      }
      out.kind = OperandKind::kList;
      out.id = found->id;
      return true;
    }
    default:
      break;
  }
  const uint32_t n = elements_of(spec, op);
  if (n == 1 && a.kind != ast::OperandKind::kVector) {
    return one(spec, op, type_of(spec, op), a, out);
  }
  return many(item, spec, op, a, out);
}

// A list in braces, a vector register, or for extent * also a single one.
bool Resolver::many(const ast::Item& item, const OperandSpec& spec, const Op& op, const ast::Operand& a,
                    Operand& out) {
  const uint32_t n = elements_of(spec, op);
  const Type want = type_of(spec, op);
  const auto wrong_list = [&](uint32_t has) {
    return wrong(a.at, "a list of " + std::to_string(has) + " (legal: " + std::to_string(n) + " for " +
                           quoted(op.text) + ")");
  };
  if (a.kind != ast::OperandKind::kVector) {
    const auto r = a.kind == ast::OperandKind::kName ? find_register(a.name) : std::nullopt;
    if (!r && n == 4 && spec.role == OperandRole::kMovSource && whole_special(a, out)) {
      return true;
    }
    if (!r || r->vector == 1) {
      return n == 0 ? one(spec, op, want, a, out) : wrong_list(1);
    }
    if (n != 0 && r->vector != n) {
      return wrong_list(r->vector);
    }
    out = {OperandKind::kVector,
           Base::kAbsolute,
           false,
           false,
           static_cast<uint32_t>(f_->operands.size()),
           r->vector};
    for (uint32_t i = 0; i < r->vector; ++i) {
      f_->operands.push_back({OperandKind::kRegister, Base::kAbsolute, false, false, r->number + i, 0});
    }
    return true;
  }
  const uint32_t has = a.children.count;
  if ((n != 0 && has != n) || has == 0) {
    return wrong_list(has);
  }
  // mov.b64 {lo, hi}, d: the parts are as wide as the whole together. Coordinates may be of two kinds.
  Type part = want;
  if (op.opcode == Opcode::kMov && op.vector == 1) {
    const uint32_t width = bits(want) / has;
    part = width == 8 ? Type::kB8 : width == 16 ? Type::kB16 : width == 32 ? Type::kB32 : Type::kB64;
    if (has == 1 || width * has != bits(want) || width < 8) {
      return wrong(a.at, "a list of " + std::to_string(has) + " as " + dotted(want) +
                             " (legal: 2 or 4 of equal size)");
    }
  } else if (n == 0 && want != Type::kNone) {
    part = bits(want) == 16 ? Type::kB16 : bits(want) == 64 ? Type::kB64 : Type::kB32;
  }
  std::vector<Operand> elements;
  OperandSpec each = spec;
  each.role = writes(spec) ? OperandRole::kDestinationOrSink : spec.role;
  for (uint32_t i = 0; i < has; ++i) {
    Operand o;
    if (!one(each, op, part, item.operands[a.children.first + i], o)) {
      return false;
    }
    elements.push_back(o);
  }
  if (n == 1) {
    out = elements.front();
    return true;
  }
  out = {
      OperandKind::kVector, Base::kAbsolute, false, false, static_cast<uint32_t>(f_->operands.size()), has};
  f_->operands.insert(f_->operands.end(), elements.begin(), elements.end());
  return true;
}

bool Resolver::one(const OperandSpec& spec, const Op& op, Type want, const ast::Operand& a, Operand& out) {
  switch (a.kind) {
    case ast::OperandKind::kName:
      return name(spec, op, want, a, out);
    case ast::OperandKind::kNumber:
      if (writes(spec) || spec.role == OperandRole::kRegister) {
        return wrong(a.at,
                     "a number where a register is needed (legal: a register of type " + dotted(want) + ")");
      }
      return number(want, a, out);
    case ast::OperandKind::kSink:
      if (spec.role != OperandRole::kDestinationOrSink) {
        return wrong(a.at, "'_' is not legal here (legal: a register" +
                               (want == Type::kNone ? "" : " of type " + dotted(want)) + ")");
      }
      out.kind = OperandKind::kSink;
      return true;
    case ast::OperandKind::kAddress:
      if (spec.role == OperandRole::kObject && a.value.bits == 0) {
        return name(spec, op, want, a, out);
      }
      return wrong(a.at, "an address in brackets where a value is needed (legal: a register or number)");
    default:
      return wrong(a.at, "a list where one operand is needed (legal: a register or number)");
  }
}

bool Resolver::number(Type want, const ast::Operand& a, Operand& out) {
  const TypeKind kind = info(want).kind;
  const bool to_float = kind == TypeKind::kFloat;
  if (a.value.is_float() &&
      (kind == TypeKind::kUnsigned || kind == TypeKind::kSigned || kind == TypeKind::kPredicate)) {
    return wrong(a.at, "a floating-point number where " + dotted(want) + " is needed (legal: an integer)");
  }
  if (!a.value.is_float() && to_float) {
    return wrong(
        a.at, "an integer where " + dotted(want) + " is needed (legal: a floating-point number such as 1.0)");
  }
  out.kind = OperandKind::kImmediate;
  out.value = static_cast<int64_t>(bits_as(a.value, want));
  return true;
}

bool Resolver::reg(const OperandSpec& spec, Type want, const ast::Operand& a,
                   const std::optional<Register>& r, Operand& out) {
  if (!r) {
    return wrong(a.at, unknown(a.name));
  }
  if (r->vector > 1) {
    return wrong(a.at, quoted(a.name) + " is a vector of " + std::to_string(r->vector) +
                           " (legal: one element, as " + std::string(a.name) + ".x)");
  }
  if (want != Type::kNone && !r->selected && !fits(r->type, want, spec.wider)) {
    return wrong(a.at, quoted(a.name) + " is of type " + dotted(r->type) + " (legal: a register that holds " +
                           dotted(want) + (spec.wider ? ", or a wider one)" : ")"));
  }
  if (a.value.bits != 0) {
    return wrong(a.at,
                 "a number added to " + quoted(a.name) + " (legal: in an address, or by an add before)");
  }
  if (a.negated && r->type != Type::kPred) {
    return wrong(a.at, "'!' before " + quoted(a.name) + " of type " + dotted(r->type) +
                           " (legal: before a .pred register)");
  }
  out = {OperandKind::kRegister, Base::kAbsolute, a.negated || a.minus, r->selected, r->number, r->selection};
  return true;
}

bool Resolver::special(Type want, const ast::Operand& a, Operand& out) {
  const auto s = special_named(a.name);
  if (!s) {
    return wrong(a.at, unknown(a.name));
  }
  const SpecialInfo& i = info(s->kind);
  if (i.version > module_.target.version || i.sm > module_.target.sm) {
    return wrong(a.at, quoted(a.name) + " is not in this module's language (legal: from .version " +
                           std::to_string(i.version / 10) + "." + std::to_string(i.version % 10) + ", sm_" +
                           std::to_string(i.sm) + ")");
  }
  if (s->whole) {
    return wrong(a.at,
                 quoted(a.name) + " is a vector (legal: one element, as " + std::string(a.name) + ".x)");
  }
  const bool floating = info(want).kind == TypeKind::kFloat || info(want).kind == TypeKind::kPacked;
  if (floating || (want == Type::kPred) != (i.type == Type::kPred) ||
      (bits(want) == 32 && bits(i.type) == 64 && s->kind != SpecialKind::kGridid)) {  // 32 bits in PTX 1.x
    return wrong(a.at, quoted(a.name) + " is of type " + dotted(i.type) + " (legal: where " + dotted(want) +
                           " is needed, " + "a register that holds it)");
  }
  out.kind = OperandKind::kSpecial;
  out.id = s->packed();
  return true;
}

// %tid: its four elements.
bool Resolver::whole_special(const ast::Operand& a, Operand& out) {
  auto s = a.kind == ast::OperandKind::kName ? special_named(a.name) : std::nullopt;
  if (!s || !s->whole || info(s->kind).version > module_.target.version ||
      info(s->kind).sm > module_.target.sm) {
    return false;
  }
  out = {OperandKind::kVector, Base::kAbsolute, false, false, static_cast<uint32_t>(f_->operands.size()), 4};
  s->whole = false;
  for (s->element = 0; s->element < 4; ++s->element) {
    f_->operands.push_back({OperandKind::kSpecial, Base::kAbsolute, false, false, s->packed(), 0});
  }
  return true;
}

bool Resolver::name(const OperandSpec& spec, const Op& op, Type want, const ast::Operand& a, Operand& out) {
  if (spec.role == OperandRole::kNumber) {
    return wrong(a.at, quoted(a.name) + " where a number is needed (legal: a constant)");
  }
  const auto r = find_register(a.name);
  if (r || spec.role == OperandRole::kDestination || spec.role == OperandRole::kDestinationOrSink ||
      spec.role == OperandRole::kRegister) {
    return reg(spec, want, a, r, out);
  }
  const Named* found = names_.find(a.name);
  if (found == nullptr) {
    return special(want, a, out);
  }
  const bool symbols = spec.role == OperandRole::kMovSource;
  if (found->meaning == Meaning::kVariable && (symbols || spec.role == OperandRole::kObject)) {
    const uint32_t width = bits(want);
    if (op.opcode == Opcode::kMov && width != 32 && width != 64) {
      return wrong(a.at,
                   "the address of " + quoted(a.name) + " as " + dotted(want) + " (legal: 32 or 64 bits)");
    }
    out = {
        OperandKind::kVariable, Base::kAbsolute, false, false, found->id, static_cast<int64_t>(a.value.bits)};
    return true;
  }
  if (found->meaning == Meaning::kFunction && symbols) {
    out = {OperandKind::kFunction, Base::kAbsolute, false, false, found->id, 0};
    return true;
  }
  if (found->meaning == Meaning::kLabel && symbols) {
    return label(a, out);
  }
  return wrong(a.at, quoted(a.name) + " is no register (legal: a register or number)");
}

bool Resolver::address(const Op& op, const ast::Operand& a, Operand& out) {
  if (a.kind != ast::OperandKind::kAddress) {
    return wrong(a.at,
                 "an address in brackets is needed (legal: [register], [register + number], [variable])");
  }
  out.kind = OperandKind::kAddress;
  out.value = static_cast<int64_t>(a.value.bits);
  if (a.name.empty()) {
    return true;
  }
  if (const auto r = find_register(a.name)) {
    const TypeKind kind = info(r->type).kind;
    if ((kind != TypeKind::kBits && kind != TypeKind::kUnsigned && kind != TypeKind::kSigned) ||
        bits(r->type) < 32 || r->vector > 1) {
      return wrong(a.at + 1, quoted(a.name) + " of type " + dotted(r->type) +
                                 " as an address (legal: an integer register of 32 or 64 bits)");
    }
    out.base = Base::kRegister;
    out.id = r->number;
    return true;
  }
  const Named* found = names_.find(a.name);
  if (found == nullptr) {
    return wrong(a.at + 1, unknown(a.name));
  }
  if (found->meaning != Meaning::kVariable) {
    return wrong(a.at + 1, quoted(a.name) + " has no address here (legal: a register or variable)");
  }
  const Space space = module_.variables[found->id].space;
  if (op.source_space == Space::kNone && !reaches(op.space, space)) {
    return wrong(a.at + 1, quoted(a.name) + " is a ." + std::string(ptx::name(space)) +
                               " variable (legal: for " + quoted(op.text) + " one of ." +
                               std::string(ptx::name(op.space)) + ")");
  }
  out.base = Base::kVariable;
  out.id = found->id;
  return true;
}

bool Resolver::label(const ast::Operand& a, Operand& out) {
  const Named* found = a.kind == ast::OperandKind::kName ? names_.find(a.name) : nullptr;
  if (found == nullptr || found->meaning != Meaning::kLabel) {
    return wrong(a.at, quoted(a.name) + " is no label (legal: a label of this scope or around it)");
  }
  out.kind = OperandKind::kLabel;
  out.id = found->id;
  out.value = f_->labels[found->id].instr;
  return true;
}

}  // namespace heddle::ptx
