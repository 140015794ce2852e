// Warp-group products (HGMMA): each sub-core's tensor array works through its warps' instructions in order,
// and the warps go on at once.
#pragma once

#include "sim/engine/time.h"
#include "sim/sm/state/sm_state.h"
#include "sim/sm/state/unit.h"

namespace heddle::sm {

class Tensor final : public Unit {
 public:
  explicit Tensor(SmState& sm) : sm_(sm) {}

  void reset(Cycle) override {}
  Cycle start(const Issued& i) override;
  // An instruction is complete.
  void event(const UnitEvent& e, Cycle now) override;

 private:
  SmState& sm_;
};

}  // namespace heddle::sm
