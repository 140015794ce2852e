// Preloaded into programs of `heddle exec`: their threads, and what these wait for outside of CUDA. A thread
// of the simulated host that waits for another one lets go (HeddleHost::wait), so simulated time goes on;
// only one of them at a time goes on by itself, so what they do to a mutex happens in an order that is always
// the same.
//
// Threads that a runtime of parallel loops makes (libgomp) are left alone: they do not call CUDA, and wait by
// means that nobody sees from outside.
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

#include "tools/runtime/preload/preload.h"

namespace {

using heddle::preload::deadline_of;
using heddle::preload::managed;
using heddle::preload::next;
using heddle::preload::session;

constexpr uint64_t kTryNs = 50;  // a look at what is taken

// ---- threads: which of the simulated host's a pthread_t is. Used by who has the turn.
struct Known {
  pthread_t thread;
  uint32_t number;
  bool used;
};
constexpr size_t kMostKnown = 4096;
Known known[kMostKnown];

struct Start {
  void* (*function)(void*);
  void* argument;
  uint32_t number;
};

// Threads that the simulator makes for itself.
thread_local bool is_simulators = false;

struct Own {
  void* (*function)(void*);
  void* argument;
};

void* begin_own(void* arg) {
  const Own own = *static_cast<Own*>(arg);
  std::free(arg);
  is_simulators = true;
  return own.function(own.argument);
}

pthread_key_t at_end;
pthread_once_t has_key = PTHREAD_ONCE_INIT;

void ends(void*) {
  if (managed()) {
    session()->end();
  }
}

void make_key() { pthread_key_create(&at_end, ends); }

void* begin(void* arg) {
  const Start start = *static_cast<Start*>(arg);
  std::free(arg);
  pthread_setspecific(at_end, &at_end);
  session()->begin(start.number);
  return start.function(start.argument);
}

bool of_parallel_loops(const void* caller) {
  Dl_info info{};
  return dladdr(caller, &info) != 0 && info.dli_fname != nullptr &&
         (std::strstr(info.dli_fname, "libgomp") != nullptr ||
          std::strstr(info.dli_fname, "libomp") != nullptr ||
          std::strstr(info.dli_fname, "libtbb") != nullptr);
}

using heddle::preload::begun;

bool wait(const void* key, const timespec* deadline = nullptr) {
  return session()->wait(key, deadline == nullptr ? kHeddleNoDeadline : deadline_of(*deadline));
}

void wake(const void* key, uint32_t most) {
  const HeddleHost* const h = session();
  if (h != nullptr && !is_simulators && !h->inside()) {
    h->wake(key, most);
  }
}

// Until `take` says something else than `busy`. When the run is over, as this computer does it: `otherwise`.
template <class Take, class Otherwise>
int take(const void* key, int busy, const timespec* deadline, const Take& try_it,
         const Otherwise& otherwise) {
  while (managed()) {
    const int result = try_it();
    if (result != busy) {
      return result;
    }
    if (!wait(key, deadline)) {
      return ETIMEDOUT;
    }
  }
  return otherwise();
}

// As it waits until a time of this computer's, who is not known.
template <class Wait>
int until(const timespec* deadline, const Wait& wait_until) {
  timespec real{};
  if (deadline == nullptr || !heddle::preload::real_deadline(*deadline, &real)) {
    return wait_until(deadline);
  }
  const int result = wait_until(&real);
  if (result == ETIMEDOUT || (result == -1 && errno == ETIMEDOUT)) {
    heddle::preload::has_come(*deadline);
  }
  return result;
}

using OfMutex = int (*)(pthread_mutex_t*);
OfMutex real_trylock() {
  static const auto f = next<OfMutex>("pthread_mutex_trylock");
  return f;
}
OfMutex real_unlock() {
  static const auto f = next<OfMutex>("pthread_mutex_unlock");
  return f;
}

OfMutex real_lock() {
  static const auto f = next<OfMutex>("pthread_mutex_lock");
  return f;
}

int lock(pthread_mutex_t* m, const timespec* deadline) {
  return take(
      m, EBUSY, deadline, [&] { return real_trylock()(m); }, [&] { return real_lock()(m); });
}

int cond_wait(pthread_cond_t* c, pthread_mutex_t* m, const timespec* deadline) {
  if (const int result = real_unlock()(m); result != 0) {
    return result;
  }
  wake(m, 1);
  const bool woken = wait(c, deadline);
  const int result = lock(m, nullptr);
  return result != 0 ? result : woken ? 0 : ETIMEDOUT;
}

int as_errno(int result) {
  if (result == 0 || result == -1) {
    return result;
  }
  errno = result;
  return -1;
}

// ---- barriers, whose count only their owner knows
struct Barrier {
  std::atomic<pthread_barrier_t*> of;
  unsigned count, arrived;
  uint64_t round;
};
constexpr size_t kMostBarriers = 256;
Barrier barriers[kMostBarriers];

Barrier* barrier_of(pthread_barrier_t* b) {
  for (Barrier& x : barriers) {
    if (x.of.load() == b) {
      return &x;
    }
  }
  return nullptr;
}

}  // namespace

