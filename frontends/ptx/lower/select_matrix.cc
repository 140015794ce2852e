// Tiles and products: ldmatrix and its like, mma, wgmma.
#include <fmt/format.h>

#include <algorithm>

#include "frontends/ptx/lower/select.h"

namespace heddle::ptx::lower {

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
        last->s.emplace_back("gsb0");
      }
      return true;
    }
    case Opcode::kWgmmaWaitGroup: {
      Machine& m = emit("WARPGROUP.DEPBAR.LE", {}, {"gsb0", fmt::format("{:#x}", at(0).value).c_str()});
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
  const std::string how =
      fmt::format("{}.16.{}88{}", load ? "LDSM" : "STSM", o.has(Flag::kTrans) ? "MT" : "M",
                  o.number > 1 ? fmt::format(".{}", o.number) : "");
  Machine& m = load ? emit(how, {v}, {}) : emit(how, {}, {v});
  m.address = where;
  m.loads = load;
  m.stores = !load;
}

void Select::product() {
  const Op& o = op();
  const Type ab = o.types[1], d = o.types[0];
  const bool sparse = o.opcode == Opcode::kMmaSp;
  const std::string shape = fmt::format("{}{}{}{}", sparse ? "SP." : "", o.shape.m, o.shape.n, o.shape.k);
  std::string how;
  if (ab == Type::kF64) {
    how = "DMMA." + shape;
  } else if (d == Type::kS32 && (!sparse || bits(ab) == 8)) {
    how = fmt::format("IMMA.{}.{}.{}", shape, ab == Type::kS8 ? "S8" : "U8", ab == Type::kS8 ? "S8" : "U8");
  } else if (ab == Type::kF16 || ab == Type::kBf16 || ab == Type::kTf32) {
    how = fmt::format("HMMA.{}.{}{}", shape, d == Type::kF16 ? "F16" : "F32",
                      ab == Type::kBf16   ? ".BF16"
                      : ab == Type::kTf32 ? ".TF32"
                                          : "");
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
    s.emplace_back(fmt::format("{:#x}", at(5).value).c_str());
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
        emit(fmt::format("F2FP.F16.{}.UNPACK_B", t == Type::kE4m3 ? "E4M3" : "E5M2"), {part(out, k)},
             {part(from, word)});
      }
      return out;
    };
    const Value x = halves(a, o.types[1]), y = halves(b, o.types[2]);
    const Value next = temporary(wide ? 4 : 2);
    emit(wide ? "HMMA.16816.F32" : "HMMA.16816.F16", {next}, {x, y, sum});
    sum = next;
  }
  for (uint32_t k = 0; k < to.count; ++k) {
    const Field before = c.there() ? Field(part(c, k)) : Field();
    emit(wide ? "FADD" : "HADD2", {part(to, k)}, {before, part(sum, k)});
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
  const auto byte = [](Type t) { return t == Type::kE4m3 ? "E4M3" : "E5M2"; };
  const std::string shape = fmt::format("{}{}x{}x{}", sparse ? "SP." : "", o.shape.m, o.shape.n, o.shape.k);
  const char* const sum = d == Type::kF16 ? "F16" : "F32";
  const std::string how = integer ? fmt::format("IGMMA.{}.{}.{}", shape, a == Type::kS8 ? "S8" : "U8",
                                                b == Type::kS8 ? "S8" : "U8")
                          : bytes ? fmt::format("QGMMA.{}.{}.{}.{}", shape, sum, byte(a), byte(b))
                                  : fmt::format("HGMMA.{}.{}{}", shape, sum,
                                                a == Type::kBf16   ? ".BF16"
                                                : a == Type::kTf32 ? ".TF32"
                                                                   : "");
  const bool in_registers = at(1).kind == OperandKind::kVector;
  std::vector<Field> s;
  const Value sums = group(at(0), true);
  if (in_registers) {
    s.emplace_back(group(at(1), false));
  }
  s.push_back(Field::place(descriptors(in_registers), "gdesc"));
  s.emplace_back(sums);
  const Field scale = in(sparse ? 5 : 3);
  if (scale.kind == Field::Kind::kZero) {
    s.emplace_back("!UPT");
  }
  if (sparse) {
    s.emplace_back(vector(at(3)));
    if (at(4).value != 0) {
      s.emplace_back(fmt::format("{:#x}", at(4).value).c_str());
    }
  }
  Machine& m = emit(how, std::vector<Field>{sums}, s);
  m.ordered = true;
}

}  // namespace heddle::ptx::lower
