// What kernels call of the CUDA runtime: dynamic parallelism (cuda-model A27), as it is since CUDA 12 (CDP2).
// A kernel's launches are put down here, and whoever has executed its grid executes what it launched: nothing
// says that a child begins before its parent has ended, and no parent sees what a child does (DP02, DP03,
// DP09).
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/isa/kernel.h"

namespace heddle::exec {

enum class RuntimeFunction : uint8_t {
  // clang-format off
  kNone, kGetParameterBuffer, kGetParameterBufferV2, kLaunchDevice, kLaunchDeviceV2,
  kStreamCreate, kStreamDestroy, kStreamWaitEvent, kEventCreate, kEventRecord, kEventDestroy,
  kGetLastError, kPeekAtLastError, kGetDevice, kGetDeviceCount, kMalloc, kFree,
  // clang-format on
};

// By the names that nvcc calls ("__cudaCDP2LaunchDeviceV2") and those of the guide ("cudaLaunchDeviceV2").
RuntimeFunction runtime_function(std::string_view name);

// What a thread asked for.
struct DeviceOp {
  enum class What : uint8_t { kLaunch, kEventRecord, kStreamWaitEvent };
  // The block's own NULL stream, one that the grid has made, cudaStreamFireAndForget, cudaStreamTailLaunch.
  enum class Into : uint8_t { kNullStream, kStream, kFireAndForget, kTail };
  What what = What::kLaunch;
  Into into = Into::kNullStream;
  uint64_t stream = 0;  // kStream: which; they are counted from 0
  uint64_t event = 0;   // likewise
  std::string kernel;
  isa::Dim3 grid, block;
  uint32_t shared = 0;              // dynamic, bytes
  std::vector<uint8_t> parameters;  // as the kernel has them; before it is launched, their room
  uint64_t by_block = 0;            // its number in the grid, x first
  uint32_t by_thread = 0;           // its number in the block
  double after = 0;                 // what share of its warp's instructions were executed before
};

// Of one launch; for several threads of the host at once.
class DeviceRuntime {
 public:
  // The kernels that a launch may name, by their "address".
  struct Kernel {
    std::string name;
    uint32_t parameter_bytes = 0;
  };
  explicit DeviceRuntime(std::map<uint64_t, Kernel> kernels) : kernels_(std::move(kernels)) {}

  // Who calls.
  struct Caller {
    uint64_t block = 0;
    uint32_t thread = 0;
    uint64_t instructions = 0;  // that its warp has executed
  };
  // Whether there is any: the code may launch kernels.
  bool may_launch() const { return !kernels_.empty(); }
  // Null when there is no such kernel.
  const Kernel* kernel(uint64_t address) const;
  // A launch whose parameters will be in the buffer at this address.
  void prepare(uint64_t buffer, DeviceOp launch);
  // The launch that was prepared there; else one whose kernel has no name.
  DeviceOp take_prepared(uint64_t buffer);
  void add(const Caller& by, DeviceOp op);
  uint64_t make_stream();
  bool has_stream(uint64_t stream) const;
  uint64_t make_event();
  // CUDA's numbers.
  void set_error(const Caller& by, uint32_t error);
  uint32_t error(const Caller& by, bool clear);
  // A warp of the block has ended and has executed so many instructions.
  void warp_ended(uint64_t block, uint32_t first_thread, uint64_t instructions);

  // What was asked for, block after block, each thread's in their order; then it is forgotten.
  std::vector<DeviceOp> taken();
  bool empty() const;

 private:
  const std::map<uint64_t, Kernel> kernels_;
  mutable std::mutex mutex_;
  std::map<uint64_t, DeviceOp> prepared_;
  std::map<uint64_t, std::vector<DeviceOp>> by_block_;
  std::map<std::pair<uint64_t, uint32_t>, uint32_t> errors_;  // by block and thread
  uint64_t streams_ = 0, events_ = 0;
};

}  // namespace heddle::exec