HEDDLE_PRELOAD int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                  void* (*function)(void*), void* argument) {
  static const auto f =
      next<int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  if (session() != nullptr && (is_simulators || session()->inside())) {
    auto* const own = static_cast<Own*>(std::malloc(sizeof(Own)));
    if (own == nullptr) {
      return EAGAIN;
    }
    *own = {function, argument};
    return f(thread, attributes, begin_own, own);
  }
  if (of_parallel_loops(__builtin_return_address(0)) || !begun()) {
    return f(thread, attributes, function, argument);
  }
  pthread_once(&has_key, make_key);
  auto* const start = static_cast<Start*>(std::malloc(sizeof(Start)));
  if (start == nullptr) {
    return EAGAIN;
  }
  const uint32_t number = session()->expect();
  *start = {function, argument, number};
  const int result = f(thread, attributes, begin, start);
  if (result != 0) {
    std::free(start);  // its number stays one that never begins
    return result;
  }
  for (Known& k : known) {
    if (!k.used || k.thread == *thread) {
      k = {*thread, number, true};
      break;
    }
  }
  return 0;
}

HEDDLE_PRELOAD int pthread_join(pthread_t thread, void** result) {
  static const auto f = next<int (*)(pthread_t, void**)>("pthread_join");
  if (managed()) {
    for (Known& k : known) {
      if (k.used && k.thread == thread) {
        session()->join(k.number);
        k.used = false;
        break;
      }
    }
  }
  return f(thread, result);
}

HEDDLE_PRELOAD int pthread_mutex_lock(pthread_mutex_t* m) {
  return managed() ? lock(m, nullptr) : real_lock()(m);
}

HEDDLE_PRELOAD int pthread_mutex_trylock(pthread_mutex_t* m) {
  const int result = real_trylock()(m);
  if (result == EBUSY && managed()) {
    session()->spend(kTryNs, false);
  }
  return result;
}

HEDDLE_PRELOAD int pthread_mutex_timedlock(pthread_mutex_t* m, const timespec* deadline) {
  static const auto f = next<int (*)(pthread_mutex_t*, const timespec*)>("pthread_mutex_timedlock");
  return managed() ? lock(m, deadline) : until(deadline, [&](const timespec* at) { return f(m, at); });
}

HEDDLE_PRELOAD int pthread_mutex_clocklock(pthread_mutex_t* m, clockid_t id, const timespec* deadline) {
  static const auto f =
      next<int (*)(pthread_mutex_t*, clockid_t, const timespec*)>("pthread_mutex_clocklock");
  return managed() ? lock(m, deadline) : until(deadline, [&](const timespec* at) { return f(m, id, at); });
}

