// CUDA arrays, texture and surface objects.
#include <algorithm>
#include <string>

#include "frontends/cuda/context.h"
#include "sim/exec/texture/layout.h"

namespace heddle::cuda {
namespace {

namespace texture = exec::texture;
using texture::Geometry;
using texture::Storage;

constexpr uint64_t kAlign = 512;  // of linear memory (cudaDeviceProp::textureAlignment)

// An image of its own: the levels from `first` on.
texture::Image levels_of(const texture::Image& i, uint32_t first, uint32_t count) {
  texture::Image out = i;
  out.data = texture::address_of(i, first, 0, 0, 0, 0);
  out.width = texture::width_at(i, first);
  out.height = texture::height_at(i, first);
  out.depth = texture::depth_at(i, first);
  out.levels = static_cast<uint8_t>(count);
  return out;
}

// Part of an array's image, as the view says.
void restrict_to(texture::Image& i, const ResourceView& v) {
  const uint32_t faces = i.faces();
  require(v.first_level <= v.last_level && v.last_level < i.levels && v.first_layer <= v.last_layer,
          Status::kInvalidValue, "levels or layers of a view");
  i = levels_of(i, v.first_level, v.last_level - v.first_level + 1);
  if (i.layered && (v.first_layer != 0 || v.last_layer != 0)) {
    // Of cubes a layer is a face here.
    const uint32_t first = v.first_layer / faces, count = (v.last_layer - v.first_layer + 1) / faces;
    require(count != 0 && first + count <= i.layers, Status::kInvalidValue, "layers of a view");
    if (i.levels != 1 && (first != 0 || count != i.layers)) {
      throw CallFailed(Status::kNotSupported, "a view of some of the layers of several levels");
    }
    i.data = texture::address_of(i, 0, 0, 0, 0, first * faces);
    i.layers = count;
  }
  if (v.other_format) {
    const uint32_t bytes = v.format.channels * texture::bytes_of(v.format.element);
    require(bytes == i.texel_bytes(), Status::kInvalidValue, "a view of elements of another size");
    i.element = v.format.element;
    i.channels = v.format.channels;
  }
}

}  // namespace

Array& Context::create_array(const ArrayShape& shape) {
  require(shape.levels == 1, Status::kInvalidValue);
  auto a = std::make_unique<Array>();
  a->shape = shape;
  a->image = image_of(shape);
  a->image.data = allocate(texture::bytes_of(a->image), host::Memory::kDevice);
  return arrays_.keep(std::move(a));
}

MipmappedArray& Context::create_mipmapped(ArrayShape shape) {
  // More levels than there can be are as many as there can be.
  const uint64_t most =
      std::max({shape.width, shape.height, (shape.flags & kLayeredArray) != 0 ? 0 : shape.depth});
  uint32_t levels = 1;
  for (uint64_t n = most; n > 1; n /= 2) {
    ++levels;
  }
  shape.levels = std::clamp(shape.levels, 1U, levels);
  auto m = std::make_unique<MipmappedArray>();
  m->all.shape = shape;
  m->all.image = image_of(shape);
  m->all.image.data = allocate(texture::bytes_of(m->all.image), host::Memory::kDevice);
  for (uint32_t level = 0; level < shape.levels; ++level) {
    auto a = std::make_unique<Array>();
    a->image = levels_of(m->all.image, level, 1);
    a->shape = shape;
    a->shape.levels = 1;
    a->shape.width = a->image.width;
    a->shape.height = shape.height == 0 ? 0 : a->image.height;
    a->shape.depth = a->image.geometry == Geometry::k3d ? a->image.depth : shape.depth;
    a->of_levels = true;
    m->levels.push_back(std::move(a));
  }
  return mipmapped_.keep(std::move(m));
}

Array& Context::array(const void* handle) {
  for (const auto& [key, m] : mipmapped_) {
    for (const auto& level : m->levels) {
      if (level.get() == handle) {
        return *level;
      }
    }
  }
  return arrays_.at(handle);
}

MipmappedArray& Context::mipmapped(const void* handle) { return mipmapped_.at(handle); }

void Context::destroy(Array& a) {
  require(!a.of_levels, Status::kInvalidValue, "a level of an array of levels");
  release(a.image.data);
  arrays_.drop(&a);
}

void Context::destroy(MipmappedArray& m) {
  release(m.all.image.data);
  mipmapped_.drop(&m);
}

texture::Image Context::image(const Resource& r, ElementFormat& format) {
  texture::Image i;
  switch (r.type) {
    case Resource::Type::kArray:
      format = array(r.handle).shape.format;
      return array(r.handle).image;
    case Resource::Type::kMipmapped:
      format = mipmapped(r.handle).all.shape.format;
      return mipmapped(r.handle).all.image;
    case Resource::Type::kLinear:
      i.geometry = Geometry::k1d;
      i.storage = Storage::kBuffer;
      break;
    case Resource::Type::kPitch:
      i.geometry = Geometry::k2d;
      i.storage = Storage::kPitch;
      break;
  }
  format = r.format;
  i.element = format.element;
  i.channels = format.channels;
  const bool rows = r.type == Resource::Type::kPitch;
  const uint64_t width = rows ? r.width : r.bytes / i.texel_bytes();
  require(width <= UINT32_MAX && r.height <= UINT32_MAX && r.pitch <= UINT32_MAX, Status::kInvalidValue,
          "linear memory beyond all limits");
  i.width = static_cast<uint32_t>(width);
  i.height = rows ? static_cast<uint32_t>(r.height) : 1;
  i.pitch = rows ? static_cast<uint32_t>(r.pitch) : 0;
  i.data = r.address;
  const uint64_t bytes = rows ? r.pitch * r.height : r.bytes;
  require(
      r.address != 0 && r.address % kAlign == 0 && bytes != 0 && space_.memory().range(r.address) != nullptr,
      Status::kInvalidValue, "no memory of the device, or not at a multiple of 512");
  // The last row may end with its elements.
  space_.bytes(r.address, rows ? r.pitch * (r.height - 1) + width * i.texel_bytes() : bytes);
  return i;
}

uint64_t Context::create_texture(LookupObject asked) {
  asked.kind = texture::Kind::kTexture;
  texture::Descriptor d;
  d.kind = texture::Kind::kTexture;
  ElementFormat format;
  d.image = image(asked.resource, format);
  const bool memory = d.image.storage != Storage::kBlocks;
  if (asked.view.given) {
    require(!memory, Status::kInvalidValue, "a view of linear memory");
    restrict_to(d.image, asked.view);
  }
  if (asked.look.most_anisotropy > 1) {
    note("textures are not read by several samples along a line (maxAnisotropy) here");
  }
  d.sampler = asked.look.sampler;
  d.sampler.as_float = (d.sampler.as_float || format.fractions) && !texture::is_float(d.image.element);
  d.sampler.srgb = d.sampler.srgb && d.image.element == texture::Element::kU8;
  for (texture::AddressMode& mode : d.sampler.address) {
    // Without normalised coordinates there is no wrap and no mirror (LC15).
    const bool repeats = mode == texture::AddressMode::kWrap || mode == texture::AddressMode::kMirror;
    mode = repeats && !d.sampler.normalized ? texture::AddressMode::kClamp : mode;
  }
  if (d.image.storage == Storage::kBuffer) {  // neither counts for it
    d.sampler.linear = d.sampler.normalized = false;
  }
  return objects_.make(space_.memory(), d, asked);
}

uint64_t Context::create_surface(const Resource& r) {
  require(r.type == Resource::Type::kArray, Status::kInvalidValue, "a surface of other than an array");
  const Array& a = array(r.handle);
  require((a.shape.flags & kSurfaceArray) != 0, Status::kInvalidValue,
          "a surface of an array without cudaArraySurfaceLoadStore");
  texture::Descriptor d;
  d.kind = texture::Kind::kSurface;
  d.image = a.image;
  if (d.image.geometry == Geometry::kCube) {  // its faces are layers
    d.image.layers = d.image.slices();
    d.image.geometry = Geometry::k2d;
    d.image.layered = true;
  }
  LookupObject asked;
  asked.kind = texture::Kind::kSurface;
  asked.resource = r;
  return objects_.make(space_.memory(), d, asked);
}

void Context::destroy_object(uint64_t handle, texture::Kind kind) {
  objects_.release(space_.memory(), handle, kind);
}

}  // namespace heddle::cuda
