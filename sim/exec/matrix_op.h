// What an instruction on matrices does, in the three steps of memory_op.h: operands out of the registers, the
// work, results into the registers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/exec/code.h"
#include "sim/exec/matrix/element.h"
#include "sim/exec/memory_op.h"

namespace heddle::exec {

struct MatrixAccess {
  const MatrixOp* op = nullptr;
  uint32_t warp = 0;  // its number in the block: of wgmma, which rows
  Access memory;      // loads and stores: addresses; then the access that was done last
  Register stride;    // wmma: elements, 0: as the matrix is
  std::vector<Register> a, b, c, d;
  Register metadata, uses_c;
  // What the elements are put into, to be kept from one instruction to the next.
  matrix::Words a_words, b_words, c_words, d_words;
  std::vector<uint16_t> picked;
};

// Why the second step cannot be done.
struct MatrixRefused {
  Refused access;    // `memory` of the MatrixAccess
  std::string what;  // or, when it is not empty, this
};

void prepare(const Inst& in, const MatrixOp& op, const Banks& banks, uint32_t local, uint32_t warp,
             MatrixAccess& a);
MatrixRefused perform(const Spaces& spaces, MatrixAccess& a);
void complete(const MatrixAccess& a, const Banks& banks);

}  // namespace heddle::exec
