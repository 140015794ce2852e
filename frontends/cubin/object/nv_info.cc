#include "frontends/cubin/object/nv_info.h"

#include <fmt/format.h>

#include <cstring>

namespace heddle::cubin {
namespace {

// How the value of an attribute is written.
enum class Format : uint8_t { kNone = 1, kByte = 2, kHalf = 3, kData = 4 };
constexpr size_t kHeadBytes = 4;

}  // namespace

uint32_t AttributeValue::word(size_t i) const {
  uint32_t out = 0;
  if ((i + 1) * sizeof out <= data.size()) {
    std::memcpy(&out, data.data() + i * sizeof out, sizeof out);
  }
  return out;
}

void for_attributes(const Elf& elf, const Section& s, const std::function<void(const AttributeValue&)>& use) {
  for (size_t at = 0; at < s.data.size();) {
    if (s.data.size() - at < kHeadBytes) {
      elf.fail(s.at + at, s.name + " ends within an attribute");
    }
    AttributeValue v;
    v.at = s.at + at;
    v.attribute = static_cast<Attribute>(s.data[at + 1]);
    v.value = static_cast<uint32_t>(s.data[at + 2] | s.data[at + 3] << 8);
    const auto format = static_cast<Format>(s.data[at]);
    at += kHeadBytes;
    if (format < Format::kNone || format > Format::kData) {
      elf.fail(v.at, fmt::format("an attribute of format {} in {} (legal: 1 to 4)", static_cast<int>(format),
                                 s.name));
    }
    if (format == Format::kByte) {
      v.value &= 255;
    } else if (format == Format::kData) {
      if (v.value > s.data.size() - at) {
        elf.fail(v.at, fmt::format("an attribute of {} bytes, {} are left in {}", v.value, s.data.size() - at,
                                   s.name));
      }
      v.data = s.data.subspan(at, v.value);
      at += v.value;
    }
    use(v);
  }
}

}  // namespace heddle::cubin
