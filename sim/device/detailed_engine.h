// Every instruction of every block, on the machine of build.h. Several launches share SMs within their
// resources, and everything behind them: L1 and L2, NoC, DRAM. What a launch leaves in the L2 the next one
// finds.
//
// Each launch has instruction and constant caches to warm up, as if no kernel had run before; an SM's L1 is
// emptied when a launch other than the last gets the SM to itself.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/device/engine.h"
#include "sim/device/profiler.h"
#include "sim/device/quantum_loop.h"
#include "sim/device/run_options.h"
#include "sim/isa/recorded_program.h"
#include "sim/memory/host_end.h"
#include "sim/sm/code/timed_instr.h"
#include "sim/stats/result.h"

namespace heddle::device {

class DetailedEngine : public Engine {
 public:
  // kPeriod: the machine was idle, one comes, and perhaps others while it runs; each has a result.
  enum class Launches { kOne, kPeriod, kSeveral };

  // Made by so many host threads, which is worth it when it runs on as many. begin() comes first.
  explicit DetailedEngine(const spec::GpuConfig& gpu, int threads = 1);
  // A machine that several launches are given.
  DetailedEngine(const spec::GpuConfig& gpu, const RunOptions& options);

  // The machine is empty, and cold unless RunOptions::warm. `what` is for messages. Launches::kOne: launch()
  // comes once, and result() says all about it.
  void begin(const RunOptions& options, Launches launches, const std::string& what);

  uint32_t most_launches() const override { return static_cast<uint32_t>(launched_.size()) - first_number_; }
  uint32_t launches() const override { return count_; }
  void launch(Launch launch) override;
  std::optional<LaunchEnd> advance(Cycle until) override;
  Cycle now() const override { return loop_.now(); }
  stats::CounterSet counters() const override { return loop_.counters(); }

  // ---- of several, in the steps of somebody else's loop ----
  // When something happens; kNever: all SMs wait for something that will not come.
  Cycle next() const { return loop_.next_activity(); }
  // A launch that has ended.
  std::optional<LaunchEnd> ended();

  // ---- of a period ----
  // What the launch that has ended last did; counters are of all that the machine did meanwhile.
  const stats::KernelResult& ended_result() const { return ended_; }
  // Memory is as it is now(): stores that are there have been done.
  void show_stores() { loop_.machine().memory->settle_writes(loop_.now()); }
  // The host's memory is at the end of such a link, whose latencies have nothing of what a request and its
  // answer take on this device (on_chip_cycles). Before a period begins.
  using HostLink = memory::HostLink;
  void attach_host(const HostLink& link);
  Cycle on_chip_cycles() const { return loop_.machine().memory->link().on_chip(); }
  Cycle quantum_cycles() const { return loop_.machine().quantum; }
  // What is there; not while SMs advance. Unified memory has pages, which all are away at first.
  struct HostRange {
    uint64_t address = 0, bytes = 0;
    uint64_t page_bytes = 0;  // 0: all of it is the host's
  };
  void host_memory(std::span<const HostRange> ranges);
  // Requests for pages that are away wait until place(); else they take no time.
  void hold_pages(bool on) {
    if (host_) {
      host_->hold(on);
    }
  }
  // First requests for pages that are away. quantum() and advance() go no further when there are some.
  bool has_faults() const { return host_ && host_->has_faults(); }
  std::vector<memory::HostEnd::Fault> take_faults() {
    return host_ ? host_->take_faults() : std::vector<memory::HostEnd::Fault>();
  }
  // From now(), or later from `at` on: memory::kThisDevice, kHostDevice or kAway.
  void place(uint64_t page, uint8_t owner, Cycle at);
  // Blocks are done; with a host beyond a link, their stores, too, are there.
  bool done() const { return blocks_done() && (!host_ || settled(0)); }
  // Whether warps that repeat themselves are a LivelockError: not while somebody else may change what they
  // look at.
  void watch_repetition(bool on) { loop_.watch_repetition(on ? options_.livelock_cycles : 0); }

  // ---- of one launch, or of the first of a period ----
  // Its blocks are done; its last stores may be under way.
  bool blocks_done() const { return loop_.machine().distributor->finished(); }
  // One quantum; not beyond `limit`.
  void quantum(Cycle limit = kNever);
  // How far it is.
  Progress progress() const;
  // So far: cycles are those until the last activity.
  stats::KernelResult result() const;
  // Once its blocks are done: what is on its way arrives. Result and profile, watcher's say included.
  stats::KernelResult finish();
  // Between two quanta: bytes with which restore() goes on; between launches, what a warm one finds. Throws
  // Error for what cannot be saved: CHECKPOINT.md. The machine is as it was.
  std::vector<uint8_t> save();
  // Instead of begin() and launch(): the launch goes on where it was saved. The configuration, the launch and
  // what of the options changes results or profile are the same. Throws Error.
  void restore(const RunOptions& options, const std::string& what, Launch launch,
               std::span<const uint8_t> saved);
  // Between launches: the next one finds what was saved between launches, if it is warm.
  void restore(std::span<const uint8_t> saved);
  // It is given up.
  void abandon() { launched_.clear(); }

  Machine& machine() { return loop_.machine(); }
  const Machine& machine() const { return loop_.machine(); }

 private:
  // Ranges of numbers, for lines of code and constants: taken from the lowest gap, so that they stay small.
  class Ranges {
   public:
    uint32_t take(uint32_t count);
    void give_back(uint32_t first) { taken_.erase(first); }
    void clear() { taken_.clear(); }

   private:
    static constexpr uint32_t kUnit = 64;  // whole units of every cache
    std::map<uint32_t, uint32_t> taken_;   // first number to how many
  };
  struct Launched {
    Launched(Launch l, const spec::GpuConfig& gpu);
    const Launch launch;
    isa::BlockSource* const recording;                  // null: a program
    const std::unique_ptr<isa::GridProgram> computing;  // of a source that is executed
    const isa::KernelImage& image;
    const stats::Occupancy occupancy;
    sm::TimedKernel timed;
    std::optional<isa::RecordedGrid> replay;
    isa::GridProgram* program;
    uint8_t number = 0;
    // When it was launched:
    uint64_t moved_before = 0;  // moved_bytes()
    Cycle at = 0;
    stats::CounterSet counters;  // of a period's further ones
  };

  void give_memory(const Launched& l);
  Launched& admit(Launch request);
  GridLaunch grid(const Launched& l) const;
  bool running() const { return !launched_.empty() && launched_.front(); }
  void serialize(Archive& ar);
  void serialize_header(Archive& ar, bool running) const;
  // Nothing that the launch has stored is still to leave an SM.
  bool settled(uint8_t number) const;
  // Bytes between SMs and L2 until now, of all launches.
  uint64_t moved_bytes() const;
  // When the launch ends: its last access, which can be long after its last warp, and the barrier behind
  // accesses.
  Cycle end_of(uint8_t number, Cycle last_warp) const;
  stats::KernelResult result_of(const Launched& l, Cycle end) const;
  LaunchEnd take_ended();

  QuantumLoop loop_;
  RunOptions options_;
  Launches mode_ = Launches::kSeveral;
  uint32_t first_number_ = 1;  // reads that belong to no launch have number 0, as a single launch
  Ranges lines_, constants_;
  std::vector<std::unique_ptr<Launched>> launched_;  // by number
  uint32_t count_ = 0;
  std::optional<Profiler> profiler_;
  stats::KernelResult ended_;
  std::optional<memory::HostEnd> host_;
  isa::GlobalMemory* image_ = nullptr;
};

}  // namespace heddle::device
