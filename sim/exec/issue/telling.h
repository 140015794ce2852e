// What instructions of an image say of themselves when they issue although their records do not: those of
// PTX, where one record may stand for several instructions of the machine.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/exec/slots.h"

namespace heddle::executed {

inline constexpr uint32_t kNothing = UINT32_MAX;

// Of the record that counts for the instruction.
struct Telling {
  // Whose addresses are its: its record's; those that another one's record had; a matrix's that it had;
  // places of the stack.
  enum class Places : uint8_t { kOwn, kKept, kMatrix, kStack } places = Places::kOwn;
  bool first_lane = false;   // of those that its guard lets through, the first alone
  uint32_t kept = kNothing;  // where its record's addresses are kept, or those of kKept and kMatrix stand
  uint32_t tile = 0;         // of kMatrix: in Tellings::tiles
  int64_t stack_offset = 0;  // of kStack: to R1
  int32_t stack_step = 0;    // bytes that R1 changes by

  template <class Archive>
  void serialize(Archive& ar) {
    ar(places, first_lane, kept, tile, stack_offset, stack_step);
  }
};

// By lane: an element of a matrix.
struct TileLanes {
  std::array<uint32_t, 32> row{}, bytes{};  // in its row
};

// By record: where it may find an operand that is on its way, and what of its is on its way.
struct SlotsOfRecord {
  exec::Slots slots;
  std::vector<exec::Slot> results;  // of it and what follows of its instruction
  uint64_t bits = 0;                // a bit for each that it reads or writes, several the same one
};
using RecordSlots = std::vector<SlotsOfRecord>;
RecordSlots slots_of_records(const exec::Code& code, const std::vector<uint32_t>& origins);

struct Tellings {
  std::vector<Telling> of;  // by record; none: all say what their records do
  std::vector<TileLanes> tiles;
  RecordSlots slots;
  uint32_t kept = 0;  // addresses that are kept
};

}  // namespace heddle::executed
