// Textures and surfaces, lane by lane.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "sim/exec/handlers/by_lane.h"
#include "sim/exec/handlers/handlers.h"
#include "sim/exec/texture/sample.h"
#include "sim/exec/texture/surface.h"

namespace heddle::exec {
namespace {

using texture::Descriptor;

constexpr uint64_t kSectorBytes = 32;

bool is_surface(TextureOp::Kind k) {
  return k == TextureOp::Kind::kLoad || k == TextureOp::Kind::kStore || k == TextureOp::Kind::kReduce;
}

// The object that a handle names, which most lanes have in common.
class Objects {
 public:
  Objects(const Memory& memory, const TextureOp& op, texture::Kind kind)
      : memory_(memory), op_(op), kind_(kind) {}

  const Descriptor& at(uint64_t handle) {
    if (handle != handle_ || object_.kind == texture::Kind::kNone) {
      object_ = texture::read(memory_, handle);
      handle_ = handle;
      check();
    }
    return object_;
  }

 private:
  void check() const {
    constexpr const char* kKinds[] = {"object", "texture", "sampler", "surface"};
    const bool right = kind_ == texture::Kind::kNone
                           ? object_.kind != texture::Kind::kNone && object_.kind != texture::Kind::kSampler
                           : object_.kind == kind_;
    if (!right) {
      throw Fault{fmt::format("handle {:#x} is of {} (legal: of a {})", handle_, texture::described(object_),
                              kKinds[static_cast<int>(kind_)])};
    }
    const texture::Image& i = object_.image;
    const bool row = op_.rows && op_.geometry == texture::Geometry::k2d && !op_.layered &&
                     i.geometry == texture::Geometry::k1d;
    if (kind_ != texture::Kind::kNone && kind_ != texture::Kind::kSampler &&
        ((i.geometry != op_.geometry && !row) || i.layered != op_.layered)) {
      throw Fault{fmt::format("handle {:#x} is of {} (legal: of the dimensions that the instruction says)",
                              handle_, texture::described(object_))};
    }
  }

  const Memory& memory_;
  const TextureOp& op_;
  const texture::Kind kind_;
  uint64_t handle_ = 0;
  Descriptor object_;
};

// One lane's operands out of the registers.
struct Lane {
  const Banks& banks;
  uint32_t lane;

