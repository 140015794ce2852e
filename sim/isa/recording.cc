#include "sim/isa/recording.h"

#include <bit>

namespace heddle::isa {

BlockWork work_of(const WarpTrace& w) {
  BlockWork work{w.instructions, 0};
  for (const Run& r : w.runs) {
    work.thread_pred_on += uint64_t{r.count} * static_cast<uint64_t>(std::popcount(r.mask));
  }
  return work;
}

BlockWork work_of(const BlockTrace& block) {
  BlockWork work;
  for (const WarpTrace& w : block.warps) {
    work += work_of(w);
  }
  return work;
}

LaneAddresses addresses(const WarpTrace& w, const MemRef& r) {
  LaneAddresses a;
  a.base = r.base;
  a.stride = r.stride;
  switch (r.kind) {
    case MemRef::Kind::kStride:
      a.kind = LaneAddresses::Kind::kStride;
      break;
    case MemRef::Kind::kDelta:
      a.kind = LaneAddresses::Kind::kDelta;
      a.deltas = w.deltas.data() + r.list;
      break;
    case MemRef::Kind::kFull:
      a.kind = LaneAddresses::Kind::kFull;
      a.values = w.values.data() + r.list;
      break;
    default:
      break;
  }
  return a;
}

}  // namespace heddle::isa
