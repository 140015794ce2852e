// Races on a block's shared memory between warps: two accesses of one place, one of them a store, with
// nothing in between that orders them, and not both strong (PTX ISA, "Memory Consistency Model"). Vector
// clocks, so it does not depend on which came first; lanes of one warp are not told apart.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace heddle::exec {

class Races {
 public:
  // `bytes` of shared memory. `alone`: the launch has no other block, so nobody else stores in global memory.
  Races(uint32_t warps, uint32_t bytes, bool alone);

  struct Use {
    uint32_t pc = 0;
    bool loads = false, stores = false;  // an atomic operation: both
    bool strong = false;                 // an atomic operation, or volatile, relaxed, acquire, release
    bool polls = false;  // a load that looks for what others store, by whatever instruction these do
  };
  // The other access: by which warp.
  struct Other {
    uint32_t warp = 0;
    Use use;
  };
  // A warp's access of `bytes` from `offset` of the shared memory on; what it races with.
  std::optional<Other> access(uint32_t warp, const Use& use, uint64_t offset, uint64_t bytes);
  // A compare-and-swap or an exchange, which may have taken a lock; whether a store behind one gives it back.
  void take(uint32_t warp, uint64_t offset) { taken_[warp].insert(offset); }
  bool gives_back(uint32_t warp, uint64_t offset) { return taken_[warp].erase(offset) != 0; }
  // Strong accesses order warps by the words (of 4 bytes) that they share. Of a global address what is
  // loaded, if anything, tells whether another block has stored there: whom that block waited for is not
  // known, so all that this block has released before comes first then.
  void order_shared(uint32_t warp, const Use& use, uint64_t offset, uint64_t bytes);
  void order_global(uint32_t warp, const Use& use, uint64_t address, uint64_t bytes,
                    std::optional<uint64_t> loaded);

  // Named barriers: who arrives comes before those who wait for this phase, and for no other. `all`: of the
  // whole block, which waits for nobody who has ended: these come before, too.
  void arrive(uint32_t number, uint32_t warp);
  void complete(uint32_t number, bool all);
  void pass(uint32_t number, uint32_t warp);
  // The cluster's barrier.
  void arrive_at_cluster(uint32_t warp);
  void complete_cluster();
  void pass_cluster(uint32_t warp);
  // Barrier objects, by offset; `parity`: of the phase that is not complete, after what the warp did. One of
  // another block: who waits for an object then comes after it, since that block may have arrived here.
  void arrive_at_object(uint64_t offset, uint32_t warp, bool parity);
  void wait_for_object(uint64_t offset, uint32_t warp, bool parity, bool complete);
  void arrive_elsewhere(uint32_t warp);
  void end(uint32_t warp);

 private:
  using Clock = std::vector<uint32_t>;  // by warp; empty: nothing comes before
  struct Entry {
    uint32_t warp = 0, clock = 0;
    Use use;
    uint8_t bytes = 0;  // of the word
  };
  struct Global {
    Clock clock;
    uint32_t value = 0;
    bool known = false;  // the value is what this block has left there
  };
  struct Object {
    Clock arrived, complete;
    bool parity = false;
  };
  void join(Clock& to, const Clock& from) const;
  void release(Clock& to, uint32_t warp);
  bool before(const Entry& e, uint32_t warp) const {
    return e.warp == warp || e.clock <= clocks_[warp][e.warp];
  }
  static bool conflict(const Use& a, const Use& b);
  static bool stands_for(const Use& later, const Use& earlier);
  void turn(Object& o, bool parity) const;

  uint32_t warps_;
  bool alone_;
  std::vector<Clock> clocks_;  // by warp
  Clock ended_, elsewhere_, all_global_, at_cluster_, passed_cluster_;
  std::array<Clock, 16> arrived_, passed_;
  std::vector<std::unordered_set<uint64_t>> taken_;  // by warp: offsets
  std::unordered_map<uint64_t, Clock> shared_;       // by word
  std::unordered_map<uint64_t, Global> global_;
  std::unordered_map<uint64_t, Object> objects_;
  std::vector<std::vector<Entry>> words_;  // accesses that a later one may race with
};

}  // namespace heddle::exec
