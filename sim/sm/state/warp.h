// The state of one resident warp.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "sim/engine/time.h"
#include "sim/isa/program.h"
#include "sim/sm/code/timed_instr.h"
#include "sim/stats/counters.h"

namespace heddle {
class Archive;  // sim/engine/archive.h
}

namespace heddle::sm {

inline constexpr uint32_t kMaxWarps = 64;
inline constexpr uint32_t kBarriersPerWarp = 6;
inline constexpr uint32_t kGroupRing = 128;  // LDGSTS groups in flight; scoreboard counters hold 63 each

// A cursor over what a warp's program issues.
class WarpStream {
 public:
  void start(isa::WarpProgram& program, const TimedKernel& kernel, Cycle now) {
    program_ = &program;
    kernel_ = &kernel;
    fetch(now);
  }
  bool done() const { return run_ == end_; }
  // When done(): there will be more, which is not known yet.
  bool waits() const { return program_->waits(); }
  // When it waits(): whether there is more now.
  bool ask(Cycle now) {
    fetch(now);
    return !done();
  }
  // The next instruction and its mask; only when not done().
  const TimedInstr& peek() const { return kernel_->code[run_->first + pos_]; }
  uint32_t mask() const { return run_->mask; }
  const TimedKernel& kernel() const { return *kernel_; }
  isa::WarpProgram& program() const { return *program_; }
  // The instruction at the cursor issues.
  void issue(isa::Operands& out) { program_->issue(run_->first + pos_, run_->mask, out); }

  // Moves on; returns true when the next instruction is the one after this in the code.
  bool advance(Cycle now) {
    const uint32_t index = run_->first + pos_;
    if (++pos_ < run_->count) {
      return true;
    }
    pos_ = 0;
    __builtin_prefetch(run_ + kRunsAhead);
    if (++run_ == end_) {
      fetch(now);
    }
    return done() || run_->first == index + 1;
  }

  // When reading, the program was made anew, and is brought to where it was. Throws Error for one that cannot
  // be saved.
  void serialize(Archive& ar, isa::WarpProgram& program, const TimedKernel& kernel);

 private:
  void fetch(Cycle now) {
    const std::span<const isa::Run> runs = program_->next(now);
    run_ = runs.data();
    end_ = run_ + runs.size();
    pos_ = 0;
    __builtin_prefetch(run_);
  }

  static constexpr int kRunsAhead = 8;  // a recording is read once, from the host's memory

  isa::WarpProgram* program_ = nullptr;
  const TimedKernel* kernel_ = nullptr;
  const isa::Run* run_ = nullptr;
  const isa::Run* end_ = nullptr;
  uint32_t pos_ = 0;
};

// Groups of asynchronous operations that complete in order (LDGDEPBAR, WARPGROUP.DEPBAR).
struct GroupRing {
  std::array<uint16_t, kGroupRing> open{};    // operations of each group still in flight
  std::array<uint8_t, kGroupRing> barrier{};  // scoreboard counter to release when the group is complete
  uint32_t head = 0;                          // oldest group not complete
  uint32_t tail = 0;                          // group that new operations join

  // Nobody looks at groups that are complete.
  template <class Archive>
  void serialize(Archive& ar) {
    ar(head, tail);
    ar.check(tail - head < kGroupRing, "more groups than there are places for");
    for (uint32_t i = head; i != tail + 1; ++i) {
      ar(open[i % kGroupRing], barrier[i % kGroupRing]);
    }
  }
};

struct Warp {
  bool active = false;
  uint8_t block = 0;   // block slot of the SM
  uint16_t index = 0;  // within the block
  WarpStream stream;
  const TimedInstr* next = nullptr;                     // stream.peek()
  std::array<uint8_t, kBarriersPerWarp> counter{};      // scoreboard counters
  std::array<stats::Stall, kBarriersPerWarp> reason{};  // what a wait on each is called
  uint8_t busy = 0;                                     // bit b: counter[b] != 0
  bool waiting = false;         // off the ready list until a counter (or store, or group) changes
  bool draining = false;        // has executed its last instruction
  bool held = false;            // by a barrier or a fence: scoreboard counters do not wake it
  bool behind_barrier = false;  // has arrived at a barrier that is not complete
  bool asks = false;            // its program does not know yet what comes next (WarpStream::waits)
  bool constant = false;        // its next instruction's has been fetched, and is kept whatever the L0 does
  stats::Stall state = stats::Stall::kWait;
  Cycle since = 0;  // start of the current wait
  Cycle started = 0;
  uint64_t age = 0;     // larger is younger
  uint32_t line = ~0u;  // instruction line of the previous instruction
  uint32_t fetched =
      ~0u;  // line that was fetched for it; its instruction buffer keeps that whatever the L0 does
  uint32_t stores = 0;          // store packets not acknowledged
  uint32_t loads = 0;           // memory instructions not complete
  uint32_t results = 0;         // scoreboard mode: results not written yet
  GroupRing copies;             // LDGSTS
  uint32_t lanes = ~0u;         // that have not exited
  uint32_t cluster_target = 0;  // cluster phase that ends its next UCGABAR_WAIT
  uint32_t gmma = 0;            // warp-group MMAs in flight
  uint32_t gmma_groups = 0;     // of these, the last ones of their groups

  // But its program and its next instruction: SmState::serialize().
  template <class Archive>
  void serialize(Archive& ar) {
    ar(active, block, index, counter, reason, busy, waiting, draining, held, behind_barrier, asks, constant,
       state, since, started, age, line, fetched, stores, loads, results, copies, lanes, cluster_target, gmma,
       gmma_groups);
  }
};

}  // namespace heddle::sm
