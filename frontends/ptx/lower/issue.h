// A kernel's PTX in the order in which its machine code issues: what is executed when that is simulated.
//
// Each instruction of the machine has a record that counts for it. The records of a PTX instruction stand at
// one of those that it became: its access or its effect, or the last one, which has its result. Those that
// became none, because others do their work or the result lies where it was, stand with the first that needs
// what they make. So no record finds an operand that the machine would still be waiting for, and if one does,
// ExecWarp does it when the operand has come.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "frontends/ptx/execute/place.h"
#include "frontends/ptx/lower/lower.h"
#include "sim/base/error.h"
#include "sim/exec/code.h"
#include "sim/exec/issue/telling.h"

namespace heddle::ptx::lower {

struct Issued {
  exec::Code code;
  // By record: which instruction of the kernel's image it is of; the image's size: of none.
  std::vector<uint32_t> origins;
  executed::Tellings tellings;
};

// The machine code's order is not one in which its PTX can be executed.
class NotOrdered : public Error {
  using Error::Error;
};

// `kernel` was made of the module, whose code can be executed. Throws NotOrdered.
Issued issued(const Module& module, const Kernel& kernel, const Placement& placement);

// A kernel's machine code, and its PTX in that order.
struct Ordered {
  std::unique_ptr<const Kernel> kernel;
  Issued issued;
};

// Of a kernel whose code can be executed. Where ptxas' order is not one in which its PTX can be, its machine
// code has the order of the PTX. Throws NotLowered.
std::shared_ptr<const Ordered> in_order(const Module& module, const Function& kernel,
                                        const Placement& placement);

}  // namespace heddle::ptx::lower
