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

// One instruction as the columns of a trace tell it.
struct Columns {
  uint32_t pc = 0;
  std::string opcode;
  std::vector<uint8_t> dst, src;  // vector-register numbers
  uint32_t mem_width = 0;         // bytes; 0 = no addresses
  uint32_t source_line = 0;       // 0 = not known
};

// What a kernel's static code was made from, complete: build_code() makes the same code again.
struct Listing {
  std::string side_name;         // in messages
  std::string side_text;         // empty: there was no side file
  std::vector<Columns> columns;  // then: the instructions that were executed, in order of appearance
};

// Fills the static half of `image`, whose name is set.
void build_code(const Listing& listing, isa::KernelImage& image);

// Collects instructions in any order, one call for each program counter.
class CodeCollector {
 public:
  void add(const InstrFields& fields);
  // The same fields again, for a Listing.
  const std::vector<Columns>& columns() const { return columns_; }
  // The opcode that came with the n-th add().
  std::string_view opcode(size_t n) const { return pool_.opcodes()[code_[n].opcode]; }
  size_t size() const { return code_.size(); }
  // Sorts by program counter and moves everything into `image`.
  void finish(isa::KernelImage& image);

 private:
  std::vector<isa::Instr> code_;
  std::vector<std::string> text_;
  std::vector<Columns> columns_;
  sass::OpcodePool pool_;
};

}  // namespace heddle::accelsim
