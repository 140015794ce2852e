#include "sim/exec/tensor_memory/product.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <string_view>

#include "sim/exec/arith/fast_float.h"
#include "sim/exec/async/reach.h"
#include "sim/exec/layout.h"
#include "sim/exec/matrix/shared_operand.h"
#include "sim/exec/tensor_memory/shape.h"

namespace heddle::exec {
namespace {

using matrix::Element;
using matrix::Words;

constexpr int32_t kAlignedBits = 25;  // of Blackwell's tensor cores (ptx.md 4.4)
constexpr uint32_t kBytesOfK = 32;    // of a row of A or B, whatever its elements are

uint32_t field(uint32_t bits, uint32_t at, uint32_t count) { return bits >> at & ((1U << count) - 1); }

Element factor(ProductKind kind, uint32_t format, std::string_view name) {
  constexpr Element kNo = Element::kB1;
  constexpr Element kF16[] = {Element::kF16, Element::kBf16, kNo, kNo, kNo, kNo, kNo, kNo};
  constexpr Element kTf32[] = {kNo, kNo, Element::kTf32, kNo, kNo, kNo, kNo, kNo};
  constexpr Element kI8[] = {Element::kU8, Element::kS8, kNo, kNo, kNo, kNo, kNo, kNo};
  constexpr Element kSmall[] = {Element::kE4m3, Element::kE5m2, kNo, Element::kE2m3,
                                Element::kE3m2, Element::kE2m1, kNo, kNo};
  const Element e = kind == ProductKind::kF16    ? kF16[format]
                    : kind == ProductKind::kTf32 ? kTf32[format]
                    : kind == ProductKind::kI8   ? kI8[format]
                                                 : kSmall[format];
  if (e == kNo) {
    throw Fault{fmt::format("format {} of matrix {} in the instruction's descriptor is none of this kind's",
                            format, name)};
  }
  return e;
}

Element sum(ProductKind kind, uint32_t format) {
  const bool halves = kind == ProductKind::kF16 || kind == ProductKind::kF8f6f4;
  if (kind == ProductKind::kI8 ? format == 2 : format == 1 || (format == 0 && halves)) {
    return format == 0 ? Element::kF16 : format == 1 ? Element::kF32 : Element::kS32;
  }
  throw Fault{
      fmt::format("format {} of matrix D in the instruction's descriptor is none of this kind's", format)};
}

void check_size(const ProductShape& s, ProductKind kind, bool pair, bool stationary) {
  const bool scaled = kind == ProductKind::kMxf8f6f4;
  const bool rows = stationary ? s.m == 32 || s.m == 64 || s.m == 128
                    : pair     ? (s.m == 128 && !scaled) || s.m == 256
                               : (s.m == 64 && !scaled) || s.m == 128;
  const uint32_t step = (pair ? 2 : 1) * (kind == ProductKind::kI8 && s.n > 32 ? 16 : 8);
  const bool columns =
      stationary ? s.n == 64 || s.n == 128 || s.n == 256 : s.n >= step && s.n <= 256 && s.n % step == 0;
  if (!rows || !columns) {
    throw Fault{fmt::format(
        "the instruction's descriptor has {} rows and {} columns (legal: {} rows, {} columns)", s.m, s.n,
        stationary ? "32, 64, 128"
        : pair     ? (scaled ? "256" : "128, 256")
                   : (scaled ? "128" : "64, 128"),
        stationary ? "64, 128, 256" : fmt::format("up to 256 in steps of {}", step))};
  }
}

// A descriptor of shared memory as capability 10.x has it.
matrix::Descriptor shared_descriptor(uint64_t bits, std::string_view name) {
  constexpr uint32_t kNone = UINT32_MAX;
  constexpr uint32_t kSwizzles[] = {0, kNone, 128, kNone, 64, kNone, 32, kNone};
  const uint32_t swizzle = kSwizzles[bits >> 61];
  if (swizzle == kNone || (bits >> 52 & 1) != 0 || (bits >> 46 & 7) != 1) {
    throw Fault{
        fmt::format("descriptor 0x{:x} of matrix {} (legal: 1 in bits 46 to 48, 0 in bit 52, and in bits 61 "
                    "to 63 0, 2, 4, 6; 1, "
                    "swizzles of 32 bytes in 128, is not executed)",
                    bits, name)};
  }
  matrix::Descriptor d = matrix::Descriptor::decode(bits);
  d.swizzle = swizzle;
  return d;
}

[[noreturn]] void outside(uint64_t descriptor, uint32_t address, std::string_view name, size_t bytes) {
  throw Fault{fmt::format(
      "matrix {} of descriptor 0x{:x} reaches shared address 0x{:x}, out of bounds (the block's: {} "
      "bytes from 0x{:x} on)",
      name, descriptor, address, bytes, kSharedReserve)};
}

// Elements of 4 and 6 bits: 16 of them in the lower bytes of each 16.
void read_small(const matrix::Descriptor& d, uint32_t element_bits, std::span<const uint8_t> shared,
                uint64_t descriptor, std::string_view name, Words& out) {
  for (uint32_t r = 0; r < out.rows; ++r) {
    for (uint32_t k = 0; k < out.cols; ++k) {
      const uint32_t address = matrix::address_of(d, false, 1, r, k / 16 * 16) + k % 16 * element_bits / 8;
      const uint64_t at = uint64_t{address} - kSharedReserve;
      if (address < kSharedReserve || at + 2 > shared.size()) {
        outside(descriptor, address, name, shared.size());
      }
      const uint32_t two = shared[at] | uint32_t{shared[at + 1]} << 8;
      out.row(r)[k] = two >> (k * element_bits % 8) & ((1U << element_bits) - 1);
    }
  }
}

// Rows `first` and so on of `out`.
void read_shared(uint64_t descriptor, Element e, bool by_column, std::span<const uint8_t> shared,
                 std::string_view name, Words& out, uint32_t first, uint32_t rows) {
  const matrix::Descriptor d = shared_descriptor(descriptor, name);
  const uint32_t bits = matrix::bits_of(e);
  Words part;
  if (bits < 8) {
    if (by_column) {
      throw Fault{fmt::format("matrix {} of {}-bit elements by columns (legal: by rows)", name, bits)};
    }
    part = Words(rows, out.cols);
    read_small(d, bits, shared, descriptor, name, part);
  } else {
    const matrix::SharedOperand o = {d, by_column, bits / 8, 0, rows, out.cols};
    if (const auto address = matrix::read(o, shared, kSharedReserve, part)) {
      outside(descriptor, *address, name, shared.size());
    }
  }
  std::copy(part.bits.begin(), part.bits.end(), out.row(first));
}

// Where rows and columns of a block's D lie, from its address on (layouts A to G of the PTX ISA).
class Cells {
 public:
  Cells(const ProductShape& s, bool pair, bool stationary)
      : spread_(!pair && !stationary && s.m == 64),
        rows_(s.rows(pair)),
        columns_(s.columns_of_lane(pair, stationary)) {}

