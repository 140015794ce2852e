#include "frontends/executed/executed_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontends/executed/live_grid.h"
#include "sim/base/error.h"
#include "sim/isa/launch_order.h"

namespace heddle::executed {
namespace {

constexpr uint64_t kTurn = 1 << 22;     // warp instructions of a cluster
constexpr uint64_t kVainTurns = 20000;  // in which all that have begun only waited

}  // namespace

ExecutedSource::ExecutedSource(isa::KernelImage image, const exec::Launch& launch, MakeRecorder make,
                               std::shared_ptr<std::string> output)
    : launch_(launch),
      image_(std::move(image)),
      make_(std::move(make)),
      output_(output ? std::move(output) : std::make_shared<std::string>()) {
  isa::LaunchShape& s = image_.shape;
  s.grid = launch_.grid;
  s.block = launch_.block;
  s.cluster = launch_.cluster;
  s.static_shared_bytes = launch_.code->static_shared;
  s.dynamic_shared_bytes = launch_.dynamic_shared;
  s.shared_base = exec::kSharedWindow;
  s.local_base = exec::kLocalWindow;
  image_.parameters = launch_.parameters;
  image_.parameter_base = kParameterBase;
}

ExecutedSource::~ExecutedSource() = default;

// Blocks that may wait for each other, as far as threads and shared memory say (CUDA guide, limits of 9.0).
uint64_t ExecutedSource::room() const {
  constexpr uint64_t kBlocks = 32, kThreads = 2048, kSharedBytes = 228 << 10;
  const uint64_t threads = uint64_t{launch_.warps()} * exec::kLanes;
  const uint64_t shared = uint64_t{launch_.shared_bytes()} + exec::kSharedReserve;
  return exec::kMultiprocessors * std::min({kBlocks, kThreads / threads, kSharedBytes / shared});
}

void ExecutedSource::begin() {
  auto a = std::make_unique<Active>();
  const auto blocks = static_cast<uint32_t>(launch_.cluster.count());
  a->recorder = make_(blocks, launch_.warps());
  // Warps take their observer when they are made.
  launch_.observer = a->recorder.get();
  a->cluster = std::make_unique<exec::Cluster>(launch_, next_cluster_++);
  active_.push_back(std::move(a));
}

// Until the first cluster has ended; those behind it begin when it waits for them.
void ExecutedSource::run_first() {
  uint64_t vain = 0;
  for (;;) {
    bool fruitful = false;
    for (const auto& a : active_) {
      const uint64_t progress = a->cluster->progress();
      const exec::Block::Status status = a->cluster->run(kTurn);
      fruitful = fruitful || status != exec::Block::Status::kSpinning || a->cluster->progress() != progress;
      if (a == active_.front() && status != exec::Block::Status::kSpinning) {
        break;
      }
    }
    const auto& blocks = active_.front()->cluster->blocks();
    if (std::all_of(blocks.begin(), blocks.end(), [](const auto& b) { return b->done(); })) {
      return;
    }
    vain = fruitful ? 0 : vain + 1;
    if (!fruitful && next_cluster_ < launch_.clusters() &&
        active_.size() * launch_.cluster.count() < room()) {
      // As on a GPU, all that there is room for have begun.
      while (next_cluster_ < launch_.clusters() && active_.size() * launch_.cluster.count() < room()) {
        begin();
      }
    } else if (vain > kVainTurns) {
      throw Error(fmt::format(
          "{}: kernel {}: all {} blocks that have begun wait in loops for something that does not come; {}",
          launch_.code->file, launch_.code->kernel, active_.size() * launch_.cluster.count(),
          active_.front()->cluster->waits()));
    }
  }
}

std::unique_ptr<isa::GridProgram> ExecutedSource::program(const isa::Device& device) {
  return launch_.code->depends_on_time() ? std::make_unique<LiveGrid>(image_, launch_, make_, output_, device)
                                         : nullptr;
}

bool ExecutedSource::next(isa::BlockTrace& out) {
  if (ready_.empty()) {
    if (active_.empty()) {
      if (next_cluster_ == launch_.clusters()) {
        return false;
      }
      begin();
    }
    run_first();
    const auto first = std::move(active_.front());
    active_.pop_front();
    for (const auto& b : first->cluster->blocks()) {
      isa::BlockTrace t;
      t.index = isa::block_at(position_, launch_.grid, launch_.cluster);
      t.linear = position_++;
      t.warps = first->recorder->finish(b->rank());
      *output_ += b->output();
      ready_.push_back(std::move(t));
    }
  }
  out = std::move(ready_.front());
  ready_.pop_front();
  return true;
}

}  // namespace heddle::executed
