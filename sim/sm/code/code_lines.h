// Numbers the instruction-cache lines of a kernel's code, so that tables of lines are as long as the code and
// not as its largest program counter: functions lie anywhere in a module.
#pragma once

#include <algorithm>
#include <cstdint>

#include "configs/schema/spec.h"

namespace heddle::sm {

// Numbers rise with the program counter, and lines without code between lines with code count as well, since
// prefetches bring them: up to `kKept` of them or a little more at each place, or what a prefetch can reach.
// A longer gap is shortened by a multiple of kKept lines, which keeps the alignment of what is behind it.
class CodeLines {
 public:
  static constexpr uint32_t kKept = 64;

  explicit CodeLines(const spec::InstructionFetch& fetch)
      : line_bytes_(fetch.line_bytes()),
        whole_(fetch.launch_prefetch_bytes() / fetch.line_bytes()),
        kept_((fetch.prefetch_lines() + fetch.l1_prefetch_lines() + 2 + kKept - 1) / kKept * kKept) {}

  // Of the line that holds `pc`, which is not below that of the call before.
  uint32_t number(uint32_t pc) {
    const uint32_t line = pc / line_bytes_;
    const uint32_t from = std::max(next_, whole_);  // a launch prefetches the first ones by their number
    if (line > from && line - from >= 2 * kept_) {
      dropped_ += (line - from - kept_) / kKept * kKept;
    }
    next_ = line + 1;
    return line - dropped_;
  }

  // How many numbers there are.
  uint32_t count() const { return next_ - dropped_; }

 private:
  const uint32_t line_bytes_, whole_, kept_;
  uint32_t next_ = 0;     // the line behind the latest one
  uint32_t dropped_ = 0;  // lines without a number
};

}  // namespace heddle::sm
