#include "sim/host/resources.h"

#include <algorithm>

namespace heddle::host {
namespace {

uint32_t round_up(uint32_t v, uint32_t unit) { return (v + unit - 1) / unit * unit; }

std::string number(uint64_t v) { return std::to_string(v); }

}  // namespace

BlockNeeds needs_of(const KernelDesc& k, const Params& p) {
  const config::Limits& l = p.limits;
  BlockNeeds n;
  n.warps = static_cast<uint32_t>((k.block.count() + l.warp_size() - 1) / l.warp_size());
  const uint32_t per_warp =
      std::max(1u, round_up(std::max(1u, k.registers) * l.warp_size(), l.register_allocation_unit()));
  // Registers belong to a quarter of the SM, and a warp's lie in one: what one quarter has left over nobody
  // can use.
  const uint32_t quarter = l.registers_per_sm() / p.subcores;
  const uint32_t warps_of_quarter = std::max(1u, quarter / per_warp);
  n.registers = n.warps * (quarter / warps_of_quarter);
  n.shared = round_up(k.static_shared_bytes + k.dynamic_shared_bytes, l.shared_allocation_unit()) +
             l.reserved_shared_bytes_per_block();
  return n;
}

uint32_t blocks_per_sm(const KernelDesc& k, const Params& p) {
  const config::Limits& l = p.limits;
  const BlockNeeds n = needs_of(k, p);
  if (n.warps == 0) {
    return 0;
  }
  uint32_t fit =
      std::min({l.max_blocks_per_sm(), l.max_warps_per_sm() / n.warps, l.registers_per_sm() / n.registers});
  return n.shared > 0 ? std::min(fit, l.shared_bytes_per_sm() / n.shared) : fit;
}

std::optional<Refusal> refuse_launch(const KernelDesc& k, const Params& p) {
  const config::Limits& l = p.limits;
  if (!k.has_grid) {
    return std::nullopt;
  }
  const auto no = [](const char* error, const std::string& why) { return Refusal{error, why}; };
  if (k.grid.count() == 0 || k.block.count() == 0) {
    return no("cudaErrorInvalidConfiguration", "a grid or block without threads");
  }
  if (k.grid.x > 2147483647u || k.grid.y > 65535 || k.grid.z > 65535) {  // PM07
    return no("cudaErrorInvalidConfiguration", "grid beyond 2147483647 x 65535 x 65535");
  }
  if (k.block.x > 1024 || k.block.y > 1024 || k.block.z > 64) {  // PM07
    return no("cudaErrorInvalidConfiguration", "block beyond 1024 x 1024 x 64");
  }
  if (k.block.count() > l.max_threads_per_block()) {  // PM03
    return no("cudaErrorInvalidConfiguration",
              number(k.block.count()) + " threads per block, limit " + number(l.max_threads_per_block()));
  }
  if (k.static_shared_bytes > 48 * 1024) {  // SH11
    return no("cudaErrorInvalidValue", "more than 48 KB of static shared memory");
  }
  const uint64_t shared = uint64_t{k.static_shared_bytes} + k.dynamic_shared_bytes;
  if (shared > l.max_shared_bytes_per_block()) {  // PM09, SH15
    return no("cudaErrorInvalidValue", number(shared) + " bytes of shared memory per block, limit " +
                                           number(l.max_shared_bytes_per_block()));
  }
  if (k.max_threads > 0 && k.block.count() > k.max_threads) {  // OC10
    return no("cudaErrorLaunchOutOfResources",
              number(k.block.count()) + " threads per block, launch bounds " + number(k.max_threads));
  }
  if (k.registers > l.max_registers_per_thread()) {  // OC05
    return no("cudaErrorLaunchOutOfResources",
              number(k.registers) + " registers per thread, limit " + number(l.max_registers_per_thread()));
  }
  const uint64_t cluster = k.cluster.count();
  if (cluster > l.max_cluster_blocks()) {  // PM11
    return no("cudaErrorInvalidClusterSize",
              number(cluster) + " blocks per cluster, limit " + number(l.max_cluster_blocks()));
  }
  if (cluster == 0 || k.grid.x % k.cluster.x || k.grid.y % k.cluster.y || k.grid.z % k.cluster.z) {  // PM12
    return no("cudaErrorInvalidClusterSize", "the grid is no multiple of the cluster");
  }
  const uint32_t fit = blocks_per_sm(k, p);
  if (fit == 0) {  // OC02
    return no("cudaErrorLaunchOutOfResources", "not even one block fits on an SM");
  }
  if (k.cooperative && k.grid.count() > uint64_t{fit} * p.sms) {  // PM18
    return no(
        "cudaErrorCooperativeLaunchTooLarge",
        number(k.grid.count()) + " blocks, " + number(uint64_t{fit} * p.sms) + " can be resident at once");
  }
  return std::nullopt;
}

Ps block_time(const KernelDesc& k, const Params& p) {
  if (k.block_duration > 0 || k.duration == 0 || !k.has_grid) {
    return k.block_duration;
  }
  const uint64_t at_once = std::max<uint64_t>(1, uint64_t{blocks_per_sm(k, p)} * p.sms);
  const uint64_t waves = (k.grid.count() + at_once - 1) / at_once;
  // The last block starts behind the others of its wave, and every wave has a block's start and end.
  const Ps fixed =
      ((k.grid.count() - 1) % at_once) * p.block_interval + waves * (p.block_start + p.block_retire);
  return k.duration > fixed ? (k.duration - fixed) / waves : 0;
}

}  // namespace heddle::host
