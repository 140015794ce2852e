// Textures and surfaces: what ptxas 13.0 makes of handles in registers (tests/exec/oracle/texture).
#include "frontends/ptx/form.h"
#include "frontends/ptx/lower/select.h"

namespace heddle::ptx::lower {
namespace {

bool is_layered(Geometry g) { return g == Geometry::kA1d || g == Geometry::kA2d || g == Geometry::kAcube; }
bool is_cube(Geometry g) { return g == Geometry::kCube || g == Geometry::kAcube; }

uint32_t dimensions_of(Geometry g) {
  return g == Geometry::k1d || g == Geometry::kA1d ? 1 : g == Geometry::k2d || g == Geometry::kA2d ? 2 : 3;
}

// `flat`: of one dimension; the machine reads such arrays as rows of two.
Mod shape_name(Geometry g, Mod flat) {
  switch (g) {
    case Geometry::k1d:
      return flat;
    case Geometry::k2d:
      return Mod::k2D;
    case Geometry::kA1d:
      return Mod::kARRAY_1D;
    case Geometry::kA2d:
      return Mod::kARRAY_2D;
    case Geometry::kCube:
      return Mod::kCUBE;
    case Geometry::kAcube:
      return Mod::kARRAY_CUBE;
    default:
      return Mod::k3D;
  }
}

}  // namespace

bool Select::textures() {
  switch (op().opcode) {
    case Opcode::kTex:
    case Opcode::kTld4:
      fetch();
      return true;
    case Opcode::kSuld:
    case Opcode::kSust:
    case Opcode::kSured:
      surface();
      return true;
    case Opcode::kTxq:
    case Opcode::kSuq:
      query();
      return true;
    default:
      return false;
  }
}

Value Select::handle(size_t place) {
  const Value out = temporary(2, File::kUniform);
  into_uniform(part(out, 0), at(place));
  emit("UMOV", {part(out, 1)}, {kURZ});
  return out;
}

std::pair<Value, Mod> Select::coordinates(const Operand& o) {
  const Geometry g = op().geometry;
  const bool whole = op().type_count > 1 && op().types[1] == Type::kS32;
  const bool surface = op().opcode != Opcode::kTex && op().opcode != Opcode::kTld4;
  const bool padded = dimensions_of(g) == 1 && !is_layered(g) && !whole && !surface;
  const Mod name = shape_name(g, padded ? Mod::k2D : Mod::k1D);
  std::vector<Operand> all(1, o);
  if (o.kind == OperandKind::kVector) {
    all.assign(f_.elements(o).begin(), f_.elements(o).end());
  }
  all.resize(dimensions_of(g) + (is_layered(g) ? 1 : 0));
  if (!is_layered(g) && !is_cube(g) && !padded) {
    return {group(all, false), name};
  }
  const auto count = static_cast<uint8_t>(all.size() + (padded ? 1 : 0));
  const Value row = temporary(count > 2 ? 4 : count);
  uint32_t k = 0;
  if (is_layered(g)) {
    const Value beyond = predicate();
    emit("ISETP.GT.U32.AND", {beyond, kPT}, {vector(all[0]), Field(int64_t{0xffff}), kPT});
    emit("SEL", {part(row, k++)}, {vector(all[0]), Field(int64_t{0xffff}), beyond});
  }
  Value inverse;
  if (is_cube(g)) {
    const Value size = temporary();
    inverse = temporary();
    emit("FMNMX", {size}, {field(all[k]), field(all[k + 1]), kNotPT});
    emit("FMNMX", {size}, {field(all[k + 2]), size, kNotPT});
    emit("MUFU.RCP", {inverse}, {size});
  }
  for (; k < all.size(); ++k) {
    if (is_cube(g)) {
      emit("FMUL", {part(row, k)}, {field(all[k]), inverse});
    } else {
      emit("IMAD.MOV.U32", {part(row, k)}, {Field(), Field(), field(all[k])});
    }
  }
  if (padded) {
    emit("IMAD.MOV.U32", {part(row, 1)}, {Field(), Field(), Field()});
  }
  return {part(row, 0, count), name};
}

// The pairs that the third and fourth and the first and second of the results that somebody reads come into.
std::pair<Value, Value> Select::fetched() {
  std::vector<Operand> wanted;
  for (const Operand& e : f_.elements(at(0))) {
    if (e.kind == OperandKind::kRegister && uses_.reads(e.id) != 0) {
      wanted.push_back(e);
    }
  }
  const size_t first = std::min<size_t>(2, wanted.size());
  const std::span<const Operand> all(wanted);
  const Value low = first == 0 ? Value{} : group(all.first(first), true);
  const Value high = wanted.size() > 2 ? group(all.subspan(2), true) : Value{};
  return {high, low};
}

void Select::fetch() {
  const Op& o = op();
  const bool whole = o.type_count > 1 && o.types[1] == Type::kS32;
  size_t next = 3;
  if (o.form->operands[next].role == o.form->operands[2].role) {
    refuse(now_, "a sampler of its own is not lowered yet");
    return;
  }
  const auto [row, shape] = coordinates(at(next++));
  std::vector<Field> s{Field(row)};
  sass::Opcode opcode = o.opcode == Opcode::kTld4 ? "TLD4"_op
                        : whole                   ? "TLD.LZ"_op
                        : o.mode == Mode::kGrad   ? "TXD"_op
                                                  : "TEX.LL"_op;
  if (o.opcode == Opcode::kTld4) {
    opcode.add(o.channel == Channel::kR   ? Mod::kR
               : o.channel == Channel::kG ? Mod::kG
               : o.channel == Channel::kB ? Mod::kB
                                          : Mod::kA);
  }
  if (o.mode == Mode::kGrad) {
    if (dimensions_of(o.geometry) == 3) {
      refuse(now_, "gradients in three dimensions are not lowered yet");
      return;
    }
    std::vector<Operand> steps;
    for (size_t k = 0; k < 2; ++k) {
      const Operand& d = at(next++);
      if (d.kind == OperandKind::kVector) {
        steps.insert(steps.end(), f_.elements(d).begin(), f_.elements(d).end());
      } else {
        steps.push_back(d);
      }
    }
    s.emplace_back(group(steps, false));
  } else if (opcode.name == sass::Mnemonic::kTEX) {
    Value level;
    if (o.mode == Mode::kLevel) {
      level = vector(at(next++));
    } else {
      level = temporary();
      emit("IMAD.MOV.U32", {level}, {Field(), Field(), Field(int64_t{0xc2000000})});  // -32: the least one
    }
    s.emplace_back(level);
  }
  if (at(next).kind != OperandKind::kNone) {
    const Value offset = temporary();
    emit("IMAD.MOV.U32", {offset}, {Field(), Field(), Field(int64_t{0xff})});
    opcode.add(".AOFFI");
    s.emplace_back(offset);
  }
  const auto [high, low] = fetched();
  if (!low.there()) {
    return;  // nobody wants it
  }
  s.emplace_back(handle(2));
  s.emplace_back(immediate(0));
  s.emplace_back(sass::Operand{.kind = SassKind::kTexture, .index = static_cast<uint32_t>(shape)});
  const uint32_t results = low.count + (high.there() ? high.count : 0U);
  if (results != 4) {
    s.emplace_back(immediate((1U << results) - 1));
  }
  Machine& m = emit(opcode, std::vector<Field>{Field(high), Field(low)}, std::move(s));
  m.loads = true;
  std::vector<Operand> wanted;
  for (const Operand& e : f_.elements(at(0))) {
    if (e.kind == OperandKind::kRegister && uses_.reads(e.id) != 0) {
      wanted.push_back(e);
    }
  }
  spread(std::span<const Operand>(wanted).first(low.count), low);
  if (high.there()) {
    spread(std::span<const Operand>(wanted).subspan(low.count), high);
  }
}

void Select::surface() {
  const Op& o = op();
  const bool loads = o.opcode == Opcode::kSuld;
  const auto [row, shape] = coordinates(at(loads ? 2 : 1));
  const Operand& data = at(loads ? 0 : 2);
  const uint32_t elements = data.kind == OperandKind::kVector ? static_cast<uint32_t>(data.value) : 1;
  const uint32_t all = bits(o.type()) * elements;
  const sass::Suffix size = all == 128  ? ".128"_mod
                            : all == 64 ? ".64"_mod
                            : all == 32 ? ""_mod
                            : all == 16 ? ".U16"_mod
                                        : ".U8"_mod;
  const bool formatted = o.mode2 == Mode::kFormatted, reduces = o.opcode == Opcode::kSured;
  const sass::Suffix kind = !formatted ? ".D.BA"_mod : o.opcode == Opcode::kSust ? ".P"_mod : ".D"_mod;
  const sass::Suffix combine = o.combine == Combine::kNone ? ""_mod : reduction_name(o);
  const sass::Opcode opcode = (loads     ? "SULD"_op
                               : reduces ? "SURED"_op
                                         : "SUST"_op) +
                              kind + shape + combine + (formatted ? ""_mod : size) +
                              (reduces ? ".STRONG.SYS"_mod : ".STRONG.SM"_mod) +
                              (o.mode == Mode::kZero   ? ".IGN"_mod
                               : o.mode == Mode::kTrap ? ".TRAP"_mod
                                                       : ""_mod);
  const Value values = group(data, loads);
  const Value object = handle(loads ? 1 : 0);
  std::vector<Field> s{Field::place(row)};
  if (!loads) {
    s.emplace_back(values);
  }
  s.emplace_back(object);
  s.emplace_back(immediate(0));
  Machine& m = emit(opcode, loads ? std::vector<Field>{values} : std::vector<Field>{}, std::move(s));
  m.loads = loads;
  m.stores = !loads;
  m.ordered = true;
  if (loads && data.kind == OperandKind::kVector) {
    spread(f_.elements(data), values);
  }
}

void Select::query() {
  const Value asked = temporary();
  emit("IMAD.MOV.U32", {asked}, {Field(), Field(), Field()});
  const Value object = handle(1);
  const int64_t mask = op().mode == Mode::kWidth ? 0x1 : op().mode == Mode::kHeight ? 0x2 : 0x4;
  emit("TXQ", std::vector<Field>{Field(), result()},
       {asked, sass::Operand{.kind = SassKind::kTextureHeader}, object, immediate(0), mask})
      .loads = true;
}

}  // namespace heddle::ptx::lower
