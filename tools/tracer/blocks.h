// Which blocks of a launch are recorded, as `heddle capture --blocks` says.
#pragma once

#include <stdint.h>
#include <stdlib.h>

#include <algorithm>

namespace heddle::capture {

// Positions in launch order.
struct BlockRange {
  uint64_t first = 0, last = UINT64_MAX;
};

// "N": the first N blocks; "A-B": from A to B, from 0. Null and "": all.
inline BlockRange block_range(const char* text) {
  BlockRange r;
  if (!text || !*text) {
    return r;
  }
  char* end = nullptr;
  const uint64_t n = strtoull(text, &end, 10);
  if (*end == '-') {
    r.first = n;
    r.last = strtoull(end + 1, nullptr, 10);
  } else {
    r.last = std::max<uint64_t>(n, 1) - 1;
  }
  return r;
}

// Those of the range that a grid of `blocks` has, to whole clusters: the blocks of one run together. False:
// none.
inline bool blocks_of(const BlockRange& r, uint64_t blocks, uint64_t cluster, uint64_t& first,
                      uint64_t& count) {
  if (r.first >= blocks || r.last < r.first) {
    return false;
  }
  first = r.first / cluster * cluster;
  const uint64_t last = std::min(r.last, blocks - 1);
  count = std::min((last / cluster + 1) * cluster, blocks) - first;
  return true;
}

}  // namespace heddle::capture
