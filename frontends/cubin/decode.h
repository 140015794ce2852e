// From bits to a record.
#pragma once

#include <optional>
#include <string_view>

#include "frontends/cubin/record.h"

namespace heddle::cubin {

// Compute capabilities whose code is known.
bool is_known(uint32_t capability);
inline constexpr std::string_view kKnownCapabilities = "70 to 90, 100 to 121";

// None where its opcode, a value of one of its fields, or a bit that is set is not known. `pc`: where it is,
// bytes from its function's beginning; targets of branches are such, too. `capability`: one that is known; of
// 90 what came later is not, and branches before 9.0 have their distances elsewhere.
std::optional<Decoded> decode(const Word& word, uint64_t pc, uint32_t capability);

// Bits that are set and that its record says nothing of.
Word leftover_bits(const Word& word);

}  // namespace heddle::cubin
