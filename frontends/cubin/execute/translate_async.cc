// Copies that are not waited for (tools/tracer/OPERANDS.md).
#include "frontends/cubin/execute/translator.h"
#include "sim/exec/arith/integer.h"
#include "sim/exec/atomics.h"

namespace heddle::cubin {
namespace {

using exec::AtomicKind;
using exec::AtomicType;
using exec::kNoSlot;
using exec::Space;
using exec::TransferOp;
using exec::arith::WordOp;
namespace words = exec::arith;

// Elements of UBLKRED.
struct Elements {
  Mod name;
  AtomicType type;
  uint8_t bytes;
};
constexpr Elements kElements[] = {{Mod::kS32, AtomicType::kS32, 4},  {Mod::kU64, AtomicType::kU64, 8},
                                  {Mod::kS64, AtomicType::kS64, 8},  {Mod::kF16, AtomicType::kF16, 2},
                                  {Mod::kF32, AtomicType::kF32, 4},  {Mod::kF64, AtomicType::kF64, 8},
                                  {Mod::kBF16, AtomicType::kBf16, 2}};

}  // namespace

// [R1+UR2+0x8], an address in shared memory.
exec::Place Translator::place(const Operand& o, Space space) {
  exec::Place p;
  p.space = space;
  p.offset = o.offset;
  const bool thread = o.has_base(), warp = o.has_ubase();
  if (space == Space::kGlobal) {
    p.base = temporary();
    if (thread) {
      compute(WordOp::kJoin, p.base, kNoSlot, {reg(o.base), reg(o.base, 1)}, 0, Role::kBefore);
    } else {
      compute(WordOp::kJoin, p.base, kNoSlot, {ureg(o.ubase), ureg(o.ubase, 1)}, 0, Role::kBefore);
    }
    if (thread && warp) {
      const Slot beside = temporary();
      compute(WordOp::kJoin, beside, kNoSlot, {ureg(o.ubase), ureg(o.ubase, 1)}, 0, Role::kBefore);
      compute(words::integer_fn(words::IntegerOp::kAdd, words::Number::kU64), p.base, kNoSlot,
              {p.base, beside}, 0, Role::kBefore);
    }
  } else if (thread && warp) {
    p.base = temporary();
    compute(WordOp::kAdd3, p.base, kNoSlot, {reg(o.base), ureg(o.ubase)}, 0, Role::kBefore);
  } else {
    p.base = thread ? reg(o.base) : warp ? ureg(o.ubase) : constant(0);
  }
  return p;
}

// The address in the uniform register behind that of `o`.
Operand Translator::next_uniform(const Operand& o) {
  Operand out = o;
  ureg(o.ubase, 1);  // there is one
  ++out.ubase;
  return out;
}

void Translator::emit_transfer(const TransferOp& t, bool once) {
  exec::Inst& in = emit(exec::Kind::kTransfer);
  in.sub = once ? 1 : 0;
  in.target = static_cast<uint32_t>(out_.code.transfers.size());
  out_.code.transfers.push_back(t);
}

// To shared memory, from global memory.
void Translator::copy() {
  TransferOp t;
  t.size = take(Mod::k128) ? 16 : take(Mod::k64) ? 8 : 4;
  t.to = place(op(0), Space::kSharedCluster);
  t.from = place(op(1), Space::kGlobal);
  if (op(1).descriptor != kNoIndex && op(0).ubase != kNoIndex && op(0).has_base()) {
    missing("a policy beside a register (ptxas 13.0 names another uniform register than it has filled)");
  }
  if (take(Mod::kZFILL)) {
    source_of_part(t);
  }
  if (count() > 2) {  // whether it is read; otherwise zeros are written
    Operand p = op(2);
    p.negate = !p.negate;
    t.ignore = truth(p);
  }
  emit_transfer(t, false);
}

// ZFILL: by so many bytes as the address is not aligned there are fewer, from its multiple of the size on,
// and zeros behind them.
void Translator::source_of_part(TransferOp& t) {
  using words::IntegerOp;
  const auto wide = [&](IntegerOp what, Slot a, Slot b) {
    const Slot d = temporary();
    compute(words::integer_fn(what, words::Number::kU64), d, kNoSlot, {a, b}, 0, Role::kBefore);
    return d;
  };
  const Slot address = wide(IntegerOp::kAdd, t.from.base, constant(static_cast<uint64_t>(t.from.offset)));
  const Slot low = temporary(), high = temporary(), past = temporary();
  compute(WordOp::kSplit, low, high, {address}, 0, Role::kBefore);
  compute(words::logic_fn(0xc0), past, kNoSlot, {low, constant(t.size - 1), constant(0)}, 0, Role::kBefore);
  t.bytes = temporary();
  compute(WordOp::kAdd3, t.bytes, kNoSlot, {constant(t.size), past}, words::kNegate1, Role::kBefore);
  t.from.base = wide(IntegerOp::kSub, address, past);
  t.from.offset = 0;
}

AtomicKind Translator::reduction() {
  constexpr std::pair<Mod, AtomicKind> kNames[] = {
      {Mod::kADD, AtomicKind::kAdd}, {Mod::kMIN, AtomicKind::kMin}, {Mod::kMAX, AtomicKind::kMax},
      {Mod::kINC, AtomicKind::kInc}, {Mod::kDEC, AtomicKind::kDec}, {Mod::kAND, AtomicKind::kAnd},
      {Mod::kOR, AtomicKind::kOr},   {Mod::kXOR, AtomicKind::kXor}};
  AtomicKind out = AtomicKind::kAdd;
  for (const auto& [name, kind] : kNames) {
    out = take(name) ? kind : out;
  }
  return out;
}

// [to], [from], units of 16 bytes; with MULTICAST the blocks in the upper half of these.
void Translator::bulk_copy() {
  TransferOp t;
  t.kind = TransferOp::Kind::kBulk;
  Slot units = source(op(2));
  if (take(Mod::kMULTICAST)) {
    t.blocks = temporary();
    compute(WordOp::kShift, t.blocks, kNoSlot, {units, constant(16), constant(0)}, words::kRight,
            Role::kBefore);
    const Slot low = temporary();
    compute(words::logic_fn(0xc0), low, kNoSlot, {units, constant(0xffff), constant(0)}, 0, Role::kBefore);
    units = low;
  }
  t.bytes = temporary();
  compute(WordOp::kShift, t.bytes, kNoSlot, {units, constant(4), constant(0)}, 0, Role::kBefore);
  // "S.G": to shared from global memory. Where it is shared, the barrier object is named beside it.
  const auto space = [&](size_t i) { return d_.mods[i] == Mod::kS ? Space::kSharedCluster : Space::kGlobal; };
  t.to = place(op(0), space(0));
  t.from = place(op(1), space(1));
  t.signals = t.to.space != Space::kGlobal;
  if (t.signals) {
    t.barrier = place(next_uniform(op(0)), Space::kSharedCluster);
  }
  if (name_ == Mnemonic::kUBLKRED) {
    Elements e{Mod::kNone, AtomicType::kU32, 4};
    for (const Elements& other : kElements) {
      e = take(other.name) ? other : e;
    }
    t.combine = exec::atomic_fn(reduction(), e.type, !t.signals);
    t.element_bytes = e.bytes;
    if (t.combine == nullptr) {
      missing("such a reduction");
    }
  }
  emit_transfer(t, true);
}

// [from], units of 16 bytes
void Translator::bulk_prefetch() {
  TransferOp t;
  t.kind = TransferOp::Kind::kBulkPrefetch;
  t.from = place(op(0), Space::kGlobal);
  t.bytes = temporary();
  compute(WordOp::kShift, t.bytes, kNoSlot, {source(op(1)), constant(4), constant(0)}, 0, Role::kBefore);
  emit_transfer(t, true);
}

// Loads: [to, barrier, coordinates], [map]; stores: [from, coordinates], [map]; prefetches: [coordinates],
// [map]
void Translator::tensor_copy() {
  const bool loads = name_ == Mnemonic::kUTMALDG, prefetches = name_ == Mnemonic::kUTMAPF;
  TransferOp t;
  t.kind = loads        ? TransferOp::Kind::kTensorLoad
           : prefetches ? TransferOp::Kind::kTensorPrefetch
                        : TransferOp::Kind::kTensorStore;
  for (const auto& [name, n] :
       {std::pair{Mod::k1D, 1}, {Mod::k2D, 2}, {Mod::k3D, 3}, {Mod::k4D, 4}, {Mod::k5D, 5}}) {
    t.dimensions = take(name) ? static_cast<uint8_t>(n) : t.dimensions;
  }
  t.im2col = take(Mod::kIM2COL);
  if (name_ == Mnemonic::kUTMAREDG) {
    t.reduces = true;
    t.reduction = reduction();
  }
  const Operand& first = op(0);
  const uint32_t next = loads ? 2 : prefetches ? 0 : 1;
  if (!prefetches) {
    (loads ? t.to : t.from) = place(first, Space::kSharedCluster);
  }
  if (loads) {
    t.barrier = place(next_uniform(first), Space::kSharedCluster);
    t.signals = true;
  }
  for (uint32_t i = 0; i < t.dimensions; ++i) {
    t.coordinates[i] = ureg(first.ubase, next + i);
  }
  t.map = temporary();
  compute(WordOp::kJoin, t.map, kNoSlot, {ureg(op(1).ubase), ureg(op(1).ubase, 1)}, 0, Role::kBefore);
  if (take(Mod::kMULTICAST)) {
    t.blocks = temporary();
    compute(WordOp::kShift, t.blocks, kNoSlot, {source(op(2)), constant(16), constant(0)}, words::kRight,
            Role::kBefore);
  }
  if ((loads || prefetches) && t.im2col && t.dimensions >= 3) {
    // One of 16 bits, two of 8, three of 5.
    const uint32_t spatial = t.dimensions - 2U, bits = spatial == 1 ? 16 : spatial == 2 ? 8 : 5;
    for (uint32_t i = 0; i < spatial; ++i) {
      const Slot shifted = temporary();
      compute(WordOp::kShift, shifted, kNoSlot, {source(op(2)), constant(uint64_t{i} * bits), constant(0)},
              words::kRight, Role::kBefore);
      t.offsets[i] = temporary();
      compute(words::logic_fn(0xc0), t.offsets[i], kNoSlot,
              {shifted, constant((1U << bits) - 1), constant(0)}, 0, Role::kBefore);
    }
  }
  emit_transfer(t, true);
}

// [address.64+offset], values; the register behind the address is that of the barrier object.
void Translator::asynchronous_store() {
  TransferOp t;
  t.kind = TransferOp::Kind::kStore;
  t.element_bytes = 4;
  const bool reduces = name_ == Mnemonic::kREDAS, wide = take(Mod::k64);
  t.elements = take(Mod::k128) ? 4 : wide ? 2 : 1;
  const Operand& o = op(0);
  if (o.base == kNoIndex || o.base == kZeroRegister) {
    missing();
    return;
  }
  t.to = {reg(o.base), o.offset, Space::kSharedCluster};
  t.barrier = {reg(o.base, 1), 0, Space::kSharedCluster};
  t.signals = true;
  if (reduces) {
    t.elements = 1;
    t.element_bytes = wide ? 8 : 4;
    t.values[0] = wide ? joined(op(1)) : source(op(1));
    const AtomicType type = wide ? AtomicType::kU64 : take(Mod::kS32) ? AtomicType::kS32 : AtomicType::kU32;
    t.combine = exec::atomic_fn(reduction(), type, false);
    if (t.combine == nullptr) {
      missing("such a reduction");
    }
  }
  for (uint32_t i = 0; i < t.elements && !reduces; ++i) {
    t.values[i] = source(op(1), i);
  }
  emit_transfer(t, false);
}

}  // namespace heddle::cubin
