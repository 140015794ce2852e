// The one session of a process that runs on a simulated GPU: made by the first call, ended at exit.
// Settings come in the environment, from `heddle exec`:
//   HEDDLE_GPU           a configuration's name or file (default h200)
//   HEDDLE_CONFIGS       where configurations are
//   HEDDLE_SET           overrides, path=value, one in a line
//   HEDDLE_OUT           result database, which gets each launch and the timeline
//   HEDDLE_FORCE         1: replaces it
//   HEDDLE_TIMELINE      file for Perfetto
//   HEDDLE_THREADS       host threads that simulate a launch
//   HEDDLE_FUNCTIONAL    1: kernels are executed and not timed
//   HEDDLE_COLD          1: every launch finds cold caches
//   HEDDLE_REUSE         1: launches like others that have been timed take their time
//   HEDDLE_QUIET         1: nothing is said of the session at its end
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "analysis/run/settings.h"
#include "analysis/store/result_store.h"
#include "configs/schema/gpu.pb.h"
#include "frontends/cuda/context.h"

namespace heddle::runtime {

class Session final {
 public:
  // Ends the process, with a message, when the settings allow no session.
  static Session& get();

  std::recursive_mutex& mutex() { return threads().mutex(); }
  cuda::Context& context() { return *context_; }
  cuda::HostThreads& threads() { return context_->timeline().threads(); }

  // ns of simulated time at which the calling thread is: its last call has returned, and what it has spent
  // since has passed.
  uint64_t host_ns();
  // It spends so many ns, at work or asleep.
  void spend(uint64_t ns, bool asleep = false);
  // And what it has worked since its last call, where that counts (count_own_work).
  void spend_own_work();

  // Once: the whole run is written, and what there is to say is said.
  void end();

  // For tests that play many programs in one process: what a new one finds. What the settings say stays.
  void begin_again();

 private:
  Session();
  void make_context();
  uint32_t prepare(exec::Launch& launch);
  void store(const analysis::LaunchRecord& r);
  void note(std::string_view text);
  void write_timeline(const host::Result& r) const;

  config::GpuConfig gpu_;
  analysis::RunSettings settings_;
  std::unique_ptr<analysis::ResultStore> store_;
  std::unique_ptr<cuda::KernelMachine> kernels_;
  std::unique_ptr<cuda::Context> context_;
  std::set<std::string, std::less<>> said_;
  bool functional_ = false;
  uint32_t launches_ = 0;
  uint64_t reused_ = 0;  // of them: Reuse
  uint64_t instructions_ = 0;
  std::atomic<bool> ended_{false};
};

}  // namespace heddle::runtime
