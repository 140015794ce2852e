#include "sim/sampling/simulate.h"

#include <algorithm>
#include <optional>

#include "sim/base/error.h"
#include "sim/device/occupancy.h"
#include "sim/sampling/block_sampler.h"
#include "sim/sampling/share.h"

namespace heddle::sampling {
namespace {

constexpr uint64_t kMinBlocks = 16;    // on the share; a few blocks need not be like the others
constexpr uint32_t kSamplingSms = 32;  // of a machine that is sampled

uint32_t wanted_sms(const spec::GpuConfig& gpu, const isa::LaunchShape& shape, bool sample) {
  if (gpu.share().sms() > 0) {
    return gpu.share().sms();
  }
  const bool long_grid =
      sample && device::occupancy(gpu, shape).waves_per_sm >= static_cast<double>(BlockSampler::kMinWaves);
  return long_grid ? kSamplingSms : gpu.topology().sms();
}

stats::KernelResult run(const spec::GpuConfig& gpu, isa::BlockSource& kernel,
                        const device::RunOptions& options, bool sample) {
  device::Gpu machine(gpu, options.threads);
  return sample ? sample_blocks(machine, gpu, kernel, options) : machine.run(kernel, options);
}

}  // namespace

stats::KernelResult sample_blocks(device::Gpu& gpu, const spec::GpuConfig& config, isa::BlockSource& kernel,
                                  const device::RunOptions& options) {
  if (options.profile.any()) {
    throw Error("a profile needs every block: it cannot be had with sampling");
  }
  BlockSampler sampler(config, kernel, options.cancel);
  device::RunOptions watched = options;
  watched.watcher = &sampler;
  return gpu.run(sampler, watched);
}

stats::KernelResult simulate(const spec::GpuConfig& gpu, isa::BlockSource& kernel,
                             const device::RunOptions& options, bool sample) {
  const isa::LaunchShape& shape = kernel.image().shape;
  const std::optional<spec::GpuConfig> share = share_of(gpu, wanted_sms(gpu, shape, sample));
  if (share) {
    const uint64_t blocks = std::max<uint64_t>(1, shape.cluster.count());
    const uint64_t kept =
        clusters_of_share(shape.grid.count() / blocks, share->topology().sms(), gpu.topology().sms());
    if (kept * blocks >= kMinBlocks) {
      if (options.profile.any()) {
        throw Error(
            "a profile needs every block: it cannot be had from a share of the machine (share.sms, "
            "sampling)");
      }
      device::RunOptions scaled = options;
      scaled.l2.set_aside_bytes = options.l2.set_aside_bytes * share->topology().sms() / gpu.topology().sms();
      BlockShare part(kernel, kept, gpu.topology().sms_per_tpc());
      stats::KernelResult result = run(*share, part, scaled, sample);
      part.complete(result, gpu);
      result.occupancy = device::occupancy(gpu, shape);
      return result;
    }
  }
  return run(gpu, kernel, options, sample);
}

}  // namespace heddle::sampling
