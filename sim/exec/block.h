// A block that executes: its warps, its shared memory, its barriers.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/engine/zeroed.h"
#include "sim/exec/matrix_op.h"
#include "sim/exec/warp.h"

namespace heddle::exec {

class Block {
 public:
  enum class Status : uint8_t { kRunning, kSpinning, kDone };

  // `linear`: its number, x first.
  Block(const Launch& launch, uint64_t linear);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  // Gives each warp a turn, again and again, until about so many instructions are executed or all warps only
  // look for something. Throws Error for what the program may not do, and when all warps wait.
  Status run(uint64_t instructions);

  const Launch& launch() const { return launch_; }
  uint64_t linear() const { return linear_; }
  isa::Dim3 index() const { return index_; }
  uint64_t executed() const;
  uint64_t thread_executed() const;
  const std::string& output() const { return output_; }

  // For its warps.
  std::span<uint8_t> shared() { return {shared_.data(), shared_.size()}; }
  Access& access() { return access_; }
  MatrixAccess& matrix_access() { return matrix_access_; }
  void print(const std::string& text);
  // A warp has come to a barrier. `threads`: how many it is for, 0: all. `count`: of its lanes whose
  // predicate holds, of `of`.
  void arrive(uint32_t number, uint32_t threads, uint32_t lanes, uint32_t holds, BarrierKind kind);
  void warp_ended();

 private:
  struct Barrier {
    uint32_t arrived = 0;   // threads
    uint32_t expected = 0;  // 0: all that have not ended
    uint32_t lanes = 0, holds = 0;
    BarrierKind kind = BarrierKind::kSync;
  };
  void check(uint32_t number);
  [[noreturn]] void deadlock() const;

  const Launch& launch_;
  const uint64_t linear_;
  const isa::Dim3 index_;
  Zeroed<uint8_t> shared_;
  Access access_;
  MatrixAccess matrix_access_;
  std::array<Barrier, 16> barriers_;
  std::vector<Warp> warps_;
  uint32_t live_ = 0;  // warps
  std::string output_;
};

}  // namespace heddle::exec
