// Which calls machine code makes of itself.
#pragma once

#include <cstdint>
#include <span>

#include "frontends/cubin/record.h"

namespace heddle::cubin {

// Where a branch or a call goes on: bytes from the next instruction on.
int64_t branch_distance(const Word& w, uint32_t capability);

// Whether a function among a kernel's code may call itself, straight or by way of others of them. Calls
// through registers are not followed.
bool calls_itself(std::span<const Word> code, uint32_t capability);

}  // namespace heddle::cubin
