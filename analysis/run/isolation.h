// Simulations in processes of their own, so that one that crashes takes no other with it.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "analysis/run/settings.h"
#include "analysis/store/record.h"
#include "sim/base/error.h"
#include "sim/device/gpu.h"

namespace heddle::analysis {

// The process of a simulation was ended by a signal.
class Crashed : public Error {
 public:
  using Error::Error;
};

using ReportProgress = std::function<void(const device::Progress&)>;

// Workers are made by a process that does nothing else and has one thread, as forking asks for; each
// simulates any number of launches, one at a time. They end with this process, however that ends, and leave
// SIGINT and SIGTERM to it.
class Isolation {
 public:
  // Simulates number `i`, in a worker. Throws what Simulator::simulate() throws.
  using Work = std::function<LaunchRecord(size_t i, const ReportProgress& progress, const Warn& warn)>;

  // Forks: to be called while this process has one thread. What `work` refers to is copied by that. Throws
  // heddle::Error when the host starts no process.
  explicit Isolation(const Work& work);
  ~Isolation();
  Isolation(const Isolation&) = delete;
  Isolation& operator=(const Isolation&) = delete;

  // In any thread. When `cancel` becomes true the worker is killed. Throws what `work` threw (heddle::Error,
  // device::DeadlockError, std::bad_alloc), Cancelled, Crashed.
  LaunchRecord run(size_t i, const std::atomic<bool>& cancel, const ReportProgress& progress,
                   const Warn& warn);

 private:
  struct Worker {
    pid_t pid = 0;
    int socket = -1;
  };
  Worker take();
  Worker start();
  // How it ended: a status of waitpid().
  int ended(const Worker& worker);

  pid_t maker_ = 0;
  int control_ = -1;
  std::mutex mutex_;  // guards the conversation over control_, and idle_
  std::vector<Worker> idle_;
};

}  // namespace heddle::analysis
