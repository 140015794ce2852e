// Barrier objects, copies that are not waited for (tools/tracer/OPERANDS.md).
#include "frontends/cubin/execute/translator.h"
#include "sim/exec/arith/integer.h"

namespace heddle::cubin {
namespace {

using exec::BarrierObjectOp;
using exec::kNoSlot;
using exec::Space;
using exec::TransferOp;
using exec::arith::WordOp;
namespace words = exec::arith;

constexpr uint32_t kFieldBits = 20;  // of the counts in a barrier object

}  // namespace

bool Translator::async() {
  const std::string& n = line_.name;
  if (n == "SYNCS") {
    barrier_object();
  } else if (n == "LDGSTS") {
    copy();
  } else if (n == "UBLKCP") {
    bulk_copy();
  } else if (n == "UTMALDG" || n == "UTMASTG" || n == "UTMAREDG") {
    tensor_copy();
  } else if (n == "STAS") {
    asynchronous_store();
  } else {
    return false;
  }
  return true;
}

// [R1+UR2+0x8], an address in shared memory.
exec::Place Translator::place(const Operand& o, Space space) {
  exec::Place p;
  p.space = space;
  p.offset = o.offset;
  const bool thread = o.base != kNoIndex && o.base != kZeroRegister,
             warp = o.ubase != kNoIndex && o.ubase != kZeroUniform;
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

void Translator::barrier_object() {
  BarrierObjectOp o;
  o.space = Space::kSharedCluster;
  size_t address = 1;
  Slot operand = kNoSlot, result = kNoSlot;
  bool once = false;
  if (line_.has("EXCH")) {
    // mbarrier.init: what is written is 2^20 less the count, from bit 1 on.
    o.kind = BarrierObjectOp::Kind::kInit;
    const Slot t = temporary(), rest = temporary();
    compute(WordOp::kShift, t, kNoSlot, {source(op(2)), constant(1), constant(0)}, words::kRight,
            Role::kBefore);
    compute(words::logic_fn(0xc0), rest, kNoSlot, {t, constant((1U << kFieldBits) - 1), constant(0)}, 0,
            Role::kBefore);
    operand = temporary();
    compute(WordOp::kAdd3, operand, kNoSlot, {constant(1U << kFieldBits), rest}, words::kNegate1,
            Role::kBefore);
    once = true;
  } else if (line_.has("CCTL")) {
    o.kind = BarrierObjectOp::Kind::kInvalidate;
    address = 0;
  } else if (line_.has("PHASECHK")) {
    o.kind = BarrierObjectOp::Kind::kWait;
    o.parity = true;
    o.suspends = line_.has("TRYWAIT");
    result = predicate(op(0));
    operand = temporary();
    compute(WordOp::kShift, operand, kNoSlot, {source(op(2)), constant(31), constant(0)}, words::kRight,
            Role::kBefore);
  } else {  // ARRIVE: once, or once with bytes to come
    o.kind = BarrierObjectOp::Kind::kArrive;
    o.expects = !line_.has("A1T0");
    operand = o.expects ? source(op(2)) : kNoSlot;
    result = temporary();
  }
  const exec::Place at = place(op(address), o.space);
  exec::Inst& in = emit(exec::Kind::kBarrierObject);
  in.s[0] = at.base;
  in.offset = at.offset;
  in.s[1] = operand;
  in.d[0] = result;
  in.sub = once ? 1 : 0;
  in.target = static_cast<uint32_t>(out_.code.barrier_objects.size());
  out_.code.barrier_objects.push_back(o);
  if (o.kind == BarrierObjectOp::Kind::kArrive && op(0).is(Kind::kRegister) && op(0).index != kZeroRegister) {
    // The state, of which PHASECHK takes the parity from bit 31: here it is bit 62.
    const Slot low = temporary(), high = temporary();
    compute(WordOp::kSplit, low, high, {result}, 0, Role::kBehind);
    compute(WordOp::kShift, low, kNoSlot, {high, constant(1), constant(0)}, 0, Role::kBehind);
    compute(words::logic_fn(0xc0), destination(op(0)), kNoSlot, {low, constant(0x80000000), constant(0)}, 0,
            Role::kBehind);
  }
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
  t.size = line_.has("128") ? 16 : line_.has("64") ? 8 : 4;
  t.to = place(op(0), Space::kSharedCluster);
  t.from = place(op(1), Space::kGlobal);
  if (count() > 2) {  // whether it is read; otherwise zeros are written
    Operand p = op(2);
    p.negate = !p.negate;
    t.ignore = truth(p);
  }
  emit_transfer(t, false);
}

// [to], [from], units of 16 bytes
void Translator::bulk_copy() {
  TransferOp t;
  t.kind = TransferOp::Kind::kBulk;
  const Operand second = next_uniform(op(0));
  t.bytes = temporary();
  compute(WordOp::kShift, t.bytes, kNoSlot, {source(op(2)), constant(4), constant(0)}, 0, Role::kBefore);
  if (line_.has("MULTICAST")) {
    missing("multicast");
  }
  // "S.G": to shared from global memory.
  const bool to_shared = !line_.modifiers.empty() && line_.modifiers[0] == "S";
  t.to = place(op(0), to_shared ? Space::kSharedCluster : Space::kGlobal);
  t.from = place(op(1), to_shared ? Space::kGlobal : Space::kSharedCluster);
  t.signals = to_shared;
  if (to_shared) {
    t.barrier = place(second, Space::kSharedCluster);
  }
  emit_transfer(t, true);
}

// Loads: [to, barrier, coordinates], [map]; stores: [from, coordinates], [map]
void Translator::tensor_copy() {
  const bool loads = line_.name == "UTMALDG";
  TransferOp t;
  t.kind = loads ? TransferOp::Kind::kTensorLoad : TransferOp::Kind::kTensorStore;
  for (const std::string& m : line_.modifiers) {
    if (m.size() == 2 && m[1] == 'D') {
      t.dimensions = static_cast<uint8_t>(m[0] - '0');
    }
  }
  t.im2col = line_.has("IM2COL");
  if (line_.name == "UTMAREDG") {
    constexpr std::pair<std::string_view, exec::AtomicKind> kNames[] = {
        {"ADD", exec::AtomicKind::kAdd}, {"MIN", exec::AtomicKind::kMin}, {"MAX", exec::AtomicKind::kMax},
        {"INC", exec::AtomicKind::kInc}, {"DEC", exec::AtomicKind::kDec}, {"AND", exec::AtomicKind::kAnd},
        {"OR", exec::AtomicKind::kOr},   {"XOR", exec::AtomicKind::kXor}};
    t.reduces = true;
    for (const auto& [name, kind] : kNames) {
      t.reduction = line_.has(name) ? kind : t.reduction;
    }
  }
  const Operand& first = op(0);
  const uint32_t next = loads ? 2 : 1;
  (loads ? t.to : t.from) = place(first, Space::kSharedCluster);
  if (loads) {
    t.barrier = place(next_uniform(first), Space::kSharedCluster);
    t.signals = true;
  }
  for (uint32_t i = 0; i < t.dimensions; ++i) {
    t.coordinates[i] = ureg(first.ubase, next + i);
  }
  t.map = temporary();
  compute(WordOp::kJoin, t.map, kNoSlot, {ureg(op(1).ubase), ureg(op(1).ubase, 1)}, 0, Role::kBefore);
  if (line_.has("MULTICAST")) {
    t.blocks = temporary();
    compute(WordOp::kShift, t.blocks, kNoSlot, {source(op(2)), constant(16), constant(0)}, words::kRight,
            Role::kBefore);
  }
  if (loads && t.im2col && t.dimensions >= 3) {
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
  t.elements = line_.has("128") ? 4 : line_.has("64") ? 2 : 1;
  const Operand& o = op(0);
  if (o.base == kNoIndex || o.base == kZeroRegister) {
    missing();
    return;
  }
  t.to = {reg(o.base), o.offset, Space::kSharedCluster};
  t.barrier = {reg(o.base, 1), 0, Space::kSharedCluster};
  t.signals = true;
  for (uint32_t i = 0; i < t.elements; ++i) {
    t.values[i] = source(op(1), i);
  }
  emit_transfer(t, false);
}

}  // namespace heddle::cubin
