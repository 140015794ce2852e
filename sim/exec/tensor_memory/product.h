// tcgen05.mma: D in tensor memory is A * B, or has it added; A is in shared or tensor memory, B in shared
// memory. A pair of blocks has half of the rows of A and D and half of B's columns each.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "sim/exec/matrix/product.h"
#include "sim/exec/tensor_memory/memory.h"
#include "sim/exec/tensor_memory/ops.h"

namespace heddle::exec {

// What the 32 bits of an instruction's descriptor say (PTX ISA 9.0, 9.7.16.4.2).
struct ProductShape {
  matrix::Product product;  // m: the rows of a block
  uint32_t m = 0, n = 0, k = 0;
  bool a_by_column = false, b_by_column = false;  // MN-major
  uint8_t scale_a = 0, scale_b = 0;               // which byte of a cell with scale factors

  // Throws Fault for what no instruction of that kind multiplies.
  static ProductShape decode(uint32_t bits, ProductKind kind, bool pair, bool stationary);
  // Columns of D that a lane of tensor memory holds.
  uint32_t columns_of_lane(bool pair, bool stationary) const;
  uint32_t rows(bool pair) const { return pair ? m / 2 : m; }
  // Bytes of shared memory that hold A and B of one block; of elements below 8 bits as they lie there.
  uint32_t a_bytes(bool pair) const;
  uint32_t b_bytes(bool pair) const;
};

// The blocks that take part, by rank in their pair; one: the first alone.
struct TensorGroup {
  uint32_t blocks = 1;
  std::array<TensorMemory*, 2> memory{};
  std::array<std::span<uint8_t>, 2> shared{};  // each from kSharedReserve on
};

// One thread's product: values of the operands that its TensorMemoryOp has slots for.
struct TensorProduct {
  const TensorMemoryOp* op = nullptr;
  uint64_t a = 0, b = 0;
  uint32_t instruction = 0;
  TensorAddress d, scale_a, scale_b;
  bool adds = false;
  std::array<uint32_t, 8> disabled{};  // lanes that keep what they have, 128 for each block
};

// Throws Fault.
void multiply(const TensorProduct& x, const TensorGroup& group);

// tcgen05.cp of each block that takes part. Throws Fault.
void copy_to_tensor_memory(CopyShape shape, uint64_t descriptor, TensorAddress to, const TensorGroup& group);

}  // namespace heddle::exec
