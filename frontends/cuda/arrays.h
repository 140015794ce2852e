// CUDA arrays: memory whose layout the program does not know (GM17), with and without smaller levels, and the
// objects by which kernels look elements up. What they mean on the device: sim/exec/texture.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontends/cuda/address_space.h"
#include "frontends/cuda/work.h"
#include "sim/exec/texture/descriptor.h"

namespace heddle::cuda {

// cudaArray...: what an array is to be.
inline constexpr uint32_t kLayeredArray = 1, kSurfaceArray = 2, kCubeArray = 4, kGatherArray = 8;

// What an element is.
struct ElementFormat {
  exec::texture::Element element = exec::texture::Element::kF32;
  uint8_t channels = 1;    // 1, 2, 4
  bool fractions = false;  // always read as fractions of one (cudaChannelFormatKindUnsignedNormalized8X1 ...)

  friend bool operator==(const ElementFormat&, const ElementFormat&) = default;
};

// As the program said it: sizes in elements, 0 for dimensions that there are not; of layered arrays and cubes
// the last one counts layers and faces.
struct ArrayShape {
  ElementFormat format;
  uint64_t width = 0, height = 0, depth = 0;
  uint32_t flags = 0;
  uint32_t levels = 1;
};

struct Array {
  ArrayShape shape;
  exec::texture::Image image;
  bool of_levels = false;  // a level of a MipmappedArray, which has its memory
};

struct MipmappedArray {
  Array all;
  std::vector<std::unique_ptr<Array>> levels;
};

// Where its elements are, without memory yet. Throws CallFailed for what no array may be.
exec::texture::Image image_of(const ArrayShape& shape);
// A place in an array: elements, rows, and slices of three dimensions, layers or faces.
// Throws CallFailed where so many bytes, rows and slices from there on are not all in it.
ArrayPlace place_in(const Array& a, uint64_t x_bytes, uint64_t y, uint64_t z, uint64_t bytes, uint64_t rows,
                    uint64_t slices);

// What an object is of.
struct Resource {
  enum class Type : uint8_t { kArray, kMipmapped, kLinear, kPitch };
  Type type = Type::kArray;
  const void* handle = nullptr;               // of an array
  uint64_t address = 0, bytes = 0;            // of linear memory
  uint64_t width = 0, height = 0, pitch = 0;  // of rows in memory: elements, rows, bytes
  ElementFormat format;                       // of memory
};
// Part of a resource, as something else.
struct ResourceView {
  bool given = false;
  bool other_format = false;
  ElementFormat format;
  uint64_t width = 0, height = 0, depth = 0;
  uint32_t first_level = 0, last_level = 0, first_layer = 0, last_layer = 0;
};
struct TextureLook {
  exec::texture::Sampler sampler;
  uint32_t most_anisotropy = 0;
  bool no_trilinear_optimisation = false, seamless_cube = false;
};
struct LookupObject {
  exec::texture::Kind kind = exec::texture::Kind::kNone;
  Resource resource;
  ResourceView view;
  TextureLook look;
};

// Texture and surface objects by number, in a table in the device's memory.
class LookupObjects {
 public:
  // Throws CallFailed, with why, for what may not be.
  uint64_t make(exec::Memory& memory, const exec::texture::Descriptor& d, const LookupObject& asked);
  void release(exec::Memory& memory, uint64_t handle, exec::texture::Kind kind);
  // Throws CallFailed when it is none of that kind.
  const LookupObject& at(uint64_t handle, exec::texture::Kind kind) const;
  void clear();

 private:
  std::unordered_map<uint64_t, LookupObject> all_;
  std::vector<uint64_t> free_;
  uint64_t next_ = 1;
};

}  // namespace heddle::cuda
