#include "sim/device/simulate.h"

#include <algorithm>
#include <optional>

#include "sim/base/error.h"
#include "sim/device/block_sampler.h"
#include "sim/device/occupancy.h"
#include "sim/device/share.h"

namespace heddle::device {
namespace {

constexpr uint64_t kMinBlocks = 16;    // on the share; a few blocks need not be like the others
constexpr uint32_t kSamplingSms = 32;  // with RunOptions::sample

uint32_t wanted_sms(const config::GpuConfig& gpu, const isa::LaunchShape& shape, bool sample) {
  if (gpu.share().sms() > 0) {
    return gpu.share().sms();
  }
  const bool long_grid =
      sample && occupancy(gpu, shape).waves_per_sm >= static_cast<double>(BlockSampler::kMinWaves);
  return long_grid ? kSamplingSms : gpu.topology().sms();
}

}  // namespace

stats::KernelResult simulate(const config::GpuConfig& gpu, isa::BlockSource& kernel,
                             const RunOptions& options) {
  const isa::LaunchShape& shape = kernel.image().shape;
  const std::optional<config::GpuConfig> share = share_of(gpu, wanted_sms(gpu, shape, options.sample));
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
      RunOptions scaled = options;
      scaled.l2.set_aside_bytes = options.l2.set_aside_bytes * share->topology().sms() / gpu.topology().sms();
      BlockShare part(kernel, kept, gpu.topology().sms_per_tpc());
      stats::KernelResult result = Gpu(*share, options.threads).run(part, scaled);
      part.complete(result, gpu);
      result.occupancy = occupancy(gpu, shape);
      return result;
    }
  }
  return Gpu(gpu, options.threads).run(kernel, options);
}

}  // namespace heddle::device
