// The numbers of one GPU and its host that this model needs, from the configuration
// (configs/schema/host.proto), in picoseconds and bytes per picosecond.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/host/program/time.h"

namespace heddle::host {

// How work may overlap where CUDA's guides, or a guide and the silicon, differ.
struct Rules {
  // Guide 12.4, 12.6 (ST08): between two commands of different streams, a pinned or device allocation, a
  // memset, a copy inside the device or a change of the L1 split keeps them from running at the same time.
  // Guide 12.8 (ST09), which is what the H200 does: only the legacy default stream orders, and only blocking
  // streams.
  bool implicit_sync_12_4 = false;
  // Copies of pageable memory overlap with other streams' work. The guide says that they do not (HM01, C06);
  // the driver only keeps the stream's order.
  bool pageable_overlaps = true;
  // Plain copies of at most 64 KB to the device return at once also from pinned memory (HM15). The H200's
  // driver does so for pageable memory only.
  bool small_pinned_copies_return = false;
  bool launch_blocking = false;     // CUDA_LAUNCH_BLOCKING=1 (AX03)
  bool per_thread_default = false;  // what stream 0 means; used by frontends (ST03)
  uint32_t connections = 0;         // CUDA_DEVICE_MAX_CONNECTIONS; 0: the configuration's
  uint32_t copy_connections = 0;    // CUDA_DEVICE_MAX_COPY_CONNECTIONS; 0: the same
  // CUDA_GRAPHS_USE_NODE_PRIORITY: over the flag of the instantiation (GR25).
  enum class NodePriority : uint8_t {
    kAsInstantiated,
    kNever,
    kAlways
  } node_priority = NodePriority::kAsInstantiated;
  // The program's process begins with it: its first calls start the driver and make contexts.
  bool new_process = false;
  // CUDA_MODULE_LOADING=LAZY: a kernel's first launch loads its code, which waits for what the device does
  // (LZ04).
  bool lazy_loading = false;
  // Grids that kernels launch start when the launching grid's blocks have ended: all that is guaranteed
  // (DP02).
  bool lazy_children = false;
  // Work starts when some thread asks for it, by a synchronisation or a query, or all threads have ended
  // (FP05).
  bool lazy_start = false;
  // So many host threads make progress at the same time; the others begin when those have ended (FP08). 0:
  // all.
  uint32_t host_threads = 0;
  Ps l2_reset_after{};  // persisting lines that nobody touches for so long are normal again; 0: never (L219)
  double launch_queue_scale = 1;                                           // CUDA_SCALE_LAUNCH_QUEUES
  enum class Wait : uint8_t { kSpin, kYield, kBlock } wait = Wait::kSpin;  // cudaDeviceScheduleSpin, ...
  // A seed for what differs from run to run (core/jitter.h); without one, all is as it mostly is.
  std::optional<uint64_t> jitter;
};

struct Params {
  explicit Params(const spec::GpuConfig& gpu, const Rules& rules = {});

  // ---- PCI Express: bytes per picosecond of one direction, and what a packet adds to its payload.
  double link_rate;
  uint32_t payload, read_request;
  double write_combined_gain;
  double peer_rate;  // 0: no links
  Ps peer_start;
  double memory_rate;  // DRAM's peak, bytes per picosecond
  bool integrated;     // the host's memory is the device's (HM12)
  double d2d_efficiency, memset_efficiency;
  uint32_t engines;
  uint64_t memset_inline_bytes;
  Ps h2d_start, d2h_start, d2d_start, graph_d2d_start, memset_start, memset_inline_start, d2h_to_kernel,
      h2d_to_kernel, other_engine;
  uint64_t inline_copy_bytes;

  struct Access {
    uint64_t read_piece;  // bytes
    Ps latency, partial_write;
    double engine_bytes, posted_sm_bytes, posted_bytes;  // under way; engine_bytes 0: shares are equal
    double store_sm_rate;                                // bytes per picosecond; 0: no limit
    // What kernels' ends wait for (MD01): so many times the loads of their domain; stores of their domain,
    // bytes, and a part of the others'.
    double flush, flush_sm_bytes, flush_bytes, flush_share;
    Ps flush_loads;  // within a graph
  } access;          // of kernels, over the link

  // ---- pageable memory
  uint64_t inline_bytes, chunk_bytes, cached_bytes;
  double inline_host_rate, inline_device_rate, to_device_rate, to_device_uncached_rate, from_device_rate;
  Ps inline_start, chunk_gap, from_device_extra;

  uint32_t connections, copy_connections, depth;
  Ps submit, kernel_start, kernel_end, cooperative_start, grid_barrier, same_stream, other_stream, event,
      notify, block, host_function_start, host_function_end, host_function_next;
  bool sleeps;  // threads that wait, whatever for
  // A thread's core: what waking it takes longer by how long it has slept (FINDINGS 41).
  struct Sleep {
    Ps halted_after, halted, idle_after, idle, idle_most;
    double idle_slope;  // of what it has slept beyond idle_after
    double wake_spread, idle_spread;
    Ps more(Ps slept) const;
    double spread(Ps slept) const { return slept > idle_after ? idle_spread : wake_spread; }
  } sleep;

