#include "sim/exec/issue/copies.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "sim/engine/archive.h"
#include "sim/exec/async/barrier_object.h"
#include "sim/exec/async/transfer.h"
#include "sim/exec/handlers/by_lane.h"

namespace heddle::executed {
namespace {

using Kind = exec::BarrierObjectOp::Kind;

void write(const CopyUnderWay& c, uint32_t mask, const isa::LaneValues& values) {
  for (uint32_t m = mask & c.mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    alignas(16) uint8_t data[isa::LaneRoom::kBytes] = {};
    std::memcpy(data, values.data[lane], c.bytes[lane]);
    exec::copy_bytes(c.to[lane], data, c.size);
  }
}

// A place in the shared memory of the cluster's blocks, or in that of the system: which of them, and where.
void serialize_place(Archive& ar, const exec::Spaces& spaces, uint8_t*& at) {
  uint64_t which = 0, offset = 0;
  const auto memory = [&](uint64_t n) { return n < spaces.shared.size() ? spaces.shared[n] : spaces.system; };
  while (!ar.reading() && which <= spaces.shared.size()) {
    offset = reinterpret_cast<uintptr_t>(at) - reinterpret_cast<uintptr_t>(memory(which).data());
    if (offset < memory(which).size()) {
      break;
    }
    ++which;
  }
  ar(which, offset);
  ar.check(which <= spaces.shared.size() && offset < memory(which).size(),
           "a copy to shared memory that there is not");
  at = memory(which).data() + offset;
}

}  // namespace

void Copies::serialize(Archive& ar, const exec::Spaces& spaces) {
  copies_.resize(ar.size(copies_.size()));
  for (CopyUnderWay& c : copies_) {
    ar(c.ticket, c.mask, c.size, c.bytes);
    for (uint32_t m = c.mask; m != 0; m &= m - 1) {
      serialize_place(ar, spaces, c.to[static_cast<size_t>(std::countr_zero(m))]);
    }
  }
  ar(arrivals_);
}

void Copies::arrive(exec::WarpCore& w, const exec::Group& g, const exec::Inst& in, uint32_t mask) {
  const exec::BarrierObjectOp& op = w.code.barrier_objects[in.target];
  Arrival a;
  a.group = g;
  a.mask = mask;
  // An arrival that was added before changes nothing but that the phase cannot end before: as with bytes.
  const bool adds = op.kind == Kind::kArriveCopies && !op.no_increment;
  a.kind = adds ? Kind::kComplete : op.kind == Kind::kArriveCopies ? Kind::kArrive : op.kind;
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    a.objects[lane] = exec::at({in.s[0], in.offset, op.space}, w.banks(g), g.local, lane);
  }
  if (adds) {
    const exec::BarrierObjectOp expect = {.kind = Kind::kExpect, .space = exec::Space::kSharedCluster};
    exec::by_lane(w, g, mask, [&](uint32_t lane) { perform(expect, w.spaces(), lane, a.objects[lane], 1); });
  }
  for (const CopyUnderWay& c : copies_) {
    a.tickets.push_back(c.ticket);
  }
  arrivals_.push_back(std::move(a));
}

bool Copies::landed(exec::WarpCore& w, uint32_t ticket, uint32_t mask, const isa::LaneValues& values) {
  const auto found =
      std::find_if(copies_.begin(), copies_.end(), [&](const CopyUnderWay& c) { return c.ticket == ticket; });
  if (found == copies_.end()) {
    return false;
  }
  write(*found, mask, values);
  *found = copies_.back();
  copies_.pop_back();
  for (Arrival& a : arrivals_) {
    if (std::erase(a.tickets, ticket) == 0 || !a.tickets.empty()) {
      continue;
    }
    const exec::BarrierObjectOp once = {.kind = a.kind, .space = exec::Space::kSharedCluster};
    exec::by_lane(w, a.group, a.mask,
                  [&](uint32_t lane) { perform(once, w.spaces(), lane, a.objects[lane], 1); });
    ++w.progress;
    ++w.writes;
  }
  std::erase_if(arrivals_, [](const Arrival& a) { return a.tickets.empty(); });
  return true;
}

}  // namespace heddle::executed
