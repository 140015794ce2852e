// Warp paths, the sequences of runs that warps executed, as bytes.
//
// A run mostly follows the one that it followed last time, has the length it had last time, and has one of
// the latest masks; then it takes one byte:
//   bit 0     `first` is not what followed the previous run's `first` last time: a signed number behind the
//   byte
//             says how far it is from the previous run's end
//   bit 1     the length is not that of the last run with this `first`: a number behind that
//   bits 2-7  mask: 0..15 the n-th latest different one; 62 that of the last run with this `first`; 63 in the
//   next
//             four bytes of the column `masks`
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "frontends/trace/bytes.h"
#include "sim/isa/recording.h"

namespace heddle::trace {

class RunCoder {
 public:
  // `code`: static instructions of the kernel.
  explicit RunCoder(size_t code) : at_(code) { reset(); }

  // Forgets everything, at the start of a chunk.
  void reset();

  void put(const std::vector<isa::Run>& path, std::string& runs, std::string& masks);
  // False when the columns hold no path of this kernel.
  bool get(ColumnReader& runs, ColumnReader& masks, std::vector<isa::Run>& path);

 private:
  static constexpr uint32_t kAsLastTime = 62, kExplicit = 63;
  static constexpr size_t kLatest = 16;
  struct Start {
    uint32_t next = 0;  // the run behind the last one that began here
    uint32_t count = 1;
    uint32_t mask = UINT32_MAX;
  };

  uint32_t expected_first(const isa::Run* previous) const;
  void learn(const isa::Run* previous, const isa::Run& run);

  std::vector<Start> at_;  // by Run::first
  uint32_t entry_ = 0;     // where the last path began
  std::array<uint32_t, kLatest> latest_{};
};

}  // namespace heddle::trace
