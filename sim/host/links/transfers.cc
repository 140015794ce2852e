#include "sim/host/links/transfers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/host/core/packets.h"

namespace heddle::host {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::max();

StepKind step_kind(Path path) {
  switch (path) {
    case Path::kHostToDevice:
      return StepKind::kToDevice;
    case Path::kDeviceToHost:
      return StepKind::kFromDevice;
    case Path::kPeer:
    case Path::kPeerStaged:
      return StepKind::kPeer;
    case Path::kMappedRead:
    case Path::kMappedWrite:
    case Path::kPeerRead:
    case Path::kPeerWrite:
      return StepKind::kKernel;
    default:
      return StepKind::kInside;
  }
}

}  // namespace

Transfers::Transfers(Core& core) : core_(core) {
  const Params& p = core.params;
  for (uint32_t d = 0; d < core.program.devices; ++d) {
    const std::string device = "device " + std::to_string(d) + " ";
    capacity_.insert(capacity_.end(), {p.link_rate, p.link_rate, p.peer_rate, p.peer_rate, p.memory_rate});
    // One engine for both directions; or one each, and, where there is a third, one for peers.
    const std::vector<std::string> names =
        p.engines == 1   ? std::vector<std::string>{"copy engine"}
        : p.engines == 2 ? std::vector<std::string>{"copy to device", "copy from device"}
                         : std::vector<std::string>{"copy to device", "copy from device", "copy to peer"};
    engines_per_device_ = static_cast<uint32_t>(names.size());
    for (const std::string& name : names) {
      engines_.push_back({false, {}, core.recorder.track(device + name)});
    }
    memory_track_.push_back(core.recorder.track(device + "copy inside"));
    traffic_track_.push_back(core.recorder.track(device + "kernels' traffic"));
  }
}

uint32_t Transfers::engine_of(const Command& c) const {
  const uint32_t first = c.device * engines_per_device_;
  switch (c.path) {
    case Path::kHostToDevice:
      return first;
    case Path::kDeviceToHost:
      return first + std::min(1u, engines_per_device_ - 1);
    case Path::kPeer:
    case Path::kPeerStaged:
      return first + engines_per_device_ - 1;
    default:
      return kNoEngine;  // SMs do it
  }
}

void Transfers::start(uint32_t slot) {
  const uint32_t e = engine_of(core_.commands[slot]);
  if (e != kNoEngine && engines_[e].busy) {
    engines_[e].waiting.push_back(slot);
  } else {
    begin(slot, e);
  }
}

void Transfers::begin(uint32_t slot, uint32_t engine) {
  const Params& p = core_.params;
  Command& c = core_.commands[slot];
  if (engine != kNoEngine) {
    engines_[engine].busy = true;
  }
  c.start = core_.now;
  Ps wait{};
  switch (c.path) {
    case Path::kHostToDevice:
      wait = c.with_command ? p.inline_start : p.h2d_start;
      break;
    case Path::kDeviceToHost:
      wait = p.d2h_start;
      break;
    case Path::kPeer:
      wait = p.peer_rate > 0 ? p.peer_start : p.h2d_start;
      break;
    case Path::kPeerStaged:
      wait = p.d2h_start + p.h2d_start;
      break;
    case Path::kMemset:
      wait = c.with_command ? p.memset_inline_start : p.memset_start;
      break;
    case Path::kMappedRead:
    case Path::kMappedWrite:
    case Path::kPeerRead:
    case Path::kPeerWrite:
      break;
    default:
      wait = c.run == kNone ? p.d2d_start : p.graph_d2d_start;
  }
  core_.events.push(core_.now + wait, Happening::kFlowStart, slot);
}

