// What happens for the first time and takes longer for it: the process's calls, a module's and a kernel's
// launch (LZ02). Source of the rules: traces/h200/hostfirst_seen.csv, tools/microbench/FINDINGS.md 66.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "sim/host/core/core.h"
#include "sim/host/program/call_type.h"

namespace heddle::host {

class FirstTimes {
 public:
  explicit FirstTimes(const Core& core) : core_(core), devices_(core.program.devices) {}

  // Of a call on the device: the process's start, the context, the call itself, where the process is new.
  Ps of_call(const CallType& type, uint32_t device) const;
  void called(const CallType& type, uint32_t device);

  // Of a call that names the kernel: its load, before it its module's, before that what all need.
  Ps of_kernel(uint32_t kernel, uint32_t device) const;
  // Whether the call is the first to name it. Loading needs the context, which may have to wait for
  // everything that the device does (LZ04).
  bool loads(uint32_t kernel, uint32_t device);

 private:
  struct Device {
    bool context = false, printed = false, allocated = false;
    std::set<uint32_t> modules;
    std::vector<bool> kernels;
  };
  uint32_t code_of(uint32_t kernel) const {
    const uint32_t v = core_.program.kernels[kernel].variant_of;
    return v == kNone ? kernel : v;
  }
  bool counts(const CallType& type) const { return core_.rules.new_process && type.runs_driver(); }
  Ps of_module(const CodeDesc& code) const;

  const Core& core_;
  std::set<const CallType*> calls_;
  std::vector<Device> devices_;
};

}  // namespace heddle::host
