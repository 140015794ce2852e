// Preloaded into programs of `heddle exec`: their clocks show simulated time, and who sleeps lets it pass.
// What the program does between calls takes no time of its own, but to read a clock takes 25 ns (what
// clock_gettime takes on an H200's host), so a loop that waits for a time ends.
//
// A program that has CUDA's runtime or driver among its libraries, or within itself, has simulated time from
// its start: its clocks begin at the same date in each run. Another one has it from its first call of CUDA
// on, from this computer's time then.
#include <link.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "tools/runtime/preload/preload.h"

namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;
constexpr int64_t kNsPerUs = 1000;
constexpr int64_t kReadNs = 25;
// Who sleeps gives other threads this much of this computer's time, at most.
constexpr int64_t kMostPause = 1'000'000;
// Clocks of calendar time show more than this, clocks since the computer's start less.
constexpr int64_t kCalendar = int64_t{1} << 30;  // s

std::atomic<const HeddleHost*> host{nullptr};
std::atomic<bool> shows_simulated{false};              // whether clocks show simulated time
std::atomic<int64_t> before{0};                        // ns until there was a session
int64_t calendar_base = 1'767'225'600 * kNsPerSecond;  // 2026-01-01
int64_t steady_base = 1000 * kNsPerSecond;

int64_t real(clockid_t id) {
  timespec t{};
  heddle::preload::system_call(SYS_clock_gettime, id, reinterpret_cast<long>(&t), 0);
  return t.tv_sec * kNsPerSecond + t.tv_nsec;
}

void pause_for(int64_t ns) {
  const timespec t{ns / kNsPerSecond, ns % kNsPerSecond};
  heddle::preload::system_call(SYS_nanosleep, reinterpret_cast<long>(&t), 0, 0);
}

// Simulated time is not for this caller.
bool passes() {
  if (!shows_simulated.load(std::memory_order_acquire)) {
    return true;
  }
  const HeddleHost* const h = host.load(std::memory_order_acquire);
  return h != nullptr && h->inside();
}

int64_t elapsed() {
  const HeddleHost* const h = host.load(std::memory_order_acquire);
  return h == nullptr ? before.load() : static_cast<int64_t>(h->now());
}

void spend(int64_t ns, bool asleep = false) {
  if (const HeddleHost* const h = host.load(std::memory_order_acquire)) {
    h->spend(static_cast<uint64_t>(ns), asleep);
  } else {
    before += ns;
  }
}

int64_t base(clockid_t id) {
  switch (id) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
      return calendar_base;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
      return steady_base;
    default:
      return 0;  // processor time: the host's thread never rests
  }
}

int64_t now(clockid_t id) {
  spend(kReadNs);
  return base(id) + elapsed();
}

// Returns at once, but for what lets threads that the simulated host does not know go on.
void sleep_simulated(int64_t ns) {
  if (ns > 0) {
    spend(ns, true);
    if (!heddle::preload::managed()) {
      pause_for(std::min(ns, kMostPause));
    }
  }
}

timespec spec(int64_t ns) { return {ns / kNsPerSecond, ns % kNsPerSecond}; }
int64_t of(const timespec& t) { return t.tv_sec * kNsPerSecond + t.tv_nsec; }

int find_cuda(dl_phdr_info* info, size_t, void* found) {
  const char* const slash = std::strrchr(info->dlpi_name, '/');
  const char* const name = slash == nullptr ? info->dlpi_name : slash + 1;
  if (std::strncmp(name, "libcudart.so", 12) == 0 || std::strncmp(name, "libcuda.so", 10) == 0) {
    *static_cast<bool*>(found) = true;
  }
  return 0;
}

__attribute__((constructor)) void begin() {
  bool found = false;
  dl_iterate_phdr(find_cuda, &found);
  if (void* const f = dlsym(RTLD_DEFAULT, "heddle_has_runtime")) {
    found = found || reinterpret_cast<HeddleHasRuntime>(f)();
  }
  shows_simulated.store(found, std::memory_order_release);
}

}  // namespace

