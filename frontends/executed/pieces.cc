#include "frontends/executed/pieces.h"

#include <algorithm>
#include <utility>

#include "frontends/executed/served.h"

namespace heddle::executed {
namespace {

constexpr uint64_t kPiece = 256;    // instructions of a turn at a time
constexpr uint64_t kWindow = 1024;  // that a warp may be ahead, because others wait for it
// What a warp has done is told by blocks of code, and such a block may have barriers inside: who has been
// asked so often in vain may need others that cannot issue before it does.
constexpr uint32_t kPatience = 256;

}  // namespace

PieceShared::PieceShared(const isa::KernelImage& code, std::shared_ptr<std::string> printed)
    : image(code),
      output(std::move(printed)),
      register_barriers(std::any_of(code.code.begin(), code.code.end(), isa::in_register)),
      counts_arrivals(!copies_arrive(code)) {}

PieceCluster::PieceCluster(PieceShared& shared, std::unique_ptr<ExecutedCluster> executed)
    : shared_(shared),
      executed_(std::move(executed)),
      warps_of_block_(executed_->cluster->blocks().front()->warps()),
      warps_(executed_->cluster->blocks().size() * warps_of_block_),
      done_(executed_->cluster->blocks().size()) {
  for (uint32_t rank = 0; rank < done_.size(); ++rank) {
    done_[rank] = block(rank).done();
    for (uint32_t i = 0; i < warps_of_block_; ++i) {
      State& s = warps_[place(rank, i)];
      s.ended = block(rank).warp(i).lanes() == 0;
    }
  }
}

uint64_t PieceCluster::others_writes(uint32_t rank, uint32_t warp) const {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < warps_of_block_; ++i) {
    sum += i != warp ? block(rank).warp(i).writes() : 0;
  }
  return sum;
}

bool PieceCluster::full(uint32_t rank, uint32_t warp) const {
  return executed_->recorder->untaken(rank, warp) >= kWindow;
}

// Whether it has executed something. `look`: also where it would look in vain again.
bool PieceCluster::turn(uint32_t rank, uint32_t warp, bool look, uint64_t now) {
  using Status = exec::Warp::Status;
  State& s = warps_[place(rank, warp)];
  if (s.ended) {
    return false;
  }
  const uint64_t others = s.looked == UINT64_MAX ? 0 : others_writes(rank, warp);
  if (s.looked != UINT64_MAX && s.looked == others && !look) {
    return false;
  }
  exec::Block& b = block(rank);
  exec::Warp& w = b.warp(warp);
  const uint64_t before = w.executed(), done = w.writes() + w.progress();
  const Status status = w.run(exec::Block::kTurn, kPiece);
  s.looked = status == Status::kSpinning ? others_writes(rank, warp) : UINT64_MAX;
  s.ended = status == Status::kDone;
  shared_.vain.note(
      s.ended || status == Status::kRunning || status == Status::kHeld || w.writes() + w.progress() != done,
      b, now);
  if (b.done() && !done_[rank]) {
    done_[rank] = true;
    executed_->cluster->ended(rank);
    *shared_.output += b.output();
  }
  return w.executed() != before || s.ended;
}

bool PieceCluster::advance(uint32_t rank, uint32_t warp, uint64_t now) {
  const auto blocks = static_cast<uint32_t>(done_.size());
  while (!turn(rank, warp, false, now)) {
    // Those that it may wait for have a turn each.
    bool any = false, any_full = false;
    const bool patient = warps_[place(rank, warp)].waited < kPatience;
    for (uint32_t r = 0; r < blocks; ++r) {
      for (uint32_t i = 0; i < warps_of_block_; ++i) {
        if (r == rank && i == warp) {
          continue;
        }
        const bool waits = patient && full(r, i);
        any_full |= waits && !ended(r, i);
        any |= !waits && turn(r, i, false, now);
      }
    }
    if (!any) {
      const bool looked = !any_full && turn(rank, warp, true, now);
      State& s = warps_[place(rank, warp)];
      s.waited = looked ? 0 : s.waited + 1;
      return looked;
    }
  }
  warps_[place(rank, warp)].waited = 0;
  return true;
}

void PieceCluster::take(uint32_t rank, uint32_t warp, isa::WarpTrace& out) {
  executed_->recorder->take(rank, warp, ended(rank, warp), out);
}

std::span<const isa::Run> PieceWarp::next(uint64_t now) {
  PieceCluster& c = *block_.cluster_;
  waits_ = false;
  isa::WarpTrace& out = handed_out_.fresh();
  c.take(block_.rank_, index_, out);
  while (out.runs.empty() && !waits_ && !c.ended(block_.rank_, index_)) {
    waits_ = !c.advance(block_.rank_, index_, now);
    c.take(block_.rank_, index_, out);
  }
  waits_ = waits_ && out.runs.empty();
  if (!std::exchange(first_, false)) {
    c.shared().most_handed_out = std::max(c.shared().most_handed_out, out.instructions);
  }
  work_ += isa::work_of(out);
  return out.runs;
}

void PieceWarp::issue(uint32_t code, uint32_t mask, isa::Operands& out) {
  PieceCluster& c = *block_.cluster_;
  const isa::Instr& in = c.shared().image.code[code];
  if (in.op != isa::OpClass::kBarrier) {
    handed_out_.issue(c.shared().image, in, mask, block_.rank_, c.shared().phases(), out);
    return;
  }
  const isa::BarrierOp own{.threads = in.barrier_threads,
                           .number = static_cast<uint8_t>(in.barrier_id % isa::kNamedBarriers)};
  out.barrier =
      c.shared().register_barriers ? c.recorder().take_barrier(block_.rank_, index_).value_or(own) : own;
}

PieceBlock::PieceBlock(std::shared_ptr<PieceCluster> cluster, uint32_t rank)
    : cluster_(std::move(cluster)), rank_(rank) {
  const uint32_t count = cluster_->block(rank).warps();
  warps_.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    warps_.emplace_back(*this, i);
  }
}

isa::BlockWork PieceBlock::work() const {
  isa::BlockWork all;
  for (const PieceWarp& w : warps_) {
    all += w.work();
  }
  return all;
}

}  // namespace heddle::executed
