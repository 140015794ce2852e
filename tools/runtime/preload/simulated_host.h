// What the library that is preloaded into programs (clocks.cc, waits.cc) asks the session, which registers
// itself there. In C, since neither is linked with the other.
#pragma once

#include <cstdint>

extern "C" {

struct HeddleHost {
  // ns of simulated time since the program began, of the calling thread.
  uint64_t (*now)();
  // So many ns of the calling thread's own pass: it works, or sleeps.
  void (*spend)(uint64_t ns, bool asleep);
  // The calling thread is the simulator's, or in a call: it wants this computer's time.
  bool (*inside)();

  // ---- threads (frontends/cuda/host_threads.h)
  // The calling thread is one of the simulated host's, and not inside.
  bool (*known)();
  // The caller is about to make a thread: its number, with which it begins; who joins it.
  uint32_t (*expect)();
  void (*begin)(uint32_t number);
  void (*end)();
  void (*join)(uint32_t number);
  // Until somebody wakes the key; false: `deadline`, in ns of now(), has come. kHeddleNoDeadline: none.
  bool (*wait)(const void* key, uint64_t deadline);
  // At most so many of those that wait for it, the longest first. By any thread.
  void (*wake)(const void* key, uint32_t most);

  // ---- other processes (frontends/cuda/share.h)
  // There may be others on the same device.
  bool (*shared)();
  // Until come(argument) is true, which another process brings about, or until `deadline`, in ns of now():
  // false.
  bool (*outside)(bool (*come)(void*), void* argument, uint64_t deadline);
  // The caller is about to make a process, which may use the device, too.
  void (*makes_process)();
  // It has made that one, without fork().
  void (*has_made)(int pid);

  // ---- unified memory
  // Where the addresses of allocations begin and end: most of a program's buffers are elsewhere.
  uint64_t first, end_of_memory;
  // The system is about to read so many bytes there for the caller, or to write them.
  void (*touch)(const void* p, uint64_t bytes, bool writes);
};

constexpr uint64_t kHeddleNoDeadline = UINT64_MAX;

// Returns how many ns had passed by then.
using HeddleUseHost = uint64_t (*)(const HeddleHost*);
// Makes the session, if there is none.
using HeddleBegin = void (*)();
// Of redirect/: the program has a CUDA runtime within itself.
using HeddleHasRuntime = bool (*)();
}
