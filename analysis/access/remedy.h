// What removes the bank conflicts of a pattern: rows made longer, or words that change places within their
// rows.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/access/access_profile.h"

namespace heddle::analysis {

struct Remedy {
  enum class Kind : uint8_t {
    kPadding,  // each row of the array gets `words` more
    kSwizzle,  // in row r, group c of `words` words is kept at group c ^ (r >> shift) % groups of 32 words;
               // `words` is a power of two
  };
  Kind kind = Kind::kPadding;
  uint32_t row_words = 0;  // of a row before; a multiple of 32
  uint32_t words = 0;
  uint32_t shift = 0;
  uint64_t begin = 0, end = 0;  // addresses of the rows; others stay

  bool operator==(const Remedy&) const = default;
};

// Where the datum at `address` lies with the remedy.
uint64_t moved_address(uint64_t address, const Remedy& r);

// The pattern's cost with it.
AccessCost cost_with(const isa::Instr& in, AccessKind kind, const AccessPattern& p, const Remedy& r);

// Remedies that leave the worst pattern of the instruction without conflicts, where rows begin at `begin`:
// the two smallest paddings and a swizzle. A row is the smallest distance at which lanes meet
// in a bank. Words stay together as the access needs them. None when there are no conflicts, lanes meet at
// distances that are no multiple of a row (atomics of one word), or nothing helps.
std::vector<Remedy> remedies_for(const isa::KernelImage& image, const InstrAccesses& n, uint64_t begin,
                                 uint64_t end);

}  // namespace heddle::analysis
