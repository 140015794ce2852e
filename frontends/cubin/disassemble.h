// Machine code of compute capabilities 7.0 to 9.0 and 10.0 to 12.1 as text: what cuobjdump and nvdisasm print
// of it, without the names of labels.
#pragma once

#include <string>

#include "frontends/cubin/decode.h"

namespace heddle::cubin {

// "@!P0 IADD3 R1, R2, 0x10, RZ"; empty where decode() knows of none.
std::string disassembled(const Word& word, uint64_t pc, uint32_t capability = 90);

}  // namespace heddle::cubin