  uint32_t lane(uint32_t row, uint32_t n) const {
    return (spread_ ? row % 16 + row / 16 * kTensorLanesOfWarp : row) + n / columns_ * rows_;
  }
  uint32_t column(uint32_t n) const { return n % columns_; }

 private:
  const bool spread_;  // 64 rows: 16 in each quarter
  const uint32_t rows_, columns_;
};

void read_a(const TensorProduct& x, const ProductShape& s, TensorMemory& memory, const Cells& cells,
            Words& out) {
  const uint32_t bits = matrix::bits_of(s.product.a);
  if (bits < 8) {
    throw Fault{fmt::format("matrix A of {}-bit elements in tensor memory is not executed", bits)};
  }
  const TensorAddress at = TensorAddress::decode(x.a);
  for (uint32_t r = 0; r < out.rows; ++r) {
    for (uint32_t k = 0; k < out.cols; ++k) {
      const uint32_t cell = memory.cell(at.lane + cells.lane(r, 0), at.column + k * bits / 32);
      out.row(r)[k] = bits == 32 ? cell : cell >> (k * bits % 32) & ((1U << bits) - 1);
    }
  }
}

// Row r's factor: in lane r % 32 of each quarter, a column for each 32 rows.
std::vector<int32_t> scales(TensorMemory& memory, TensorAddress at, uint8_t byte, uint32_t rows) {
  constexpr uint32_t kNan = 0xff;
  constexpr int32_t kBias = 127;
  std::vector<int32_t> out(rows);
  for (uint32_t r = 0; r < rows; ++r) {
    const uint32_t bits = memory.cell(at.lane + r % 32, at.column + r / 32) >> 8 * byte & 0xff;
    out[r] = bits == kNan ? matrix::kNanScale : static_cast<int32_t>(bits) - kBias;
  }
  return out;
}

uint64_t divided(uint64_t bits, Element e, uint32_t by) {
  if (by == 0) {
    return bits;
  }
  if (e == Element::kF16) {
    return arith::double_to_half<arith::kF16Format>(
        std::ldexp(arith::half_to_double<arith::kF16Format>(bits), -static_cast<int>(by)));
  }
  const auto value = std::bit_cast<float>(static_cast<uint32_t>(bits));
  return std::bit_cast<uint32_t>(std::ldexp(value, -static_cast<int>(by)));
}

}  // namespace

ProductShape ProductShape::decode(uint32_t bits, ProductKind kind, bool pair, bool stationary) {
  const bool scaled = kind == ProductKind::kMxf8f6f4;
  ProductShape s;
  if (field(bits, 2, 1) != 0) {
    throw Fault{"the instruction's descriptor says that A is sparse, which the instruction does not"};
  }
  s.product.a = factor(kind, field(bits, 7, 3), "A");
  s.product.b = factor(kind, field(bits, 10, 3), "B");
  s.product.c = s.product.d = scaled ? Element::kF32 : sum(kind, field(bits, 4, 2));
  s.product.negate_a = field(bits, 13, 1) != 0;
  s.product.negate_b = field(bits, 14, 1) != 0;
  s.a_by_column = field(bits, 15, 1) != 0;
  s.b_by_column = field(bits, 16, 1) != 0;
  s.n = field(bits, 17, 6) * 8;
  s.m = field(bits, 24, 5) * 16;
  if (scaled) {
    s.scale_b = static_cast<uint8_t>(field(bits, 4, 2));
    s.scale_a = static_cast<uint8_t>(field(bits, 29, 2));
  } else {
    s.product.satfinite = kind == ProductKind::kI8 && field(bits, 3, 1) != 0;
  }
  check_size(s, kind, pair, stationary);
  s.k = kind == ProductKind::kF16 ? 16 : kind == ProductKind::kTf32 ? 8 : 32;
  s.product.m = static_cast<uint16_t>(s.rows(pair));
  s.product.n = static_cast<uint16_t>(s.n);
  s.product.aligned_fraction = kAlignedBits;
  return s;
}

uint32_t ProductShape::columns_of_lane(bool pair, bool stationary) const {
  return stationary ? n * m / kTensorLanes : pair && m == kTensorLanes ? n / 2 : n;
}

uint32_t ProductShape::a_bytes(bool pair) const { return rows(pair) * kBytesOfK; }
uint32_t ProductShape::b_bytes(bool pair) const { return (pair ? n / 2 : n) * kBytesOfK; }

void multiply(const TensorProduct& x, const TensorGroup& group) {
  const TensorMemoryOp& op = *x.op;
  const ProductShape s = ProductShape::decode(x.instruction, op.product, op.pair, op.stationary);
  const Cells cells(s, op.pair, op.stationary);
  Words b(s.n, s.k);
  const uint32_t part = s.n / group.blocks;
  for (uint32_t i = 0; i < group.blocks; ++i) {
    read_shared(x.b, s.product.b, s.b_by_column, group.shared[i], "B", b, i * part, part);
  }
  for (uint32_t i = 0; i < group.blocks; ++i) {
    TensorMemory& memory = *group.memory[i];
    Words a(s.product.m, s.k), c(s.product.m, s.n), d;
    if (op.a_in_tensor_memory) {
      read_a(x, s, memory, cells, a);
    } else {
      read_shared(x.a, s.product.a, s.a_by_column, group.shared[i], "A", a, 0, a.rows);
    }
    const bool half = s.product.d == Element::kF16;
    const auto cell = [&](uint32_t row, uint32_t n) -> uint32_t& {
      return memory.cell(x.d.lane + cells.lane(row, n), x.d.column + cells.column(n));
    };
    for (uint32_t row = 0; row < c.rows && x.adds; ++row) {
      for (uint32_t n = 0; n < s.n; ++n) {
        c.row(row)[n] = divided(half ? cell(row, n) & 0xffff : cell(row, n), s.product.d, op.divide_d);
      }
    }
    matrix::Factorised factors = {a, b, c};
    std::vector<int32_t> scale_a, scale_b;
    if (op.product == ProductKind::kMxf8f6f4) {
      scale_a = scales(memory, x.scale_a, s.scale_a, a.rows);
      scale_b = scales(memory, x.scale_b, s.scale_b, b.rows);
      factors.scale_a = &scale_a;
      factors.scale_b = &scale_b;
    }
    matrix::multiply(s.product, factors, d);
    for (uint32_t row = 0; row < d.rows; ++row) {
      for (uint32_t n = 0; n < s.n; ++n) {
        const uint32_t lane = x.d.lane + cells.lane(row, n);
        if ((x.disabled[i * 4 + lane / 32 % 4] >> lane % 32 & 1) == 0) {
          cell(row, n) = static_cast<uint32_t>(d.row(row)[n]);
        }
      }
    }
  }
}

void copy_to_tensor_memory(CopyShape shape, uint64_t descriptor, TensorAddress to, const TensorGroup& group) {
  const CopyRows all = rows_of(shape);
  const matrix::Descriptor from = shared_descriptor(descriptor, "to be copied");
  for (uint32_t i = 0; i < group.blocks; ++i) {
    for (uint32_t row = 0; row < all.rows; ++row) {
      for (uint32_t byte = 0; byte < all.bytes; byte += 4) {
        const uint32_t address = matrix::address_of(from, false, 1, row, byte);
        const uint64_t at = uint64_t{address} - kSharedReserve;
        if (address < kSharedReserve || at + 4 > group.shared[i].size()) {
          outside(descriptor, address, "to be copied", group.shared[i].size());
        }
        uint32_t word = 0;
        std::memcpy(&word, group.shared[i].data() + at, sizeof word);
        for (uint32_t c = 0; c < all.copies; ++c) {
          group.memory[i]->cell(to.lane + lane_of(shape, row) + c * all.apart, to.column + byte / 4) = word;
        }
      }
    }
  }
}

}  // namespace heddle::exec
