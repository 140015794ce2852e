#include "sim/memory/host_end.h"

#include <utility>

#include "sim/memory/perform.h"

namespace heddle::memory {

bool HostEnd::serve(MemorySystem& device, isa::GlobalMemory* image) {
  std::vector<LinkMessage>& out = device.link().outbox();
  bool changed = false;
  for (LinkMessage& m : out) {
    if (m.values != nullptr && image != nullptr) {
      changed = memory::serve(*image, m.request, *m.values) || changed;
    }
    const uint32_t data = returns_data(m.request) ? bytes_of(m.request) : 0;
    const auto service = Ticks::truncated((link_.back.header_bytes + data) *
                                          static_cast<double>(kTicksPerCycle) / link_.back.bytes_per_cycle);
    m.performed = m.at;
    m.at = back_.reserve(m.at, service) + to_ticks(link_.back.latency);
    m.key = device.link().answer_key(m.at);
    m.answer = true;
    std::swap(m.from, m.to);
    device.arrive(m);
  }
  out.clear();
  return changed;
}

}  // namespace heddle::memory
