// What the device says of itself: an H200's answers (tests/runtime/h200/device.txt), with the configuration's
// numbers where it has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "frontends/cuda/context.h"

namespace heddle::runtime {

inline constexpr int32_t kVersion = 13000;    // of the runtime and of the driver
inline constexpr uint32_t kScheduleMask = 7;  // of flags: at most one of them
inline constexpr uint32_t kMapHost = 8;       // always on
inline constexpr size_t kBusIdBytes = 13;     // "0000:00:00.0"

// Flags of a device or of a context (cudaDeviceSchedule..., CU_CTX_...) that there are.
bool are_device_flags(uint32_t flags);
// With its end, cut off where there is no room.
void write_text(char* to, size_t bytes, const std::string& text);
// cudaDeviceReset, cuDevicePrimaryCtxReset: the primary context with all that is in it.
void reset_device(cuda::Context& c);

// cudaDeviceGetAttribute. Nothing for a number that there is not.
std::optional<int32_t> device_attribute(int32_t attribute, const cuda::Context& c);
std::string device_name(const cuda::Context& c);
// cudaDeviceProp of CUDA 13, all of its bytes.
void fill_properties(uint8_t* out, const cuda::Context& c);

inline constexpr int32_t kStackLimit = 0;            // cudaLimitStackSize
inline constexpr int32_t kPrintfLimit = 1;           // cudaLimitPrintfFifoSize
inline constexpr uint64_t kLeastPrintf = 512 << 10;  // of it, on an H200: less becomes that

// cudaDeviceGetLimit. Throw CallFailed.
uint64_t device_limit(int32_t limit, const cuda::Context& c);
void set_device_limit(int32_t limit, uint64_t value, cuda::Context& c);

}  // namespace heddle::runtime
