#include "sim/host/check_calls.h"

#include <functional>

#include "sim/engine/error.h"

namespace heddle::host {
namespace {

using What = DeviceCall::What;
using Into = DeviceCall::Into;

void check_call(const Program& p, const KernelDesc& k, const DeviceCall& c, const std::string& where) {
  if (c.into == Into::kStream && c.stream >= k.device_streams.size()) {
    throw Error(where + "the grid has no stream " + std::to_string(c.stream));
  }
  if ((c.what == What::kEventRecord || c.what == What::kStreamWaitEvent) &&
      c.event >= k.device_events.size()) {
    throw Error(where + "the grid has no event " + std::to_string(c.event));
  }
  if (c.what == What::kSynchronize && !k.cdp1) {
    throw Error(where +
                "cudaDeviceSynchronize in a kernel: only code for CDP1 has it (DP08); what comes after "
                "the children is a tail launch");
  }
  if (k.cdp1 && (c.into == Into::kFireAndForget || c.into == Into::kTail)) {
    throw Error(where + "CDP1 has no fire-and-forget and no tail launches");
  }
  if (c.what != What::kLaunch) {
    return;
  }
  if (c.kernel >= p.kernels.size()) {
    throw Error(where + "no kernel " + std::to_string(c.kernel));
  }
  const KernelDesc& child = p.kernels[c.kernel];
  if (child.cooperative || child.grid_barrier || !child.launches.empty()) {
    throw Error(where + child.name + " cannot be launched by a kernel: cooperative, or launches graphs");
  }
}

}  // namespace

void check_calls(const Program& p) {
  for (const KernelDesc& k : p.kernels) {
    for (size_t i = 0; i < k.calls.size(); ++i) {
      check_call(p, k, k.calls[i], "kernel " + k.name + ", call " + std::to_string(i + 1) + ": ");
    }
    if (!k.calls.empty() && (k.wait_after != kNever || k.grid_barrier)) {
      throw Error(
          "kernel " + k.name +
          ": its blocks make calls, and wait at their grid dependency or at a barrier of the grid: not "
          "modelled together");
    }
    for (const Access& a : k.accesses) {
      const bool placed = a.after_call > 0 || a.before_call != UINT32_MAX || a.by_caller;
      if (placed && (a.after_call > k.calls.size() || a.before_call < a.after_call)) {
        throw Error("kernel " + k.name + ": an access after call " + std::to_string(a.after_call) + " of " +
                    std::to_string(k.calls.size()));
      }
    }
  }
  // Kernels that launch each other for ever: only `levels` ends that.
  enum class State : uint8_t { kNew, kOpen, kDone };
  std::vector<State> state(p.kernels.size(), State::kNew);
  const std::function<void(uint32_t)> visit = [&](uint32_t i) {
    state[i] = State::kOpen;
    for (const DeviceCall& c : p.kernels[i].calls) {
      if (c.what != What::kLaunch || c.levels != UINT32_MAX) {
        continue;
      }
      if (state[c.kernel] == State::kOpen) {
        throw Error("kernel " + p.kernels[i].name + " launches " + p.kernels[c.kernel].name +
                    ", which launches it, without an end: `levels` says how deep");
      }
      if (state[c.kernel] == State::kNew) {
        visit(c.kernel);
      }
    }
    state[i] = State::kDone;
  };
  for (uint32_t i = 0; i < p.kernels.size(); ++i) {
    if (state[i] == State::kNew) {
      visit(i);
    }
  }
}

}  // namespace heddle::host
