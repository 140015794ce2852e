// Loads and stores; atomics are in translate_atomic.cc.
#include "frontends/cubin/execute/translator.h"
#include "sim/exec/layout.h"

namespace heddle::cubin {
namespace {

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
    const Space space = line_.has("S")   ? Space::kShared
                        : line_.has("D") ? Space::kSharedCluster
                        : line_.has("L") ? Space::kLocal
                                         : Space::kGlobal;
    line_.has("G");
    const Slot here = in_space(generic_address(op(2)), space);
    compute(WordOp::kCopy, predicate(op(0)), kNoSlot, {here});
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
