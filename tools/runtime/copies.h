// Copies and memsets from the arguments of calls.
#pragma once

#include <cstddef>
#include <cstdint>

#include "frontends/cuda/context.h"
#include "frontends/cuda/work.h"
#include "tools/runtime/abi.h"

namespace heddle::runtime {

inline constexpr size_t kPitchUnit = 512;  // of cudaMallocPitch on an H200

// `kind`: cudaMemcpyKind. Throw CallFailed.
cuda::CopyWork plain_copy(uint64_t to, uint64_t from, uint64_t bytes, int32_t kind);
cuda::CopyWork copy_2d(uint64_t to, uint64_t to_pitch, uint64_t from, uint64_t from_pitch, uint64_t width,
                       uint64_t height, int32_t kind);
// One end of a copy: memory with a pitch, or an array.
struct CopyEnd {
  uint64_t address = 0;
  const void* array = nullptr;
  size_t pitch = 0, rows = 0;  // of memory; rows of a plane
  size_t x_bytes = 0, y = 0, z = 0;
};
cuda::CopyWork copy_between(const CopyEnd& to, const CopyEnd& from, size_t bytes, size_t rows, size_t planes,
                            int32_t kind, cuda::Context& c);
cuda::CopyWork copy_3d(const abi::Copy3D& p, cuda::Context& c);
// So many bytes that go on in the next rows of arrays: copies one behind the other.
void copy_through(CopyEnd to, CopyEnd from, size_t bytes, int32_t kind, cuda::Stream& stream, bool waits,
                  cuda::Context& c);
cuda::MemsetWork memset_of(uint64_t to, uint64_t pitch, int32_t value, uint64_t width, uint64_t height);

}  // namespace heddle::runtime
