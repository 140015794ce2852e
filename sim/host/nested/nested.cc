#include "sim/host/nested/nested.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/host/memory/allocations.h"

namespace heddle::host {
namespace {

bool synchronizes(const KernelDesc& k) {
  return std::any_of(k.calls.begin(), k.calls.end(),
                     [](const DeviceCall& c) { return c.what == DeviceCall::What::kSynchronize; });
}

}  // namespace

std::optional<Refusal> refuse_device_code(const Program& p, uint32_t kernel, const Params& n) {
  std::vector<bool> seen(p.kernels.size(), false);
  std::vector<uint32_t> left = {kernel};
  while (!left.empty()) {
    const uint32_t i = left.back();
    left.pop_back();
    const KernelDesc& k = p.kernels[i];
    if (seen[i] || k.calls.empty()) {
      continue;
    }
    seen[i] = true;
    if (k.cdp1 && n.compute_capability >= 90) {
      return Refusal{"cudaErrorCdpNotSupported",
                     k.name + " is compiled for CDP1, which ends with compute capability 9.0 (DP08)"};
    }
    for (const DeviceCall& c : k.calls) {
      if (c.what != DeviceCall::What::kLaunch) {
        continue;
      }
      const KernelDesc& child = p.kernels[c.kernel];
      if (!child.calls.empty() && child.cdp1 != k.cdp1) {
        return Refusal{"cudaErrorCdpVersionMismatch",
                       k.name + " and " + child.name + " are compiled for different versions (DP16)"};
      }
      left.push_back(c.kernel);
    }
  }
  return std::nullopt;
}

Nested::Nested(Core& core, Ordering& ordering, Allocations& memory)
    : core_(core), ordering_(ordering), memory_(memory), devices_(core.program.devices) {
  const bool cdp1 = std::any_of(core.program.kernels.begin(), core.program.kernels.end(),
                                [](const KernelDesc& k) { return k.cdp1 && synchronizes(k); });
  for (uint32_t d = 0; d < devices_.size(); ++d) {
    devices_[d].limit = core.params.dynamic.pending_launches;
    if (cdp1 && core.params.compute_capability < 90) {
      set_limit(d, Limit::kSyncDepth, core.params.dynamic.sync_depth);
    }
  }
  grow();
}

void Nested::grow() {
  while (name_.size() < core_.program.kernels.size()) {
    name_.push_back(core_.recorder.name(core_.program.kernels[name_.size()].name));
  }
}

std::optional<Refusal> Nested::set_limit(uint32_t device, Limit what, uint64_t value) {
  Device& d = devices_[device];
  const Params::Dynamic& p = core_.params.dynamic;
  if (what == Limit::kPendingLaunches) {
    d.limit = static_cast<uint32_t>(std::clamp<uint64_t>(value, p.least_pending, UINT32_MAX));
    return std::nullopt;
  }
  if (core_.params.compute_capability >= 90) {
    return Refusal{"cudaErrorUnsupportedLimit", "there is no synchronisation in kernels (DP08)"};
  }
  if (value > kDeepestGrid) {
    return Refusal{"cudaErrorInvalidValue", "grids nest 24 deep at most (DP12)"};
  }
  // The state of blocks that wait, for each level.
  memory_.device(device).give(d.sync_depth * p.sync_level_bytes);
  const bool fits = memory_.device(device).take(value * p.sync_level_bytes);
  if (!fits) {
    memory_.device(device).take(d.sync_depth * p.sync_level_bytes);
    return Refusal{"cudaErrorMemoryAllocation", "no memory for the state of waiting blocks (DP12)"};
  }
  d.sync_depth = static_cast<uint32_t>(value);
  return std::nullopt;
}

uint64_t Nested::limit(uint32_t device, Limit what) const {
  return what == Limit::kPendingLaunches ? devices_[device].limit : devices_[device].sync_depth;
}

// ---- grids

uint32_t Nested::add_grid(uint32_t slot, uint32_t parent) {
  const uint32_t i = take(grids_, free_grids_);
  NestedGrid& g = grids_[i];
  g.slot = slot;
  g.parent = parent;
  g.root = parent == kNone ? i : grids_[parent].root;
  g.level = parent == kNone ? 0 : grids_[parent].level + 1;
  core_.commands[slot].nested = i;
  if (!kernel(g).calls.empty()) {
    const uint32_t outer = environments_.open(kNone);
    g.inner = environments_.open(outer);
    grid_of_.resize(std::max<size_t>(grid_of_.size(), g.inner + 1), kNone);
    grid_of_.resize(std::max<size_t>(grid_of_.size(), outer + 1), kNone);
    grid_of_[outer] = i;
    environments_.ended(outer);  // it has no work of its own
  }
  return i;
}

void Nested::begins(uint32_t slot) {
  if (core_.commands[slot].nested == kNone) {
    add_grid(slot, kNone);
  }
}

bool Nested::may_finish(uint32_t slot) {
  NestedGrid& g = grids_[core_.commands[slot].nested];
  if (g.complete || g.inner == kNone) {
    return true;
  }
  if (g.ended_at == kNever) {
    g.ended_at = core_.now;
    for (const uint32_t start : std::exchange(g.deferred, {})) {
      core_.events.push(core_.now, Happening::kFinish, start);
    }
    environments_.ended(g.inner);
  }
  return false;
}

// Everything below a grid, and its tails, has ended: the grid is finished.
void Nested::complete(uint32_t environment) {
  if (environment >= grid_of_.size() || grid_of_[environment] == kNone) {
    return;
  }
  NestedGrid& g = grids_[std::exchange(grid_of_[environment], kNone)];
  g.complete = true;
  const Params::Dynamic& p = core_.params.dynamic;
  const bool later = g.parent == kNone && core_.now > g.ended_at;
  core_.events.push(core_.now + (later ? p.finish + g.queued * p.cleanup : Ps()), Happening::kFinish, g.slot);
}

bool Nested::failed(uint32_t slot, bool itself) {
  const NestedGrid& g = grids_[core_.commands[slot].nested];
  grids_[g.root].failed |= itself;
  return g.parent == kNone && g.failed;
}

void Nested::finished(uint32_t slot) {
  const uint32_t i = core_.commands[slot].nested;
  NestedGrid& g = grids_[i];
  Device& d = device(g);
  d.events -= g.events_held;
  const uint32_t hold = g.hold, caller = g.caller;
  const bool is_child = g.parent != kNone, is_tail = g.is_tail;
  free_grids_.push_back(i);
  if (!is_child) {
    return;
  }
  --d.pending;
  if (caller != kNone) {
    Caller& c = callers_[caller];
    if (--c.children == 0) {
      if (c.over) {
        free_callers_.push_back(caller);
      } else if (std::exchange(c.synchronizes, false)) {
        core_.events.push(core_.now + core_.params.dynamic.join, Happening::kNestedCall, caller);
      }
    }
  }
  if (is_tail && environments_.more_tails(environments_.parent(hold))) {
    joined(hold);
  } else {
    core_.events.push(core_.now + core_.params.dynamic.join, Happening::kNestedJoin, hold);
  }
}

uint32_t Nested::add_child(uint32_t grid, const DeviceCall& c, uint32_t environment, Ps start) {
  const NestedGrid& g = grids_[grid];
  const uint32_t slot = core_.commands.add(), begin = core_.commands.add();
  const Command& parent = core_.commands[g.slot];
  if (g.ended_at == kNever) {
    core_.spent(StepKind::kKernel, parent.name, kNoTrack);
  }
  for (const uint32_t s : {slot, begin}) {
    Command& n = core_.commands[s];
    n.stream = parent.stream;
    n.device = parent.device;
    n.name = name_[c.kernel];
    n.correlation = parent.correlation;
  }
  Command& child = core_.commands[slot];
  child.work = Work::kKernel;
  child.is_child = true;
  child.object = c.kernel;
  child.priority = parent.priority;  // DP15
  ordering_.depend(slot, core_.commands.ref(begin));
  grids_[add_grid(slot, grid)].hold = environments_.open(environment);
  ++launches_;
  if (core_.rules.lazy_children && g.ended_at == kNever) {
    grids_[grid].deferred.push_back(begin);
  } else {
    core_.events.push(start, Happening::kFinish, begin);
  }
  return slot;
}

void Nested::run_tail(uint32_t work, uint32_t environment) {
  const Tail t = tails_[work];
  free_tails_.push_back(work);
  const Params::Dynamic& p = core_.params.dynamic;
  NestedGrid& g = grids_[t.grid];
  if (g.tails_run++ > 0) {
    ++grids_[g.root].queued;
  }
  const Ps start = core_.now + (g.tails_run > 1 ? p.next : p.tail_start);
  const uint32_t slot = add_child(t.grid, kernel(g).calls[t.call], environment, start);
  grids_[core_.commands[slot].nested].is_tail = true;
  environments_.ended(environment);  // which has no work but the tail
}

// ---- errors

void Nested::fail(const NestedGrid& g, size_t call, const std::string& error, const std::string& why) {
  const KernelDesc& k = kernel(g);
  const uint32_t number = core_.commands[g.slot].object;
  const auto [it, first] = error_of_.try_emplace({number, call, error}, errors_.size());
  if (!first) {
    ++errors_[it->second].times;
    return;
  }
  const DeviceCall& c = k.calls[call];
  using What = DeviceCall::What;
  using Into = DeviceCall::Into;
  const std::string into = c.into == Into::kFireAndForget ? "cudaStreamFireAndForget"
                           : c.into == Into::kTail        ? "cudaStreamTailLaunch"
                           : c.into == Into::kStream      ? k.device_streams[c.stream]
                                                          : "NULL";
  const std::string event = c.event < k.device_events.size() ? k.device_events[c.event] : "";
  const std::string text =
      c.what == What::kLaunch            ? core_.program.kernels[c.kernel].name + "<<<" + into + ">>>"
      : c.what == What::kEventCreate     ? "cudaEventCreateWithFlags"
      : c.what == What::kEventRecord     ? "cudaEventRecord(" + event + ", " + into + ")"
      : c.what == What::kStreamWaitEvent ? "cudaStreamWaitEvent(" + into + ", " + event + ")"
                                         : "cudaDeviceSynchronize";
  errors_.push_back({k.name + ": " + text, error, why, 1});
}

void Nested::count(Result& result) const {
  result.device_errors.insert(result.device_errors.end(), errors_.begin(), errors_.end());
  if (launches_ == 0) {
    return;
  }
  result.counters.push_back({"kernels launched by kernels", launches_});
  for (uint32_t d = 0; d < devices_.size(); ++d) {
    result.counters.push_back(
        {"device " + std::to_string(d) + " most pending device launches", devices_[d].most_pending});
  }
  if (virtual_ > 0) {
    result.counters.push_back({"device launches beyond the fixed pool (DP11)", virtual_});
  }
}

}  // namespace heddle::host
