#include "sim/exec/matrix/fragment.h"

namespace heddle::exec::matrix {
namespace {

// f(word, register, lane, shift) for each element; `word`: its place among the matrix's.
template <class F>
void for_elements(const Fragment& f, uint32_t cols, F each) {
  const uint32_t per = f.per_register();
  const uint32_t count = f.registers() * per;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t r = i / per, shift = i % per * f.bits;
    if (f.kind == Fragment::Kind::kTiles) {
      const Place first = place(f, 0, i);
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        each((first.row + lane / 4) * cols + first.col + f.per_cell * (lane % 4), r, lane, shift);
      }
      continue;
    }
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const Place p = place(f, lane, i);
      each(p.row * cols + p.col, r, lane, shift);
    }
  }
}

}  // namespace

Place place(const Fragment& f, uint32_t lane, uint32_t index) {
  const uint32_t high = lane >> 4;             // of a pair of quads
  const uint32_t first = 8 * (lane >> 2 & 3);  // row of the pair's product
  const uint32_t row = first + (lane & 3) + 4 * high;
  switch (f.kind) {
    case Fragment::Kind::kTiles:
      break;
    case Fragment::Kind::kQuadRows:
      return {row, index};
    case Fragment::Kind::kQuadColumns:
      return {first + index + 4 * high, lane & 3};
    case Fragment::Kind::kQuadSums:
      return {first + (lane & 1) + (index & 2) + 4 * high, (index & 4) + (lane & 2) + (index & 1)};
  }
  const uint32_t cell = index / f.per_cell;
  const uint32_t down = f.rows / 8U;
  const uint32_t along = f.cols / (4U * f.per_cell);
  const uint32_t tile_row = f.rows_first ? cell % down : cell / along;
  const uint32_t tile_col = f.rows_first ? cell / down : cell % along;
  return {8 * tile_row + (lane >> 2), f.per_cell * (4 * tile_col + (lane & 3)) + index % f.per_cell};
}

void gather(const Fragment& f, std::span<const Register> registers, Words& out) {
  out.resize(f.rows, f.cols);
  const uint64_t mask = f.bits == 64 ? ~uint64_t{0} : (uint64_t{1} << f.bits) - 1;
  for_elements(f, out.cols, [&](uint32_t word, uint32_t r, uint32_t lane, uint32_t shift) {
    out.bits[word] = registers[r][lane] >> shift & mask;
  });
}

void scatter(const Fragment& f, const Words& from, std::span<Register> registers) {
  for (Register& r : registers) {
    r.fill(0);
  }
  for_elements(f, from.cols, [&](uint32_t word, uint32_t r, uint32_t lane, uint32_t shift) {
    registers[r][lane] |= from.bits[word] << shift;
  });
  const size_t distinct = f.registers();
  for (size_t r = distinct; r < registers.size(); ++r) {
    registers[r] = registers[r - distinct];
  }
}

}  // namespace heddle::exec::matrix
