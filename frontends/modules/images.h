// What is shared by the parts of program.h.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/modules/program.h"

namespace heddle::modules {

// Throws Error that names the kernels.
[[noreturn]] const Kernel& no_kernel(std::string_view name, const std::vector<Kernel>& kernels,
                                     const std::string& file);

}  // namespace heddle::modules
