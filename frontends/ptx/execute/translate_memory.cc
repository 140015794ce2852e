// ld, ldu, st, atom, red.
#include "frontends/ptx/execute/atomic_kinds.h"
#include "frontends/ptx/execute/spaces.h"
#include "frontends/ptx/execute/translator.h"
#include "sim/exec/atomics.h"

namespace heddle::ptx {
// Where an address points to; its space if it says more than the instruction does. A variable of shared
// memory is the block's own.
exec::Place Translator::place(const Operand& o, exec::Space space) {
  exec::Place p;
  p.space = space;
  p.offset = o.value;
  if (o.base == Base::kRegister) {
    p.base = layouts_[id_].registers[o.id];
    // A function's parameters are in its frame, and an address in a register is one in local memory.
    if (p.space == exec::Space::kParam && !f_->entry) {
      p.space = exec::Space::kLocal;
    }
  } else if (o.base == Base::kVariable) {
    const Variable& v = module_.variables[o.id];
    if (in_frame(v)) {
      p.space = exec::Space::kLocal;
      p.in_frame = true;
      p.offset += static_cast<int64_t>(local_[o.id]);
    } else if (v.space == Space::kShared) {
      p.space = exec::Space::kShared;
      p.base = special_slot(exec::Special::kSharedBase);
      p.offset += static_cast<int64_t>(address_of(o.id, false));
    } else {
      p.offset += static_cast<int64_t>(address_of(o.id, p.space == exec::Space::kGeneric));
    }
  }
  return p;
}

void Translator::emit_memory(const exec::Place& at, exec::MemoryOp m) {
  m.space = at.space;
  m.in_frame = at.in_frame;
  exec::Inst& in = emit(exec::Kind::kMemory);
  in.s[0] = at.base;
  in.offset = at.offset;
  in.target = static_cast<uint32_t>(out_.code.memory.size());
  out_.code.memory.push_back(m);
}

// The registers of a value or a vector of them, those of 128 bits as two.
void Translator::values(const Operand& o, bool reads, uint32_t bits, exec::Slot* slots) {
  const std::vector<Operand> all = elements(o);
  const size_t words = bits == 128 ? 2 : 1;
  if (all.size() * words > 8) {
    missing("so many elements");
    return;
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const exec::Slot s = reads ? source(all[i], bits) : destination(all[i]);
    for (size_t w = 0; w < words; ++w) {
      slots[i * words + w] = s == exec::kNoSlot ? s : s + static_cast<exec::Slot>(w);
    }
  }
}

void Translator::load_store(const Instr& instr, const Op& op) {
  const bool stores = op.opcode == Opcode::kSt;
  const Operand& value = operand(instr, stores ? 1 : 0);
  exec::MemoryOp m;
  m.kind = stores ? exec::MemoryOp::Kind::kStore : exec::MemoryOp::Kind::kLoad;
  m.bytes = static_cast<uint8_t>(bits(op.type()) / 8);
  m.elements = op.vector;
  m.strong = op.semantics != Semantics::kNone && op.semantics != Semantics::kWeak;
  m.polls = !stores && op.polls();
  m.sign = !stores && info(op.type()).kind == TypeKind::kSigned;
  const std::vector<Operand> all = elements(value);
  for (const Operand& o : all) {
    if (o.kind == OperandKind::kRegister) {
      m.register_bytes = static_cast<uint8_t>(bits(f_->register_types[o.id]) / 8);
    }
  }
  values(value, stores, bits(op.type()), m.values);
  emit_memory(place(operand(instr, stores ? 0 : 1), exec_space(op.space)), m);
}

void Translator::atomic(const Instr& instr, const Op& op) {
  const bool returns = op.opcode == Opcode::kAtom;
  const size_t at = returns ? 1 : 0;
  auto kind = atomic_kind(op.combine);
  auto type = atomic_type(op.type());
  if (!kind || !type) {
    missing();
    return;
  }
  exec::MemoryOp m;
  m.kind = exec::MemoryOp::Kind::kAtomic;
  m.strong = true;
  m.bytes = static_cast<uint8_t>(bits(op.type()) / 8);
  m.elements = op.vector;
  m.atomic = exec::atomic_fn(*kind, *type, true);
  m.atomic_shared = exec::atomic_fn(*kind, *type, false);
  m.polls = *kind == exec::AtomicKind::kCas || *kind == exec::AtomicKind::kExch;
  if (m.atomic == nullptr) {
    missing();
    return;
  }
  if (returns) {
    values(operand(instr, 0), false, bits(op.type()), m.values);
  }
  if (*kind == exec::AtomicKind::kCas) {
    exec::Slot compare[8] = {};
    values(operand(instr, at + 1), true, bits(op.type()), compare);
    m.compare[0] = compare[0];
    m.compare[1] = bits(op.type()) == 128 ? compare[1] : exec::kNoSlot;
    values(operand(instr, at + 2), true, bits(op.type()), m.operands);
  } else {
    values(operand(instr, at + 1), true, bits(op.type()), m.operands);
  }
  emit_memory(place(operand(instr, at), exec_space(op.space)), m);
}

}  // namespace heddle::ptx
