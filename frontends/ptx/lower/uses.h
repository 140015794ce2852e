// What a function's registers hold: where they are written and read, which of them are copies, which are the
// same for all lanes, and which instructions need none of their own because others do their work
// (ptx.md 6.1).
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "frontends/ptx/lower/machine.h"

namespace heddle::ptx::lower {

class Uses {
 public:
  Uses(const Module& module, const Lowered& f);

  const Op& op(uint32_t instr) const { return module_.ops[f_.instrs[instr].op]; }
  std::span<const Operand> operands(uint32_t instr) const { return f_.operands_of(f_.instrs[instr]); }
  // The instruction that writes the register, if there is one only, and it has no guard; else kNone. Going
  // from a register to its writer and on to what that reads comes to an end.
  uint32_t writer(uint32_t reg) const { return writers_[reg]; }
  uint32_t reads(uint32_t reg) const { return reads_[reg]; }
  // The operand that it is a copy of, as far back as that goes.
  Operand origin(Operand o) const;
  // The register of an operand's origin; kNone if it is none.
  uint32_t origin_register(const Operand& o) const;
  // The instruction that calculates an operand that is a register, else kNone.
  uint32_t maker(const Operand& o) const;
  bool uniform(const Operand& o) const;
  // Whether `holds` of all instructions that read the register.
  template <class F>
  bool all_readers(uint32_t reg, F holds) const {
    return std::all_of(readers_[reg].begin(), readers_[reg].end(),
                       [&](const Place& p) { return holds(p.instr); });
  }
  bool uniform_register(uint32_t reg) const { return uniform_[reg]; }
  // Whoever reads its result does its work.
  bool absorbed(uint32_t instr) const { return absorbed_[instr]; }
  // Of a sum of 64 bits: the operand that is the product of a word and a word (mul.wide, or a shifted
  // conversion).
  bool is_wide_product(uint32_t instr) const;
  // Whether an address is.
  bool same_for_lanes(const Operand& address) const;
  bool is_copy(uint32_t instr) const { return copies_[instr]; }
  // base + number of 32 or 64 bits.
  bool is_offset(uint32_t instr) const;
  int64_t step(uint32_t instr) const;  // the number, with its sign

 private:
  bool kernel_parameter(uint32_t instr) const;
  void count();
  void forget_circles();
  void find_copies();
  void find_uniform();
  void find_absorbed();
  bool absorbs(uint32_t user, size_t place, uint32_t made) const;
  bool same_block(uint32_t a, uint32_t b) const { return lowered_.block_of[a] == lowered_.block_of[b]; }

  const Module& module_;
  const Lowered& lowered_;
  const Function& f_;
  std::vector<uint32_t> writers_, reads_, writes_;
  std::vector<bool> uniform_;            // by register
  std::vector<bool> copies_, absorbed_;  // by instruction
  std::vector<bool> absorbs_something_;
  struct Place {
    uint32_t instr;
    uint32_t place;
  };
  std::vector<std::vector<Place>> readers_;  // by register
};

bool is_destination(const Op& op, size_t place);

}  // namespace heddle::ptx::lower
