// What an instruction of a warp says of itself where its record does not.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/exec/issue/telling.h"
#include "sim/exec/slot.h"
#include "sim/isa/kernel.h"

namespace heddle::executed {

class Teller {
 public:
  // `all`: outlives this; null: records say all themselves.
  explicit Teller(const Tellings* all);

  // Record `pc`, which counts for `in`: `active` lanes have come to it, for those of `mask` its guard holds.
  // Returns the instruction's lanes.
  uint32_t begin(const isa::Instr& in, uint32_t pc, uint32_t active, uint32_t mask);
  // Its addresses are not those of its record.
  bool knows() const { return now_.places != Telling::Places::kOwn; }
  // By lane; if it knows().
  exec::Register places() const;
  // Its record has these, of the lanes of `mask`.
  void keep(const exec::Register& addresses, uint32_t mask);
  // Its record has a matrix that begins at `base`, with so many bytes from one row to the next. True: its
  // places() are in that.
  bool keep_matrix(uint64_t base, uint64_t stride);

  template <class Archive>
  void serialize(Archive& ar) {
    ar(now_, kept_, stack_);
  }

 private:
  const Tellings* const all_;
  Telling now_;
  std::vector<exec::Register> kept_;            // of matrices base and distance of rows
  std::array<uint32_t, exec::kLanes> stack_{};  // R1 of each lane
};

}  // namespace heddle::executed
