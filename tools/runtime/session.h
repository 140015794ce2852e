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
//   HEDDLE_SHARE         name of the board of the processes that share the device
//   HEDDLE_SHARE_MAKE    1: there are such processes; else there may be, when this one makes one
//   HEDDLE_SHARE_NUMBER  I/N: the process is number I of N that begin together
//   HEDDLE_COMPUTE_MODE  default, exclusive-process, prohibited (cudaComputeMode)
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
#include "frontends/cuda/share.h"
#include "frontends/cuda/shared_kernels.h"

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

  // ---- several processes (frontends/cuda/PROCESSES.md)
  // Other processes may use the device from now on, where the settings have a name for that.
  void share_device();
  void before_fork();
  void has_made(int pid);  // by other means
  // In a child of fork(). False: it is none of the simulated host's.
  bool forked();
  // The child of a process that had used CUDA: it can not.
  bool is_useless() const { return useless_; }
  // False: the device's compute mode does not let it have a context.
  bool makes_context();

  // For tests that play many programs in one process: what a new one finds. What the settings say stays.
  void begin_again();

 private:
  Session();
  void make_context();
  void join(bool makes);
  // Of this process: with its number, if it is not the first.
  std::string file(const char* setting) const;
  // Null: nothing is stored.
  analysis::ResultStore* store();
  uint32_t prepare(exec::Launch& launch);
  void store(const analysis::LaunchRecord& r);
  void note(std::string_view text);
  void write_timeline(const host::Result& r);

  config::GpuConfig gpu_;
  analysis::RunSettings settings_;
  std::unique_ptr<analysis::ResultStore> store_;
  bool stores_ = false;
  std::vector<std::string> overrides_;
  std::unique_ptr<cuda::Share> share_;
  std::unique_ptr<cuda::KernelMachine> machine_;
  std::unique_ptr<cuda::SharedKernels> kernels_;  // what `machine_` runs, when the device is this process's
  std::unique_ptr<cuda::Context> context_;
  std::set<std::string, std::less<>> said_;
  bool functional_ = false;
  bool useless_ = false;
  uint32_t launches_ = 0;
  uint64_t reused_ = 0;  // of them: Reuse
  uint64_t instructions_ = 0;
  std::atomic<bool> ended_{false};
};

}  // namespace heddle::runtime
