#include "frontends/cuda/arrays.h"

#include "frontends/cuda/status.h"
#include "sim/exec/texture/layout.h"

namespace heddle::cuda {
namespace {

namespace texture = exec::texture;
using texture::Geometry;

constexpr uint32_t kKnownFlags = kLayeredArray | kSurfaceArray | kCubeArray | kGatherArray;
constexpr uint32_t kFaces = 6;

void require_supported(const ArrayShape& s) {
  constexpr uint32_t kColour = 0x20, kSparse = 0x40, kDeferred = 0x80;
  if ((s.flags & (kColour | kSparse | kDeferred)) != 0) {
    throw CallFailed(Status::kNotSupported, "arrays of other APIs, sparse ones and such without memory");
  }
}

}  // namespace

texture::Image image_of(const ArrayShape& s) {
  require_supported(s);
  const bool layered = (s.flags & kLayeredArray) != 0, cube = (s.flags & kCubeArray) != 0;
  require((s.flags & ~kKnownFlags) == 0 && s.width != 0, Status::kInvalidValue,
          "flags or a width of an array");
  require(s.width <= UINT32_MAX && s.height <= UINT32_MAX && s.depth <= UINT32_MAX && s.levels <= UINT8_MAX,
          Status::kInvalidValue, "an array beyond all limits");
  texture::Image i;
  i.element = s.format.element;
  i.channels = s.format.channels;
  i.layered = layered;
  i.levels = static_cast<uint8_t>(s.levels);
  i.width = static_cast<uint32_t>(s.width);
  i.height = s.height == 0 ? 1 : static_cast<uint32_t>(s.height);
  const auto depth = static_cast<uint32_t>(s.depth);
  if (cube) {
    require(depth != 0 && (layered ? depth % kFaces == 0 : depth == kFaces), Status::kInvalidValue,
            "a cube of other than six faces");
    i.geometry = Geometry::kCube;
    i.layers = depth / kFaces;
  } else if (layered) {
    require(depth != 0, Status::kInvalidValue, "an array without layers");
    i.geometry = s.height == 0 ? Geometry::k1d : Geometry::k2d;
    i.layers = depth;
  } else {
    require(depth == 0 || s.height != 0, Status::kInvalidValue, "a depth without a height");
    i.geometry = depth != 0 ? Geometry::k3d : s.height != 0 ? Geometry::k2d : Geometry::k1d;
    i.depth = depth == 0 ? 1 : depth;
  }
  texture::Descriptor d;
  d.kind = texture::Kind::kTexture;
  d.image = i;
  d.sampler.normalized = true;
  if (const std::string why = texture::wrong_with(d); !why.empty()) {
    throw CallFailed(Status::kInvalidValue, why);
  }
  return i;
}

ArrayPlace place_in(const Array& a, uint64_t x_bytes, uint64_t y, uint64_t z, uint64_t bytes, uint64_t rows,
                    uint64_t slices) {
  const texture::Image& i = a.image;
  const uint64_t row = uint64_t{i.width} * i.texel_bytes();
  const uint64_t all_slices = i.geometry == Geometry::k3d ? i.depth : i.slices();
  // Of layered rows CUDA counts layers as z.
  require(x_bytes <= row && bytes <= row - x_bytes && y <= i.height && rows <= i.height - y &&
              z <= all_slices && slices <= all_slices - z && x_bytes % i.texel_bytes() == 0 &&
              bytes % i.texel_bytes() == 0,
          Status::kInvalidValue, "a place that is not all in the array");
  return {i, &a, x_bytes, static_cast<uint32_t>(y), static_cast<uint32_t>(z)};
}

uint64_t LookupObjects::make(exec::Memory& memory, const texture::Descriptor& d, const LookupObject& asked) {
  if (const std::string why = texture::wrong_with(d); !why.empty()) {
    throw CallFailed(Status::kInvalidValue, why);
  }
  if (memory.objects() == 0) {
    memory.objects_at(memory.allocate(texture::kMostObjects * texture::kDescriptorBytes));
  }
  require(!free_.empty() || next_ < texture::kMostObjects, Status::kMemoryAllocation, "no more objects");
  const uint64_t handle = free_.empty() ? next_++ : free_.back();
  if (!free_.empty()) {
    free_.pop_back();
  }
  texture::write(memory, memory.objects() + handle * texture::kDescriptorBytes, d);
  all_[handle] = asked;
  return handle;
}

void LookupObjects::release(exec::Memory& memory, uint64_t handle, texture::Kind kind) {
  at(handle, kind);
  const std::vector<uint8_t> nothing(texture::kDescriptorBytes);
  memory.write(memory.objects() + handle * texture::kDescriptorBytes, nothing);
  all_.erase(handle);
  free_.push_back(handle);
}

const LookupObject& LookupObjects::at(uint64_t handle, texture::Kind kind) const {
  const auto it = all_.find(handle);
  require(it != all_.end() && it->second.kind == kind, Status::kInvalidValue, "no such object");
  return it->second;
}

void LookupObjects::clear() {
  all_.clear();
  free_.clear();
  next_ = 1;
}

}  // namespace heddle::cuda
