// Which lane and register holds which element of a matrix (ptx.md 4.1, 4.3).
#pragma once

#include <cstdint>
#include <span>

#include "sim/exec/matrix/element.h"
#include "sim/exec/warp_fn.h"

namespace heddle::exec::matrix {

// A register of the warp is an 8x8 tile of cells: lane 4g + t has cell t of row g. Tiles follow each other
// down the rows first (A, C, D) or along them (B, whose rows are the product's columns).
struct Fragment {
  enum class Kind : uint8_t {
    kTiles,
    // m8n8k4 of f16: four products, one for each pair of quads of lanes; their rows lie behind one another.
    kQuadRows,     // a lane has a row
    kQuadColumns,  // a lane has a part of a column
    kQuadSums,     // C and D of f32
  };
  Kind kind = Kind::kTiles;
  bool rows_first = true;
  uint8_t bits = 32;     // of an element
  uint8_t per_cell = 1;  // elements of a cell, neighbours in a row; may lie in several registers
  uint16_t rows = 8, cols = 8;

  uint32_t per_register() const { return bits >= 32 ? 1 : 32U / bits; }
  // Of a lane. wmma may give more: they hold the same once more.
  uint32_t registers() const { return uint32_t{rows} * cols / kLanes / per_register(); }
};

struct Place {
  uint32_t row, col;
};

// Of the lane's element `index`, low bits of the first register first.
Place place(const Fragment& f, uint32_t lane, uint32_t index);

void gather(const Fragment& f, std::span<const Register> registers, Words& out);
void scatter(const Fragment& f, const Words& from, std::span<Register> registers);

}  // namespace heddle::exec::matrix
