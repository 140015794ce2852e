// What all exported calls have in common: one at a time, and what is thrown becomes the number that CUDA
// returns.
#pragma once

#include <cstdint>
#include <mutex>
#include <new>
#include <thread>
#include <type_traits>

#include "frontends/cuda/status.h"
#include "sim/base/error.h"
#include "tools/runtime/session.h"

#define HEDDLE_CUDA extern "C" __attribute__((visibility("default")))

namespace heddle::runtime {

using cuda::Context;
using cuda::Status;

inline uint64_t number(const void* p) { return reinterpret_cast<uint64_t>(p); }
using cuda::pointer;

// cudaGetLastError, of this thread.
int32_t& last_error();

// A call that there is no code for: says so, once for each name. CUDA's number for "not supported".
int32_t unsupported(const char* name);

// Runs `f(context)`, which may return a Status. `always`: also when a kernel has failed.
template <class F>
Status carry_out(F&& f, bool always) {
  Session& s = Session::get();
  const std::lock_guard lock(s.mutex());
  Context& c = s.context();
  c.assumptions().called_by(std::this_thread::get_id());
  if (c.failed() != Status::kSuccess && !always) {
    return c.failed();
  }
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<F, Context&>>) {
      f(c);
      return Status::kSuccess;
    } else {
      return f(c);
    }
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

template <class F>
int32_t call(F&& f, bool always = false) {
  const auto status = static_cast<int32_t>(carry_out(f, always));
  if (status != 0) {
    last_error() = status;
  }
  return status;
}

// Of the driver's interface.
template <class F>
int32_t driver_call(F&& f) {
  return cuda::driver_status(carry_out(f, false));
}

}  // namespace heddle::runtime
