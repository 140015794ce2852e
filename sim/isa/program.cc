#include "sim/isa/program.h"

#include <bit>

namespace heddle::isa {

bool expand(const LaneAddresses& r, uint32_t mask, uint64_t addr[32]) {
  switch (r.kind) {
    case LaneAddresses::Kind::kStride: {
      uint64_t a = r.base;
      if (mask == ~0u) {  // mostly, and quicker without looking for the lanes
        for (uint32_t i = 0; i < 32; ++i) {
          addr[i] = a + i * static_cast<uint64_t>(static_cast<int64_t>(r.stride));
        }
        return true;
      }
      for (uint32_t m = mask; m; m &= m - 1) {
        addr[std::countr_zero(m)] = a;
        a += static_cast<int64_t>(r.stride);
      }
      return true;
    }
    case LaneAddresses::Kind::kDelta: {
      uint32_t m = mask;
      if (mask == ~0u) {
        addr[0] = r.base;
        for (uint32_t i = 0; i < 31; ++i) {
          addr[i + 1] = r.base + static_cast<uint64_t>(static_cast<int64_t>(r.deltas[i]));
        }
        return true;
      }
      if (m) {
        addr[std::countr_zero(m)] = r.base;
        m &= m - 1;
      }
      for (const int32_t* d = r.deltas; m; m &= m - 1) {
        addr[std::countr_zero(m)] = r.base + static_cast<int64_t>(*d++);
      }
      return true;
    }
    case LaneAddresses::Kind::kFull: {
      const uint64_t* v = r.values;
      for (uint32_t m = mask; m; m &= m - 1) {
        addr[std::countr_zero(m)] = *v++;
      }
      return true;
    }
    default:
      return false;
  }
}

}  // namespace heddle::isa
