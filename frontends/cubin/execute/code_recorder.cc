#include "frontends/cubin/execute/code_recorder.h"

namespace heddle::cubin {

CodeRecorder::CodeRecorder(const isa::KernelImage& image, const std::vector<uint32_t>& origins,
                           uint32_t blocks, uint32_t warps)
    : Recorder(blocks, warps), image_(image), origins_(origins) {}

void CodeRecorder::executed(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t active,
                            uint32_t mask) {
  const uint32_t instr = origins_[pc];
  if (instr >= image_.code.size()) {
    return;  // behind the last instruction
  }
  const isa::Instr& in = image_.code[instr];
  isa::WarpTrace& t = trace_of(block, warp);
  // A branch that has no guard is executed by all, whether they go there or not.
  const uint32_t lanes = (in.flags & isa::kFlagPredicated) == 0 ? active : mask;
  executed::add_run(t, instr, lanes);
  if (lanes != 0) {
    t.refs.resize(t.refs.size() + in.mem_refs);
  }
}

isa::MemRef* CodeRecorder::references(isa::WarpTrace& t, uint32_t pc) const {
  const isa::Instr& in = image_.code[origins_[pc]];
  return in.mem_refs == 0 || t.refs.size() < in.mem_refs ? nullptr : &t.refs[t.refs.size() - in.mem_refs];
}

void CodeRecorder::accessed(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t mask,
                            const exec::Register& address, const exec::Register* to) {
  isa::WarpTrace& t = trace_of(block, warp);
  const isa::Instr& in = image_.code[origins_[pc]];
  const bool stores = to != nullptr && (in.flags & isa::kFlagAsyncStore) != 0;
  const isa::MemRef from =
      stores ? executed::reference(t, mask, exec::BarrierObjectOp::Kind::kArrive, address, *to)
             : executed::reference(t, mask, address);
  if (isa::MemRef* const r = references(t, pc)) {
    r[0] = from;
    if (to != nullptr && in.mem_refs > 1) {
      const isa::MemRef second = executed::reference(t, mask, *to);
      r[1] = second;
    }
  }
}

// wmma is no machine instruction.
void CodeRecorder::accessed_matrix(const exec::Block& /*block*/, uint32_t /*warp*/, uint32_t /*pc*/,
                                   uint64_t /*base*/, uint64_t /*stride*/) {}

void CodeRecorder::synchronised(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t mask,
                                exec::BarrierObjectOp::Kind kind, const exec::Register& object,
                                const exec::Register& operand) {
  isa::WarpTrace& t = trace_of(block, warp);
  if (isa::MemRef* const r = references(t, pc)) {
    *r = executed::reference(t, mask, kind, object, operand);
  }
}

void CodeRecorder::transferred(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t /*lane*/,
                               const exec::Transfer& transfer) {
  isa::WarpTrace& t = trace_of(block, warp);
  if (isa::MemRef* const r = references(t, pc)) {
    *r = executed::reference(t, transfer);
  }
}

}  // namespace heddle::cubin
