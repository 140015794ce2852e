// Devices of one kind that are joined by links, all to all, in one loop of time: loads, stores and atomics of
// kernels go to whoever has the memory. Each device is as it is alone (detailed_engine.h); what they send
// each other takes effect at its own time and in one order, whatever the quantum and the number of threads.
//
// The links' figures are given by whoever makes them; none are measured yet.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/device/detailed_engine.h"
#include "sim/device/engine.h"
#include "sim/device/run_options.h"
#include "sim/memory/link_port.h"
#include "sim/memory/owners.h"

namespace heddle::device {

class LinkedDevices {
 public:
  // Up to 254. `options` are each device's; one image for all, since they have one address space. Throws
  // Error when a link is faster than devices can be simulated apart: LinkTiming::latency below a quantum.
  LinkedDevices(const spec::GpuConfig& gpu, uint32_t devices, const memory::LinkTiming& link,
                const RunOptions& options);

  // These bytes, whole lines, are in the memory of `device`, before the first launch; what nobody owns is
  // whoever's asks.
  void own(uint32_t device, uint64_t base, uint64_t bytes) {
    owners_.add(base, bytes, static_cast<uint8_t>(device));
  }
  void launch(uint32_t device, Launch launch) { devices_.at(device)->launch(std::move(launch)); }
  struct End {
    uint32_t device = 0;
    LaunchEnd launch;
  };
  // As Engine::advance(); launches that end in the same quantum, by device.
  std::optional<End> advance(Cycle until);
  Cycle now() const { return now_; }
  stats::CounterSet counters(uint32_t device) const { return devices_.at(device)->counters(); }
  // Sent by `device` over its links.
  uint64_t link_bytes(uint32_t device) const { return devices_.at(device)->machine().memory->link().bytes(); }

 private:
  std::optional<End> take_ended();
  void exchange();

  memory::Owners owners_;
  std::vector<std::unique_ptr<DetailedEngine>> devices_;
  Cycle quantum_ = 0;
  Cycle now_ = 0;
};

}  // namespace heddle::device
