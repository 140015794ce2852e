// What a call takes longer when its thread has not called CUDA for a while: caches and the processor's clock
// have forgotten the driver. By the logarithm of the time, more where the thread slept. Source:
// traces/h200/hostfirst_seen.csv, section "gaps", tools/microbench/FINDINGS.md 66.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/host/core/core.h"
#include "sim/host/program/call_type.h"

namespace heddle::host {

class Pauses {
 public:
  explicit Pauses(const Core& core) : core_(core) {}

  // Of a call of the thread's that begins now.
  Ps before(const CallType& type, uint32_t thread) const;
  // It has returned now.
  void returned(const CallType& type, uint32_t thread, Ps began);

 private:
  struct Thread {
    Ps since = kNever;  // its last call's return; kNever: it has made none
    Ps worked{};        // its own work since then
  };
  const Core& core_;
  std::vector<Thread> threads_;
};

}  // namespace heddle::host
