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

}  // namespace heddle::workload
