// What a bulk copy brings.
#pragma once

#include <cstdint>

#include "sim/isa/program.h"
#include "sim/memory/payload.h"

namespace heddle::sm {

// Hands the block the bytes of the copy that are in these sectors of an answer; returns how many.
uint64_t deliver_bulk(isa::BlockProgram& program, const isa::BulkOp& copy, uint8_t sectors,
                      const memory::Payload& values);

}  // namespace heddle::sm
