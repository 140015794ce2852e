#include "tools/runtime/formats.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "frontends/cuda/status.h"

namespace heddle::runtime {
namespace {

using cuda::CallFailed;
using cuda::ElementFormat;
using cuda::Status;
using exec::texture::Element;

// cudaChannelFormatKind: signed, unsigned, float; from kFractions on unsigned and signed fractions of 8 and
// 16 bits, of 1, 2 and 4 channels each.
constexpr int32_t kSigned = 0, kUnsigned = 1, kFloat = 2, kFractions = 5, kBehindFractions = 17;
constexpr int32_t kLastKind = 31;
// CUarray_format.
constexpr uint32_t kDriverFractions = 0xc0;

struct DriverRow {
  uint32_t number;
  Element element;
};
constexpr DriverRow kDriver[] = {{0x01, Element::kU8},  {0x02, Element::kU16}, {0x03, Element::kU32},
                                 {0x08, Element::kS8},  {0x09, Element::kS16}, {0x0a, Element::kS32},
                                 {0x10, Element::kF16}, {0x20, Element::kF32}};
// By views: three numbers each, from 1 on.
constexpr Element kViews[] = {Element::kU8,  Element::kS8,  Element::kU16, Element::kS16,
                              Element::kU32, Element::kS32, Element::kF16, Element::kF32};
constexpr uint8_t kChannels[] = {1, 2, 4};

int32_t channels_place(uint8_t channels) { return channels == 4 ? 2 : channels - 1; }

ElementFormat fractions(uint32_t place) {
  constexpr Element kElements[] = {Element::kU8, Element::kU16, Element::kS8, Element::kS16};
  return {kElements[place / 3], kChannels[place % 3], true};
}
uint32_t fractions_place(const ElementFormat& f) {
  const uint32_t of_type = exec::texture::is_signed(f.element) ? 6 : 0;
  return of_type + (exec::texture::bytes_of(f.element) == 2 ? 3 : 0) +
         static_cast<uint32_t>(channels_place(f.channels));
}

}  // namespace

ElementFormat format_of(const abi::ChannelFormat& f) {
  if (f.kind >= kBehindFractions && f.kind <= kLastKind) {
    throw CallFailed(Status::kNotSupported, "block-compressed elements");
  }
  const int32_t bits[] = {f.x, f.y, f.z, f.w};
  const int32_t channels = f.w != 0 ? 4 : f.z != 0 ? 3 : f.y != 0 ? 2 : 1;
  const bool alike = std::all_of(bits, bits + channels, [&](int32_t b) { return b == f.x; });
  cuda::require(alike && channels != 3, Status::kInvalidChannelDescriptor,
                "channels (legal: 1, 2, 4, all alike)");
  if (f.kind >= kFractions && f.kind < kBehindFractions) {
    const ElementFormat out = fractions(static_cast<uint32_t>(f.kind - kFractions));
    cuda::require(
        out.channels == channels && f.x == static_cast<int32_t>(8 * exec::texture::bytes_of(out.element)),
        Status::kInvalidChannelDescriptor, "bits that are not the kind's");
    return out;
  }
  cuda::require((f.kind == kSigned || f.kind == kUnsigned || f.kind == kFloat) &&
                    (f.x == 8 || f.x == 16 || f.x == 32) && (f.kind != kFloat || f.x != 8),
                Status::kInvalidChannelDescriptor,
                "elements (legal: whole numbers of 8, 16, 32 bits, floats of 16, 32)");
  const int32_t place = f.x == 8 ? 0 : f.x == 16 ? 1 : 2;
  constexpr Element kElements[3][3] = {{Element::kS8, Element::kS16, Element::kS32},
                                       {Element::kU8, Element::kU16, Element::kU32},
                                       {Element::kF32, Element::kF16, Element::kF32}};
  return {kElements[f.kind][place], static_cast<uint8_t>(channels), false};
}

ElementFormat driver_format(uint32_t format, uint32_t channels) {
  if (format >= kDriverFractions && format < kDriverFractions + 12) {
    return fractions(format - kDriverFractions);
  }
  const auto* const it = std::find_if(std::begin(kDriver), std::end(kDriver),
                                      [&](const DriverRow& r) { return r.number == format; });
  constexpr uint32_t kFirstPlanar = 0x50, kLast = 0xcf;
  if (it == std::end(kDriver) && format >= kFirstPlanar && format <= kLast) {
    throw CallFailed(Status::kNotSupported, "elements of video and block-compressed ones");
  }
  cuda::require(it != std::end(kDriver) && (channels == 1 || channels == 2 || channels == 4),
                Status::kInvalidValue, "a format or channels (legal: 1, 2, 4)");
  return {it->element, static_cast<uint8_t>(channels), false};
}

ElementFormat view_format(int32_t format) {
  constexpr int32_t kBehind = 1 + 3 * std::size(kViews), kLastCompressed = 0x22;
  if (format >= kBehind && format <= kLastCompressed) {
    throw CallFailed(Status::kNotSupported, "views as block-compressed elements");
  }
  cuda::require(format >= 1 && format < kBehind, Status::kInvalidValue, "a view's format");
  return {kViews[(format - 1) / 3], kChannels[(format - 1) % 3], false};
}

abi::ChannelFormat channels_of(const ElementFormat& f) {
  const auto bits = static_cast<int32_t>(8 * exec::texture::bytes_of(f.element));
  abi::ChannelFormat out{bits, f.channels > 1 ? bits : 0, f.channels > 2 ? bits : 0,
                         f.channels > 2 ? bits : 0, kUnsigned};
  out.kind = f.fractions                           ? kFractions + static_cast<int32_t>(fractions_place(f))
             : exec::texture::is_float(f.element)  ? kFloat
             : exec::texture::is_signed(f.element) ? kSigned
                                                   : kUnsigned;
  return out;
}

uint32_t driver_number(const ElementFormat& f) {
  if (f.fractions) {
    return kDriverFractions + fractions_place(f);
  }
  return std::find_if(std::begin(kDriver), std::end(kDriver),
                      [&](const DriverRow& r) { return r.element == f.element; })
      ->number;
}

int32_t view_number(const ElementFormat& f) {
  const auto place = std::find(std::begin(kViews), std::end(kViews), f.element) - std::begin(kViews);
  return static_cast<int32_t>(1 + 3 * place) + channels_place(f.channels);
}

cuda::ResourceView view_of(const abi::ResourceView* v) {
  cuda::ResourceView out;
  if (v != nullptr) {
    out.given = true;
    out.other_format = v->format != 0;
    if (out.other_format) {
      out.format = view_format(v->format);
    }
    out.width = v->width;
    out.height = v->height;
    out.depth = v->depth;
    out.first_level = v->first_level;
    out.last_level = v->last_level;
    out.first_layer = v->first_layer;
    out.last_layer = v->last_layer;
  }
  return out;
}

abi::ResourceView described(const cuda::ResourceView& v) {
  return {v.other_format ? view_number(v.format) : 0,
          v.width,
          v.height,
          v.depth,
          v.first_level,
          v.last_level,
          v.first_layer,
          v.last_layer,
          {}};
}

}  // namespace heddle::runtime
