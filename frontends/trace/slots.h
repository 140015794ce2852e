// Numbers the memory references that the static instructions make, in code order: the references of a run are
// consecutive slots.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/isa/recording.h"

namespace heddle::trace {

class Slots {
 public:
  explicit Slots(const std::vector<isa::Instr>& code) : begin_(code.size() + 1) {
    for (size_t i = 0; i < code.size(); ++i) {
      begin_[i + 1] = begin_[i] + code[i].mem_refs;
    }
  }

  uint32_t begin(const isa::Run& r) const { return begin_[r.first]; }
  uint32_t end(const isa::Run& r) const { return begin_[r.first + r.count]; }
  uint32_t count() const { return begin_.back(); }

 private:
  std::vector<uint32_t> begin_;
};

}  // namespace heddle::trace
