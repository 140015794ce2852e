// Changes of a kernel, most of which leave it what it was.
#pragma once

#include <cstdint>

#include "tests/metamorphic/kernels.h"

namespace heddle::metamorphic {

// ---- order and number of blocks and warps; clusters stay together
Recording reversed_blocks(const Recording& k);
Recording rotated_blocks(const Recording& k);   // by a third
Recording shuffled_blocks(const Recording& k);  // always the same shuffle
Recording doubled_blocks(const Recording& k);   // the whole grid twice
Recording reversed_warps(const Recording& k);   // of each block
// With so many more blocks whose warps do nothing but end.
Recording with_empty_blocks(const Recording& k, uint32_t blocks);
// Clusters number `part`, `part` + `parts`, ...
Recording part_of(const Recording& k, size_t part, size_t parts);

// ---- the same program, written differently
Recording split_runs(const Recording& k);        // a run for each instruction
Recording listed_addresses(const Recording& k);  // every address by itself instead of strides and differences
Recording renamed(const Recording& k);           // kernel, number, stream, blockIdx
Recording moved_code(const Recording& k, uint32_t bytes);
Recording moved_registers(const Recording& k, uint32_t by);  // general ones
Recording mirrored_scoreboards(const Recording& k);          // SB0 becomes SB5
Recording renumbered_barriers(const Recording& k);           // named barrier 0 becomes 15
Recording through_heddle(const Recording& k);                // written as .heddle and read

// ---- addresses
Recording moved_global(const Recording& k, uint64_t bytes);
Recording moved_shared(const Recording& k, uint64_t bytes);
Recording mirrored_lanes(const Recording& k);  // lane 0 becomes 31: masks and addresses

}  // namespace heddle::metamorphic
