#include "sim/device/gpc_network.h"

#include <algorithm>

#include "sim/sm/dsm/cluster_message.h"

namespace heddle::device {
namespace {

// Of a way in that are remembered before the newest: no message is that late.
constexpr uint64_t kOldSlots = 4096;

// Bits 1, 4, 7 choose between two slices, bits 3, 6 between two more (FINDINGS.md 14).
uint64_t slice_of(uint64_t line) {
  return ((line >> 1 ^ line >> 4 ^ line >> 7) & 1) | ((line >> 3 ^ line >> 6) & 1) << 1;
}

}  // namespace

GpcNetwork::GpcNetwork(const spec::GpuConfig& gpu)
    : sms_per_tpc_(gpu.topology().sms_per_tpc()),
      slot_ticks_(Ticks::truncated(gpu.sm().async_copy().dsm_slice_cycles() * kTicksPerCycle).count()),
      answer_ticks_(gpu.sm().async_copy().dsm_answer_cycles() * kTicksPerCycle / sm::ClusterMessage::kPacket),
      slices_a_way_(std::max(1u, gpu.sm().async_copy().dsm_slices() / gpu.sm().async_copy().dsm_ways_in())),
      cpcs_(gpu.sm().async_copy().dsm_cpcs()) {
  for (Cpc& c : cpcs_) {
    c.slices.resize(gpu.sm().async_copy().dsm_slices());
    c.ways_in.resize(c.slices.size() / slices_a_way_);
  }
}

void GpcNetwork::reset() {
  for (Cpc& c : cpcs_) {
    for (Server& s : c.slices) {
      s.reset();
    }
    c.answers.reset();
    for (WayIn& w : c.ways_in) {
      w.reset();
    }
  }
}

void GpcNetwork::WayIn::reset() {
  first_ = 0;
  taken_.clear();
}

uint64_t GpcNetwork::WayIn::take(uint64_t slot, uint32_t room) {
  slot = std::max(slot, first_);
  while (!taken_.empty() && first_ + kOldSlots < slot) {
    taken_.pop_front();
    ++first_;
  }
  if (taken_.empty()) {
    first_ = slot;
  }
  for (;; ++slot) {
    if (slot - first_ >= taken_.size()) {
      taken_.resize(slot - first_ + 1);
    }
    uint8_t& taken = taken_[slot - first_];
    if (taken < room) {
      ++taken;
      return slot;
    }
  }
}

Ticks GpcNetwork::ask(uint32_t from, uint32_t to, uint64_t line, uint32_t packets, Ticks at) {
  if (slot_ticks_ == 0) {
    return at;
  }
  Cpc& out = cpc(from);
  const uint64_t slice = slice_of(line) % out.slices.size();
  Server& server = out.slices[slice];
  WayIn& in = cpc(to).ways_in[slice / slices_a_way_];
  Ticks end = at;
  for (uint32_t i = 0; i < packets; ++i) {
    end = server.reserve(at, Ticks(slot_ticks_));
    const uint64_t slot = (end.count() - 1) / slot_ticks_;
    const uint64_t held = in.take(slot, slices_a_way_) - slot;
    if (held > 0) {
      end = server.reserve(at, Ticks(held * slot_ticks_));
    }
  }
  return end;
}

Ticks GpcNetwork::answer(uint32_t from, uint32_t parts, Ticks at) {
  const Ticks service = Ticks::truncated(parts * answer_ticks_);
  Cpc& out = cpc(from);
  if (slot_ticks_ != 0) {
    for (Server& s : out.slices) {
      s.reserve(at, service);
    }
  }
  return out.answers.reserve(at, service);
}

}  // namespace heddle::device
