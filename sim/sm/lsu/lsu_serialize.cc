// What is saved of the LSU.
#include <algorithm>
#include <bit>

#include "sim/engine/archive.h"
#include "sim/sm/lsu/lsu.h"

namespace heddle::sm {

// Addresses lie in the block's recording, packed in one way or another: what is saved is what they are.
void Lsu::serialize(Archive& ar, isa::LaneAddresses& a, uint32_t mask) {
  using Kind = isa::LaneAddresses::Kind;
  Kind kind = a.kind == Kind::kDelta ? Kind::kFull : a.kind;
  ar(kind);
  uint64_t lane[32] = {};
  if (!ar.reading()) {
    isa::expand(a, mask, lane);
  }
  if (kind == Kind::kStride) {
    ar(a.base, a.stride);
  } else if (kind == Kind::kFull) {
    std::array<uint64_t, 32> list{};
    uint32_t n = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
      list[n] = lane[std::countr_zero(m)];
      ar(list[n++]);
    }
    if (ar.reading()) {
      a.values = restored_.emplace_front(list).data();
    }
  }
  if (ar.reading()) {
    a.kind = kind;
  }
}

void Lsu::serialize(Archive& ar, Queue& q, const TimedKernel& kernel) {
  uint32_t count = q.count;
  ar(count);
  ar.check(count <= q.entry.size(), "a queue of the LSU is too long");
  if (ar.reading()) {
    q.head = 0;
    q.count = count;
  }
  for (uint32_t i = 0; i < count; ++i) {
    Entry& e = q.entry[(q.head + i) & (q.entry.size() - 1)];
    if (ar.reading()) {
      e = {};
    }
    ar(e.warp, e.group, e.mask, e.issued, e.ready, e.shortage, e.lacking);
    serialize_pointer(ar, e.instr, kernel);
    ar.check(e.instr != nullptr && e.warp < sm_.warps(), "a queue of the LSU has no instruction");
    serialize(ar, e.address, e.mask);
    serialize(ar, e.copy_to, e.mask);
    serialize_room(ar, e, kernel);
  }
}

// Of lanes that it is for, and what it has of them. Nobody but the entry knows the room's number.
void Lsu::serialize_room(Archive& ar, Entry& e, const TimedKernel& kernel) {
  bool there = e.room != 0;
  ar(there, e.served);
  if (!there) {
    return;
  }
  if (ar.reading()) {
    e.room = 1 + rooms_.take();
  }
  Room& r = rooms_[e.room - 1];
  ar(r.ticket, r.mbarrier);
  r.atomic.serialize(ar, kernel.image->atomics);
  if (!e.served) {
    return;
  }
  const bool atomic = is_atomic(e.instr->op);
  const uint32_t width = std::max<uint32_t>(e.instr->instr->width, 1);
  const size_t bytes = atomic ? sizeof(uint64_t) : is_store(e.instr->op) ? width : 0;
  ar.check(bytes <= isa::LaneRoom::kBytes, "more bytes of a lane than there is room for");
  for (uint32_t m = e.mask; m; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    ar.bytes({r.lanes.data[lane], bytes});
    ar.bytes({r.lanes.compare[lane], atomic ? bytes : 0});
  }
}

void Lsu::serialize(Archive& ar, const TimedKernel& kernel) {
  ar.mark("LSU");
  for (std::vector<Queue>* queues : {&lg_, &mio_}) {
    for (Queue& q : *queues) {
      serialize(ar, q, kernel);
    }
  }
  ar.elements(subcore_next_);
  ar.elements(writeback_);
  ar.elements(stages_);
  ar(turn_, starved_, worked_, scheduled_, posted_, held_, packets_, senders_);
  ar.mark("L1");
  ar(l1_);
}

}  // namespace heddle::sm
