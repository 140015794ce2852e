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
Size size_of(Modifiers& mods) {
  if (mods.take(Mod::kU8) || mods.take(Mod::kS8)) {
    return {1, 1, mods.take(Mod::kS8)};
  }
  if (mods.take(Mod::kU16) || mods.take(Mod::kS16)) {
    return {2, 1, mods.take(Mod::kS16)};
  }
  return {4, static_cast<uint8_t>(mods.take(Mod::k128) ? 4 : mods.take(Mod::k64) ? 2 : 1)};
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
  if (o.has_base()) {
    base = reg(o.base);
    m.pair_base = global && !o.base_narrow;
    if (o.base_shift != 0) {
      const Slot scaled = temporary();
      compute(WordOp::kShift, scaled, kNoSlot, {base, constant(o.base_shift), constant(0)}, 0, Role::kBefore);
      base = scaled;
    }
  }
  if (o.has_ubase()) {
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

void Translator::in_space_of() {
  const Space space = take(Mod::kS)   ? Space::kShared
                      : take(Mod::kD) ? Space::kSharedCluster
                      : take(Mod::kL) ? Space::kLocal
                                      : Space::kGlobal;
  const Slot here = in_space(generic_address(op(2)), space);
  compute(WordOp::kCopy, predicate(op(0)), kNoSlot, {here});
}

void Translator::load_store() {
  const bool stores =
      name_ == Mnemonic::kST || name_ == Mnemonic::kSTG || name_ == Mnemonic::kSTS || name_ == Mnemonic::kSTL;
  const Space space = name_ == Mnemonic::kLD || name_ == Mnemonic::kST     ? Space::kGeneric
                      : name_ == Mnemonic::kLDG || name_ == Mnemonic::kSTG ? Space::kGlobal
                      : name_ == Mnemonic::kLDL || name_ == Mnemonic::kSTL ? Space::kLocal
                                                                           : Space::kSharedCluster;
  const Size size = size_of(d_.mods);
  MemoryOp m;
  m.kind = stores ? MemoryOp::Kind::kStore : MemoryOp::Kind::kLoad;
  m.space = space;
  m.bytes = size.bytes;
  m.elements = size.elements;
  m.sign = size.sign;
  m.register_bytes = 4;
  m.strong = take(Mod::kSTRONG) || take(Mod::kMMIO);
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
  const Size size = size_of(d_.mods);
  const bool indexed = o.has_base() || o.has_ubase();
  if (take(Mod::kIL) || take(Mod::kIS) || take(Mod::kISL) || !o.is(Kind::kConstant)) {
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
  if (o.has_base()) {
    base = reg(o.base);
  } else if (o.has_ubase()) {
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

void Translator::matrix_tiles() {
  const bool stores = name_ == Mnemonic::kSTSM;
  exec::MatrixOp m;
  m.kind = stores ? exec::MatrixOp::Kind::kStoreTiles : exec::MatrixOp::Kind::kLoadTiles;
  m.transposed = take(Mod::kMT88);
  const uint32_t tiles = take(Mod::k4) ? 4 : take(Mod::k2) ? 2 : 1;
  const Operand& value = op(stores ? 1 : 0);
  for (uint32_t i = 0; i < tiles; ++i) {
    (stores ? m.a : m.d).slots.push_back(stores ? source(value, i) : destination(value, i));
  }
  m.memory.kind = stores ? MemoryOp::Kind::kStore : MemoryOp::Kind::kLoad;
  m.memory.bytes = 16;
  m.memory.space = Space::kSharedCluster;
  const Operand& o = op(stores ? 0 : 1);
  if (o.has_ubase()) {
    m.memory.addend = ureg(o.ubase);
  }
  const Slot base = o.has_base() ? reg(o.base) : kNoSlot;
  exec::Inst& in = emit(exec::Kind::kMatrix);
  in.s[0] = base;
  in.offset = o.offset;
  in.target = static_cast<uint32_t>(out_.code.matrix.size());
  out_.code.matrix.push_back(std::move(m));
}

}  // namespace heddle::cubin
