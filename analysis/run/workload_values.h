// What a workload computes: kernels of modules that have its buffers among their arguments (&NAME). Its
// buffers have memory then, copies and memsets (to zero) change it when they happen in simulated time, and
// kernels work on it: together with each other, or each by itself when it begins.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "analysis/run/traced_kernels.h"
#include "frontends/npy/npy.h"
#include "frontends/workload/reader.h"
#include "sim/host/core/effects.h"

namespace heddle::analysis {

class WorkloadValues final : public host::Effects {
 public:
  // What it is given must outlive the object. Throws Error, with the workload's file and line, for buffers'
  // contents that no kernel looks at.
  WorkloadValues(TracedKernels& kernels, workload::Workload& w);

  // Binds all kernels of traces and modules that are not bound, and follows what has come to the workload:
  // before the run, and whenever a live thread has added something. Throws as workload::bind_traces() does.
  void follow();
  // For PlatformOptions; null when nothing is computed.
  host::Effects* effects() { return computes_ ? this : nullptr; }

  // What a buffer that has data, a result or a kernel holds now. `type`, `shape`: as its data has them.
  std::map<std::string, npy::Array> contents() const;
  // Writes the results that the file asks for.
  void write_results(bool force) const;

  host::Ps begins(uint64_t values, uint32_t kernel) override;
  void happens(uint64_t values) override;
  void freed(uint32_t buffer) override;
  void reads(uint64_t values) override;
  host::Ps runs(uint64_t values) override { return happens(values), host::Ps(); }

 private:
  // Of a copy or a memset, as often as it is made.
  struct Move {
    uint32_t to = 0, from = host::kNone;  // buffers; from none: zeros
    uint64_t to_offset = 0, from_offset = 0, bytes = 0;
    std::deque<std::vector<uint8_t>> taken;
  };
  // Memory that nothing has been written to is not there: it is zeros.
  struct Held {
    uint64_t address = 0;
    bool stays = false;  // a kernel has its address, or somebody asks for it at the end
  };
  [[noreturn]] void refuse(uint32_t line, const std::string& what) const;
  uint64_t address(uint32_t buffer);
  void note(host::Call& c);
  void note(host::GraphNode& n);
  uint64_t move(const Move& all, uint32_t rows, uint32_t line);
  // What it moves; nothing: zeros.
  std::vector<uint8_t> source(const Move& m) const;
  Move& of(uint64_t values) { return moves_[values - kFirstMove]; }

  static constexpr uint64_t kKernel = 1, kFirstMove = 2;  // Call::values
  TracedKernels& kernels_;
  workload::Workload& w_;
  bool computes_ = false;
  std::map<uint32_t, Held> held_;  // by buffer
  std::map<uint32_t, uint32_t>
      alone_;  // kernels that are executed when they begin: their TracedKernels' number
  std::deque<Move> moves_;
  // How much of the program has been looked at.
  std::vector<size_t> calls_;  // by thread
  size_t graphs_ = 0, changes_ = 0, kernels_seen_ = 0;
};

}  // namespace heddle::analysis
