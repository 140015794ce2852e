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
      const uint32_t lacks = ~std::exchange(l.written[s], 0);
      memory::copy_sector(l.data.data() + s * kSectorBytes, p.data.data() + s * kSectorBytes, lacks);
    }
  }
}

// Bytes of the load's lanes that lie in `line`, that it does not have, and that are `there`, by sector.
void L1Values::take_bytes(Load& l, uint64_t line, const uint8_t* data,
                          const std::array<uint32_t, kSectorsPerLine>& there) {
  const auto wanted = static_cast<uint16_t>((1u << l.width) - 1);
  for (uint32_t m = l.mask; m; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    if (l.address[lane] / kLineBytes != line) {
      continue;
    }
    // An access is aligned: it lies in one sector.
    const auto first = static_cast<uint32_t>(l.address[lane] % kLineBytes);
    const uint32_t in_sector = there[first / kSectorBytes] >> (first % kSectorBytes);
    const auto more = static_cast<uint16_t>(in_sector & wanted & ~uint32_t{l.has[lane]});
    if (more == wanted) {
      memory::copy_few(l.values.data[lane], data + first, l.width);
    } else {
      for (uint32_t bytes = more; bytes; bytes &= bytes - 1) {
        const auto i = static_cast<uint32_t>(std::countr_zero(bytes));
        l.values.data[lane][i] = data[first + i];
      }
    }
    l.has[lane] |= more;
  }
}

void L1Values::take(Load& l, uint64_t line, size_t n, uint8_t valid) const {
  const Line& x = lines_[n];
  std::array<uint32_t, kSectorsPerLine> there;
  uint32_t any = 0;
  for (uint32_t s = 0; s < kSectorsPerLine; ++s) {
    there[s] = valid >> s & 1 ? ~0u : x.written[s];
    any |= there[s];
  }
  if (any != 0) {
    take_bytes(l, line, x.data.data(), there);
  }
}

void L1Values::take(Load& l, uint64_t line, uint8_t sectors, const memory::Payload& p) {
  std::array<uint32_t, kSectorsPerLine> there;
  for (uint32_t s = 0; s < kSectorsPerLine; ++s) {
    there[s] = sectors >> s & 1 ? ~0u : 0;
  }
  take_bytes(l, line, p.data.data(), there);
}

void L1Values::take_old(Load& l, const memory::Payload& p) {
  for (const memory::Payload::Operation& o : p.operations) {
    std::memcpy(l.values.data[o.lane], &o.value, sizeof o.value);
    l.has[o.lane] = (1u << sizeof o.value) - 1;
  }
}

}  // namespace heddle::sm
