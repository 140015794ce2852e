#include "sim/device/gpu.h"

#include <chrono>
#include <functional>
#include <utility>

#include "sim/device/detailed_engine.h"

namespace heddle::device {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kReportEvery = std::chrono::milliseconds(50);

}  // namespace

struct Gpu::Impl {
  Impl(const spec::GpuConfig& c, int threads) : engine(c, threads) {}

  void begin(const isa::KernelImage& image, Launch launch, const RunOptions& options);
  stats::KernelResult to_the_end(Gpu& gpu, const std::function<void()>& begin);

  DetailedEngine engine;
  std::function<void(const Progress&)> progress;
  Clock::time_point reported;
};

Gpu::Gpu(const spec::GpuConfig& config, int threads) : impl_(std::make_unique<Impl>(config, threads)) {}
Gpu::~Gpu() = default;

void Gpu::Impl::begin(const isa::KernelImage& image, Launch launch, const RunOptions& options) {
  progress = options.progress;
  reported = Clock::now();
  engine.begin(options, DetailedEngine::Launches::kOne, "kernel " + image.name);
  launch.at = engine.now();
  engine.launch(std::move(launch));
}

void Gpu::begin(isa::BlockSource& kernel, const RunOptions& options) {
  impl_->begin(kernel.image(), {.recording = &kernel}, options);
}

void Gpu::begin(isa::GridProgram& kernel, const RunOptions& options) {
  impl_->begin(kernel.image(), {.program = &kernel}, options);
}

void Gpu::reset_persisting_l2() { impl_->engine.machine().memory->reset_persisting(); }

uint64_t Gpu::persisting_l2_bytes() const { return impl_->engine.machine().memory->persisting_bytes(); }

bool Gpu::advance(Cycle until) {
  while (!impl_->engine.blocks_done()) {
    if (now() >= until) {
      return true;
    }
    impl_->engine.quantum();
    if (impl_->progress && Clock::now() - impl_->reported > kReportEvery) {
      impl_->reported = Clock::now();
      impl_->progress(impl_->engine.progress());
    }
  }
  return false;
}

std::vector<uint8_t> Gpu::save() { return impl_->engine.save(); }

void Gpu::resume(isa::BlockSource& kernel, const RunOptions& options, std::span<const uint8_t> saved) {
  impl_->progress = options.progress;
  impl_->reported = Clock::now();
  impl_->engine.restore(options, "kernel " + kernel.image().name, {.recording = &kernel}, saved);
}

void Gpu::restore(std::span<const uint8_t> saved) { impl_->engine.restore(saved); }

Cycle Gpu::now() const { return impl_->engine.now(); }

stats::KernelResult Gpu::so_far() const {
  stats::KernelResult result = impl_->engine.result();
  result.cycles = now();
  return result;
}

stats::KernelResult Gpu::finish() { return impl_->engine.finish(); }

stats::KernelResult Gpu::Impl::to_the_end(Gpu& gpu, const std::function<void()>& begin) {
  try {
    begin();
    gpu.advance(kNever);
    return gpu.finish();
  } catch (...) {
    engine.abandon();
    throw;
  }
}

stats::KernelResult Gpu::run(isa::BlockSource& kernel, const RunOptions& options) {
  return impl_->to_the_end(*this, [&] { begin(kernel, options); });
}

stats::KernelResult Gpu::run(isa::GridProgram& kernel, const RunOptions& options) {
  return impl_->to_the_end(*this, [&] { begin(kernel, options); });
}

}  // namespace heddle::device
