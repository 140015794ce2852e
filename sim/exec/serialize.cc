// What is saved of memory and of blocks that execute.
#include "sim/engine/archive.h"
#include "sim/exec/block.h"
#include "sim/exec/cluster.h"
#include "sim/exec/memory.h"

namespace heddle::exec {

void Memory::serialize(Archive& ar) {
  ar.mark("global memory");
  ar.expect("allocations of global memory", ranges_.size());
  for (const Range& r : ranges_) {
    ar.expect("is where an allocation begins", r.base);
    ar.expect("bytes of an allocation", r.bytes);
    ar.pages({r.data, r.bytes});
  }
  ar(heap_);
}

void Block::serialize(Archive& ar) {
  ar.mark("block that executes");
  ar.pages({shared_.data(), shared_.size()});
  ar.pages({system_.data(), system_.size()});
  ar(tensor_memory_, barriers_, live_, output_);
  for (Warp& w : warps_) {
    WarpState& state = w.core();
    ar(state);
  }
}

void Block::end() {
  live_ = 0;
  for (Warp& w : warps_) {
    w.core().alive = 0;
    w.core().groups.assign(1, {});
  }
}

// Each of its blocks that are still known to somebody has it, since any may be the last one.
void Cluster::serialize(Archive& ar) {
  ar(running_, threads_, arrived_);
  for (uint32_t rank = 0; rank < blocks_.size(); ++rank) {
    bool ended = blocks_[rank]->done();
    ar(ended);
    if (ar.reading() && ended && !blocks_[rank]->done()) {
      blocks_[rank]->end();
      shared_[rank] = {};
    }
  }
}

}  // namespace heddle::exec
