// What the processes that share one simulated device know of each other: plain data in memory that all of
// them have (PROCESSES.md). Used with its lock held.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "sim/host/kernels/slices.h"
#include "sim/host/program/time.h"

namespace heddle::cuda {

struct Board {
  static constexpr uint32_t kPlaces = host::Slices::kContexts, kEvents = 1024;
  static constexpr uint32_t kNobody = UINT32_MAX;

  enum class State : uint8_t {
    kFree,
    kComing,  // made by fork(), and has not asked for its turn yet
    kThere,
    kAway,   // goes on by itself, and nobody waits for it
    kEnding  // has said so, and is a process still
  };
  // A process.
  struct Place {
    State state = State::kFree;
    bool waits = false;    // a thread of it waits for something outside of CUDA, which others may have done
    bool context = false;  // has one on the device
    int32_t pid = 0;
    uint32_t number = 0;      // of the process: no other one has had it
    host::Ps next{};          // nothing of it happens before; kNever: nothing does until somebody else acts
    uint64_t looked = 0;      // Board::acts, when it last looked whether that has come
    uint64_t used_bytes = 0;  // of the device's memory
    uint64_t since_ms = 0;    // kComing, kEnding: this computer's time
  };
  // An event of several processes: how often it was recorded, how many of the records have happened.
  struct SharedEvent {
    uint32_t users = 0;
    uint32_t recorder = kNobody;  // who has recorded it last
    uint64_t recorded = 0, done = 0;
    host::Ps done_at{};
  };

  // Who goes on now, if nobody does. A place that looks whether what it waits for has come; the one whose
  // next time is the least, then the first. kNobody: all of them wait.
  struct Choice {
    uint32_t place = kNobody;
    bool looks = false;
  };
  Choice choose() const;
  // How far the place may go: to where another one may do something.
  host::Ps limit(uint32_t place) const;
  // Something may happen to others' work at that time.
  void may_happen(host::Ps at);
  uint32_t free_place() const;  // kNobody: none. Of those that nobody is expected at.
  // Nobody begins or ends: all who are there wait for something.
  bool all_wait() const;

  uint64_t device = 0;            // tells GPUs apart
  uint32_t numbers = 0;           // that were given to processes
  uint64_t version = 0;           // kVersion; 0: not made yet
  uint32_t expected = 0;          // processes that begin together; nobody goes on before all are there
  uint32_t come = 0;              // of these
  uint32_t holder = kNobody;      // who goes on
  uint64_t acts = 0;              // grows when a process has gone on by itself
  host::Ps acted_at{};            // when that was
  uint64_t outside = 0;           // how often all of them waited for something that none of them does
  std::atomic<uint32_t> bell{0};  // changes when somebody else may go on
  host::Slices slices;
  std::array<Place, kPlaces> places{};
  std::array<SharedEvent, kEvents> events{};
};

}  // namespace heddle::cuda
