#include "sim/exec/matrix_memory.h"

namespace heddle::exec {
namespace {

constexpr uint32_t kTileRows = 8;

// Row by row, the elements of a tile of 16 bits.
using Tile = uint64_t[kTileRows][kTileRows];

// Two elements of each lane: columns 2t and 2t + 1 of row g, or rows of column g.
void put_tile(const Tile& tile, bool transposed, Register& to) {
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint32_t g = lane / 4, t = lane % 4 * 2;
    to[lane] = transposed ? tile[t][g] | tile[t + 1][g] << 16 : tile[g][t] | tile[g][t + 1] << 16;
  }
}

void take_tile(const Register& from, bool transposed, Tile& tile) {
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint32_t g = lane / 4, t = lane % 4 * 2;
    (transposed ? tile[t][g] : tile[g][t]) = from[lane] & 0xffff;
    (transposed ? tile[t + 1][g] : tile[g][t + 1]) = from[lane] >> 16 & 0xffff;
  }
}

// In elements.
uint64_t row_stride(const MatrixAccess& a, const matrix::Fragment& f, uint32_t lane) {
  const MatrixOp& op = *a.op;
  return a.stride[lane] != 0 ? a.stride[lane] / op.unit : op.transposed ? f.rows : f.cols;
}

// f(register, element in it, offset in elements of each lane) for the accesses that a fragment is made of.
template <class F>
MatrixRefused for_accesses(const matrix::Fragment& f, MatrixAccess& a, size_t registers, F each) {
  const MatrixOp& op = *a.op;
  Access& m = a.memory;
  const Register base = m.address;
  const uint32_t per = f.per_register();
  for (uint32_t i = 0; i < registers * per; ++i) {
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const uint64_t stride = row_stride(a, f, lane);
      if (a.stride[lane] % op.unit != 0) {
        return {{},
                "a stride of " + std::to_string(a.stride[lane]) + " elements (legal: multiples of " +
                    std::to_string(op.unit) + ")"};
      }
      const matrix::Place p = place(f, lane, i);
      const uint64_t element = op.transposed ? p.col * stride + p.row : p.row * stride + p.col;
      m.address[lane] = base[lane] + element * op.memory.bytes;
    }
    if (const Refused r = each(i / per, i % per * f.bits); r.why != Refusal::kNone) {
      return {r, {}};
    }
  }
  return {};
}

}  // namespace

Refused load_tiles(const Spaces& spaces, MatrixAccess& a) {
  Access& m = a.memory;
  if (const Refused r = perform(spaces, m); r.why != Refusal::kNone) {
    return r;
  }
  for (uint32_t i = 0; i < a.d.size(); ++i) {
    Tile tile;
    for (uint32_t row = 0; row < kTileRows; ++row) {
      for (uint32_t col = 0; col < kTileRows; ++col) {
        tile[row][col] = m.data[col / 4][kTileRows * i + row] >> 16 * (col % 4) & 0xffff;
      }
    }
    put_tile(tile, a.op->transposed, a.d[i]);
  }
  return {};
}

Refused store_tiles(const Spaces& spaces, MatrixAccess& a) {
  Access& m = a.memory;
  for (uint32_t i = 0; i < a.a.size(); ++i) {
    Tile tile;
    take_tile(a.a[i], a.op->transposed, tile);
    for (uint32_t row = 0; row < kTileRows; ++row) {
      for (uint32_t half = 0; half < 2; ++half) {
        const uint64_t* e = tile[row] + size_t{4} * half;
        m.data[half][kTileRows * i + row] = e[0] | e[1] << 16 | e[2] << 32 | e[3] << 48;
      }
    }
  }
  return perform(spaces, m);
}

void transpose_tile(const Register& from, Register& to) {
  Tile tile;
  take_tile(from, false, tile);
  put_tile(tile, true, to);
}

MatrixRefused load_fragment(const Spaces& spaces, MatrixAccess& a) {
  const matrix::Fragment& f = a.op->d.fragment;
  for (Register& r : a.d) {
    r.fill(0);
  }
  const uint32_t distinct = f.registers();
  MatrixRefused refused = for_accesses(f, a, distinct, [&](uint32_t r, uint32_t shift) {
    const Refused why = perform(spaces, a.memory);
    if (why.why == Refusal::kNone) {
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        a.d[r][lane] |= a.memory.data[0][lane] << shift;
      }
    }
    return why;
  });
  for (size_t r = distinct; r < a.d.size(); ++r) {
    a.d[r] = a.d[r % distinct];
  }
  return refused;
}

MatrixRefused store_fragment(const Spaces& spaces, MatrixAccess& a) {
  return for_accesses(a.op->a.fragment, a, a.a.size(), [&](uint32_t r, uint32_t shift) {
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      a.memory.data[0][lane] = a.a[r][lane] >> shift;
    }
    return perform(spaces, a.memory);
  });
}

uint64_t row_bytes(const MatrixAccess& a) {
  const bool store = a.op->kind == MatrixOp::Kind::kStore;
  return row_stride(a, store ? a.op->a.fragment : a.op->d.fragment, 0) * a.op->memory.bytes;
}

}  // namespace heddle::exec
