// ld, ldu, st, atom, red.
#include <algorithm>
#include <optional>

#include "frontends/ptx/execute/translator.h"
#include "sim/exec/atomics.h"

namespace heddle::ptx {
namespace {

exec::Space space_of(Space space) {
  switch (space) {
    case Space::kGlobal:
      return exec::Space::kGlobal;
    case Space::kShared:
    case Space::kSharedCluster:  // a block is a cluster of its own
      return exec::Space::kShared;
    case Space::kLocal:
      return exec::Space::kLocal;
    case Space::kConst:
      return exec::Space::kConst;
    case Space::kParam:
    case Space::kParamEntry:
    case Space::kParamFunc:
      return exec::Space::kParam;
    default:
      return exec::Space::kGeneric;
  }
}

// A load after which the program may look again.
bool polls(const Op& op) {
  return op.has(Flag::kMmio) || op.cache == CacheOp::kCv || op.semantics == Semantics::kVolatile ||
         op.semantics == Semantics::kRelaxed || op.semantics == Semantics::kAcquire;
}

std::optional<exec::AtomicKind> atomic_kind(Combine c) {
  using exec::AtomicKind;
  switch (c) {
    case Combine::kAnd:
      return AtomicKind::kAnd;
    case Combine::kOr:
      return AtomicKind::kOr;
    case Combine::kXor:
      return AtomicKind::kXor;
    case Combine::kCas:
      return AtomicKind::kCas;
    case Combine::kExch:
      return AtomicKind::kExch;
    case Combine::kAdd:
      return AtomicKind::kAdd;
    case Combine::kInc:
      return AtomicKind::kInc;
    case Combine::kDec:
      return AtomicKind::kDec;
    case Combine::kMin:
      return AtomicKind::kMin;
    case Combine::kMax:
      return AtomicKind::kMax;
    default:
      return std::nullopt;
  }
}

std::optional<exec::AtomicType> atomic_type(Type t) {
  using exec::AtomicType;
  switch (t) {
    case Type::kB16:
      return AtomicType::kB16;
    case Type::kB32:
    case Type::kU32:
      return AtomicType::kU32;
    case Type::kS32:
      return AtomicType::kS32;
    case Type::kB64:
    case Type::kU64:
      return AtomicType::kU64;
    case Type::kS64:
      return AtomicType::kS64;
    case Type::kB128:
      return AtomicType::kB128;
    case Type::kF16:
      return AtomicType::kF16;
    case Type::kF16x2:
      return AtomicType::kF16x2;
    case Type::kBf16:
      return AtomicType::kBf16;
    case Type::kBf16x2:
      return AtomicType::kBf16x2;
    case Type::kF32:
      return AtomicType::kF32;
    case Type::kF64:
      return AtomicType::kF64;
    default:
      return std::nullopt;
  }
}

}  // namespace

// [base + offset], and the space of the access if the address says more than the instruction.
void Translator::address(const Operand& o, const Op& op, exec::Inst& in, exec::MemoryOp& m) {
  m.space = space_of(op.space);
  in.offset = o.value;
  if (o.base == Base::kRegister) {
    in.s[0] = layouts_[id_].registers[o.id];
    // A function's parameters are in its frame, and an address in a register is one in local memory.
    if (m.space == exec::Space::kParam && !f_->entry) {
      m.space = exec::Space::kLocal;
    }
  } else if (o.base == Base::kVariable) {
    const Variable& v = module_.variables[o.id];
    if (in_frame(v)) {
      m.space = exec::Space::kLocal;
      m.in_frame = true;
      in.offset += static_cast<int64_t>(local_[o.id]);
    } else {
      in.offset += static_cast<int64_t>(address_of(o.id, m.space == exec::Space::kGeneric));
    }
  }
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
  m.polls = !stores && polls(op);
  m.sign = !stores && info(op.type()).kind == TypeKind::kSigned;
  const std::vector<Operand> all = elements(value);
  for (const Operand& o : all) {
    if (o.kind == OperandKind::kRegister) {
      m.register_bytes = static_cast<uint8_t>(bits(f_->register_types[o.id]) / 8);
    }
  }
  values(value, stores, bits(op.type()), m.values);
  exec::Inst in;
  address(operand(instr, stores ? 0 : 1), op, in, m);
  exec::Inst& out = emit(exec::Kind::kMemory);
  out.s[0] = in.s[0];
  out.offset = in.offset;
  out.target = static_cast<uint32_t>(out_.code.memory.size());
  out_.code.memory.push_back(m);
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
  exec::Inst in;
  address(operand(instr, at), op, in, m);
  exec::Inst& out = emit(exec::Kind::kMemory);
  out.s[0] = in.s[0];
  out.offset = in.offset;
  out.target = static_cast<uint32_t>(out_.code.memory.size());
  out_.code.memory.push_back(m);
}

}  // namespace heddle::ptx
