#include "sim/host/links/page_faults.h"

#include <algorithm>
#include <utility>

#include "sim/host/core/effects.h"

namespace heddle::host {

PageFaults::PageFaults(Core& core, Unified& unified, Migration& migration)
    : core_(core),
      unified_(unified),
      migration_(migration),
      name_(core.recorder.name("page faults")),
      devices_(core.program.devices) {
  if (core.kernels != nullptr || core.effects != nullptr) {
    unified.tell_moves();
  }
}

bool PageFaults::look() {
  bool any = false;
  for (const KernelModel::Fault& f : core_.kernels->faults()) {
    Device& d = devices_[f.device];
    if (d.pending.empty() && !d.busy) {
      core_.events.push(std::max(core_.now, f.at), Happening::kPageFault, f.device);
      any = true;
    }
    d.pending.push_back(f);
  }
  return any;
}

void PageFaults::begin(uint32_t device) {
  Device& d = devices_[device];
  if (d.busy || d.pending.empty()) {
    return;
  }
  tell();
  const auto entries = std::min<size_t>(d.pending.size(), core_.params.um.fault_entries);
  for (size_t i = 0; i < entries; ++i) {
    const KernelModel::Fault& f = d.pending[i];
    const auto same = std::find_if(d.batch.begin(), d.batch.end(), [&](const Unified::Fault& b) {
      return b.buffer == f.buffer && b.page == f.page;
    });
    if (same == d.batch.end()) {
      d.batch.push_back({f.buffer, f.page, f.writes});
    } else {
      same->writes |= f.writes;
    }
  }
  d.pending.erase(d.pending.begin(), d.pending.begin() + static_cast<std::ptrdiff_t>(entries));
  Unified::Plan plan = unified_.fault(device, d.batch, std::exchange(d.fresh, false), core_.now);
  if (!plan.steps.empty()) {
    plan.steps[0].delay += core_.params.um.fault_entry * static_cast<int64_t>(entries);
  }
  d.coming = unified_.take_moves();
  // What leaves the host is gone at once; what comes is there when it has come.
  for (const Unified::Moved& m : d.coming) {
    tell_host(m);
  }
  d.busy = true;
  const uint32_t slot = core_.commands.add();
  Command& c = core_.commands[slot];
  c.work = Work::kFaults;
  c.device = device;
  c.stream = device;
  c.name = name_;
  if (!migration_.start(slot, std::move(plan))) {
    served(slot);
  }
}

void PageFaults::served(uint32_t slot) {
  const uint32_t device = core_.commands[slot].device;
  migration_.may_finish(slot);
  core_.commands.release(slot);
  Device& d = devices_[device];
  d.busy = false;
  for (const Unified::Moved& m : std::exchange(d.coming, {})) {
    tell(m);
  }
  for (const Unified::Fault& f : std::exchange(d.batch, {})) {
    // Who has waited for it is let through, even where the host has taken it back meanwhile: both get on.
    if (unified_.reach(device, f.buffer, f.page) == Reach::kAway) {
      core_.kernels->place(device, f.buffer, f.page, Reach::kHere, core_.now);
    }
    place(device, f.buffer, f.page);
  }
  std::erase_if(d.pending, [&](const KernelModel::Fault& f) {
    return unified_.reach(device, f.buffer, f.page) != Reach::kAway;
  });
  if (!d.pending.empty()) {
    core_.events.push(core_.now, Happening::kPageFault, device);
  }
}

void PageFaults::tell() {
  for (const Unified::Moved& m : unified_.take_moves()) {
    tell(m);
  }
}

void PageFaults::tell(const Unified::Moved& m) {
  if (core_.kernels != nullptr) {
    for (uint32_t d = 0; d < devices_.size(); ++d) {
      place(d, m.buffer, m.page);
    }
  }
  tell_host(m);
}

void PageFaults::tell_host(const Unified::Moved& m) {
  if (core_.effects != nullptr) {
    core_.effects->placed(m.buffer, m.page, unified_.host_has(m.buffer, m.page),
                          unified_.only_host_has(m.buffer, m.page));
  }
}

void PageFaults::place(uint32_t device, uint32_t buffer, uint64_t page) {
  core_.kernels->place(device, buffer, page, unified_.reach(device, buffer, page), core_.now);
}

}  // namespace heddle::host