Transfers::Flow Transfers::make_flow(uint32_t slot, uint32_t engine) const {
  const Params& p = core_.params;
  const Command& c = core_.commands[slot];
  Flow f{slot, engine, core_.events.step, static_cast<double>(c.bytes), 0, kUnlimited, 1, {}, 0};
  if (p.access.engine_bytes > 0) {
    f.share = c.under_way > 0 ? c.under_way / p.access.engine_bytes : 1;
  }
  const uint32_t here = c.device * kResources, there = c.peer * kResources;
  const double bytes = std::max(1.0, f.left);
  const auto use = [&](uint32_t resource, double weight) { f.uses[f.use_count++] = {resource, weight}; };
  // A link's direction carries packets of at most its payload; a row of a 2D copy starts a new one.
  const auto packets = [&](uint32_t header) {
    return wire_bytes(c.bytes, c.rows, p.payload, header) / bytes;
  };
  const double requests =
      (wire_bytes(c.bytes, c.rows, p.read_request, kRequestHeader) - static_cast<double>(c.bytes)) / bytes;
  const double gain = c.write_combined ? p.write_combined_gain : 1;
  if (p.integrated && (c.path == Path::kHostToDevice || c.path == Path::kDeviceToHost)) {  // HM12
    use(here + kMemory, 2 / p.d2d_efficiency);
    f.limit = c.with_command ? p.inline_device_rate : kUnlimited;
    return f;
  }
  switch (c.path) {
    case Path::kHostToDevice:  // the device reads: completions come down, the requests have gone up
      use(here + kDown, packets(kCompletionHeader) / gain);
      use(here + kUp, requests);
      use(here + kMemory, 1);
      f.limit = c.with_command ? p.inline_device_rate : kUnlimited;
      break;
    case Path::kDeviceToHost:
      use(here + kUp, packets(kRequestHeader));
      use(here + kMemory, 1);
      break;
    case Path::kPeer:
      if (p.peer_rate > 0) {
        use(here + kPeerOut, 1);
        use(there + kPeerIn, 1);
      } else {
        use(here + kUp, packets(kRequestHeader));
        use(there + kDown, packets(kRequestHeader));
      }
      use(here + kMemory, 1);
      use(there + kMemory, 1);
      break;
    case Path::kPeerStaged:  // through the host, in pieces that follow each other closely
      use(here + kUp, packets(kRequestHeader));
      use(there + kDown, packets(kCompletionHeader));
      use(there + kUp, requests);
      // Each byte passes both links, one after the other: half the rate.
      f.limit = p.link_rate / packets(kRequestHeader) / 2;
      break;
    case Path::kMemset:
      use(here + kMemory, 1 / p.memset_efficiency);
      f.limit = c.with_command ? p.inline_device_rate : kUnlimited;
      break;
    case Path::kMappedRead:
    case Path::kMappedWrite:
    case Path::kPeerRead:
    case Path::kPeerWrite:
      kernel_flow(c, f);
      break;
    default:
      use(here + kMemory, 2 / p.d2d_efficiency);  // read and written
  }
  return f;
}

// What a kernel's own loads and stores use.
void Transfers::kernel_flow(const Command& c, Flow& f) const {
  const Params& p = core_.params;
  const uint32_t here = c.device * kResources, there = c.peer * kResources;
  const double bytes = std::max(1.0, f.left);
  const auto use = [&](uint32_t resource, double weight) { f.uses[f.use_count++] = {resource, weight}; };
  const auto with_headers = [&](uint32_t header) {
    return (bytes + static_cast<double>(c.rows * header)) / bytes;
  };
  f.limit = c.limit > 0 ? c.limit : kUnlimited;
  if (p.integrated && (c.path == Path::kMappedRead || c.path == Path::kMappedWrite)) {
    use(here + kMemory, 1);
    return;
  }
  switch (c.path) {
    case Path::kMappedRead:
      use(here + kDown, with_headers(kCompletionHeader));
      use(here + kUp, static_cast<double>(c.rows * kRequestHeader) / bytes);
      break;
    case Path::kMappedWrite: {
      const double partial = static_cast<double>(c.partial) * in_ps(p.access.partial_write) * p.link_rate;
      use(here + kUp, std::max(with_headers(kRequestHeader), partial / bytes));
      break;
    }
    default: {  // the data comes from `from`
      const uint32_t from = c.path == Path::kPeerRead ? there : here;
      const uint32_t to = c.path == Path::kPeerRead ? here : there;
      if (p.peer_rate > 0) {
        use(from + kPeerOut, 1);
        use(to + kPeerIn, 1);
      } else {
        use(from + kUp, with_headers(kCompletionHeader));
        use(to + kDown, with_headers(kCompletionHeader));
      }
      use(there + kMemory, 1);
      break;
    }
  }
}

void Transfers::flow_start(uint32_t slot) {
  advance();
  const uint32_t e = engine_of(core_.commands[slot]);
  flows_.push_back(make_flow(slot, e));
  share();
}

void Transfers::advance() {
  const auto dt = in_ps(core_.now - moved_to_);
  moved_to_ = core_.now;
  for (Flow& f : flows_) {
    f.left -= f.rate * dt;
  }
}

// Where a full direction of the host's link holds up a kernel's accesses, nothing of the device's passes
// them.
void Transfers::one_queue(std::vector<bool>& fixed, const std::vector<double>& left) const {
  const auto of_link = [&](const Flow& f, bool full) {
    return std::any_of(f.uses.begin(), f.uses.begin() + f.use_count, [&](const Use& u) {
      return u.resource % kResources <= kUp && (!full || left[u.resource] <= capacity_[u.resource] * 1e-12);
    });
  };
  for (const Flow& f : flows_) {
    const Command& c = core_.commands[f.slot];
    const bool accesses = c.path == Path::kMappedRead || c.path == Path::kMappedWrite;
    if (!accesses || !held_up(f) || !of_link(f, true)) {
      continue;
    }
    for (size_t i = 0; i < flows_.size(); ++i) {
      if (core_.commands[flows_[i].slot].device == c.device && of_link(flows_[i], false)) {
        fixed[i] = true;
      }
    }
  }
}

