#include "tools/runtime/host_clock.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>

#include "tools/runtime/clock/host_clock.h"
#include "tools/runtime/session.h"

namespace heddle::runtime {
namespace {

struct OfThread {
  uint32_t depth = 0;  // calls
  bool calls = false;  // it has called CUDA
  uint64_t own = 0;    // ns, of others: their own time, which goes on when they sleep
};
thread_local OfThread of_thread;
std::atomic<uint64_t> newest{0};  // ns that a clock has shown

// A host function that a call carries out is the program's.
bool inside() { return of_thread.depth != 0 && !Session::get().context().in_host_function(); }

uint64_t now() {
  if (!of_thread.calls) {
    return std::max(of_thread.own, newest.load());
  }
  const InCall in_call;
  const uint64_t t = std::max(Session::get().host_ns(), newest.load());
  newest = t;
  return t;
}

// Who has not called CUDA is no thread of the model's host: its time is its own.
void spend(uint64_t ns) {
  if (!of_thread.calls) {
    of_thread.own = std::max(of_thread.own, newest.load()) + ns;
    return;
  }
  const InCall in_call;
  Session::get().spend(ns);
}

}  // namespace

InCall::InCall() {
  ++of_thread.depth;
  of_thread.calls = true;
}

InCall::~InCall() { --of_thread.depth; }

std::optional<uint64_t> show_simulated_time() {
  static const HeddleHostClock clock{now, spend, inside};
  void* const f = dlsym(RTLD_DEFAULT, "heddle_use_host_clock");
  return f == nullptr ? std::nullopt : std::optional(reinterpret_cast<HeddleUseHostClock>(f)(&clock));
}

}  // namespace heddle::runtime
