// Loops in which a recorded warp asked global memory until another warp had written there: how often they
// were executed is a matter of the time under the recorder, not of the program. What ended them is found from
// the recording, so that a replay can wait for the same.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/isa/recording.h"

namespace heddle::isa {

// Memory is looked at in words: what is polled is one or more of them.
inline constexpr uint64_t kFlagBytes = 4;

// Calls f(address / kFlagBytes) for the words that lanes of the mask access, `bytes` each; once for lanes
// that follow each other and access the same.
template <class F>
void for_each_word(const uint64_t address[32], uint32_t mask, uint32_t bytes, F&& f) {
  uint64_t before = ~uint64_t{0};
  for (uint32_t m = mask; m; m &= m - 1) {
    const uint64_t at = address[std::countr_zero(m)];
    if (at == std::exchange(before, at)) {
      continue;
    }
    for (uint64_t word = at / kFlagBytes; word <= (at + bytes - 1) / kFlagBytes; ++word) {
      f(word);
    }
  }
}

// The instructions of a kernel that may be such polls: strong loads in short loops.
class PollingLoads {
 public:
  explicit PollingLoads(const KernelImage& image);

  const KernelImage& image() const { return image_; }
  bool any() const { return any_; }
  bool polls(uint32_t code) const { return next_[code] == code; }
  // The first from instruction n on; the code's size when there is none.
  uint32_t next(uint32_t n) const { return next_[n]; }
  // References of instructions first, ..., last - 1, each executed once.
  uint32_t references(uint32_t first, uint32_t last) const { return references_[last] - references_[first]; }
  // Whether one of them, which are no polls, touches memory or waits for others.
  bool touches(uint32_t first, uint32_t last) const { return touching_[last] != touching_[first]; }

 private:
  const KernelImage& image_;
  std::vector<uint32_t> next_, references_, touching_;
  bool any_ = false;
};

// A place in a warp's stream, before an instruction.
struct StreamPlace {
  size_t run = 0, reference = 0;
  uint32_t offset = 0;        // in the run
  uint64_t instructions = 0;  // before it
};

// Turns of one loop, all with the same addresses.
struct Poll {
  uint32_t code = 0, mask = 0;    // of the load
  StreamPlace first, turn, last;  // that load: of the first turn, the last but one, the last one
  uint64_t turns = 0;
  uint64_t same = 0;  // instructions of the last two turns, until one goes back and the other one on
  std::vector<uint64_t> words;  // addresses / 4, of all loads of the last turn, ascending
  std::vector<uint32_t> times;  // parallel: the how-manieth visit of this warp to the word, from 1
};

// Calls f for each loop of at least two turns.
void for_each_poll(const PollingLoads& loads, const WarpTrace& w, const std::function<void(const Poll&)>& f);

// How far the recorder was when a warp of the block executed an instruction: instructions executed, warps
// that meet at a barrier being equally far.
class RecorderClock {
 public:
  RecorderClock(const KernelImage& image, const BlockTrace& block);
  uint64_t time(size_t warp, uint64_t instructions) const;

 private:
  std::vector<std::vector<uint64_t>> barriers_;  // of each warp: instructions before
  std::vector<uint64_t> together_;               // the time at which all have come to the n-th
};

// What a kernel's polls waited for: writes to words that are polled, as the recorder saw them.
class RecordedFlags {
 public:
  // Reads the whole source, and begins it again, if its code has polling loads and the source can. Else, and
  // where too much is polled or written to be kept, nothing is known.
  explicit RecordedFlags(BlockSource& source);

  bool any() const { return !writes_.empty(); }
  const PollingLoads& loads() const { return loads_; }
  bool writes(uint32_t code) const { return any() && writing_[code]; }
  bool is_flag(uint64_t word) const { return writes_.count(word) != 0; }
  // How many writes a warp waited for that found the word as it wanted it on its `visit`-th visit, at that
  // time of the recorder. Each block's writes count up to `visit`: of a counter that all blocks raise once
  // the blocks that had come, of a flag that is written again its first value. 0: nobody else writes it.
  uint64_t needed(uint64_t word, uint64_t block, uint32_t visit, uint64_t time) const;

 private:
  struct Writes {
    uint64_t block;
    std::vector<uint64_t> times;  // ascending
  };
  static void add(std::vector<Writes>& all, uint64_t block, uint64_t time);
  bool find_words(BlockSource& source);
  bool find_writes(BlockSource& source);

  const PollingLoads loads_;
  std::unordered_map<uint64_t, std::vector<Writes>> writes_;  // by word
  std::vector<bool> writing_;                                 // by instruction
};

// The writes to flags of a launch that is simulated. Any thread may use it; who asks for a time gets the same
// answer whatever other threads have done, once all that happens until then has happened.
class FlagBoard {
 public:
  void written(uint64_t word, uint64_t cycle);
  uint64_t count(uint64_t word, uint64_t until) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, std::vector<uint64_t>> cycles_;  // ascending
};

// A loop as it is replayed: what its warp issues first, what it issues once more for as long as the flags are
// not there, at most as often as was recorded, and then all that follows.
struct Spin {
  struct Flag {
    uint64_t word, needed;
  };
  size_t turn = 0, behind = 0;                      // runs: of another turn, of what follows
  size_t turn_reference = 0, behind_reference = 0;  // likewise
  uint64_t most = 0;                                // further turns
  BlockWork work;                                   // of one
  std::vector<Flag> flags;
};

// Writes the warp's stream anew, its loops of one turn and one more.
std::vector<Spin> make_spins(const RecordedFlags& flags, const RecorderClock& clock, uint64_t block,
                             size_t warp, WarpTrace& w);

}  // namespace heddle::isa
