// wmma: fragments between registers and memory in tiles of 8x8, products of 16x8x16 (as the SASS of the
// suite's gemm_wmma has them).
#include <fmt/format.h>

#include <map>

#include "frontends/ptx/execute/matrix_shapes.h"
#include "frontends/ptx/lower/select.h"
#include "sim/exec/matrix/fragment.h"

namespace heddle::ptx::lower {
namespace {

using exec::matrix::Fragment;

constexpr uint32_t kTile = 8;

// The register that begins at each tile.
std::map<std::pair<uint32_t, uint32_t>, uint32_t> tile_registers(const Fragment& f) {
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> out;
  for (uint32_t r = 0; r < f.registers(); ++r) {
    const exec::matrix::Place p = place(f, 0, r * f.per_register());
    if (p.row % kTile == 0 && p.col % kTile == 0) {
      out.try_emplace({p.row, p.col}, r);
    }
  }
  return out;
}

bool halves(const Fragment& f) { return f.kind == Fragment::Kind::kTiles && f.bits == 16 && f.per_cell == 2; }
bool words(const Fragment& f) { return f.kind == Fragment::Kind::kTiles && f.bits == 32 && f.per_cell == 2; }

// The products of 16x8x16 that one is made of: which registers of each operand.
struct Piece {
  std::vector<uint32_t> d, a, b;
};
std::vector<Piece> pieces(const Op& op, exec::MatrixOp& m) {
  std::vector<Piece> out;
  if (!shape_of_mma(op, m) || op.shape.m % 16 != 0 || op.shape.k != 16 || !halves(m.a.fragment) ||
      !halves(m.b.fragment) || !(halves(m.d.fragment) || words(m.d.fragment)) ||
      m.c.fragment.bits != m.d.fragment.bits) {
    return out;
  }
  const auto a = tile_registers(m.a.fragment), b = tile_registers(m.b.fragment),
             d = tile_registers(m.d.fragment);
  for (uint32_t row = 0; row < op.shape.m; row += 16) {
    for (uint32_t col = 0; col < op.shape.n; col += kTile) {
      Piece p;
      for (const uint32_t k : {0U, kTile}) {
        p.a.push_back(a.at({row, k}));
        p.a.push_back(a.at({row + kTile, k}));
        p.b.push_back(b.at({col, k}));
        const uint32_t first = d.at({row + k, col});
        for (uint32_t e = 0; e < (words(m.d.fragment) ? 2U : 1U); ++e) {
          p.d.push_back(first + e);
        }
      }
      out.push_back(std::move(p));
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

exec::MatrixOp sized(const Function& f, std::span<const Operand> x) {
  exec::MatrixOp m;
  exec::MatrixOp::Operand* const all[] = {&m.d, &m.a, &m.b, &m.c};
  for (size_t k = 0; k < 4; ++k) {
    all[k]->slots.resize(f.elements(x[k]).size());
  }
  return m;
}

}  // namespace

void Select::find_wmma_groups(uint32_t i) {
  const auto x = uses_.operands(i);
  exec::MatrixOp m = sized(f_, x);
  for (const Piece& p : pieces(uses_.op(i), m)) {
    const size_t distinct_b = m.b.fragment.registers();
    make_group(f_.elements(x[2]).first(std::min<size_t>(distinct_b, 4)));
    make_group(picked(f_.elements(x[0]), p.d));
    make_group(picked(f_.elements(x[1]), p.a));
    make_group(picked(f_.elements(x[2]), p.b));
    make_group(picked(f_.elements(x[3]), p.d));
  }
}

void Select::wmma_product() {
  exec::MatrixOp m = sized(f_, uses_.operands(now_));
  const std::vector<Piece> all = pieces(op(), m);
  if (all.empty()) {
    refuse(now_, "a product of this shape and type is not lowered yet");
    return;
  }
  const char* const how = op().types[1] == Type::kBf16 ? "HMMA.16816.F32.BF16"
                          : words(m.d.fragment)        ? "HMMA.16816.F32"
                                                       : "HMMA.16816.F16";
  for (const Piece& p : all) {
    const Value a = group(picked(f_.elements(at(1)), p.a), false);
    const Value b = group(picked(f_.elements(at(2)), p.b), false);
    const Value c = group(picked(f_.elements(at(3)), p.d), false);
    const std::vector<Operand> d = picked(f_.elements(at(0)), p.d);
    const Value to = group(d, true);
    emit(how, {to}, {a, b, c});
    spread(d, to);
  }
}

// Where the lane's elements lie in a matrix with such rows.
Value Select::lane_place(const Field& step, bool wide, const Tiles& t) {
  const bool known = step.kind == Field::Kind::kValue;
  const uint64_t kind = uint64_t{t.bytes} << 2 | static_cast<uint64_t>(t.kind);
  Value& lanes = tile_places_[{known ? step.value.reg : kNone, kind}];
  if (!lanes.there()) {
    const Value lane = temporary(), column = temporary(), row = temporary();
    emit("S2R", {lane}, {"SR_LANEID"});
    emit("LOP3.LUT", {column}, {lane, "0x3", Field(), "0xc0", "!PT"});
    emit("SHF.R.U32.HI", {row}, {Field(), "0x2", lane});
    const Value element = temporary(wide ? 2 : 1);
    emit(wide ? "IMAD.WIDE.U32" : "IMAD", {element}, {row, known ? Field(low(step.value)) : step, column});
    lanes = temporary(wide ? 2 : 1);
    emit("IMAD.SHL.U32", {part(lanes, 0)}, {part(element, 0), "0x4", Field()});
    if (wide) {
      emit("SHF.L.U64.HI", {part(lanes, 1)}, {part(element, 0), "0x2", part(element, 1)});
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
      emit("IMAD.X", {part(sum, 1)}, {part(a.base, 1), "0x1", part(lanes, 1), carry});
    } else {
      emit("IMAD.IADD", {part(sum, 0)},
           {part(lanes, 0), "0x1", a.base.there() ? Field(part(a.base, 0)) : Field()});
    }
  }
  Value at = sum;
  if (t.row[0] != 0 && known) {
    Value& further = of(t.row[0]);
    if (!further.there()) {
      further = temporary(a.wide ? 2 : 1);
      const Field n(int64_t{t.row[0]} * t.bytes);
      emit(a.wide ? "IMAD.WIDE.U32" : "IMAD", {further}, {low(step.value), n, sum});
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
  const Fragment f = wmma_fragment(o);
  if (!halves(f) && !words(f)) {
    refuse(now_, "a fragment of this shape and type is not lowered yet");
    return;
  }
  const auto list = f_.elements(at(store ? 1 : 0));
  const Operand& base = at(store ? 0 : 1);
  // Whether rows in memory are the fragment's columns: a fragment of B has the product's columns as rows.
  const bool turned = (o.layout_a == Layout::kCol) != (o.opcode == Opcode::kWmmaLoadB);
  const bool shared = o.space == Space::kShared;
  const uint32_t cols = turned ? f.rows : f.cols;
  const auto tile = [&](uint32_t r, Tiles::Kind kind) {
    const exec::matrix::Place p = place(f, 0, r * f.per_register());
    Tiles t;
    t.kind = kind;
    t.bytes = static_cast<uint8_t>(f.bits / 8);
    t.row[0] = static_cast<uint16_t>(turned ? p.col : p.row);
    t.col[0] = static_cast<uint16_t>(turned ? p.row : p.col);
    return t;
  };
  const auto access = [&](const std::string& what, const std::vector<Operand>& data, Value turned_over,
                          const Tiles& t) {
    const Address where = row_address(base, at(2), cols, t);
    const Value v = turned_over.there() ? turned_over : group(data, !store);
    Machine& m = store ? emit(what, {}, {v}) : emit(what, {v}, {});
    m.address = where;
    m.tiles = t;
    m.loads = !store;
    m.stores = store;
    if (!store && !turned_over.there()) {
      spread(data, v);
    }
  };
  const std::string unit = shared                      ? (store ? "STS" : "LDS")
                           : o.space == Space::kGlobal ? (store ? "STG.E" : "LDG.E")
                                                       : (store ? "ST.E" : "LD.E");
  const uint32_t registers = f.registers();
  if (halves(f) && shared && registers % 4 == 0) {
    for (uint32_t r = 0; r < registers; r += 4) {
      Tiles t = tile(r, Tiles::Kind::kRows);
      for (uint32_t k = 1; k < 4; ++k) {
        t.row[k] = tile(r + k, t.kind).row[0];
        t.col[k] = tile(r + k, t.kind).col[0];
      }
      access(fmt::format("{}.16.{}88.4", store ? "STSM" : "LDSM", turned ? "MT" : "M"),
             picked(list, {r, r + 1, r + 2, r + 3}), {}, t);
    }
  } else if (halves(f)) {
    for (uint32_t r = 0; r < registers; ++r) {
      const Value data = value(list[r].id);
      if (!turned) {
        access(unit, picked(list, {r}), {}, tile(r, Tiles::Kind::kPairs));
        continue;
      }
      const Value other = temporary();
      if (store) {
        emit("MOVM.16.MT88", {other}, {data});
      }
      access(unit, {}, other, tile(r, Tiles::Kind::kPairs));
      if (!store) {
        emit("MOVM.16.MT88", {data}, {other});
      }
    }
  } else if (!turned) {
    for (uint32_t r = 0; r < registers; r += 2) {
      access(unit + ".64", picked(list, {r, r + 1}), {}, tile(r, Tiles::Kind::kPairs));
    }
  } else {
    for (uint32_t r = 0; r < registers; ++r) {
      access(unit, picked(list, {r}), {}, tile(r, Tiles::Kind::kColumns));
    }
  }
  // Some registers hold the same once more.
  for (size_t r = registers; !store && r < list.size(); ++r) {
    emit("MOV", {value(list[r].id)}, {value(list[r - registers].id)});
  }
}

}  // namespace heddle::ptx::lower
