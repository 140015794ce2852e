// What elements of arrays are: as the runtime names them, as the driver does, as views do.
#pragma once

#include <cstdint>

#include "frontends/cuda/arrays.h"
#include "tools/runtime/abi.h"

namespace heddle::runtime {

// Throw CallFailed for what no element may be, and for formats that are not here.
cuda::ElementFormat format_of(const abi::ChannelFormat& f);
cuda::ElementFormat driver_format(uint32_t format, uint32_t channels);
cuda::ElementFormat view_format(int32_t format);  // cudaResourceViewFormat, CUresourceViewFormat; not 0

abi::ChannelFormat channels_of(const cuda::ElementFormat& f);
uint32_t driver_number(const cuda::ElementFormat& f);
int32_t view_number(const cuda::ElementFormat& f);

// Null: none. The structures are alike in both interfaces.
cuda::ResourceView view_of(const abi::ResourceView* v);
abi::ResourceView described(const cuda::ResourceView& v);

}  // namespace heddle::runtime
