// Access profiles for people and for spreadsheets.
#pragma once

#include <string>
#include <vector>

#include "analysis/access/kernel_accesses.h"

namespace heddle::analysis {

// Sums of all instructions, the `top` instructions with the most conflicts (or sectors beyond the ideal),
// the worst pattern of the first drawn, and what would remove the conflicts of each.
std::string access_text(const KernelAccesses& k, AccessSide side, size_t top);

// "padding: 1 more word behind each row of 32 words": what to do, not what comes of it.
std::string remedy_text(const Remedy& r);

// Of a swizzle: "c ^ r % 32", where word (or group) c of row r is kept.
std::string formula(const Remedy& r);

// The drawing alone; empty when there is no access.
std::string access_svg(const KernelAccesses& k, AccessSide side);

// Columns of access_csv, and a line per instruction.
std::string access_csv_header(AccessSide side);
std::string access_csv(const KernelAccesses& k, AccessSide side, const std::string& trace, uint32_t launch);

}  // namespace heddle::analysis
