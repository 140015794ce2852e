#include "frontends/cuda/functions.h"

#include <algorithm>

#include "frontends/cuda/status.h"
#include "sim/host/kernels/resources.h"

namespace heddle::cuda {
namespace {

constexpr uint32_t kUnaskedShared = 48 << 10;  // of a block, without asking (guide, compute capability 9.0)
enum FunctionAttribute : int32_t { kMostDynamicShared = 8, kPreferredCarveout = 9, kNonPortableCluster = 14 };

host::KernelDesc plain(LoadedFunction& f, int32_t threads, size_t shared) {
  KernelWork k;
  k.function = &f;
  k.block = {static_cast<uint32_t>(std::max(threads, 1)), 1, 1};
  k.shared = static_cast<uint32_t>(std::min<size_t>(shared, UINT32_MAX));
  return described(k, {});
}

}  // namespace

int32_t most_threads(const LoadedFunction& f, const Context& c) {
  const spec::Limits& l = c.params().limits;
  const uint32_t said = f.kernel->most_threads;
  uint32_t most = said != 0 ? said : l.max_threads_per_block();
  if (f.kernel->registers != 0) {
    // Warps whose registers, in units, an SM has.
    const uint32_t unit = l.register_allocation_unit();
    const uint32_t warp = (f.kernel->registers * l.warp_size() + unit - 1) / unit * unit;
    const uint32_t warps =
        l.max_registers_per_block() / warp / l.warp_allocation_unit() * l.warp_allocation_unit();
    most = std::min(most, warps * l.warp_size());
  }
  return static_cast<int32_t>(most);
}

int32_t most_dynamic_shared(const LoadedFunction& f) {
  return f.most_dynamic_shared >= 0
             ? f.most_dynamic_shared
             : static_cast<int32_t>(kUnaskedShared - std::min(kUnaskedShared, f.kernel->static_shared));
}

void set_attribute(LoadedFunction& f, int32_t attribute, int32_t value, const Context& c) {
  switch (attribute) {
    case kMostDynamicShared: {
      const uint32_t most = c.params().limits.max_shared_bytes_per_block();
      require(value >= 0 && static_cast<uint32_t>(value) + f.kernel->static_shared <= most,
              Status::kInvalidValue, "more shared memory than a block can have");
      f.most_dynamic_shared = value;
      break;
    }
    case kPreferredCarveout:
      require(value >= -1 && value <= 100, Status::kInvalidValue, "no percentage");
      f.carveout = value;
      break;
    case kNonPortableCluster:
      f.non_portable_cluster = value != 0;
      break;
    default:
      throw CallFailed(Status::kInvalidValue, "no attribute that can be set");
  }
}

int32_t resident_blocks(LoadedFunction& f, int32_t threads, size_t shared, const Context& c) {
  require(threads > 0, Status::kInvalidValue, "a block has threads");
  return static_cast<int32_t>(host::blocks_per_sm(plain(f, threads, shared), c.params()));
}

size_t available_shared(LoadedFunction& f, int32_t blocks, int32_t threads, const Context& c) {
  const spec::Limits& l = c.params().limits;
  require(blocks > 0 && threads > 0 && resident_blocks(f, threads, 0, c) >= blocks, Status::kInvalidValue,
          "so many blocks do not fit");
  const uint32_t unit = l.shared_allocation_unit();
  const uint32_t each = l.shared_bytes_per_sm() / static_cast<uint32_t>(blocks) / unit * unit;
  // As an H200 answers (device.txt, available_shared): what the system reserves is not taken off.
  const uint32_t taken = f.kernel->static_shared;
  return std::min(each > taken ? each - taken : 0, l.max_shared_bytes_per_block() - taken);
}

int32_t resident_clusters(const KernelWork& k, const Context& c) {
  return static_cast<int32_t>(host::max_active_clusters(described(k, {}), k.cluster.count(), c.params()));
}

int32_t largest_cluster(const KernelWork& k, const Context& c) {
  return static_cast<int32_t>(host::max_potential_cluster(described(k, {}), c.params()));
}

}  // namespace heddle::cuda
