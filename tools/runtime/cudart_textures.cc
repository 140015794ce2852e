// Texture and surface objects.
#include <algorithm>

#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"
#include "tools/runtime/formats.h"

using namespace heddle;  // this file is CUDA's interface
using namespace heddle::runtime;

namespace {

using exec::texture::AddressMode;
using exec::texture::Kind;

cuda::Resource resource_of(const abi::Resource& r) {
  cuda::require(r.type >= 0 && r.type <= 3 && r.flags == 0, Status::kInvalidValue,
                "a resource's type or flags");
  cuda::Resource out;
  out.type = static_cast<cuda::Resource::Type>(r.type);
  switch (out.type) {
    case cuda::Resource::Type::kLinear:
      out.address = number(r.linear.pointer);
      out.bytes = r.linear.bytes;
      out.format = format_of(r.linear.format);
      break;
    case cuda::Resource::Type::kPitch:
      out.address = number(r.rows.pointer);
      out.width = r.rows.width;
      out.height = r.rows.height;
      out.pitch = r.rows.pitch;
      out.format = format_of(r.rows.format);
      break;
    default:
      out.handle = r.array;
  }
  return out;
}

abi::Resource described(const cuda::Resource& r) {
  abi::Resource out{};
  out.type = static_cast<int32_t>(r.type);
  switch (r.type) {
    case cuda::Resource::Type::kLinear:
      out.linear = {pointer(r.address), channels_of(r.format), r.bytes};
      break;
    case cuda::Resource::Type::kPitch:
      out.rows = {pointer(r.address), channels_of(r.format), r.width, r.height, r.pitch};
      break;
    default:
      out.array = r.handle;
  }
  return out;
}

cuda::TextureLook look_of(const abi::Texture& t) {
  cuda::TextureLook out;
  exec::texture::Sampler& s = out.sampler;
  for (size_t k = 0; k < s.address.size(); ++k) {
    cuda::require(t.address[k] >= 0 && t.address[k] <= 3, Status::kInvalidValue, "an address mode");
    s.address[k] = static_cast<AddressMode>(t.address[k]);
  }
  const auto flag = [](int32_t value) {
    cuda::require(value == 0 || value == 1, Status::kInvalidValue, "a filter or read mode (legal: 0, 1)");
    return value == 1;
  };
  s.linear = flag(t.filter);
  s.linear_levels = flag(t.level_filter);
  s.as_float = flag(t.reads_fractions);
  s.srgb = t.srgb != 0;
  s.normalized = t.normalized != 0;
  s.bias = t.bias;
  s.least_level = t.least_level;
  s.most_level = t.most_level;
  std::copy(std::begin(t.border), std::end(t.border), s.border.begin());
  out.most_anisotropy = t.most_anisotropy;
  out.no_trilinear_optimisation = t.no_trilinear_optimisation != 0;
  out.seamless_cube = t.seamless_cube != 0;
  return out;
}

abi::Texture described(const cuda::TextureLook& look) {
  const exec::texture::Sampler& s = look.sampler;
  abi::Texture out{};
  for (size_t k = 0; k < s.address.size(); ++k) {
    out.address[k] = static_cast<int32_t>(s.address[k]);
  }
  out.filter = s.linear ? 1 : 0;
  out.reads_fractions = s.as_float ? 1 : 0;
  out.srgb = s.srgb ? 1 : 0;
  std::copy(s.border.begin(), s.border.end(), std::begin(out.border));
  out.normalized = s.normalized ? 1 : 0;
  out.most_anisotropy = look.most_anisotropy;
  out.level_filter = s.linear_levels ? 1 : 0;
  out.bias = s.bias;
  out.least_level = s.least_level;
  out.most_level = s.most_level;
  out.no_trilinear_optimisation = look.no_trilinear_optimisation ? 1 : 0;
  out.seamless_cube = look.seamless_cube ? 1 : 0;
  return out;
}

}  // namespace

HEDDLE_CUDA int32_t cudaCreateTextureObject(Given<unsigned long long> out,
                                            Given<const abi::Resource> resource,
                                            Given<const abi::Texture> texture,
                                            const abi::ResourceView* view) {
  return call_into(out, [&](Context& c) {
    cuda::LookupObject asked;
    asked.resource = resource_of(*resource);
    asked.look = look_of(*texture);
    asked.view = view_of(view);
    return c.create_texture(asked);
  });
}
HEDDLE_CUDA int32_t cudaDestroyTextureObject(unsigned long long object) {
  return call([&](Context& c) {
    if (object != 0) {
      c.destroy_object(object, Kind::kTexture);
    }
  });
}
HEDDLE_CUDA int32_t cudaGetTextureObjectResourceDesc(Given<abi::Resource> out, unsigned long long object) {
  return call_into(out, [&](Context& c) { return described(c.object(object, Kind::kTexture).resource); });
}
HEDDLE_CUDA int32_t cudaGetTextureObjectTextureDesc(Given<abi::Texture> out, unsigned long long object) {
  return call_into(out, [&](Context& c) { return described(c.object(object, Kind::kTexture).look); });
}
HEDDLE_CUDA int32_t cudaGetTextureObjectResourceViewDesc(Given<abi::ResourceView> out,
                                                         unsigned long long object) {
  return call_into(out, [&](Context& c) {
    const cuda::ResourceView& v = c.object(object, Kind::kTexture).view;
    cuda::require(v.given, Status::kInvalidValue, "an object without a view");
    return described(v);
  });
}

HEDDLE_CUDA int32_t cudaCreateSurfaceObject(Given<unsigned long long> out,
                                            Given<const abi::Resource> resource) {
  return call_into(out, [&](Context& c) { return c.create_surface(resource_of(*resource)); });
}
HEDDLE_CUDA int32_t cudaDestroySurfaceObject(unsigned long long object) {
  return call([&](Context& c) {
    if (object != 0) {
      c.destroy_object(object, Kind::kSurface);
    }
  });
}
HEDDLE_CUDA int32_t cudaGetSurfaceObjectResourceDesc(Given<abi::Resource> out, unsigned long long object) {
  return call_into(out, [&](Context& c) { return described(c.object(object, Kind::kSurface).resource); });
}
