// Whether what a trace says of an instruction's lanes, addresses and operands can be: what no GPU would have
// executed is a damaged or mixed-up trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/isa/recording.h"

namespace heddle::sass {

class OperandCheck {
 public:
  // `image` is complete, and outlives the check.
  explicit OperandCheck(const isa::KernelImage& image);

  // Whether references of that instruction are looked at.
  bool wanted(uint32_t index) const { return wanted_[index + 1] != wanted_[index]; }

  // What is wrong, with what would be legal, without the place; empty when nothing is.
  // `refs`: the references of one instance of instruction `index` with the lanes of `mask`.
  std::string fault(uint32_t index, uint32_t mask, const isa::MemRef* refs, const isa::WarpTrace& w) const;
  // The lanes that the warp of a block has.
  uint32_t lanes(uint32_t warp) const;
  std::string lane_fault(uint32_t warp, uint32_t mask) const;
  // The first fault of a whole warp with all its references, behind the instruction's place in it.
  std::string fault_of(const isa::WarpTrace& w) const;

 private:
  std::string copy_fault(const isa::Instr& in, const isa::MemRef& r, const isa::WarpTrace& w) const;
  std::string shared_fault(const isa::Instr& in, uint32_t mask, const isa::MemRef& r,
                           const isa::WarpTrace& w) const;
  bool in_one_window(uint64_t width, uint32_t lanes, const isa::MemRef& r, const isa::WarpTrace& w) const;

  const isa::KernelImage& image_;
  const uint64_t shared_end_;
  std::vector<uint32_t> wanted_;  // how many are among the first n instructions
  std::vector<uint32_t> refs_;    // how many references they have
};

// Registers beyond what the launch has for each thread; empty when there are none.
std::string register_fault(const isa::KernelImage& image);

}  // namespace heddle::sass
