// Executes all blocks of a launch.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "sim/exec/launch.h"
#include "sim/exec/layout.h"

namespace heddle::exec {

struct ExecuteOptions {
  int threads = 1;
  // How many blocks may have begun without having ended: those that may wait for each other. At most as many
  // as an H200 has room for, by their threads and shared memory.
  uint64_t resident = uint64_t{kMultiprocessors} * 32;
  const std::atomic<bool>* cancelled = nullptr;
};

struct ExecuteResult {
  uint64_t launches = 0;             // that a kernel made, of those that execute them (modules/nested.h)
  uint64_t instructions = 0;         // of warps
  uint64_t thread_instructions = 0;  // whose guard holds
  std::string output;                // printf, block after block; at most kMostOutputBytes
};

// Of a launch that others, too, can let go on: what it waits for may be done between two calls of run().
class WaitsInVain;  // fault.h
class Execution {
 public:
  // `launch` and `options` are copied. Throws Error for what cannot run.
  Execution(const Launch& launch, const ExecuteOptions& options);
  ~Execution();
  // Goes on until all has ended: true; or until all that has begun only looks for something that does not
  // come. `patience`: how often in a row each looks, by default so often that it is in vain. Throws as
  // execute(). Once it has, it is over.
  static constexpr uint64_t kInVain = 20000;
  bool run(uint64_t patience = kInVain);
  // Changes when something has got on.
  uint64_t progress() const;
  WaitsInVain waits() const;
  ExecuteResult result();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// How many blocks may wait for each other: those that an H200 has room for, as far as threads and shared
// memory say (CUDA guide, limits of compute capability 9.0).
uint64_t room(const Launch& launch);

// Throws Error for what the launch or the program may not do (of several blocks: the one with the lowest
// number that was found), when no thread can go on, when all blocks look for something that does not come,
// and beyond Launch::most_instructions; Cancelled when asked for. Memory then has what was stored till there.
ExecuteResult execute(const Launch& launch, const ExecuteOptions& options);

}  // namespace heddle::exec
