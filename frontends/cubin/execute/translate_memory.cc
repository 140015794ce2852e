// Loads, stores, atomics.
#include <optional>

#include "frontends/cubin/execute/translator.h"
#include "sim/exec/arith/compare.h"
#include "sim/exec/atomics.h"

namespace heddle::cubin {
namespace {

using exec::AtomicKind;
using exec::AtomicType;
using exec::kNoSlot;
using exec::MemoryOp;
using exec::Space;
using exec::arith::WordOp;

struct Size {
  uint8_t bytes = 4, elements = 1;
  bool sign = false;
};
Size size_of(const Parsed& line) {
  if (line.has("U8") || line.has("S8")) {
    return {1, 1, line.has("S8")};
  }
  if (line.has("U16") || line.has("S16")) {
    return {2, 1, line.has("S16")};
  }
  return {4, static_cast<uint8_t>(line.has("128") ? 4 : line.has("64") ? 2 : 1)};
}

std::optional<AtomicKind> kind_of(const Parsed& line) {
  constexpr std::pair<std::string_view, AtomicKind> kNames[] = {
      {"ADD", AtomicKind::kAdd}, {"MIN", AtomicKind::kMin}, {"MAX", AtomicKind::kMax},
      {"INC", AtomicKind::kInc}, {"DEC", AtomicKind::kDec}, {"AND", AtomicKind::kAnd},
      {"OR", AtomicKind::kOr},   {"XOR", AtomicKind::kXor}, {"EXCH", AtomicKind::kExch},
      {"CAS", AtomicKind::kCas}, {"CAST", AtomicKind::kCas}};
  for (const auto& [name, kind] : kNames) {
    if (line.has(name)) {
      return kind;
    }
  }
  return std::nullopt;
}

struct AtomicSize {
  AtomicType type;
  uint8_t words, elements;
};
std::optional<AtomicSize> type_of(const Parsed& line) {
  constexpr std::pair<std::string_view, AtomicSize> kNames[] = {
      {"F16x2", {AtomicType::kF16x2, 1, 1}}, {"BF16x2", {AtomicType::kBf16x2, 1, 1}},
      {"F32x2", {AtomicType::kF32, 1, 2}},   {"F32x4", {AtomicType::kF32, 1, 4}},
      {"F32", {AtomicType::kF32, 1, 1}},     {"F64", {AtomicType::kF64, 2, 1}},
      {"S32", {AtomicType::kS32, 1, 1}},     {"S64", {AtomicType::kS64, 2, 1}},
      {"64", {AtomicType::kU64, 2, 1}}};
  for (const auto& [name, type] : kNames) {
    if (line.has(name)) {
      return type;
    }
  }
  if (line.has("128") || line.has("F16x4") || line.has("F16x8") || line.has("BF16x4")) {
    return std::nullopt;
  }
  return AtomicSize{AtomicType::kU32, 1, 1};
}

}  // namespace

// [R2.64+UR4+0x10], [R1], [UR4+0x10], [R2.U32+UR4]
void Translator::access(MemoryOp m, const Operand& o) {
  if (!o.is(Kind::kAddress)) {
    missing("such an address");
    return;
  }
  const bool global = m.space == Space::kGlobal || m.space == Space::kGeneric;
  Slot base = kNoSlot;
  if (o.base != kNoIndex && o.base != kZeroRegister) {
    base = reg(o.base);
    m.pair_base = global && !o.base_narrow;
    if (o.base_shift != 0) {
      const Slot scaled = temporary();
      compute(WordOp::kShift, scaled, kNoSlot, {base, constant(o.base_shift), constant(0)}, 0, Role::kBefore);
      base = scaled;
    }
  }
  if (o.ubase != kNoIndex && o.ubase != kZeroUniform) {
    if (global) {  // of 64 bits
      m.addend = temporary();
      compute(WordOp::kJoin, m.addend, kNoSlot, {ureg(o.ubase), ureg(o.ubase, 1)}, 0, Role::kBefore);
    } else {
      m.addend = ureg(o.ubase);
    }
  }
  exec::Inst& in = emit(exec::Kind::kMemory);
  in.s[0] = base;
  in.offset = o.offset;
  in.target = static_cast<uint32_t>(out_.code.memory.size());
  out_.code.memory.push_back(m);
}

bool Translator::memory() {
  const std::string& n = line_.name;
  if (n == "LDG" || n == "LD") {
    load_store(n == "LDG" ? Space::kGlobal : Space::kGeneric, false);
  } else if (n == "STG" || n == "ST") {
    load_store(n == "STG" ? Space::kGlobal : Space::kGeneric, true);
  } else if (n == "LDS" || n == "STS") {
    load_store(Space::kSharedCluster, n == "STS");
  } else if (n == "LDL" || n == "STL") {
    load_store(Space::kLocal, n == "STL");
  } else if (n == "LDC") {
    load_constant();
  } else if (n == "ATOMG" || n == "ATOM") {
    atomic(n == "ATOMG" ? Space::kGlobal : Space::kGeneric, true);
  } else if (n == "REDG" || n == "RED") {
    atomic(Space::kGlobal, false);
  } else if (n == "ATOMS") {
    atomic(Space::kSharedCluster, true);
  } else if (n == "LDSM" || n == "STSM") {
    matrix_tiles(n == "STSM");
  } else if (n == "QSPC") {
    // Whether a generic address is one of shared memory.
    if (!line_.has("S")) {
      missing();
      return true;
    }
    const Operand& o = op(2);
    const Slot here = temporary(), low = temporary(), all = constant(1);
    compute(WordOp::kCompare, here, temporary(), {reg(o.base, 1), constant(exec::kSharedWindow >> 32), all},
            uint64_t{2} << exec::arith::kRelationAt, Role::kBefore);
    compute(WordOp::kAdd3, low, kNoSlot, {reg(o.base), constant(static_cast<uint32_t>(o.offset))}, 0,
            Role::kBefore);
    compute(WordOp::kCompare, predicate(op(0)), temporary(), {low, constant(exec::kSharedWindows), here},
            uint64_t{1} << exec::arith::kRelationAt);
  } else if (n == "CCTL" || n == "MEMBAR" || n == "ERRBAR" || n == "CGAERRBAR") {
    nothing();
  } else {
    return false;
  }
  return true;
}

void Translator::load_store(Space space, bool stores) {
  const Size size = size_of(line_);
  MemoryOp m;
  m.kind = stores ? MemoryOp::Kind::kStore : MemoryOp::Kind::kLoad;
  m.space = space;
  m.bytes = size.bytes;
  m.elements = size.elements;
  m.sign = size.sign;
  m.register_bytes = 4;
  m.strong = line_.has("STRONG") || line_.has("MMIO");
  m.polls = !stores && m.strong;
  const Operand& value = op(stores ? count() - 1 : count() - 2);
  if (!stores && count() > 2) {
    missing("a predicate");
  }
  for (uint32_t i = 0; i < m.elements; ++i) {
    m.values[i] = stores ? source(value, i) : destination(value, i);
  }
  if (stores && value.is_zero()) {
    std::fill_n(m.values, m.elements, constant(0));
  }
  access(m, op(stores ? count() - 2 : count() - 1));
}

void Translator::load_constant() {
  const Operand& o = op(1);
  const Size size = size_of(line_);
  const bool indexed = o.base != kNoIndex || o.ubase != kNoIndex;
  if (line_.has("IL") || line_.has("IS") || line_.has("ISL") || !o.is(Kind::kConstant)) {
    missing("an index of this mode");
    return;
  }
  const bool uniform = uniform_;
  if (indexed && o.bank == 0 && object_.capability >= kBlackwell &&
      o.offset < object_.functions[out_.functions.front()].parameter_offset) {
    if (size.bytes != 4 || size.elements != 1) {
      missing("a size");
    }
    const Slot s = cluster_word(o);
    compute(WordOp::kCopy, destination(op(0)), kNoSlot, {s});
    return;
  }
  if (!indexed && size.bytes == 4 && o.bank != 3 && o.bank != 2) {
    for (uint32_t i = 0; i < size.elements; ++i) {
      const Slot s = constant_word(o, i);
      compute(WordOp::kCopy, destination(op(0), i), kNoSlot, {s}, 0,
              i + 1 == size.elements ? Role::kMain : Role::kBehind);
    }
    return;
  }
  MemoryOp m;
  m.bytes = size.bytes;
  m.elements = size.elements;
  m.sign = size.sign;
  m.register_bytes = 4;
  int64_t at = o.offset;
  const Function& kernel = object_.functions[out_.functions.front()];
  if (o.bank == 0) {
    m.space = Space::kParam;
    at -= kernel.parameter_offset;
  } else if (o.bank >= 2 && o.bank <= 4) {
    m.space = Space::kConst;
    at += o.bank == 4 ? placement_.bank4_at : o.bank == 2 ? bank2_ : 0;
  } else {
    missing("this constant bank");
    return;
  }
  Slot base = kNoSlot;
  if (o.base != kNoIndex && o.base != kZeroRegister) {
    base = reg(o.base);
  } else if (o.ubase != kNoIndex && o.ubase != kZeroUniform) {
    base = ureg(o.ubase);
  }
  Slot loaded[4] = {};
  for (uint32_t i = 0; i < m.elements; ++i) {
    loaded[i] = uniform ? temporary() : destination(op(0), i);
    m.values[i] = loaded[i];
  }
  exec::Inst& in = emit(exec::Kind::kMemory);
  in.s[0] = base;
  in.offset = at;
  in.target = static_cast<uint32_t>(out_.code.memory.size());
  out_.code.memory.push_back(m);
  uniform_ = false;
  for (uint32_t i = 0; uniform && i < m.elements; ++i) {
    compute(WordOp::kBroadcast, destination(op(0), i), kNoSlot, {loaded[i]}, 0, Role::kBehind);
  }
  uniform_ = uniform;
}

// [PT, d], address, value, [value]: of compare-and-swap what is compared with comes first.
void Translator::atomic(Space space, bool returns) {
  const bool shared = space == Space::kSharedCluster, cas = line_.has("CAS") || line_.has("CAST");
  auto kind = kind_of(line_);
  auto type = type_of(line_);
  const bool counts = line_.has("POPC");  // ATOMS.POPC.INC.32 d, [a]: adds one for each lane
  if (counts) {
    kind = AtomicKind::kAdd;
    type = AtomicSize{AtomicType::kU32, 1, 1};
  }
  if (!kind || !type) {
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
  m.bytes = static_cast<uint8_t>(4 * type->words);
  m.elements = type->elements;
  m.atomic = exec::atomic_fn(*kind, type->type, true);
  m.atomic_shared = exec::atomic_fn(*kind, type->type, false);
  m.polls = cas || *kind == AtomicKind::kExch;
  if (m.atomic == nullptr) {
    missing();
    return;
  }
  const auto value = [&](const Operand& o, uint32_t element) {
    return type->words == 2 ? joined(o) : source(o, element);
  };
  if (counts) {
    m.operands[0] = constant(1);
  } else if (cas) {
    m.compare[0] = value(op(i), 0);
    m.operands[0] = value(op(i + 1), 0);
  } else {
    for (uint32_t e = 0; e < m.elements; ++e) {
      m.operands[e] = value(op(i), e);
    }
  }
  const bool wanted = returns && d.is(Kind::kRegister) && d.index != kZeroRegister;
  if (line_.has("CAST")) {
    const Slot old = temporary();
    m.values[0] = old;
    const Slot compared = m.compare[0];
    access(m, address);
    stored(d, type->words, old, compared);
    return;
  }
  if (wanted) {
    for (uint32_t e = 0; e < m.elements; ++e) {
      m.values[e] = type->words == 2 ? temporary() : destination(d, e);
    }
  }
  const Slot wide = m.values[0];
  access(m, address);
  if (wanted && type->words == 2) {
    compute(WordOp::kSplit, destination(d), destination(d, 1), {wide}, 0, Role::kBehind);
  }
}

// Of ATOMS.CAST.SPIN the result is 1 where it has stored, else 0.
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

void Translator::matrix_tiles(bool stores) {
  exec::MatrixOp m;
  m.kind = stores ? exec::MatrixOp::Kind::kStoreTiles : exec::MatrixOp::Kind::kLoadTiles;
  m.transposed = line_.has("MT88");
  const uint32_t tiles = line_.has("4") ? 4 : line_.has("2") ? 2 : 1;
  const Operand& value = op(stores ? 1 : 0);
  for (uint32_t i = 0; i < tiles; ++i) {
    (stores ? m.a : m.d).slots.push_back(stores ? source(value, i) : destination(value, i));
  }
  m.memory.kind = stores ? MemoryOp::Kind::kStore : MemoryOp::Kind::kLoad;
  m.memory.bytes = 16;
  m.memory.space = Space::kSharedCluster;
  const Operand& o = op(stores ? 0 : 1);
  if (o.ubase != kNoIndex && o.ubase != kZeroUniform) {
    m.memory.addend = ureg(o.ubase);
  }
  const Slot base = o.base != kNoIndex && o.base != kZeroRegister ? reg(o.base) : kNoSlot;
  exec::Inst& in = emit(exec::Kind::kMatrix);
  in.s[0] = base;
  in.offset = o.offset;
  in.target = static_cast<uint32_t>(out_.code.matrix.size());
  out_.code.matrix.push_back(std::move(m));
}

}  // namespace heddle::cubin
