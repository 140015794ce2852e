// CUDA's names of errors.
#pragma once

#include <string_view>

namespace heddle::workload {

// Of the runtime (cudaError_t) or of the driver (CUresult), or the signal of a host access to memory that the
// device has.
bool is_error_name(std::string_view name);

}  // namespace heddle::workload
