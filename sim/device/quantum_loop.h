// The machine's time: quanta in which SMs advance on their own, and between them the exchange of requests,
// answers, finished and new blocks.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/device/build.h"
#include "sim/device/repetition.h"
#include "sim/engine/worker_pool.h"
#include "sim/stats/counters.h"

namespace heddle {
class Archive;  // sim/engine/archive.h
}

namespace heddle::device {

class QuantumLoop {
 public:
  // The machine is made by so many threads.
  explicit QuantumLoop(const spec::GpuConfig& config, int threads = 1);
  ~QuantumLoop();
  QuantumLoop(const QuantumLoop&) = delete;
  QuantumLoop& operator=(const QuantumLoop&) = delete;

  struct Options {
    int threads = 1;
    Cycle quantum = 0;                          // at most; 0: as long as there can be
    const std::atomic<bool>* cancel = nullptr;  // may be null
    uint64_t watchdog_cycles = 0;               // no instruction issued for so long: deadlock
    bool computed = false;                      // by programs that compute
    uint64_t livelock_cycles = 0;               // RunOptions::livelock_cycles
    std::string what;                           // "kernel NAME", for messages
  };
  // Programs that compute are on the machine.
  void watch_programs(bool computed) { options_.computed = options_.computed || computed; }
  // RunOptions::livelock_cycles, from now on.
  void watch_repetition(uint64_t cycles) { options_.livelock_cycles = cycles; }
  // Memory beyond the machine has changed.
  void changed() { repetition_.reset(now_); }
  // Programs that are asked in order are on the machine (isa::GridProgram::in_order).
  void run_in_order();
  // From now on one thread asks programs, whichever SM they are on.
  void run_alone() { in_order_ = true; }
  bool runs_alone() const { return in_order_; }
  // From core cycle `at` on.
  void begin(const Options& options, Cycle at);
  // One quantum, that ends by `limit`; idle time is skipped at once. Throws Cancelled, DeadlockError.
  void advance(Cycle limit = kNever);
  // Nobody advances any more; what is still to leave the SMs reaches memory.
  void settle();
  // Nothing happens until then.
  void skip_to(Cycle at) { now_ = std::max(now_, at); }

  // Between two quanta.
  WorkerPool& pool() { return *pool_; }
  Machine& machine() { return *machine_; }
  const Machine& machine() const { return *machine_; }
  Cycle now() const { return now_; }
  uint64_t issued() const { return issued_; }  // warp instructions
  stats::CounterSet counters() const;
  Cycle next_activity() const;  // kNever: all SMs wait for something that will not come
  // Its own part of the machine's state; behind the others', when reading.
  void serialize(Archive& ar);

 private:
  void advance_sms(Cycle end);
  void advance_together(Cycle end);
  void find_busy(Cycle end);
  void use_threads(int threads);
  void summarize(uint32_t gpc);
  void watch();
  void look_at_programs();
  Cycle end_recorded_waits();
  [[noreturn]] void deadlock() const;
  template <class Stuck>
  [[noreturn]] void stuck(const std::string& kind, const std::string& why) const;

  std::unique_ptr<WorkerPool> pool_;
  int threads_ = 0;              // that were asked for
  WorkerPool alone_{1};          // this thread, without calling others
  WorkerPool* hands_ = &alone_;  // those of this quantum
  bool in_order_ = false;        // always this thread
  std::unique_ptr<Machine> machine_;
  Options options_;
  struct alignas(64) GpcState {
    Cycle next = kNever;  // when one of its SMs has something to do, or a packet leaves
    uint32_t busy = 0;    // SMs with something to do in this quantum
    uint64_t issued = 0;
    std::atomic<uint32_t> left{0};  // of its SMs in this quantum
  };
  std::vector<Cycle> sm_next_;       // of each SM, without the blocks that were placed since
  std::vector<uint32_t> busy_;       // SMs with something to do in this quantum,
  std::vector<uint32_t> idle_gpcs_;  // and GPCs without any
  const std::vector<uint32_t> gpc_of_sm_;
  const std::vector<uint32_t> first_sm_;  // of each GPC, and the end
  std::vector<GpcState> gpcs_;
  Cycle quantum_ = 1;
  Cycle now_ = 0;
  uint64_t issued_ = 0;
  Cycle progress_at_ = 0;  // when the last instruction was issued
  Repetition repetition_;
};

}  // namespace heddle::device
