// A cluster that has begun, and who tells what its warps do.
#pragma once

#include <cstdint>
#include <memory>

#include "frontends/executed/recorder.h"
#include "sim/exec/cluster.h"

namespace heddle::executed {

struct ExecutedCluster {
  std::unique_ptr<Recorder> recorder;
  std::unique_ptr<exec::Cluster> cluster;
  uint64_t in_turn = 0;  // instructions of the turn that goes on
};

}  // namespace heddle::executed
