// Textures and surfaces. A handle is its low 32 bits: the number of an object (sim/exec/texture).
#include "frontends/cubin/execute/translator.h"

namespace heddle::cubin {
namespace {

using exec::kNoSlot;
using exec::TextureOp;
using exec::texture::Geometry;

struct Dimensions {
  Geometry geometry = Geometry::k2d;
  bool layered = false;
  size_t count = 2;
};
Dimensions dimensions_of(Mod shape) {
  switch (shape) {
    case Mod::k1D:
      return {Geometry::k1d, false, 1};
    case Mod::kARRAY_1D:
      return {Geometry::k1d, true, 1};
    case Mod::kARRAY_2D:
      return {Geometry::k2d, true, 2};
    case Mod::k3D:
      return {Geometry::k3d, false, 3};
    case Mod::kCUBE:
      return {Geometry::kCube, false, 3};
    case Mod::kARRAY_CUBE:
      return {Geometry::kCube, true, 3};
    default:
      return {};
  }
}

}  // namespace

// Its operand, or the two that name a word of constant memory.
Slot Translator::texture_handle(size_t at) {
  if (!op(at).is(Kind::kNumber)) {
    return source(op(at));
  }
  Operand word;
  word.kind = Kind::kConstant;
  word.bank = static_cast<uint32_t>(op(at).bits);
  word.offset = static_cast<int64_t>(op(at + 1).bits * 4);
  return constant_word(word, 0);
}

void Translator::emit_texture(const TextureOp& t) {
  exec::Inst& in = emit(exec::Kind::kTexture);
  in.target = static_cast<uint32_t>(out_.code.textures.size());
  out_.code.textures.push_back(t);
}

// TEX.LL RZ, R8, R2, R6, UR4, 0x0, 2D, 0x3: the first register has what is looked up, the second one what
// else there is; with .SCR they share all of it, the first one with the greater half.
void Translator::fetch() {
  constexpr size_t kFirst = 2, kObject = 4, kMost = 8;
  const bool halves = take(Mod::kSCR), gathers = name_ == Mnemonic::kTLD4, steps = name_ == Mnemonic::kTXD;
  // .B is the third channel, too.
  const bool in_register = op(kObject).is(Kind::kTexture);
  const size_t object_operands = in_register ? 0 : 2;
  const auto d = dimensions_of(static_cast<Mod>(op(kObject + object_operands).index));
  TextureOp t;
  t.geometry = d.geometry;
  t.layered = d.layered;
  t.any_type = t.rows = true;
  t.whole = name_ == Mnemonic::kTLD;
  t.halves = take(Mod::kF16);
  if (gathers) {
    t.kind = TextureOp::Kind::kGather;
    t.channel = take(Mod::kA) ? 3 : take(Mod::kG) ? 1 : take(Mod::kR) ? 0 : 2;
  }
  take(Mod::kB);
  const bool said = take(Mod::kLL), moved = take(Mod::kAOFFI);
  if (steps && (d.count == 3 || moved)) {
    missing("steps in three dimensions, or with offsets");
    return;
  }
  // All that there is, in order.
  Slot* list[kMost];
  size_t count = 0;
  if (d.layered && !steps) {
    list[count++] = &t.layer;
  }
  for (size_t k = 0; k < d.count; ++k) {
    list[count++] = &t.coordinates[k];
  }
  if (d.layered && steps) {
    list[count++] = &t.layer;
  }
  const size_t looked_up = count;
  if (in_register) {
    list[count++] = &t.object;
  } else {
    t.object = texture_handle(kObject);
  }
  for (size_t k = 0; steps && k < d.count; ++k) {
    list[count++] = &t.dx[k];
    list[count++] = &t.dy[k];
  }
  if (said) {
    list[count++] = &t.level_at;
  }
  if (moved) {
    list[count++] = &t.offsets[0];
    t.packed = gathers ? TextureOp::Packed::kBytes : TextureOp::Packed::kNibbles;
  }
  const size_t first = halves ? (count + 1) / 2 : looked_up;
  for (size_t k = 0; k < count; ++k) {
    *list[k] = k < first ? source(op(kFirst), static_cast<uint32_t>(k))
                         : source(op(kFirst + 1), static_cast<uint32_t>(k - first));
  }
  t.level = said ? TextureOp::Level::kSaid : steps ? TextureOp::Level::kGradients : TextureOp::Level::kLeast;
  const size_t mask_at = kObject + object_operands + 1;
  const uint64_t mask = mask_at < this->count() ? op(mask_at).bits : 0xf;
  uint32_t results = 0;
  for (uint32_t k = 0; k < 4; ++k) {
    if (t.halves ? k < 2 : (mask >> k & 1) != 0) {
      // The first two in the second operand's registers, or with halves one in each.
      const bool low = t.halves ? k == 0 : results < 2;
      t.data[k] = destination(op(low ? 1 : 0), t.halves ? 0 : results % 2);
      ++results;
    }
  }
  emit_texture(t);
}

// TXQ RZ, R2, R4, TEX_HEADER_DIMENSION, UR4, 0x0, 0x1: one of width, height and depth of the level in R4.
void Translator::texture_query() {
  TextureOp t;
  t.kind = TextureOp::Kind::kQuery;
  const uint64_t mask = op(count() - 1).bits;
  if (mask != 1 && mask != 2 && mask != 4) {
    missing("several answers");
    return;
  }
  t.query = mask == 1   ? TextureOp::Query::kWidth
            : mask == 2 ? TextureOp::Query::kHeight
                        : TextureOp::Query::kDepth;
  t.data[0] = destination(op(1));
  t.level_at = source(op(2));
  t.object = texture_handle(4);
  emit_texture(t);
}

// SULD.D.BA.2D.64.STRONG.SM R4, [R2], UR4, 0x0; SUST and SURED [R2], R4, UR4, 0x0
void Translator::surface() {
  constexpr Mod kShapes[] = {Mod::k1D, Mod::kARRAY_1D, Mod::k2D, Mod::kARRAY_2D, Mod::k3D};
  TextureOp t;
  t.kind = name_ == Mnemonic::kSULD   ? TextureOp::Kind::kLoad
           : name_ == Mnemonic::kSUST ? TextureOp::Kind::kStore
                                      : TextureOp::Kind::kReduce;
  const bool loads = t.kind == TextureOp::Kind::kLoad, reduces = t.kind == TextureOp::Kind::kReduce;
  Dimensions d;
  for (const Mod m : kShapes) {
    if (take(m)) {
      d = dimensions_of(m);
    }
  }
  t.geometry = d.geometry;
  t.layered = d.layered;
  t.whole = true;
  t.outside = take(Mod::kIGN)    ? TextureOp::Outside::kZero
              : take(Mod::kTRAP) ? TextureOp::Outside::kTrap
                                 : TextureOp::Outside::kClamp;
  t.formatted = !d_.mods.contains(Mod::kBA);
  const bool wide = take(Mod::k64), sign = take(Mod::kS32), wide_sign = take(Mod::kS64);
  const bool bytes = take(Mod::kU8) || take(Mod::kS8), pairs = take(Mod::kU16) || take(Mod::kS16);
  t.bytes = bytes ? 1 : pairs ? 2 : reduces && (wide || wide_sign) ? 8 : 4;
  t.values = take(Mod::k128) || (t.formatted && !reduces) ? 4 : wide && !reduces ? 2 : 1;
  const Operand &at = op(loads ? 1 : 0), &value = op(loads ? 0 : 1);
  for (uint8_t k = 0; k < t.values; ++k) {
    t.data[k] = loads ? destination(value, k) : t.bytes == 8 ? joined(value) : source(value, k);
  }
  Operand from;
  from.kind = Kind::kRegister;
  from.index = at.base == kNoIndex ? kZeroRegister : at.base;
  uint32_t place = 0;
  for (size_t k = 0; k < d.count; ++k) {
    t.coordinates[k] = source(from, place++);
  }
  if (d.layered) {
    t.layer = source(from, place++);
  }
  t.object = texture_handle(2);
  if (reduces) {
    using exec::AtomicKind;
    using exec::AtomicType;
    const AtomicKind kind = take(Mod::kADD)   ? AtomicKind::kAdd
                            : take(Mod::kMIN) ? AtomicKind::kMin
                            : take(Mod::kMAX) ? AtomicKind::kMax
                            : take(Mod::kINC) ? AtomicKind::kInc
                            : take(Mod::kDEC) ? AtomicKind::kDec
                            : take(Mod::kAND) ? AtomicKind::kAnd
                            : take(Mod::kOR)  ? AtomicKind::kOr
                                              : AtomicKind::kXor;
    take(Mod::kXOR);
    const AtomicType type = wide_sign ? AtomicType::kS64
                            : wide    ? AtomicType::kU64
                            : sign    ? AtomicType::kS32
                                      : AtomicType::kU32;
    t.atomic = exec::atomic_fn(kind, type, true);
    t.atomic_signed = exec::atomic_fn(kind, AtomicType::kS32, true);
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

}  // namespace heddle::cubin
