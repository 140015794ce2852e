// What kernels of a workload file call themselves (dynamic parallelism).
#include "frontends/workload/device_builder.h"
#include "frontends/workload/read_kernel.h"

namespace heddle::workload {
namespace {

void read_calls(const proto::Kernel& k, Builder& w, Kernel id, const Names& names) {
  using Into = host::DeviceCall::Into;
  using What = proto::DeviceCall::WhatCase;
  if (k.cdp1()) {
    compile_for_cdp1(w, id);
  }
  for (const proto::DeviceCall& c : k.device_call()) {
    if (!(c.after_us() >= 0 && c.after_us() <= 1e9)) {
      names.refuse("kernel \"" + k.name() + "\": times are from 0 to 1e9 microseconds");
    }
    if (c.has_into() && c.has_stream()) {
      names.refuse("kernel \"" + k.name() + "\", device_call: one of `into` and `stream`");
    }
    Caller by;
    by.after_us = c.after_us();
    by.at_end = c.at_end();
    by.blocks = c.all_blocks() ? kAllBlocks : c.blocks();
    by.threads = c.threads();
    by.times = c.times();
    if (c.has_levels()) {
      by.levels = c.levels();
    }
    by.barrier = c.barrier();
    const Into into = c.into() == proto::DeviceCall::FIRE_AND_FORGET ? Into::kFireAndForget
                      : c.into() == proto::DeviceCall::TAIL          ? Into::kTail
                                                                     : Into::kNullStream;
    switch (c.what_case()) {
      case What::kLaunch:
        device_launch(w, id,
                      {.child = names.kernel(c.launch()),
                       .into = into,
                       .stream = c.stream(),
                       .by = by,
                       .passes_local = c.passes_local(),
                       .passes_shared = c.passes_shared()});
        break;
      case What::kEventCreate:
        device_event_create(w, id, c.event_create(), by);
        break;
      case What::kEventRecord:
        device_event_record(w, id, c.event_record(), c.stream(), by);
        break;
      case What::kStreamWaitEvent:
        device_stream_wait_event(w, id, c.stream(), c.stream_wait_event(), by);
        break;
      case What::kDeviceSynchronize:
        device_synchronize(w, id, by);
        break;
      case What::WHAT_NOT_SET:
        names.refuse("kernel \"" + k.name() +
                     "\", device_call: one of launch, event_create, event_record, stream_wait_event, "
                     "device_synchronize");
        break;
    }
    host::DeviceCall& made = w.program().kernels[id.id].calls.back();
    if (c.what_case() != What::kLaunch && into != Into::kNullStream) {
      made.into = into;
    }
  }
}

}  // namespace

void read_device_calls(const proto::Workload& all, Builder& w, const Names& names,
                       const std::function<void(int)>& at) {
  for (int i = 0; i < all.kernel_size(); ++i) {
    at(i);
    if (all.kernel(i).device_call_size() > 0) {
      read_calls(all.kernel(i), w, names.kernel(all.kernel(i).name()), names);
    }
  }
}

}  // namespace heddle::workload
