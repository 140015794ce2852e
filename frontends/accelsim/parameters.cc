#include "frontends/accelsim/parameters.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <stdexcept>

namespace heddle::accelsim {
namespace {

constexpr size_t kMapAlignment = 64, kLargestScalar = 8;

size_t alignment_of(size_t bytes) {
  const size_t divides = bytes == 0 ? 1 : size_t{1} << std::countr_zero(bytes);
  return divides >= kMapAlignment ? kMapAlignment : std::min(divides, kLargestScalar);
}

}  // namespace

std::vector<uint8_t> parameter_bytes(const std::vector<std::string>& lines, uint32_t base) {
  std::vector<uint8_t> out;
  for (const std::string& hex : lines) {
    const size_t bytes = hex.size() / 2, alignment = alignment_of(bytes);
    out.resize((base + out.size() + alignment - 1) / alignment * alignment - base);
    for (size_t i = 0; i < bytes; ++i) {
      uint8_t v = 0;
      const char* p = hex.data() + 2 * i;
      if (const auto r = std::from_chars(p, p + 2, v, 16); r.ec != std::errc() || r.ptr != p + 2) {
        throw std::invalid_argument("a parameter of \"" + hex.substr(2 * i, 2) +
                                    "\" (legal: bytes in hexadecimal)");
      }
      out.push_back(v);
    }
    if (hex.size() % 2 != 0) {
      throw std::invalid_argument("a parameter of half a byte (legal: bytes in hexadecimal)");
    }
  }
  return out;
}

uint32_t parameter_base(uint32_t compute_capability) {
  return compute_capability >= 100 && compute_capability <= 121 ? 0x380
         : compute_capability >= 90 && compute_capability < 100 ? 0x210
         : compute_capability >= 70 && compute_capability < 90  ? 0x160
                                                                : 0;
}

}  // namespace heddle::accelsim
