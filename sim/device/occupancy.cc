#include "sim/device/occupancy.h"

#include <algorithm>
#include <string>

#include "sim/base/align.h"
#include "sim/base/error.h"

namespace heddle::device {
namespace {

[[noreturn]] void refuse(const std::string& what, uint64_t wanted, uint64_t limit) {
  throw Error("too many resources requested for launch: " + what + " " + std::to_string(wanted) + ", limit " +
              std::to_string(limit));
}

// The carve-out the driver picks when the program asks for none. The rule is not documented; this one gives
// the driver's choice for every kernel of hw/h200/suite.csv (launch__shared_mem_config_size): head-room over
// what full residency needs, and a floor that shrinks for large blocks.
uint32_t default_carveout(const spec::L1Cache& l1, double resident_blocks, uint32_t whole_blocks,
                          uint32_t threads, uint32_t block_bytes) {
  uint32_t floor = l1.default_min_carveout_bytes();
  if (threads > l1.default_min_carveout_threads()) {
    floor = static_cast<uint32_t>(uint64_t{floor} * l1.default_min_carveout_threads() / threads);
  }
  const auto& sizes = l1.carveout_bytes();
  double want = resident_blocks * block_bytes * l1.default_carveout_headroom();
  bool any_shared = want > 0;
  if (want >= sizes[sizes.size() - 1]) {
    want =
        static_cast<double>(whole_blocks) * block_bytes - 1;  // no room for head-room: what residency needs
  }
  for (uint32_t s : sizes) {
    if (s >= floor && (!any_shared || s > want)) {
      return s;
    }
  }
  return sizes[sizes.size() - 1];
}

// The smallest carve-out of at least `bytes`; the largest when there is none.
uint32_t carveout_of(const spec::L1Cache& l1, uint64_t bytes) {
  for (uint32_t s : l1.carveout_bytes()) {
    if (s >= bytes) {
      return s;
    }
  }
  return l1.carveout_bytes(l1.carveout_bytes_size() - 1);
}

// Which splits of the L1 array a block accepts that finds the SM in use (FINDINGS.md 21): enough shared
// memory for as many blocks as its other resources allow; with a preferred carve-out, no more than that.
void carveout_range(const spec::L1Cache& l1, const isa::LaunchShape& shape, uint32_t whole_blocks,
                    stats::Occupancy& o) {
  o.carveout_min_bytes = carveout_of(l1, uint64_t{whole_blocks} * o.shared_bytes_per_block);
  o.carveout_max_bytes = l1.carveout_bytes(l1.carveout_bytes_size() - 1);
  if (shape.carveout_percent >= 0) {
    o.carveout_min_bytes = std::min(o.carveout_min_bytes, o.shared_carveout_bytes);
    o.carveout_max_bytes = o.shared_carveout_bytes;
  }
}

}  // namespace

BlockResources block_resources(const spec::Limits& lim, uint32_t subcores, uint64_t threads,
                               uint32_t registers_per_thread, uint32_t shared_bytes) {
  BlockResources r;
  r.warps = static_cast<uint32_t>(divide_up(threads, lim.warp_size()));
  const uint32_t per_warp = std::max(
      1u, round_up(std::max(1u, registers_per_thread) * lim.warp_size(), lim.register_allocation_unit()));
  // Registers belong to a sub-core, so a whole number of warps must fit in each quarter of the file.
  r.register_warps = lim.registers_per_sm() / subcores / per_warp * subcores;
  r.registers = per_warp * r.warps;
  r.shared_bytes =
      round_up(shared_bytes, lim.shared_allocation_unit()) + lim.reserved_shared_bytes_per_block();
  if (r.warps > 0) {
    r.limit_blocks = lim.max_blocks_per_sm();
    r.limit_warps = lim.max_warps_per_sm() / r.warps;
    r.limit_registers = r.register_warps / r.warps;
  }
  return r;
}

stats::Occupancy occupancy(const spec::GpuConfig& gpu, const isa::LaunchShape& shape) {
  const spec::Limits& lim = gpu.limits();
  const spec::L1Cache& l1 = gpu.sm().l1();
  uint32_t threads = shape.threads();
  if (threads == 0 || shape.grid.count() == 0) {
    throw Error("empty launch: grid and block need at least one thread");
  }
  if (threads > lim.max_threads_per_block()) {
    refuse("threads per block", threads, lim.max_threads_per_block());
  }
  if (shape.registers_per_thread > lim.max_registers_per_thread()) {
    refuse("registers per thread", shape.registers_per_thread, lim.max_registers_per_thread());
  }
  if (shape.shared_bytes() > lim.max_shared_bytes_per_block()) {
    refuse("shared memory per block in bytes", shape.shared_bytes(), lim.max_shared_bytes_per_block());
  }
  if (shape.cluster.count() > lim.max_cluster_blocks()) {
    refuse("blocks per cluster", shape.cluster.count(), lim.max_cluster_blocks());
  }
  const BlockResources block =
      block_resources(lim, gpu.sm().subcores(), threads, shape.registers_per_thread, shape.shared_bytes());
  const uint32_t warps = block.warps;
  if (block.registers > lim.max_registers_per_block()) {
    refuse("registers per block", block.registers, lim.max_registers_per_block());
  }
  stats::Occupancy o;
  o.limit_blocks = block.limit_blocks;
  o.limit_warps = block.limit_warps;
  o.limit_registers = block.limit_registers;
  o.registers_per_block = block.registers;
  o.shared_bytes_per_block = block.shared_bytes;

  uint32_t other = std::min({o.limit_blocks, o.limit_warps, o.limit_registers});
  double fractional =
      static_cast<double>(lim.registers_per_sm()) /
      (std::max(1u, shape.registers_per_thread) * static_cast<double>(warps * lim.warp_size()));
  fractional =
      std::min({fractional, static_cast<double>(o.limit_blocks), static_cast<double>(o.limit_warps)});
  if (shape.carveout_percent >= 0) {
    uint64_t want = uint64_t{lim.shared_bytes_per_sm()} * static_cast<uint32_t>(shape.carveout_percent) / 100;
    o.shared_carveout_bytes = carveout_of(l1, std::max<uint64_t>(want, o.shared_bytes_per_block));
  } else {
    o.shared_carveout_bytes =
        default_carveout(l1, shape.shared_bytes() ? fractional : 0, other, threads, o.shared_bytes_per_block);
  }
  carveout_range(l1, shape, other, o);
  o.limit_shared =
      o.shared_bytes_per_block ? o.shared_carveout_bytes / o.shared_bytes_per_block : lim.max_blocks_per_sm();
  o.l1_bytes = l1.total_bytes() - std::min(l1.total_bytes(), o.shared_carveout_bytes);
  o.blocks_per_sm = std::min(other, o.limit_shared);
  if (o.blocks_per_sm == 0) {
    refuse(o.limit_shared == 0 ? "shared memory per block in bytes" : "registers per block",
           o.limit_shared == 0 ? o.shared_bytes_per_block : o.registers_per_block,
           o.limit_shared == 0 ? o.shared_carveout_bytes : lim.registers_per_sm());
  }
  o.warps_per_sm = o.blocks_per_sm * warps;
  o.theoretical_pct = 100.0 * o.warps_per_sm / lim.max_warps_per_sm();
  o.waves_per_sm =
      static_cast<double>(shape.grid.count()) / (static_cast<double>(o.blocks_per_sm) * gpu.topology().sms());
  return o;
}

}  // namespace heddle::device
