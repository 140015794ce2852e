#pragma once

#include <memory>

#include "frontends/modules/program.h"
#include "frontends/ptx/execute/program.h"

namespace heddle::modules {

std::unique_ptr<Program> ptx_program(std::unique_ptr<const ptx::Module> module, exec::Memory& memory);

}  // namespace heddle::modules
