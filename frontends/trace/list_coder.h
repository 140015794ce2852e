// Short lists of numbers, such as the distances of a warp's addresses from the first one, in byte planes: the
// lowest bytes of all elements in one column, the next ones in another, since they compress differently.
//
// A list begins in the column `shapes` with a byte: bits 0-1 say what an element is,
//   0 a signed number        1 the signed distance from the element before (0 before the first)
//   2 the distance from the least element, which follows as a signed number
//   3 the signed distance from the same element of the slot's previous list
// bits 2-4 by how many bits it was shifted right, bits 5-7 in how many bytes it is stored, less one. Signed
// numbers are zigzag-coded after the shift.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "frontends/trace/bytes.h"

namespace heddle::trace {

inline constexpr size_t kPlanes = 8;

// `previous` has as many elements as `v`, or is null.
void put_list(const uint64_t* v, size_t n, const uint64_t* previous, std::string& shapes,
              std::array<std::string, kPlanes>& planes);

// False when the list needs a previous one and there is none. Columns that end early give zeros.
bool get_list(uint64_t* v, size_t n, const uint64_t* previous, ColumnReader& shapes,
              std::array<ColumnReader, kPlanes>& planes);

}  // namespace heddle::trace
