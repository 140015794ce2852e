// From machine code to what sim/exec executes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontends/cubin/execute/placement.h"
#include "frontends/cubin/object/object.h"
#include "sim/exec/code.h"

namespace heddle::cubin {

struct Translation {
  exec::Code code;
  // Of each instruction that cannot be executed: "FILE: FUNCTION+0x10: TEXT". The code can be executed when
  // there is none.
  std::vector<std::string> missing;
  // By instruction of `code`: which one of the kernel and the functions it comes from, one behind the other.
  std::vector<uint32_t> origins;
  // The functions in `code`, by number in the object: the kernel, and what it may call through a pointer.
  std::vector<uint32_t> functions;
};

// `kernel`: the number of a function. Throws Error for relocations that are not known.
Translation translate(const Object& object, uint32_t kernel, const Placement& placement);

}  // namespace heddle::cubin
