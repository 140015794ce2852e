// A launch that is saved between two quanta and goes on elsewhere: CHECKPOINT.md says what is state.
#include <algorithm>
#include <string>
#include <utility>

#include "sim/base/error.h"
#include "sim/device/detailed_engine.h"
#include "sim/engine/archive.h"
#include "sim/stats/counters.h"

namespace heddle::device {
namespace {

// To be raised whenever a serialize() of the machine lists something else, or lists it elsewhere. Not for
// counters: those of another machine are told by how many they are.
constexpr uint64_t kStateVersion = 11;

}  // namespace

void ClusterNetwork::serialize(Archive& ar) { ar(network_, clusters_); }

// ---- blocks ----

std::vector<isa::BlockProgram*> WorkDistributor::blocks(uint32_t sm) const {
  std::vector<isa::BlockProgram*> out;
  for (const Slot& s : slots_[sm]) {
    out.push_back(s.block.get());
  }
  return out;
}

// The numbers of the blocks that are on SMs, and of those that are next.
WorkDistributor::Wanted WorkDistributor::serialize_blocks(Archive& ar, Grid* grid) {
  Wanted wanted;
  const auto block = [&](std::unique_ptr<isa::BlockProgram>& b) {
    uint64_t number = b ? b->linear + 1 : 0;
    ar(number);
    ar.check(number == 0 || grid != nullptr, "a block of no launch");
    if (number != 0) {
      ar.check(wanted.emplace(number - 1, &b).second, "a block that is there twice");
    }
    return number != 0;
  };
  for (std::vector<Slot>& sm : slots_) {
    for (Slot& s : sm) {
      if (block(s.block) && ar.reading()) {
        s.grid = grid;
      }
    }
  }
  if (grid) {
    const size_t n = ar.size(grid->fetched.size());
    ar.check(n <= grid->cluster_size && grid->placed <= n, "a cluster of another size");
    grid->fetched.resize(n);
    for (std::unique_ptr<isa::BlockProgram>& b : grid->fetched) {
      block(b);
    }
  }
  return wanted;
}

void WorkDistributor::serialize(Archive& ar, const GridLaunch& launch) {
  ar.mark("blocks");
  ar.elements(room_);
  ar(done_blocks_, ended_, first_start_, next_cluster_, launches_, total_, done_, issue_free_, retire_free_,
     tpc_free_);
  for (auto& c : clusters_) {
    ar(*c);
  }
  bool under_way = !grids_.empty();  // else all its blocks are done
  ar(under_way);
  if (ar.reading() && under_way) {
    grids_.push_back(new_grid(launch));
  }
  Grid* grid = under_way ? grids_.front().get() : nullptr;
  uint64_t taken = done_;  // blocks of the program
  bool all = true;
  if (grid) {
    ar(*grid);
    all = grid->exhausted;
  }
  const Wanted wanted = serialize_blocks(ar, grid);
  if (grid) {
    taken += grid->running + grid->fetched.size() - grid->placed;
  }
  if (ar.reading()) {
    take_again(ar, launch, wanted, taken);
    ar.check(!all || launch.program->next() == nullptr, "the trace has more blocks");
  }
  for (const auto& [number, block] : wanted) {
    (*block)->serialize(ar);
  }
  launch.program->serialize(ar);
}

// So many blocks of a program that was made anew.
void WorkDistributor::take_again(Archive& ar, const GridLaunch& launch, const Wanted& wanted,
                                 uint64_t taken) {
  for (uint64_t i = 0; i < taken; ++i) {
    std::unique_ptr<isa::BlockProgram> block = launch.program->next();
    ar.check(block != nullptr, "a block that the trace does not have");
    if (const auto w = wanted.find(block->linear); w != wanted.end()) {
      *w->second = std::move(block);
    } else {
      launch.program->recycle(std::move(block));
    }
  }
  ar.check(std::ranges::all_of(wanted, [](const auto& w) { return *w.second != nullptr; }),
           "a block that the trace does not have");
}

// ---- time, and who looks on ----

void QuantumLoop::serialize(Archive& ar) {
  ar.mark("time");
  ar(now_, issued_, progress_at_, repetition_);
  if (ar.reading()) {
    for (uint32_t gpc = 0; gpc < gpcs_.size(); ++gpc) {
      summarize(gpc);
    }
  }
}

void Profiler::serialize(Archive& ar) {
  ar.mark("profile");
  ar(interval_, next_, last_, profile_.series, profile_.spans, profile_.dropped_spans);
}

// ---- the machine ----

void DetailedEngine::serialize_header(Archive& ar, bool running) const {
  ar.mark("machine");
  ar.expect("is the version of the state", kStateVersion);
  ar.expect("counters", stats::kCounterCount + stats::kStallCount);
  ar.expect("launches under way", running);
}

void DetailedEngine::serialize(Archive& ar) {
  Machine& m = loop_.machine();
  Launched& l = *launched_.front();
  m.distributor->serialize(ar, grid(l));
  for (uint32_t i = 0; i < m.sms.size(); ++i) {
    m.sms[i]->serialize(ar, l.timed, m.distributor->blocks(i));
  }
  m.memory->serialize(ar);
  loop_.serialize(ar);
  if (profiler_) {
    profiler_->serialize(ar);
  }
}

std::vector<uint8_t> DetailedEngine::save() {
  if (mode_ == Launches::kSeveral && count_ > 0) {
    throw Error("launches side by side cannot be saved yet (legal: one launch)");
  }
  Archive ar;
  serialize_header(ar, running());
  if (!running()) {
    loop_.machine().memory->serialize(ar);
    return ar.take();
  }
  if (const std::string why = launched_.front()->program->cannot_be_saved(); !why.empty()) {
    throw Error(why);
  }
  if (options_.watcher) {
    throw Error("a launch whose blocks are sampled cannot be saved (legal: one that is simulated whole)");
  }
  serialize(ar);
  return ar.take();
}

void DetailedEngine::restore(const RunOptions& options, const std::string& what, Launch launch,
                             std::span<const uint8_t> saved) {
  begin(options, Launches::kOne, what);
  try {
    admit(std::move(launch));
    Archive ar(saved);
    serialize_header(ar, true);
    serialize(ar);
    ar.end();
  } catch (...) {
    abandon();
    throw;
  }
}

void DetailedEngine::restore(std::span<const uint8_t> saved) {
  Archive ar(saved);
  serialize_header(ar, false);
  loop_.machine().memory->serialize(ar);
  ar.end();
}

}  // namespace heddle::device
