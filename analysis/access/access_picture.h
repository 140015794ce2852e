// One warp's access drawn: lane by bank, or line by sector.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/access/access_profile.h"

namespace heddle::analysis {

// Which pass over the banks serves each word that a lane touches; 0: none does.
using BankPasses = std::array<std::array<uint8_t, kBanks>, 32>;  // [lane][bank], from 1
BankPasses bank_passes(const isa::Instr& in, const AccessPattern& p);

// A row per active lane, a column per bank; the character is the pass, 1 to 9, then a to z, then #.
std::string bank_picture(const isa::Instr& in, const AccessPattern& p);
std::string bank_svg(const isa::Instr& in, const AccessPattern& p, const std::string& title);

// A row per line of 128 bytes in address order, with its four sectors: bytes used of 32, and how many lanes.
std::string sector_picture(const isa::Instr& in, const AccessPattern& p);
std::string sector_svg(const isa::Instr& in, const AccessPattern& p, const std::string& title);

}  // namespace heddle::analysis
