// Races on a block's shared memory between warps: accesses of one place, one of them a store, with nothing in
// between that orders them (Checks::race). Vector clocks; lanes of one warp are not told apart.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace heddle::exec {

class Races {
 public:
  // What orders warps: barriers by number, and words of memory by address.
  static constexpr uint64_t kBarriers = uint64_t{1} << 40;
  static constexpr uint64_t kClusterBarrier = kBarriers + 16;
  static constexpr uint64_t kGlobal = kBarriers + 17;  // all of global memory: orders more than it has to

  Races(uint32_t warps, uint32_t bytes);

  // The other access: by which warp and at which instruction.
  struct Other {
    uint32_t warp = 0, pc = 0;
    bool stores = false;
  };
  // A warp's access of `bytes` from `offset` of the shared memory on; what it races with.
  std::optional<Other> access(uint32_t warp, uint32_t pc, uint64_t offset, uint64_t bytes, bool stores);

  // What the warp did until now comes before what those do that acquire it later.
  void release(uint64_t what, uint32_t warp);
  void acquire(uint64_t what, uint32_t warp);

 private:
  using Clock = std::vector<uint32_t>;  // by warp
  struct Word {
    uint32_t warp = 0, clock = 0, pc = 0;  // of the last store; clock 0: none
    uint8_t bytes = 0;                     // of the word, that it wrote
  };
  struct Read {
    uint32_t clock = 0, pc = 0;
    uint8_t bytes = 0;
  };
  void join(Clock& to, const Clock& from) const;

  uint32_t warps_;
  std::vector<Clock> clocks_;  // by warp
  std::unordered_map<uint64_t, Clock> released_;
  std::vector<Word> words_;
  std::vector<std::vector<Read>> reads_;  // by word; empty or by warp
};

}  // namespace heddle::exec
