// What the tests of dynamic parallelism share.
#pragma once

#include <string>
#include <vector>

#include "frontends/workload/device_builder.h"
#include "frontends/workload/graph_builder.h"
#include "sim/base/error.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest::nested {

using namespace workload;  // the builder's functions
using Into = host::DeviceCall::Into;
using Strings = std::vector<std::string>;
inline constexpr auto kForget = Into::kFireAndForget;
inline constexpr auto kTail = Into::kTail;

struct Program {
  Builder w;
  Stream s = w.stream("s", true);
  Thread& main = w.thread("main");
  spec::GpuConfig gpu = plain_gpu();
  host::Rules rules;

  spec::DynamicParallelism& costs() { return *gpu.mutable_host()->mutable_dynamic(); }
  Kernel kernel(const std::string& name, double us = 10) { return w.kernel_us(name, us); }
  Kernel cdp1(const std::string& name, double us = 10) {
    const Kernel k = kernel(name, us);
    compile_for_cdp1(w, k);
    return k;
  }
  void older() { gpu.mutable_limits()->set_compute_capability(80); }
  host::Result run() { return host::run(w.program(), gpu, {rules, true}); }
};

inline Times at(const host::Result& r, const std::string& name, size_t index = 0) {
  return in_stream(r, "s", name, index);
}
inline Strings device_errors(const host::Result& r) {
  Strings out;
  for (const host::DeviceError& e : r.device_errors) {
    out.push_back(e.call + ": " + e.error + " x " + std::to_string(e.times));
  }
  return out;
}
inline uint64_t counter(const host::Result& r, const std::string& name) {
  for (const host::RunCounter& c : r.counters) {
    if (c.name == name) {
      return c.value;
    }
  }
  return 0;
}

}  // namespace heddle::hosttest::nested