  uint64_t word(Slot s) const {
    const Register* const r = banks.at(s);
    return r != nullptr ? (*r)[lane] : 0;
  }
  int32_t whole(Slot s) const { return static_cast<int32_t>(word(s)); }
  float number(Slot s) const { return std::bit_cast<float>(static_cast<uint32_t>(word(s))); }
  void put(Slot s, uint64_t value) const {
    if (Register* const r = banks.at(s)) {
      (*r)[lane] = value;
    }
  }
};

int32_t packed_offset(TextureOp::Packed form, int32_t all, size_t dimension) {
  const bool nibbles = form == TextureOp::Packed::kNibbles;
  const uint32_t bits = nibbles ? 4 : 6, at = static_cast<uint32_t>(dimension) * (nibbles ? 4 : 8);
  return static_cast<int32_t>(static_cast<uint32_t>(all) << (32 - at - bits)) >> (32 - bits);
}

texture::Fetch fetch_of(const TextureOp& op, const Lane& l) {
  texture::Fetch f;
  for (size_t d = 0; d < 3; ++d) {
    if (op.whole) {
      f.n[d] = l.whole(op.coordinates[d]);
    } else {
      f.x[d] = l.number(op.coordinates[d]);
    }
    f.dx[d] = l.number(op.dx[d]);
    f.dy[d] = l.number(op.dy[d]);
    f.offset[d] = op.packed == TextureOp::Packed::kNo ? l.whole(op.offsets[d])
                                                      : packed_offset(op.packed, l.whole(op.offsets[0]), d);
  }
  f.layer = l.whole(op.layer);
  f.level = l.number(op.level_at);
  return f;
}

void sample(const TextureOp& op, const Lane& l, const texture::Image& i, const texture::Sampler& s,
            texture::Reader& reader) {
  const bool floats = texture::is_float(i.element) || s.as_float;
  if (floats != op.wants_float && !op.halves && !op.any_type) {
    throw Fault{fmt::format("results are said to be {}, and the texture's are {} (legal: the same)",
                            op.wants_float ? "f32" : "whole numbers", floats ? "f32" : "whole numbers")};
  }
  const texture::Words out = texture::sampled(op, i, s, fetch_of(op, l), reader);
  for (size_t k = 0; k < out.size(); ++k) {
    l.put(op.data[k], out[k]);
  }
  l.put(op.resident, 1);
}

// The address that it reached, if any.
std::optional<uint64_t> on_surface(const TextureOp& op, const Lane& l, const texture::Image& i,
                                   const Memory& memory) {
  texture::SurfacePlace p;
  for (size_t d = 0; d < 3; ++d) {
    p.n[d] = l.whole(op.coordinates[d]);
  }
  p.layer = l.whole(op.layer);
  texture::SurfaceData data{};
  if (op.kind != TextureOp::Kind::kLoad) {
    for (size_t k = 0; k < data.size(); ++k) {
      data[k] = l.word(op.data[k]);
    }
  }
  const std::optional<uint64_t> at = texture::place_on(op, i, p, memory);
  if (at) {
    texture::perform_on(op, i, *at, memory, data);
  }
  if (op.kind == TextureOp::Kind::kLoad) {
    for (size_t k = 0; k < data.size(); ++k) {
      l.put(op.data[k], data[k]);
    }
  }
  return at;
}

// Addresses by lane, for whoever looks on: of a fetch the sectors that all lanes together read, one for each
// lane (more than there are lanes are left out); of a surface its own.
class Touched {
 public:
  void sectors(const std::vector<uint64_t>& elements) {
    for (const uint64_t at : elements) {
      const uint64_t sector = at / kSectorBytes * kSectorBytes;
      if (std::find(all_.begin(), all_.end(), sector) == all_.end()) {
        all_.push_back(sector);
      }
    }
  }
  void address(uint64_t at) { all_.push_back(at); }
  bool any() const { return !all_.empty(); }
  Register by_lane(uint32_t mask) const {
    Register out{};
    size_t next = 0;
    for (uint32_t m = mask; m != 0; m &= m - 1) {
      out[static_cast<uint32_t>(std::countr_zero(m))] = all_[std::min(next++, all_.size() - 1)];
    }
    return out;
  }

 private:
  std::vector<uint64_t> all_;
};

}  // namespace

bool execute_texture(WarpCore& w, Group& g, const Inst& in, uint32_t mask) {
  using Kind = TextureOp::Kind;
  const TextureOp& op = w.code.textures[in.target];
  const Banks b = w.banks(g);
  const Memory& memory = *w.reach.memory;
  const bool surface = is_surface(op.kind);
  Objects objects(memory, op,
                  op.kind == Kind::kQuery ? texture::Kind::kNone
                  : surface               ? texture::Kind::kSurface
                                          : texture::Kind::kTexture);
  Objects samplers(memory, op, texture::Kind::kSampler);
  texture::Reader reader(memory);
  Touched touched;
  by_lane(w, g, mask, [&](uint32_t lane) {
    const Lane l{b, lane};
    const uint64_t handle = l.word(op.object);
    if (op.kind == Kind::kIsType) {
      l.put(op.data[0], texture::read(memory, handle).kind == op.type ? 1 : 0);
      return;
    }
    const Descriptor& object = objects.at(handle);
    if (op.kind == Kind::kQuery) {
      l.put(op.data[0], texture::answer(op.query, object, static_cast<uint32_t>(l.whole(op.level_at))));
    } else if (surface) {
      if (const auto at = on_surface(op, l, object.image, memory)) {
        touched.address(*at);
      }
    } else {
      const texture::Sampler& s =
          op.sampler == kNoSlot ? object.sampler : samplers.at(l.word(op.sampler)).sampler;
      sample(op, l, object.image, s, reader);
      touched.sectors(reader.take());
    }
  });
  if (op.kind == Kind::kStore || op.kind == Kind::kReduce) {
    ++w.progress;
    ++w.writes;
  }
  w.polls += surface ? 1 : 0;
  if (w.observer != nullptr && touched.any()) {
    w.observer->accessed(*w.block, w.index, g.pc, mask, touched.by_lane(mask), nullptr);
  }
  ++g.pc;
  return true;
}

}  // namespace heddle::exec
