#include "analysis/validate/host/l2_persist.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "analysis/validate/host/sliding_window.h"
#include "sim/base/error.h"
#include "sim/device/gpu.h"

namespace heddle::hostbench {
namespace {

constexpr uint32_t kBlocks = 262144, kSimulated = kBlocks / 8;

}  // namespace

std::optional<double> l2_persist_us(const Row& row, const config::GpuConfig& gpu,
                                    const std::filesystem::path& sass, int threads,
                                    const std::atomic<bool>* cancel) {
  unsigned mib = 0, sixteenths = 0;
  char mode[16] = "";
  const int found = std::sscanf(row.parameter.c_str(), "%uMiB %15s with %u/16", &mib, mode, &sixteenths);
  if (row.test != "l2_persist_us" || found < 2) {
    return std::nullopt;
  }
  const std::string_view how = mode;
  const bool tuned = how == "hitRatioTuned";
  const uint64_t frequent = uint64_t{mib} << 20;
  device::RunOptions o;
  o.threads = threads;
  o.cancel = cancel;
  // hostbench.cu: min(0.75 of the L2, persistingL2CacheMaxSize)
  o.l2.set_aside_bytes = found == 3
                             ? gpu.l2().total_bytes() / 16 * sixteenths
                             : std::min(gpu.l2().total_bytes() / 4 * 3, gpu.l2().max_persisting_bytes());
  if (how != "none") {
    const double fits = static_cast<double>(o.l2.set_aside_bytes) / static_cast<double>(frequent);
    o.l2.window = {SlidingWindow::kPersist, frequent, tuned ? std::min(1.0, fits) : 1.0,
                   memory::AccessProperty::kPersisting, memory::AccessProperty::kStreaming};
  }
  std::ifstream in(sass);
  std::stringstream code;
  if (!(code << in.rdbuf())) {
    throw Error(sass.string() + ": cannot be read");
  }
  SlidingWindow kernel(code.str(), sass.string(), frequent, kSimulated);
  const stats::KernelResult r = device::Gpu(gpu).run(kernel, o);
  const uint64_t fixed = gpu.launch().start_cycles() + gpu.launch().end_cycles();
  const double work = static_cast<double>(r.cycles - fixed) * kBlocks / kSimulated;
  return (work + static_cast<double>(fixed)) / r.core_mhz;
}

}  // namespace heddle::hostbench
