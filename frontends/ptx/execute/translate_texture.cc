// tex, tld4, txq, istypep, suld, sust, sured, suq: ptx.md 2.13.
#include <algorithm>

#include "frontends/ptx/execute/atomic_kinds.h"
#include "frontends/ptx/execute/translator.h"
#include "frontends/ptx/form.h"

namespace heddle::ptx {
namespace {

using exec::TextureOp;

std::optional<TextureOp::Query> query_of(Mode mode) {
  using Query = TextureOp::Query;
  switch (mode) {
    case Mode::kWidth:
      return Query::kWidth;
    case Mode::kHeight:
      return Query::kHeight;
    case Mode::kDepth:
      return Query::kDepth;
    case Mode::kArraySize:
      return Query::kArraySize;
    case Mode::kNumMipmapLevels:
      return Query::kLevels;
    case Mode::kNormalizedCoords:
      return Query::kNormalized;
    default:
      return std::nullopt;
  }
}

TextureOp::Outside outside_of(Mode mode) {
  return mode == Mode::kClamp  ? TextureOp::Outside::kClamp
         : mode == Mode::kZero ? TextureOp::Outside::kZero
                               : TextureOp::Outside::kTrap;
}

size_t dimensions_of(const TextureOp& t) {
  return t.geometry == exec::texture::Geometry::k1d ? 1 : t.geometry == exec::texture::Geometry::k2d ? 2 : 3;
}

}  // namespace

bool Translator::texture(const Instr& instr, const Op& op) {
  switch (op.opcode) {
    case Opcode::kTex:
    case Opcode::kTld4:
      fetch(instr, op);
      return true;
    case Opcode::kTxq:
    case Opcode::kSuq:
    case Opcode::kIstypep:
      query(instr, op);
      return true;
    case Opcode::kSuld:
    case Opcode::kSust:
    case Opcode::kSured:
      surface(instr, op);
      return true;
    default:
      return false;
  }
}

void Translator::emit_texture(const TextureOp& t) {
  exec::Inst& in = emit(exec::Kind::kTexture);
  in.target = static_cast<uint32_t>(out_.code.textures.size());
  out_.code.textures.push_back(t);
}

// A handle in a register, a .texref variable, whose address is one, or a parameter of such a type, which
// holds one.
exec::Slot Translator::handle(const Operand& o) {
  if (o.kind != OperandKind::kVariable || module_.variables[o.id].space != Space::kParam) {
    return source(o, 64);
  }
  exec::MemoryOp m;
  m.kind = exec::MemoryOp::Kind::kLoad;
  m.bytes = 8;
  m.values[0] = temporary();
  Operand at = o;
  at.kind = OperandKind::kAddress;
  at.base = Base::kVariable;
  emit_memory(place(at, exec::Space::kParam), m);
  return m.values[0];
}

bool Translator::of_shape(const Op& op, TextureOp& t) {
  using exec::texture::Geometry;
  const auto g = op.geometry;
  if (g == ptx::Geometry::k2dms || g == ptx::Geometry::kA2dms) {
    missing("several samples of a pixel");
    return false;
  }
  t.layered = g == ptx::Geometry::kA1d || g == ptx::Geometry::kA2d || g == ptx::Geometry::kAcube;
  t.geometry = g == ptx::Geometry::k1d || g == ptx::Geometry::kA1d       ? Geometry::k1d
               : g == ptx::Geometry::k3d                                 ? Geometry::k3d
               : g == ptx::Geometry::kCube || g == ptx::Geometry::kAcube ? Geometry::kCube
                                                                         : Geometry::k2d;
  return true;
}

// The layer stands first; what is behind the dimensions counts for nothing.
void Translator::coordinates(const Operand& o, const Op& op, TextureOp& t) {
  const std::vector<Operand> all = elements(o);
  size_t at = 0;
  if (t.layered) {
    t.layer = source(all[at++], 32);
  }
  if (all.size() < at + dimensions_of(t)) {
    missing("so few coordinates");
    return;
  }
  for (size_t d = 0; d < dimensions_of(t); ++d) {
    t.coordinates[d] = source(all[at + d], 32);
  }
  t.whole = op.type_count > 1 && op.types[1] == Type::kS32;
}

void Translator::fetch(const Instr& instr, const Op& op) {
  TextureOp t;
  if (!of_shape(op, t)) {
    return;
  }
  if (op.opcode == Opcode::kTld4) {
    t.kind = TextureOp::Kind::kGather;
    t.channel = static_cast<uint8_t>(static_cast<uint32_t>(op.channel) - static_cast<uint32_t>(Channel::kR));
  }
  t.halves = op.type() == Type::kF16x2;
  t.wants_float = op.type() == Type::kF32;
  const std::vector<Operand> results = elements(operand(instr, 0));
  for (size_t i = 0; i < results.size() && i < std::size(t.data); ++i) {
    t.data[i] = destination(results[i]);
  }
  t.resident = destination(operand(instr, 1));
  size_t at = 2;
  t.object = handle(operand(instr, at++));
  if (op.form->operands[at].role == op.form->operands[2].role) {
    t.sampler = handle(operand(instr, at++));
  }
  coordinates(operand(instr, at++), op, t);
  const auto vector = [&](const Operand& o, exec::Slot* to) {
    const std::vector<Operand> all = elements(o);
    for (size_t d = 0; d < std::min(all.size(), dimensions_of(t)); ++d) {
      to[d] = source(all[d], 32);
    }
  };
  if (op.mode == Mode::kLevel) {
    t.level = TextureOp::Level::kSaid;
    t.level_at = source(operand(instr, at++), 32);
  } else if (op.mode == Mode::kGrad) {
    t.level = TextureOp::Level::kGradients;
    vector(operand(instr, at), t.dx);
    vector(operand(instr, at + 1), t.dy);
    at += 2;
    if (t.geometry == exec::texture::Geometry::kCube) {
      missing("gradients on a cube");
      return;
    }
  }
  vector(operand(instr, at), t.offsets);
  if (operand(instr, at + 1).kind != OperandKind::kNone) {
    missing("comparing depths");
    return;
  }
  emit_texture(t);
}

void Translator::query(const Instr& instr, const Op& op) {
  TextureOp t;
  t.data[0] = destination(operand(instr, 0));
  t.object = handle(operand(instr, 1));
  if (op.opcode == Opcode::kIstypep) {
    t.kind = TextureOp::Kind::kIsType;
    t.type = op.type() == Type::kTexref       ? exec::texture::Kind::kTexture
             : op.type() == Type::kSamplerref ? exec::texture::Kind::kSampler
                                              : exec::texture::Kind::kSurface;
    emit_texture(t);
    return;
  }
  const auto asked = query_of(op.mode);
  if (!asked) {
    missing("what it gives is the driver's");
    return;
  }
  t.kind = TextureOp::Kind::kQuery;
  t.query = *asked;
  if (op.mode2 == Mode::kLevel) {
    t.level_at = source(operand(instr, 2), 32);
  }
  emit_texture(t);
}

void Translator::surface(const Instr& instr, const Op& op) {
  TextureOp t;
  if (!of_shape(op, t)) {
    return;
  }
  const bool loads = op.opcode == Opcode::kSuld;
  t.kind = loads                        ? TextureOp::Kind::kLoad
           : op.opcode == Opcode::kSust ? TextureOp::Kind::kStore
                                        : TextureOp::Kind::kReduce;
  t.outside = outside_of(op.mode);
  t.formatted = op.mode2 == Mode::kFormatted;
  t.bytes = static_cast<uint8_t>(bits(op.type()) / 8);
  const std::vector<Operand> values = elements(operand(instr, loads ? 0 : 2));
  if (values.size() > std::size(t.data)) {
    missing("so many elements");
    return;
  }
  t.values = static_cast<uint8_t>(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    t.data[i] = loads ? destination(values[i]) : source(values[i], bits(op.type()));
  }
  t.object = handle(operand(instr, loads ? 1 : 0));
  coordinates(operand(instr, loads ? 2 : 1), op, t);
  t.whole = true;
  if (t.kind == TextureOp::Kind::kReduce) {
    const auto kind = atomic_kind(op.combine);
    const auto type = atomic_type(op.type() == Type::kB32   ? Type::kU32
                                  : op.type() == Type::kB64 ? Type::kU64
                                                            : op.type());
    if (!kind || !type) {
      missing();
      return;
    }
    t.atomic = exec::atomic_fn(*kind, *type, true);
    t.atomic_signed = exec::atomic_fn(*kind, exec::AtomicType::kS32, true);
    if (t.atomic == nullptr) {
      missing();
      return;
    }
    if (t.atomic_signed == nullptr) {
      t.atomic_signed = t.atomic;
    }
  }
  emit_texture(t);
}

}  // namespace heddle::ptx
