// Machine code of compute capabilities 7.0 to 9.0 and 10.0 to 12.1 as text: what cuobjdump and nvdisasm print
// of it, without the names of labels.
#pragma once

#include <string>
#include <string_view>

#include "frontends/cubin/word.h"

namespace heddle::cubin {

// "@!P0 IADD3 R1, R2, 0x10, RZ"; empty when its opcode, or a value of one of its fields, is not known. `pc`:
// where it is, bytes from its function's beginning; targets of branches are such, too. `capability`:
// one that is known; of 90 what came later is not, and branches before 9.0 have their distances elsewhere.
bool is_known(uint32_t capability);
inline constexpr std::string_view kKnownCapabilities = "70 to 90, 100 to 121";
std::string disassembled(const Word& word, uint64_t pc, uint32_t capability = 90);

// Bits that are set and that its text says nothing of.
Word leftover_bits(const Word& word);

}  // namespace heddle::cubin
