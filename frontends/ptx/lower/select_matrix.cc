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
  const std::string shape = fmt::format("{}{}{}", o.shape.m, o.shape.n, o.shape.k);
  std::string how;
  if (ab == Type::kF64) {
    how = "DMMA." + shape;
  } else if (d == Type::kS32) {
    how = fmt::format("IMMA.{}.{}.{}", shape, ab == Type::kS8 ? "S8" : "U8", ab == Type::kS8 ? "S8" : "U8");
  } else if (ab == Type::kF16 || ab == Type::kBf16 || ab == Type::kTf32) {
    how = fmt::format("HMMA.{}.{}{}", shape, d == Type::kF16 ? "F16" : "F32",
                      ab == Type::kBf16   ? ".BF16"
                      : ab == Type::kTf32 ? ".TF32"
                                          : "");
  } else {
    refuse(now_, "a product of such types is not lowered yet");
    return;
  }
  const Value to = group(at(0), true);
  const Value a = group(at(1), false), b = group(at(2), false), c = group(at(3), false);
  emit(how, {to}, {a, b, c});
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
  const auto byte = [](Type t) { return t == Type::kE4m3 ? "E4M3" : "E5M2"; };
  const std::string shape = fmt::format("{}x{}x{}", o.shape.m, o.shape.n, o.shape.k);
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
  const Field scale = in(3);
  if (scale.kind == Field::Kind::kZero) {
    s.emplace_back("!UPT");
  }
  Machine& m = emit(how, std::vector<Field>{sums}, s);
  m.ordered = true;
}

}  // namespace heddle::ptx::lower
