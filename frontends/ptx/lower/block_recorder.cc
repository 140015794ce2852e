#include "frontends/ptx/lower/block_recorder.h"

#include <algorithm>
#include <bit>

namespace heddle::ptx::lower {

using isa::OpClass;

namespace {

constexpr uint32_t kAllLanes = ~0U;

exec::Register tile_addresses(const Tiles& t, uint64_t base, uint64_t stride) {
  exec::Register out{};
  for (uint32_t lane = 0; lane < out.size(); ++lane) {
    const bool rows = t.kind == Tiles::Kind::kRows;
    const size_t tile = rows ? lane / 8 : 0;
    uint64_t row = t.row[tile], col = t.col[tile];
    if (rows) {
      row += lane % 8;
    } else {
      const uint32_t eighth = lane / 4, pair = lane % 4 * 2;
      row += t.kind == Tiles::Kind::kPairs ? eighth : pair;
      col += t.kind == Tiles::Kind::kPairs ? pair : eighth;
    }
    out[lane] = base + row * stride + col * t.bytes;
  }
  return out;
}

}  // namespace

BlockRecorder::BlockRecorder(const Kernel& kernel, const std::vector<uint32_t>& origins, uint32_t blocks,
                             uint32_t warps)
    : kernel_(kernel),
      origins_(origins),
      warps_of_block_(warps),
      several_(kernel.code.blocks.size(), kNone),
      turns_(kernel.code.blocks.size(), 1),
      warps_(size_t{blocks} * warps) {
  for (const Unrolled::Loop& l : kernel.source.loops) {
    several_[kernel.code.block_of[l.one]] = kernel.code.block_of[l.several];
    turns_[kernel.code.block_of[l.one]] = l.turns;
  }
  const uint32_t most = *std::max_element(turns_.begin(), turns_.end());
  for (size_t i = 0; i < warps_.size(); ++i) {
    warps_[i].trace.warp = static_cast<uint32_t>(i % warps);
    warps_[i].turn.resize(most);
    for (Turn& t : warps_[i].turn) {
      t.seen.resize(kernel.source.place.size());
    }
  }
}

void BlockRecorder::begin_turn(WarpState& w, uint32_t block) {
  if (w.block != block || w.turns == turns_[block] || w.turns == 0) {
    flush(w);
    w.block = block;
    w.turns = 0;
  }
  Turn& t = w.turn[w.turns++];
  t.number = ++w.numbers;
  t.active = 0;
}

void BlockRecorder::executed(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t active,
                             uint32_t mask) {
  WarpState& w = state(block, warp);
  const uint32_t instr = origins_[pc];
  const uint32_t place = kernel_.source.place[instr];
  if (place >= kernel_.code.block_of.size()) {
    return;  // behind the last instruction
  }
  const uint32_t b = kernel_.code.block_of[place];
  // Lanes that come to the beginning of a block after others that are in it are in another turn of theirs.
  const bool begins = place == kernel_.code.blocks[b].stretches.front().first;
  if (b != w.block || w.turns == 0 || (begins && w.now().active != 0)) {
    if (w.turns != 0 && w.block == b && active != w.now().active) {
      flush(w);  // turns of other lanes are told apart
    }
    begin_turn(w, b);
  }
  Turn& t = w.now();
  t.active |= active;
  Seen& s = t.seen[instr];
  if (s.turn != t.number) {
    s = {};
    s.turn = t.number;
  }
  s.active |= active;
  s.mask |= mask;
}

void BlockRecorder::accessed(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t mask,
                             const exec::Register& address, const exec::Register* to) {
  WarpState& w = state(block, warp);
  Seen* const s = seen(w, pc, mask);
  // Of lanes that come one group after the other, those of the first group are told.
  if (s != nullptr && !s->has_refs) {
    s->refs[0] = executed::reference(w.trace, mask, address);
    if (to != nullptr) {
      s->refs[1] = executed::reference(w.trace, mask, *to);
    }
    s->has_refs = true;
    s->mask = mask;
  }
}

BlockRecorder::Seen* BlockRecorder::seen(WarpState& w, uint32_t pc, uint32_t mask) const {
  if (mask == 0 || w.turns == 0) {
    return nullptr;
  }
  Seen& s = w.now().seen[origins_[pc]];
  if (s.turn != w.now().number) {  // a part of the instruction that counts
    s = {};
    s.turn = w.now().number;
    s.active = mask;
  }
  return &s;
}

void BlockRecorder::accessed_matrix(const exec::Block& block, uint32_t warp, uint32_t pc, uint64_t base,
                                    uint64_t stride) {
  if (Seen* const s = seen(state(block, warp), pc, kAllLanes)) {
    s->base = base;
    s->stride = stride;
    s->mask = kAllLanes;
  }
}

// As the machine has the operands (tools/tracer/README.md).
void BlockRecorder::synchronised(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t mask,
                                 exec::BarrierObjectOp::Kind kind, const exec::Register& object,
                                 const exec::Register& operand) {
  WarpState& w = state(block, warp);
  Seen* const s = seen(w, pc, mask);
  if (s == nullptr || s->has_refs) {
    return;
  }
  s->refs[0] = executed::reference(w.trace, mask, kind, object, operand);
  s->has_refs = true;
  s->mask = mask;
}

void BlockRecorder::transferred(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t lane,
                                const exec::Transfer& t) {
  WarpState& w = state(block, warp);
  Seen* const s = seen(w, pc, 1U << lane);
  if (s == nullptr) {
    return;
  }
  s->transfers.push_back(executed::reference(w.trace, t));
}

void BlockRecorder::flush(WarpState& w) const {
  if (w.block == kNone || w.turns == 0) {
    return;
  }
  if (w.turns > 1 && w.turns == turns_[w.block]) {
    tell(w, several_[w.block], true, 0);
  } else {
    for (size_t t = 0; t < w.turns; ++t) {
      tell(w, w.block, false, t);
    }
  }
  w.turns = 0;
}

void BlockRecorder::references(WarpState& w, const Machine& m, const isa::Instr& in, const Seen& s) const {
  if (!s.transfers.empty()) {
    w.trace.refs.push_back(s.transfers[0]);
    return;
  }
  if (m.tiles) {
    w.trace.refs.push_back(
        executed::reference(w.trace, kAllLanes, tile_addresses(*m.tiles, s.base, s.stride)));
    return;
  }
  for (uint32_t k = 0; k < in.mem_refs; ++k) {
    w.trace.refs.push_back(s.has_refs ? s.refs[k] : isa::MemRef{});
  }
}

void BlockRecorder::tell(WarpState& w, uint32_t block, bool several, size_t turn) const {
  const Block& b = kernel_.code.blocks[block];
  const uint32_t alive = w.turn[turn].active & ~w.exited;
  if (alive == 0) {
    return;
  }
  for (uint32_t i = 0; i < b.code.size(); ++i) {
    const Machine& m = b.code[i];
    const Turn& t = w.turn[several ? kernel_.source.turn[m.origin] : turn];
    const Seen& s = t.seen[kernel_.source.origin[m.origin]];
    const bool here = s.turn == t.number;
    uint32_t mask = m.lanes == Machine::Lanes::kAll      ? alive
                    : !here                              ? 0
                    : m.lanes == Machine::Lanes::kOthers ? s.active & ~s.mask
                    : m.lanes == Machine::Lanes::kFirst  ? s.mask & -s.mask
                                                         : s.mask;
    mask &= ~w.exited;
    const uint32_t at = b.first + i;
    const isa::Instr& in = kernel_.image.code[at];
    executed::add_run(w.trace, at, mask);
    if (mask != 0 && in.mem_refs > 0) {
      references(w, m, in, s);
      for (size_t k = 1; k < s.transfers.size(); ++k) {  // another lane's
        executed::add_run(w.trace, at, mask);
        w.trace.refs.push_back(s.transfers[k]);
      }
    }
    if (in.op == OpClass::kExit) {
      w.exited |= mask;
      if ((alive & ~w.exited) == 0) {
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
