// tcgen05: instructions of a warp, or of a thread, on tensor memory. What is asynchronous is done when it
// issues, so waits and fences have nothing to do.
#include <fmt/format.h>

#include <bit>

#include "sim/exec/async/barrier_object.h"
#include "sim/exec/async/transfer.h"
#include "sim/exec/cluster.h"
#include "sim/exec/handlers/by_lane.h"
#include "sim/exec/handlers/handlers.h"
#include "sim/exec/handlers/waiting.h"
#include "sim/exec/tensor_memory/product.h"
#include "sim/exec/tensor_memory/shape.h"

namespace heddle::exec {
namespace {

constexpr uint32_t kWarpsOfGroup = 4;

bool of_warp(TensorMemoryOp::Kind kind) {
  using Kind = TensorMemoryOp::Kind;
  return kind != Kind::kCopy && kind != Kind::kMultiply && kind != Kind::kCommit;
}

uint64_t operand(const Banks& b, Slot s, uint32_t lane) { return s == kNoSlot ? 0 : (*b.at(s))[lane]; }

TensorAddress address(const Banks& b, Slot s, int64_t offset, uint32_t lane) {
  return TensorAddress::decode(operand(b, s, lane) + static_cast<uint64_t>(offset));
}

// The blocks of cluster_group::2 are those whose ranks differ in the last bit.
TensorGroup tensor_group(WarpCore& w, bool pair) {
  TensorGroup group;
  const auto& blocks = w.block->cluster().blocks();
  const uint32_t first = pair ? w.reach.rank & ~1U : w.reach.rank;
  group.blocks = pair ? 2 : 1;
  if (first + group.blocks > blocks.size()) {
    throw Fault{fmt::format(
        "cta_group::2 in block {} of a cluster of {} (legal: blocks whose ranks differ in the last bit)",
        w.reach.rank, blocks.size())};
  }
  for (uint32_t i = 0; i < group.blocks; ++i) {
    group.memory.at(i) = &blocks[first + i]->tensor_memory();
    group.shared.at(i) = w.block->cluster().shared()[first + i];
  }
  return group;
}

// False: it is to be tried again, when another warp may have freed some.
bool allocate(WarpCore& w, Group& g, const TensorMemoryOp& op, uint32_t mask) {
  const Banks b = w.banks(g);
  (void)tensor_group(w, op.pair);  // is there one?
  const auto first = w.block->tensor_memory().allocate(static_cast<uint32_t>(operand(b, op.columns, 0)));
  if (!first) {
    g.state = Group::State::kRunnable;
    ++g.yields;
    w.yields = true;
    ++w.strong_polls;
    g.told = w.time != nullptr && mask == ~0U;
    return false;
  }
  g.yields = 0;
  uint8_t* const to = reach(w.spaces(), 0, at(op.place, b, g.local, 0), sizeof *first, sizeof *first,
                            Use::kWrite, "address of tensor memory");
  copy_bytes(to, reinterpret_cast<const uint8_t*>(&*first), sizeof *first);
  return true;
}

void move_cells(WarpCore& w, const Group& g, const TensorMemoryOp& op) {
  const Banks b = w.banks(g);
  const TensorAddress from = address(b, op.address, op.offset, 0);
  const uint32_t mine = w.index % kWarpsOfGroup * kTensorLanesOfWarp;
  if (from.lane < mine || from.lane + lanes_of(op.shape) > mine + kTensorLanesOfWarp || from.lane % 16 != 0) {
    throw Fault{fmt::format(
        "warp {} moves {} lanes of tensor memory from {} on (legal: within lanes {} to {}, from a multiple "
        "of 16 on)",
        w.index, lanes_of(op.shape), from.lane, mine, mine + kTensorLanesOfWarp - 1)};
  }
  TensorMemory& memory = w.block->tensor_memory();
  for (uint32_t i = 0; i < op.values.size(); ++i) {
    Register* r = b.at(op.values[i]);
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const TensorAddress c = cell_of(op.shape, lane, i, op.half_offset);
      const uint32_t at = from.lane + c.lane;
      if (op.halves) {
        uint32_t& low = memory.cell(at, from.column + 2 * c.column);
        uint32_t& high = memory.cell(at, from.column + 2 * c.column + 1);
        if (op.kind == TensorMemoryOp::Kind::kStore) {
          low = (*r)[lane] & 0xffff;
          high = (*r)[lane] >> 16 & 0xffff;
        } else if (r != nullptr) {
          (*r)[lane] = (low & 0xffff) | high << 16;
        }
        continue;
      }
      uint32_t& cell = memory.cell(at, from.column + c.column);
      if (op.kind == TensorMemoryOp::Kind::kStore) {
        cell = static_cast<uint32_t>((*r)[lane]);
      } else if (r != nullptr) {
        (*r)[lane] = cell;
      }
    }
  }
}

void start_tensor_work(WarpCore& w, const Group& g, const TensorMemoryOp& op, uint32_t lane) {
  const Banks b = w.banks(g);
  const TensorGroup group = tensor_group(w, op.pair);
  TensorUse use;
  if (op.kind == TensorMemoryOp::Kind::kCommit) {
    const Spaces all = w.spaces();
    const At object = at(op.place, b, g.local, lane);
    use.object = object.address % kSharedWindows;
    use.blocks = op.blocks != kNoSlot ? static_cast<uint32_t>(operand(b, op.blocks, lane) & 0xffff) : 0;
    const BarrierObjectOp arrive = {.kind = BarrierObjectOp::Kind::kArrive, .space = op.place.space};
    if (op.blocks == kNoSlot) {
      perform(arrive, all, lane, object, 1);
    } else if (use.blocks >> all.shared.size() != 0) {
      throw Fault{fmt::format("commit to blocks 0x{:x} of a cluster of {}", use.blocks, all.shared.size())};
    }
    for (uint32_t m = use.blocks; m != 0; m &= m - 1) {
      perform(arrive, all, lane, of_block(object, static_cast<uint32_t>(std::countr_zero(m))), 1);
    }
  } else if (op.kind == TensorMemoryOp::Kind::kCopy) {
    copy_to_tensor_memory(op.copy, operand(b, op.a, lane), address(b, op.address, op.offset, lane), group);
    use.shared_bytes = rows_of(op.copy).rows * rows_of(op.copy).bytes;
  } else {
    TensorProduct x;
    x.op = &op;
    x.a = operand(b, op.a, lane);
    x.b = operand(b, op.b, lane);
    x.instruction = static_cast<uint32_t>(operand(b, op.instruction, lane));
    x.d = address(b, op.address, op.offset, lane);
    x.scale_a = address(b, op.scale_a, 0, lane);
    x.scale_b = address(b, op.scale_b, 0, lane);
    x.adds = op.adds == kNoSlot || operand(b, op.adds, lane) != 0;
    for (uint32_t i = 0; i < x.disabled.size(); ++i) {
      x.disabled.at(i) = static_cast<uint32_t>(operand(b, op.disabled[i], lane));
    }
    multiply(x, group);
    const ProductShape s = ProductShape::decode(x.instruction, op.product, op.pair, op.stationary);
    use.columns = static_cast<uint16_t>(s.columns_of_lane(op.pair, op.stationary));
    use.a_bytes = op.a_in_tensor_memory ? 0 : s.a_bytes(op.pair);
    use.shared_bytes = s.b_bytes(op.pair);
  }
  if (w.observer != nullptr) {
    w.observer->used_tensor_memory(*w.block, w.index, g.pc, lane, op, use);
  }
}

}  // namespace

