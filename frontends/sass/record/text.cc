#include "frontends/sass/record/text.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace heddle::sass {
namespace {

using Kind = Operand::Kind;

constexpr std::string_view kParts[] = {
    "",    ".H0_H0", ".H1_H1", ".H1", ".F32",  ".F32x2.HI_LO", ".F32x2.LO_HI", ".B1",
    ".B2", ".B3",    ".24",    ".28", ".SIGN", ".ROW",         ".COL"};

void decimal(std::string& out, uint32_t v) {
  char digits[10];
  size_t n = 0;
  do {
    digits[n++] = static_cast<char>('0' + v % 10);
    v /= 10;
  } while (v != 0);
  while (n > 0) {
    out += digits[--n];
  }
}
void hex(std::string& out, uint64_t v) {
  out += "0x";
  for (int shift = v == 0 ? 0 : static_cast<int>((std::bit_width(v) - 1) / 4 * 4); shift >= 0; shift -= 4) {
    out += "0123456789abcdef"[v >> shift & 15];
  }
}
void signed_hex(std::string& out, int64_t v) {
  out += v < 0 ? "-" : "";
  hex(out, v < 0 ? ~static_cast<uint64_t>(v) + 1 : static_cast<uint64_t>(v));
}
// R7, or the letter that stands for none.
void named(std::string& out, std::string_view file, uint32_t index, uint32_t none, char letter) {
  out += file;
  if (index == none) {
    out += letter;
  } else {
    decimal(out, index);
  }
}
void reg(std::string& out, uint32_t index) { named(out, "R", index, kZeroRegister, 'Z'); }
void ureg(std::string& out, uint32_t index) { named(out, "UR", index, kZeroUniform, 'Z'); }

double half_value(uint32_t h) {
  const uint32_t exponent = h >> 10 & 31, fraction = h & 1023;
  const double m = exponent == 0    ? std::ldexp(fraction, -24)
                   : exponent == 31 ? (fraction != 0 ? NAN : INFINITY)
                                    : std::ldexp(fraction + 1024, static_cast<int>(exponent) - 25);
  return (h & 0x8000) != 0 ? -m : m;
}

void number(std::string& out, const Operand& o) {
  const auto value = static_cast<uint32_t>(o.bits), half = o.index == 0 ? value >> 16 : value & 0xffff;
  switch (o.written) {
    case Operand::Written::kUnsigned:
      return hex(out, o.bits);
    case Operand::Written::kSigned:
      return signed_hex(out, static_cast<int64_t>(o.bits));
    case Operand::Written::kFloat:
      out += float_text(std::bit_cast<float>(value));
      return;
    case Operand::Written::kDouble:
      out += float_text(std::bit_cast<double>(uint64_t{value} << 32));
      return;
    case Operand::Written::kHalf:
      out += float_text(half_value(half));
      return;
    case Operand::Written::kBfloat:
      out += float_text(std::bit_cast<float>(half << 16));
      return;
  }
}

void described(std::string& out, const Operand& o) {
  if (o.descriptor != kNoIndex) {
    out += "desc[";
    ureg(out, o.descriptor);
    out += "]";
  }
}

// R2.64+UR4+0x10. RZ is left out where something else says where it is.
void inside(std::string& out, const Operand& o) {
  const size_t before = out.size();
  const auto plus = [&] { out += out.size() == before ? "" : "+"; };
  if (o.has_base() || o.base_shown || (o.base == kZeroRegister && o.offset == 0 && o.ubase == kNoIndex)) {
    reg(out, o.base);
    out += o.base_wide         ? ".64"
           : o.base_narrow     ? ".U32"
           : o.base_shift == 2 ? ".X4"
           : o.base_shift == 3 ? ".X8"
           : o.base_shift == 4 ? ".X16"
                               : "";
  }
  if (o.ubase != kNoIndex) {
    plus();
    ureg(out, o.ubase);
    out += o.base_wide && o.base == kNoIndex ? ".64" : "";
  }
  if (o.offset != 0 || out.size() == before) {
    plus();
    signed_hex(out, o.offset);
  }
}

void scoreboards(std::string& out, uint64_t mask) {
  constexpr uint32_t kScoreboards = 6;
  const size_t before = out.size();
  for (uint32_t i = kScoreboards; i-- > 0;) {
    if ((mask >> i & 1) != 0) {
      out += out.size() == before ? "" : ",";
      decimal(out, i);
    }
  }
}

void matrices(std::string& out, uint8_t said) {
  out += (said & Operand::kNegativeA) != 0 ? ".negA" : "";
  out += (said & Operand::kNegativeB) != 0 ? ".negB" : "";
  out += (said & Operand::kTransposedA) != 0 ? ".tnspA" : "";
  out += (said & Operand::kTransposedB) != 0 ? ".tnspB" : "";
}

void named_operand(std::string& out, const Operand& o) {
  switch (o.kind) {
    case Kind::kNone:
      return;
    case Kind::kRegister:
      return reg(out, o.index);
    case Kind::kUniform:
      return ureg(out, o.index);
    case Kind::kPredicate:
      return named(out, "P", o.index, kTruePredicate, 'T');
    case Kind::kUniformPredicate:
      return named(out, "UP", o.index, kTruePredicate, 'T');
    case Kind::kPredicates:
      out += "PR";
      return;
    case Kind::kUniformPredicates:
      out += "UPR";
      return;
    case Kind::kNumber:
      return number(out, o);
    case Kind::kConstant:
      out += "c[";
      hex(out, o.bank);
      out += "][";
      inside(out, o);
      out += "]";
      return;
    case Kind::kAddress:
      described(out, o);
      out += "[";
      inside(out, o);
      out += "]";
      return;
    case Kind::kMatrix:
    case Kind::kTensorMemory:
    case Kind::kTensorShape:
      out += bracketed(o.kind);
      out += "[";
      ureg(out, o.ubase);
      out += "]";
      return matrices(out, o.matrices);
    case Kind::kPolicy:
      return described(out, o);
    case Kind::kBarrier:
      out += "B";
      return decimal(out, o.index);
    case Kind::kSpecial:
      if (const std::string_view name = special_name(o.index); !name.empty()) {
        out += name;
      } else {
        out += "SR";
        decimal(out, o.index);
      }
      return;
    case Kind::kScoreboard:
      out += "SB";
      return decimal(out, o.index);
    case Kind::kScoreboards:
      out += "{";
      scoreboards(out, o.bits);
      out += "}";
      return;
    case Kind::kGroupCounter:
      out += "gsb0";
      return;
    case Kind::kReturn:
      out += o.index == 0 ? "Rpc.LO" : "Rpc.HI";
      return;
    case Kind::kThreadState:
      out += "THREAD_STATE_ENUM.0";
      return;
    case Kind::kTexture:
      out += text(static_cast<Mod>(o.index));
      return;
    case Kind::kTextureHeader:
      out += "TEX_HEADER_DIMENSION";
      return;
  }
}

// -|R1|.reuse
void operand(std::string& out, const Operand& o) {
  out += o.invert ? "~" : !o.negate ? "" : o.is_predicate() ? "!" : "-";
  out += o.absolute ? "|" : "";
  named_operand(out, o);
  out += o.absolute ? "|" : "";
  out += o.reuse ? ".reuse" : "";
  out += kParts[static_cast<size_t>(o.part)];
}

void opcode(std::string& out, const Opcode& d) {
  out += text(d.name);
  for (const Mod m : d.mods) {
    out += ".";
    if (m != Mod::kShape) {
      out += text(m);
      continue;
    }
    // Those of a warp group and of f64 have an x between the numbers.
    const std::string_view between = d.name == Mnemonic::kDMMA || text(d.name).ends_with("GMMA") ? "x" : "";
    decimal(out, d.shape.m);
    out += between;
    decimal(out, d.shape.n);
    out += between;
    decimal(out, d.shape.k);
  }
}

}  // namespace