namespace heddle::preload {

const HeddleHost* session() { return host.load(std::memory_order_acquire); }

bool simulated() { return shows_simulated.load(std::memory_order_acquire); }

bool begun() {
  if (session() == nullptr && simulated()) {
    if (void* const f = dlsym(RTLD_DEFAULT, "heddle_begin")) {
      reinterpret_cast<HeddleBegin>(f)();
    }
  }
  return managed();
}

uint64_t deadline_of(const timespec& deadline) {
  const int64_t ns = of(deadline) - base(deadline.tv_sec > kCalendar ? CLOCK_REALTIME : CLOCK_MONOTONIC);
  return static_cast<uint64_t>(std::max<int64_t>(0, ns));
}

bool real_deadline(const timespec& deadline, timespec* to) {
  if (passes()) {
    return false;
  }
  const clockid_t id = deadline.tv_sec > kCalendar ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  *to = spec(real(id) + std::max<int64_t>(0, of(deadline) - base(id) - elapsed()));
  return true;
}

void has_come(const timespec& deadline) {
  const auto at = static_cast<int64_t>(deadline_of(deadline));
  spend(std::max<int64_t>(0, at - elapsed()));
}

}  // namespace heddle::preload

HEDDLE_PRELOAD uint64_t heddle_use_host(const HeddleHost* clock) {
  if (!shows_simulated) {
    calendar_base = real(CLOCK_REALTIME);
    steady_base = real(CLOCK_MONOTONIC);
  }
  host.store(clock, std::memory_order_release);
  shows_simulated.store(true, std::memory_order_release);
  return static_cast<uint64_t>(before.load());
}

HEDDLE_PRELOAD int clock_gettime(clockid_t id, timespec* t) {
  if (passes() || id < 0) {  // below 0: another process' or thread's
    return static_cast<int>(syscall(SYS_clock_gettime, id, t));
  }
  *t = spec(now(id));
  return 0;
}

HEDDLE_PRELOAD int gettimeofday(timeval* t, void* zone) {
  if (passes()) {
    return static_cast<int>(syscall(SYS_gettimeofday, t, zone));
  }
  const int64_t ns = now(CLOCK_REALTIME);
  *t = {ns / kNsPerSecond, ns % kNsPerSecond / kNsPerUs};
  return 0;
}

HEDDLE_PRELOAD time_t time(time_t* t) {
  const time_t s = (passes() ? real(CLOCK_REALTIME) : now(CLOCK_REALTIME)) / kNsPerSecond;
  if (t != nullptr) {
    *t = s;
  }
  return s;
}

HEDDLE_PRELOAD int timespec_get(timespec* t, int base_of) {
  return base_of == TIME_UTC && clock_gettime(CLOCK_REALTIME, t) == 0 ? base_of : 0;
}

HEDDLE_PRELOAD clock_t clock() {
  const int64_t ns = passes() ? real(CLOCK_PROCESS_CPUTIME_ID) : now(CLOCK_PROCESS_CPUTIME_ID);
  return ns / (kNsPerSecond / CLOCKS_PER_SEC);
}

HEDDLE_PRELOAD int nanosleep(const timespec* t, timespec* left) {
  if (t == nullptr || passes()) {
    return static_cast<int>(syscall(SYS_nanosleep, t, left));
  }
  sleep_simulated(of(*t));
  return 0;
}

HEDDLE_PRELOAD int clock_nanosleep(clockid_t id, int flags, const timespec* t, timespec* left) {
  if (t == nullptr || passes()) {
    return syscall(SYS_clock_nanosleep, id, flags, t, left) == 0 ? 0 : errno;
  }
  sleep_simulated((flags & TIMER_ABSTIME) != 0 ? of(*t) - base(id) - elapsed() : of(*t));
  return 0;
}

HEDDLE_PRELOAD int usleep(useconds_t us) {
  const timespec t = spec(int64_t{us} * kNsPerUs);
  return nanosleep(&t, nullptr);
}

HEDDLE_PRELOAD unsigned sleep(unsigned seconds) {
  const timespec t{static_cast<time_t>(seconds), 0};
  return nanosleep(&t, nullptr) == 0 ? 0 : seconds;
}
