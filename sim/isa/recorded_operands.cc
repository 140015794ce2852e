#include "sim/isa/recorded_operands.h"

#include <bit>
#include <span>

namespace heddle::isa {
namespace {

MbarrierOp::Kind kind_of(const SyncsForm& f) {
  using Kind = MbarrierOp::Kind;
  switch (f.kind) {
    case SyncsForm::Kind::kInit:
      return Kind::kInit;
    case SyncsForm::Kind::kInvalidate:
      return Kind::kInvalidate;
    case SyncsForm::Kind::kWait:
      return Kind::kWait;
    case SyncsForm::Kind::kArrive:
      break;
    default:
      return Kind::kOther;
  }
  const bool arrives = f.arrivals > 0 || f.arrivals_in_operand;
  switch (f.bytes) {
    case SyncsForm::Bytes::kNone:
      return arrives ? Kind::kArrive : Kind::kOther;
    case SyncsForm::Bytes::kExpect:
      return arrives ? Kind::kArriveExpect : Kind::kExpect;
    case SyncsForm::Bytes::kComplete:
      return Kind::kComplete;
  }
  return Kind::kOther;
}

// `known`: what is known of its object; null: the operand is.
MbarrierOp operation(const Instr& in, uint64_t at, uint64_t operand, const RecordedPhases::Barrier* known) {
  MbarrierOp op;
  op.kind = kind_of(in.syncs);
  op.address = at & kSharedOffset;
  op.rank = static_cast<uint8_t>(at / (kSharedOffset + 1));
  if (known && known->arrivals == 0) {
    op.any_phase = op.kind == MbarrierOp::Kind::kWait;
    op.kind = op.any_phase ? op.kind : MbarrierOp::Kind::kOther;
  } else if (op.kind == MbarrierOp::Kind::kInit) {
    op.count = known ? known->arrivals : initial_arrivals(operand);
    op.parity = known ? known->parity : 0;
  } else if (!known && op.kind == MbarrierOp::Kind::kWait && waits_in_vain(operand)) {
    op.kind = MbarrierOp::Kind::kOther;
  } else {
    op.parity = parity_of(operand);
    op.count = in.syncs.arrivals_in_operand ? static_cast<uint32_t>(operand) : in.syncs.arrivals;
    op.bytes = operand;
  }
  return op;
}

}  // namespace

void RecordedOperands::read(const KernelImage& image, const Instr& in, uint32_t mask, uint32_t rank,
                            const RecordedPhases* phases, const WarpTrace& trace, const MemRef* r,
                            Operands& out) {
  switch (in.op) {
    case OpClass::kBulkCopy:
      copy(image, in, trace, *r, out);
      break;
    case OpClass::kMbarrier:
      synchronise(image, in, mask, rank, phases, trace, *r, out);
      break;
    case OpClass::kTensorMma:
    case OpClass::kTensorCopy:
    case OpClass::kTensorAlloc:
      if (r->kind == MemRef::Kind::kValues && r->count >= kTensorValues) {
        const uint64_t* v = trace.values.data() + r->list;
        out.tensor = {static_cast<uint16_t>(v[0]), static_cast<uint32_t>(v[1]), static_cast<uint32_t>(v[2])};
      }
      break;
    case OpClass::kTensorCommit:
      commit(image, rank, trace, *r, out);
      break;
    default:
      out.address = addresses(trace, *r);
      if (in.mem_refs > 1) {
        out.copy_to = addresses(trace, r[1]);
      } else if (in.flags & kFlagAsyncStore && r->count > 0) {
        out.copy_to = LaneAddresses::strided(syncs_operand(trace, *r, 0), 0);  // the same for all lanes
      }
  }
}

void RecordedOperands::copy(const KernelImage& image, const Instr& in, const WarpTrace& trace,
                            const MemRef& r, Operands& out) {
  const bool values = r.kind == MemRef::Kind::kValues;
  if (values) {
    // The frontend has refused what is wrong.
    read_copy(image, in, std::span(trace.values).subspan(r.list, r.count), UINT64_MAX, copy_);
  }
  out.unknown_copy = is_tensor_copy(in.async.kind) && !(values && copy_.known);
  if (values && copy_.known) {
    out.bulk = copy_.op;
    out.tile = is_tensor_copy(in.async.kind) ? &copy_.tile : nullptr;
    out.descriptor = copy_.descriptor;
    out.descriptor_is_parameter = copy_.parameter;
    out.assumed_map = copy_.assumed;
  }
}

// Arrives once at the object, or at those of the blocks that the operand names.
void RecordedOperands::commit(const KernelImage& image, uint32_t rank, const WarpTrace& trace,
                              const MemRef& r, Operands& out) {
  const bool in_cluster = image.shape.cluster.count() > 1;
  const uint64_t blocks = syncs_operand(trace, r, 0);
  MbarrierOp op;
  op.kind = MbarrierOp::Kind::kArrive;
  op.address = r.base & kSharedOffset;
  op.rank = static_cast<uint8_t>(r.base / (kSharedOffset + 1));
  op.remote = in_cluster && op.rank != rank;
  more_.clear();
  for (uint64_t m = blocks; m != 0; m &= m - 1) {
    op.rank = static_cast<uint8_t>(std::countr_zero(m));
    op.remote = in_cluster && op.rank != rank;
    if ((m & (m - 1)) != 0) {
      more_.push_back(op);
    }
  }
  out.mbarrier = op;
  out.more_mbarriers = more_;
}

// Lanes whose barrier objects are others do so one after the other. Of an object whose phases are not known,
// arrivals are those of the recorded order, and only the bytes of copies hold up a wait.
void RecordedOperands::synchronise(const KernelImage& image, const Instr& in, uint32_t mask, uint32_t rank,
                                   const RecordedPhases* phases, const WarpTrace& trace, const MemRef& r,
                                   Operands& out) {
  uint64_t address[32];
  more_.clear();
  if (!expand(addresses(trace, r), mask, address)) {
    return;
  }
  const bool in_cluster = image.shape.cluster.count() > 1;
  MbarrierOp op;
  uint32_t k = 0;
  for (uint32_t m = mask; m; m &= m - 1, ++k) {
    const uint64_t at = address[std::countr_zero(m)];
    const RecordedPhases::Barrier known = phases ? phases->at(at & kSharedOffset) : RecordedPhases::Barrier{};
    MbarrierOp next = operation(in, at, syncs_operand(trace, r, k), phases ? &known : nullptr);
    next.remote = in_cluster && next.rank != rank;
    const bool arrives = in.syncs.kind == SyncsForm::Kind::kArrive;
    if (k > 0 && next.address == op.address && next.remote == op.remote && next.rank == op.rank) {
      if (arrives) {
        op.count += next.count;
        op.bytes += next.bytes;
      }
      continue;
    }
    if (k > 0) {
      more_.push_back(op);
    }
    op = next;
  }
  out.mbarrier = op;
  out.more_mbarriers = more_;
}

}  // namespace heddle::isa
