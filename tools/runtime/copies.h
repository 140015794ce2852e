// Copies and memsets from the arguments of calls.
#pragma once

#include <cstddef>
#include <cstdint>

#include "frontends/cuda/address_space.h"
#include "frontends/cuda/work.h"
#include "tools/runtime/abi.h"

namespace heddle::runtime {

inline constexpr size_t kPitchUnit = 512;  // of cudaMallocPitch on an H200

// `kind`: cudaMemcpyKind. Throw CallFailed.
cuda::CopyWork plain_copy(uint64_t to, uint64_t from, uint64_t bytes, int32_t kind);
cuda::CopyWork copy_2d(uint64_t to, uint64_t to_pitch, uint64_t from, uint64_t from_pitch, uint64_t width,
                       uint64_t height, int32_t kind);
cuda::CopyWork copy_3d(const abi::Copy3D& p, cuda::AddressSpace& space);
cuda::MemsetWork memset_of(uint64_t to, uint64_t pitch, int32_t value, uint64_t width, uint64_t height);

}  // namespace heddle::runtime
