#include "sim/sm/l1/l1_values.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace heddle::sm {

using memory::kLineBytes;
using memory::kSectorBytes;
using memory::kSectorsPerLine;

void L1Values::store(size_t n, const memory::Payload& p) { p.put(lines_[n].data, lines_[n].written); }

void L1Values::fill(size_t n, uint8_t sectors, const memory::Payload& p) {
  Line& l = lines_[n];
  for (uint32_t s = 0; s < kSectorsPerLine; ++s) {
    if (sectors >> s & 1) {
      for (uint32_t m = ~std::exchange(l.written[s], 0); m; m &= m - 1) {
        const auto i = s * kSectorBytes + static_cast<uint32_t>(std::countr_zero(m));
        l.data[i] = p.data[i];
      }
    }
  }
}

// Bytes of the load's lanes that lie in `line`, that it does not have, and of which has(offset in the line).
template <class Has>
void L1Values::take_bytes(Load& l, uint64_t line, const uint8_t* data, Has&& has) {
  for (uint32_t m = l.mask; m; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    if (l.address[lane] / kLineBytes != line) {
      continue;
    }
    const auto first = static_cast<uint32_t>(l.address[lane] % kLineBytes);
    for (uint32_t i = 0; i < l.width; ++i) {
      if (!(l.has[lane] >> i & 1) && has(first + i)) {
        l.values.data[lane][i] = data[first + i];
        l.has[lane] = static_cast<uint16_t>(l.has[lane] | 1u << i);
      }
    }
  }
}

void L1Values::take(Load& l, uint64_t line, size_t n, uint8_t valid) const {
  const Line& x = lines_[n];
  take_bytes(l, line, x.data.data(), [&](uint32_t i) {
    const uint32_t s = i / kSectorBytes;
    return valid >> s & 1 || x.written[s] >> (i % kSectorBytes) & 1;
  });
}

void L1Values::take(Load& l, uint64_t line, uint8_t sectors, const memory::Payload& p) {
  take_bytes(l, line, p.data.data(), [&](uint32_t i) { return sectors >> (i / kSectorBytes) & 1; });
}

void L1Values::take_old(Load& l, const memory::Payload& p) {
  for (uint32_t i = 0; i < p.operations; ++i) {
    const memory::Payload::Operation& o = p.operation[i];
    std::memcpy(l.values.data[o.lane], &o.value, sizeof o.value);
  }
}

}  // namespace heddle::sm
