// What is saved of an SM: what its parts have, and who comes and goes.
#include "sim/engine/archive.h"
#include "sim/sm/sm.h"

namespace heddle::sm {

void Sm::serialize(Archive& ar, const TimedKernel& kernel, std::span<isa::BlockProgram* const> blocks) {
  used_ |= ar.reading();
  state_.serialize(ar, kernel, blocks);
  ar.mark("issue");
  ar(instructions_, constants_, dispatch_, shared_pipes_);
  ar.elements(subcores_);
  lsu_.serialize(ar, kernel);
  ar.mark("units");
  ar(cluster_, barriers_, tma_, tensor_, tensor_memory_, inbox_, arrivals_, blocks_done_, age_,
     first_subcore_, last_event_);
  for (Arrival& a : arrivals_) {
    if (ar.reading()) {
      ar.check(a.block.slot < blocks.size() && blocks[a.block.slot], "a block that the launch does not have");
      a.block.program = blocks[a.block.slot];
      a.block.kernel = &kernel;
    }
  }
}

}  // namespace heddle::sm
