#include "sim/exec/issue/executed_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/exec/execute.h"
#include "sim/exec/fault.h"
#include "sim/exec/issue/exec_grid.h"
#include "sim/exec/issue/recorded_registers.h"
#include "sim/exec/issue/recorder.h"
#include "sim/exec/issue/served.h"
#include "sim/isa/launch_order.h"

namespace heddle::executed {
namespace {

constexpr uint64_t kTurn = 1 << 22;  // warp instructions of a cluster
// An error: in so many turns all that have begun only looked for something, or waited.
constexpr uint64_t kVainTurns = 20000;

}  // namespace

// A cluster that has begun, and who tells what its warps do.
struct ExecutedSource::Begun {
  std::unique_ptr<Recorder> recorder;
  std::unique_ptr<exec::Cluster> cluster;
};

ExecutedSource::ExecutedSource(isa::KernelImage image, const exec::Launch& launch,
                               const std::vector<uint32_t>& origins, const Tellings* tellings,
                               std::shared_ptr<std::string> output)
    : launch_(launch),
      image_(std::move(image)),
      origins_(origins),
      tellings_(tellings),
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

std::unique_ptr<ExecutedSource::Begun> ExecutedSource::begin() {
  auto c = std::make_unique<Begun>();
  c->recorder = std::make_unique<Recorder>(image_, origins_, tellings_,
                                           static_cast<uint32_t>(launch_.cluster.count()), launch_.warps());
  // Warps take their observer when they are made.
  launch_.observer = c->recorder.get();
  c->cluster = std::make_unique<exec::Cluster>(launch_, next_cluster_++);
  return c;
}

// Until the first cluster has ended; those behind it begin when it waits for them.
void ExecutedSource::run_first() {
  const uint64_t together = std::max<uint64_t>(1, exec::room(launch_) / launch_.cluster.count());
  for (uint64_t vain = 0;;) {
    bool fruitful = false;
    for (const auto& a : active_) {
      const uint64_t progress = a->cluster->progress();
      const exec::Block::Status status = a->cluster->run(kTurn);
      fruitful = fruitful || status != exec::Block::Status::kSpinning || a->cluster->progress() != progress;
      if (a == active_.front() && status == exec::Block::Status::kDone) {
        return;
      }
      if (a == active_.front() && status != exec::Block::Status::kSpinning) {
        break;
      }
    }
    vain = fruitful ? 0 : vain + 1;
    if (!fruitful && next_cluster_ < launch_.clusters() && active_.size() < together) {
      // As on a GPU, all that there is room for have begun.
      while (next_cluster_ < launch_.clusters() && active_.size() < together) {
        active_.push_back(begin());
      }
    } else if (vain > kVainTurns) {
      throw exec::WaitsInVain(*launch_.code,
                              fmt::format("{} blocks", active_.size() * launch_.cluster.count()),
                              active_.front()->cluster->waits());
    }
  }
}

bool ExecutedSource::next(isa::BlockTrace& out) {
  if (ready_.empty()) {
    if (active_.empty()) {
      if (next_cluster_ == launch_.clusters()) {
        return false;
      }
      active_.push_back(begin());
    }
    run_first();
    for (const auto& b : active_.front()->cluster->blocks()) {
      isa::BlockTrace& t = ready_.emplace_back();
      t.index = isa::block_at(position_, launch_.grid, launch_.cluster);
      t.linear = position_++;
      t.warps = active_.front()->recorder->finish(b->rank());
      *output_ += b->output();
    }
    active_.pop_front();
  }
  out = std::move(ready_.front());
  ready_.pop_front();
  return true;
}

std::unique_ptr<isa::GridProgram> ExecutedSource::program(const isa::Device& device) {
  // What the system's functions do to memory they do at once, and stores before them may be under way.
  const bool serves =
      !launch_.code->calls_system && !launch_.runtime && all_served(*launch_.code, image_, origins_);
  image_.computed = true;
  image_.atomics = atomics_of(*launch_.code);
  return std::make_unique<ExecGrid>(image_, origins_, tellings_, launch_, output_, device, serves);
}

}  // namespace heddle::executed
