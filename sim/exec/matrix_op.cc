#include "sim/exec/matrix_op.h"

#include <fmt/format.h>

#include "sim/exec/layout.h"
#include "sim/exec/matrix/shared_operand.h"
#include "sim/exec/matrix/sparse.h"
#include "sim/exec/matrix/unpacked.h"
#include "sim/exec/matrix_memory.h"

namespace heddle::exec {
namespace {

constexpr uint32_t kRowsOfWarp = 16;  // of the 64 of wgmma
constexpr uint32_t kWarpsOfGroup = 4;

void take(const MatrixOp::Operand& from, const Banks& banks, std::vector<Register>& to) {
  to.resize(from.slots.size());
  for (size_t i = 0; i < to.size(); ++i) {
    to[i] = *banks.at(from.slots[i]);
  }
}

// The elements of A or B. Returns what is wrong.
std::string find_words(const MatrixOp::Operand& o, const std::vector<Register>& registers, const char* name,
                       uint32_t first_row, uint32_t element_bytes, const Spaces& spaces, matrix::Words& out) {
  if (!o.in_shared) {
    matrix::gather(o.fragment, registers, out);
    return {};
  }
  matrix::SharedOperand s;
  s.descriptor = matrix::Descriptor::decode(registers[0][0]);
  s.mn_major = o.mn_major;
  s.element_bytes = element_bytes;
  s.first_row = first_row;
  s.rows = o.fragment.rows;
  s.cols = o.fragment.cols;
  if (const auto outside = matrix::read(s, spaces.shared[spaces.rank], kSharedReserve, out)) {
    return fmt::format(
        "matrix {} of wgmma reaches shared address 0x{:x}, out of bounds (descriptor 0x{:x}; the block's: {} "
        "bytes "
        "from 0x{:x} on)",
        name, *outside, registers[0][0], spaces.shared[spaces.rank].size(), kSharedReserve);
  }
  return {};
}

void widen(matrix::Element& type, matrix::Words& words) {
  for (uint64_t& w : words.bits) {
    w = matrix::f16_of_8_bits(type, w);
  }
  type = matrix::Element::kF16;
}

std::string multiply(const Spaces& spaces, MatrixAccess& x) {
  const MatrixOp& op = *x.op;
  matrix::Product p = op.product;
  const uint32_t row = x.warp % kWarpsOfGroup * kRowsOfWarp;
  std::string wrong = find_words(op.a, x.a, "A", row, bits_of(p.a) / 8, spaces, x.a_words);
  if (wrong.empty()) {
    wrong = find_words(op.b, x.b, "B", 0, bits_of(p.b) / 8, spaces, x.b_words);
  }
  if (!wrong.empty()) {
    return wrong;
  }
  matrix::gather(op.c.fragment, x.c, x.c_words);
  if (op.uses_c != kNoSlot && x.uses_c[0] == 0) {
    x.c_words.bits.assign(x.c_words.bits.size(), 0);
  }
  if (op.widened) {
    widen(p.a, x.a_words);
    widen(p.b, x.b_words);
  }
  matrix::Factorised factors = {x.a_words, x.b_words, x.c_words};
  if (op.metadata != kNoSlot) {
    matrix::find_picked(op.picks, x.a_words.cols, x.metadata, op.selector, x.picked);
    factors.picked = &x.picked;
  }
  matrix::multiply(p, factors, x.d_words);
  matrix::scatter(op.d.fragment, x.d_words, x.d);
  return {};
}

}  // namespace

void prepare(const Inst& in, const MatrixOp& op, const Banks& banks, uint32_t local, uint32_t warp,
             MatrixAccess& a) {
  a.op = &op;
  a.warp = warp;
  take(op.a, banks, a.a);
  take(op.b, banks, a.b);
  take(op.c, banks, a.c);
  a.d.resize(op.d.slots.size());
  if (op.metadata != kNoSlot) {
    a.metadata = *banks.at(op.metadata);
  }
  if (op.uses_c != kNoSlot) {
    a.uses_c = *banks.at(op.uses_c);
  }
  if (op.kind == MatrixOp::Kind::kMultiply || op.kind == MatrixOp::Kind::kTransposeTile) {
    return;
  }
  // Of tiles only as many lanes as there are rows have an address.
  const size_t tiles = op.a.slots.size() + op.d.slots.size();
  const bool by_tile = op.kind == MatrixOp::Kind::kLoadTiles || op.kind == MatrixOp::Kind::kStoreTiles;
  const uint32_t mask = by_tile && tiles < 4 ? (1U << 8 * tiles) - 1 : ~0U;
  prepare_addresses(in, op.memory, banks, local, mask, a.memory);
  const Register* stride = banks.at(in.s[1]);
  a.stride = stride != nullptr ? *stride : Register{};
}

MatrixRefused perform(const Spaces& spaces, MatrixAccess& a) {
  switch (a.op->kind) {
    case MatrixOp::Kind::kLoadTiles:
      return {load_tiles(spaces, a), {}};
    case MatrixOp::Kind::kStoreTiles:
      return {store_tiles(spaces, a), {}};
    case MatrixOp::Kind::kTransposeTile:
      transpose_tile(a.a[0], a.d[0]);
      return {};
    case MatrixOp::Kind::kLoad:
      return load_fragment(spaces, a);
    case MatrixOp::Kind::kStore:
      return store_fragment(spaces, a);
    case MatrixOp::Kind::kMultiply:
      break;
  }
  return {{}, multiply(spaces, a)};
}

void complete(const MatrixAccess& a, const Banks& banks) {
  for (size_t i = 0; i < a.d.size(); ++i) {
    if (Register* to = banks.at(a.op->d.slots[i])) {
      *to = a.d[i];
    }
  }
}

}  // namespace heddle::exec
