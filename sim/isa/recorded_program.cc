#include "sim/isa/recorded_program.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "sim/engine/archive.h"
#include "sim/isa/recorded_spins.h"

namespace heddle::isa {
namespace {

constexpr uint32_t kRefsAhead = 4;

}  // namespace

uint32_t BarrierCount::at(uint32_t phase) const {
  return every ? every
               : static_cast<uint32_t>(
                     std::count_if(arrivals.begin(), arrivals.end(), [&](uint32_t n) { return n > phase; }));
}

RecordedBarriers::RecordedBarriers(const KernelImage& image) : image_(image) {
  bool counts = false;
  for (uint32_t i = 0; i < image.code.size(); ++i) {
    const Instr& in = image.code[i];
    if (in.op == OpClass::kBarrier) {
      counted_.push_back(i);
      counts |= has_thread_count(in) && in.barrier_threads == 0;
      by_order_ |= has_thread_count(in) && in.barrier_id == kBarrierInRegister;
    }
  }
  if (!counts) {
    counted_.clear();
  }
  find_groups();
}

// Barriers of one thread count, whose number is in a register, at which nobody only arrives: a producer and a
// consumer do not meet there.
void RecordedBarriers::find_groups() {
  const auto is_of = [](const Instr& in, uint32_t threads) {
    return in.op == OpClass::kBarrier && has_thread_count(in) && in.barrier_id == kBarrierInRegister &&
           in.barrier_threads == threads;
  };
  for (const Instr& candidate : image_.code) {
    const uint32_t threads = candidate.barrier_threads;
    if (threads == 0 || threads % 32 != 0 || !is_of(candidate, threads) ||
        std::any_of(image_.code.begin(), image_.code.end(),
                    [&](const Instr& in) { return is_of(in, threads) && (in.flags & kFlagBarrierArrive); })) {
      continue;
    }
    group_warps_ = threads / 32;
    groups_ = image_.shape.warps() / group_warps_;
    if (groups_ < 2 || groups_ >= kNamedBarriers / 2) {
      continue;
    }
    of_group_.resize(image_.code.size());
    for (size_t i = 0; i < image_.code.size(); ++i) {
      of_group_[i] = is_of(image_.code[i], threads);
    }
    return;
  }
}

bool RecordedBarriers::in_groups(const BlockTrace& block) const {
  if (of_group_.empty()) {
    return false;
  }
  std::vector<uint64_t> times(block.warps.size());
  for (size_t w = 0; w < block.warps.size(); ++w) {
    for (const Run& r : block.warps[w].runs) {
      for (uint32_t i = r.first; r.mask && i < r.first + r.count; ++i) {
        times[w] += of_group_[i];
      }
    }
  }
  for (size_t w = 0; w < times.size(); ++w) {
    if (times[w] != times[w - w % group_warps_]) {
      return false;
    }
  }
  return times.size() % group_warps_ == 0;
}

BarrierOp RecordedBarriers::operands(uint32_t code, uint32_t warp, bool in_groups, uint32_t& by_order) const {
  const Instr& in = image_.code[code];
  BarrierOp op;
  if (in_groups && of_group_[code]) {  // the highest numbers
    op.number = static_cast<uint8_t>(kNamedBarriers - 1 - warp / group_warps_);
    op.threads = in.barrier_threads;
    return op;
  }
  const uint32_t free = kNamedBarriers - 1 - (in_groups ? groups_ : 0);
  op.by_order = by_order_ && has_thread_count(in);
  op.number = static_cast<uint8_t>(op.by_order ? 1 + by_order++ % free  // 0 is __syncthreads'
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
        ++counts[operands(*i, static_cast<uint32_t>(w), false, by_order).number].arrivals[w];
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

// It has given all its runs at once. What loops that wait for others have turned is not saved.
std::optional<std::span<const Run>> RecordedWarp::serialize(Archive& ar) {
  if (!spins_->empty()) {
    return std::nullopt;
  }
  ar(ref_, by_order_);
  ar.check(ref_ <= trace_->refs.size(), "operands that the warp does not have");
  given_ = trace_->runs.size();
  return trace_->runs;
}

void RecordedWarp::issue(uint32_t code, uint32_t mask, Operands& out) {
  const Instr& in = block_->image().code[code];
  if (in.op == OpClass::kBarrier) {
    if (block_->knows_barriers()) {
      // A loop that polls may come here again (next_of_spins).
      const bool told = mask != 0 && in_register(in) && by_order_ < trace_->barriers.size();
      const auto number = static_cast<uint8_t>(in.barrier_id % kNamedBarriers);
      out.barrier = told ? trace_->barriers[by_order_++] : BarrierOp{in.barrier_threads, number};
      return;
    }
    out.barrier = block_->barriers().operands(code, trace_->warp, block_->in_groups(), by_order_);
    return;
  }
  const MemRef* r = &trace_->refs[ref_];
  ref_ += in.mem_refs;
  if (block_->flags().any()) {
    flags(code, mask, *r, out.now);
  }
  __builtin_prefetch(r + kRefsAhead);
  operands_.read(block_->image(), in, mask, block_->rank(), &block_->phases(), *trace_, r, out);
}

void RecordedWarp::flags(uint32_t code, uint32_t mask, const MemRef& r, uint64_t now) {
  const RecordedFlags& flags = block_->flags();
  if (flags.loads().polls(code)) {
    polled_ = now;
  } else if (uint64_t address[32]; flags.writes(code) && expand(addresses(*trace_, r), mask, address)) {
    const uint32_t bytes = std::max<uint32_t>(block_->image().code[code].width, 1);
    for_each_word(address, mask, bytes, [&](uint64_t word) {
      if (flags.is_flag(word)) {
        block_->board().written(word, now);
      }
    });
  }
}

// The branch that closes a turn has issued, so the value it polled has come.
std::span<const Run> RecordedWarp::next_of_spins() {
  const std::span<const Run> all = trace_->runs;
  const size_t from = given_;
  if (spin_ < spins_->size() && from == (*spins_)[spin_].turn && from > 0) {
    const Spin& s = (*spins_)[spin_];
    const bool there = std::all_of(s.flags.begin(), s.flags.end(), [&](const Spin::Flag& f) {
      return block_->board().count(f.word, polled_) >= f.needed;
    });
    if (!there && turns_ < s.most) {
      ++turns_;
      turned_ += s.work;
      ref_ = static_cast<uint32_t>(s.turn_reference);
      return all.subspan(s.turn, s.behind - s.turn);
    }
    ref_ = static_cast<uint32_t>(s.behind_reference);
    given_ = s.behind;
    turns_ = 0;
    ++spin_;
    return next_of_spins();
  }
  given_ = spin_ < spins_->size() ? (*spins_)[spin_].turn : all.size();
  return all.subspan(from, given_ - from);
}

namespace {

// In the order of launch a cluster's blocks follow each other, and so do their ranks.
uint32_t rank_in_cluster(const Dim3& at, const Dim3& cluster) {
  return at.x % cluster.x + cluster.x * (at.y % cluster.y + cluster.y * (at.z % cluster.z));
}

}  // namespace

void RecordedBlock::start(BlockTrace& trace) {
  std::swap(trace_, trace);
  index = trace_.index;
  linear = trace_.linear;
  left_out_ = 0;
  find_spins();
  for (size_t i = 0; i < trace_.warps.size(); ++i) {
    left_out_ += spins_[i].empty() ? leave_out_spins(syncs_, trace_.warps[i]) : 0;
  }
  rank_ = rank_in_cluster(index, image_.shape.cluster);
  phases_.find(syncs_, trace_);
  work_ = work_of(trace_);
  knows_barriers_ = std::any_of(trace_.warps.begin(), trace_.warps.end(),
                                [](const WarpTrace& w) { return !w.barriers.empty(); });
  counts_ = knows_barriers_ ? std::vector<BarrierCount>() : barriers_.counts(trace_);
  in_groups_ = !knows_barriers_ && counts_.empty() && barriers_.in_groups(trace_);
  warps_.resize(trace_.warps.size());
  for (size_t i = 0; i < warps_.size(); ++i) {
    warps_[i].start(*this, trace_.warps[i], spins_[i]);
  }
}

void RecordedBlock::find_spins() {
  spins_.assign(trace_.warps.size(), {});
  if (!flags_.any()) {
    return;
  }
  const RecorderClock clock(image_, trace_);
  for (size_t i = 0; i < trace_.warps.size(); ++i) {
    spins_[i] = make_spins(flags_, clock, linear, i, trace_.warps[i]);
  }
}

BlockWork RecordedBlock::work() const {
  BlockWork all = work_;
  for (size_t i = 0; i < warps_.size(); ++i) {
    for (const Spin& s : spins_[i]) {  // one further turn of each is in the stream
      all.instructions -= s.work.instructions;
      all.thread_pred_on -= s.work.thread_pred_on;
    }
    all += warps_[i].turned();
  }
  return all;
}

uint64_t RecordedBlock::left_out() const {
  uint64_t n = left_out_;
  for (size_t i = 0; i < warps_.size(); ++i) {
    for (const Spin& s : spins_[i]) {
      n += s.most * s.work.instructions;
    }
    n -= warps_[i].turned().instructions;
  }
  return n;
}

uint32_t RecordedBlock::barrier_threads(uint32_t number, uint32_t phase) const {
  return counts_[number].at(phase) * 32;
}

std::unique_ptr<RecordedBlock> RecordedGrid::empty() {
  if (free_.empty()) {
    return std::make_unique<RecordedBlock>(syncs_, barriers_, flags_, board_);
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
