#include "frontends/modules/texture_argument.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "frontends/input/printable.h"
#include "sim/base/align.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/exec/texture/layout.h"

namespace heddle::modules {
namespace {

using namespace exec::texture;

constexpr std::string_view kDims[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
constexpr std::string_view kMemories[] = {"array", "linear", "pitch"};
constexpr std::string_view kAddresses[] = {"wrap", "clamp", "mirror", "border"};
constexpr std::string_view kFilters[] = {"point", "linear"};
constexpr std::string_view kReads[] = {"element", "float"};
constexpr std::string_view kTypes[] = {"|u1", "|i1", "<u2", "<i2", "<u4", "<i4", "<f2", "<f4"};
constexpr uint32_t kPitchAlign = 32;

template <size_t N>
size_t choice(std::string_view what, std::string_view value, const std::string_view (&legal)[N]) {
  const auto* const found = std::find(std::begin(legal), std::end(legal), value);
  if (found == std::end(legal)) {
    std::string all;
    for (const std::string_view l : legal) {
      all += (all.empty() ? "" : ", ") + std::string(l);
    }
    throw Error(fmt::format("{}={} (legal: {})", what, input::printable(value), all));
  }
  return static_cast<size_t>(found - std::begin(legal));
}

uint32_t small(uint64_t n) {
  return static_cast<uint32_t>(std::min<uint64_t>(n, std::numeric_limits<uint32_t>::max()));
}

// Geometry and sizes, of the array's shape.
void shape(const TextureRequest& r, const npy::Array& a, Image& i) {
  std::vector<uint64_t> s = a.shape;
  if (r.channels > 1) {
    if (s.empty() || s.back() != r.channels) {
      throw Error(fmt::format("channels={} of an array whose last index has {} (legal: as many)", r.channels,
                              s.empty() ? 0 : s.back()));
    }
    s.pop_back();
  }
  const std::string dims = !r.dims.empty() ? r.dims : s.size() < 2 ? "1d" : s.size() == 2 ? "2d" : "3d";
  const size_t kind = choice("dims", dims, kDims);
  constexpr size_t kIndices[] = {1, 2, 3, 2, 3, 3, 4};
  if (s.size() != kIndices[kind]) {
    throw Error(fmt::format("dims={} of an array of {} indices without channels (legal: {})", dims, s.size(),
                            kIndices[kind]));
  }
  std::reverse(s.begin(), s.end());  // x first
  constexpr Geometry kGeometries[] = {Geometry::k1d, Geometry::k2d,   Geometry::k3d,  Geometry::k1d,
                                      Geometry::k2d, Geometry::kCube, Geometry::kCube};
  i.geometry = kGeometries[kind];
  i.layered = dims.front() == 'a';
  i.width = small(s[0]);
  i.height = i.geometry == Geometry::k1d ? 1 : small(s[1]);
  i.depth = i.geometry == Geometry::k3d ? small(s[2]) : 1;
  i.layers = i.layered ? small(s.back()) : 1;
  if (i.geometry == Geometry::kCube && s[2] != 6) {
    throw Error(fmt::format("a cube of {} faces (legal: 6)", s[2]));
  }
}

}  // namespace

TextureRequest texture_request(bool surface, const std::vector<std::string>& options) {
  TextureRequest r;
  r.surface = surface;
  for (const std::string& o : options) {
    const size_t equals = o.find('=');
    const std::string name = o.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : o.substr(equals + 1);
    const auto number = parse_number<double>(value);
    if (name == "dims") {
      r.dims = value;
    } else if (name == "memory") {
      r.memory = value;
    } else if (name == "address" && !surface) {
      r.address = value;
    } else if (name == "filter" && !surface) {
      r.filter = value;
    } else if (name == "read" && !surface) {
      r.read = value;
    } else if (name == "channels" && number && (value == "1" || value == "2" || value == "4")) {
      r.channels = static_cast<uint32_t>(*number);
    } else if (name == "normalized" && !surface && (value == "0" || value == "1")) {
      r.normalized = value == "1";
    } else if (name == "border" && !surface && number) {
      r.border.fill(static_cast<float>(*number));
    } else {
      throw Error(fmt::format("option '{}' (legal: {})", input::printable(o), kTextureForms));
    }
  }
  return r;
}

TextureObject make_texture(const TextureRequest& r, const npy::Array& a, exec::Memory& memory) {
  TextureObject out;
  Descriptor& d = out.descriptor;
  d.kind = r.surface ? Kind::kSurface : Kind::kTexture;
  d.image.element = static_cast<Element>(choice("type", a.type, kTypes));
  d.image.channels = static_cast<uint8_t>(r.channels);
  shape(r, a, d.image);
  constexpr Storage kStorages[] = {Storage::kBlocks, Storage::kBuffer, Storage::kPitch};
  d.image.storage = kStorages[choice("memory", r.memory, kMemories)];
  if (d.image.storage == Storage::kPitch) {
    d.image.pitch = round_up(d.image.width * d.image.texel_bytes(), kPitchAlign);
  }
  d.sampler.address.fill(static_cast<AddressMode>(choice("address", r.address, kAddresses)));
  d.sampler.linear = choice("filter", r.filter, kFilters) == 1;
  d.sampler.as_float = choice("read", r.read, kReads) == 1;
  d.sampler.normalized = r.normalized;
  d.sampler.border = r.border;
  if (a.fortran) {
    throw Error("an array in Fortran's order (legal: in C's, the last index the fastest)");
  }
  if (const std::string why = wrong_with(d); !why.empty()) {
    throw Error(why);
  }
  d.image.data = memory.allocate(exec::texture::bytes_of(d.image));
  fill(memory, d.image, 0, a.bytes);
  out.handle = make(memory, d);
  return out;
}

npy::Array contents(const TextureObject& object, const npy::Array& shape, const exec::Memory& memory) {
  npy::Array out = shape;
  out.bytes = exec::texture::contents(memory, object.descriptor.image, 0);
  return out;
}

}  // namespace heddle::modules
