#include "sim/device/linked_devices.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sim/base/error.h"

namespace heddle::device {

LinkedDevices::LinkedDevices(const spec::GpuConfig& gpu, uint32_t devices, const memory::LinkTiming& link,
                             const RunOptions& options) {
  if (devices == 0 || devices >= memory::kNoDevice) {
    throw Error(std::to_string(devices) + " devices; legal: 1 to 254");
  }
  for (uint32_t i = 0; i < devices; ++i) {
    devices_.push_back(std::make_unique<DetailedEngine>(gpu, options));
    Machine& m = devices_.back()->machine();
    m.memory->join(static_cast<uint8_t>(i), devices, link, owners_);
    quantum_ = m.quantum;
  }
  if (options.quantum > 0) {
    quantum_ = std::min<Cycle>(quantum_, options.quantum);
  }
  if (link.latency < quantum_ || link.bytes_per_cycle <= 0) {
    throw Error("a link of " + std::to_string(link.latency) + " cycles and " +
                std::to_string(link.bytes_per_cycle) + " bytes a cycle; legal: at least " +
                std::to_string(quantum_) + " cycles, more than 0 bytes");
  }
}

// Messages are put where their keys say, so the order of handing over does not matter among devices.
void LinkedDevices::exchange() {
  for (auto& d : devices_) {
    std::vector<memory::LinkMessage>& out = d->machine().memory->link().outbox();
    for (const memory::LinkMessage& m : out) {
      devices_[m.to]->machine().memory->arrive(m);
    }
    out.clear();
  }
}

std::optional<LinkedDevices::End> LinkedDevices::take_ended() {
  for (uint32_t i = 0; i < devices_.size(); ++i) {
    if (std::optional<LaunchEnd> e = devices_[i]->ended()) {
      return End{i, *e};
    }
  }
  return std::nullopt;
}

std::optional<LinkedDevices::End> LinkedDevices::advance(Cycle until) {
  while (true) {
    if (std::optional<End> e = take_ended()) {
      return e;
    }
    const bool busy =
        std::any_of(devices_.begin(), devices_.end(), [](const auto& d) { return d->launches() > 0; });
    if (!busy || now_ >= until) {
      return std::nullopt;
    }
    Cycle next = kNever;
    for (const auto& d : devices_) {
      next = std::min(next, d->next());
    }
    now_ = std::max(now_, std::min(next, until));
    const Cycle end = std::min(now_ + quantum_, until);
    for (auto& d : devices_) {
      // Nobody has anything to do: who has a launch says so.
      if (d->next() < end || (next == kNever && d->launches() > 0)) {
        d->quantum(end);
      }
    }
    exchange();
    now_ = end;
  }
}

}  // namespace heddle::device
