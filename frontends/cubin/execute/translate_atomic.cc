// Atomics, and which space a generic address is in.
#include <algorithm>
#include <optional>

#include "frontends/cubin/execute/translator.h"
#include "sim/exec/arith/compare.h"
#include "sim/exec/atomics.h"
#include "sim/exec/layout.h"

namespace heddle::cubin {
namespace {

using exec::AtomicKind;
using exec::AtomicType;
using exec::kNoSlot;
using exec::MemoryOp;
using exec::Space;
using exec::arith::WordOp;

std::optional<AtomicKind> kind_of(Modifiers& mods) {
  constexpr std::pair<Mod, AtomicKind> kNames[] = {
      {Mod::kADD, AtomicKind::kAdd}, {Mod::kMIN, AtomicKind::kMin}, {Mod::kMAX, AtomicKind::kMax},
      {Mod::kINC, AtomicKind::kInc}, {Mod::kDEC, AtomicKind::kDec}, {Mod::kAND, AtomicKind::kAnd},
      {Mod::kOR, AtomicKind::kOr},   {Mod::kXOR, AtomicKind::kXor}, {Mod::kEXCH, AtomicKind::kExch},
      {Mod::kCAS, AtomicKind::kCas}, {Mod::kCAST, AtomicKind::kCas}};
  for (const auto& [name, kind] : kNames) {
    if (mods.take(name)) {
      return kind;
    }
  }
  return std::nullopt;
}

struct AtomicSize {
  AtomicType type;
  uint8_t words, elements;  // registers of an element
};
AtomicSize type_of(Modifiers& mods) {
  constexpr std::pair<Mod, AtomicSize> kNames[] = {
      {Mod::kF16x2, {AtomicType::kF16x2, 1, 1}},   {Mod::kF16x4, {AtomicType::kF16x2, 1, 2}},
      {Mod::kF16x8, {AtomicType::kF16x2, 1, 4}},   {Mod::kBF16x2, {AtomicType::kBf16x2, 1, 1}},
      {Mod::kBF16x4, {AtomicType::kBf16x2, 1, 2}}, {Mod::kBF16x8, {AtomicType::kBf16x2, 1, 4}},
      {Mod::kF32x2, {AtomicType::kF32, 1, 2}},     {Mod::kF32x4, {AtomicType::kF32, 1, 4}},
      {Mod::kF32, {AtomicType::kF32, 1, 1}},       {Mod::kF64, {AtomicType::kF64, 2, 1}},
      {Mod::kS32, {AtomicType::kS32, 1, 1}},       {Mod::kS64, {AtomicType::kS64, 2, 1}},
      {Mod::k64, {AtomicType::kU64, 2, 1}},        {Mod::k128, {AtomicType::kB128, 4, 1}}};
  for (const auto& [name, type] : kNames) {
    if (mods.take(name)) {
      return type;
    }
  }
  return {AtomicType::kU32, 1, 1};
}

}  // namespace

// All 64 bits of it, in one register.
Slot Translator::generic_address(const Operand& o) {
  const auto word = [&](uint32_t index, uint32_t zero, bool uniform, uint32_t i) {
    return index == kNoIndex || index == zero ? constant(0) : uniform ? ureg(index, i) : reg(index, i);
  };
  const Slot out = temporary(), base = temporary();
  const Slot high = o.base_narrow ? constant(0) : word(o.base, kZeroRegister, false, 1);
  compute(WordOp::kAddress, base, kNoSlot, {word(o.base, kZeroRegister, false, 0), high, constant(0)},
          static_cast<uint64_t>(o.offset), Role::kBefore);
  compute(WordOp::kAddress, out, kNoSlot,
          {word(o.ubase, kZeroUniform, true, 0), word(o.ubase, kZeroUniform, true, 1), base}, 0,
          Role::kBefore);
  return out;
}

// Whether it is one of that space's, as PTX's isspacep says: kShared is the block's own, kSharedCluster that
// of all blocks of its cluster. Parameters are in global memory.
Slot Translator::in_space(Slot address, Space space) {
  const auto inside = [&](Slot first, uint64_t bytes) {
    const Slot d = temporary();
    compute(WordOp::kInside, d, kNoSlot, {address, first, constant(bytes)}, 0, Role::kBefore);
    return d;
  };
  switch (space) {
    case Space::kShared: {
      const Slot own = temporary();
      compute(WordOp::kAddress, own, kNoSlot,
              {special(exec::Special::kSharedBase), constant(0), constant(exec::kSharedWindow)}, 0,
              Role::kBefore);
      return inside(own, exec::kWindowBytes);
    }
    case Space::kSharedCluster:
      return inside(constant(exec::kSharedWindow), exec::kSharedWindows);
    case Space::kLocal:
      return inside(constant(exec::kLocalWindow), exec::kWindowBytes);
    default:
      return none_of({inside(constant(exec::kConstWindow), exec::kWindowBytes),
                      in_space(address, Space::kLocal), in_space(address, Space::kSharedCluster)});
  }
}

Slot Translator::none_of(std::initializer_list<Slot> predicates) {
  constexpr uint64_t kNone = 0x01;  // of three inputs
  Slot s[3] = {constant(0), constant(0), constant(0)};
  std::copy(predicates.begin(), predicates.end(), s);
  const Slot d = temporary();
  compute(WordOp::kPredicates, d, temporary(), {s[0], s[1], s[2]}, kNone << 16, Role::kBefore);
  return d;
}

// Where ATOM has a predicate, it does not do all itself and says so, and the code behind it does the rest: by
// what ptxas (13.0, sm_90) writes there, never local memory; of the block's own shared memory only what
// swaps, with words of 32 bits all (these have no predicate); of other blocks' all but sums of f32 and f64.
Slot Translator::done_by_atom(const Operand& address, AtomicKind kind, AtomicType type) {
  const Slot at = generic_address(address);
  const bool swaps = kind == AtomicKind::kExch || kind == AtomicKind::kCas;
  const bool alone = type == AtomicType::kF32 || type == AtomicType::kF64;
  const Slot local = in_space(at, Space::kLocal);
  return swaps ? none_of({local})
               : none_of({local, in_space(at, alone ? Space::kSharedCluster : Space::kShared)});
}

// [P, d], address, value, [value]: of compare-and-swap what is compared with comes first.
void Translator::atomic() {
  const bool returns = name_ != Mnemonic::kREDG;
  const Space space = name_ == Mnemonic::kATOMS  ? Space::kSharedCluster
                      : name_ == Mnemonic::kATOM ? Space::kGeneric
                                                 : Space::kGlobal;
  const bool shared = space == Space::kSharedCluster, cast = take(Mod::kCAST), cas = take(Mod::kCAS) || cast;
  auto kind = kind_of(d_.mods);
  AtomicSize type = type_of(d_.mods);
  const bool counts = take(Mod::kPOPC);  // ATOMS.POPC.INC.32 d, [a]: adds one for each lane
  if (counts) {
    kind = AtomicKind::kAdd;
    type = {AtomicType::kU32, 1, 1};
  }
  if (!kind) {
    missing();
    return;
  }
  size_t i = returns && !shared ? 1 : 0;
  const Operand d = returns ? op(i++) : Operand{};
  const Operand address = op(i++);
  MemoryOp m;
  m.kind = MemoryOp::Kind::kAtomic;
  m.space = space;
  m.strong = true;
  m.bytes = static_cast<uint8_t>(4 * type.words);
  m.elements = type.elements;
  m.atomic = exec::atomic_fn(*kind, type.type, true);
  m.atomic_shared = exec::atomic_fn(*kind, type.type, false);
  m.polls = cas || *kind == AtomicKind::kExch;
  if (m.atomic == nullptr || (cast && type.words == 4)) {
    missing();
    return;
  }
  const bool says = space == Space::kGeneric && op(0).is(Kind::kPredicate) && op(0).index != kTruePredicate;
  const Slot done = says ? done_by_atom(address, *kind, type.type) : kNoSlot;
  const Slot guard = says ? guarded_by(done) : kNoSlot;
  // An element is a register of 32 or 64 bits, or two of 64.
  const uint32_t places = type.words == 4 ? 2 : type.elements;
  const auto value = [&](const Operand& o, uint32_t place) {
    return type.words == 1 ? source(o, place) : joined(o, 2 * place);
  };
  for (uint32_t e = 0; e < places; ++e) {
    if (cas) {
      m.compare[e] = value(op(i), e);
    }
    m.operands[e] = counts ? constant(1) : value(op(cas ? i + 1 : i), e);
  }
  const bool wanted = returns && d.is(Kind::kRegister) && d.index != kZeroRegister;
  for (uint32_t e = 0; (wanted || cast) && e < places; ++e) {
    m.values[e] = type.words == 1 && !cast ? destination(d, e) : temporary();
  }
  access(m, address);
  if (says) {
    out_.code.insts.back().guard = guard;
    out_.code.insts.back().guard_negated = false;
  }
  // What comes behind has the instruction's guard; lanes that it was not done for get nothing.
  const size_t behind = out_.code.insts.size();
  if (cast) {
    stored(d, type.words, m.values[0], m.compare[0]);
  } else if (wanted && type.words > 1) {
    for (uint32_t e = 0; e < places; ++e) {
      compute(WordOp::kSplit, destination(d, 2 * e), destination(d, 2 * e + 1), {m.values[e]}, 0,
              Role::kBehind);
    }
  }
  for (size_t k = behind; says && k < out_.code.insts.size(); ++k) {
    out_.code.insts[k].guard = guard;
    out_.code.insts[k].guard_negated = false;
  }
  if (says) {
    compute(WordOp::kCopy, predicate(op(0)), kNoSlot, {done}, 0, Role::kBehind);
  }
}

// Of ATOM.CAST.SPIN and ATOMS.CAST.SPIN the result is 1 where it has stored, else 0.
void Translator::stored(const Operand& d, uint32_t words, Slot old, Slot compared) {
  exec::arith::Comparison c;
  c.type = words == 2 ? exec::arith::Number::kU64 : exec::arith::Number::kU32;
  c.relations = exec::arith::kEqual;
  if (d.is(Kind::kPredicate)) {
    compute(exec::arith::setp_fn(c), predicate(d), {old, compared, constant(1)}, Role::kBehind);
    return;
  }
  const Slot same = temporary();
  compute(exec::arith::setp_fn(c), same, {old, compared, constant(1)}, Role::kBehind);
  compute(WordOp::kCopy, destination(d), words == 2 ? destination(d, 1) : kNoSlot, {same}, 0, Role::kBehind);
}

}  // namespace heddle::cubin
