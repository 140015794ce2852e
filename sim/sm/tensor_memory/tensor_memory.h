// Tensor memory of an SM and the array that makes products in it (tcgen05): TENSOR_MEMORY.md. The warps go on
// at once; what the array has done arrives at barrier objects.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/engine/slots.h"
#include "sim/engine/time.h"
#include "sim/isa/program.h"
#include "sim/sm/barriers/barriers.h"
#include "sim/sm/state/sm_state.h"
#include "sim/sm/state/unit.h"

namespace heddle::sm {

class TensorMemory final : public Unit {
 public:
  TensorMemory(SmState& sm, Barriers& barriers);

  void reset(Cycle) override;
  Cycle start(const Issued& i) override;
  // What was committed is complete.
  void event(const UnitEvent& e, Cycle now) override;
  std::string describe() const override;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(array_, moves_, done_, free_columns_, commits_, waiters_);
  }

 private:
  // Of a block; it may have gone when the array is done.
  struct Commit {
    uint32_t generation = 0;
    uint8_t slot = 0;
    isa::MbarrierOp op;

    template <class Archive>
    void serialize(Archive& ar) {
      ar(generation, slot, op);
    }
  };
  // A warp that has asked for columns which are not free.
  struct Waiter {
    uint8_t warp = 0;
    uint32_t columns = 0;

    template <class Archive>
    void serialize(Archive& ar) {
      ar(warp, columns);
    }
  };

  Ticks work(const isa::TensorOp& op) const;
  void multiply(const Issued& i);
  void copy(const Issued& i);
  void commit(const Issued& i);
  void arrive_later(const Issued& i, const isa::MbarrierOp& op);
  void move(const Issued& i);
  Cycle allocate(const Issued& i);
  void free(uint32_t columns, Cycle now);

  SmState& sm_;
  Barriers& barriers_;
  const spec::TensorMemory& config_;
  Server array_;               // takes one product or copy after the other
  std::vector<Server> moves_;  // LDTM and STTM of each sub-core
  Cycle done_ = 0;             // all that the array has been given is complete
  uint32_t free_columns_ = 0;
  Slots<Commit> commits_;
  std::vector<Waiter> waiters_;  // who came first is first
};

}  // namespace heddle::sm
