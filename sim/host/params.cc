#include "sim/host/params.h"

#include <algorithm>

namespace heddle::host {
namespace {

// Transfers per second and lane in 10^9, and what the line code leaves: PCI Express base specification.
double lane_gigabits(uint32_t generation) {
  constexpr double kTransfers[] = {2.5, 5, 8, 16, 32, 64, 128};
  const double t = kTransfers[std::clamp(generation, 1u, 7u) - 1];
  return generation <= 2 ? t * 8 / 10 : generation <= 5 ? t * 128 / 130 : t * 242 / 256;
}

double per_ps(double gb_per_s) { return gb_per_s * 1e-3; }

}  // namespace

double wire_bytes(uint64_t bytes, uint64_t rows, uint32_t payload, uint32_t header) {
  const uint64_t row = std::max<uint64_t>(1, bytes / std::max<uint64_t>(1, rows));
  const uint64_t packets = (row + payload - 1) / payload * std::max<uint64_t>(1, rows);
  return static_cast<double>(bytes) + static_cast<double>(packets) * header;
}

Params::Params(const config::GpuConfig& gpu, const Rules& rules) {
  const config::Host& h = gpu.host();
  const auto ns = [](double v) { return from_ns(v); };
  link_rate = lane_gigabits(h.link().generation()) * h.link().lanes() / 8 * 1e-3 * h.link().efficiency();
  payload = h.link().max_payload_bytes();
  read_request = h.link().read_request_bytes();
  write_combined_gain = h.link().write_combined_gain();
  access = {h.link().read_piece_bytes(),
            ns(h.link().access_ns()),
            static_cast<Ps>(h.link().partial_write_ns() * 1e3),
            static_cast<double>(h.link().engine_bytes()),
            static_cast<double>(h.link().posted_bytes_per_sm()),
            static_cast<double>(h.link().posted_bytes()),
            h.link().flush_scale()};
  peer_rate = per_ps(h.peer().links() * h.peer().link_gb_per_s() * h.peer().efficiency());
  peer_start = ns(h.peer().start_ns());
  memory_rate = gpu.clocks().dram_mhz() * gpu.dram().channels() * gpu.dram().bytes_per_cycle() * 1e-6;
  d2d_efficiency = h.copy().d2d_efficiency();
  memset_efficiency = h.copy().memset_efficiency();
  engines = h.copy().engines();
  h2d_start = ns(h.copy().h2d_start_ns());
  d2h_start = ns(h.copy().d2h_start_ns());
  d2d_start = ns(h.copy().d2d_start_ns());
  memset_start = ns(h.copy().memset_start_ns());
  memset_inline_start = ns(h.copy().memset_inline_start_ns());
  memset_inline_bytes = h.copy().memset_inline_bytes();
  d2h_to_kernel = ns(h.copy().d2h_to_kernel_ns());
  h2d_to_kernel = ns(h.copy().h2d_to_kernel_ns());

  const config::Staging& s = h.staging();
  inline_bytes = s.inline_bytes();
  chunk_bytes = s.chunk_bytes();
  cached_bytes = s.cached_bytes();
  inline_host_rate = per_ps(s.inline_host_gb_per_s());
  inline_device_rate = per_ps(s.inline_device_gb_per_s());
  to_device_rate = per_ps(s.to_device_gb_per_s());
  to_device_uncached_rate = per_ps(s.to_device_uncached_gb_per_s());
  from_device_rate = per_ps(s.from_device_gb_per_s());
  inline_start = ns(s.inline_start_ns());
  chunk_gap = ns(s.chunk_ns());
  from_device_extra = ns(s.from_device_ns());

  connections = rules.connections ? rules.connections : h.queues().connections();
  // AX14: the number of connections also sets that of copies unless they have a number of their own.
  copy_connections = rules.copy_connections ? rules.copy_connections
                     : rules.connections    ? std::min(rules.connections, h.queues().copy_connections())
                                            : h.queues().copy_connections();
  depth = std::max(1u, static_cast<uint32_t>(h.queues().depth() * rules.launch_queue_scale));

  const config::HostLatency& l = h.latency();
  submit = ns(l.submit_ns());
  kernel_start = ns(l.kernel_start_ns());
  kernel_end = ns(l.kernel_end_ns());
  same_stream = ns(l.same_stream_ns());
  other_stream = ns(l.other_stream_ns());
  event = ns(l.event_ns());
  notify = ns(rules.wait == Rules::Wait::kSpin    ? l.spin_ns()
              : rules.wait == Rules::Wait::kYield ? l.yield_ns()
                                                  : l.block_ns());
  host_function_start = ns(l.host_function_start_ns());
  host_function_end = ns(l.host_function_end_ns());

  const config::CallCosts& c = h.calls();
  calls = {ns(c.launch_ns()),
           ns(c.stream_switch_ns()),
           ns(c.memcpy_ns()),
           ns(c.d2d_ns()),
           ns(c.memset_ns()),
           ns(c.event_record_ns()),
           ns(c.event_record_no_timing_ns()),
           ns(c.wait_event_ns()),
           ns(c.query_ns()),
           ns(c.synchronize_ns()),
           ns(c.host_function_ns()),
           ns(c.create_ns()),
           ns(c.malloc_ns()),
           ns(c.free_ns()),
           ns(c.malloc_host_ns()),
           ns(c.malloc_host_ns_per_mib()),
           ns(c.free_host_ns()),
           ns(c.launch_programmatic_ns()),
           ns(c.lazy_load_ns())};
  const config::GraphCosts& g = h.graph();
  graph = {ns(g.launch_ns()),
           ns(g.instantiate_ns()),
           ns(g.first_instantiate_ns()),
           ns(g.upload_ns()),
           ns(g.update_ns()),
           ns(g.update_node_ns()),
           ns(g.capture_ns()),
           ns(g.capture_begin_ns()),
           ns(g.capture_end_ns()),
           ns(g.start_ns()),
           ns(g.node_ns()),
           ns(g.branch_ns()),
           ns(g.join_ns()),
           ns(g.programmatic_ns()),
           ns(g.launch_completion_ns()),
           ns(g.instantiate_device_ns()),
           ns(g.upload_device_ns()),
           ns(g.device_launcher_ns()),
           ns(g.device_launch_ns()),
           ns(g.device_start_ns()),
           ns(g.device_tail_ns()),
           ns(g.device_node_ns()),
           g.launch_node_ns() * 1e3,
           g.instantiate_node_ns() * 1e3,
           g.upload_node_ns() * 1e3,
           g.update_each_ns() * 1e3};
  const config::GraphMemory& gm = h.graph_memory();
  graph_memory = {ns(gm.launch_ns()), ns(gm.map_ns()),        ns(gm.map_chunk_ns()),
                  ns(gm.take_ns()),   ns(gm.take_chunk_ns()), ns(gm.stream_chunk_ns()),
                  ns(gm.trim_ns()),   ns(gm.trim_chunk_ns())};
  priority_greatest = 1 - static_cast<int32_t>(h.priorities());
  priority_least = 0;

  compute_capability = gpu.limits().compute_capability();
  const config::DeviceMemory& m = h.memory();
  memory = {gpu.dram().total_bytes(), m.context_bytes(),    m.granularity_bytes(),
            m.alignment_bytes(),      m.pool_chunk_bytes(), ns(m.pool_malloc_ns()),
            ns(m.pool_free_ns()),     ns(m.map_ns()),       ns(m.unmap_ns())};

  const config::VirtualMemory& v = h.vmm();
  vmm = {ns(v.reserve_ns()),
         ns(v.create_ns()),
         ns(v.map_ns()),
         ns(v.set_access_ns()),
         ns(v.unmap_ns()),
         ns(v.release_ns()),
         v.create_ns_per_mib() * 1e3,
         v.set_access_ns_per_mib() * 1e3,
         v.unmap_ns_per_mib() * 1e3,
         v.release_ns_per_mib() * 1e3};

  const config::DynamicParallelism& d = h.dynamic();
  dynamic = {ns(d.forget_call_ns()),      ns(d.stream_call_ns()),   ns(d.behind_call_ns()),
             ns(d.tail_call_ns()),        ns(d.forget_serial_ns()), ns(d.stream_serial_ns()),
             ns(d.first_contention_ns()), ns(d.contention_ns()),    ns(d.stream_create_ns()),
             ns(d.event_call_ns()),       ns(d.start_ns()),         ns(d.next_ns()),
             ns(d.event_wait_ns()),       ns(d.tail_start_ns()),    ns(d.join_ns()),
             ns(d.finish_ns()),           ns(d.cleanup_ns()),       ns(d.parent_ns()),
             ns(d.runtime_ns()),          ns(d.virtual_pool_ns()),  d.pending_launches(),
             d.least_pending_launches(),  d.parameter_bytes(),      d.sync_depth(),
             d.sync_level_bytes()};

  const uint64_t l2_unit = gpu.l2().total_bytes() / h.l2().set_aside_steps();
  l2 = {h.l2().max_window_bytes(),
        gpu.l2().max_persisting_bytes(),
        l2_unit,
        h.l2().default_steps() * l2_unit,
        gpu.l2().set_aside_replacement() == config::L2::KEEP,
        ns(h.l2().set_limit_ns()),
        ns(h.l2().reset_ns())};

  const config::UnifiedMemory& u = h.um();
  um = {u.support(),           u.direct_host_access(),
        u.page_bytes(),        u.block_bytes(),
        u.fault_batch_pages(), u.thrash_count(),
        ns(u.gpu_fault_ns()),  ns(u.cpu_fault_ns()),
        ns(u.evict_ns()),      from_us(u.thrash_lapse_us())};

  limits = gpu.limits();
  sms = gpu.topology().sms();
  subcores = gpu.sm().subcores();
  for (int g = 0; g < gpu.topology().tpcs_per_gpc_size(); ++g) {
    gpc_of_sm.insert(gpc_of_sm.end(), size_t{gpu.topology().tpcs_per_gpc(g)} * gpu.topology().sms_per_tpc(),
                     static_cast<uint32_t>(g));
  }
  gpc_of_sm.resize(sms, gpc_of_sm.empty() ? 0 : gpc_of_sm.back());
  carveouts.assign(gpu.sm().l1().carveout_bytes().begin(), gpu.sm().l1().carveout_bytes().end());
  const auto cycles = [&](double n) { return from_ns(n * 1e3 / gpu.clocks().core_mhz()); };
  block_interval = cycles(gpu.launch().block_interval());
  sm_block_interval = cycles(gpu.launch().sm_block_interval());
  block_start = cycles(gpu.launch().block_start_latency());
  block_retire = cycles(gpu.launch().block_retire_latency());
}

}  // namespace heddle::host
