// Whether two blocks hold the same.
#pragma once

#include <string>

#include "sim/isa/recording.h"

namespace heddle::trace {

// Where they differ, in words; empty: they are the same. Lists count by what they hold, not by where they
// lie.
std::string difference(const isa::KernelImage& image, const isa::BlockTrace& a, const isa::BlockTrace& b);

}  // namespace heddle::trace
