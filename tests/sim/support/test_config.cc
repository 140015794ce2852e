#include "tests/sim/support/test_config.h"

#include <google/protobuf/text_format.h>

#include <stdexcept>

#include "configs/schema/gpu.pb.h"

namespace heddle::simtest {
namespace {

constexpr const char* kGpu = R"(
  name: "test" product: "A GPU for tests" capability: "sm_90"
  limits {
    compute_capability: 90 warp_size: 32 max_warps_per_sm: 64 max_blocks_per_sm: 32 max_threads_per_block: 1024
    registers_per_sm: 65536 max_registers_per_block: 65536 max_registers_per_thread: 255
    register_allocation_unit: 256 warp_allocation_unit: 4
    shared_bytes_per_sm: 233472 max_shared_bytes_per_block: 232448 shared_allocation_unit: 128
    reserved_shared_bytes_per_block: 1024 max_cluster_blocks: 8 max_resident_grids: 128
  }
  clocks { core_mhz: 1000 l2_mhz: 1000 dram_mhz: 1000 }
  launch {
    start_cycles: 1000 end_cycles: 500 block_interval: 1 sm_block_interval: 1 block_start_latency: 10
    warp_start_interval: 0 block_retire_latency: 20 nanosleep_ns: 100
  }
  sm {
    subcores: 4
    issue {
      policy: GREEDY_THEN_YOUNGEST dependences: CONTROL_BITS stall_zero_cycles: 45 branch_cycles: 10
      branch_next_line_cycles: 12 branch_far_cycles: 15 reconverge_cycles: 6 scoreboard_wakeup_cycles: 1
      wasted_fetches: 0 fetch_ahead: 64
    }
    fetch {
      model: PERFECT line_bytes: 128 l0_bytes: 512 l1_bytes: 1024 gcc_bytes: 2048 l1_latency: 20 gcc_latency: 100
      l2_latency: 300 dram_latency: 500 prefetch_lines: 0 prefetch_interval: 1 l1_interval: 1 gcc_interval: 2
      launch_prefetch_bytes: 0 first_fetch_bytes: 0
    }
    registers { model: IDEAL banks: 2 read_window: 3 reuse_cache: true }
    constants {
      model: PERFECT line_bytes: 64 l0_bytes: 128 l1_bytes: 256 l1_latency: 50 gcc_latency: 200 memory_latency: 600
      parameter_latency: 300
      operand_latency: 40
      line_interval: 1
    }
    pipe { pipe: "alu" interval: 2 }
    pipe { pipe: "fmaheavy" interval: 2 }
    pipe { pipe: "fmalite" interval: 2 }
    pipe { pipe: "fp64" interval: 4 }
    pipe { pipe: "xu" interval: 8 }
    pipe { pipe: "tensor" interval: 1 }
    pipe { pipe: "uniform" interval: 2 }
    pipe { pipe: "cbu" interval: 1 }
    pipe { pipe: "adu" interval: 1 shared_by_sm: true }
    pipe { pipe: "lsu" interval: 1 }
    pipe { pipe: "tex" interval: 4 shared_by_sm: true }
    pipe { pipe: "tma" interval: 1 shared_by_sm: true }
    op { op: "unknown" pipe: "alu" latency: 5 }
    op { op: "nop" pipe: "none" latency: 0 interval: 1 }
    op { op: "alu" pipe: "alu" latency: 5 }
    op { op: "alu_predicate" pipe: "alu" latency: 12 }
    op { op: "fp32" pipe: "fma" latency: 4 }
    op { op: "fp32x2" pipe: "fmaheavy" latency: 4 }
    op { op: "imad" pipe: "fmaheavy" latency: 6 }
    op { op: "imad_wide" pipe: "fmaheavy" latency: 7 }
    op { op: "idp" pipe: "fmaheavy" latency: 6 }
    op { op: "half_mma" pipe: "fma" latency: 10 interval: 2 }
    op { op: "half" pipe: "fma" latency: 6 interval: 2 }
    op { op: "fp64" pipe: "fp64" latency: 16 }
    op { op: "mufu" pipe: "xu" latency: 20 }
    op { op: "mufu_exp" pipe: "xu" latency: 20 }
    op { op: "convert" pipe: "xu" latency: 20 }
    op { op: "convert64" pipe: "xu" latency: 22 interval: 16 }
    op { op: "bit_count" pipe: "xu" latency: 20 }
    op { op: "vote" pipe: "alu" latency: 5 }
    op { op: "vote_uniform" pipe: "alu" latency: 5 counted_pipe: "none" }
    op { op: "match" pipe: "adu" latency: 60 }
    op { op: "redux" pipe: "adu" latency: 40 }
    op { op: "shuffle" pipe: "lsu" latency: 25 }
    op { op: "s2r" pipe: "adu" latency: 35 }
    op { op: "s2r_thread" pipe: "lsu" latency: 35 }
    op { op: "cs2r" pipe: "alu" latency: 10 }
    op { op: "s2ur" pipe: "adu" latency: 24 }
    op { op: "r2ur" pipe: "alu" latency: 12 }
    op { op: "ldc" pipe: "adu" latency: 28 }
    op { op: "uldc" pipe: "uniform" latency: 20 }
    op { op: "uniform" pipe: "uniform" latency: 8 }
    op { op: "uniform_move" pipe: "uniform" latency: 8 counted_pipe: "none" }
    op { op: "hmma" pipe: "tensor" latency: 18 }
    op { op: "imma" pipe: "tensor" latency: 18 }
    op { op: "dmma" pipe: "tensor" latency: 18 }
    op { op: "movm" pipe: "lsu" latency: 25 }
    op { op: "gmma" pipe: "tensor" latency: 56 }
    op { op: "warpgroup_arrive" pipe: "none" latency: 0 }
    op { op: "warpgroup_depbar" pipe: "none" latency: 0 }
    op { op: "branch" pipe: "cbu" latency: 2 counted_pipe: "none" }
    op { op: "call" pipe: "cbu" latency: 2 }
    op { op: "converge" pipe: "cbu" latency: 2 }
    op { op: "exit" pipe: "cbu" latency: 2 }
    op { op: "nanosleep" pipe: "cbu" latency: 2 }
    op { op: "barrier" pipe: "adu" latency: 0 }
    op { op: "depbar" pipe: "none" latency: 0 }
    op { op: "ldgdepbar" pipe: "lsu" latency: 0 }
    op { op: "membar" pipe: "lsu" latency: 0 }
    op { op: "errbar" pipe: "adu" }
    op { op: "cctl" pipe: "lsu" }
    op { op: "ld_global" pipe: "lsu" latency: 0 }
    op { op: "st_global" pipe: "lsu" latency: 0 }
    op { op: "atom_global" pipe: "lsu" latency: 0 }
    op { op: "red_global" pipe: "lsu" latency: 0 }
    op { op: "ld_shared" pipe: "lsu" latency: 0 }
    op { op: "st_shared" pipe: "lsu" latency: 0 }
    op { op: "atom_shared" pipe: "lsu" latency: 0 }
    op { op: "ld_matrix" pipe: "lsu" latency: 0 }
    op { op: "st_matrix" pipe: "lsu" latency: 0 }
    op { op: "ld_local" pipe: "lsu" latency: 0 }
    op { op: "st_local" pipe: "lsu" latency: 0 }
    op { op: "ld_generic" pipe: "lsu" latency: 0 }
    op { op: "st_generic" pipe: "lsu" latency: 0 }
    op { op: "atom_generic" pipe: "lsu" latency: 0 }
    op { op: "ldgsts" pipe: "lsu" latency: 0 }
    op { op: "texture" pipe: "tex" latency: 0 }
    op { op: "cluster_barrier" pipe: "adu" latency: 0 }
    op { op: "cluster_wait" pipe: "none" }
    op { op: "mbarrier" pipe: "adu" latency: 0 }
    op { op: "bulk_copy" pipe: "tma" latency: 0 }
    op { op: "elect" pipe: "alu" latency: 6 }
    op { op: "tensor_mma" pipe: "tensor" latency: 1 interval: 1 }
    op { op: "tensor_copy" pipe: "tensor" latency: 1 interval: 1 }
    op { op: "tensor_commit" pipe: "tensor" latency: 1 interval: 1 }
    op { op: "tensor_alloc" pipe: "tensor" latency: 1 interval: 1 }
    op { op: "tensor_ld" pipe: "tensor" latency: 1 interval: 1 }
    op { op: "tensor_st" pipe: "tensor" latency: 1 interval: 1 }
    tensor {
      mma_rate: 4096 mma_overhead: 0 mma_latency: 10 mma_latency_factor: 1 dmma_rate: 1024 dmma_overhead: 0
      dmma_latency: 20 dmma_latency_factor: 1 gmma_rate: 8192 gmma_min_interval: 1 gmma_latency: 50
      gmma_port_cycles: 0 gmma_stream: 0 gmma_turns: 0 gmma_register_turns: 0 gmma_queue: 0
      gmma_step_data: 0 gmma_operand_data: 0
    }
    tensor_memory {
      columns: 512 mma_column_cycles: 0.5 shared_byte_cycles: 0.0078125 mma_latency: 44 pair_latency: 34
      move_byte_cycles: 0.0078125 move_latency: 16 allocation_latency: 40
    }
    memory {
      lg_queue: 5 mio_queue: 5 subcore_interval: 4 register_read_interval: 0 shared_interval: 2 queue_latency: 10 load_read_latency: 12
      store_read_latency: 15 store_read_per_register: 2 mio_places: 24 lg_places: 16 writeback_bytes_per_cycle: 64
    }
    shared {
      banks: 32 bank_bytes: 4 load_latency_32: 30 load_latency_64: 32 load_latency_128: 36 wavefront_cycles: 2 wavefront_latency: 2
      atomic_latency: 50 atomic_wavefront_cycles: 4 ldmatrix_latency: 40 shuffle_cycles: 2
    }
    l1 {
      total_bytes: 262144
      carveout_bytes: [ 0, 8192, 16384, 32768, 65536, 102400, 135168, 167936, 200704, 233472 ]
      default_min_carveout_bytes: 32768 default_min_carveout_threads: 256 default_carveout_headroom: 1.75
      line_bytes: 128 sector_bytes: 32 ways: 16 hit_latency_32: 40 hit_latency_64: 42 hit_latency_128: 46
      tags_per_cycle: 4 data_bytes_per_cycle: 128 miss_interval: 1 miss_sectors: 2048 pending_requests: 256 miss_latency: 20
      posted_entries: 512 posted_queue: 24 partial_store_tags: 2 port_packets: 34
      merge_lines: 16 merge_latency: 10 merge_interval: 1.5 store_bytes_per_cycle: 32 fill_bytes_per_cycle: 128
    }
    barrier {
      release_latency: 10 arrive_interval: 2 membar_cta: 50 membar_behind_stores: 30 membar_gpu: 400 membar_sys: 1000 cluster_barrier: 200
      mbarrier_arrive: 30 mbarrier_try_wait: 25
    }
    async_copy {
      tma_latency: 100 tma_request_interval: 2 tma_requests_in_flight: 64 dsm_latency: 200 dsm_packet_cycles: 2 dsm_cpcs: 3 dsm_slices: 4 dsm_slice_cycles: 1
      dsm_ways_in: 2 dsm_answer_cycles: 0.5
      tensor_copy_interval: 20 tensor_row_cycles: 2 tensor_line_cycles: 3 tensor_store_latency: 30
      tensor_reduction_cycles: 6 tensor_maps_at_hand: 2 tensor_map_refill: 40 tensor_map_first_use: 200
      tensor_parameter_first_use: 80
      ldgsts_extra_latency: 5
    }
  }
  noc {
    request_latency: 100 response_latency: 100 sm_response_bytes: 32 tpc_request_bytes: 32
    tpc_response_bytes: 32 gpc_request_bytes: 32 gpc_response_bytes: 32 packet_header_bytes: 0
    merge_entries: 0
  }
  l2 {
    total_bytes: 1048576 partitions: 1 slices: 4 ways: 16 line_bytes: 128 sector_bytes: 32 hash: MODULO
    chunk_bytes: 1024
    hit_latency: 50 far_latency: 60 fabric_bytes: 32 slice_bytes_per_cycle: 32
    slice_write_bytes_per_cycle: 32 slice_requests_per_cycle: 1 atomic_interval: 2
    atomic_latency: 20 max_persisting_bytes: 0 set_aside_replacement: LRU
  }
  dram {
    model: BANKS total_bytes: 1073741824 channels: 4 banks: 4 row_bytes: 1024 bytes_per_cycle: 32 efficiency: 1
    latency: 100 t_rcd: 10 t_rp: 12 t_cl: 14 t_ras: 40 t_ccd: 2 t_wr_turnaround: 8 write_batch: 4 access_bytes: 64
  }
  tlb {
    enabled: false page_bytes: 2097152 l1_entries: 2 l2_entries: 4 l3_entries: 8 l2_latency: 10 l3_latency: 100
    walk_latency: 500 walk_bytes: 2097152 walkers: 2
  }
  host {
    link {
      generation: 1 lanes: 32 max_payload_bytes: 256 read_request_bytes: 256 efficiency: 1 write_combined_gain: 1
      read_piece_bytes: 32 access_ns: 0 partial_write_ns: 10 engine_bytes: 0
      posted_bytes_per_sm: 65536 posted_bytes: 131072 flush_scale: 0 flush_loads_ns: 0 store_sm_gb_per_s: 0
      flush_bytes_per_sm: 0 flush_bytes: 0 flush_share: 0
    }
    peer { links: 0 link_gb_per_s: 25 efficiency: 1 start_ns: 0 }
    copy {
      engines: 2 h2d_start_ns: 0 d2h_start_ns: 0 d2d_start_ns: 0 graph_d2d_start_ns: 0 d2d_efficiency: 1
      memset_efficiency: 1
      memset_start_ns: 0 memset_inline_bytes: 0 memset_inline_start_ns: 0 d2h_to_kernel_ns: 0 h2d_to_kernel_ns: 0
      other_engine_ns: 0 inline_bytes: 0
    }
    staging {
      inline_bytes: 65536 inline_start_ns: 0 inline_host_gb_per_s: 10 inline_device_gb_per_s: 10 chunk_bytes: 1048576
      chunk_ns: 0
      to_device_gb_per_s: 10 to_device_uncached_gb_per_s: 5 cached_bytes: 16777216 from_device_gb_per_s: 10
      from_device_ns: 0
    }
    queues { connections: 8 copy_connections: 8 depth: 1024 }
    latency {
      submit_ns: 0 kernel_start_ns: 0 kernel_end_ns: 0 cooperative_start_ns: 0 grid_barrier_ns: 0 same_stream_ns: 0 other_stream_ns: 0 event_ns: 0 spin_ns: 0
      yield_ns: 0 block_ns: 0 host_function_start_ns: 0 host_function_end_ns: 0
      host_function_next_ns: 0
      halted_after_ns: 0
      halted_ns: 0
      idle_after_ns: 0
      idle_ns: 0
      idle_ns_per_us: 0
      idle_most_ns: 0
      wake_spread: 0
      idle_spread: 0
    }
    calls {
      cpu_speed: 1
      cpu_spread: 0
      launch_ns: 0 launch_programmatic_ns: 0 stream_switch_ns: 0 memcpy_ns: 0 d2d_ns: 0 memset_ns: 0 event_record_ns: 0
      event_record_no_timing_ns: 0 wait_event_ns: 0 query_ns: 0 synchronize_ns: 0 host_function_ns: 0 create_ns: 0
      event_create_ns: 0 mem_get_info_ns: 0
      malloc_ns: 0 free_ns: 0 malloc_host_ns: 0 malloc_host_ns_per_mib: 0 free_host_ns: 0 malloc_cut_ns: 0 free_cut_ns: 0 malloc_host_cut_ns: 0
      free_host_cut_ns: 0 free_host_ns_per_mib: 0
      launch_parameters_ns_per_kib: 0 launch_lock_ns: 0 stream_lock_ns: 0 malloc_ns_per_mib: 0 free_ns_per_mib: 0
      host_register_ns: 0 host_register_ns_per_mib: 0 host_unregister_ns: 0 host_unregister_ns_per_mib: 0
    }
    first {
      process_ns: 0 context_ns: 0 call_ns: 0 launch_ns: 0 module_ns: 0 module_kernel_ns: 0 module_ns_per_kib: 0
      module_printf_ns: 0 module_heap_ns: 0 kernel_ns: 0 kernel_ns_per_kib: 0 kernel_copied_from_kib: 64
      kernel_copied_ns_per_kib: 0 printf_ns: 0 heap_ns: 0
    }
    pauses {
      worked_from_us: 1000 worked_decade_ns: 0 worked_most_ns: 1000000000 slept_from_us: 1000 slept_decade_ns: 0
      slept_most_ns: 1000000000
    }
    sharing { slice_us: 2000 change_ns: 0 }
    priorities: 6
    graph {
      launch_ns: 0 launch_node_ns: 0 add_node_ns: 0 instantiate_ns: 0 instantiate_node_ns: 0 first_instantiate_ns: 0 upload_ns: 0
      instantiate_again_ns: 0 instantiate_kept_nodes: 0 instantiate_root_ns: 0
      upload_node_ns: 0 update_ns: 0 update_each_ns: 0 update_node_ns: 0 capture_ns: 0 capture_begin_ns: 0
      capture_end_ns: 0 start_ns: 0 node_ns: 0 branch_ns: 0 join_ns: 0
      programmatic_ns: 0 launch_completion_ns: 0 instantiate_device_ns: 0 upload_device_ns: 0 device_launcher_ns: 0
      device_launch_ns: 0 device_start_ns: 0 device_tail_ns: 0 device_node_ns: 0
      launch_root_ns: 0 launch_sink_ns: 0 launch_branch_ns: 0 launch_copy_ns: 0 launch_event_ns: 0 launch_host_ns: 0
      launch_conditions_ns: 0 launch_condition_ns: 0 instantiate_body_ns: 0 condition_ns: 0 inner_condition_ns: 0
      body_ns: 0 front_end_ns: 0
    }
    graph_memory {
      launch_ns: 0 map_ns: 0 map_chunk_ns: 0 take_ns: 0 take_chunk_ns: 0 stream_chunk_ns: 0 trim_ns: 0 trim_chunk_ns: 0
    }
    memory {
      context_bytes: 0 granularity_bytes: 2097152 alignment_bytes: 512
      pool_chunk_bytes: 2097152 pool_malloc_ns: 0 pool_free_ns: 0
      pool_grow_ns: 0 pool_grow_chunk_ns: 0 pool_shrink_chunk_ns: 0
    }
    vmm {
      reserve_ns: 0 reserve_large_ns: 0 reserve_large_bytes: 1099511627776
      create_ns: 0 map_ns: 0 set_access_ns: 0 unmap_ns: 0 release_ns: 0 create_ns_per_mib: 0 set_access_ns_per_mib: 0
      unmap_ns_per_mib: 0 release_ns_per_mib: 0
    }
    dynamic {
      forget_call_ns: 0 stream_call_ns: 0 behind_call_ns: 0 tail_call_ns: 0 forget_serial_ns: 0 stream_serial_ns: 0 first_contention_ns: 0 contention_ns: 0
      stream_create_ns: 0 event_call_ns: 0 start_ns: 0 next_ns: 0 event_wait_ns: 0 tail_start_ns: 0 join_ns: 0 finish_ns: 0
      cleanup_ns: 0 parent_ns: 0 runtime_ns: 0 pending_launches: 2048 least_pending_launches: 32 parameter_bytes: 4096
      virtual_pool_ns: 0 sync_depth: 2 sync_level_bytes: 1048576
    }
    um {
      support: MANAGED page_bytes: 65536 block_bytes: 2097152 fault_batch_pages: 16 gpu_fault_ns: 10000
      fault_batch_entries: 256 fault_entry_ns: 0 fault_block_ns: 0 fault_move_ns: 0 fault_page_ns: 0 fault_along_ns: 0 fault_density_percent: 100
      populate_block_ns: 0 cpu_block_ns: 0 cpu_along_ns: 0 cpu_touch_ns: 0 cpu_fault_ns: 1000 evict_ns: 5000 thrash_count: 3 thrash_lapse_us: 500 direct_host_access: false
      first_fault_ns: 0 populate_ns: 0 prefetch_ns: 0 prefetch_page_ns: 0 prefetch_start_ns: 0 prefetch_home_ns: 0
      malloc_ns: 0 free_ns: 0 malloc_ns_per_mib: 0 free_ns_per_mib: 0
    }
    l2 { max_window_bytes: 1048576 set_aside_steps: 64 default_steps: 0 set_limit_ns: 0 reset_ns: 0 }
  }
)";

}  // namespace

config::GpuConfig test_config(uint32_t sms) {
  config::GpuConfig g;
  google::protobuf::TextFormat::Parser parser;
  parser.AllowUnknownField(
      true);  // a field that the schema has dropped does no harm; test_config_test finds new ones
  if (!parser.ParseFromString(kGpu, &g)) {
    throw std::logic_error("tests/sim/support/test_config.cc does not fit the schema");
  }
  g.mutable_topology()->set_sms(sms);
  g.mutable_topology()->set_sms_per_tpc(sms == 1 ? 1 : 2);
  for (uint32_t gpc = 0; gpc < (sms + 1) / 2; ++gpc) {
    g.mutable_topology()->add_tpcs_per_gpc(1);
  }
  return g;
}

spec::GpuConfig test_gpu(uint32_t sms) { return test_config(sms); }

spec::GpuConfig two_partition_gpu() {
  spec::GpuConfig g = test_gpu(4);
  g.mutable_l2()->set_partitions(2);
  return g;
}

}  // namespace heddle::simtest
