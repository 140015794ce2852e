// Records of a warp that find an operand whose value is still on its way: moves and sums that the machine
// does not have, because the value is where it is wanted, or because others do their work. They are done when
// it has come, with what their other operands hold now.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/exec/issue/telling.h"
#include "sim/exec/warp/core.h"

namespace heddle::executed {

class Later {
 public:
  // The values of a load, whose record is `pc`, are on their way.
  void sent(const RecordSlots& slots, const exec::Group& g, uint32_t pc, uint32_t mask, uint32_t ticket);
  void forget(uint32_t ticket);  // they have come
  // Whether a register that the record reads or writes is on its way.
  bool needs(const RecordSlots& slots, const exec::Group& g, uint32_t pc) const {
    return (slots[pc].bits & bits_) != 0 && finds(slots, g, pc, waiting_.size());
  }
  // Kind::kCompute: when its operands have come.
  void put_off(const RecordSlots& slots, exec::WarpCore& w, const exec::Group& g, uint32_t pc);
  // Does what can be done now.
  void go_on(const RecordSlots& slots, exec::WarpCore& w);

  template <class Archive>
  void serialize(Archive& ar) {
    ar(loads_, waiting_, bits_);
  }

 private:
  struct Load {
    uint32_t ticket = 0, base = 0, mask = 0, pc = 0;

    template <class Archive>
    void serialize(Archive& ar) {
      ar(ticket, base, mask, pc);
    }
  };
  struct Waiting {
    uint32_t pc = 0;
    exec::Group group;
    std::vector<exec::Slot> held;           // operands that were there
    std::vector<exec::Register> registers;  // what they held

    template <class Archive>
    void serialize(Archive& ar) {
      ar(pc, group, held, registers);
    }
  };
  // `before`: of those that wait, so many.
  bool finds(const RecordSlots& slots, const exec::Group& g, uint32_t pc, size_t before) const;
  bool finds(const exec::Group& g, exec::Slot s, const RecordSlots& slots, size_t before) const;
  void recount(const RecordSlots& slots);

  std::vector<Load> loads_;
  std::vector<Waiting> waiting_;
  uint64_t bits_ = 0;  // of all that is on its way
};

}  // namespace heddle::executed
