// The machine: build it from a configuration, run kernels on it one after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/device/run_options.h"
#include "sim/engine/time.h"
#include "sim/isa/recording.h"
#include "sim/stats/result.h"

namespace heddle::device {

class Gpu {
 public:
  // Made by so many host threads, which is worth it when it runs on as many.
  explicit Gpu(const spec::GpuConfig& config, int threads = 1);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  // Simulates one launch from cold caches. Throws Error (bad launch, malformed trace), Cancelled,
  // DeadlockError; the machine can be used again afterwards.
  // A recording, or any program.
  stats::KernelResult run(isa::BlockSource& kernel, const RunOptions& options = {});
  stats::KernelResult run(isa::GridProgram& kernel, const RunOptions& options = {});

  // Between launches: nothing persists any more (cudaCtxResetPersistingL2Cache); and how much does.
  void reset_persisting_l2();
  uint64_t persisting_l2_bytes() const;

  // The same launch piece by piece: begin(), advance() while it says true, finish(). `kernel` and what the
  // options point to must live until then. The pieces change no result.
  void begin(isa::BlockSource& kernel, const RunOptions& options = {});
  void begin(isa::GridProgram& kernel, const RunOptions& options = {});
  // Simulates whole quanta (some hundred cycles at most) until core cycle `until`; false: the launch is over.
  bool advance(Cycle until);
  // How far it is, in core cycles.
  Cycle now() const;
  // Of the launch so far: cycles are those that have passed. What ends when a warp leaves its SM or its state
  // (warps active, stalls) is counted then.
  stats::KernelResult so_far() const;
  // Once advance() has said false.
  stats::KernelResult finish();

  // ---- checkpoints (CHECKPOINT.md) ----
  // The launch that has begun, between two pieces; between launches, what a warm one finds. Throws Error for
  // programs that compute and for launches that are sampled.
  std::vector<uint8_t> save();
  // Instead of begin(): the launch goes on where it was saved. The configuration, the recording, `l2` and
  // `profile` of the options are the same, threads and quantum need not be. Throws Error when `saved` is
  // damaged or of something else.
  void resume(isa::BlockSource& kernel, const RunOptions& options, std::span<const uint8_t> saved);
  // Between launches: the next one finds what was saved between launches, if it is warm.
  void restore(std::span<const uint8_t> saved);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::device
