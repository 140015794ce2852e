// From a module to what sim/exec executes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "frontends/ptx/execute/place.h"
#include "frontends/ptx/module.h"
#include "sim/exec/code.h"

namespace heddle::ptx {

struct Translation {
  exec::Code code;
  // A line for each instruction, of all functions that the kernel may reach, that cannot be executed:
  // "FILE:LINE:COLUMN: ...". The code can be executed when there is none.
  std::vector<std::string> missing;
  // By instruction of the code: which one of its function it comes from.
  std::vector<uint32_t> origins;
  // By function of the module and register: where it lies. Empty of functions that the kernel cannot reach.
  std::vector<std::vector<exec::Slot>> registers;
};

// By function of the module: what is translated instead of its own body.
using Bodies = std::map<uint32_t, const Function*>;

// `kernel`: an entry of the module, with a body.
Translation translate(const Module& module, const Function& kernel, const Placement& placement,
                      const Bodies& bodies = {});

}  // namespace heddle::ptx
