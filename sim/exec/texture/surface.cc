#include "sim/exec/texture/surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/exec/async/reach.h"
#include "sim/exec/texture/layout.h"
#include "sim/exec/texture/texel.h"

namespace heddle::exec::texture {
namespace {

uint32_t access_bytes(const TextureOp& op, const Image& i) {
  const bool element = op.formatted && op.kind == TextureOp::Kind::kStore;
  return element ? i.texel_bytes()
                 : uint32_t{op.bytes} * (op.kind == TextureOp::Kind::kReduce ? 1 : op.values);
}

uint8_t* bytes_at(const Memory& memory, uint64_t address, uint32_t bytes) {
  const Memory::Range* const r = memory.range(address);
  uint8_t* const at = r != nullptr ? r->at(address, bytes) : nullptr;
  if (at == nullptr) {
    throw Fault{fmt::format("{} bytes of the surface at {:#x}, where no memory is", bytes, address)};
  }
  return at;
}

}  // namespace

std::optional<uint64_t> place_on(const TextureOp& op, const Image& i, const SurfacePlace& p,
                                 const Memory& memory) {
  const uint32_t bytes = access_bytes(op, i);
  const int64_t unit = op.formatted ? i.texel_bytes() : 1;
  const int64_t sizes[] = {int64_t{i.width} * i.texel_bytes(), i.height, i.depth, i.layers};
  int64_t at[] = {p.n[0] * unit, i.geometry == Geometry::k1d ? 0 : p.n[1],
                  i.geometry == Geometry::k3d ? p.n[2] : 0,
                  i.layered ? static_cast<uint32_t>(p.layer) : 0};  // a negative layer is a large one
  bool outside = false;
  for (int d = 0; d < 4; ++d) {
    const int64_t last = sizes[d] - (d == 0 ? bytes : 1);
    outside |= at[d] < 0 || at[d] > last;
    if (op.outside == TextureOp::Outside::kClamp) {
      at[d] = std::clamp<int64_t>(at[d], 0, std::max<int64_t>(last, 0));
    }
  }
  if (outside && op.outside == TextureOp::Outside::kTrap) {
    throw Fault{fmt::format(
        "x = {}, y = {}, z = {}, layer {} lies outside a surface of {} bytes x {} x {}, {} layers", at[0],
        at[1], at[2], at[3], sizes[0], i.height, i.depth, i.layers)};
  }
  if (outside && op.outside == TextureOp::Outside::kZero) {
    return std::nullopt;
  }
  if (at[0] % bytes != 0) {
    throw Fault{
        fmt::format("x = {} is misaligned (legal: a multiple of {}, the access's bytes)", p.n[0], bytes)};
  }
  const uint64_t address = address_of(i, 0, static_cast<uint32_t>(at[0]), static_cast<uint32_t>(at[1]),
                                      static_cast<uint32_t>(at[2]), static_cast<uint32_t>(at[3]) * i.faces());
  bytes_at(memory, address, bytes);
  return address;
}

void perform_on(const TextureOp& op, const Image& i, uint64_t address, const Memory& memory,
                SurfaceData& data) {
  uint8_t* const at = bytes_at(memory, address, access_bytes(op, i));
  switch (op.kind) {
    case TextureOp::Kind::kLoad:
      for (uint32_t k = 0; k < op.values; ++k) {
        data[k] = 0;
        std::memcpy(&data[k], at + size_t{k} * op.bytes, op.bytes);
      }
      break;
    case TextureOp::Kind::kReduce: {
      const uint64_t operand[2] = {data[0], 0}, compare[2] = {};
      uint64_t old[2] = {};
      (op.formatted && is_signed(i.element) ? op.atomic_signed : op.atomic)(at, operand, compare, old);
      break;
    }
    default:
      if (op.formatted) {
        Words words{};
        for (uint32_t k = 0; k < op.values; ++k) {
          words[k] = static_cast<uint32_t>(data[k]);
        }
        put_words(i, words, at);
        return;
      }
      for (uint32_t k = 0; k < op.values; ++k) {
        std::memcpy(at + size_t{k} * op.bytes, &data[k], op.bytes);
      }
  }
}

uint32_t answer(TextureOp::Query query, const Descriptor& d, uint32_t level) {
  using Query = TextureOp::Query;
  const Image& i = d.image;
  const bool array = i.storage == Storage::kBlocks;
  switch (query) {
    case Query::kWidth:
      return width_at(i, level);
    case Query::kHeight:
      return i.geometry != Geometry::k1d ? height_at(i, level)
             : i.layered                 ? i.layers
                                         : (array && d.kind == Kind::kTexture ? 1 : 0);
    case Query::kDepth:
      return i.geometry == Geometry::k3d                ? depth_at(i, level)
             : i.layered && i.geometry != Geometry::k1d ? i.layers
                                                        : 0;
    case Query::kArraySize:
      return i.layered ? i.layers : 0;
    case Query::kLevels:
      return i.levels;
    default:
      return d.sampler.normalized ? 1 : 0;
  }
}

}  // namespace heddle::exec::texture
