#include "sim/sm/tensor_memory/tensor_memory.h"

#include <algorithm>

namespace heddle::sm {

using isa::OpClass;
using stats::Counter;

namespace {

constexpr uint32_t kLanesOfWarp = 32, kBytesOfRegister = 4;

Ticks ticks(double cycles) { return Ticks::truncated(cycles * static_cast<double>(kTicksPerCycle)); }

}  // namespace

TensorMemory::TensorMemory(SmState& sm, Barriers& barriers)
    : sm_(sm), barriers_(barriers), config_(sm.config().tensor_memory()), moves_(sm.subcores()) {}

void TensorMemory::reset(Cycle) {
  array_.reset();
  for (Server& s : moves_) {
    s.reset();
  }
  done_ = 0;
  free_columns_ = config_.columns();
  commits_.clear();
  waiters_.clear();
}

Cycle TensorMemory::start(const Issued& i) {
  if (config_.columns() == 0) {
    sm_.fault(i.warp, i.instr, i.now, "an instruction on tensor memory, which this GPU does not have");
  }
  sm_.operands_read_at(i.now + kOperandReadCycles, i.warp, i.instr);
  const OpClass op = i.instr.op;
  if (i.mask != 0 && (op == OpClass::kTensorLd || op == OpClass::kTensorSt)) {
    move(i);
    return 0;
  }
  if (i.mask != 0 && op == OpClass::kTensorAlloc) {
    return allocate(i);
  }
  sm_.result_at(i.now + kOperandReadCycles, i.warp, i.instr);
  if (i.mask == 0) {
    return 0;
  }
  if (op == OpClass::kTensorMma) {
    multiply(i);
  } else if (op == OpClass::kTensorCopy) {
    copy(i);
  } else {
    commit(i);
  }
  return 0;
}

// How long the array has it: for its columns or for its operands, whatever takes longer.
Ticks TensorMemory::work(const isa::TensorOp& op) const {
  return std::max(ticks(op.columns * config_.mma_column_cycles()),
                  ticks((op.a_bytes + op.bytes) * config_.shared_byte_cycles()));
}

void TensorMemory::multiply(const Issued& i) {
  const isa::TensorOp& op = i.operands.tensor;
  const bool pair = (i.instr.instr->flags & isa::kFlagPair) != 0;
  const Ticks interval = work(op);
  const Ticks begin = array_.reserve(to_ticks(i.now), interval) - interval;
  const Ticks last = begin + ticks(op.a_bytes * config_.shared_byte_cycles()) +
                     ticks(op.columns * config_.mma_column_cycles());
  done_ = std::max(done_, to_cycles_up(last) + config_.mma_latency() + (pair ? config_.pair_latency() : 0));
  // Of all sub-cores; the other SM's too, whose array works as long.
  sm_.counters()[Counter::kTensorBusy] += to_cycles_up(interval) * sm_.subcores() * (pair ? 2 : 1);
}

void TensorMemory::copy(const Issued& i) {
  const Ticks end = array_.reserve(to_ticks(i.now), work(i.operands.tensor));
  done_ = std::max(done_, to_cycles_up(end) + config_.mma_latency());
}

void TensorMemory::commit(const Issued& i) {
  arrive_later(i, i.operands.mbarrier);
  for (const isa::MbarrierOp& more : i.operands.more_mbarriers) {
    arrive_later(i, more);
  }
}

void TensorMemory::arrive_later(const Issued& i, const isa::MbarrierOp& op) {
  Commit c;
  c.slot = sm_.warp(i.warp).block;
  c.generation = sm_.block(c.slot).generation;
  c.op = op;
  sm_.schedule(std::max(done_, i.now + 1), {UnitEvent::Kind::kTensorDone, 0, 0, commits_.add(c)});
}

void TensorMemory::event(const UnitEvent& e, Cycle now) {
  const Commit c = commits_[e.arg];
  commits_.remove(e.arg);
  const BlockSlot& b = sm_.block(c.slot);
  if (b.active && b.generation == c.generation) {
    barriers_.tell(c.slot, c.op, now);
  }
}

void TensorMemory::move(const Issued& i) {
  const double bytes = static_cast<double>(i.instr.instr->matrices) * kLanesOfWarp * kBytesOfRegister;
  const Ticks end = moves_[i.subcore].reserve(to_ticks(i.now), ticks(bytes * config_.move_byte_cycles()));
  sm_.result_at(to_cycles_up(end) + config_.move_latency(), i.warp, i.instr);
}

Cycle TensorMemory::allocate(const Issued& i) {
  const uint32_t columns = i.operands.tensor.columns;
  sm_.result_at(i.now + config_.allocation_latency(), i.warp, i.instr);
  if ((i.instr.instr->flags & isa::kFlagTensorFree) != 0) {
    free(columns, i.now);
    return 0;
  }
  if (waiters_.empty() && columns <= free_columns_) {
    free_columns_ -= columns;
    return 0;
  }
  waiters_.push_back({static_cast<uint8_t>(i.warp), columns});
  return sm_.hold(i.warp, stats::Stall::kSleeping, i.now + 1);
}

void TensorMemory::free(uint32_t columns, Cycle now) {
  free_columns_ = std::min(free_columns_ + columns, config_.columns());
  while (!waiters_.empty() && waiters_.front().columns <= free_columns_) {
    free_columns_ -= waiters_.front().columns;
    sm_.wake_held(waiters_.front().warp, now + config_.allocation_latency(), now);
    waiters_.erase(waiters_.begin());
  }
}

std::string TensorMemory::describe() const {
  return waiters_.empty() ? ""
                          : std::to_string(waiters_.size()) + " warps wait for columns of tensor memory, " +
                                std::to_string(free_columns_) + " are free";
}

}  // namespace heddle::sm
