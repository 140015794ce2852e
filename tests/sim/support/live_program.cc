#include "tests/sim/support/live_program.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "tests/sim/support/kernel_builder.h"

namespace heddle::simtest {
namespace {

Op remote(Op op, OpClass as) {
  op.in.op = as;
  op.in.space = isa::MemSpace::kGeneric;
  return op;
}

// The instruction of each LiveOp::Code, in their order.
std::vector<Op> code() {
  Op invalidate = make(OpClass::kCctl, "CCTL.IVALL");
  Op strong = ldg(1).flags(isa::kFlagStrong | isa::kFlagBypassL1).writes_barrier(0);
  strong.text = "LDG.E.STRONG.GPU";
  Op wait = make(OpClass::kMbarrier, "SYNCS.PHASECHK.TRANS64.TRYWAIT").waits_for_phase();
  wait.in.mem_refs = 1;
  Op bulk = make(OpClass::kBulkCopy, "UBLKCP.S.G").copies(isa::AsyncKind::kBulkLoad);
  bulk.in.space = isa::MemSpace::kGlobal;
  bulk.in.mem_refs = 1;
  return {alu(2, {1}).waits(0b1).stall(4),
          bra().stall(4),
          alu(3, {2}).stall(4),
          ldg(1).writes_barrier(0),
          strong,
          stg(),
          atom(1).writes_barrier(0),
          red(),
          membar(),
          bar(),
          bar_arrive(1, 64),
          make(OpClass::kMbarrier, "SYNCS.ARRIVE.TRANS64"),
          wait.writes_barrier(0),
          bulk,
          invalidate,
          remote(ldg(1).writes_barrier(0), OpClass::kLdGeneric),
          remote(stg(), OpClass::kStGeneric),
          remote(atom(1).writes_barrier(0), OpClass::kAtomGeneric),
          make(OpClass::kClusterBarrier, "UCGABAR_ARV").flags(isa::kFlagBarrierArrive),
          make(OpClass::kClusterWait, "UCGABAR_WAIT"),
          exit_op()};
}

}  // namespace

uint32_t LiveWarp::block() const { return static_cast<uint32_t>(home_->linear); }
std::vector<uint8_t>& LiveWarp::shared() { return home_->shared; }

std::span<const isa::Run> LiveWarp::next(uint64_t /*now*/) {
  switch (next_) {
    case Next::kResume:
      if (!task_.resume()) {
        op_ = {.code = LiveOp::kExit, .mask = ~0u};
        next_ = Next::kNothing;
      }
      run_ = {op_.code, 1, op_.mask};
      return {&run_, 1};
    case Next::kUse:
      run_ = {LiveOp::kUse, 1, op_.mask};
      return {&run_, 1};
    case Next::kNothing:
      break;
  }
  return {};
}

void LiveWarp::issue(uint32_t code, uint32_t mask, isa::Operands& out) {
  ++executed_;
  if (code == LiveOp::kExit) {
    return;
  }
  if (code == LiveOp::kUse) {
    if (pending_ > 0) {
      throw std::logic_error("a value is used before it is there");
    }
    next_ = Next::kResume;
    return;
  }
  out.barrier = op_.barrier;
  out.mbarrier = op_.mbarrier;
  out.bulk = op_.bulk;
  out.atomic = op_.atomic;
  if (out.room) {
    uint32_t k = 0;
    for (uint32_t m = mask; m; m &= m - 1, ++k) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(m));
      out.room->address[k] = op_.address[lane];
      std::memcpy(out.room->data[lane], &op_.value[lane], sizeof(uint64_t));
      std::memcpy(out.room->compare[lane], &op_.compare[lane], sizeof(uint64_t));
    }
    if (op_.code != LiveOp::kInvalidate) {
      out.address = isa::LaneAddresses::full(out.room->address);
    }
  }
  if (op_.has_values()) {
    out.ticket = ticket_++;
    ++pending_;
  }
  next_ = op_.has_values() && !op_.later ? Next::kUse : Next::kResume;
}

void LiveWarp::complete(uint32_t ticket, uint32_t mask, const isa::LaneValues& values) {
  for (uint32_t m = mask; m; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    values_[lane] = 0;
    std::memcpy(&values_[lane], values.data[lane], sizeof(uint32_t));
  }
  results_[ticket % results_.size()] = values_;
  --pending_;
}

LiveBlock::LiveBlock(uint64_t number, uint32_t warps, uint32_t shared_bytes, const Body& body)
    : shared(shared_bytes) {
  linear = number;
  index = {static_cast<uint32_t>(number), 0, 0};
  for (uint32_t i = 0; i < warps; ++i) {
    auto w = std::make_unique<LiveWarp>();
    w->home_ = this;
    w->index_ = i;
    w->task_ = body(*w);
    warps_.push_back(std::move(w));
  }
}

isa::BlockWork LiveBlock::work() const {
  isa::BlockWork work;
  for (const auto& w : warps_) {
    work.instructions += w->executed_;
  }
  return work;
}

void LiveBlock::deliver(uint64_t shared_address, std::span<const uint8_t> bytes) {
  if (shared_address + bytes.size() > shared.size()) {
    throw std::logic_error("data for beyond the block's shared memory");
  }
  std::copy(bytes.begin(), bytes.end(), shared.begin() + static_cast<std::ptrdiff_t>(shared_address));
}

LiveKernel::LiveKernel(LiveBlock::Body body) : body_(std::move(body)) {
  Kernel k;
  for (const Op& o : code()) {
    k.add(o);
  }
  image_ = k.image();
  image_.name = "live";
  image_.computed = image_.delivered = true;
}

std::unique_ptr<isa::BlockProgram> LiveKernel::next() {
  if (next_ == image_.shape.grid.count()) {
    return nullptr;
  }
  return std::make_unique<LiveBlock>(next_++, image_.shape.warps(), image_.shape.dynamic_shared_bytes, body_);
}

}  // namespace heddle::simtest
