// Instructions on textures and surfaces, decoded: what a frontend produces (PTX: tex, tld4, txq, istypep,
// suld, sust, sured, suq; machine code: TEX, TLD, TLD4, TXD, TXQ, SULD, SUST, SURED).
#pragma once

#include <cstdint>

#include "sim/exec/atomics.h"
#include "sim/exec/slot.h"
#include "sim/exec/texture/descriptor.h"

namespace heddle::exec {

struct TextureOp {
  enum class Kind : uint8_t { kFetch, kGather, kQuery, kIsType, kLoad, kStore, kReduce };
  // Of which level: the least one that the sampler allows, the one that is said, the one of the gradients.
  enum class Level : uint8_t { kLeast, kSaid, kGradients };
  // What a surface does outside: an error, the nearest element, nothing (loads give 0).
  enum class Outside : uint8_t { kTrap, kClamp, kZero };
  enum class Query : uint8_t { kWidth, kHeight, kDepth, kArraySize, kLevels, kNormalized };
  Kind kind = Kind::kFetch;
  Slot object = kNoSlot;   // its handle
  Slot sampler = kNoSlot;  // of the sampler's own handle; none: the texture's (unified mode)
  // What the instruction says about the object.
  texture::Geometry geometry = texture::Geometry::k2d;
  bool layered = false;
  texture::Kind type = texture::Kind::kTexture;  // kIsType: what it asks for
  Slot coordinates[3] = {kNoSlot, kNoSlot, kNoSlot};
  Slot layer = kNoSlot;
  bool whole = false;  // coordinates are s32, not f32; of surfaces they always are
  // Textures.
  Level level = Level::kLeast;
  Slot level_at = kNoSlot;  // kSaid: f32; queries of a level: s32
  Slot dx[3] = {kNoSlot, kNoSlot, kNoSlot}, dy[3] = {kNoSlot, kNoSlot, kNoSlot};
  Slot offsets[3] = {kNoSlot, kNoSlot, kNoSlot};  // s32, in elements
  // All offsets are in the first register, x lowest: four bits each, or six in a byte each.
  enum class Packed : uint8_t { kNo, kNibbles, kBytes };
  Packed packed = Packed::kNo;
  uint8_t channel = 0;       // kGather
  bool halves = false;       // results are two registers of f16x2
  bool wants_float = false;  // the type that results are said to have: f32, else integers
  bool any_type = false;     // it is not said (machine code)
  bool rows = false;         // one dimension is read as two (machine code)
  Slot resident = kNoSlot;   // predicate: always true
  Query query = Query::kWidth;
  // Surfaces.
  Outside outside = Outside::kTrap;
  bool formatted = false;            // x counts elements, and values have the element's format; else bytes
  uint8_t bytes = 4;                 // of a value: 1, 2, 4, 8
  uint8_t values = 4;                // registers
  AtomicFn atomic = nullptr;         // kReduce
  AtomicFn atomic_signed = nullptr;  // the same on signed elements, with `formatted`
  Slot data[4] = {kNoSlot, kNoSlot, kNoSlot, kNoSlot};  // results, or what is stored
};

}  // namespace heddle::exec
