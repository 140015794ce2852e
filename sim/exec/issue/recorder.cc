#include "sim/exec/issue/recorder.h"

#include <utility>

#include "sim/exec/block.h"
#include "sim/exec/issue/references.h"

namespace heddle::executed {
namespace {

// Puts an instance of the instruction number `instr` behind the others.
void add_run(isa::WarpTrace& t, uint32_t instr, uint32_t mask) {
  std::vector<isa::Run>& runs = t.runs;
  if (!runs.empty() && runs.back().mask == mask && runs.back().first + runs.back().count == instr) {
    ++runs.back().count;
  } else {
    runs.push_back({instr, 1, mask});
  }
  ++t.instructions;
}

}  // namespace

Recorder::Recorder(const isa::KernelImage& image, const std::vector<uint32_t>& origins,
                   const Tellings* tellings, uint32_t blocks, uint32_t warps)
    : image_(image), origins_(origins), warps_of_block_(warps) {
  warps_.reserve(size_t{blocks} * warps);
  for (uint32_t i = 0; i < blocks * warps; ++i) {
    warps_.emplace_back(i % warps, tellings);
  }
}

std::vector<isa::WarpTrace> Recorder::finish(uint32_t rank) {
  std::vector<isa::WarpTrace> out;
  for (uint32_t warp = 0; warp < warps_of_block_; ++warp) {
    out.push_back(std::move(warps_[size_t{rank} * warps_of_block_ + warp].trace));
  }
  return out;
}

Recorder::Warp& Recorder::of(const exec::Block& block, uint32_t warp) {
  return warps_[size_t{block.rank()} * warps_of_block_ + warp];
}

isa::MemRef* Recorder::references(Warp& w, uint32_t pc) const {
  if (w.instr != origins_[pc] || w.mask == 0) {
    return nullptr;
  }
  const size_t n = image_.code[w.instr].mem_refs;
  return n == 0 ? nullptr : &w.trace.refs[w.trace.refs.size() - n];
}

void Recorder::executed(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t active,
                        uint32_t mask) {
  Warp& w = of(block, warp);
  w.instr = origins_[pc];
  if (w.instr >= image_.code.size()) {
    w.mask = 0;
    return;  // behind the last instruction
  }
  const isa::Instr& in = image_.code[w.instr];
  w.mask = w.teller.begin(in, pc, active, mask);
  add_run(w.trace, w.instr, w.mask);
  if (w.mask == 0 || in.mem_refs == 0) {
    return;
  }
  w.trace.refs.resize(w.trace.refs.size() + in.mem_refs);
  if (w.teller.knows()) {
    const isa::MemRef r = reference(w.trace, w.mask, w.teller.places());
    *references(w, pc) = r;
  }
}

void Recorder::accessed(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t mask,
                        const exec::Register& address, const exec::Register* to) {
  Warp& w = of(block, warp);
  isa::MemRef* const r = references(w, pc);
  if (r == nullptr || w.teller.knows()) {
    return;
  }
  const isa::Instr& in = image_.code[w.instr];
  if (to != nullptr && (in.flags & isa::kFlagAsyncStore) != 0) {
    *r = reference(w.trace, mask, exec::BarrierObjectOp::Kind::kArrive, address, *to);
    return;
  }
  w.teller.keep(address, mask);
  r[0] = reference(w.trace, w.mask, address);
  if (to != nullptr && in.mem_refs > 1) {
    r[1] = reference(w.trace, w.mask, *to);
  }
}

void Recorder::accessed_matrix(const exec::Block& block, uint32_t warp, uint32_t pc, uint64_t base,
                               uint64_t stride) {
  Warp& w = of(block, warp);
  isa::MemRef* const r = references(w, pc);
  if (w.teller.keep_matrix(base, stride) && r != nullptr) {
    *r = reference(w.trace, w.mask, w.teller.places());
  }
}

void Recorder::synchronised(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t mask,
                            exec::BarrierObjectOp::Kind kind, const exec::Register& object,
                            const exec::Register& operand) {
  Warp& w = of(block, warp);
  if (isa::MemRef* const r = references(w, pc)) {
    *r = reference(w.trace, mask, kind, object, operand);
  }
}

void Recorder::transferred(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t /*lane*/,
                           const exec::Transfer& t) {
  Warp& w = of(block, warp);
  if (isa::MemRef* const r = references(w, pc)) {
    *r = reference(w.trace, t);
  }
}

void Recorder::used_tensor_memory(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t /*lane*/,
                                  const exec::TensorMemoryOp& op, const exec::TensorUse& use) {
  Warp& w = of(block, warp);
  if (isa::MemRef* const r = references(w, pc)) {
    *r = reference(w.trace, op, use);
  }
}

}  // namespace heddle::executed
