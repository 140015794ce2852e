// The driver's contexts: the device's primary one, which is the runtime's, and those that the program
// creates. Which is current is each thread's affair. Memory and handles are of all of them here: there is one
// device with one address space.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "frontends/cuda/context.h"
#include "frontends/cuda/handles.h"
#include "tools/runtime/abi.h"

namespace heddle::runtime {

struct LaunchConfiguration {
  abi::Dim3 grid, block;
  size_t shared;
  void* stream;
};

// What each thread of the program has of its own.
struct ThreadState {
  int32_t last_error = 0;                           // cudaGetLastError
  std::vector<const void*> contexts;                // the last is current
  std::vector<LaunchConfiguration> configurations;  // of launches, between <<< and >>>
};
ThreadState& thread_state();

struct DriverContext {
  uint32_t flags = 0;
};

class Contexts {
 public:
  static Contexts& get();

  bool initialised = false;
  DriverContext primary;
  uint32_t users = 0;  // of the primary one: how often it was retained; the runtime retains it once
  bool of_runtime = false;
  bool started = false, made = false;  // the driver, a context: what takes time once
  bool allowed = false;                // the device's compute mode lets the process have contexts
  cuda::Handles<DriverContext> created{cuda::Status::kInvalidContext, "no such context"};

  bool active() const { return users != 0; }
  // Null: the thread has none. Throws CallFailed when it was destroyed.
  DriverContext* current();
  // Throws CallFailed for what is no context.
  DriverContext& at(const void* handle);
  // As the program's, which can do without the device's memory then.
  bool none_left() const { return !active() && created.begin() == created.end(); }
};

// cudaComputeMode, as the settings have it (HEDDLE_COMPUTE_MODE).
inline constexpr int32_t kProhibited = 2, kExclusiveProcess = 3;
int32_t compute_mode();

// Before a call (CUDA driver API, interactions with the CUDA Runtime API): the runtime's initialise the
// driver and make the primary context current in a thread without one; the driver's throw CallFailed when
// what they need is not there.
// What starts the driver and makes the first context takes its time on the simulated host (host.first).
// `may_make`: asked before the process's first context is made; false: the compute mode refuses it.
void prepare(cuda::Context& c, bool runtime, bool context, const std::function<bool()>& may_make);
// The same where the driver's calls make a context.
void require_context(Contexts& all, const std::function<bool()>& may_make);
// The process has none any more: another one may have the device for itself.
void drop_context(cuda::Context& c);

}  // namespace heddle::runtime
