// The padding of rows that removes the bank conflicts of a pattern.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/access/access_profile.h"

namespace heddle::analysis {

struct Padding {
  uint32_t row_words = 0;  // words of a row before: the distance at which the pattern's lanes meet in a bank
  uint32_t words = 0;      // to add to each row
  AccessCost padded;       // of the worst pattern with it, recomputed
};

// The fewest words that make the worst pattern of an instruction free of conflicts, where rows start at the
// lowest address it uses; a multiple of the access's width, so that it stays aligned. None when there are no
// conflicts, lanes conflict at distances that are no multiple of a row (atomics of one word), or no padding
// of less than 32 words helps.
std::optional<Padding> find_padding(const isa::KernelImage& image, const InstrAccesses& n);

// `address` after each row of `row_words` from `start` on has got `words` more.
uint64_t padded_address(uint64_t address, uint64_t start, const Padding& p);

}  // namespace heddle::analysis
