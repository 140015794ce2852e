// Which lines of code the L2 has, because some SM has asked for them since their launch, and when that was.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/engine/time.h"
#include "sim/memory/message.h"

namespace heddle::memory {

// Lines are kCodeLines + n. SMs read it while a quantum lasts, and what they ask for comes in between two of
// them: whoever wants results that do not depend on quanta looks for what is older than the longest one.
class CodeLines {
 public:
  void reset() { first_.clear(); }
  // A kernel's code comes to these lines: nobody has asked for it.
  void launch(uint64_t first, uint64_t lines) {
    const uint64_t from = std::min<uint64_t>(first - kCodeLines, first_.size());
    std::fill_n(first_.begin() + static_cast<ptrdiff_t>(from), std::min(lines, first_.size() - from), kNever);
  }
  void add(uint64_t line, Cycle at) {
    const uint64_t n = line - kCodeLines;
    first_.resize(std::max<size_t>(first_.size(), n + 1), kNever);
    first_[n] = std::min(first_[n], at);
  }
  // kNever: nobody has asked for it.
  Cycle first(uint64_t line) const {
    const uint64_t n = line - kCodeLines;
    return n < first_.size() ? first_[n] : kNever;
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(first_);
  }

 private:
  std::vector<Cycle> first_;
};

}  // namespace heddle::memory
