// Whether a process has memory at an address, asked of the system: for what the program says of its own
// memory and is looked at by the driver, which answers with an error where a read would end the process.
#pragma once

#include <cstdint>

namespace heddle::cuda {

// All of the bytes. Some time for each page. True where the system does not say.
bool readable(const void* address, uint64_t bytes);

}  // namespace heddle::cuda
