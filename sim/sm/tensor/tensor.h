// Warp-group products (HGMMA): each sub-core's tensor array works through its warps' instructions in order,
// and the warps go on at once.
#pragma once

#include <vector>

#include "sim/engine/time.h"
#include "sim/sm/state/queue_room.h"
#include "sim/sm/state/sm_state.h"
#include "sim/sm/state/unit.h"
#include "sim/sm/tensor/tensor_array.h"

namespace heddle::sm {

class Tensor final : public Unit {
 public:
  Tensor(SmState& sm, QueueRoom& room);

  void reset(Cycle) override;
  Cycle start(const Issued& i) override;
  // A product may be complete, or a sub-core's array take another one.
  void event(const UnitEvent& e, Cycle now) override;

  // Of each sub-core.
  std::vector<TensorArray>& arrays() { return arrays_; }

  template <class Archive>
  void serialize(Archive& ar) {
    ar.elements(arrays_);
  }

 private:
  void finish(const TensorArray::Product& p, Cycle now);

  SmState& sm_;
  QueueRoom& room_;
  std::vector<TensorArray> arrays_;
};

}  // namespace heddle::sm
