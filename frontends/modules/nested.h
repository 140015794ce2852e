// Kernels that kernels have launched (sim/exec/device_runtime.h), to be executed when their parent's grid has
// been.
#pragma once

#include <cstdint>
#include <vector>

#include "frontends/modules/program.h"
#include "sim/exec/device_runtime.h"
#include "sim/exec/execute.h"
#include "sim/exec/launch.h"

namespace heddle::modules {

struct Nested {
  const Kernel* kernel = nullptr;  // null: `by` is no launch
  exec::Launch launch;
  exec::DeviceOp by;
};

// What the kernels of an executed launch have asked for, those of the tail stream last, else in an order in
// which it may be done; then it is forgotten. Throws Error, Unsupported.
std::vector<Nested> nested(Program& program, const exec::Launch& done);

// Executes the launches among them, without time, and what these launch in turn. What was printed, and the
// sums of the instructions. Throws what exec::execute() throws; Error beyond kDeepest generations.
inline constexpr uint32_t kDeepest = 1 << 16;
exec::ExecuteResult execute_nested(Program& program, const exec::Launch& done,
                                   const exec::ExecuteOptions& options);

}  // namespace heddle::modules
