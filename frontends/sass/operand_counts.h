// Register counts that depend on more of the line than the opcode: texture instructions and bulk copies.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "frontends/sass/operand.h"

namespace heddle::sass {

struct TextureCounts {
  std::array<uint8_t, 2> dest = {2, 2};  // of the two destination registers, in the order of the text
  uint8_t coordinates = 1;               // registers of the first source
  uint8_t bytes = 16;                    // per thread
};

// TEX.SCR.LL R4, R2, R6, R2, 0x0, 0x58, ARRAY_2D, 0x7: the number after the dimension is the mask of
// components; the second destination takes the first two of them, the first destination the rest.
TextureCounts texture_counts(const TextInstruction& t);

// Uniform registers of the source at `position` of a bulk or tensor copy. A tensor copy's first group holds
// the shared-memory address, the mbarrier and the coordinates.
uint8_t bulk_count(std::string_view opcode, int position, bool address);

}  // namespace heddle::sass
