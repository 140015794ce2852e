// A block that executes: its warps, its shared memory, its barriers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/engine/zeroed.h"
#include "sim/exec/tensor_memory/memory.h"
#include "sim/exec/warp/warp.h"

namespace heddle {
class Archive;  // sim/engine/archive.h
}

namespace heddle::exec {

class Cluster;
class Races;
class SyncRules;

class Block {
 public:
  enum class Status : uint8_t {
    kRunning,
    kSpinning,
    kWaiting,  // for other blocks of its cluster
    kDone,
  };

  // Warp instructions of a turn, in which a warp is found to look for something in vain; and those after
  // which other warps go on with theirs. Few, as a GPU's warps go on side by side: programs that race within
  // a block count on it.
  static constexpr uint64_t kTurn = 1 << 16, kSlice = 64;

  Block(const Launch& launch, Cluster& cluster, isa::Dim3 index, uint32_t rank);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block();

  // Gives each warp a turn, again and again, until about so many instructions are executed or all warps only
  // look for something, or wait. `goes_on`: it goes on with the last run, which was kRunning: nobody looks
  // again because of that. Throws Error for what the program may not do.
  Status run(uint64_t instructions, bool goes_on = false);

  const Launch& launch() const { return launch_; }
  uint64_t linear() const;  // its number, x first
  isa::Dim3 index() const { return index_; }
  uint32_t rank() const { return rank_; }  // in its cluster
  uint32_t warps() const { return static_cast<uint32_t>(warps_.size()); }
  Warp& warp(uint32_t i) { return warps_[i]; }  // for those who give turns themselves
  bool done() const { return live_ == 0; }
  uint64_t executed() const;
  uint64_t progress() const;  // see Warp
  std::string waits() const;  // where its warps are; for messages
  uint64_t thread_executed() const;
  const std::string& output() const { return output_; }

  // For its cluster: the shared memory of its blocks, by rank, and what of it has been written.
  void join(std::span<const std::span<uint8_t>> shared, std::span<const std::span<uint8_t>> written);
  // The cluster's barrier is complete.
  void pass_cluster_barrier();
  // For its warps.
  Cluster& cluster() { return cluster_; }
  std::span<uint8_t> shared() { return {shared_.data(), shared_.size()}; }
  // What is checked; null without Checks::race, Checks::sync.
  Races* races() { return races_.get(); }
  SyncRules* sync_rules() { return sync_rules_.get(); }
  TensorMemory& tensor_memory() { return tensor_memory_; }
  std::span<uint8_t> written() { return {written_.data(), written_.size()}; }
  const Spaces& reach() const { return reach_; }
  Scratch& scratch() { return scratch_; }
  void print(const std::string& text);
  // A warp has come to a barrier. `threads`: how many it is for, 0: all. `count`: of its lanes whose
  // predicate holds, of `of`.
  void arrive(uint32_t number, uint32_t threads, uint32_t lanes, uint32_t holds, BarrierKind kind);
  void warp_ended();

  // Between two instructions, of a block that nobody gives turns (run) or checks (serialize.cc).
  void serialize(Archive& ar);
  // Of a block that was made anew: it had ended, and nobody has kept what it was.
  void end();

 private:
  struct Barrier {
    uint32_t arrived = 0;   // threads
    uint32_t expected = 0;  // 0: all that have not ended
    uint32_t lanes = 0, holds = 0;
    BarrierKind kind = BarrierKind::kSync;

    template <class A>
    void serialize(A& ar) {
      ar(arrived, expected, lanes, holds, kind);
    }
  };
  void check(uint32_t number);
  uint64_t writes() const;

  const Launch& launch_;
  Cluster& cluster_;
  const isa::Dim3 index_;
  const uint32_t rank_;
  Zeroed<uint8_t> shared_;
  Zeroed<uint8_t> system_;  // below it, of code that uses it
  std::unique_ptr<Races> races_;
  std::unique_ptr<SyncRules> sync_rules_;
  Zeroed<uint8_t> written_;  // of shared_, a byte each; Checks::init
  TensorMemory tensor_memory_;
  Spaces reach_;  // of its warps
  Scratch scratch_;
  std::array<Barrier, 16> barriers_;
  std::vector<Warp> warps_;
  // Of run(), by warp that looks for something: what the others had written when it last looked in vain.
  std::vector<uint64_t> looked_;
  uint32_t live_ = 0;  // warps
  std::string output_;
};

}  // namespace heddle::exec