bool tensor_memory(WarpCore& w, Group& g, const Inst& in, uint32_t mask) {
  const TensorMemoryOp& op = w.code.tensor_memory[in.target];
  if (!of_warp(op.kind)) {
    ++w.progress;
    ++w.writes;
    by_lane(w, g, mask, [&](uint32_t lane) { start_tensor_work(w, g, op, lane); });
    ++g.pc;
    return true;
  }
  if (!gather_lanes(w, g, mask)) {
    return false;
  }
  using Kind = TensorMemoryOp::Kind;
  if (op.kind == Kind::kAllocate) {
    bool done = false;
    by_lane(w, g, 1, [&](uint32_t) { done = allocate(w, g, op, mask); });
    if (!done) {
      return true;
    }
  }
  ++w.progress;
  ++w.writes;
  const Banks b = w.banks(g);
  TensorUse use;
  by_lane(w, g, 1, [&](uint32_t lane) {
    if (op.kind == Kind::kFree) {
      w.block->tensor_memory().free(address(b, op.address, op.offset, lane).column,
                                    static_cast<uint32_t>(operand(b, op.columns, lane)));
    } else if (op.kind == Kind::kRelinquish) {
      w.block->tensor_memory().relinquish();
    } else if (op.kind != Kind::kAllocate) {
      move_cells(w, g, op);
    }
    use.columns = static_cast<uint16_t>(operand(b, op.columns, lane));
  });
  if (w.observer != nullptr) {
    w.observer->used_tensor_memory(*w.block, w.index, g.pc, 0, op, use);
  }
  return leave_together(w, g, mask);
}

}  // namespace heddle::exec
