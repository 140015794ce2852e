// The calls that blocks of kernels make: when each begins and returns, and its effect.
#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/host/kernels/resources.h"
#include "sim/host/nested/nested.h"

namespace heddle::host {

using What = DeviceCall::What;
using Into = DeviceCall::Into;

namespace {

// Of twice the pending launches, what the H200's driver keeps for itself.
constexpr uint64_t kOwnEvents = 4;

}  // namespace

// DP04: a block has a NULL stream of its own; other streams are the grid's, by CDP1 the block's.
uint64_t Nested::stream_key(const DeviceCall& c, const KernelDesc& k, uint32_t block) {
  if (c.into == Into::kNullStream) {
    return block;
  }
  return (uint64_t{c.stream + 1} << 32) | (k.cdp1 ? block : 0);
}

void Nested::block_calls(uint32_t slot, uint32_t block, Ps at, Ps time) {
  const uint32_t i = take(callers_, free_callers_);
  Caller& c = callers_[i];
  c.grid = core_.commands[slot].nested;
  c.block = block;
  c.begin = at;
  c.end = at + time;
  core_.events.push(at, Happening::kNestedCall, i);
}

void Nested::step(uint32_t caller) {
  Caller& c = callers_[caller];
  const NestedGrid& g = grids_[c.grid];
  const KernelDesc& k = kernel(g);
  while (c.call < k.calls.size()) {
    const DeviceCall& d = k.calls[c.call];
    if (c.block >= d.blocks || g.level >= d.levels || d.times == 0 || d.threads == 0) {
      ++c.call;
      continue;
    }
    const Ps from = std::max(c.begin + d.after, d.at_end ? c.end : Ps());
    if (from > core_.now) {
      core_.events.push(from, Happening::kNestedCall, caller);
      return;
    }
    if (d.what == What::kSynchronize) {
      const bool waits =
          level_allowed(caller, g.level + 1, device(g).sync_depth, "synchronises") && c.children > 0;
      ++c.call;
      if (waits) {
        c.synchronizes = true;
        core_.block_leaves(g.slot, c.block);
        return;
      }
      continue;
    }
    c.left = d.threads;
    for (uint32_t t = 0; t < d.threads; ++t) {
      begin_call(caller);
    }
    return;
  }
  c.over = true;
  const uint32_t slot = g.slot, block = c.block;
  if (c.children == 0) {
    free_callers_.push_back(caller);
  }
  core_.calls_returned(slot, block);
}

Ps Nested::call_time(const NestedGrid& g, const DeviceCall& d, uint32_t block) {
  const Params::Dynamic& p = core_.params.dynamic;
  if (d.what != What::kLaunch) {
    return p.event_call;
  }
  if (d.into == Into::kFireAndForget) {
    return p.forget_call;
  }
  if (d.into == Into::kTail) {
    return p.tail_call;
  }
  const bool create = d.into == Into::kStream && g.streams.count(stream_key(d, kernel(g), block)) == 0;
  return p.behind_call + (create ? p.stream_create : Ps());
}

// Calls are taken one after the other; with more of them under way each takes longer.
void Nested::begin_call(uint32_t caller) {
  const Caller& c = callers_[caller];
  const NestedGrid& g = grids_[c.grid];
  const DeviceCall& d = kernel(g).calls[c.call];
  const Params::Dynamic& p = core_.params.dynamic;
  Device& dev = device(g);
  const Ps from = std::max(core_.now, dev.free);
  dev.free = from + (d.into == Into::kFireAndForget ? p.forget_serial : p.stream_serial);
  const Ps crowd = c.call == 0 && c.done == 0 ? p.first_contention : p.contention;
  const double more = in_ps(crowd) * std::log2(1 + dev.under_way);
  ++dev.under_way;
  core_.events.push(from + call_time(g, d, c.block) + Ps(std::llround(more)), Happening::kNestedReturn,
                    caller);
}

bool Nested::stream_busy(const NestedGrid& g, const DeviceCall& d, uint32_t block) const {
  const auto it = g.streams.find(stream_key(d, kernel(g), block));
  return it != g.streams.end() && core_.commands.unfinished(it->second.last);
}

void Nested::returned(uint32_t caller, bool alone) {
  Caller& c = callers_[caller];
  const DeviceCall& d = kernel(grids_[c.grid]).calls[c.call];
  const bool in_stream = d.into == Into::kNullStream || d.into == Into::kStream;
  if (d.what == What::kLaunch && in_stream && !alone && !stream_busy(grids_[c.grid], d, c.block)) {
    // Nobody else will start the child: the call does.
    const Params::Dynamic& p = core_.params.dynamic;
    core_.events.push(core_.now + p.stream_call - std::min(p.stream_call, p.behind_call),
                      Happening::kNestedReturn, caller, 1);
    return;
  }
  --device(grids_[c.grid]).under_way;
  if (d.what == What::kLaunch) {
    launch(caller, d);
  } else {
    event_call(caller, d);
  }
  if (--c.left > 0) {
    return;
  }
  if (++c.done >= d.times) {
    c.done = 0;
    ++c.call;
  }
  step(caller);
}

bool Nested::level_allowed(uint32_t caller, uint32_t level, uint32_t most, const char* what) {
  if (level <= most) {
    return true;
  }
  const Caller& c = callers_[caller];
  fail(grids_[c.grid], c.call, "cudaErrorLaunchMaxDepthExceeded",
       std::string("a grid of level ") + std::to_string(level) + " " + what + "; the limit is " +
           std::to_string(most) + " (DP12)");
  return false;
}

void Nested::launch(uint32_t caller, const DeviceCall& d) {
  Caller& c = callers_[caller];
  NestedGrid& g = grids_[c.grid];
  Device& dev = device(g);
  const Params::Dynamic& p = core_.params.dynamic;
  const KernelDesc& k = kernel(g);
  const KernelDesc& child = core_.program.kernels[d.kernel];
  if (child.parameter_bytes > p.parameter_bytes) {
    fail(g, c.call, "cudaErrorInvalidValue",
         std::to_string(child.parameter_bytes) + " bytes of parameters, limit " +
             std::to_string(p.parameter_bytes) + " (DP14)");
    return;
  }
  if (const auto no = refuse_launch(child, core_.params)) {
    fail(g, c.call, no->error, no->why);
    return;
  }
  if (k.cdp1 && !level_allowed(caller, g.level + 2, kDeepestGrid, "is launched")) {
    return;
  }
  Ps start = core_.now + p.start;
  if (dev.pending >= dev.limit) {
    if (!k.cdp1) {
      fail(g, c.call, "cudaErrorLaunchPendingCountExceeded",
           std::to_string(dev.pending) +
               " launches are pending, cudaLimitDevRuntimePendingLaunchCount (DP11)");
      return;
    }
    start += p.virtual_pool;
    ++virtual_;
  }
  dev.most_pending = std::max(dev.most_pending, ++dev.pending);
  if (d.into == Into::kTail) {
    const uint32_t work = take(tails_, free_tails_);
    tails_[work] = {c.grid, static_cast<uint32_t>(c.call)};
    environments_.add_tail(g.inner, work);
    return;
  }
  const uint32_t slot = add_child(c.grid, d, g.inner, start);
  grids_[core_.commands[slot].nested].caller = caller;
  ++c.children;
  if (d.into == Into::kFireAndForget) {
    return;
  }
  Stream& s = g.streams[stream_key(d, k, c.block)];
  if (core_.commands.unfinished(s.last)) {
    ordering_.depend(slot, s.last, s.mark ? Ps() : p.next);
    ++grids_[g.root].queued;
  }
  s.last = core_.commands.ref(slot);
  s.mark = false;
}

// ---- events

bool Nested::take_events(NestedGrid& g, uint64_t n) {
  Device& d = device(g);
  if (d.events + n + kOwnEvents > uint64_t{2} * d.limit) {
    return false;
  }
  d.events += n;
  g.events_held += n;
  return true;
}

void Nested::mark(const NestedGrid& g, Stream& s, CommandRef other, Ps latency) {
  const uint32_t slot = core_.commands.add();
  const Command& parent = core_.commands[g.slot];
  Command& n = core_.commands[slot];
  n.stream = parent.stream;
  n.device = parent.device;
  n.name = parent.name;
  ordering_.depend(slot, s.last);
  ordering_.depend(slot, other, latency);
  s.last = core_.commands.ref(slot);
  s.mark = true;
  if (core_.commands[slot].unmet == 0) {
    core_.finish(slot);
  }
}

void Nested::event_call(uint32_t caller, const DeviceCall& d) {
  const Caller& c = callers_[caller];
  NestedGrid& g = grids_[c.grid];
  const bool known = d.what != What::kEventCreate && g.events.count(d.event) > 0;
  if (d.what != What::kEventCreate && (d.into == Into::kFireAndForget || d.into == Into::kTail)) {
    fail(g, c.call, "cudaErrorInvalidValue", "not with events (DP05, DP06)");
    return;
  }
  if (!known && !take_events(g, 1)) {
    fail(g, c.call, "cudaErrorMemoryAllocation",
         "twice cudaLimitDevRuntimePendingLaunchCount of events, less what the driver needs (DP07)");
    return;
  }
  if (d.what == What::kEventCreate) {
    return;
  }
  Stream& s = g.streams[stream_key(d, kernel(g), c.block)];
  if (d.what == What::kEventRecord) {
    mark(g, s, {}, Ps());
    g.events[d.event] = s.last;
  } else {
    const CommandRef event = g.events[d.event];
    mark(g, s, event, core_.params.dynamic.event_wait);
  }
}

}  // namespace heddle::host
