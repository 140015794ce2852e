#include "sim/host/streams/ordering.h"

#include "sim/host/core/engine_gap.h"

namespace heddle::host {

Ordering::Ordering(Core& core)
    : core_(core),
      streams_(core.program.streams.size()),
      devices_(core.program.devices),
      recorded_(core.program.events.size()),
      recorded_kernel_(core.program.events.size()) {}

// What lies between the end of one command and the start of the next: measured by chains in one stream.
Ps Ordering::latency(const Command& from, const Command& to) const {
  const bool waits = (from.work == Work::kKernel || from.work == Work::kGraphEnd) &&
                     to.work != Work::kRecord && to.work != Work::kBarrier;
  return engine_gap(core_.params, from, to) + (waits ? core_.params.same_stream : Ps());
}

void Ordering::depend(uint32_t slot, CommandRef from, Ps latency) {
  if (from.slot != slot && core_.commands.unfinished(from)) {
    core_.commands.add_edge(from.slot, slot, latency, false);
    ++core_.commands[slot].unmet;
  }
}

bool Ordering::thread_waits(uint32_t thread, CommandRef from, Ps latency) {
  if (!core_.commands.unfinished(from)) {
    return false;
  }
  core_.commands.add_edge(from.slot, thread, latency, true);
  return true;
}

// ---- programmatic launch

void Ordering::add_primary(uint32_t slot, CommandRef from) {
  if (core_.commands.unfinished(from)) {
    core_.commands.add_edge(core_.commands[from.slot].first_edge, slot, Ps(), Edge::Kind::kPrimary);
    ++core_.commands[slot].primaries;
  }
}

void Ordering::depend_programmatic(uint32_t slot, CommandRef from, Port port, Ps after) {
  if (!core_.commands.unfinished(from)) {
    return;
  }
  Command& k = core_.commands[from.slot];
  Command& c = core_.commands[slot];
  const bool kernel = c.work == Work::kKernel;
  if (port == Port::kDefault || k.work != Work::kKernel || (!kernel && c.work != Work::kRecord)) {
    depend(slot, from, latency(k, c));
    return;
  }
  const Ps at = port == Port::kProgrammatic ? k.triggered_at : k.all_started_at;
  if (at > core_.now) {
    core_.commands.add_edge(
        k.first_trigger_edge, slot, after,
        port == Port::kProgrammatic ? Edge::Kind::kProgrammatic : Edge::Kind::kLaunchCompletion);
    ++c.unmet;
    if (at != kNever) {
      core_.events.push(at, Happening::kTrigger, from.slot, static_cast<uint32_t>(port), from.number);
    }
  }
  if (kernel) {
    add_primary(slot, from);
  }
}

void Ordering::record_programmatic(uint32_t record, uint32_t kernel, Port port) {
  const uint32_t event = core_.commands[record].object;
  depend_programmatic(record, core_.commands.ref(kernel), port);
  recorded_[event] = core_.commands.ref(record);
  recorded_kernel_[event] = core_.commands.ref(kernel);
}

void Ordering::note_programmatic_wait(uint32_t stream, uint32_t event) {
  if (core_.commands.unfinished(recorded_kernel_[event])) {
    streams_[stream].primaries.push_back(recorded_kernel_[event]);
  }
}

void Ordering::follow(uint32_t slot, uint32_t stream) {
  const CommandRef last = streams_[stream].last;
  if (core_.commands.unfinished(last)) {
    depend(slot, last, latency(core_.commands[last.slot], core_.commands[slot]));
  }
}

void Ordering::note(uint32_t slot) {
  const Command& c = core_.commands[slot];
  Stream& s = streams_[c.stream];
  s.last = core_.commands.ref(slot);
  const bool legacy = c.stream < core_.program.devices;
  if (!legacy && core_.program.streams[c.stream].blocking && !s.touched) {
    s.touched = true;
    devices_[c.device].touched.push_back(c.stream);
  }
}

void Ordering::append(uint32_t slot) { append(slot, false); }

void Ordering::append_programmatic(uint32_t slot) { append(slot, true); }

void Ordering::append(uint32_t slot, bool programmatic) {
  const Command& c = core_.commands[slot];
  Device& d = devices_[c.device];
  Stream& stream = streams_[c.stream];
  if (programmatic) {
    depend_programmatic(slot, stream.last, Port::kProgrammatic);
  } else {
    follow(slot, c.stream);  // ST01
  }
  if (!stream.primaries.empty() && c.work != Work::kWait) {
    for (const CommandRef& k : stream.primaries) {
      if (c.work == Work::kKernel) {
        add_primary(slot, k);
      } else {
        depend(slot, k);  // only kernels can start early
      }
    }
    stream.primaries.clear();
  }
  depend(slot, d.barrier);  // ST08
  if (c.stream < core_.program.devices) {
    // ST04: the legacy stream waits for all blocking streams ...
    for (uint32_t s : d.touched) {
      follow(slot, s);
      streams_[s].touched = false;
    }
    d.touched.clear();
  } else if (core_.program.streams[c.stream].blocking) {
    // ... and they for it. Non-blocking streams are exempt (ST05).
    follow(slot, c.device);
  }
  note(slot);
}

void Ordering::append_barrier(uint32_t slot, uint32_t other_device) {
  append_after_all(slot, other_device);
  devices_[core_.commands[slot].device].barrier = devices_[other_device].barrier = core_.commands.ref(slot);
}

void Ordering::append_after_all(uint32_t slot, uint32_t other_device) {
  const uint32_t device = core_.commands[slot].device;
  for (uint32_t s = 0; s < streams_.size(); ++s) {
    const uint32_t d = core_.program.streams[s].device;
    if ((d == device || d == other_device) && s != core_.commands[slot].stream) {
      follow(slot, s);
    }
  }
  append(slot);
}

std::vector<CommandRef> Ordering::unfinished(uint32_t stream) const {
  std::vector<CommandRef> out;
  const auto take = [&](uint32_t s) {
    if (core_.commands.unfinished(streams_[s].last)) {
      out.push_back(streams_[s].last);
    }
  };
  take(stream);
  if (stream < core_.program.devices) {
    for (uint32_t s : devices_[stream].touched) {
      take(s);
    }
  }
  return out;
}

bool Ordering::busy(uint32_t stream) const { return !unfinished(stream).empty(); }

std::vector<CommandRef> Ordering::unfinished_of_device(uint32_t device) const {
  std::vector<CommandRef> out;
  for (size_t s = 0; s < streams_.size(); ++s) {
    if (core_.program.streams[s].device == device && core_.commands.unfinished(streams_[s].last)) {
      out.push_back(streams_[s].last);
    }
  }
  return out;
}

}  // namespace heddle::host
