// CUDA arrays: allocation, what they are, copies.
#include "sim/exec/texture/layout.h"
#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"
#include "tools/runtime/copies.h"
#include "tools/runtime/formats.h"

using namespace heddle;  // this file is CUDA's interface
using namespace heddle::runtime;

// ---- formats

HEDDLE_CUDA abi::ChannelFormat cudaCreateChannelDesc(int32_t x, int32_t y, int32_t z, int32_t w,
                                                     int32_t kind) {
  return {x, y, z, w, kind};
}

HEDDLE_CUDA int32_t cudaGetChannelDesc(Given<abi::ChannelFormat> out, const void* array) {
  return call_into(out, [&](Context& c) { return channels_of(c.array(array).shape.format); });
}

// ---- allocation

HEDDLE_CUDA int32_t cudaMallocArray(Given<void*> out, Given<const abi::ChannelFormat> format, size_t width,
                                    size_t height, uint32_t flags) {
  return call_into(out, [&](Context& c) {
    constexpr uint32_t kFor3d = cuda::kLayeredArray | cuda::kCubeArray;
    cuda::require((flags & kFor3d) == 0, Status::kInvalidValue,
                  "layers and cubes (legal: cudaMalloc3DArray)");
    return &c.create_array({format_of(*format), width, height, 0, flags, 1});
  });
}

HEDDLE_CUDA int32_t cudaMalloc3DArray(Given<void*> out, Given<const abi::ChannelFormat> format, abi::Extent e,
                                      uint32_t flags) {
  return call_into(out, [&](Context& c) {
    return &c.create_array({format_of(*format), e.width, e.height, e.depth, flags, 1});
  });
}

HEDDLE_CUDA int32_t cudaMallocMipmappedArray(Given<void*> out, Given<const abi::ChannelFormat> format,
                                             abi::Extent e, uint32_t levels, uint32_t flags) {
  return call_into(out, [&](Context& c) {
    return &c.create_mipmapped({format_of(*format), e.width, e.height, e.depth, flags, levels});
  });
}

HEDDLE_CUDA int32_t cudaGetMipmappedArrayLevel(Given<void*> out, const void* mipmapped, uint32_t level) {
  return call_into(out, [&](Context& c) {
    const auto& levels = c.mipmapped(mipmapped).levels;
    cuda::require(level < levels.size(), Status::kInvalidValue, "no such level");
    return levels[level].get();
  });
}

HEDDLE_CUDA int32_t cudaFreeArray(void* array) {
  return call([&](Context& c) {
    if (array != nullptr) {
      c.destroy(c.array(array));
    }
  });
}

HEDDLE_CUDA int32_t cudaFreeMipmappedArray(void* mipmapped) {
  return call([&](Context& c) {
    if (mipmapped != nullptr) {
      c.destroy(c.mipmapped(mipmapped));
    }
  });
}

// ---- what they are

HEDDLE_CUDA int32_t cudaArrayGetInfo(abi::ChannelFormat* format, abi::Extent* extent, uint32_t* flags,
                                     void* array) {
  return call([&](Context& c) {
    const cuda::ArrayShape& s = c.array(array).shape;
    if (format != nullptr) {
      *format = channels_of(s.format);
    }
    if (extent != nullptr) {
      *extent = {s.width, s.height, s.depth};
    }
    if (flags != nullptr) {
      *flags = s.flags;
    }
  });
}

// Elements of several planes are video's, which no array here is of.
HEDDLE_CUDA int32_t cudaArrayGetPlane(Given<void*> out, void* array, uint32_t /*plane*/) {
  return call([&](Context& c) {
    *out = nullptr;
    c.array(array);
    return Status::kInvalidValue;
  });
}

namespace {

constexpr size_t kAlignment = 512;  // as cudaMalloc's addresses have it (assumed)

abi::ArrayRequirements requirements(const exec::texture::Image& i, int32_t device) {
  cuda::require(device == 0, Status::kInvalidDevice);
  return {exec::texture::bytes_of(i), kAlignment, {}};
}

}  // namespace

HEDDLE_CUDA int32_t cudaArrayGetMemoryRequirements(Given<abi::ArrayRequirements> out, void* array,
                                                   int32_t device) {
  return call_into(out, [&](Context& c) { return requirements(c.array(array).image, device); });
}
HEDDLE_CUDA int32_t cudaMipmappedArrayGetMemoryRequirements(Given<abi::ArrayRequirements> out,
                                                            void* mipmapped, int32_t device) {
  return call_into(out, [&](Context& c) { return requirements(c.mipmapped(mipmapped).all.image, device); });
}

