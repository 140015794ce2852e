#include "sim/memory/host_end.h"

#include <algorithm>
#include <utility>

#include "sim/memory/perform.h"

namespace heddle::memory {

bool HostEnd::answer(MemorySystem& device, isa::GlobalMemory* image, LinkMessage m, bool over_link) {
  const bool changed = m.values != nullptr && image != nullptr && memory::serve(*image, m.request, *m.values);
  const uint32_t data = returns_data(m.request) ? bytes_of(m.request) : 0;
  const auto service = Ticks::truncated((link_.back.header_bytes + data) *
                                        static_cast<double>(kTicksPerCycle) / link_.back.bytes_per_cycle);
  m.performed = m.at;
  m.at = (over_link ? back_.reserve(m.at, service) : m.at) + to_ticks(link_.back.latency);
  m.key = device.link().answer_key(m.at);
  m.answer = true;
  std::swap(m.from, m.to);
  device.arrive(m);
  return changed;
}

bool HostEnd::serve(MemorySystem& device, isa::GlobalMemory* image) {
  std::vector<LinkMessage>& out = device.link().outbox();
  bool changed = false;
  for (const LinkMessage& m : out) {
    if (m.to != kAway || !holds_) {
      changed = answer(device, image, m, m.to != kAway) || changed;
      continue;
    }
    if (const uint8_t owner = owners_.of(m.request.line);
        owner != kAway) {  // it came while this was under way
      changed = answer(device, image, m, owner == kHostDevice) || changed;
      continue;
    }
    const uint64_t page = owners_.page_of(m.request.line);
    Held& held = held_[page];
    held.told.resize(std::max<size_t>(held.told.size(), m.request.sm + 1U));
    if (!held.told[m.request.sm]) {
      held.told[m.request.sm] = true;
      const bool reads = m.request.kind == RequestKind::kRead || m.request.kind == RequestKind::kPrefetch;
      faults_.push_back({page, !reads, to_cycles_up(m.at)});
    }
    held.waiting.push_back(m);
  }
  out.clear();
  return changed;
}

bool HostEnd::place(MemorySystem& device, isa::GlobalMemory* image, uint64_t page, uint8_t owner, Cycle at) {
  owners_.set_page(page, owner);
  const auto waiting = held_.find(page);
  if (owner == kAway || waiting == held_.end()) {
    return false;
  }
  bool changed = false;
  for (LinkMessage& m : waiting->second.waiting) {
    m.at = std::max(m.at, to_ticks(at));
    changed = answer(device, image, m, owner == kHostDevice) || changed;
  }
  held_.erase(waiting);
  return changed;
}

}  // namespace heddle::memory