std::string float_text(double value) {
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isnan(value)) {
    return (sign.empty() ? "+" : sign) + "QNAN ";
  }
  if (std::isinf(value)) {
    return (sign.empty() ? "+" : sign) + "INF ";
  }
  if (value == 0) {
    return sign.empty() ? "0" : "-0.0 ";
  }
  constexpr double kLongest = 1e9;  // from here on with an exponent
  return std::fabs(value) >= kLongest ? fmt::format("{:.20e}", value) : fmt::format("{:.20g}", value);
}

std::string_view bracketed(Operand::Kind kind) {
  switch (kind) {
    case Kind::kMatrix:
      return "gdesc";
    case Kind::kTensorMemory:
      return "tmem";
    case Kind::kTensorShape:
      return "idesc";
    case Kind::kPolicy:
      return "desc";
    default:
      return "";
  }
}

std::string_view special_name(uint32_t number) {
  switch (number) {
#define HEDDLE_SASS_CASE(number, name, text) \
  case number:                               \
    return text;
    HEDDLE_SASS_SPECIALS(HEDDLE_SASS_CASE)
#undef HEDDLE_SASS_CASE
    default:
      return "";
  }
}

std::string text(const Opcode& o) {
  std::string out;
  opcode(out, o);
  return out;
}

std::string text(const Decoded& d) {
  constexpr size_t kUsual = 64;
  std::string out;
  out.reserve(kUsual);
  if (d.guarded) {
    out += d.guard_negated ? "@!" : "@";
    named(out, d.guard_uniform ? "UP" : "P", d.guard, kTruePredicate, 'T');
    out += " ";
  }
  opcode(out, d);
  for (size_t i = 0; i < d.count; ++i) {
    out += i == 0 || d.operands[i].after_blank ? " " : ", ";
    operand(out, d.operands[i]);
  }
  return out;
}

}  // namespace heddle::sass
