#include "frontends/executed/live_grid.h"

#include <utility>

#include "frontends/executed/served.h"
#include "sim/isa/launch_order.h"

namespace heddle::executed {
// Blocks that are executed together, and who tells what they do.
class LiveCluster {
 public:
  LiveCluster(LiveGrid& grid, uint64_t number)
      : recorder_(grid.make_(static_cast<uint32_t>(grid.launch_.cluster.count()), grid.launch_.warps())) {
    recorder_->note_barriers();
    // Warps take their observer when they are made.
    grid.launch_.observer = recorder_.get();
    cluster_ = std::make_unique<exec::Cluster>(grid.launch_, number);
  }
  Recorder& recorder() { return *recorder_; }
  exec::Cluster& cluster() { return *cluster_; }

 private:
  const std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<exec::Cluster> cluster_;
};

std::span<const isa::Run> LiveWarp::next(uint64_t now) {
  waits_ = false;
  if (ended_) {
    return {};
  }
  block_.grid_.time_.cycle = now;
  isa::WarpTrace& out = handed_out_.fresh();
  while (out.runs.empty() && !ended_ && !waits_) {
    execute(out);
  }
  work_ += isa::work_of(out);
  return out.runs;
}

// On to the next place at which it stops.
void LiveWarp::execute(isa::WarpTrace& out) {
  using Status = exec::Warp::Status;
  exec::Block& block = block_.executed();
  exec::Warp& warp = block.warp(index_);
  const uint64_t before = warp.writes() + warp.progress();
  const Status status = warp.run(kAhead);
  const bool stands = status == Status::kPaused || status == Status::kWaiting || status == Status::kDone;
  block_.cluster_->recorder().take(block_.rank_, index_, stands, out);
  ended_ = status == Status::kDone;
  waits_ = out.runs.empty() && (status == Status::kWaiting || status == Status::kSpinning);
  block_.grid_.vain_.note(
      ended_ || status == Status::kRunning || warp.at_clock() || warp.writes() + warp.progress() != before,
      block, block_.grid_.time_.cycle);
  if (block.done()) {
    block_.cluster_->cluster().ended(block_.rank_);
    *block_.grid_.output_ += block.output();
  }
}

void LiveWarp::issue(uint32_t code, uint32_t mask, isa::Operands& out) {
  const isa::KernelImage& image = block_.grid_.image_;
  const isa::Instr& in = image.code[code];
  if (in.op == isa::OpClass::kBarrier) {
    out.barrier = block_.cluster_->recorder()
                      .take_barrier(block_.rank_, index_)
                      .value_or(isa::BarrierOp{.threads = in.barrier_threads, .number = in.barrier_id});
    return;
  }
  handed_out_.issue(image, in, mask, block_.rank_, block_.grid_.phases(), out);
}

LiveBlock::LiveBlock(LiveGrid& grid, std::shared_ptr<LiveCluster> cluster, uint32_t rank)
    : grid_(grid), cluster_(std::move(cluster)), rank_(rank) {
  const uint32_t count = executed().warps();
  warps_.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    warps_.emplace_back(*this, i);
  }
}

exec::Block& LiveBlock::executed() const { return *cluster_->cluster().blocks()[rank_]; }

void LiveBlock::begins_on(uint32_t sm) {
  for (uint32_t i = 0; i < executed().warps(); ++i) {
    executed().warp(i).set_special(exec::Special::kSmid, sm);
    executed().warp(i).set_special(exec::Special::kNsmid, grid_.sms_);
  }
}

isa::BlockWork LiveBlock::work() const {
  isa::BlockWork all;
  for (const LiveWarp& w : warps_) {
    all += w.work_;
  }
  return all;
}

LiveGrid::LiveGrid(const isa::KernelImage& image, const exec::Launch& launch, MakeRecorder make,
                   std::shared_ptr<std::string> output, const isa::Device& device)
    : image_(image),
      counts_arrivals_(!copies_arrive(image)),
      sms_(device.sms),
      launch_(launch),
      make_(std::move(make)),
      output_(std::move(output)) {
  constexpr double kNsPerUs = 1000;
  time_.ns_per_cycle = kNsPerUs / device.core_mhz;
  launch_.time = &time_;
}

LiveGrid::~LiveGrid() = default;

std::unique_ptr<isa::BlockProgram> LiveGrid::next() {
  if (!cluster_) {
    if (next_cluster_ == launch_.clusters()) {
      return nullptr;
    }
    cluster_ = std::make_shared<LiveCluster>(*this, next_cluster_++);
    next_rank_ = 0;
  }
  auto block = std::make_unique<LiveBlock>(*this, cluster_, next_rank_);
  block->index = isa::block_at(position_, launch_.grid, launch_.cluster);
  block->linear = position_++;
  if (++next_rank_ == launch_.cluster.count()) {
    cluster_.reset();
  }
  return block;
}

}  // namespace heddle::executed