HEDDLE_PRELOAD int pthread_mutex_unlock(pthread_mutex_t* m) {
  const int result = real_unlock()(m);
  if (result == 0) {
    wake(m, 1);
  }
  return result;
}

HEDDLE_PRELOAD int pthread_cond_wait(pthread_cond_t* c, pthread_mutex_t* m) {
  // Without its version, this would be the one of old programs; likewise below.
  static const auto f = next<int (*)(pthread_cond_t*, pthread_mutex_t*)>("pthread_cond_wait", "GLIBC_2.3.2");
  return managed() ? cond_wait(c, m, nullptr) : f(c, m);
}

HEDDLE_PRELOAD int pthread_cond_timedwait(pthread_cond_t* c, pthread_mutex_t* m, const timespec* deadline) {
  static const auto f = next<int (*)(pthread_cond_t*, pthread_mutex_t*, const timespec*)>(
      "pthread_cond_timedwait", "GLIBC_2.3.2");
  return managed() ? cond_wait(c, m, deadline)
                   : until(deadline, [&](const timespec* at) { return f(c, m, at); });
}

HEDDLE_PRELOAD int pthread_cond_clockwait(pthread_cond_t* c, pthread_mutex_t* m, clockid_t id,
                                          const timespec* deadline) {
  static const auto f =
      next<int (*)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)>("pthread_cond_clockwait");
  return managed() ? cond_wait(c, m, deadline)
                   : until(deadline, [&](const timespec* at) { return f(c, m, id, at); });
}

HEDDLE_PRELOAD int pthread_cond_signal(pthread_cond_t* c) {
  static const auto f = next<int (*)(pthread_cond_t*)>("pthread_cond_signal", "GLIBC_2.3.2");
  wake(c, 1);
  return f(c);
}

HEDDLE_PRELOAD int pthread_cond_broadcast(pthread_cond_t* c) {
  static const auto f = next<int (*)(pthread_cond_t*)>("pthread_cond_broadcast", "GLIBC_2.3.2");
  wake(c, UINT32_MAX);
  return f(c);
}

using OfLock = int (*)(pthread_rwlock_t*);
HEDDLE_PRELOAD int pthread_rwlock_rdlock(pthread_rwlock_t* l) {
  static const auto f = next<OfLock>("pthread_rwlock_rdlock");
  static const auto attempt = next<OfLock>("pthread_rwlock_tryrdlock");
  return managed() ? take(
                         l, EBUSY, nullptr, [&] { return attempt(l); }, [&] { return f(l); })
                   : f(l);
}

HEDDLE_PRELOAD int pthread_rwlock_wrlock(pthread_rwlock_t* l) {
  static const auto f = next<OfLock>("pthread_rwlock_wrlock");
  static const auto attempt = next<OfLock>("pthread_rwlock_trywrlock");
  return managed() ? take(
                         l, EBUSY, nullptr, [&] { return attempt(l); }, [&] { return f(l); })
                   : f(l);
}

HEDDLE_PRELOAD int pthread_rwlock_unlock(pthread_rwlock_t* l) {
  static const auto f = next<OfLock>("pthread_rwlock_unlock");
  const int result = f(l);
  wake(l, UINT32_MAX);
  return result;
}

HEDDLE_PRELOAD int pthread_barrier_init(pthread_barrier_t* b, const pthread_barrierattr_t* a,
                                        unsigned count) {
  static const auto f =
      next<int (*)(pthread_barrier_t*, const pthread_barrierattr_t*, unsigned)>("pthread_barrier_init");
  const int result = f(b, a, count);
  // Those of several processes are counted by none of them.
  int processes = PTHREAD_PROCESS_PRIVATE;
  if (a != nullptr) {
    pthread_barrierattr_getpshared(a, &processes);
  }
  if (result == 0 && processes == PTHREAD_PROCESS_PRIVATE) {
    for (Barrier& x : barriers) {
      pthread_barrier_t* nobody = nullptr;
      if (x.of.load() == b || x.of.compare_exchange_strong(nobody, b)) {
        x.count = count;
        x.arrived = 0;
        break;
      }
    }
  }
  return result;
}

