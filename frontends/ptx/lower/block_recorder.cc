#include "frontends/ptx/lower/block_recorder.h"

#include <algorithm>
#include <bit>

namespace heddle::ptx::lower {

using isa::OpClass;

BlockRecorder::BlockRecorder(const Kernel& kernel, const std::vector<uint32_t>& origins, uint32_t blocks,
                             uint32_t warps)
    : kernel_(kernel), origins_(origins), warps_of_block_(warps), warps_(size_t{blocks} * warps) {
  for (size_t i = 0; i < warps_.size(); ++i) {
    warps_[i].trace.warp = static_cast<uint32_t>(i % warps);
    warps_[i].seen.resize(kernel.code.function->instrs.size() + 1);
  }
}

void BlockRecorder::executed(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t active, uint32_t mask) {
  WarpState& w = state(block, warp);
  const uint32_t instr = origins_[pc];
  const uint32_t b = kernel_.code.block_of[instr];
  // Lanes that come to the beginning of a block after others that are in it are in another turn of theirs.
  const bool begins = instr == kernel_.code.blocks[b].stretches.front().first;
  if (b != w.block || (begins && w.active != 0)) {
    flush(w);
    w.block = b;
    ++w.turn;
    w.active = 0;
  }
  w.active |= active;
  Seen& s = w.seen[instr];
  if (s.turn != w.turn) {
    s = {};
    s.turn = w.turn;
  }
  s.active |= active;
  s.mask |= mask;
}

isa::MemRef BlockRecorder::reference(isa::WarpTrace& t, uint32_t mask, const exec::Register& address) {
  isa::MemRef out;
  const auto first = static_cast<uint32_t>(std::countr_zero(mask));
  out.kind = isa::MemRef::Kind::kStride;
  out.base = address[first];
  const uint32_t rest = mask & (mask - 1);
  if (rest == 0) {
    return out;
  }
  const uint64_t step = address[static_cast<uint32_t>(std::countr_zero(rest))] - out.base;
  const auto stride = static_cast<int64_t>(step);
  bool even = stride == static_cast<int32_t>(stride);
  uint64_t expected = out.base;
  for (uint32_t m = mask; m != 0 && even; m &= m - 1, expected += step) {
    even = address[static_cast<uint32_t>(std::countr_zero(m))] == expected;
  }
  if (even) {
    out.stride = static_cast<int32_t>(stride);
    return out;
  }
  out.kind = isa::MemRef::Kind::kFull;
  out.list = static_cast<uint32_t>(t.values.size());
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    t.values.push_back(address[static_cast<uint32_t>(std::countr_zero(m))]);
  }
  return out;
}

void BlockRecorder::accessed(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t mask,
                             const exec::Register& address, const exec::Register* to) {
  WarpState& w = state(block, warp);
  Seen& s = w.seen[origins_[pc]];
  if (mask == 0 || s.turn != w.turn) {
    return;
  }
  // Of lanes that come one group after the other, those of the first group are told.
  if (!s.has_refs) {
    s.refs[0] = reference(w.trace, mask, address);
    if (to != nullptr) {
      s.refs[1] = reference(w.trace, mask, *to);
    }
    s.has_refs = true;
    s.mask = mask;
  }
}

void BlockRecorder::run(WarpState& w, uint32_t instr, uint32_t mask) const {
  std::vector<isa::Run>& runs = w.trace.runs;
  if (!runs.empty() && runs.back().mask == mask && runs.back().first + runs.back().count == instr) {
    ++runs.back().count;
  } else {
    runs.push_back({instr, 1, mask});
  }
  ++w.trace.instructions;
}

void BlockRecorder::flush(WarpState& w) const {
  const uint32_t alive = w.active & ~w.exited;
  if (w.block == kNone || alive == 0) {
    return;
  }
  const Block& b = kernel_.code.blocks[w.block];
  for (uint32_t i = 0; i < b.code.size(); ++i) {
    const Machine& m = b.code[i];
    const Seen& s = w.seen[m.origin];
    const bool here = s.turn == w.turn;
    uint32_t mask = m.lanes == Machine::Lanes::kAll      ? alive
                    : !here                              ? 0
                    : m.lanes == Machine::Lanes::kOthers ? s.active & ~s.mask
                                                         : s.mask;
    mask &= ~w.exited;
    const uint32_t at = b.first + i;
    const isa::Instr& in = kernel_.image.code[at];
    run(w, at, mask);
    if (mask != 0 && in.mem_refs > 0) {
      const bool both = in.mem_refs == 2;
      w.trace.refs.push_back(s.has_refs ? s.refs[0] : isa::MemRef{});
      if (both) {
        w.trace.refs.push_back(s.has_refs ? s.refs[1] : isa::MemRef{});
      }
    }
    if (in.op == OpClass::kExit) {
      w.exited |= mask;
      if ((w.active & ~w.exited) == 0) {
        break;
      }
    }
    // Whoever has jumped does not come to what lies behind.
    if (in.op == OpClass::kBranch && mask == (alive & ~w.exited)) {
      break;
    }
  }
}

std::vector<isa::WarpTrace> BlockRecorder::finish(uint32_t rank) {
  std::vector<isa::WarpTrace> out;
  for (uint32_t k = 0; k < warps_of_block_; ++k) {
    WarpState& w = warps_[size_t{rank} * warps_of_block_ + k];
    flush(w);
    w.block = kNone;
    out.push_back(std::move(w.trace));
  }
  return out;
}

}  // namespace heddle::ptx::lower
