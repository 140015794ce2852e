#include "frontends/workload/device_builder.h"

#include <algorithm>

namespace heddle::workload {
namespace {

using What = host::DeviceCall::What;
using Into = host::DeviceCall::Into;

uint32_t number_of(std::vector<std::string>& names, const std::string& name) {
  const auto it = std::find(names.begin(), names.end(), name);
  if (it != names.end()) {
    return static_cast<uint32_t>(it - names.begin());
  }
  names.push_back(name);
  return static_cast<uint32_t>(names.size() - 1);
}

host::DeviceCall& add(Builder& w, Kernel k, What what, const std::string& stream, const Caller& by) {
  host::KernelDesc& d = w.program().kernels[k.id];
  host::DeviceCall c;
  c.what = what;
  if (!stream.empty()) {
    c.into = Into::kStream;
    c.stream = number_of(d.device_streams, stream);
  }
  c.after = host::from_us(by.after_us);
  c.at_end = by.at_end;
  c.blocks = by.blocks;
  c.threads = by.threads;
  c.times = by.times;
  c.levels = by.levels.value_or(UINT32_MAX);
  c.barrier = by.barrier;
  d.calls.push_back(c);
  return d.calls.back();
}

}  // namespace

void device_launch(Builder& w, Kernel k, const ChildLaunch& what) {
  host::DeviceCall& c = add(w, k, What::kLaunch, what.stream, what.by);
  if (what.stream.empty()) {
    c.into = what.into;
  }
  c.kernel = what.child.id;
  c.passes_local = what.passes_local;
  c.passes_shared = what.passes_shared;
}

void device_event_create(Builder& w, Kernel k, uint32_t events, const Caller& by) {
  add(w, k, What::kEventCreate, {}, by).times = events;
}

void device_event_record(Builder& w, Kernel k, const std::string& event, const std::string& stream,
                         const Caller& by) {
  const uint32_t e = number_of(w.program().kernels[k.id].device_events, event);
  add(w, k, What::kEventRecord, stream, by).event = e;
}

void device_stream_wait_event(Builder& w, Kernel k, const std::string& stream, const std::string& event,
                              const Caller& by) {
  const uint32_t e = number_of(w.program().kernels[k.id].device_events, event);
  add(w, k, What::kStreamWaitEvent, stream, by).event = e;
}

void device_synchronize(Builder& w, Kernel k, const Caller& by) { add(w, k, What::kSynchronize, {}, by); }

void compile_for_cdp1(Builder& w, Kernel k) { w.program().kernels[k.id].cdp1 = true; }

host::Access between_calls(host::Access a, uint32_t after, uint32_t before, bool by_caller) {
  a.after_call = after;
  a.before_call = before;
  a.by_caller = by_caller;
  return a;
}

}  // namespace heddle::workload
