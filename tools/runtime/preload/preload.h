// What the preloaded library's files share.
#pragma once

#include <dlfcn.h>
#include <poll.h>
#include <sys/syscall.h>

#include <cstdint>
#include <ctime>

#include "tools/runtime/preload/simulated_host.h"

#define HEDDLE_PRELOAD extern "C" __attribute__((visibility("default")))

namespace heddle::preload {

// Null until there is a session.
const HeddleHost* session();
// The program has CUDA among its libraries, or a session.
bool simulated();
// The calling thread is one of the simulated host's: what it waits for is to be known.
inline bool managed() {
  const HeddleHost* const h = session();
  return h != nullptr && h->known();
}

// A session, for threads and processes that are made before the first call of CUDA. The caller is managed.
bool begun();

// The calling thread waits, where other processes are on the device, until they let it go on. For
// descriptors: data, or room, or an end.
bool shared();
void await(int fd, short events);

// ns of the simulated host's time at which a clock shows `deadline`.
uint64_t deadline_of(const timespec& deadline);
// For a thread that the simulated host does not know. False: simulated time is not for it. Else this
// computer's time until which it waits, and what it says when nobody has come by then.
bool real_deadline(const timespec& deadline, timespec* real);
void has_come(const timespec& deadline);

// As syscall(), which is ours, too (waits.cc); the kernel's own result.
inline long system_call(long number, long a, long b, long c, long d = 0, long e = 0, long f = 0) {
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  long result = 0;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

// The function that ours hides.
template <class F>
F next(const char* name, const char* version = nullptr) {
  void* f = version == nullptr ? nullptr : dlvsym(RTLD_NEXT, name, version);
  return reinterpret_cast<F>(f == nullptr ? dlsym(RTLD_NEXT, name) : f);
}

}  // namespace heddle::preload
