// Shapes: what a memory reference is apart from its base address. Each different one is stored once in a
// chunk.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/isa/recording.h"

namespace heddle::trace {

struct Shape {
  isa::MemRef::Kind kind = isa::MemRef::Kind::kNone;
  uint8_t count = 0;  // MemRef::count
  int32_t stride = 0;
  uint16_t addresses = 0;  // elements that are distances from the base: kDelta, kFull
  uint32_t list = 0;       // the addresses' elements, then `count` values

  uint32_t elements() const { return uint32_t{addresses} + count; }
  // May be coded as a change of the other.
  bool like(const Shape& o) const { return kind == o.kind && count == o.count && addresses == o.addresses; }
};

class ShapeTable {
 public:
  // Elements of one list at most: 32 addresses and 255 values.
  static constexpr size_t kMaxElements = 32 + 255;

  void clear() {
    shapes_.clear();
    pool_.clear();
  }
  size_t size() const { return shapes_.size(); }
  const Shape& operator[](uint32_t i) const { return shapes_[i]; }
  const uint64_t* elements(const Shape& s) const { return pool_.data() + s.list; }

  // `s.list` is set here.
  uint32_t add(Shape s, const uint64_t* elements) {
    s.list = static_cast<uint32_t>(pool_.size());
    pool_.insert(pool_.end(), elements, elements + s.elements());
    shapes_.push_back(s);
    return static_cast<uint32_t>(shapes_.size() - 1);
  }

 private:
  std::vector<Shape> shapes_;
  std::vector<uint64_t> pool_;
};

}  // namespace heddle::trace
