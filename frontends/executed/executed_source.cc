#include "frontends/executed/executed_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontends/executed/bounded_grid.h"
#include "frontends/executed/exec_grid.h"
#include "frontends/executed/live_grid.h"
#include "frontends/executed/served.h"
#include "frontends/executed/vain.h"
#include "sim/exec/fault.h"

namespace heddle::executed {
namespace {

constexpr uint64_t kTurn = 1 << 22;  // warp instructions of a cluster

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

std::unique_ptr<ExecutedCluster> ExecutedSource::begin() {
  auto c = std::make_unique<ExecutedCluster>();
  const auto blocks = static_cast<uint32_t>(launch_.cluster.count());
  c->recorder = make_(blocks, launch_.warps());
  if (note_barriers_) {
    c->recorder->note_barriers();
  }
  // Warps take their observer when they are made.
  launch_.observer = c->recorder.get();
  c->cluster = std::make_unique<exec::Cluster>(launch_, next_cluster_++);
  return c;
}

bool ended(const ExecutedCluster& c) {
  const auto& blocks = c.cluster->blocks();
  return std::all_of(blocks.begin(), blocks.end(), [](const auto& b) { return b->done(); });
}

uint64_t ExecutedSource::most_kept() const {
  constexpr uint64_t kMost = uint64_t{64} << 20, kMostOfWaits = uint64_t{512} << 20;
  const bool waits = std::any_of(image_.code.begin(), image_.code.end(), [](const isa::Instr& in) {
    return in.syncs.kind == isa::SyncsForm::Kind::kWait;
  });
  return most_kept_ != 0 ? most_kept_ : waits ? kMostOfWaits : kMost;
}

// A turn of kTurn instructions, or the part of it until `most` bytes are kept.
exec::Block::Status ExecutedSource::run_turn(ExecutedCluster& c, uint64_t most) {
  for (;;) {
    const uint64_t before = c.cluster->executed();
    const exec::Block::Status status = c.cluster->run(1, c.in_turn != 0);
    c.in_turn += c.cluster->executed() - before;
    if (status != exec::Block::Status::kRunning || c.in_turn >= kTurn) {
      c.in_turn = 0;
      return status;
    }
    if (most != UINT64_MAX && c.recorder->kept_bytes() > most) {
      return status;
    }
  }
}

// Until the first cluster has ended, or `most` bytes are kept of it; those behind it begin when it waits for
// them.
void ExecutedSource::run_first(uint64_t most) {
  uint64_t vain = 0;
  for (;;) {
    bool fruitful = false;
    for (const auto& a : active_) {
      const uint64_t progress = a->cluster->progress();
      const exec::Block::Status status = run_turn(*a, most);
      fruitful = fruitful || status != exec::Block::Status::kSpinning || a->cluster->progress() != progress;
      if (a == active_.front() && status != exec::Block::Status::kSpinning) {
        break;
      }
    }
    if (ended(*active_.front()) || (most != UINT64_MAX && active_.front()->recorder->kept_bytes() > most)) {
      return;
    }
    vain = fruitful ? 0 : vain + 1;
    if (!fruitful && next_cluster_ < launch_.clusters() &&
        active_.size() * launch_.cluster.count() < room()) {
      // As on a GPU, all that there is room for have begun.
      while (next_cluster_ < launch_.clusters() && active_.size() * launch_.cluster.count() < room()) {
        active_.push_back(begin());
      }
    } else if (vain > kVainTurns) {
      throw exec::WaitsInVain(*launch_.code,
                              fmt::format("{} blocks", active_.size() * launch_.cluster.count()),
                              active_.front()->cluster->waits());
    }
  }
}

std::unique_ptr<ExecutedCluster> ExecutedSource::execute(uint64_t most) {
  if (active_.empty()) {
    if (next_cluster_ == launch_.clusters()) {
      return nullptr;
    }
    active_.push_back(begin());
  }
  if (most > 0) {
    run_first(most);
  }
  std::unique_ptr<ExecutedCluster> first = std::move(active_.front());
  active_.pop_front();
  return first;
}

void ExecutedSource::finish(ExecutedCluster& c, std::deque<isa::BlockTrace>& out) {
  for (const auto& b : c.cluster->blocks()) {
    isa::BlockTrace t;
    place(t);
    t.warps = c.recorder->finish(b->rank());
    *output_ += b->output();
    out.push_back(std::move(t));
  }
}

std::unique_ptr<isa::GridProgram> ExecutedSource::program(const isa::Device& device) {
  if (origins_ != nullptr) {
    exec::Launch launch = launch_;
    launch.code = issued_;
    // What the system's functions do to memory they do at once, and stores before them may be under way.
    const bool serves = !issued_->calls_system && !launch.runtime && all_served(*issued_, image_, *origins_);
    image_.computed = true;
    image_.atomics = atomics_of(*issued_);
    return std::make_unique<ExecGrid>(image_, *origins_, tellings_, launch, output_, device, serves);
  }
  if (launch_.code->depends_on_time()) {
    return std::make_unique<LiveGrid>(image_, launch_, make_, output_, device);
  }
  return std::make_unique<BoundedGrid>(*this, most_kept());
}

bool ExecutedSource::next(isa::BlockTrace& out) {
  if (ready_.empty()) {
    const std::unique_ptr<ExecutedCluster> c = execute(UINT64_MAX);
    if (!c) {
      return false;
    }
    finish(*c, ready_);
  }
  out = std::move(ready_.front());
  ready_.pop_front();
  return true;
}

}  // namespace heddle::executed
