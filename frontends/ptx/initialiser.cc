#include "frontends/ptx/initialiser.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace heddle::ptx {
namespace {

using Kind = ast::InitItem::Kind;

class Filler {
 public:
  Filler(const Source& source, const Variable& v, std::span<const ast::InitItem> parts,
         const FindSymbol& find)
      : source_(source), v_(v), parts_(parts), find_(find), bytes_(bits(v.type) / 8) {
    // strides_[level]: elements of one entry in braces of that level.
    strides_.assign(v.dimensions.size() + (v.vector > 1 ? 1 : 0), 1);
    for (size_t i = strides_.size(); i-- > 1;) {
      const uint64_t inner = i < v.dimensions.size() ? v.dimensions[i] : v.vector;
      strides_[i - 1] = strides_[i] * inner;
    }
  }

  // The number of elements of the first dimension that have a value.
  uint64_t run() {
    if (parts_.front().kind != Kind::kOpen) {
      value(parts_.front(), 0);
      return 1;
    }
    at_ = 1;
    const bool open = v_.unsized;
    const uint64_t whole =
        strides_.empty() ? 1 : strides_[0] * (v_.dimensions.empty() ? v_.vector : v_.dimensions[0]);
    const uint64_t used = braces(0, 0, open ? UINT64_MAX : whole);
    return elements(used, strides_.empty() ? 1 : strides_[0]);
  }

  Initial take() { return std::move(out_); }

 private:
  // How many elements of `stride` entries the first `used` ones touch; an inner dimension of 0 has none.
  static uint64_t elements(uint64_t used, uint64_t stride) {
    return stride == 0 ? 0 : (used + stride - 1) / stride;
  }

  // Behind a '{', to behind its '}': entries from element `base` on. How many elements they took.
  uint64_t braces(size_t level, uint64_t base, uint64_t room) {
    uint64_t used = 0;
    for (; parts_[at_].kind != Kind::kClose;) {
      const ast::InitItem& part = parts_[at_++];
      if (part.kind != Kind::kOpen) {
        need_room(part, used, 1, room);
        value(part, base + used++);
        continue;
      }
      if (level + 1 >= strides_.size() && !(level == 0 && strides_.empty())) {
        source_.fail(part.at, "braces inside the last dimension (legal: a value)");
      }
      const uint64_t stride = strides_.empty() ? 1 : strides_[level];
      used = elements(used, stride) * stride;
      need_room(part, used, stride, room);
      braces(level + 1, base + used, stride);
      used += stride;
    }
    ++at_;
    return used;
  }

  void need_room(const ast::InitItem& part, uint64_t used, uint64_t more, uint64_t room) const {
    if (more > room || used > room - more) {
      source_.fail(part.at, "too many values for " + quoted(v_.name) + " (legal: " + std::to_string(room) +
                                " in these braces)");
    }
  }

  void value(const ast::InitItem& part, uint64_t element) {
    const uint64_t offset = element * bytes_;
    if (part.kind == Kind::kSymbol) {
      Relocation r;
      r.offset = offset;
      r.size = static_cast<uint8_t>(bytes_);
      r.generic = part.generic;
      r.addend = static_cast<int64_t>(part.value.bits);
      if (part.mask != 0) {
        while (part.mask >> r.shift != 0xff && r.shift < 64) {
          r.shift = static_cast<uint8_t>(r.shift + 8);
          if (r.shift == 64) {
            source_.fail(part.at,
                         "a mask that is not one byte (legal: 0xFF, 0xFF00, ... 0xFF00000000000000)");
          }
        }
      }
      find_(part, r);
      if (bytes_ < 4 && part.mask == 0) {
        source_.fail(part.at, "an address in a value of " + std::to_string(bytes_) +
                                  " bytes (legal: in 4 or 8 bytes, or one byte of it as 0xFF(name))");
      }
      out_.relocations.push_back(r);
      return;
    }
    const TypeKind kind = info(v_.type).kind;
    if (part.value.is_float() && (kind == TypeKind::kUnsigned || kind == TypeKind::kSigned)) {
      source_.fail(part.at,
                   "a floating-point number in ." + std::string(info(v_.type).name) + " (legal: integers)");
    }
    const uint64_t value = bits_as(part.value, v_.type);
    if (out_.chunks.empty() || out_.chunks.back().offset + out_.chunks.back().bytes.size() != offset) {
      out_.chunks.push_back({offset, {}});
    }
    for (uint32_t i = 0; i < bytes_; ++i) {
      out_.chunks.back().bytes.push_back(i < 8 ? static_cast<uint8_t>(value >> (8 * i)) : uint8_t{0});
    }
  }

  const Source& source_;
  const Variable& v_;
  std::span<const ast::InitItem> parts_;
  const FindSymbol& find_;
  const uint32_t bytes_;
  std::vector<uint64_t> strides_;
  size_t at_ = 0;
  Initial out_;
};

}  // namespace

Initial initial_of(const Source& source, Variable& v, std::span<const ast::InitItem> parts,
                   const FindSymbol& find) {
  if (parts.empty()) {
    return {};  // the fields of a texture or sampler
  }
  Filler filler(source, v, parts, find);
  const uint64_t used = filler.run();
  if (v.unsized) {
    v.dimensions[0] = used;
    v.unsized = false;
  }
  return filler.take();
}

}  // namespace heddle::ptx
