// Barrier objects, asynchronous copies, tensor maps (ptx.md 2.10, 2.11, 5).
#include <algorithm>

#include "frontends/ptx/execute/atomic_kinds.h"
#include "frontends/ptx/execute/spaces.h"
#include "frontends/ptx/execute/translator.h"
#include "sim/exec/atomics.h"

namespace heddle::ptx {
namespace {

using exec::TransferOp;

exec::BarrierObjectOp barrier_object_op(const Op& op) {
  using Kind = exec::BarrierObjectOp::Kind;
  exec::BarrierObjectOp o;
  o.space = exec_space(op.space);
  o.drops = op.opcode == Opcode::kMbarrierArriveDrop;
  o.no_complete = op.has(Flag::kNoComplete);
  o.expects = op.has(Flag::kExpectTx);
  o.no_increment = op.has(Flag::kNoinc);
  o.parity = op.has(Flag::kParity);
  o.suspends = op.opcode == Opcode::kMbarrierTryWait;
  switch (op.opcode) {
    case Opcode::kMbarrierInit:
      o.kind = Kind::kInit;
      break;
    case Opcode::kMbarrierInval:
      o.kind = Kind::kInvalidate;
      break;
    case Opcode::kMbarrierExpectTx:
      o.kind = Kind::kExpect;
      break;
    case Opcode::kMbarrierCompleteTx:
      o.kind = Kind::kComplete;
      break;
    case Opcode::kMbarrierTestWait:
    case Opcode::kMbarrierTryWait:
      o.kind = Kind::kWait;
      break;
    case Opcode::kMbarrierPendingCount:
      o.kind = Kind::kPendingCount;
      break;
    case Opcode::kCpAsyncMbarrierArrive:
      o.kind = Kind::kArriveCopies;
      o.after_copies = true;
      break;
    default:
      o.kind = Kind::kArrive;
  }
  return o;
}

exec::MapFieldOp::Field map_field(Mode mode) {
  using Field = exec::MapFieldOp::Field;
  switch (mode) {
    case Mode::kRank:
      return Field::kRank;
    case Mode::kBoxDim:
      return Field::kBox;
    case Mode::kGlobalDim:
      return Field::kSize;
    case Mode::kGlobalStride:
      return Field::kStride;
    case Mode::kElementStride:
      return Field::kStep;
    case Mode::kElemtype:
      return Field::kType;
    case Mode::kInterleaveLayout:
      return Field::kInterleave;
    case Mode::kSwizzleMode:
      return Field::kSwizzle;
    case Mode::kFillMode:
      return Field::kFill;
    default:
      return Field::kAddress;
  }
}

}  // namespace

bool Translator::async(const Instr& instr, const Op& op) {
  switch (op.opcode) {
    case Opcode::kMbarrierInit:
    case Opcode::kMbarrierInval:
    case Opcode::kMbarrierArrive:
    case Opcode::kMbarrierArriveDrop:
    case Opcode::kMbarrierExpectTx:
    case Opcode::kMbarrierCompleteTx:
    case Opcode::kMbarrierTestWait:
    case Opcode::kMbarrierTryWait:
    case Opcode::kMbarrierPendingCount:
    case Opcode::kCpAsyncMbarrierArrive:
      barrier_object(instr, op);
      return true;
    case Opcode::kCpAsync:
      copy(instr, op);
      return true;
    case Opcode::kCpAsyncBulk:
    case Opcode::kCpReduceAsyncBulk:
    case Opcode::kCpAsyncBulkPrefetch:
    case Opcode::kTensormapCpFenceproxy:
      bulk_copy(instr, op);
      return true;
    case Opcode::kCpAsyncBulkTensor:
    case Opcode::kCpReduceAsyncBulkTensor:
    case Opcode::kCpAsyncBulkPrefetchTensor:
      tensor_copy(instr, op);
      return true;
    case Opcode::kStAsync:
    case Opcode::kRedAsync:
      asynchronous_store(instr, op);
      return true;
    case Opcode::kTensormapReplace:
      replace_field(instr, op);
      return true;
    case Opcode::kApplypriority:
    case Opcode::kDiscard: {
      TransferOp t;
      t.kind = TransferOp::Kind::kCheck;
      t.from = place(operand(instr, 0), exec_space(op.space));
      t.size = static_cast<uint32_t>(operand(instr, 1).value);
      emit_transfer(t);
      return true;
    }
    // Copies are done when they are issued.
    case Opcode::kCpAsyncCommitGroup:
    case Opcode::kCpAsyncWaitGroup:
    case Opcode::kCpAsyncWaitAll:
    case Opcode::kCpAsyncBulkCommitGroup:
    case Opcode::kCpAsyncBulkWaitGroup:
      emit(exec::Kind::kFence);
      return true;
    default:
      return false;
  }
}

void Translator::emit_transfer(const TransferOp& t) {
  emit(exec::Kind::kTransfer).target = static_cast<uint32_t>(out_.code.transfers.size());
  out_.code.transfers.push_back(t);
}

void Translator::barrier_object(const Instr& instr, const Op& op) {
  exec::BarrierObjectOp o = barrier_object_op(op);
  exec::Slot d = exec::kNoSlot, s = exec::kNoSlot;
  exec::Place at;
  bool operands = false;
  for (size_t i = 0; i < instr.operand_count; ++i) {
    const OperandRole role = op.form->operands[i].role;
    if (role == OperandRole::kAddress) {
      at = place(operand(instr, i), o.space);
    } else if (role != OperandRole::kSource) {
      d = destination(operand(instr, i));
    } else if (!operands) {  // behind it is the time that try_wait may take
      s = source(instr, i);
      operands = true;
    }
  }
  o.space = at.space;
  exec::Inst& in = emit(exec::Kind::kBarrierObject);
  in.d[0] = d;
  in.s[0] = at.base;
  in.s[1] = s;
  in.offset = at.offset;
  in.target = static_cast<uint32_t>(out_.code.barrier_objects.size());
  out_.code.barrier_objects.push_back(o);
}

// to, from, size; bytes to be read, or the predicate that says that none are.
void Translator::copy(const Instr& instr, const Op& op) {
  TransferOp t;
  t.to = place(operand(instr, 0), exec_space(op.space));
  t.from = place(operand(instr, 1), exec_space(op.source_space));
  t.size = static_cast<uint32_t>(operand(instr, 2).value);
  if (t.size != 16 && (op.cache == CacheOp::kCg || (t.size != 4 && t.size != 8))) {
    missing(op.cache == CacheOp::kCg ? "a size other than 16" : "a size other than 4, 8, 16");
  }
  if (instr.operand_count > 3 && operand(instr, 3).kind != OperandKind::kNone) {
    const OperandSpec& spec = op.form->operands[3];
    if (spec.role == OperandRole::kPredicate) {
      t.ignore = source(instr, 3);
    } else if (type_of(spec, op) == Type::kU32) {
      t.bytes = source(instr, 3);
    }
  }
  emit_transfer(t);
}

void Translator::bulk_copy(const Instr& instr, const Op& op) {
  TransferOp t;
  if (op.opcode == Opcode::kCpAsyncBulkPrefetch) {
    t.kind = TransferOp::Kind::kBulkPrefetch;
    t.from = place(operand(instr, 0), exec_space(op.space));
    t.bytes = source(instr, 1);
    emit_transfer(t);
    return;
  }
  t.kind = TransferOp::Kind::kBulk;
  t.to = place(operand(instr, 0), exec_space(op.space));
  t.from = place(operand(instr, 1), exec_space(op.source_space));
  t.bytes = source(instr, 2);
  t.signals = op.has(Flag::kCompleteTx);
  if (op.has(Flag::kCpMask)) {
    missing();
  }
  if (t.signals) {
    t.barrier = place(operand(instr, 3), exec_space(op.space));
  }
  if (op.has(Flag::kMulticast)) {
    t.blocks = source(instr, 4);
  }
  if (op.opcode == Opcode::kCpReduceAsyncBulk) {
    const auto kind = atomic_kind(op.combine);
    const auto type = atomic_type(op.type());
    t.combine = kind && type ? exec::atomic_fn(*kind, *type, op.space == Space::kGlobal) : nullptr;
    t.element_bytes = static_cast<uint8_t>(bits(op.type()) / 8);
    if (t.combine == nullptr) {
      missing();
    }
  }
  emit_transfer(t);
}

// [map, coordinates] behind the place of a load or before that of a store; then the barrier object.
void Translator::tensor_copy(const Instr& instr, const Op& op) {
  const bool prefetches = op.opcode == Opcode::kCpAsyncBulkPrefetchTensor;
  const bool loads = !prefetches && op.space != Space::kGlobal;
  TransferOp t;
  t.kind = prefetches ? TransferOp::Kind::kTensorPrefetch
           : loads    ? TransferOp::Kind::kTensorLoad
                      : TransferOp::Kind::kTensorStore;
  t.im2col = op.mode == Mode::kIm2col || op.mode == Mode::kIm2colNoOffs;
  const size_t first = loads ? 1 : 0;
  const Operand& map = operand(instr, first);
  t.map = map.kind == OperandKind::kVariable
              ? constant(address_of(map.id, true) + static_cast<uint64_t>(map.value))
              : source(map, 64);
  for (const Operand& o : elements(operand(instr, first + 1))) {
    t.coordinates[t.dimensions++] = source(o, 32);
  }
  size_t next = first + 2;
  if (loads) {
    t.to = place(operand(instr, 0), exec_space(op.space));
    t.barrier = place(operand(instr, next++), exec_space(op.space));
    t.signals = true;
  } else if (!prefetches) {
    t.from = place(operand(instr, next++), exec_space(op.source_space));
  }
  if (op.mode == Mode::kIm2col) {
    size_t i = 0;
    for (const Operand& o : elements(operand(instr, next++))) {
      t.offsets[i++] = source(o, 16);
    }
  }
  if (op.has(Flag::kMulticast)) {
    t.blocks = source(instr, next);
  }
  if (op.opcode == Opcode::kCpReduceAsyncBulkTensor) {
    t.reduces = true;
    const auto kind = atomic_kind(op.combine);
    if (!kind) {
      missing();
      return;
    }
    t.reduction = *kind;
  }
  emit_transfer(t);
}

void Translator::asynchronous_store(const Instr& instr, const Op& op) {
  TransferOp t;
  t.kind = TransferOp::Kind::kStore;
  const exec::Space space = op.space == Space::kNone ? exec::Space::kGeneric : exec::Space::kSharedCluster;
  t.to = place(operand(instr, 0), space);
  t.barrier = place(operand(instr, 2), space);
  t.signals = true;
  t.element_bytes = static_cast<uint8_t>(bits(op.type()) / 8);
  const std::vector<Operand> all = elements(operand(instr, 1));
  t.elements = static_cast<uint8_t>(all.size());
  for (size_t i = 0; i < all.size() && i < std::size(t.values); ++i) {
    t.values[i] = source(all[i], bits(op.type()));
  }
  if (op.opcode == Opcode::kRedAsync) {
    const auto kind = atomic_kind(op.combine);
    const auto type = atomic_type(op.type());
    t.combine = kind && type ? exec::atomic_fn(*kind, *type, false) : nullptr;
    if (t.combine == nullptr) {
      missing();
    }
  }
  emit_transfer(t);
}

void Translator::replace_field(const Instr& instr, const Op& op) {
  constexpr uint32_t kStridesInBytes = 85;  // the version of PTX, times ten
  exec::MapFieldOp m;
  m.field = map_field(op.mode);
  m.map = place(operand(instr, 0), exec_space(op.space));
  const bool by_dimension = instr.operand_count > 2 && operand(instr, 2).kind != OperandKind::kNone;
  m.dimension = by_dimension ? static_cast<uint32_t>(operand(instr, 1).value) : 0;
  m.value = source(instr, by_dimension ? 2 : 1);
  m.stride_in_bytes = module_.target.version >= kStridesInBytes;
  emit(exec::Kind::kMapField).target = static_cast<uint32_t>(out_.code.map_fields.size());
  out_.code.map_fields.push_back(m);
}

}  // namespace heddle::ptx
