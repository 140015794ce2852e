// Access profiles for people and for spreadsheets.
#pragma once

#include <string>
#include <vector>

#include "analysis/access/access_profile.h"

namespace heddle::analysis {

// Sums of all instructions, the `top` instructions with the most conflicts (or sectors beyond the ideal),
// the worst pattern of the first drawn, and the padding that would remove its conflicts.
std::string access_text(const isa::KernelImage& image, AccessSide side, const std::vector<InstrAccesses>& all,
                        size_t top);

// The drawing alone; empty when there is no access.
std::string access_svg(const isa::KernelImage& image, AccessSide side, const std::vector<InstrAccesses>& all);

// Columns of access_csv, and a line per instruction.
std::string access_csv_header(AccessSide side);
std::string access_csv(const isa::KernelImage& image, AccessSide side, const std::vector<InstrAccesses>& all,
                       const std::string& trace, uint32_t launch);

}  // namespace heddle::analysis
