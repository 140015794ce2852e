// Sparse A: of each group of elements half are kept, and metadata says which (ptx.md 4.6).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/exec/matrix/element.h"
#include "sim/exec/warp_fn.h"

namespace heddle::exec::matrix {

// How many lanes of a quad have the metadata of a product with `kept` elements in a row of A: 1, 2 or 4. The
// selector says which of them: below 4 / this.
uint32_t metadata_lanes(Element a, uint32_t kept);

// For each kept element of the 16 rows, its place in the whole row.
void find_picked(Element a, uint32_t kept, const Register& metadata, uint32_t selector,
                 std::vector<uint16_t>& picked);

}  // namespace heddle::exec::matrix