// A fence waits for what is before it in the queue of its domain; behind the domains' queues lies one for
// all, a part of what they hold, through which the flush itself has to pass, and, in a stream, what tells the
// next kernel. A queue holds what the link holds up: one SM's stores do not fill it (FINDINGS 23).
Ps Transfers::flush(uint32_t kernel) const {
  const Params::Access& p = core_.params.access;
  const Command& k = core_.commands[kernel];
  const bool in_graph = k.run != kNone;
  // An integrated device has no link to its host (HM12).
  const Path first = core_.params.integrated ? Path::kPeerRead : Path::kMappedRead;
  Ps wait{};
  for (const Flow& f : flows_) {
    const Command& c = core_.commands[f.slot];
    if (c.path < first || c.device != k.device || c.object == kernel) {
      continue;
    }
    const double left = f.left - f.rate * in_ps(core_.now - moved_to_);
    const auto time = [&](double queued) { return std::min(left, queued) / f.rate; };
    const bool same = c.domain == k.domain;
    Ps own{};
    if (c.path == Path::kMappedWrite || c.path == Path::kPeerWrite) {
      const double passes = (same ? 1 : p.flush_share) + (in_graph ? 0 : p.flush_share);
      own = held_up(f) ? Ps::truncated(time(c.queued) * passes) : Ps();
    } else if (in_graph) {
      own = p.flush_loads;
    } else {
      own = Ps::truncated(time(c.under_way) * std::max(same ? p.flush : 0, k.stores ? 1.0 : 0));
    }
    wait = std::max(wait, own);
  }
  return wait;
}

// Raises all rates together until a resource is full, fixes the flows that use it, and goes on with the
// others.
void Transfers::share() {
  std::vector<bool> fixed(flows_.size(), false);
  std::vector<double> left = capacity_;
  for (Flow& f : flows_) {
    f.rate = 0;
  }
  for (size_t remaining = flows_.size(); remaining > 0;) {
    std::vector<double> weight(capacity_.size(), 0);
    double step = kUnlimited;
    for (size_t i = 0; i < flows_.size(); ++i) {
      if (!fixed[i]) {
        for (uint32_t u = 0; u < flows_[i].use_count; ++u) {
          weight[flows_[i].uses[u].resource] += flows_[i].uses[u].weight * flows_[i].share;
        }
        step = std::min(step, (flows_[i].limit - flows_[i].rate) / flows_[i].share);
      }
    }
    for (size_t r = 0; r < weight.size(); ++r) {
      if (weight[r] > 0) {
        step = std::min(step, left[r] / weight[r]);
      }
    }
    for (size_t i = 0; i < flows_.size(); ++i) {
      if (!fixed[i]) {
        flows_[i].rate += step * flows_[i].share;
      }
    }
    for (size_t r = 0; r < weight.size(); ++r) {
      left[r] -= step * weight[r];
    }
    for (size_t i = 0; i < flows_.size(); ++i) {
      if (fixed[i]) {
        continue;
      }
      bool full = flows_[i].rate >= flows_[i].limit * (1 - 1e-12);
      for (uint32_t u = 0; u < flows_[i].use_count; ++u) {
        const uint32_t r = flows_[i].uses[u].resource;
        full |= flows_[i].uses[u].weight > 0 && left[r] <= capacity_[r] * 1e-12;
      }
      if (full) {
        fixed[i] = true;
      }
    }
    if (core_.params.access.engine_bytes > 0) {
      one_queue(fixed, left);
    }
    remaining = static_cast<size_t>(std::count(fixed.begin(), fixed.end(), false));
  }
  ++stamp_;
  double soonest = kUnlimited;
  for (const Flow& f : flows_) {
    soonest = std::min(soonest, std::max(0.0, f.left) / f.rate);
  }
  if (soonest < kUnlimited) {
    core_.events.push(core_.now + Ps::truncated(std::ceil(soonest - 1e-6)), Happening::kFlowEnd, 0, 0,
                      stamp_);
  }
}

void Transfers::flow_end(uint64_t stamp) {
  if (stamp != stamp_) {
    return;
  }
  advance();
  std::vector<Flow> ended;
  // A picosecond's worth is rounding.
  std::erase_if(flows_, [&](const Flow& f) {
    const bool done = f.left <= f.rate * 1.0 + 1e-9;
    if (done) {
      ended.push_back(f);
    }
    return done;
  });
  share();
  for (const Flow& f : ended) {
    end_flow(f);
  }
}

void Transfers::end_flow(const Flow& flow) {
  Command& c = core_.commands[flow.slot];
  const uint32_t track = flow.engine != kNoEngine      ? engines_[flow.engine].track
                         : c.path >= Path::kMappedRead ? traffic_track_[c.device]
                                                       : memory_track_[c.device];
  c.step = flow.step;
  core_.events.step = core_.steps.add(flow.step, step_kind(c.path), c.name, track, core_.now);
  core_.recorder.add(track, c.name, c.start, core_.now, origin_of(c));
  if (flow.engine != kNoEngine) {
    Engine& e = engines_[flow.engine];
    e.busy = false;
    if (!e.waiting.empty()) {
      const uint32_t next = e.waiting.front();
      e.waiting.pop_front();
      begin(next, flow.engine);
    }
  }
  core_.finish(flow.slot);
}

}  // namespace heddle::host
