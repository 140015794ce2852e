// Which registers a record reads and writes: for those who put records in another order.
#pragma once

#include <functional>
#include <vector>

#include "sim/exec/code.h"

namespace heddle::exec {

struct Slots {
  std::vector<Slot> read, written;  // of Bank::kFrame; a register may stand there more than once
};

// Of the record, its guard too.
Slots slots_of(const Code& code, const Inst& in);

// Puts others in their place. What the record has in one of the code's lists is its alone.
void change_slots(Code& code, Inst& in, const std::function<Slot(Slot, bool written)>& to);

// Leaves out the registers of a frame that no instruction names; the others keep their order, those below
// kFirstSlot their place. For code whose functions have one frame. Returns how many registers are left.
uint32_t pack_frame(Code& code);

}  // namespace heddle::exec
