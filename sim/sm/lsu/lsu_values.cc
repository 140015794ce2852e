// The LSU for programs that compute: their loads and stores have values.
#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "sim/sm/lsu/lsu.h"

namespace heddle::sm {

using memory::kLineBytes;
using memory::kSectorBytes;

isa::LaneRoom* Lsu::room() {
  next_room_ = rooms_.take();
  return &rooms_[next_room_].lanes;
}

void Lsu::release_room(Entry& e) {
  if (e.room) {
    rooms_.remove(e.room - 1);
  }
}

// The lanes whose access is in memory that there is, and aligned. The others are a fault of the program, and
// do nothing. Programs that have a memory of their own look themselves.
uint32_t Lsu::reachable(const Entry& e, const uint64_t addr[32], Cycle now) {
  const uint32_t width = std::max<uint32_t>(e.instr->instr->width, 1);
  uint32_t good = 0;
  for (uint32_t m = e.mask; m; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    const bool aligned = addr[lane] % width == 0;
    if (aligned && (!sm_.image() || sm_.image()->find(addr[lane], width))) {
      good |= 1u << lane;
      continue;
    }
    sm_.fault(e.warp, *e.instr, now,
              fmt::format("lane {}: {} access of {} bytes at 0x{:x}", lane,
                          aligned ? "out of bounds," : "misaligned", width, addr[lane]));
  }
  return good;
}

void Lsu::begin_values(const Entry& e, uint32_t load, const uint64_t addr[32]) {
  l1_.load(load).computed = true;
  begin_values(e, l1_.values().load(load), addr, e.mask);
}

void Lsu::begin_values(const Entry& e, L1Values::Load& l, const uint64_t addr[32], uint32_t mask) {
  std::copy_n(addr, l.address.size(), l.address.begin());
  l.has.fill(0);
  l.mask = mask;
  l.width = std::max<uint32_t>(e.instr->instr->width, 1);
  l.ticket = rooms_[e.room - 1].ticket;
}

void Lsu::complete_values(uint32_t load) {
  const L1Values::Load& l = l1_.values().load(load);
  sm_.warp(l1_.load(load).warp).stream.program().complete(l.ticket, l.mask, l.values);
}

void Lsu::add_values(const Entry& e, const memory::LineAccess& a, const uint64_t addr[32],
                     ClusterMessage& m) {
  memory::Payloads& all = sm_.payloads();
  m.payload = m.kind == ClusterMessage::Kind::kRead    ? all.take()
              : m.kind == ClusterMessage::Kind::kWrite ? store_payload(e, a, addr)
                                                       : atomic_payload(e, a, addr);
  m.values = &all[m.payload];
  if (m.kind == ClusterMessage::Kind::kWrite &&
      rooms_[e.room - 1].mbarrier.kind == isa::MbarrierOp::Kind::kComplete) {  // st.async
    m.mbarrier = rooms_[e.room - 1].mbarrier;
    m.mbarrier.bytes = 0;
    for (const uint32_t bytes : m.values->bytes) {
      m.mbarrier.bytes += static_cast<uint64_t>(std::popcount(bytes));
    }
  }
}

// Where lanes write the same byte, the last one's value stays.
uint32_t Lsu::store_payload(const Entry& e, const memory::LineAccess& a, const uint64_t addr[32]) {
  const uint32_t handle = sm_.payloads().take();
  memory::Payload& p = sm_.payloads()[handle];
  const uint32_t width = std::max<uint32_t>(e.instr->instr->width, 1);
  for (uint32_t m = e.mask; m; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    if (addr[lane] / kLineBytes == a.line) {
      const auto offset = static_cast<uint32_t>(addr[lane] % kLineBytes);
      memory::copy_few(&p.data[offset], rooms_[e.room - 1].lanes.data[lane], width);
      const uint32_t bytes = width >= 32 ? ~0u : (1u << width) - 1;
      p.bytes[offset / kSectorBytes] |= bytes << (offset % kSectorBytes);
    }
  }
  return handle;
}

// Lanes one after the other.
uint32_t Lsu::atomic_payload(const Entry& e, const memory::LineAccess& a, const uint64_t addr[32]) {
  const uint32_t handle = sm_.payloads().take();
  memory::Payload& p = sm_.payloads()[handle];
  const Room& room = rooms_[e.room - 1];
  p.atomic = room.atomic;
  for (uint32_t m = e.mask; m; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    if (addr[lane] / kLineBytes == a.line) {
      memory::Payload::Operation& o = p.operations.emplace_back();
      o = {.value = 0,
           .compare = 0,
           .lane = static_cast<uint8_t>(lane),
           .offset = static_cast<uint8_t>(addr[lane] % kLineBytes)};
      std::memcpy(&o.value, room.lanes.data[lane], sizeof o.value);
      std::memcpy(&o.compare, room.lanes.compare[lane], sizeof o.compare);
    }
  }
  return handle;
}

}  // namespace heddle::sm
