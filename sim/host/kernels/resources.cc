#include "sim/host/kernels/resources.h"

#include <algorithm>

#include "sim/base/align.h"
#include "sim/device/occupancy.h"

namespace heddle::host {
namespace {

constexpr uint32_t kPortableCluster = 8;  // cuda-model B7

std::string number(uint64_t v) { return std::to_string(v); }

device::BlockResources resources_of(const KernelDesc& k, const Params& p) {
  return device::block_resources(p.limits, p.subcores, k.block.count(), k.registers,
                                 k.static_shared_bytes + k.dynamic_shared_bytes);
}

}  // namespace

BlockNeeds needs_of(const KernelDesc& k, const Params& p) {
  const device::BlockResources r = resources_of(k, p);
  BlockNeeds n;
  n.warps = r.warps;
  // A warp's registers lie in one quarter of the SM: what the quarter has left over goes with them, and
  // blocks of other kernels, too, find what is left of the whole.
  n.registers = r.warps * (p.limits.registers_per_sm() / std::max(p.subcores, r.register_warps));
  n.shared = r.shared_bytes;
  return n;
}

uint32_t blocks_per_sm(const KernelDesc& k, const Params& p) {
  const device::BlockResources r = resources_of(k, p);
  const uint32_t fit = std::min({r.limit_blocks, r.limit_warps, r.limit_registers});
  return r.shared_bytes > 0 ? std::min(fit, p.limits.shared_bytes_per_sm() / r.shared_bytes) : fit;
}

uint64_t max_active_clusters(const KernelDesc& k, uint64_t cluster, const Params& p) {
  std::vector<uint64_t> room;
  const uint32_t fit = blocks_per_sm(k, p);
  for (size_t sm = 0; sm < p.gpc_of_sm.size(); ++sm) {
    room.resize(std::max<size_t>(room.size(), p.gpc_of_sm[sm] + 1));
    room[p.gpc_of_sm[sm]] += p.takes_cluster(sm, cluster) ? fit : 0;
  }
  uint64_t sum = 0;
  for (const uint64_t r : room) {
    sum += r / std::max<uint64_t>(1, cluster);
  }
  return sum;
}

uint32_t max_potential_cluster(const KernelDesc& k, const Params& p) {
  uint32_t size = k.non_portable_cluster ? p.limits.max_cluster_blocks()
                                         : std::min(kPortableCluster, p.limits.max_cluster_blocks());
  while (size > 0 && max_active_clusters(k, size, p) == 0) {
    --size;
  }
  return size;
}

uint32_t carveout(const KernelDesc& k, const Params& p) {
  if (k.carveout_percent < 0 || p.carveouts.empty()) {
    return kNone;
  }
  const uint64_t wanted = uint64_t{p.carveouts.back()} * static_cast<uint32_t>(k.carveout_percent);
  for (const uint32_t c : p.carveouts) {
    if (uint64_t{c} * 100 >= wanted) {
      return c;
    }
  }
  return p.carveouts.back();
}

namespace {

// Errors of clusters: PM11-PM14, OC10.
std::optional<Refusal> refuse_cluster(const KernelDesc& k, const Params& p,
                                      const std::optional<Extent>& attribute) {
  const auto no = [](const std::string& why) { return Refusal{"cudaErrorInvalidClusterSize", why}; };
  const bool fixed = k.cluster.count() != 1;
  if (k.needs_cluster && !attribute) {
    return no("the kernel has __cluster_dims__() without a size, and the launch gives none");
  }
  const Extent c = attribute.value_or(k.cluster);
  if (fixed && (c.x != k.cluster.x || c.y != k.cluster.y || c.z != k.cluster.z)) {
    return no("the kernel was compiled for another cluster");
  }
  const uint64_t cluster = c.count();
  const uint32_t most = k.non_portable_cluster ? p.limits.max_cluster_blocks()
                                               : std::min(kPortableCluster, p.limits.max_cluster_blocks());
  if (cluster > most) {
    return no(number(cluster) + " blocks per cluster, limit " + number(most) +
              (cluster <= p.limits.max_cluster_blocks() ? " unless non-portable sizes are allowed" : ""));
  }
  if (cluster == 0 || k.grid.x % c.x || k.grid.y % c.y || k.grid.z % c.z) {
    return no("the grid is no multiple of the cluster");
  }
  if (k.max_cluster_blocks > 0 && cluster > k.max_cluster_blocks) {
    return no(number(cluster) + " blocks per cluster, launch bounds " + number(k.max_cluster_blocks));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> refuse_launch(const KernelDesc& k, const Params& p,
                                     const std::optional<Extent>& attribute) {
  const spec::Limits& l = p.limits;
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
  const uint32_t parameters = p.compute_capability >= 70 ? 32764 : 4096;
  if (k.parameter_bytes > parameters) {  // PM29
    return no("cudaErrorInvalidValue",
              number(k.parameter_bytes) + " bytes of parameters, limit " + number(parameters));
  }
  if (auto refused = refuse_cluster(k, p, attribute)) {
    return refused;
  }
  const uint32_t fit = blocks_per_sm(k, p);
  if (fit == 0) {  // OC02
    return no("cudaErrorLaunchOutOfResources", "not even one block fits on an SM");
  }
  const uint64_t cluster = attribute.value_or(k.cluster).count();
  const uint64_t resident =
      cluster > 1 ? max_active_clusters(k, cluster, p) * cluster : uint64_t{fit} * p.sms;
  if (resident == 0) {
    return no("cudaErrorLaunchOutOfResources", "no GPC has room for a cluster of " + number(cluster));
  }
  if (k.cooperative && k.grid.count() > resident) {  // PM18
    return no("cudaErrorCooperativeLaunchTooLarge",
              number(k.grid.count()) + " blocks, " + number(resident) + " can be resident at once");
  }
  return std::nullopt;
}

Ps block_time(const KernelDesc& k, Ps duration, const Params& p) {
  duration = duration > Ps() ? duration : k.duration;
  if (k.block_duration > Ps() || duration == Ps() || !k.has_grid) {
    return k.block_duration;
  }
  const uint64_t at_once = std::max<uint64_t>(1, uint64_t{blocks_per_sm(k, p)} * p.sms);
  const uint64_t waves = divide_up(k.grid.count(), at_once);
  // The last block starts behind the others of its wave, and every wave has a block's start and end.
  const Ps fixed =
      ((k.grid.count() - 1) % at_once) * p.block_interval + waves * (p.block_start + p.block_retire);
  return duration > fixed ? (duration - fixed) / waves : Ps();
}

}  // namespace heddle::host
