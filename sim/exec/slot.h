// Where an operand lies: registers by bank and number, memory by space. What the records of code.h are made
// of.
#pragma once

#include <cstdint>

namespace heddle::exec {

// Where a register lies: in which bank, and which one.
using Slot = uint32_t;
enum class Bank : uint32_t {
  kFrame,      // of the function that runs
  kConstants,  // Code::constants, or Launch's
  kWarp,       // 0: the carry; 1: where the stack of alloca ends; then Code::specials
  kNone,       // its address is null
};
constexpr Slot slot(Bank bank, uint32_t index) { return static_cast<uint32_t>(bank) << 30 | index; }
inline constexpr Slot kNoSlot = slot(Bank::kNone, 0);
constexpr uint32_t kSlotIndex = (uint32_t{1} << 30) - 1;

// The first registers of each frame: where it returns to, the caller's place in local memory and its stack.
inline constexpr uint32_t kReturnSlot = 0, kReturnLocalSlot = 1, kReturnStackSlot = 2, kFirstSlot = 3;
inline constexpr Slot kCarrySlot = slot(Bank::kWarp, 0);
inline constexpr Slot kStackSlot = slot(Bank::kWarp, 1);
inline constexpr uint32_t kFirstSpecial = 2;

// kSharedCluster: of a block of the cluster, which the address names.
enum class Space : uint8_t { kGeneric, kGlobal, kShared, kLocal, kConst, kParam, kSharedCluster };

// [base + offset]
struct Place {
  Slot base = kNoSlot;
  int64_t offset = 0;
  Space space = Space::kGeneric;
  bool in_frame = false;  // local: counted from the frame's place
};

}  // namespace heddle::exec
