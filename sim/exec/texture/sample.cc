#include "sim/exec/texture/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/exec/async/reach.h"
#include "sim/exec/texture/coordinates.h"
#include "sim/exec/texture/filter.h"
#include "sim/exec/texture/layout.h"

namespace heddle::exec::texture {
namespace {

// The corners of tld4's four results: below left, below right, above right, above left.
constexpr uint32_t kGathered[] = {2, 3, 1, 0};

uint32_t dimensions_of(const Image& i) {
  return i.geometry == Geometry::k1d ? 1 : i.geometry == Geometry::k3d ? 3 : 2;
}

// The elements around a place in one level.
struct Footprint {
  uint32_t level = 0, slice = 0, dimensions = 1;
  std::array<Axis, 3> axes;
};

class Sampling {
 public:
  Sampling(const TextureOp& op, const Image& i, const Sampler& s, const Fetch& f, Reader& reader)
      : op_(op), image_(i), sampler_(s), fetch_(f), reader_(reader), border_(border_element(i, s)) {}

  Words run();

 private:
  Footprint footprint(uint32_t level) const;
  const uint8_t* element(const Footprint& p, uint32_t corner) const;
  Words whole() const;
  Words gathered(const Footprint& p) const;
  Words nearest(const Footprint& p) const;
  double level() const;
  double level_of_gradients() const;
  void add(const Footprint& p, uint32_t share, std::vector<Weighted>& out) const;
  bool two() const { return sampler_.linear || op_.kind == TextureOp::Kind::kGather; }

