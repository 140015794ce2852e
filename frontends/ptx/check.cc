#include "frontends/ptx/check.h"

#include "frontends/ptx/source.h"
#include "frontends/ptx/type.h"

namespace heddle::ptx {
namespace {

bool is_float(Type t) { return info(t).kind == TypeKind::kFloat || t == Type::kBf16 || t == Type::kTf32; }

// Conversions (ptx.md 2.9): which need rounding to a value, to a whole number, or none.
std::string cvt(const Op& op) {
  const Type to = op.types[0];
  const Type from = op.types[1];
  const bool whole = op.rounding >= Rounding::kRni && op.rounding <= Rounding::kRpi;
  const bool any = op.rounding != Rounding::kNone;
  const std::string what = quoted(op.text);
  if (is_float(to) && is_float(from)) {
    if ((bits(to) < bits(from) || (bits(to) == bits(from) && to != from)) && (!any || whole)) {
      return what + " to fewer bits (legal: with .rn, .rz, .rm or .rp)";
    }
    if (bits(to) > bits(from) && any) {
      return what + " is exact (legal: without rounding)";
    }
    if (to == from && any && !whole) {
      return what + " to the same type (legal: .rni, .rzi, .rmi, .rpi or none)";
    }
  } else if (is_float(to)) {
    if (!any || whole) {
      return what + " of an integer (legal: with .rn, .rz, .rm or .rp)";
    }
  } else if (is_float(from)) {
    if (!whole) {
      return what + " to an integer (legal: with .rni, .rzi, .rmi or .rpi)";
    }
  } else if (any) {
    return what + " between integers (legal: without rounding)";
  }
  const auto is_signed = [](Type t) { return info(t).kind == TypeKind::kSigned; };
  const bool holds_all =
      is_signed(to) == is_signed(from) ? bits(to) >= bits(from) : is_signed(to) && bits(to) > bits(from);
  if (op.has(Flag::kSat) && !is_float(to) && !is_float(from) && holds_all) {
    return what + ": every ." + std::string(info(from).name) + " is a ." + std::string(info(to).name) +
           " (legal: .sat to fewer values)";
  }
  if (op.has(Flag::kFtz) && to != Type::kF32 && from != Type::kF32) {
    return what + " without .f32 (legal: .ftz where one type is .f32)";
  }
  return {};
}

// At most 16 bytes at once before Blackwell.
std::string width(const Op& op, const Target& target) {
  const uint32_t bytes = bits(op.type()) / 8 * op.vector;
  return bytes > (target.sm < 100 ? 16U : 32U) ? quoted(op.text) + " moves " + std::to_string(bytes) +
                                                     " bytes (legal: up to 16, from sm_100 32)"
                                               : "";
}

bool is_shared(Space s) { return s == Space::kShared || s == Space::kSharedCluster; }

// Two matrices of one type, and what old versions had otherwise.
std::string wmma(const Op& op, const Target& target) {
  if (target.version >= 63 && !op.has(Flag::kAligned)) {
    return quoted(op.text) + " lacks .aligned (legal: .sync.aligned from .version 6.3)";
  }
  if (op.opcode == Opcode::kWmmaMma && op.type_count == 2 && op.has(Flag::kSatfinite) &&
      target.version >= 65) {
    return quoted(op.text) + " of floating point (legal: .satfinite of integers from .version 6.5)";
  }
  if (op.opcode == Opcode::kWmmaMma && op.type_count == 4 && op.types[1] != op.types[2]) {
    return quoted(op.text) + " with two types (legal: A and B of one type)";
  }
  return {};
}

// What moves data: the bytes, and hints that only the L2's data have.
std::string memory(const Op& op, const Target& target) {
  if (op.has(Flag::kCacheHint) && is_shared(op.space) && op.source_space == Space::kNone) {
    return quoted(op.text) + ": .L2::cache_hint in shared memory (legal: of .global and generic addresses)";
  }
  const bool moves = op.opcode == Opcode::kLd || op.opcode == Opcode::kSt || op.opcode == Opcode::kLdu ||
                     op.opcode == Opcode::kMov || op.opcode == Opcode::kStAsync;
  return moves ? width(op, target) : "";
}

}  // namespace

std::string illegal_combination(const Op& op, const Target& target) {
  switch (op.opcode) {
    case Opcode::kCvt: {
      const auto plain = [](Type t) { return info(t).kind != TypeKind::kPacked || t == Type::kBf16; };
      return plain(op.types[0]) && plain(op.types[1]) ? cvt(op) : "";
    }
    case Opcode::kMad:
      return is_float(op.type()) && op.rounding == Rounding::kNone && target.sm >= 20
                 ? quoted(op.text) + " lacks rounding (legal: .rn, .rz, .rm or .rp from sm_20)"
                 : "";
    case Opcode::kShfl:
    case Opcode::kVote:
      return !op.has(Flag::kSync) && target.sm >= 70 && target.version >= 64
                 ? quoted(op.text) + " lacks .sync (legal: .sync and a mask from sm_70 and .version 6.4)"
                 : "";
    case Opcode::kMmaSp:
      return info(op.types[1]).kind != TypeKind::kUnsigned && info(op.types[1]).kind != TypeKind::kSigned &&
                     bits(op.types[1]) == 16 && op.types[1] != op.types[2]
                 ? quoted(op.text) + " with two types (legal: A and B of one type)"
                 : "";
    case Opcode::kWmmaLoadA:
    case Opcode::kWmmaLoadB:
    case Opcode::kWmmaLoadC:
    case Opcode::kWmmaMma:
    case Opcode::kWmmaStoreD:
      return wmma(op, target);
    default:
      return memory(op, target);
  }
}

}  // namespace heddle::ptx
