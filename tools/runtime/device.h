// What the device says of itself: an H200's answers (tests/runtime/h200/device.txt), with the configuration's
// numbers where it has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "frontends/cuda/context.h"

namespace heddle::runtime {

// cudaDeviceGetAttribute. Nothing for a number that there is not.
std::optional<int32_t> device_attribute(int32_t attribute, const cuda::Context& c);
std::string device_name(const cuda::Context& c);
// cudaDeviceProp of CUDA 13, all of its bytes.
void fill_properties(uint8_t* out, const cuda::Context& c);

inline constexpr int32_t kStackLimit = 0;  // cudaLimitStackSize

// cudaDeviceGetLimit. Throw CallFailed.
uint64_t device_limit(int32_t limit, const cuda::Context& c);
void set_device_limit(int32_t limit, uint64_t value, cuda::Context& c);

}  // namespace heddle::runtime
