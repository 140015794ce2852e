// Rules about an instruction's modifiers that no row of a table can say.
#pragma once

#include <string>

#include "frontends/ptx/decode.h"
#include "frontends/ptx/op.h"

namespace heddle::ptx {

// What is wrong with the combination, with what is legal; empty when nothing is.
std::string illegal_combination(const Op& op, const Target& target);

}  // namespace heddle::ptx
