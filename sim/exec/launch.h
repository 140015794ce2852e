// What the blocks of a launch have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/exec/code.h"
#include "sim/exec/device_runtime.h"
#include "sim/exec/layout.h"
#include "sim/exec/memory.h"
#include "sim/exec/observer.h"
#include "sim/isa/kernel.h"

namespace heddle::exec {

// What is looked for besides errors, as compute-sanitizer's initcheck, racecheck and synccheck do.
struct Checks {
  bool init = false;  // loads of what was never written; of global memory if Memory::track_writes()
  bool race = false;  // on shared memory, between warps of a block (races.h)
  bool sync = false;  // aligned barriers that lanes of a warp come to at different places
};

// Before compute capability 7.0 the lanes of a warp have one program counter, and those that parted a stack
// (cuda-model.md SI11, SI12).
inline constexpr uint32_t kFirstIndependentThreads = 70;
constexpr bool reconverges_by_stack(uint32_t capability) { return capability < kFirstIndependentThreads; }

// Of launches that are executed while they are simulated: the time at which a warp is.
struct SimulatedTime {
  uint64_t cycle = 0;  // of the core clock
  double ns_per_cycle = 1;
  uint64_t ns() const { return static_cast<uint64_t>(static_cast<double>(cycle) * ns_per_cycle); }
};

struct Launch {
  const Code* code = nullptr;
  Memory* memory = nullptr;
  isa::Dim3 grid, block;            // of Code::grid_in_clusters the grid counts clusters
  isa::Dim3 cluster{1, 1, 1};       // blocks; Code::required_cluster if with_cluster is false
  bool with_cluster = false;        // the launch says the clusters' size
  uint32_t dynamic_shared = 0;      // bytes
  std::vector<uint8_t> parameters;  // Code::parameter_bytes of them
  // Code::constants with the parameters' words among them. Null: there are no such words.
  std::shared_ptr<const std::vector<Register>> constants;
  uint64_t workspace = 0;  // address of zeroed memory for barriers of the whole grid
  Checks checks;
  Observer* observer = nullptr;             // null: nobody
  uint64_t most_instructions = UINT64_MAX;  // warp instructions of all blocks; more are an error
  // What the kernel calls of the CUDA runtime goes there; null: it calls nothing of it.
  std::shared_ptr<DeviceRuntime> runtime;
  uint64_t grid_id = 1;                         // %gridid: another one for each launch
  uint32_t multiprocessors = kMultiprocessors;  // of the GPU: %nsmid
  uint32_t warps_of_sm = kWarpsOfSm;            // %nwarpid
  uint64_t stack_limit = kStackLimit;  // cudaLimitStackSize, bytes of a thread (Code::stack_by_limit)
  bool reconvergence_stack = false;  // so the GPU, whatever the code was made for (Code::reconvergence_stack)

  uint64_t clusters() const { return blocks() / cluster.count(); }
  uint64_t blocks() const { return uint64_t{grid.x} * grid.y * grid.z; }
  uint32_t threads() const { return block.x * block.y * block.z; }
  uint32_t warps() const { return (threads() + kLanes - 1) / kLanes; }  // of a block
  uint32_t local_bytes() const;                                         // of a thread, when it starts
  uint32_t shared_bytes() const { return code->dynamic_shared_at - kSharedReserve + dynamic_shared; }
};

// With the kernel's own cluster where the launch names none, a grid in blocks, and its constants. Throws
// Error for what the kernel or the GPU cannot have.
Launch completed(Launch launch);

}  // namespace heddle::exec
