// Tiles and products: ldmatrix and its like, mma, wgmma.
#include <algorithm>

#include "frontends/ptx/lower/select.h"

namespace heddle::ptx::lower {
namespace {

sass::Shape shape_of(const Op& o) { return {o.shape.m, o.shape.n, o.shape.k}; }
Mod sum_type(Type t) { return t == Type::kF16 ? Mod::kF16 : Mod::kF32; }
Mod small_float(Type t) { return t == Type::kE4m3 ? Mod::kE4M3 : Mod::kE5M2; }
// Of halves nothing is written.
sass::Suffix factor_type(Type t) {
  return t == Type::kBf16 ? ".BF16"_mod : t == Type::kTf32 ? ".TF32"_mod : ""_mod;
}

}  // namespace

bool Select::matrices() {
  switch (op().opcode) {
    case Opcode::kLdmatrix:
    case Opcode::kStmatrix:
      tiles();
      return true;
    case Opcode::kMovmatrix:
      emit("MOVM.16.MT88", {result()}, {in(1)});
      return true;
    case Opcode::kMma:
    case Opcode::kMmaSp:
      product();
      return true;
    case Opcode::kWmmaLoadA:
    case Opcode::kWmmaLoadB:
    case Opcode::kWmmaLoadC:
    case Opcode::kWmmaStoreD:
      wmma_memory();
      return true;
    case Opcode::kWmmaMma:
      wmma_product();
      return true;
    case Opcode::kWgmmaMmaAsync:
    case Opcode::kWgmmaMmaAsyncSp:
      wgmma();
      return true;
    case Opcode::kWgmmaFence: {
      Machine& m = emit("WARPGROUP.ARRIVE", {}, {});
      m.ordered = true;
      m.settles = accumulators_;
      return true;
    }
    case Opcode::kWgmmaCommitGroup: {
      // Its last product says so.
      const auto last = std::find_if(block_->code.rbegin(), block_->code.rend(),
                                     [](const Machine& m) { return m.op == isa::OpClass::kGmma; });
      if (last != block_->code.rend()) {
        last->s.emplace_back(kGroupCounter);
      }
      return true;
    }
    case Opcode::kWgmmaWaitGroup: {
      Machine& m = emit("WARPGROUP.DEPBAR.LE", {}, {kGroupCounter, immediate(at(0).value)});
      m.ordered = true;
      m.settles = accumulators_;
      return true;
    }
    default:
      return false;
  }
}

void Select::tiles() {
  const Op& o = op();
  const bool load = o.opcode == Opcode::kLdmatrix;
  const Address where = address(at(load ? 1 : 0));
  const Value v = group(at(load ? 0 : 1), load);
  const sass::Opcode how = (load ? "LDSM.16"_op : "STSM.16"_op) +
                           (o.has(Flag::kTrans) ? ".MT88"_mod : ".M88"_mod) +
                           (o.number == 4   ? ".4"_mod
                            : o.number == 2 ? ".2"_mod
                                            : ""_mod);
  Machine& m = load ? emit(how, {v}, {}) : emit(how, {}, {v});
  m.address = where;
  m.loads = load;
  m.stores = !load;
}

void Select::product() {
  const Op& o = op();
  const Type ab = o.types[1], d = o.types[0];
  const bool sparse = o.opcode == Opcode::kMmaSp;
  const sass::Suffix is_sparse = sparse ? ".SP"_mod : ""_mod;
  const sass::Shape shape = shape_of(o);
  sass::Opcode how;
  if (ab == Type::kF64) {
    how = "DMMA"_op + is_sparse + shape;
  } else if (d == Type::kS32 && (!sparse || bits(ab) == 8)) {
    how = "IMMA"_op + is_sparse + shape + (ab == Type::kS8 ? ".S8.S8"_mod : ".U8.U8"_mod);
  } else if (ab == Type::kF16 || ab == Type::kBf16 || ab == Type::kTf32) {
    how = "HMMA"_op + is_sparse + shape + sum_type(d) + factor_type(ab);
  } else if (bits(ab) == 8 && !sparse) {
    product_of_small_floats();
    return;
  } else {
    refuse(now_, "a product of such types is not lowered yet");
    return;
  }
  const Value to = group(at(0), true);
  const Value a = group(at(1), false), b = group(at(2), false), c = group(at(3), false);
  std::vector<Field> s{a, b, c};
  if (sparse) {
    s.emplace_back(vector(at(4)));
    s.emplace_back(immediate(at(5).value));
  }
  emit(how, std::vector<Field>{to}, s);
}

// Of e4m3 and e5m2, which tensor cores of sm_90 take in products of warp groups alone: as halves, which are
// twice as many; the sum is added behind them.
void Select::product_of_small_floats() {
  const Op& o = op();
  const bool wide = o.types[0] == Type::kF32;
  const Value to = group(at(0), true), c = group(at(3), false);
  const Value a = group(at(1), false), b = group(at(2), false);
  const uint32_t steps = o.shape.k / 16;
  Value sum;
  for (uint32_t step = 0; step < steps; ++step) {
    const auto halves = [&](Value from, Type t) {
      const Value out =
          temporary(from.count * 2 / steps == 0 ? 1 : static_cast<uint8_t>(from.count * 2 / steps));
      for (uint32_t k = 0; k < out.count; ++k) {
        const uint32_t word = steps == 2 ? k : k / 2;
        emit("F2FP.F16"_op + small_float(t) + ".UNPACK_B", {part(out, k)}, {part(from, word)});
      }
      return out;
    };
    const Value x = halves(a, o.types[1]), y = halves(b, o.types[2]);
    const Value next = temporary(wide ? 4 : 2);
    emit(wide ? "HMMA.16816.F32"_op : "HMMA.16816.F16"_op, {next}, {x, y, sum});
    sum = next;
  }
  for (uint32_t k = 0; k < to.count; ++k) {
    const Field before = c.there() ? Field(part(c, k)) : Field();
    emit(wide ? "FADD"_op : "HADD2"_op, {part(to, k)}, {before, part(sum, k)});
  }
}

// Those that do not change are put there once.
Value Select::descriptors(bool in_registers) {
  const auto once = [&](const Operand& o) {
    return o.kind == OperandKind::kRegister && uses_.writer(o.id) != kNone ? o.id : kNone;
  };
  const uint32_t a = in_registers ? 0 : once(at(1)), b = once(at(2));
  Value made;
  Value& u = a != kNone && b != kNone ? descriptors_[{a, b}] : made;
  if (!u.there()) {
    u = temporary(in_registers ? 2 : 4, File::kUniform);
    if (!in_registers) {
      into_uniform(part(u, 0, 2), at(1));
    }
    into_uniform(part(u, in_registers ? 0 : 2, 2), at(2));
  }
  return u;
}

// The factors' descriptors go into uniform registers, side by side.
void Select::wgmma() {
  const Op& o = op();
  const Type d = o.types[0], a = o.types[1], b = o.types[2];
  const bool integer = d == Type::kS32;
  const bool bytes = bits(a) == 8;
  const bool sparse = o.opcode == Opcode::kWgmmaMmaAsyncSp;
  const auto sign = [](Type t) { return t == Type::kS8 ? Mod::kS8 : Mod::kU8; };
  const sass::Suffix is_sparse = sparse ? ".SP"_mod : ""_mod;
  const sass::Shape shape = shape_of(o);
  const sass::Opcode how =
      integer ? "IGMMA"_op + is_sparse + shape + sign(a) + sign(b)
      : bytes ? "QGMMA"_op + is_sparse + shape + sum_type(d) + small_float(a) + small_float(b)
              : "HGMMA"_op + is_sparse + shape + sum_type(d) + factor_type(a);
  const bool in_registers = at(1).kind == OperandKind::kVector;
  std::vector<Field> s;
  const Value sums = group(at(0), true);
  if (in_registers) {
    s.emplace_back(group(at(1), false));
  }
  s.push_back(Field::place(descriptors(in_registers), SassKind::kMatrix));
  s.emplace_back(sums);
  const Field scale = in(sparse ? 5 : 3);
  if (scale.kind == Field::Kind::kZero) {
    s.emplace_back(kNotUPT);
  }
  if (sparse) {
    s.emplace_back(vector(at(3)));
    if (at(4).value != 0) {
      s.emplace_back(immediate(at(4).value));
    }
  }
  Machine& m = emit(how, std::vector<Field>{sums}, s);
  m.ordered = true;
}

}  // namespace heddle::ptx::lower