  struct Calls {
    Ps launch, stream_switch, memcpy, d2d, memset, record, record_no_timing, wait_event, query, synchronize,
        host_function, create, malloc, free, malloc_host, malloc_host_per_mib, free_host, launch_programmatic,
        launch_lock, stream_lock, host_register, host_unregister, malloc_cut, free_cut, malloc_host_cut,
        free_host_cut, event_create, mem_get_info;
    double launch_parameters_kib, malloc_mib, free_mib, free_host_mib, host_register_mib,
        host_unregister_mib;  // picoseconds for each KiB, MiB
  } calls;
  // A call behind a pause of its thread (calls/pauses.h).
  struct Pause {
    Ps from, decade, most;
  } worked, slept;
  // What the first time takes longer than later ones (calls/first_times.h).
  struct First {
    Ps process, context, call, launch, module, module_kernel, module_printf, module_heap, kernel, printf,
        heap;
    double module_kib, kernel_kib, kernel_copied_kib;  // picoseconds for each KiB
    double kernel_copied_from;                         // KiB
  } first;
  struct Graph {
    Ps launch, instantiate, instantiate_root, first_instantiate, upload, update, update_node, add_node,
        capture, capture_begin, capture_end, start, node, branch, join, programmatic, launch_completion,
        instantiate_device, upload_device, device_launcher, device_launch, device_start, device_tail,
        device_node, launch_root, launch_sink, launch_branch, launch_copy, launch_event, launch_host,
        launch_conditions, launch_condition, instantiate_body, condition, inner_condition, body, front_end;
    double launch_node, instantiate_node, instantiate_again, upload_node,
        update_each;      // picoseconds for each node
    uint32_t kept_nodes;  // whose memory the next instantiations use again
  } graph;
  struct GraphMemory {
    Ps launch, map, map_chunk, take, take_chunk, stream_chunk, trim, trim_chunk;
  } graph_memory;
  int32_t priority_greatest, priority_least;

  // ---- the device's memory
  struct DeviceBytes {
    uint64_t total, context, granularity, alignment, pool_chunk;
    Ps pool_malloc, pool_free, pool_grow, pool_grow_chunk, pool_shrink_chunk;
  } memory;
  struct VirtualMemory {
    Ps reserve, reserve_large, create, map, set_access, unmap, release;
    double create_mib, set_access_mib, unmap_mib, release_mib;  // picoseconds for each MiB
    uint64_t large;  // bytes, of a reservation that costs reserve_large
  } vmm;
  struct Dynamic {
    Ps forget_call, stream_call, behind_call, tail_call, forget_serial, stream_serial, first_contention,
        contention, stream_create, event_call, start, next, event_wait, tail_start, join, finish, cleanup,
        parent, runtime, virtual_pool;
    uint32_t pending_launches, least_pending, parameter_bytes, sync_depth;
    uint64_t sync_level_bytes;
  } dynamic;
  struct L2 {
    uint64_t window, most, unit, default_limit;  // bytes
    bool keep;
    Ps set_limit, reset;
  } l2;
  struct Unified {
    spec::UnifiedMemory::Support support;
    bool direct_host_access;
    uint32_t page, block, fault_batch, fault_entries, density, thrash_count;
    Ps gpu_fault, fault_entry, fault_block, fault_move, fault_page, fault_along, first_fault, populate,
        populate_block, cpu_fault, cpu_block, cpu_along, cpu_touch, evict, prefetch, prefetch_page,
        prefetch_start, prefetch_home, malloc, free, thrash_lapse;
    double malloc_mib, free_mib;  // picoseconds for each MiB
  } um;

  // ---- the SMs, as the work distributor sees them
  uint32_t compute_capability;
  spec::Limits limits;
  uint32_t sms, subcores;
  std::vector<uint32_t> gpc_of_sm;
  uint32_t sms_per_tpc, singleton_sms;  // the first SMs: they take no clusters larger than a TPC
  bool takes_cluster(size_t sm, uint64_t size) const { return sm >= singleton_sms || size <= sms_per_tpc; }
  std::vector<uint32_t> carveouts;  // bytes of shared memory that the L1 array can be split to, ascending
  Ps block_interval;                // between two blocks handed out, or taken note of
  Ps sm_block_interval;             // between two to one SM
  Ps block_start, block_retire;

 private:
  void scale_host(double factor);  // all that the host's processor does takes so many times as long
};

// Bytes that `bytes` of payload, in `rows` pieces of equal length, are in packets of up to `payload` with
// `header` bytes.
double wire_bytes(uint64_t bytes, uint64_t rows, uint32_t payload, uint32_t header);

}  // namespace heddle::host
