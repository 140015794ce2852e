// Host programs that compute: kernels of modules that work on the program's buffers (&NAME among their
// arguments). Before the program is timed it is carried out once, call by call in the order of its thread:
// memsets (to zero) and copies move what buffers hold, each launch is executed while it is simulated by
// itself. That order agrees with all that CUDA guarantees, so a program without races computes what it would
// on a GPU.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/run/traced_kernels.h"
#include "configs/schema/gpu.pb.h"
#include "frontends/modules/program.h"
#include "frontends/npy/npy.h"
#include "frontends/workload/reader.h"
#include "sim/exec/memory.h"

namespace heddle::analysis {

class ValuedProgram {
 public:
  // `gpu` and what the options point to must outlive the object. Throws Error, with the workload's file and
  // line, for buffers' contents that are not there, and for programs that are not carried out: of several
  // threads or live ones, with graphs, and Options::together.
  ValuedProgram(const config::GpuConfig& gpu, const TracedKernels::Options& options, workload::Workload& w);

  // Carries the program out. Each launch's kernel then lasts as long as it did (in a loop: in the mean), and
  // the kernels are bound. Nothing happens without such kernels. Throws Error, Cancelled.
  void run();
  // What a buffer that has data, a result or a kernel holds now. `type`, `shape`: as its data has them.
  std::map<std::string, npy::Array> contents() const;
  // Writes the results that the file asks for.
  void write_results(bool force) const;
  // What the kernels have printed.
  const std::string& output() const { return output_; }

 private:
  struct Bound {
    modules::LaunchDescription launch;
    modules::Program* program = nullptr;
    const modules::Kernel* kernel = nullptr;
    std::vector<uint64_t> arguments;  // the bits of each
  };
  struct Times {
    host::Ps sum{};
    int64_t launches = 0;
    isa::LaunchShape shape;
  };
  [[noreturn]] void refuse(uint32_t line, const std::string& what) const;
  void load();
  void allocate();
  void bind(const workload::TracedKernel& t);
  void check() const;
  size_t calls(const std::deque<host::Call>& all, size_t from);
  void call(const host::Call& c, size_t number);
  void copy(const host::Call& c);
  void launch(const Bound& b, size_t number);

  const config::GpuConfig& gpu_;
  const TracedKernels::Options& options_;
  workload::Workload& w_;
  exec::Memory memory_;
  std::map<uint32_t, uint64_t> addresses_;  // by buffer
  std::map<std::string, std::unique_ptr<modules::Program>> programs_;
  std::map<uint32_t, Bound> kernels_;  // by kernel of the program
  size_t thread_ = 0;                  // the one that makes calls
  std::map<size_t, Times> times_;      // by its calls
  std::string output_;
};

}  // namespace heddle::analysis
