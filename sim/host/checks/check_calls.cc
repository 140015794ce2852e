#include "sim/host/checks/check_calls.h"

#include <vector>

#include "sim/host/program/program_error.h"

namespace heddle::host {
namespace {

using What = DeviceCall::What;
using Into = DeviceCall::Into;

void check_call(const Program& p, const KernelDesc& k, const DeviceCall& c, const std::string& where) {
  if (c.into == Into::kStream && c.stream >= k.device_streams.size()) {
    throw ProgramError(k.line, where + "the grid has no stream " + std::to_string(c.stream));
  }
  if ((c.what == What::kEventRecord || c.what == What::kStreamWaitEvent) &&
      c.event >= k.device_events.size()) {
    throw ProgramError(k.line, where + "the grid has no event " + std::to_string(c.event));
  }
  if (c.what == What::kSynchronize && !k.cdp1) {
    throw ProgramError(
        k.line, where +
                    "cudaDeviceSynchronize in a kernel: only code for CDP1 has it (DP08); what comes after "
                    "the children is a tail launch");
  }
  if (k.cdp1 && (c.into == Into::kFireAndForget || c.into == Into::kTail)) {
    throw ProgramError(k.line, where + "CDP1 has no fire-and-forget and no tail launches");
  }
  if (c.what != What::kLaunch) {
    return;
  }
  if (c.kernel >= p.kernels.size()) {
    throw ProgramError(k.line, where + "no kernel " + std::to_string(c.kernel));
  }
  const KernelDesc& child = p.kernels[c.kernel];
  if (child.cooperative || child.grid_barrier || !child.launches.empty()) {
    throw ProgramError(
        k.line, where + child.name + " cannot be launched by a kernel: cooperative, or launches graphs");
  }
}

}  // namespace

void check_calls(const Program& p) {
  for (const KernelDesc& k : p.kernels) {
    for (size_t i = 0; i < k.calls.size(); ++i) {
      check_call(p, k, k.calls[i], "kernel " + k.name + ", call " + std::to_string(i + 1) + ": ");
    }
    if (!k.calls.empty() && (k.wait_after != kNever || k.grid_barrier)) {
      throw ProgramError(
          k.line,
          "kernel " + k.name +
              ": its blocks make calls, and wait at their grid dependency or at a barrier of the grid: not "
              "modelled together");
    }
    for (const Access& a : k.accesses) {
      const bool placed = a.after_call > 0 || a.before_call != UINT32_MAX || a.by_caller;
      if (placed && (a.after_call > k.calls.size() || a.before_call < a.after_call)) {
        throw ProgramError(k.line, "kernel " + k.name + ": an access after call " +
                                       std::to_string(a.after_call) + " of " +
                                       std::to_string(k.calls.size()));
      }
    }
  }
  // Kernels that launch each other for ever: only `levels` ends that.
  enum class State : uint8_t { kNew, kOpen, kDone };
  std::vector<State> state(p.kernels.size(), State::kNew);
  struct At {
    uint32_t kernel;
    size_t call;  // to be looked at next
  };
  std::vector<At> open;
  for (uint32_t i = 0; i < p.kernels.size(); ++i) {
    if (state[i] == State::kNew) {
      state[i] = State::kOpen;
      open.push_back({i, 0});
    }
    while (!open.empty()) {
      const KernelDesc& k = p.kernels[open.back().kernel];
      if (open.back().call == k.calls.size()) {
        state[open.back().kernel] = State::kDone;
        open.pop_back();
        continue;
      }
      const DeviceCall& c = k.calls[open.back().call++];
      if (c.what != What::kLaunch || c.levels != UINT32_MAX) {
        continue;
      }
      if (state[c.kernel] == State::kOpen) {
        throw ProgramError(k.line, "kernel " + k.name + " launches " + p.kernels[c.kernel].name +
                                       ", which launches it, without an end: `levels` says how deep");
      }
      if (state[c.kernel] == State::kNew) {
        state[c.kernel] = State::kOpen;
        open.push_back({c.kernel, 0});
      }
    }
  }
}

}  // namespace heddle::host
