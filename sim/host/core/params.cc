#include "sim/host/core/params.h"

#include <algorithm>

#include "sim/base/align.h"
#include "sim/host/core/jitter.h"

namespace heddle::host {
namespace {

// Transfers per second and lane in 10^9, and what the line code leaves: PCI Express base specification.
double lane_gigabits(uint32_t generation) {
  constexpr double kTransfers[] = {2.5, 5, 8, 16, 32, 64, 128};
  const double t = kTransfers[std::clamp(generation, 1u, 7u) - 1];
  return generation <= 2 ? t * 8 / 10 : generation <= 5 ? t * 128 / 130 : t * 242 / 256;
}

double per_ps(double gb_per_s) { return gb_per_s * 1e-3; }

Params::Access access_of(const spec::HostLink& l) {
  return {
      .read_piece = l.read_piece_bytes(),
      .latency = from_ns(l.access_ns()),
      .partial_write = Ps::truncated(l.partial_write_ns() * 1e3),
      .engine_bytes = static_cast<double>(l.engine_bytes()),
      .posted_sm_bytes = static_cast<double>(l.posted_bytes_per_sm()),
      .posted_bytes = static_cast<double>(l.posted_bytes()),
      .store_sm_rate = per_ps(l.store_sm_gb_per_s()),
      .flush = l.flush_scale(),
      .flush_sm_bytes = static_cast<double>(l.flush_bytes_per_sm()),
      .flush_bytes = static_cast<double>(l.flush_bytes()),
      .flush_share = l.flush_share(),
      .flush_loads = from_ns(l.flush_loads_ns()),
  };
}

Params::Calls calls_of(const spec::CallCosts& c) {
  return {
      .launch = from_ns(c.launch_ns()),
      .stream_switch = from_ns(c.stream_switch_ns()),
      .memcpy = from_ns(c.memcpy_ns()),
      .d2d = from_ns(c.d2d_ns()),
      .memset = from_ns(c.memset_ns()),
      .record = from_ns(c.event_record_ns()),
      .record_no_timing = from_ns(c.event_record_no_timing_ns()),
      .wait_event = from_ns(c.wait_event_ns()),
      .query = from_ns(c.query_ns()),
      .synchronize = from_ns(c.synchronize_ns()),
      .host_function = from_ns(c.host_function_ns()),
      .create = from_ns(c.create_ns()),
      .malloc = from_ns(c.malloc_ns()),
      .free = from_ns(c.free_ns()),
      .malloc_host = from_ns(c.malloc_host_ns()),
      .malloc_host_per_mib = from_ns(c.malloc_host_ns_per_mib()),
      .free_host = from_ns(c.free_host_ns()),
      .launch_programmatic = from_ns(c.launch_programmatic_ns()),
      .launch_lock = from_ns(c.launch_lock_ns()),
      .stream_lock = from_ns(c.stream_lock_ns()),
      .host_register = from_ns(c.host_register_ns()),
      .host_unregister = from_ns(c.host_unregister_ns()),
      .malloc_cut = from_ns(c.malloc_cut_ns()),
      .free_cut = from_ns(c.free_cut_ns()),
      .malloc_host_cut = from_ns(c.malloc_host_cut_ns()),
      .free_host_cut = from_ns(c.free_host_cut_ns()),
      .event_create = from_ns(c.event_create_ns()),
      .mem_get_info = from_ns(c.mem_get_info_ns()),
      .launch_parameters_kib = c.launch_parameters_ns_per_kib() * 1e3,
      .malloc_mib = c.malloc_ns_per_mib() * 1e3,
      .free_mib = c.free_ns_per_mib() * 1e3,
      .free_host_mib = c.free_host_ns_per_mib() * 1e3,
      .host_register_mib = c.host_register_ns_per_mib() * 1e3,
      .host_unregister_mib = c.host_unregister_ns_per_mib() * 1e3,
  };
}

Params::First first_of(const spec::FirstUse& f) {
  return {
      .process = from_ns(f.process_ns()),
      .context = from_ns(f.context_ns()),
      .call = from_ns(f.call_ns()),
      .launch = from_ns(f.launch_ns()),
      .module = from_ns(f.module_ns()),
      .module_kernel = from_ns(f.module_kernel_ns()),
      .module_printf = from_ns(f.module_printf_ns()),
      .module_heap = from_ns(f.module_heap_ns()),
      .kernel = from_ns(f.kernel_ns()),
      .printf = from_ns(f.printf_ns()),
      .heap = from_ns(f.heap_ns()),
      .module_kib = f.module_ns_per_kib() * 1e3,
      .kernel_kib = f.kernel_ns_per_kib() * 1e3,
      .kernel_copied_kib = f.kernel_copied_ns_per_kib() * 1e3,
      .kernel_copied_from = static_cast<double>(f.kernel_copied_from_kib()),
  };
}

Params::Graph graph_of(const spec::GraphCosts& g) {
  return {
      .launch = from_ns(g.launch_ns()),
      .instantiate = from_ns(g.instantiate_ns()),
      .instantiate_root = from_ns(g.instantiate_root_ns()),
      .first_instantiate = from_ns(g.first_instantiate_ns()),
      .upload = from_ns(g.upload_ns()),
      .update = from_ns(g.update_ns()),
      .update_node = from_ns(g.update_node_ns()),
      .add_node = from_ns(g.add_node_ns()),
      .capture = from_ns(g.capture_ns()),
      .capture_begin = from_ns(g.capture_begin_ns()),
      .capture_end = from_ns(g.capture_end_ns()),
      .start = from_ns(g.start_ns()),
      .node = from_ns(g.node_ns()),
      .branch = from_ns(g.branch_ns()),
      .join = from_ns(g.join_ns()),
      .programmatic = from_ns(g.programmatic_ns()),
      .launch_completion = from_ns(g.launch_completion_ns()),
      .instantiate_device = from_ns(g.instantiate_device_ns()),
      .upload_device = from_ns(g.upload_device_ns()),
      .device_launcher = from_ns(g.device_launcher_ns()),
      .device_launch = from_ns(g.device_launch_ns()),
      .device_start = from_ns(g.device_start_ns()),
      .device_tail = from_ns(g.device_tail_ns()),
      .device_node = from_ns(g.device_node_ns()),
      .launch_root = from_ns(g.launch_root_ns()),
      .launch_sink = from_ns(g.launch_sink_ns()),
      .launch_branch = from_ns(g.launch_branch_ns()),
      .launch_copy = from_ns(g.launch_copy_ns()),
      .launch_event = from_ns(g.launch_event_ns()),
      .launch_host = from_ns(g.launch_host_ns()),
      .launch_conditions = from_ns(g.launch_conditions_ns()),
      .launch_condition = from_ns(g.launch_condition_ns()),
      .instantiate_body = from_ns(g.instantiate_body_ns()),
      .condition = from_ns(g.condition_ns()),
      .inner_condition = from_ns(g.inner_condition_ns()),
      .body = from_ns(g.body_ns()),
      .front_end = from_ns(g.front_end_ns()),
      .launch_node = g.launch_node_ns() * 1e3,
      .instantiate_node = g.instantiate_node_ns() * 1e3,
      .instantiate_again = g.instantiate_again_ns() * 1e3,
      .upload_node = g.upload_node_ns() * 1e3,
      .update_each = g.update_each_ns() * 1e3,
      .kept_nodes = g.instantiate_kept_nodes(),
  };
}

Params::GraphMemory graph_memory_of(const spec::GraphMemory& m) {
  return {
      .launch = from_ns(m.launch_ns()),
      .map = from_ns(m.map_ns()),
      .map_chunk = from_ns(m.map_chunk_ns()),
      .take = from_ns(m.take_ns()),
      .take_chunk = from_ns(m.take_chunk_ns()),
      .stream_chunk = from_ns(m.stream_chunk_ns()),
      .trim = from_ns(m.trim_ns()),
      .trim_chunk = from_ns(m.trim_chunk_ns()),
  };
}

Params::DeviceBytes memory_of(const spec::GpuConfig& gpu) {
  const spec::DeviceMemory& m = gpu.host().memory();
  return {
      .total = gpu.dram().total_bytes(),
      .context = m.context_bytes(),
      .granularity = m.granularity_bytes(),
      .alignment = m.alignment_bytes(),
      .pool_chunk = m.pool_chunk_bytes(),
      .pool_malloc = from_ns(m.pool_malloc_ns()),
      .pool_free = from_ns(m.pool_free_ns()),
      .pool_grow = from_ns(m.pool_grow_ns()),
      .pool_grow_chunk = from_ns(m.pool_grow_chunk_ns()),
      .pool_shrink_chunk = from_ns(m.pool_shrink_chunk_ns()),
  };
}

Params::VirtualMemory vmm_of(const spec::VirtualMemory& v) {
  return {
      .reserve = from_ns(v.reserve_ns()),
      .reserve_large = from_ns(v.reserve_large_ns()),
      .create = from_ns(v.create_ns()),
      .map = from_ns(v.map_ns()),
      .set_access = from_ns(v.set_access_ns()),
      .unmap = from_ns(v.unmap_ns()),
      .release = from_ns(v.release_ns()),
      .create_mib = v.create_ns_per_mib() * 1e3,
      .set_access_mib = v.set_access_ns_per_mib() * 1e3,
      .unmap_mib = v.unmap_ns_per_mib() * 1e3,
      .release_mib = v.release_ns_per_mib() * 1e3,
      .large = v.reserve_large_bytes(),
  };
}

Params::Dynamic dynamic_of(const spec::DynamicParallelism& d) {
  return {
      .forget_call = from_ns(d.forget_call_ns()),
      .stream_call = from_ns(d.stream_call_ns()),
      .behind_call = from_ns(d.behind_call_ns()),
      .tail_call = from_ns(d.tail_call_ns()),
      .forget_serial = from_ns(d.forget_serial_ns()),
      .stream_serial = from_ns(d.stream_serial_ns()),
      .first_contention = from_ns(d.first_contention_ns()),
      .contention = from_ns(d.contention_ns()),
      .stream_create = from_ns(d.stream_create_ns()),
      .event_call = from_ns(d.event_call_ns()),
      .start = from_ns(d.start_ns()),
      .next = from_ns(d.next_ns()),
      .event_wait = from_ns(d.event_wait_ns()),
      .tail_start = from_ns(d.tail_start_ns()),
      .join = from_ns(d.join_ns()),
      .finish = from_ns(d.finish_ns()),
      .cleanup = from_ns(d.cleanup_ns()),
      .parent = from_ns(d.parent_ns()),
      .runtime = from_ns(d.runtime_ns()),
      .virtual_pool = from_ns(d.virtual_pool_ns()),
      .pending_launches = d.pending_launches(),
      .least_pending = d.least_pending_launches(),
      .parameter_bytes = d.parameter_bytes(),
      .sync_depth = d.sync_depth(),
      .sync_level_bytes = d.sync_level_bytes(),
  };
}

Params::L2 l2_of(const spec::GpuConfig& gpu) {
  const spec::L2Limits& h = gpu.host().l2();
  const uint64_t unit = gpu.l2().total_bytes() / h.set_aside_steps();
  return {
      .window = h.max_window_bytes(),
      .most = gpu.l2().max_persisting_bytes(),
      .unit = unit,
      .default_limit = h.default_steps() * unit,
      .keep = gpu.l2().set_aside_replacement() == spec::L2::KEEP,
      .set_limit = from_ns(h.set_limit_ns()),
      .reset = from_ns(h.reset_ns()),
  };
}

Params::Unified unified_of(const spec::UnifiedMemory& u) {
  return {
      .support = u.support(),
      .direct_host_access = u.direct_host_access(),
      .page = u.page_bytes(),
      .block = u.block_bytes(),
      .fault_batch = u.fault_batch_pages(),
      .fault_entries = u.fault_batch_entries(),
      .density = u.fault_density_percent(),
      .thrash_count = u.thrash_count(),
      .gpu_fault = from_ns(u.gpu_fault_ns()),
      .fault_entry = from_ns(u.fault_entry_ns()),
      .fault_block = from_ns(u.fault_block_ns()),
      .fault_move = from_ns(u.fault_move_ns()),
      .fault_page = from_ns(u.fault_page_ns()),
      .fault_along = from_ns(u.fault_along_ns()),
      .first_fault = from_ns(u.first_fault_ns()),
      .populate = from_ns(u.populate_ns()),
      .populate_block = from_ns(u.populate_block_ns()),
      .cpu_fault = from_ns(u.cpu_fault_ns()),
      .cpu_block = from_ns(u.cpu_block_ns()),
      .cpu_along = from_ns(u.cpu_along_ns()),
      .cpu_touch = from_ns(u.cpu_touch_ns()),
      .evict = from_ns(u.evict_ns()),
      .prefetch = from_ns(u.prefetch_ns()),
      .prefetch_page = from_ns(u.prefetch_page_ns()),
      .prefetch_start = from_ns(u.prefetch_start_ns()),
      .prefetch_home = from_ns(u.prefetch_home_ns()),
      .malloc = from_ns(u.malloc_ns()),
      .free = from_ns(u.free_ns()),
      .thrash_lapse = from_us(u.thrash_lapse_us()),
      .malloc_mib = u.malloc_ns_per_mib() * 1e3,
      .free_mib = u.free_ns_per_mib() * 1e3,
  };
}

// The link, the engines, and what they move.
void read_copies(Params& p, const spec::GpuConfig& gpu) {
  const spec::Host& h = gpu.host();
  p.link_rate = lane_gigabits(h.link().generation()) * h.link().lanes() / 8 * 1e-3 * h.link().efficiency();
  p.payload = h.link().max_payload_bytes();
  p.read_request = h.link().read_request_bytes();
  p.write_combined_gain = h.link().write_combined_gain();
  p.peer_rate = per_ps(h.peer().links() * h.peer().link_gb_per_s() * h.peer().efficiency());
  p.peer_start = from_ns(h.peer().start_ns());
  p.integrated = h.link().integrated();
  p.memory_rate = gpu.clocks().dram_mhz() * gpu.dram().channels() * gpu.dram().bytes_per_cycle() * 1e-6;
  p.d2d_efficiency = h.copy().d2d_efficiency();
  p.memset_efficiency = h.copy().memset_efficiency();
  p.engines = h.copy().engines();
  p.h2d_start = from_ns(h.copy().h2d_start_ns());
  p.d2h_start = from_ns(h.copy().d2h_start_ns());
  p.d2d_start = from_ns(h.copy().d2d_start_ns());
  p.graph_d2d_start = from_ns(h.copy().graph_d2d_start_ns());
  p.memset_start = from_ns(h.copy().memset_start_ns());
  p.memset_inline_start = from_ns(h.copy().memset_inline_start_ns());
  p.memset_inline_bytes = h.copy().memset_inline_bytes();
  p.d2h_to_kernel = from_ns(h.copy().d2h_to_kernel_ns());
  p.h2d_to_kernel = from_ns(h.copy().h2d_to_kernel_ns());
  p.other_engine = from_ns(h.copy().other_engine_ns());
  p.inline_copy_bytes = h.copy().inline_bytes();
}

// Copies of pageable memory.
void read_staging(Params& p, const spec::Staging& s) {
  p.inline_bytes = s.inline_bytes();
  p.chunk_bytes = s.chunk_bytes();
  p.cached_bytes = s.cached_bytes();
  p.inline_host_rate = per_ps(s.inline_host_gb_per_s());
  p.inline_device_rate = per_ps(s.inline_device_gb_per_s());
  p.to_device_rate = per_ps(s.to_device_gb_per_s());
  p.to_device_uncached_rate = per_ps(s.to_device_uncached_gb_per_s());
  p.from_device_rate = per_ps(s.from_device_gb_per_s());
  p.inline_start = from_ns(s.inline_start_ns());
  p.chunk_gap = from_ns(s.chunk_ns());
  p.from_device_extra = from_ns(s.from_device_ns());
}

void read_queues(Params& p, const spec::Host& h, const Rules& rules) {
  p.connections = rules.connections ? rules.connections : h.queues().connections();
  // AX14: the number of connections also sets that of copies unless they have a number of their own.
  p.copy_connections = rules.copy_connections ? rules.copy_connections
                       : rules.connections    ? std::min(rules.connections, h.queues().copy_connections())
                                              : h.queues().copy_connections();
  p.depth = std::max(1u, static_cast<uint32_t>(h.queues().depth() * rules.launch_queue_scale));
}

void read_latency(Params& p, const spec::HostLatency& l, const Rules& rules) {
  p.submit = from_ns(l.submit_ns());
  p.kernel_start = from_ns(l.kernel_start_ns());
  p.kernel_end = from_ns(l.kernel_end_ns());
  p.cooperative_start = from_ns(l.cooperative_start_ns());
  p.grid_barrier = from_ns(l.grid_barrier_ns());
  p.same_stream = from_ns(l.same_stream_ns());
  p.other_stream = from_ns(l.other_stream_ns());
  p.event = from_ns(l.event_ns());
  p.block = from_ns(l.block_ns());
  p.notify = rules.wait == Rules::Wait::kSpin    ? from_ns(l.spin_ns())
             : rules.wait == Rules::Wait::kYield ? from_ns(l.yield_ns())
                                                 : p.block;
  p.sleeps = rules.wait == Rules::Wait::kBlock;
  p.host_function_start = from_ns(l.host_function_start_ns());
  p.host_function_end = from_ns(l.host_function_end_ns());
  p.host_function_next = from_ns(l.host_function_next_ns());
  p.sleep = {.halted_after = from_ns(l.halted_after_ns()),
             .halted = from_ns(l.halted_ns()),
             .idle_after = from_ns(l.idle_after_ns()),
             .idle = from_ns(l.idle_ns()),
             .idle_most = from_ns(l.idle_most_ns()),
             .idle_slope = l.idle_ns_per_us() / 1e3,
             .wake_spread = l.wake_spread(),
             .idle_spread = l.idle_spread()};
}

void read_sms(Params& p, const spec::GpuConfig& gpu) {
  p.limits = gpu.limits();
  p.sms = gpu.topology().sms();
  p.subcores = gpu.sm().subcores();
  p.sms_per_tpc = gpu.topology().sms_per_tpc();
  const uint32_t first_gpc = gpu.topology().tpcs_per_gpc_size() > 0 ? gpu.topology().tpcs_per_gpc(0) : 0;
  p.singleton_sms = std::min(gpu.topology().singleton_tpcs(), first_gpc) * p.sms_per_tpc;
  for (int g = 0; g < gpu.topology().tpcs_per_gpc_size(); ++g) {
    p.gpc_of_sm.insert(p.gpc_of_sm.end(),
                       size_t{gpu.topology().tpcs_per_gpc(g)} * gpu.topology().sms_per_tpc(),
                       static_cast<uint32_t>(g));
  }
  p.gpc_of_sm.resize(p.sms, p.gpc_of_sm.empty() ? 0 : p.gpc_of_sm.back());
  p.carveouts.assign(gpu.sm().l1().carveout_bytes().begin(), gpu.sm().l1().carveout_bytes().end());
  const auto cycles = [&](double n) { return from_ns(n * 1e3 / gpu.clocks().core_mhz()); };
  p.block_interval = cycles(std::max(gpu.launch().block_interval(), gpu.launch().retire_interval()));
  p.sm_block_interval = cycles(gpu.launch().sm_block_interval());
  p.block_start = cycles(gpu.launch().block_start_latency());
  p.block_retire = cycles(gpu.launch().block_retire_latency());
}

}  // namespace

double wire_bytes(uint64_t bytes, uint64_t rows, uint32_t payload, uint32_t header) {
  const uint64_t row = std::max<uint64_t>(1, bytes / std::max<uint64_t>(1, rows));
  const uint64_t packets = divide_up(row, payload) * std::max<uint64_t>(1, rows);
  return static_cast<double>(bytes) + static_cast<double>(packets) * header;
}

Ps Params::Sleep::more(Ps slept) const {
  const Ps deeper =
      slept > idle_after
          ? idle + std::min(idle_most,
                            Ps::truncated(static_cast<double>((slept - idle_after).count()) * idle_slope))
          : Ps();
  return (slept > halted_after ? halted : Ps()) + deeper;
}

Params::Params(const spec::GpuConfig& gpu, const Rules& rules) {
  const spec::Host& h = gpu.host();
  read_copies(*this, gpu);
  read_staging(*this, h.staging());
  read_queues(*this, h, rules);
  read_latency(*this, h.latency(), rules);
  read_sms(*this, gpu);
  priority_greatest = 1 - static_cast<int32_t>(h.priorities());
  priority_least = 0;
  compute_capability = gpu.limits().compute_capability();
  access = access_of(h.link());
  calls = calls_of(h.calls());
  first = first_of(h.first());
  const spec::CallPauses& q = h.pauses();
  worked = {from_us(q.worked_from_us()), from_ns(q.worked_decade_ns()), from_ns(q.worked_most_ns())};
  slept = {from_us(q.slept_from_us()), from_ns(q.slept_decade_ns()), from_ns(q.slept_most_ns())};
  graph = graph_of(h.graph());
  graph_memory = graph_memory_of(h.graph_memory());
  memory = memory_of(gpu);
  vmm = vmm_of(h.vmm());
  dynamic = dynamic_of(h.dynamic());
  l2 = l2_of(gpu);
  um = unified_of(h.um());
  scale_host(Jitter(rules.jitter).factor(h.calls().cpu_spread()) / h.calls().cpu_speed());
}

void Params::scale_host(double factor) {
  if (factor == 1) {
    return;
  }
  Calls& c = calls;
  Graph& g = graph;
  GraphMemory& m = graph_memory;
  for (Ps* t : {&c.launch,
                &c.stream_switch,
                &c.memcpy,
                &c.d2d,
                &c.memset,
                &c.record,
                &c.record_no_timing,
                &c.wait_event,
                &c.query,
                &c.synchronize,
                &c.host_function,
                &c.create,
                &c.malloc,
                &c.free,
                &c.malloc_host,
                &c.malloc_host_per_mib,
                &c.free_host,
                &c.launch_programmatic,
                &c.launch_lock,
                &c.stream_lock,
                &c.host_register,
                &c.host_unregister,
                &c.malloc_cut,
                &c.free_cut,
                &c.malloc_host_cut,
                &c.free_host_cut,
                &c.event_create,
                &c.mem_get_info,
                &worked.decade,
                &worked.most,
                &slept.decade,
                &slept.most,
                &first.process,
                &first.context,
                &first.call,
                &first.launch,
                &first.module,
                &first.module_kernel,
                &first.module_printf,
                &first.module_heap,
                &first.kernel,
                &first.printf,
                &first.heap,
                &g.launch,
                &g.instantiate,
                &g.instantiate_root,
                &g.first_instantiate,
                &g.upload,
                &g.update,
                &g.update_node,
                &g.add_node,
                &g.capture,
                &g.capture_begin,
                &g.capture_end,
                &g.launch_root,
                &g.launch_sink,
                &g.launch_branch,
                &g.launch_copy,
                &g.launch_event,
                &g.launch_host,
                &g.launch_conditions,
                &g.launch_condition,
                &g.instantiate_body,
                &g.instantiate_device,
                &m.launch,
                &m.map,
                &m.map_chunk,
                &m.take,
                &m.take_chunk,
                &m.stream_chunk,
                &m.trim,
                &m.trim_chunk,
                &memory.pool_malloc,
                &memory.pool_free,
                &memory.pool_grow,
                &memory.pool_grow_chunk,
                &memory.pool_shrink_chunk,
                &vmm.reserve,
                &vmm.reserve_large,
                &vmm.create,
                &vmm.map,
                &vmm.set_access,
                &vmm.unmap,
                &vmm.release,
                &um.cpu_fault,
                &um.cpu_block,
                &um.cpu_along,
                &um.cpu_touch,
                &um.populate,
                &um.populate_block,
                &um.malloc,
                &um.free,
                &um.prefetch,
                &um.prefetch_page,
                &notify,
                &host_function_end,
                &host_function_next,
                &inline_start,
                &chunk_gap}) {
    *t = Ps::truncated(static_cast<double>(t->count()) * factor);
  }
  for (double* t : {&c.launch_parameters_kib, &c.malloc_mib, &c.free_mib, &c.host_register_mib,
                    &c.host_unregister_mib, &g.launch_node, &g.instantiate_node, &g.instantiate_again,
                    &g.upload_node, &g.update_each, &vmm.create_mib, &vmm.set_access_mib, &vmm.unmap_mib,
                    &vmm.release_mib, &um.malloc_mib, &um.free_mib}) {
    *t *= factor;
  }
  inline_host_rate /= factor;
}

}  // namespace heddle::host
