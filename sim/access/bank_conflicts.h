// Shared-memory wavefronts: how many passes over the banks an access takes. An exact function of the
// addresses.
#pragma once

#include <cstdint>

namespace heddle::memory {

struct Wavefronts {
  uint32_t total = 0;      // passes over the array
  uint32_t conflicts = 0;  // passes beyond those a conflict-free access of this width and mask needs
};

// Loads and stores of `width` bytes (1..16) at addr[lane] for the lanes of `mask`, over `banks` banks of 4
// bytes. Lanes are served in groups of 32, 16 or 8 for accesses of up to 4, 8 and 16 bytes; within a group,
// different words of one bank conflict and one word is broadcast (cuda-model SH02, SH05, SH07, SH08). Two
// neighbouring groups of a load share a pass when every lane of them reads what its neighbour does (lane ^
// 1), or every lane what the next but one does (lane ^ 2) (tools/microbench/FINDINGS.md 27).
Wavefronts shared_wavefronts(const uint64_t addr[32], uint32_t mask, uint32_t width, uint32_t banks,
                             bool load);

// Atomics: lanes that meet in one word are serialised as well.
Wavefronts shared_atomic_wavefronts(const uint64_t addr[32], uint32_t mask, uint32_t width, uint32_t banks);

// LDSM/STSM of 1, 2 or 4 matrices: lanes 8m..8m+7 give the row addresses (16 bytes each) of matrix m.
Wavefronts matrix_wavefronts(const uint64_t addr[32], uint32_t mask, uint32_t matrices, uint32_t banks);

// LDGSTS.ACCESS, from[lane] to to[lane]: each line of global memory is written to shared memory by itself.
uint32_t copy_wavefronts(const uint64_t from[32], const uint64_t to[32], uint32_t mask, uint32_t width,
                         uint32_t banks);

// LDGSTS.BYPASS: its sectors are those of shared memory, counted for each line of global memory. More than
// the sectors read when the destination is not aligned like the source.
uint32_t bypass_sectors(const uint64_t from[32], const uint64_t to[32], uint32_t mask, uint32_t width);

}  // namespace heddle::memory
