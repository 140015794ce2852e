#include "sim/isa/recorded_program.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "sim/isa/bulk_copy.h"

namespace heddle::isa {
namespace {

constexpr uint32_t kRefsAhead = 4;

// A barrier's number may come from a register, whose value a recording does not have. Without a thread count
// it is taken for __syncthreads' barrier 0, as in cooperative groups. Else all barriers with a thread count
// are matched by the order in which each warp comes to them: in the usual hand-over between producers and
// consumers the n-th of one meets the n-th of the other.
bool has_thread_count(const Instr& in) {
  return in.op == OpClass::kBarrier && !(in.flags & kFlagBarrierAllThreads);
}

BulkOp bulk(const Instr& in, const WarpTrace& w, const MemRef& r) {
  const bool known =
      in.flags & kFlagBulkLoad && r.kind == MemRef::Kind::kValues && r.count >= kBulkCopyValues;
  return known ? bulk_copy(std::span(w.values).subspan(r.list, r.count)) : BulkOp{};
}

// Arrivals are those of the recorded order, so only the bytes of copies hold up a wait.
MbarrierOp mbarrier(const Instr& in, uint32_t mask, const LaneAddresses& a) {
  MbarrierOp op;
  uint64_t address[32];
  if (in.flags & kFlagWaitsForPhase && expand(a, mask, address)) {
    op.kind = MbarrierOp::Kind::kWait;
    op.any_phase = true;
    op.address = address[std::countr_zero(mask)];
  }
  return op;
}

}  // namespace

uint32_t BarrierCount::at(uint32_t phase) const {
  return every ? every
               : static_cast<uint32_t>(
                     std::count_if(arrivals.begin(), arrivals.end(), [&](uint32_t n) { return n > phase; }));
}

RecordedBarriers::RecordedBarriers(const KernelImage& image) : image_(image) {
  bool in_register = false;
  for (uint32_t i = 0; i < image.code.size(); ++i) {
    const Instr& in = image.code[i];
    if (in.op == OpClass::kBarrier) {
      counted_.push_back(i);
      in_register |= has_thread_count(in) && in.barrier_threads == 0;
      by_order_ |= has_thread_count(in) && in.barrier_id == kBarrierInRegister;
    }
  }
  if (!in_register) {
    counted_.clear();
  }
}

BarrierOp RecordedBarriers::operands(uint32_t code, uint32_t& by_order) const {
  const Instr& in = image_.code[code];
  BarrierOp op;
  op.by_order = by_order_ && has_thread_count(in);
  op.number = static_cast<uint8_t>(op.by_order ? 1 + by_order++ % (kNamedBarriers - 1)  // 0 is __syncthreads'
                                   : in.barrier_id < kNamedBarriers ? in.barrier_id
                                                                    : 0);
  op.threads = in.barrier_threads;
  if (in.barrier_threads == 0 && !(in.flags & kFlagBarrierAllThreads) && !counted_.empty()) {
    op.threads = BarrierOp::kOfPhase;
  }
  return op;
}

std::vector<BarrierCount> RecordedBarriers::counts(const BlockTrace& block) const {
  if (counted_.empty()) {
    return {};
  }
  std::vector<BarrierCount> counts(kNamedBarriers);
  for (BarrierCount& c : counts) {
    c.arrivals.resize(block.warps.size());
  }
  for (size_t w = 0; w < block.warps.size(); ++w) {
    uint32_t by_order = 0;
    for (const Run& r : block.warps[w].runs) {
      auto i = std::lower_bound(counted_.begin(), counted_.end(), r.first);
      for (; r.mask && i != counted_.end() && *i < r.first + r.count; ++i) {
        ++counts[operands(*i, by_order).number].arrivals[w];
      }
    }
  }
  for (BarrierCount& c : counts) {
    const uint32_t phases = *std::max_element(c.arrivals.begin(), c.arrivals.end());
    const uint64_t all = std::accumulate(c.arrivals.begin(), c.arrivals.end(), uint64_t{0});
    if (phases > 0 && all % phases == 0) {
      c.every = static_cast<uint32_t>(all / phases);
    }
  }
  return counts;
}

void RecordedWarp::issue(uint32_t code, uint32_t mask, Operands& out) {
  const Instr& in = block_->image().code[code];
  if (in.op == OpClass::kBarrier) {
    out.barrier = block_->barriers().operands(code, by_order_);
    return;
  }
  const MemRef* r = &trace_->refs[ref_];
  ref_ += in.mem_refs;
  __builtin_prefetch(r + kRefsAhead);
  switch (in.op) {
    case OpClass::kBulkCopy:
      out.bulk = bulk(in, *trace_, *r);
      break;
    case OpClass::kMbarrier:
      out.mbarrier = mbarrier(in, mask, addresses(*trace_, *r));
      break;
    default:
      out.address = addresses(*trace_, *r);
      if (in.mem_refs > 1) {
        out.copy_to = addresses(*trace_, r[1]);
      }
  }
}

void RecordedBlock::start(BlockTrace& trace) {
  std::swap(trace_, trace);
  index = trace_.index;
  linear = trace_.linear;
  work_ = work_of(trace_);
  counts_ = barriers_.counts(trace_);
  warps_.resize(trace_.warps.size());
  for (size_t i = 0; i < warps_.size(); ++i) {
    warps_[i].start(*this, trace_.warps[i]);
  }
}

uint32_t RecordedBlock::barrier_threads(uint32_t number, uint32_t phase) const {
  return counts_[number].at(phase) * 32;
}

std::unique_ptr<RecordedBlock> RecordedGrid::empty() {
  if (free_.empty()) {
    return std::make_unique<RecordedBlock>(image(), barriers_);
  }
  std::unique_ptr<RecordedBlock> block = std::move(free_.back());
  free_.pop_back();
  return block;
}

bool RecordedGrid::read_ahead() {
  const size_t n = source_.next_batch(scratch_, parallel_);
  for (size_t i = 0; i < n; ++i) {
    read_.push_back(empty());
  }
  std::reverse(read_.begin(), read_.end());  // what has been used most recently is used first
  parallel_(static_cast<uint32_t>(n), [&](uint32_t i) { read_[n - 1 - i]->start(scratch_[i]); });
  return n > 0;
}

std::unique_ptr<BlockProgram> RecordedGrid::next() {
  if (scratch_.size() > 1) {
    if (read_.empty() && !read_ahead()) {
      return nullptr;
    }
    std::unique_ptr<RecordedBlock> block = std::move(read_.back());
    read_.pop_back();
    return block;
  }
  if (!source_.next(scratch_.front())) {
    return nullptr;
  }
  std::unique_ptr<RecordedBlock> block = empty();
  block->start(scratch_.front());
  return block;
}

void RecordedGrid::recycle(std::unique_ptr<BlockProgram> block) {
  free_.emplace_back(static_cast<RecordedBlock*>(block.release()));
}

}  // namespace heddle::isa
