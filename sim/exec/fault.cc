#include "sim/exec/fault.h"

#include <fmt/format.h>

#include "sim/exec/code.h"

namespace heddle::exec {

WaitsInVain::WaitsInVain(const Code& code, std::string_view blocks, std::string_view waits)
    : Error(fmt::format(
          "{}: kernel {}: all {} that have begun wait in loops for something that does not come; {}",
          code.file, code.kernel, blocks, waits)) {}

}  // namespace heddle::exec
