// An instruction whose registers have their numbers as a record, which its timing and its text are views of.
#pragma once

#include "frontends/ptx/lower/machine.h"

namespace heddle::ptx::lower {

inline constexpr uint32_t kInstructionBytes = 16;

// `target`: of a branch or a direct call, in bytes.
sass::Decoded record(const Lowered& f, const Machine& m, uint32_t target);

}  // namespace heddle::ptx::lower
