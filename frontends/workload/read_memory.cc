#include "frontends/workload/read_memory.h"

namespace heddle::workload {

host::Access read_access(const proto::Access& a, const MemoryNames& names) {
  const Buffer b = names.buffer(a.buffer());
  if (a.element_bytes() == 0) {
    names.refuse("element_bytes: at least 1");
  }
  using Mode = proto::Access;
  host::Access out = a.mode() == Mode::READ         ? reads(b, a.offset(), a.bytes())
                     : a.mode() == Mode::WRITE      ? writes(b, a.offset(), a.bytes())
                     : a.mode() == Mode::READ_WRITE ? updates(b, a.offset(), a.bytes())
                                                    : atomics(b, a.offset(), a.bytes());
  out.element = a.element_bytes();
  out.stride = a.stride_bytes();
  out.alias_fence = a.alias_fence();
  out.after_call = a.after_call();
  out.before_call = a.has_before_call() ? a.before_call() : UINT32_MAX;
  out.by_caller = a.by_caller();
  return out;
}

Window read_window(const proto::AccessWindow& w, const MemoryNames& names) {
  const auto property = [](proto::AccessWindow::Property p) {
    return p == proto::AccessWindow::NORMAL      ? memory::AccessProperty::kNormal
           : p == proto::AccessWindow::STREAMING ? memory::AccessProperty::kStreaming
                                                 : memory::AccessProperty::kPersisting;
  };
  host::WindowDesc d;
  d.buffer = names.buffer(w.buffer()).id;
  d.offset = w.offset();
  d.bytes = w.bytes();
  d.hit_ratio = w.hit_ratio();
  d.hit = property(w.hit());
  d.miss = property(w.miss());
  return names.window(d);
}

namespace {

struct LimitValue {
  host::Limit what;
  uint64_t value;
};
LimitValue limit_of(const proto::DeviceLimit& l, const MemoryNames& names) {
  using What = proto::DeviceLimit::WhatCase;
  switch (l.what_case()) {
    case What::kDevRuntimePendingLaunchCount:
      return {host::Limit::kPendingLaunches, l.dev_runtime_pending_launch_count()};
    case What::kDevRuntimeSyncDepth:
      return {host::Limit::kSyncDepth, l.dev_runtime_sync_depth()};
    case What::WHAT_NOT_SET:
      names.refuse(
          "a device limit: persisting_l2_bytes, dev_runtime_pending_launch_count or dev_runtime_sync_depth");
      break;
    case What::kPersistingL2Bytes:
      break;
  }
  return {host::Limit::kPersistingL2, l.persisting_l2_bytes()};
}

void set_attribute(Thread& t, const proto::PoolAttribute& a, const MemoryNames& names) {
  const Pool pool = names.pool(a.pool());
  using What = proto::PoolAttribute::WhatCase;
  switch (a.what_case()) {
    case What::WHAT_NOT_SET:
      names.refuse(
          "pool_set_attribute: one of release_threshold, follow_event_dependencies, "
          "allow_opportunistic, allow_internal_dependencies");
      break;
    case What::kReleaseThreshold:
      t.memPoolSetAttribute(pool, host::PoolAttribute::kReleaseThreshold, a.release_threshold());
      break;
    case What::kFollowEventDependencies:
      t.memPoolSetAttribute(pool, host::PoolAttribute::kFollowEvents, a.follow_event_dependencies());
      break;
    case What::kAllowOpportunistic:
      t.memPoolSetAttribute(pool, host::PoolAttribute::kOpportunistic, a.allow_opportunistic());
      break;
    case What::kAllowInternalDependencies:
      t.memPoolSetAttribute(pool, host::PoolAttribute::kInternalDependencies,
                            a.allow_internal_dependencies());
      break;
  }
}

}  // namespace

bool read_memory_call(Thread& t, const proto::Call& c, const MemoryNames& names) {
  using What = proto::Call::WhatCase;
  switch (c.what_case()) {
    case What::kMallocBuffer:
      t.malloc(names.buffer(c.malloc_buffer()));
      return true;
    case What::kFreeBuffer:
      t.free(names.buffer(c.free_buffer()));
      return true;
    case What::kPoolSetAttribute:
      set_attribute(t, c.pool_set_attribute(), names);
      return true;
    case What::kHostAccess:
      t.hostAccess(read_accesses(c.host_access().access(), names));
      return true;
    case What::kDeviceSetLimit: {
      const LimitValue l = limit_of(c.device_set_limit(), names);
      t.deviceSetLimit(l.what, l.value);
      return true;
    }
    case What::kDeviceGetLimit:
      t.deviceGetLimit(limit_of(c.device_get_limit(), names).what);
      return true;
    case What::kStreamSetAccessPolicyWindow: {
      const proto::StreamWindow& s = c.stream_set_access_policy_window();
      t.streamSetAccessPolicyWindow(names.stream(s.has_stream(), s.stream()),
                                    s.has_window() ? read_window(s.window(), names) : Window{});
      return true;
    }
    default:
      return false;
  }
}

}  // namespace heddle::workload