  const TextureOp& op_;
  const Image& image_;
  const Sampler& sampler_;
  const Fetch& fetch_;
  Reader& reader_;
  const std::array<uint8_t, 16> border_;
};

Footprint Sampling::footprint(uint32_t level) const {
  Footprint p;
  p.level = level;
  p.dimensions = dimensions_of(image_);
  // A negative layer is a large one.
  const auto layer = static_cast<uint32_t>(fetch_.layer);
  p.slice = image_.layered ? std::min(layer, image_.layers - 1) * image_.faces() : 0;
  std::array<float, 3> x = fetch_.x;
  Sampler s = sampler_;
  if (image_.geometry == Geometry::kCube) {
    const FacePoint at = face_of(fetch_.x);
    p.slice += at.face;
    x = {at.x, at.y, 0};
    s.address.fill(AddressMode::kClamp);
  }
  // An H200 has only layered textures of one dimension: this one is of two, read at y = 0, half in the
  // border.
  if (image_.geometry == Geometry::k1d && !image_.layered && s.address[1] == AddressMode::kBorder && two()) {
    p.dimensions = 2;
    x[1] = 0;
  }
  const std::array<uint32_t, 3> size{width_at(image_, level), height_at(image_, level),
                                     depth_at(image_, level)};
  for (size_t d = 0; d < std::min<size_t>(p.dimensions, size.size()); ++d) {
    p.axes[d] = two() ? axis_of(x[d], size[d], s, d, fetch_.offset[d], op_.kind != TextureOp::Kind::kGather)
                      : nearest_of(x[d], size[d], s, d, fetch_.offset[d]);
  }
  return p;
}

const uint8_t* Sampling::element(const Footprint& p, uint32_t corner) const {
  uint32_t n[3] = {0, 0, 0};
  for (uint32_t d = 0; d < p.dimensions; ++d) {
    const int32_t at = p.axes[d].at[corner >> d & 1];
    if (at < 0) {
      return border_.data();
    }
    n[d] = static_cast<uint32_t>(at);
  }
  const uint32_t bytes = image_.texel_bytes();
  return reader_.at(address_of(image_, p.level, n[0] * bytes, n[1], n[2], p.slice), bytes);
}

// Outside is 0 everywhere. Arrays of one dimension give 0 on an H200: its instruction is for buffers.
Words Sampling::whole() const {
  Footprint p;
  p.dimensions = dimensions_of(image_);
  const std::array<uint32_t, 3> size{image_.width, image_.height, image_.depth};
  for (size_t d = 0; d < std::min<size_t>(p.dimensions, size.size()); ++d) {
    const int64_t at = int64_t{fetch_.n[d]} + fetch_.offset[d];
    if (at < 0 || at >= size[d]) {
      return {};
    }
    p.axes[d].at[0] = static_cast<int32_t>(at);
  }
  const auto layer = static_cast<uint32_t>(fetch_.layer);
  if ((image_.layered && layer >= image_.layers) ||
      (p.dimensions == 1 && !image_.layered && image_.storage == Storage::kBlocks)) {
    return {};
  }
  p.slice = image_.layered ? layer : 0;
  return nearest(p);
}

Words Sampling::nearest(const Footprint& p) const {
  const uint8_t* const bytes = element(p, 0);
  return sampler_.as_float ? bits_of(values_of(image_, sampler_, bytes)) : words_of(image_, bytes);
}

Words Sampling::gathered(const Footprint& p) const {
  Words out{};
  for (size_t k = 0; k < out.size(); ++k) {
    const uint8_t* const bytes = element(p, kGathered[k]);
    out[k] = (sampler_.as_float ? bits_of(values_of(image_, sampler_, bytes))
                                : words_of(image_, bytes))[op_.channel];
  }
  return out;
}

// The longer axis of the ellipse that the two steps make of a circle. An H200's logarithm is coarser.
double Sampling::level_of_gradients() const {
  const double size[] = {static_cast<double>(image_.width), static_cast<double>(image_.height),
                         static_cast<double>(image_.depth)};
  double xx = 0, yy = 0, xy = 0;
  for (uint32_t d = 0; d < dimensions_of(image_); ++d) {
    const double unit = sampler_.normalized ? size[d] : 1;
    const double x = fetch_.dx[d] * unit, y = fetch_.dy[d] * unit;
    xx += x * x;
    yy += y * y;
    xy += x * y;
  }
  return 0.5 * std::log2((xx + yy) / 2 + std::sqrt((xx - yy) * (xx - yy) / 4 + xy * xy));
}

double Sampling::level() const {
  constexpr double kLeast = -32;
  double out = op_.level == TextureOp::Level::kSaid        ? static_cast<double>(fetch_.level)
               : op_.level == TextureOp::Level::kGradients ? level_of_gradients()
                                                           : kLeast;
  out = std::isnan(out) ? 0 : std::clamp(out, kLeast, -kLeast) + sampler_.bias;
  const double least = sampler_.least_level;
  out = std::clamp(out, least, std::max<double>(least, sampler_.most_level));
  return std::clamp<double>(out, 0, image_.levels - 1);
}

void Sampling::add(const Footprint& p, uint32_t share, std::vector<Weighted>& out) const {
  const std::array<uint32_t, 8> all = weights(p.axes, p.dimensions, share);
  for (uint32_t corner = 0; corner < 1U << p.dimensions; ++corner) {
    if (all[corner] != 0) {
      out.push_back({element(p, corner), all[corner]});
    }
  }
}

Words Sampling::run() {
  if (op_.whole) {
    return whole();
  }
  if (op_.kind == TextureOp::Kind::kGather) {
    return gathered(footprint(0));
  }
  const double at = level();
  if (!sampler_.linear_levels) {
    const Footprint p = footprint(static_cast<uint32_t>(std::floor(at + 0.5)));
    if (!sampler_.linear) {
      return nearest(p);
    }
    std::vector<Weighted> all;
    add(p, 256, all);
    return bits_of(filtered(image_, sampler_, all));
  }
  const auto fixed = static_cast<uint32_t>(std::floor(at * 256));
  const uint32_t first = fixed / 256, share = fixed % 256;
  if (share == 0 && !sampler_.linear) {
    return nearest(footprint(first));
  }
  std::vector<Weighted> all;
  add(footprint(first), 256 - share, all);
  if (share != 0) {
    add(footprint(first + 1), share, all);
  }
  return bits_of(filtered(image_, sampler_, all));
}

}  // namespace

const uint8_t* Reader::at(uint64_t address, uint32_t bytes) {
  const uint8_t* out = last_.at(address, bytes);
  if (out == nullptr) {
    const Memory::Range* const r = memory_.range(address);
    out = r != nullptr ? r->at(address, bytes) : nullptr;
    if (out == nullptr) {
      throw Fault{fmt::format("an element of the texture at {:#x}, where no memory is", address)};
    }
    last_ = *r;
  }
  read_.push_back(address);
  return out;
}

Words sampled(const TextureOp& op, const Image& i, const Sampler& s, const Fetch& f, Reader& reader) {
  Words out = Sampling(op, i, s, f, reader).run();
  if (op.halves) {
    const bool floats = is_float(i.element) || s.as_float;
    const auto half = [&](uint32_t bits) {
      return floats ? half_of_float(std::bit_cast<float>(bits)) : static_cast<uint16_t>(bits);
    };
    for (size_t k = 0; k < 2; ++k) {
      out[k] = half(out[2 * k]) | static_cast<uint32_t>(half(out[2 * k + 1])) << 16;
    }
    out[2] = out[3] = 0;
  }
  return out;
}

}  // namespace heddle::exec::texture