// None is sparse.
HEDDLE_CUDA int32_t cudaArrayGetSparseProperties(Given<uint8_t> out, void* array) {
  return call([&](Context& c) {
    out.get();
    c.array(array);
    return Status::kInvalidValue;
  });
}
HEDDLE_CUDA int32_t cudaMipmappedArrayGetSparseProperties(Given<uint8_t> out, void* mipmapped) {
  return call([&](Context& c) {
    out.get();
    c.mipmapped(mipmapped);
    return Status::kInvalidValue;
  });
}

// ---- copies of rows

namespace {

CopyEnd in_array(const void* array, size_t x_bytes, size_t y) {
  CopyEnd e;
  e.array = array;
  e.x_bytes = x_bytes;
  e.y = y;
  return e;
}

CopyEnd in_memory(const void* p, size_t pitch) {
  CopyEnd e;
  e.address = number(p);
  e.pitch = pitch;
  return e;
}

int32_t copy_rows_of(const CopyEnd& to, const CopyEnd& from, size_t width, size_t height, int32_t kind,
                     void* stream, bool waits) {
  return call([&](Context& c) {
    c.copy(copy_between(to, from, width, height, 1, kind, c), c.stream(stream), waits);
  });
}

int32_t copy_bytes_of(const CopyEnd& to, const CopyEnd& from, size_t bytes, int32_t kind, void* stream,
                      bool waits) {
  return call([&](Context& c) { copy_through(to, from, bytes, kind, c.stream(stream), waits, c); });
}

}  // namespace

HEDDLE_CUDA int32_t cudaMemcpy2DToArray(void* to, size_t x, size_t y, const void* from, size_t pitch,
                                        size_t width, size_t height, int32_t kind) {
  return copy_rows_of(in_array(to, x, y), in_memory(from, pitch), width, height, kind, nullptr, true);
}
HEDDLE_CUDA int32_t cudaMemcpy2DToArrayAsync(void* to, size_t x, size_t y, const void* from, size_t pitch,
                                             size_t width, size_t height, int32_t kind, void* stream) {
  return copy_rows_of(in_array(to, x, y), in_memory(from, pitch), width, height, kind, stream, false);
}
HEDDLE_CUDA int32_t cudaMemcpy2DFromArray(void* to, size_t pitch, const void* from, size_t x, size_t y,
                                          size_t width, size_t height, int32_t kind) {
  return copy_rows_of(in_memory(to, pitch), in_array(from, x, y), width, height, kind, nullptr, true);
}
HEDDLE_CUDA int32_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, const void* from, size_t x, size_t y,
                                               size_t width, size_t height, int32_t kind, void* stream) {
  return copy_rows_of(in_memory(to, pitch), in_array(from, x, y), width, height, kind, stream, false);
}
HEDDLE_CUDA int32_t cudaMemcpy2DArrayToArray(void* to, size_t to_x, size_t to_y, const void* from, size_t x,
                                             size_t y, size_t width, size_t height, int32_t kind) {
  return copy_rows_of(in_array(to, to_x, to_y), in_array(from, x, y), width, height, kind, nullptr, true);
}

// ---- copies of bytes, row by row

HEDDLE_CUDA int32_t cudaMemcpyToArray(void* to, size_t x, size_t y, const void* from, size_t bytes,
                                      int32_t kind) {
  return copy_bytes_of(in_array(to, x, y), in_memory(from, 0), bytes, kind, nullptr, true);
}
HEDDLE_CUDA int32_t cudaMemcpyToArrayAsync(void* to, size_t x, size_t y, const void* from, size_t bytes,
                                           int32_t kind, void* stream) {
  return copy_bytes_of(in_array(to, x, y), in_memory(from, 0), bytes, kind, stream, false);
}
HEDDLE_CUDA int32_t cudaMemcpyFromArray(void* to, const void* from, size_t x, size_t y, size_t bytes,
                                        int32_t kind) {
  return copy_bytes_of(in_memory(to, 0), in_array(from, x, y), bytes, kind, nullptr, true);
}
HEDDLE_CUDA int32_t cudaMemcpyFromArrayAsync(void* to, const void* from, size_t x, size_t y, size_t bytes,
                                             int32_t kind, void* stream) {
  return copy_bytes_of(in_memory(to, 0), in_array(from, x, y), bytes, kind, stream, false);
}
HEDDLE_CUDA int32_t cudaMemcpyArrayToArray(void* to, size_t to_x, size_t to_y, const void* from, size_t x,
                                           size_t y, size_t bytes, int32_t kind) {
  return copy_bytes_of(in_array(to, to_x, to_y), in_array(from, x, y), bytes, kind, nullptr, true);
}
