// From a kernel of a module to machine code that can be timed: which instructions ptxas would make of it,
// about in which order, with which registers and control bits (ptx.md 6). What it computes stays with the
// module; the machine code says what issues when.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontends/ptx/lower/machine.h"
#include "frontends/ptx/lower/unroll.h"
#include "sim/base/error.h"
#include "sim/isa/kernel.h"

namespace heddle::ptx::lower {

// A kernel has instructions that cannot be lowered: all of them, a line each.
class NotLowered : public Unsupported {
  using Unsupported::Unsupported;
};

// A kernel or a function that it may call.
struct Part {
  uint32_t function = 0;  // of the module
  Unrolled source;        // what `code` was made of
  Lowered code;           // blocks say where they begin in the image
};

struct Kernel {
  std::vector<std::unique_ptr<Part>> parts;  // the kernel's first
  isa::KernelImage image;                    // with text; the shape has the registers alone
};

// What may be in one block of machine code, and so in another order: as much as ptxas puts there, or what one
// instruction became.
enum class Blocks : uint8_t { kWhole, kOfOne };

// `kernel`: of the module, with a body. Throws NotLowered.
std::unique_ptr<const Kernel> lower(const Module& module, const Function& kernel,
                                    Blocks blocks = Blocks::kWhole);

}  // namespace heddle::ptx::lower
