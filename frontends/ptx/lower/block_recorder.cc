#include "frontends/ptx/lower/block_recorder.h"

#include <algorithm>
#include <bit>

namespace heddle::ptx::lower {

using isa::OpClass;

namespace {

constexpr uint32_t kAllLanes = ~0U;
// R1 of a kernel, in a lane's local memory: above what its variables need, far enough for deep recursion.
constexpr uint32_t kStackTop = 1U << 20;

exec::Register tile_addresses(const Tiles& t, uint64_t base, uint64_t stride) {
  const executed::TileLanes lanes = tile_lanes(t);
  exec::Register out{};
  for (uint32_t lane = 0; lane < out.size(); ++lane) {
    out[lane] = base + lanes.row[lane] * stride + lanes.bytes[lane];
  }
  return out;
}

}  // namespace

BlockRecorder::BlockRecorder(const Kernel& kernel, const exec::Code& code,
                             const std::vector<uint32_t>& origins, uint32_t blocks, uint32_t warps)
    : Recorder(blocks, warps), kernel_(kernel), warps_(places()) {
  find_places(code, origins);
  size_t instructions = 0;
  for (const auto& part : kernel.parts) {
    instructions += part->source.place.size();
  }
  const uint32_t most = std::ranges::max(blocks_, {}, &PartBlock::turns).turns;
  for (size_t i = 0; i < warps_.size(); ++i) {
    warps_[i].stack.fill(kStackTop);
    warps_[i].turn.resize(most);
    for (Turn& t : warps_[i].turn) {
      t.seen.resize(instructions);
    }
  }
}

void BlockRecorder::find_places(const exec::Code& code, const std::vector<uint32_t>& origins) {
  places_.resize(origins.size());
  uint32_t seen = 0;
  for (const auto& part : kernel_.parts) {
    const auto first = static_cast<uint32_t>(blocks_.size());
    const Lowered& f = part->code;
    for (uint32_t b = 0; b < f.blocks.size(); ++b) {
      blocks_.push_back({part.get(), b, seen});
    }
    for (const Unrolled::Loop& l : part->source.loops) {
      PartBlock& one = blocks_[first + f.block_of[l.one]];
      one.several = f.block_of[l.several];
      one.turns = l.turns;
    }
    const exec::FunctionInfo& executed = code.functions[part->function];
    for (uint32_t pc = executed.first; pc < executed.end; ++pc) {
      const uint32_t place = part->source.place[origins[pc]];
      if (place < f.block_of.size()) {  // else behind the last instruction
        const uint32_t b = f.block_of[place];
        const exec::Inst& in = code.insts[pc];
        const bool stores = in.kind == exec::Kind::kTransfer &&
                            code.transfers[in.target].kind == exec::TransferOp::Kind::kStore;
        places_[pc] = {first + b, seen + origins[pc], place == f.blocks[b].stretches.front().first, stores};
      }
    }
    seen += static_cast<uint32_t>(part->source.place.size());
  }
}

void BlockRecorder::begin_turn(WarpState& w, uint32_t block) {
  if (w.block != block || w.turns == blocks_[block].turns || w.turns == 0) {
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
  const Place& place = places_[pc];
  const uint32_t b = place.block;
  if (b == kNone) {
    return;
  }
  // Lanes that come to the beginning of a block after others that are in it are in another turn of theirs.
  if (b != w.block || w.turns == 0 || (place.begins && w.now().active != 0)) {
    if (w.turns != 0 && w.block == b && active != w.now().active) {
      flush(w);  // turns of other lanes are told apart
    }
    begin_turn(w, b);
  }
  Turn& t = w.now();
  t.active |= active;
  Seen& s = t.seen[place.seen];
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
    const bool stores = places_[pc].stores;
    s->refs[0] = seen_reference(w, [&](isa::WarpTrace& t) {
      return stores ? executed::reference(t, mask, exec::BarrierObjectOp::Kind::kArrive, address, *to)
                    : executed::reference(t, mask, address);
    });
    if (to != nullptr && !stores) {
      s->refs[1] = seen_reference(w, [&](isa::WarpTrace& t) { return executed::reference(t, mask, *to); });
    }
    s->has_refs = true;
    s->mask = mask;
  }
}

BlockRecorder::Seen* BlockRecorder::seen(WarpState& w, uint32_t pc, uint32_t mask) const {
  if (mask == 0 || w.turns == 0 || places_[pc].block == kNone) {
    return nullptr;
  }
  Seen& s = w.now().seen[places_[pc].seen];
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
  s->refs[0] = seen_reference(
      w, [&](isa::WarpTrace& v) { return executed::reference(v, mask, kind, object, operand); });
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
  s->transfers.push_back(seen_reference(w, [&](isa::WarpTrace& v) { return executed::reference(v, t); }));
}

void BlockRecorder::used_tensor_memory(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t lane,
                                       const exec::TensorMemoryOp& op, const exec::TensorUse& use) {
  WarpState& w = state(block, warp);
  Seen* const s = seen(w, pc, 1U << lane);
  if (s == nullptr) {
    return;
  }
  s->transfers.push_back(
      seen_reference(w, [&](isa::WarpTrace& v) { return executed::reference(v, op, use); }));
}

void BlockRecorder::flush(WarpState& w) {
  if (w.block == kNone || w.turns == 0) {
    return;
  }
  const PartBlock& b = blocks_[w.block];
  if (w.turns > 1 && w.turns == b.turns) {
    tell(w, b, b.several, 0);
  } else {
    for (size_t t = 0; t < w.turns; ++t) {
      tell(w, b, b.index, t);
    }
  }
  w.turns = 0;
  w.values.clear();
}

void BlockRecorder::tell(WarpState& w, const Reference& r) {
  isa::WarpTrace& t = trace_of(w);
  const auto first = w.values.values.begin() + r.ref.list;
  t.refs.push_back(r.ref);
  t.refs.back().list = static_cast<uint32_t>(t.values.size());
  if (r.count > 0) {
    t.values.insert(t.values.end(), first, first + static_cast<std::ptrdiff_t>(r.count));
  }
}

void BlockRecorder::references(WarpState& w, const Machine& m, const isa::Instr& in, const Seen& s,
                               uint32_t mask) {
  isa::WarpTrace& trace = trace_of(w);
  if (!s.transfers.empty()) {
    tell(w, s.transfers[0]);
    return;
  }
  if (m.stack != Machine::Stack::kNone && m.address) {
    exec::Register places{};
    for (size_t lane = 0; lane < places.size(); ++lane) {
      places[lane] = w.stack[lane] + static_cast<uint64_t>(m.address->offset);
    }
    const isa::MemRef r = executed::reference(trace, mask, places);
    trace.refs.push_back(r);
    return;
  }
  if (m.tiles) {
    const isa::MemRef r = executed::reference(trace, kAllLanes, tile_addresses(*m.tiles, s.base, s.stride));
    trace.refs.push_back(r);
    return;
  }
  for (uint32_t k = 0; k < in.mem_refs; ++k) {
    tell(w, s.has_refs ? s.refs[k] : Reference{});
  }
}

void BlockRecorder::tell(WarpState& w, const PartBlock& of, uint32_t block, size_t turn) {
  const Block& b = of.part->code.blocks[block];
  const Unrolled& source = of.part->source;
  const bool several = block != of.index;
  const uint32_t alive = w.turn[turn].active & ~w.exited;
  if (alive == 0) {
    return;
  }
  for (uint32_t i = 0; i < b.code.size(); ++i) {
    const Machine& m = b.code[i];
    if (m.lanes == Machine::Lanes::kNone) {
      continue;
    }
    const Turn& t = w.turn[several ? source.turn[m.origin] : turn];
    const Seen& s = t.seen[of.seen + source.origin[m.origin]];
    const bool here = s.turn == t.number;
    uint32_t mask = m.lanes == Machine::Lanes::kAll      ? alive
                    : !here                              ? 0
                    : m.lanes == Machine::Lanes::kOthers ? s.active & ~s.mask
                    : m.lanes == Machine::Lanes::kFirst  ? s.mask & -s.mask
                                                         : s.mask;
    mask &= ~w.exited;
    const uint32_t at = b.first + i;
    const isa::Instr& in = kernel_.image.code[at];
    executed::add_run(trace_of(w), at, mask);
    if (mask != 0 && in.mem_refs > 0) {
      references(w, m, in, s, mask);
      for (size_t k = 1; k < s.transfers.size(); ++k) {  // another lane's
        executed::add_run(trace_of(w), at, mask);
        tell(w, s.transfers[k]);
      }
    }
    if (m.stack_step != 0) {
      for (uint32_t l = mask; l != 0; l &= l - 1) {
        w.stack[static_cast<size_t>(std::countr_zero(l))] += static_cast<uint32_t>(m.stack_step);
      }
    }
    if (in.op == OpClass::kExit) {
      w.exited |= mask;
      if ((alive & ~w.exited) == 0) {
        break;
      }
    }
    // Whoever has jumped does not come to what lies behind.
    if (in.op == OpClass::kBranch && !m.wall && mask == (alive & ~w.exited)) {
      break;
    }
  }
}

}  // namespace heddle::ptx::lower
