// The static half of a kernel's image: from a side file, or from the instruction lines of the trace itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontends/accelsim/instr_line.h"
#include "frontends/sass/opcode_pool.h"
#include "frontends/sass/side_file.h"
#include "sim/isa/kernel.h"

namespace heddle::accelsim {

// Moves the functions' instructions into `image`, at the program counters of the trace. Of several functions
// at base 0 (output of cuobjdump) the one named image.name is taken. Throws heddle::Error, naming `file`,
// when that leaves none or when functions overlap.
void add_functions(std::vector<sass::Function> functions, const std::string& file, isa::KernelImage& image);

// Collects instructions in any order, one call for each program counter.
class CodeCollector {
 public:
  void add(const InstrFields& fields);
  // The opcode that came with the n-th add().
  std::string_view opcode(size_t n) const { return pool_.opcodes()[code_[n].opcode]; }
  size_t size() const { return code_.size(); }
  // Sorts by program counter and moves everything into `image`.
  void finish(isa::KernelImage& image);

 private:
  std::vector<isa::Instr> code_;
  std::vector<std::string> text_;
  sass::OpcodePool pool_;
};

}  // namespace heddle::accelsim
