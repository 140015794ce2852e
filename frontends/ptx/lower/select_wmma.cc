// wmma: fragments between registers and memory in tiles of 8x8, products of 16x8x16 (as the SASS of the
// suite's gemm_wmma has them).
#include <array>
#include <map>
#include <numeric>

#include "frontends/ptx/execute/matrix_shapes.h"
#include "frontends/ptx/lower/select.h"
#include "sim/exec/matrix/fragment.h"

namespace heddle::ptx::lower {
namespace {

using exec::matrix::Fragment;

constexpr uint32_t kTile = 8;  // rows

// The register that begins at each tile.
std::map<std::pair<uint32_t, uint32_t>, uint32_t> tile_registers(const Fragment& f) {
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> out;
  for (uint32_t r = 0; r < f.registers(); ++r) {
    const exec::matrix::Place p = place(f, 0, r * f.per_register());
    if (p.row % kTile == 0 && p.col % (4U * f.per_cell) == 0) {
      out.try_emplace({p.row, p.col}, r);
    }
  }
  return out;
}

bool halves(const Fragment& f) { return f.kind == Fragment::Kind::kTiles && f.bits == 16 && f.per_cell == 2; }

// The products of 16 rows (of f64 and of less than 8 bits: 8) and 8 columns that one is made of: which
// registers of each operand. A product with 8 rows is its transposed one: `turned`, A is B there.
struct Piece {
  std::vector<uint32_t> d, a, b;
  bool goes_on = false;  // adds to what the one before has left
};
struct Pieces {
  std::vector<Piece> all;
  bool turned = false;
};

// Of the product that a tensor core does at once.
uint32_t rows_at_once(const Op& op) { return op.shape.m == 8 && op.shape.n == 8 ? 8 : 16; }

Pieces pieces(const Op& op, exec::MatrixOp& m) {
  Pieces out;
  if (!shape_of_mma(op, m) || m.c.fragment.bits != m.d.fragment.bits) {
    return out;
  }
  const uint32_t rows = rows_at_once(op);
  out.turned = op.shape.m < rows;
  const Fragment& factor_a = out.turned ? m.b.fragment : m.a.fragment;
  const Fragment& factor_b = out.turned ? m.a.fragment : m.b.fragment;
  Fragment sums = m.d.fragment;
  if (out.turned) {
    std::swap(sums.rows, sums.cols);
  }
  const auto a = tile_registers(factor_a), b = tile_registers(factor_b), d = tile_registers(sums);
  const uint32_t along = 4U * factor_a.per_cell;  // columns of a tile
  // Of tf32 four columns at a time; of halves two tiles, of smaller ones all there are.
  const uint32_t step = factor_a.bits == 32 && factor_a.per_cell == 1 ? along : factor_a.cols;
  const uint32_t of_sum = std::max(1U, sums.per_cell * sums.bits / std::max<uint32_t>(sums.bits, 32U));
  for (uint32_t row = 0; row < factor_a.rows; row += rows) {
    for (uint32_t col = 0; col < factor_b.rows; col += kTile) {
      for (uint32_t first = 0; first < factor_a.cols; first += step) {
        Piece p;
        p.goes_on = first != 0;
        for (uint32_t k = first; k < first + step; k += along) {
          for (uint32_t down = 0; down < rows; down += kTile) {
            p.a.push_back(a.at({row + down, k}));
          }
          p.b.push_back(b.at({col, k}));
        }
        for (uint32_t down = 0; down < rows; down += kTile) {
          const uint32_t at = d.at({row + down, col});
          for (uint32_t e = 0; e < of_sum; ++e) {
            p.d.push_back(at + e);
          }
        }
        out.all.push_back(std::move(p));
      }
    }
  }
  return out;
}

std::vector<Operand> picked(std::span<const Operand> list, const std::vector<uint32_t>& which) {
  std::vector<Operand> out;
  out.reserve(which.size());
  for (const uint32_t k : which) {
    out.push_back(list[k]);
  }
  return out;
}

// What stands alone is no list.
std::span<const Operand> elements(const Function& f, const Operand& o) {
  return o.kind == OperandKind::kVector ? f.elements(o) : std::span<const Operand>(&o, 1);
}

exec::MatrixOp sized(const Function& f, std::span<const Operand> x) {
  exec::MatrixOp m;
  exec::MatrixOp::Operand* const all[] = {&m.d, &m.a, &m.b, &m.c};
  for (size_t k = 0; k < 4; ++k) {
    all[k]->slots.resize(elements(f, x[k]).size());
  }
  return m;
}

}  // namespace

void Select::find_wmma_groups(uint32_t i) {
  const auto x = uses_.operands(i);
  exec::MatrixOp m = sized(f_, x);
  const Pieces found = pieces(uses_.op(i), m);
  const size_t of_a = found.turned ? 2 : 1, of_b = found.turned ? 1 : 2;
  const size_t distinct_b = (found.turned ? m.a : m.b).fragment.registers();
  for (const Piece& p : found.all) {
    make_group(elements(f_, x[of_b]).first(std::min<size_t>(distinct_b, 4)));
    make_group(picked(elements(f_, x[0]), p.d));
    make_group(picked(elements(f_, x[of_a]), p.a));
    make_group(picked(elements(f_, x[of_b]), p.b));
    make_group(picked(elements(f_, x[3]), p.d));
  }
}

void Select::wmma_product() {
  const Op& o = op();
  exec::MatrixOp m = sized(f_, uses_.operands(now_));
  const Pieces found = pieces(o, m);
  const Type factor = o.type_count == 2 ? Type::kF16 : o.types[1];
  if (found.all.empty()) {
    refuse(now_, "a product of this shape and type is not lowered yet");
    return;
  }
  const bool wide = m.d.fragment.bits == 32;
  const auto sign = [](Type t) { return t == Type::kS8 || t == Type::kS4 ? Mod::kS8 : Mod::kU8; };
  const sass::Opcode how = factor == Type::kF64    ? "DMMA.884"_op
                           : factor == Type::kTf32 ? "HMMA.1684.F32.TF32"_op
                           : factor == Type::kBf16 ? "HMMA.16816.F32.BF16"_op
                           : factor == Type::kF16  ? (wide ? "HMMA.16816.F32"_op : "HMMA.16816.F16"_op)
                           : factor == Type::kB1   ? "BMMA.88128.AND.POPC"_op
                                                   : (bits(factor) == 8 ? "IMMA.16816"_op : "IMMA.8816"_op) +
                                                       sign(o.types[found.turned ? 2 : 1]) +
                                                       sign(o.types[found.turned ? 1 : 2]);
  const bool narrow =
      factor == Type::kS4 || factor == Type::kU4 || (factor == Type::kB1 && o.combine == Combine::kXor);
  Value to;
  for (const Piece& p : found.all) {
    const Value a = group(picked(elements(f_, at(found.turned ? 2 : 1)), p.a), false);
    const Value b = group(picked(elements(f_, at(found.turned ? 1 : 2)), p.b), false);
    const Value c = p.goes_on ? to : group(picked(elements(f_, at(3)), p.d), false);
    const std::vector<Operand> d = picked(elements(f_, at(0)), p.d);
    to = group(d, true);
    if (narrow) {
      product_of_bits(how, to, a, b, c);
    } else {
      emit(how, {to}, {a, b, c});
    }
    spread(d, to);
  }
}

// Elements of four bits as bytes, every second one in another word; of one bit, where not both but either may
// be set, those with the one turned over and those with the other. Then two products, and the sum of them.
void Select::product_of_bits(const sass::Opcode& how, Value to, Value a, Value b, Value c) {
  const Type t = op().types[1];
  std::array<std::array<Value, 2>, 2> factors;
  for (const size_t k : {size_t{0}, size_t{1}}) {
    const Value from = k == 0 ? a : b;
    if (t == Type::kS4) {
      factors[k] = signed_bytes(from);
    } else if (t == Type::kU4) {
      const Value odd = made("LOP3.LUT", {from, 0xf0f0f0f0, Field(), 0xc0, kNotPT});
      factors[k] = {made("LOP3.LUT", {from, 0xf0f0f0f, Field(), 0xc0, kNotPT}),
                    made("SHF.R.U32.HI", {Field(), 0x4, odd})};
    } else {
      const Value other = made("LOP3.LUT", {Field(), from, Field(), 0x33, kNotPT});
      factors[k] = {k == 0 ? from : other, k == 0 ? other : from};
    }
  }
  const Value first = temporary(to.count), second = temporary(to.count);
  emit(how, {first}, {factors[0][0], factors[1][0], c});
  emit(how, {second}, {factors[0][1], factors[1][1], Field()});
  for (uint32_t k = 0; k < to.count; ++k) {
    emit("IMAD.IADD", {part(to, k)}, {part(first, k), 0x1, part(second, k)});
  }
}

// Eight numbers of four bits in a word as two words of four bytes.
std::array<Value, 2> Select::signed_bytes(Value word) {
  constexpr uint32_t kNumbers = 8;
  static constexpr std::array<int64_t, 3> kInto = {0xff00, 0xff0000, 0xff000000};
  std::array<Value, 2> out;
  for (uint32_t k = 0; k < kNumbers; ++k) {
    Value v = word;
    if (k != 0) {
      v = made("LOP3.LUT", {v, immediate(0xfU << 4 * k), Field(), 0xc0, kNotPT});
    }
    if (k + 1 != kNumbers) {
      v = made("IMAD.SHL.U32", {v, immediate(1U << (4 * (kNumbers - 1 - k))), Field()});
    }
    v = made("SHF.R.S32.HI", {Field(), 0x1c, v});
    Value& into = out[k % 2];
    into = k < 2 ? made("LOP3.LUT", {v, 0xff, Field(), 0xc0, kNotPT})
                 : made("LOP3.LUT", {into, kInto[k / 2 - 1], v, 0xf8, kNotPT});
  }
  return out;
}

// Where the lane's elements lie in a matrix with such rows.
Value Select::lane_place(const Field& step, bool wide, const Tiles& t) {
  const bool known = step.kind == Field::Kind::kValue;
  const uint64_t kind = uint64_t{t.per} << 32 | uint64_t{t.bytes} << 2 | static_cast<uint64_t>(t.kind);
  Value& lanes = tile_places_[{known ? step.value.reg : kNone, kind}];
  if (!lanes.there()) {
    const Value lane = temporary(), column = temporary(), row = temporary();
    emit("S2R", {lane}, {special_register(SpecialRegister::kLaneid)});
    emit("LOP3.LUT", {column}, {lane, 0x3, Field(), 0xc0, kNotPT});
    emit("SHF.R.U32.HI", {row}, {Field(), 0x2, lane});
    const Value element = temporary(wide ? 2 : 1);
    emit(wide ? "IMAD.WIDE.U32"_op : "IMAD"_op, {element},
         {row, known ? Field(low(step.value)) : step, column});
    lanes = temporary(wide ? 2 : 1);
    emit("IMAD.SHL.U32", {part(lanes, 0)}, {part(element, 0), 0x4, Field()});
    if (wide) {
      emit("SHF.L.U64.HI", {part(lanes, 1)}, {part(element, 0), 0x2, part(element, 1)});
    }
  }
  return lanes;
}

// Base + where the lane's elements lie, and as many rows further as the first tile says.
Address Select::row_address(const Operand& base, const Operand& stride, uint32_t cols, const Tiles& t) {
  Address a = address(base);
  const Field step = stride.kind != OperandKind::kNone ? field(stride) : Field(int64_t{cols});
  const bool known = step.kind == Field::Kind::kValue;
  const auto of = [&](uint16_t row) -> Value& {
    return tile_sums_[{a.base.reg, known ? step.value.reg : kNone, row}];
  };
  Value& sum = of(0);
  if (!sum.there()) {
    const Value lanes = lane_place(step, a.wide, t);
    sum = temporary(a.wide ? 2 : 1);
    if (a.wide && a.base.there()) {
      const Value carry = predicate();
      emit("IADD3", {part(sum, 0), carry}, {part(a.base, 0), part(lanes, 0), Field()});
      emit("IMAD.X", {part(sum, 1)}, {part(a.base, 1), 0x1, part(lanes, 1), carry});
    } else {
      emit("IMAD.IADD", {part(sum, 0)},
           {part(lanes, 0), 0x1, a.base.there() ? Field(part(a.base, 0)) : Field()});
    }
  }
  Value at = sum;
  if (t.row[0] != 0 && known) {
    Value& further = of(t.row[0]);
    if (!further.there()) {
      further = temporary(a.wide ? 2 : 1);
      const Field n(int64_t{t.row[0]} * t.bytes);
      emit(a.wide ? "IMAD.WIDE.U32"_op : "IMAD"_op, {further}, {low(step.value), n, sum});
    }
    at = further;
  } else {
    a.offset += int64_t{t.row[0]} * (step.kind == Field::Kind::kNumber ? step.number : 0) * t.bytes;
  }
  a.base = at;
  a.offset += int64_t{t.col[0]} * t.bytes;
  a.multiple = 4;
  return a;
}

void Select::wmma_memory() {
  const Op& o = op();
  const bool store = o.opcode == Opcode::kWmmaStoreD;
  const bool sums = store || o.opcode == Opcode::kWmmaLoadC;
  Fragment f = wmma_fragment(o);
  if (f.kind != Fragment::Kind::kTiles) {
    refuse(now_, "a fragment of this shape and type is not lowered yet");
    return;
  }
  // Whether rows in memory are the fragment's columns: a fragment of B has the product's columns as rows, and
  // sums of eight rows are those of the transposed product.
  bool turned = (o.layout_a == Layout::kCol) != (o.opcode == Opcode::kWmmaLoadB);
  if (sums && o.shape.m == 8 && o.shape.n > 8) {
    std::swap(f.rows, f.cols);
    turned = !turned;
  }
  const auto list = elements(f_, at(store ? 1 : 0));
  const uint32_t registers = f.registers();
  const auto tile = [&](uint32_t element, Tiles::Kind kind) {
    const exec::matrix::Place p = place(f, 0, element);
    Tiles t;
    t.kind = kind;
    t.bytes = static_cast<uint8_t>(f.bits / 8);
    t.per = f.per_cell;
    t.row[0] = static_cast<uint16_t>(turned ? p.col : p.row);
    t.col[0] = static_cast<uint16_t>(turned ? p.row : p.col);
    return t;
  };
  const bool shared = o.space == Space::kShared;
  const sass::Opcode unit = shared                      ? (store ? "STS"_op : "LDS"_op)
                            : o.space == Space::kGlobal ? (store ? "STG.E"_op : "LDG.E"_op)
                                                        : (store ? "ST.E"_op : "LD.E"_op);
  const uint32_t cols = turned ? f.rows : f.cols;
  const uint32_t per = f.per_register();
  if (halves(f) && shared && registers % 4 == 0) {
    for (uint32_t r = 0; r < registers; r += 4) {
      Tiles t = tile(r * per, Tiles::Kind::kRows);
      for (uint32_t k = 1; k < 4; ++k) {
        t.row[k] = tile((r + k) * per, t.kind).row[0];
        t.col[k] = tile((r + k) * per, t.kind).col[0];
      }
      tile_access((store ? "STSM.16"_op : "LDSM.16"_op) + (turned ? ".MT88.4"_mod : ".M88.4"_mod),
                  picked(list, {r, r + 1, r + 2, r + 3}), {}, t, cols);
    }
  } else if (!turned) {
    const uint32_t of_unit = std::max(1U, f.per_cell / per);  // registers
    const uint32_t bytes = f.per_cell * f.bits / 8;
    const sass::Suffix width = bytes == 16 ? ".128"_mod : bytes == 8 ? ".64"_mod : ""_mod;
    for (uint32_t r = 0; r < registers; r += of_unit) {
      std::vector<uint32_t> which(of_unit);
      std::iota(which.begin(), which.end(), r);
      tile_access(unit + width, picked(list, which), {}, tile(r * per, Tiles::Kind::kPairs), cols);
    }
  } else if (f.bits >= 32) {
    for (uint32_t r = 0; r < registers; ++r) {
      tile_access(unit + (f.bits == 64 ? ".64"_mod : ""_mod), picked(list, {r}), {},
                  tile(r, Tiles::Kind::kColumns), cols);
    }
  } else if (f.bits == 16) {
    for (uint32_t r = 0; r < registers; ++r) {
      const Value data = value(list[r].id);
      const Value other = temporary();
      if (store) {
        emit("MOVM.16.MT88", {other}, {data});
      }
      tile_access(unit, {}, other, tile(r * per, Tiles::Kind::kPairs), cols);
      if (!store) {
        emit("MOVM.16.MT88", {data}, {other});
      }
    }
  } else {
    for (uint32_t r = 0; r < registers; ++r) {
      std::array<Tiles, 4> places;
      for (uint32_t e = 0; e < places.size(); ++e) {
        places[e] = tile(r * per + e, Tiles::Kind::kColumns);
      }
      load_bytes(unit + ".U8", value(list[r].id), places, cols);
    }
  }
  // Some registers hold the same once more.
  for (size_t r = registers; !store && r < list.size(); ++r) {
    emit("MOV", {value(list[r].id)}, {value(list[r - registers].id)});
  }
}

// A register of four bytes that do not lie side by side.
void Select::load_bytes(const sass::Opcode& what, Value to, const std::array<Tiles, 4>& places,
                        uint32_t cols) {
  std::array<Value, 4> bytes;
  for (size_t e = 0; e < bytes.size(); ++e) {
    bytes[e] = temporary();
    tile_access(what, {}, bytes[e], places[e], cols);
  }
  const Value lower = made("IMAD", {bytes[1], 0x100, bytes[0]}),
              upper = made("IMAD", {bytes[3], 0x100, bytes[2]});
  emit("PRMT", {to}, {lower, 0x5410, upper});
}

// `data`: the registers, or else `other`.
void Select::tile_access(const sass::Opcode& what, const std::vector<Operand>& data, Value other,
                         const Tiles& t, uint32_t cols) {
  const bool store = op().opcode == Opcode::kWmmaStoreD;
  const Address where = row_address(at(store ? 0 : 1), at(2), cols, t);
  const Value v = other.there() ? other : group(data, !store);
  Machine& m = store ? emit(what, {}, {v}) : emit(what, {v}, {});
  m.address = where;
  m.tiles = t;
  m.loads = !store;
  m.stores = store;
  if (!store && !other.there()) {
    spread(data, v);
  }
}

}  // namespace heddle::ptx::lower
