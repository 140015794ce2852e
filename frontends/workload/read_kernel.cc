#include "frontends/workload/read_kernel.h"

namespace heddle::workload {

host::KernelDesc read_kernel(const proto::Kernel& k, const Names& names, const MemoryNames& memory) {
  host::KernelDesc d;
  d.name = k.name();
  const auto dim = [](const proto::Dim& v) { return host::Extent{v.x(), v.y(), v.z()}; };
  d.has_grid = k.has_grid() || k.has_block();
  d.grid = dim(k.grid());
  d.block = dim(k.block());
  d.cluster = dim(k.cluster());
  d.registers = k.registers();
  d.static_shared_bytes = k.static_shared_bytes();
  d.dynamic_shared_bytes = k.dynamic_shared_bytes();
  d.max_threads = k.max_threads();
  d.cooperative = k.cooperative();
  d.non_portable_cluster = k.non_portable_cluster();
  d.needs_cluster = k.needs_cluster();
  d.max_cluster_blocks = k.max_cluster_blocks();
  d.parameter_bytes = k.parameter_bytes();
  if (k.carveout_percent() > 100) {
    names.refuse("kernel \"" + k.name() + "\": carveout_percent: 0 to 100");
  }
  d.carveout_percent = k.has_carveout_percent() ? static_cast<int32_t>(k.carveout_percent()) : -1;
  d.fails = k.fails();
  d.asserts = k.asserts();
  d.polls_plainly = k.polls_plainly();
  d.grid_barrier = k.grid_barrier();
  d.accesses = read_accesses(k.access(), memory);
  const int times = k.has_us() + k.has_block_us() + k.has_trace() + k.has_module();
  if (times > 1) {
    names.refuse("kernel \"" + k.name() + "\": one of `us`, `block_us`, `trace` and `module`");
  }
  if (k.has_grid() && !k.has_block()) {
    names.refuse("kernel \"" + k.name() + "\": a grid needs a `block`: the threads of each of its blocks");
  }
  if (k.has_trace() && (k.has_grid() || k.has_block())) {
    names.refuse("kernel \"" + k.name() + "\": `grid` and `block` are what the trace says");
  }
  const bool ends_otherwise = k.has_until_flag() || k.fails() || k.asserts();
  if (times == 0 && !ends_otherwise) {
    names.refuse("kernel \"" + k.name() + "\" needs its time: one of `us`, `block_us`, `trace` and `module`");
  }
  for (const double v : {k.us(), k.block_us(), k.trigger_us(), k.wait_us()}) {
    if (!(v >= 0 && v <= 1e9)) {
      names.refuse("kernel \"" + k.name() + "\": times are from 0 to 1e9 microseconds");
    }
  }
  d.duration = host::from_us(k.us());
  d.block_duration = host::from_us(k.block_us());
  d.trigger_after = k.has_trigger_us() ? host::from_us(k.trigger_us()) : host::kNever;
  d.wait_after = k.has_wait_us() ? host::from_us(k.wait_us()) : host::kNever;
  if (k.has_until_flag()) {
    d.until_flag = names.flag(k.until_flag()).id;
  }
  if (k.has_sets_flag()) {
    d.sets_flag = names.flag(k.sets_flag()).id;
  }
  if (k.has_sets_handle()) {
    d.sets_handle = names.handle(k.sets_handle()).id;
    d.handle_values.assign(k.handle_value().begin(), k.handle_value().end());
    if (d.handle_values.empty()) {
      names.refuse("kernel \"" + k.name() + "\": `sets_handle` needs a handle_value");
    }
  } else if (k.handle_value_size() > 0) {
    names.refuse("kernel \"" + k.name() + "\": `handle_value` is of the handle that `sets_handle` names");
  }
  return d;
}

std::optional<host::KernelDesc> kernel_of_launch(const host::KernelDesc& k, const proto::Launch& l,
                                                 const Names& names) {
  if (!l.has_grid() && !l.has_block() && !l.has_us() && !l.has_block_us() && !l.has_dynamic_shared_bytes() &&
      l.cooperative() <= k.cooperative) {
    return std::nullopt;
  }
  const std::string launch = "launch of kernel \"" + k.name + "\": ";
  if (l.has_us() && l.has_block_us()) {
    names.refuse(launch + "one of `us` and `block_us`");
  }
  if (l.has_grid() && !l.has_block() && !k.has_grid) {
    names.refuse(launch + "a grid needs a `block`: the threads of each of its blocks");
  }
  for (const double v : {l.us(), l.block_us()}) {
    if (!(v >= 0 && v <= 1e9)) {
      names.refuse(launch + "times are from 0 to 1e9 microseconds");
    }
  }
  const auto dim = [](const proto::Dim& v) { return host::Extent{v.x(), v.y(), v.z()}; };
  host::KernelDesc d = k;
  d.has_grid = k.has_grid || l.has_grid() || l.has_block();
  d.grid = l.has_grid() ? dim(l.grid()) : d.grid;
  d.block = l.has_block() ? dim(l.block()) : d.block;
  if (l.has_us() || l.has_block_us()) {
    d.duration = host::from_us(l.us());
    d.block_duration = host::from_us(l.block_us());
  }
  d.dynamic_shared_bytes = l.has_dynamic_shared_bytes() ? l.dynamic_shared_bytes() : d.dynamic_shared_bytes;
  d.cooperative = k.cooperative || l.cooperative();
  return d;
}

std::string key_of_launch(const proto::Launch& l) {
  proto::Launch key = l;
  key.clear_stream();
  key.clear_priority();
  key.clear_programmatic();
  key.clear_programmatic_event();
  key.clear_trigger_at_block_start();
  key.clear_cluster();
  key.clear_window();
  key.clear_sync_domain();
  key.clear_access();
  return key.SerializeAsString();
}

modules::LaunchDescription read_module(const proto::Kernel& k, const Names& names,
                                       const std::filesystem::path& folder) {
  const proto::Module& m = k.module();
  const std::string kernel = "kernel \"" + k.name() + "\": ";
  if (m.file().empty() || m.kernel().empty()) {
    names.refuse(kernel + "`module` needs `file` and `kernel`, the name in the module");
  }
  if (!k.has_grid() || !k.has_block()) {
    names.refuse(kernel + "a module's kernel needs `grid` and `block`");
  }
  if (k.has_registers() || k.has_static_shared_bytes()) {
    names.refuse(kernel + "`registers` and `static_shared_bytes` are what the module says");
  }
  const auto dim = [](const proto::Dim& v) { return isa::Dim3{v.x(), v.y(), v.z()}; };
  modules::LaunchDescription d;
  d.file = folder / m.file();
  d.kernel = m.kernel();
  d.grid = dim(k.grid());
  d.block = dim(k.block());
  if (k.has_cluster()) {
    d.cluster = dim(k.cluster());
  }
  d.dynamic_shared = k.dynamic_shared_bytes();
  for (const std::string& arg : m.arg()) {
    d.arguments.push_back(arg.ends_with(".npy") ? (folder / arg).string() : arg);
  }
  return d;
}

LaunchAttributes read_attributes(const proto::Launch& l, const Names& names, const MemoryNames& memory) {
  LaunchAttributes a;
  if (l.has_priority()) {
    a.priority = l.priority();
  }
  a.programmatic = l.programmatic();
  if (l.has_programmatic_event()) {
    a.programmatic_event = names.event(l.programmatic_event());
  }
  if (l.has_cluster()) {
    a.cluster = host::Extent{l.cluster().x(), l.cluster().y(), l.cluster().z()};
  }
  a.trigger_at_block_start = l.trigger_at_block_start();
  if (l.has_window()) {
    a.window = read_window(l.window(), memory);
  }
  a.domain = read_domain(l.sync_domain(), names);
  return a;
}

host::SyncDomain read_domain(const proto::SyncDomain& d, const Names& names) {
  host::SyncDomain out;
  if (d.has_domain()) {
    out.remote = d.domain() == proto::SyncDomain::REMOTE ? 1 : 0;
  }
  const auto number = [&](uint32_t n) {
    if (n > 127) {
      names.refuse("sync_domain: numbers of domains are from 0 to 3");
    }
    return static_cast<int8_t>(n);
  };
  out.of_default = d.has_map_default() ? number(d.map_default()) : int8_t{-1};
  out.of_remote = d.has_map_remote() ? number(d.map_remote()) : int8_t{-1};
  return out;
}

}  // namespace heddle::workload
