// The machine and what is connected to what.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "configs/schema/gpu.pb.h"
#include "sim/device/work_distributor.h"
#include "sim/memory/memory_system.h"
#include "sim/sm/sm.h"

namespace heddle::device {

struct Machine {
  config::GpuConfig config;
  std::vector<std::unique_ptr<sm::Sm>> sms;
  std::unique_ptr<memory::MemorySystem> memory;
  std::unique_ptr<WorkDistributor> distributor;
  // Cycles every SM may advance alone: no consequence of what one SM does reaches another, or comes back,
  // sooner.
  Cycle quantum = 1;
  // The same while a kernel of that shape runs: blocks of one cluster meet at barriers, which is quicker than
  // any way through memory.
  Cycle quantum_of(const isa::LaunchShape& shape) const {
    return shape.cluster.count() > 1 ? std::min<Cycle>(quantum, config.sm().barrier().cluster_barrier())
                                     : quantum;
  }
};

std::unique_ptr<Machine> build(const config::GpuConfig& config);

}  // namespace heddle::device
