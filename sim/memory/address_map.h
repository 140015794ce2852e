// Where a line lives: home partition, slice within a partition, set within a slice, DRAM channel, bank and
// row.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "configs/schema/spec.h"

namespace heddle::memory {

struct Home {
  uint32_t partition;
  uint32_t slice;  // within a partition; the same number in every partition
  uint32_t set;
};

class AddressMap {
 public:
  explicit AddressMap(const spec::L2& l2)
      : partitions_(l2.partitions()),
        slices_(l2.slices() / l2.partitions()),
        sets_(
            static_cast<uint32_t>(l2.total_bytes() / (uint64_t{l2.slices()} * l2.ways() * l2.line_bytes()))),
        chunk_lines_(l2.chunk_bytes() / l2.line_bytes()),
        hashed_(l2.hash() == spec::L2::XOR_FOLD) {}

  uint32_t partitions() const { return partitions_; }
  uint32_t slices() const { return slices_; }
  uint32_t sets() const { return sets_; }

  Home home(uint64_t line) const {
    if (!hashed_) {
      uint64_t rest = line / slices_ / partitions_;
      return {static_cast<uint32_t>(line / slices_ % partitions_), static_cast<uint32_t>(line % slices_),
              static_cast<uint32_t>(rest % sets_)};
    }
    // The real hash is not public. Known of the H200 (tools/microbench/FINDINGS.md 6, 7, 42): no stride is
    // uneven, the partition changes between blocks of a few KiB (parity of address bits 12, 13, 15, 17, 19,
    // not probed above), the lines of a 1 KiB chunk alternate between two slices (throughput of random
    // atomics over 128 B to 64 KB), and a whole block of 128 KiB has the same number in every slice.
    const uint64_t chunk = line / chunk_lines_;
    const uint64_t h = mix(chunk);
    const uint64_t parity = std::popcount(line & kPartitionBits) ^ (mix(line >> 15) & 63);
    const uint32_t pair = pair_of(chunk, (slices_ + 1) / 2);
    uint32_t odd =
        (static_cast<uint32_t>(std::popcount(line % chunk_lines_)) ^ static_cast<uint32_t>(h >> 40)) & 1;
    return {static_cast<uint32_t>(parity % partitions_), std::min(pair * 2 + odd, slices_ - 1),
            static_cast<uint32_t>(mix(line + 0x9e3779b97f4a7c15u) % sets_)};
  }

  // Of a home's slice, among those of all partitions.
  uint32_t slice_of_device(const Home& h) const { return h.partition * slices_ + h.slice; }

  static uint64_t mix(uint64_t x) {
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdu;
    x ^= x >> 29;
    x *= 0xc4ceb9fe1a85ec53u;
    x ^= x >> 32;
    return x;
  }

 private:
  // A block's chunks, in an order of its own, are dealt out to the pairs, from one of its own on.
  static uint32_t pair_of(uint64_t chunk, uint32_t pairs) {
    static constexpr std::array<uint32_t, 4> kFactors = {77, 37, 101, 53};
    const uint64_t key = mix(chunk / kBlockChunks ^ 0x5bd1e995u);
    uint32_t c = static_cast<uint32_t>(chunk) % kBlockChunks;
    for (uint32_t round = 0; round < kFactors.size();
         ++round) {  // one to one: odd factors, shifts to the right
      c = (c ^ static_cast<uint32_t>(key >> (7 * round))) % kBlockChunks;
      c = c * kFactors[round] % kBlockChunks;
      c ^= c >> (4 - round % 2);
    }
    return (c * pairs / kBlockChunks + static_cast<uint32_t>(key >> 40)) % pairs;
  }

  static constexpr uint32_t kBlockChunks = 128;
  // Address bits 12, 13, 15, 17, 19 as bits of the line number.
  static constexpr uint64_t kPartitionBits =
      (uint64_t{1} << 5) | (1u << 6) | (1u << 8) | (1u << 10) | (1u << 12);

  uint32_t partitions_, slices_, sets_, chunk_lines_;
  bool hashed_;
};

}  // namespace heddle::memory
