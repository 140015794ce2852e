#include "tools/runtime/program_threads.h"

#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <optional>

#include "tools/runtime/call.h"
#include "tools/runtime/preload/simulated_host.h"
#include "tools/runtime/session.h"
#include "tools/runtime/touches.h"

namespace heddle::runtime {
namespace {

struct OfThread {
  uint32_t depth = 0;  // calls
  double work = 0;     // ns of its own, not charged for yet
  double left = -1;    // its processor time when it left the last call
  bool known = false;  // one of the simulated host's
  uint64_t own = 0;    // ns, of others: their own time, which goes on when they sleep
};
thread_local OfThread of_thread;
std::atomic<uint64_t> newest{0};  // ns that a clock has shown
std::atomic<Session*> session{nullptr};
std::atomic<bool> over{false};
double work_factor = 0;

double processor_ns() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

// A host function that a call carries out is the program's; the calls that it makes are not.
bool inside() {
  Session* const s = session.load();
  return of_thread.depth > 1 || (of_thread.depth == 1 && (s == nullptr || !s->context().in_host_function()));
}

uint64_t now() {
  if (!of_thread.known) {
    return std::max(of_thread.own, newest.load());
  }
  const InCall in_call;
  Session& s = Session::get();
  s.spend_own_work();
  const uint64_t t = s.host_ns();
  if (t > newest.load()) {
    newest = t;
  }
  return t;
}

// Who has not called CUDA is no thread of the model's host: its time is its own.
void spend(uint64_t ns, bool asleep) {
  if (!of_thread.known) {
    of_thread.own = std::max(of_thread.own, newest.load()) + ns;
    return;
  }
  const InCall in_call;
  Session::get().spend(ns, asleep);
}

bool known() { return of_thread.known && of_thread.depth == 0 && !over.load(); }

template <class F>
auto with_threads(const F& f) {
  const InCall in_call;
  Session& s = Session::get();
  try {
    const std::lock_guard lock(s.mutex());
    return f(s.threads());
  } catch (const cuda::CallFailed&) {
    s.context().note("the program hangs: its threads wait for each other, and the device has nothing to do");
    s.end();
    std::_Exit(1);
  }
}

uint32_t expect() {
  return with_threads([](cuda::HostThreads& t) { return t.expect(); });
}
void begin(uint32_t number) {
  with_threads([&](cuda::HostThreads& t) { t.begin(number); });
}
void end() {
  with_threads([](cuda::HostThreads& t) { t.end(); });
  of_thread.known = false;
}
void join(uint32_t number) {
  with_threads([&](cuda::HostThreads& t) { t.join(number); });
}
bool wait(const void* key, uint64_t deadline) {
  return with_threads([&](cuda::HostThreads& t) {
    return t.wait(key, deadline == kHeddleNoDeadline
                           ? std::nullopt
                           : std::optional(host::from_ns(1) * static_cast<int64_t>(deadline)));
  });
}
void wake(const void* key, uint32_t most) {
  const bool was_known = of_thread.known;
  if (!over.load()) {
    const InCall in_call;
    Session& s = Session::get();
    const std::lock_guard lock(s.mutex());
    s.threads().wake(key, most);
  }
  of_thread.known = was_known;
}

bool shared() {
  Session* const s = session.load();
  return s != nullptr && s->threads().shared() != nullptr;
}
bool outside(bool (*come)(void*), void* argument, uint64_t deadline) {
  return with_threads([&](cuda::HostThreads& t) {
    return t.wait_outside([&] { return come(argument); }, deadline == kHeddleNoDeadline
                                                              ? std::nullopt
                                                              : std::optional(host::from_ns(1) * deadline));
  });
}
void makes_process() {
  with_threads([](cuda::HostThreads&) { session.load()->share_device(); });
}

void has_made(int pid) {
  with_threads([&](cuda::HostThreads&) { session.load()->has_made(pid); });
}

// A child has one thread, and a copy of the session.
void before_fork() {
  const InCall in_call;
  if (Session* const s = session.load()) {
    s->mutex().lock();
    s->before_fork();
  }
}
void in_parent() {
  const InCall in_call;
  if (Session* const s = session.load()) {
    s->mutex().unlock();
  }
}
void in_child() {
  const InCall in_call;
  if (Session* const s = session.load()) {
    over = !s->forked();
  }
}

}  // namespace

InCall::InCall() {
  OfThread& t = of_thread;
  t.known = true;
  if (t.depth++ == 0 && work_factor > 0 && t.left >= 0) {
    t.work += (processor_ns() - t.left) * work_factor;
  }
}

InCall::~InCall() {
  OfThread& t = of_thread;
  if (t.depth == 1 && work_factor > 0) {
    t.left = processor_ns();
  }
  --t.depth;
}

void count_own_work(double factor) { work_factor = factor; }

uint64_t take_own_work() {
  const auto whole = static_cast<uint64_t>(of_thread.work);
  of_thread.work -= static_cast<double>(whole);
  return whole;
}

void program_over() { over = true; }

void there_is(Session& s) { session = &s; }

bool is_over() { return over; }

std::optional<uint64_t> show_simulated_time() {
  pthread_atfork(before_fork, in_parent, in_child);
  static const HeddleHost host{now,
                               spend,
                               inside,
                               known,
                               expect,
                               begin,
                               end,
                               join,
                               wait,
                               wake,
                               shared,
                               outside,
                               makes_process,
                               has_made,
                               cuda::AddressSpace::kFirst,
                               cuda::AddressSpace::kFirst + cuda::AddressSpace::kAddresses,
                               touch};
  void* const f = dlsym(RTLD_DEFAULT, "heddle_use_host");
  return f == nullptr ? std::nullopt : std::optional(reinterpret_cast<HeddleUseHost>(f)(&host));
}

}  // namespace heddle::runtime

// The program makes a thread before it has called CUDA.
HEDDLE_CUDA void heddle_begin() {
  const heddle::runtime::InCall in_call;
  heddle::runtime::Session& s = heddle::runtime::Session::get();
  const std::lock_guard lock(s.mutex());
  s.threads().calls();
}
