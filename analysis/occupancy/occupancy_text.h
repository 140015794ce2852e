// Residency as text and picture.
#pragma once

#include <string>
#include <vector>

#include "analysis/occupancy/residency.h"

namespace heddle::analysis {

// Blocks, warps, every limiter, what less of each resource would give; clusters where there are any. Throws
// heddle::Error when the launch does not fit.
std::string occupancy_text(const config::GpuConfig& gpu, const BlockNeeds& needs);

// The curve over one resource: block sizes all, of the others the end of each plateau.
std::string curve_text(const config::GpuConfig& gpu, const BlockNeeds& needs, Resource r);

// The same as a picture: warps per SM over the resource, with a mark at the value of `needs`.
std::string curve_svg(const config::GpuConfig& gpu, const BlockNeeds& needs, Resource r);

// The best block size, and all others that reach as many warps.
std::string suggestion_text(const config::GpuConfig& gpu, const BlockNeeds& needs);

}  // namespace heddle::analysis