HEDDLE_PRELOAD int pthread_barrier_destroy(pthread_barrier_t* b) {
  static const auto f = next<int (*)(pthread_barrier_t*)>("pthread_barrier_destroy");
  if (Barrier* const x = barrier_of(b)) {
    x->of.store(nullptr);
  }
  return f(b);
}

HEDDLE_PRELOAD int pthread_barrier_wait(pthread_barrier_t* b) {
  static const auto f = next<int (*)(pthread_barrier_t*)>("pthread_barrier_wait");
  Barrier* const x = managed() ? barrier_of(b) : nullptr;
  if (x == nullptr) {
    return f(b);
  }
  const uint64_t round = x->round;
  if (++x->arrived == x->count) {
    x->arrived = 0;
    ++x->round;
    wake(b, UINT32_MAX);
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  while (x->round == round && managed()) {
    wait(b);
  }
  return 0;
}

HEDDLE_PRELOAD int sem_wait(sem_t* s) {
  static const auto f = next<int (*)(sem_t*)>("sem_wait");
  static const auto attempt = next<int (*)(sem_t*)>("sem_trywait");
  return managed() ? as_errno(take(
                         s, EAGAIN, nullptr, [&] { return attempt(s) == 0 ? 0 : errno; },
                         [&] { return f(s) == 0 ? 0 : errno; }))
                   : f(s);
}

HEDDLE_PRELOAD int sem_timedwait(sem_t* s, const timespec* deadline) {
  static const auto f = next<int (*)(sem_t*, const timespec*)>("sem_timedwait");
  static const auto attempt = next<int (*)(sem_t*)>("sem_trywait");
  return managed() ? as_errno(take(
                         s, EAGAIN, deadline, [&] { return attempt(s) == 0 ? 0 : errno; },
                         [&] { return f(s, deadline) == 0 ? 0 : errno; }))
                   : until(deadline, [&](const timespec* at) { return f(s, at); });
}

HEDDLE_PRELOAD int sem_post(sem_t* s) {
  static const auto f = next<int (*)(sem_t*)>("sem_post");
  const int result = f(s);
  wake(s, 1);
  return result;
}

HEDDLE_PRELOAD int sched_yield() {
  if (managed()) {
    session()->spend(kTryNs, false);
    return 0;
  }
  return static_cast<int>(heddle::preload::system_call(SYS_sched_yield, 0, 0, 0));
}

// std::future, std::atomic::wait and their kin wait for a word by the system call itself.
HEDDLE_PRELOAD long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long a[6];
  for (long& x : a) {
    x = va_arg(list, long);
  }
  va_end(list);
  const auto operation = static_cast<int>(a[1]) & FUTEX_CMD_MASK;
  auto* const word = reinterpret_cast<std::atomic<int>*>(a[0]);
  if (number == SYS_futex && (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) && managed()) {
    if (word->load() != static_cast<int>(a[2])) {
      errno = EAGAIN;
      return -1;
    }
    const auto* const limit = reinterpret_cast<const timespec*>(a[3]);
    uint64_t deadline = kHeddleNoDeadline;
    if (limit != nullptr) {
      deadline = operation == FUTEX_WAIT_BITSET
                     ? deadline_of(*limit)
                     : session()->now() + static_cast<uint64_t>(limit->tv_sec) * 1'000'000'000 +
                           static_cast<uint64_t>(limit->tv_nsec);
    }
    if (session()->wait(word, deadline)) {
      return 0;
    }
    errno = ETIMEDOUT;
    return -1;
  }
  if (number == SYS_futex && (operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET)) {
    wake(word, static_cast<uint32_t>(a[2]));
  }
  const long result = heddle::preload::system_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (result < 0 && result > -4096) {
    errno = static_cast<int>(-result);
    return -1;
  }
  return result;
}
