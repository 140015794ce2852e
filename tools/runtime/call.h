// What all exported calls have in common: one at a time, what they need is there, and what is thrown becomes
// the number that CUDA returns.
#pragma once

#include <cstdint>
#include <mutex>
#include <new>
#include <thread>
#include <type_traits>
#include <vector>

#include "frontends/cuda/status.h"
#include "sim/base/error.h"
#include "tools/runtime/contexts.h"
#include "tools/runtime/given.h"
#include "tools/runtime/program_threads.h"
#include "tools/runtime/session.h"

#define HEDDLE_CUDA extern "C" __attribute__((visibility("default")))

namespace heddle::runtime {

using cuda::Context;
using cuda::Status;

inline uint64_t number(const void* p) { return reinterpret_cast<uint64_t>(p); }
using cuda::pointer;

// A call that there is no code for: says so, once for each name. CUDA's number for "not supported".
int32_t unsupported(const char* name);

// What a call needs. The runtime's calls make what they need; the driver's want it made (cuInit,
// cuCtxSetCurrent).
enum class Needs : uint8_t {
  kContext,  // the usual: one that is current in the thread; no kernel has failed
  kDriver,   // that it is initialised
  kNothing
};
enum class Interface : uint8_t { kRuntime, kDriver };

// Runs `f(context)`, which may return a Status.
template <Interface interface, Needs needs, class F>
Status carry_out(F&& f) {
  const InCall in_call;
  Session& s = Session::get();
  const std::lock_guard lock(s.mutex());
  Context& c = s.context();
  s.spend_own_work();
  if (!s.threads().held()) {
    c.assumptions().called_by(std::this_thread::get_id());
  }
  try {
    if constexpr (needs != Needs::kNothing) {
      cuda::require(!c.in_host_function(), Status::kNotPermitted, "a host function calls CUDA");
      cuda::require(!s.is_useless(), Status::kInitializationError,
                    "the process was made by fork() behind the first call of CUDA");
      prepare(c, interface == Interface::kRuntime, needs == Needs::kContext,
              [&] { return s.makes_context(); });
      if (c.failed() != Status::kSuccess) {
        return c.failed();
      }
    }
    Status status = Status::kSuccess;
    if constexpr (std::is_void_v<std::invoke_result_t<F, Context&>>) {
      f(c);
    } else {
      status = f(c);
    }
    // A kernel has failed meanwhile (ER01).
    return needs != Needs::kNothing && status == Status::kSuccess ? c.failed() : status;
  } catch (const cuda::CallFailed& e) {
    if (e.status() == Status::kNotSupported || e.status() == Status::kUnknown ||
        e.status() == Status::kNoKernelImageForDevice) {
      c.note(e.what());
    }
    return e.status();
  } catch (const std::bad_alloc&) {
    return Status::kMemoryAllocation;
  } catch (const std::exception& e) {
    c.note(e.what());
    return Status::kUnknown;
  }
}

template <Needs needs = Needs::kContext, class F>
int32_t call(F&& f) {
  const Status status = carry_out<Interface::kRuntime, needs>(f);
  // That work is not over is no error (EV06); a host function's is another thread's.
  if (status != Status::kSuccess && status != Status::kNotReady &&
      !Session::get().context().in_host_function()) {
    thread_state().last_error = static_cast<int32_t>(status);
  }
  return static_cast<int32_t>(status);
}

// Of the driver's interface.
template <Needs needs = Needs::kContext, class F>
int32_t driver_call(F&& f) {
  return cuda::driver_status(carry_out<Interface::kDriver, needs>(f));
}

// A call of the driver that is the runtime's, where a context is current.
template <class F>
int32_t of_runtime(F&& f) {
  int32_t status = driver_call([](Context&) {});
  if (status == 0) {
    const int32_t last = thread_state().last_error;  // the runtime's alone
    status = cuda::driver_status(static_cast<Status>(f()));
    thread_state().last_error = last;
  }
  return status;
}

// Calls with one result, which `f(context)` returns; where there is no place for it nothing is done.
template <class T, class F>
auto into(Given<T> out, F& f) {
  return [out, &f](Context& c) {
    T& to = *out;
    to = f(c);
  };
}
template <Needs needs = Needs::kContext, class T, class F>
int32_t call_into(Given<T> out, F&& f) {
  return call<needs>(into(out, f));
}
template <Needs needs = Needs::kContext, class T, class F>
int32_t driver_call_into(Given<T> out, F&& f) {
  return driver_call<needs>(into(out, f));
}

}  // namespace heddle::runtime
