// The machine and what is connected to what.
#pragma once

#include <memory>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/device/work_distributor.h"
#include "sim/engine/worker_pool.h"
#include "sim/memory/memory_system.h"
#include "sim/sm/sm.h"

namespace heddle::device {

struct Machine {
  spec::GpuConfig config;
  std::vector<std::unique_ptr<sm::Sm>> sms;
  std::unique_ptr<memory::MemorySystem> memory;
  std::unique_ptr<WorkDistributor> distributor;
  // Cycles every SM may advance alone: no consequence of what one SM does reaches another, or comes back,
  // sooner. Any shorter quantum gives the same result.
  Cycle quantum = 1;
};

// SMs and slices are made by the threads that will advance them, which is where their memory comes from.
std::unique_ptr<Machine> build(const spec::GpuConfig& config, WorkerPool& pool);

}  // namespace heddle::device
