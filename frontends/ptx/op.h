// What an instruction's text before its operands says: one record for each distinct text of a module.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "frontends/ptx/fields.h"
#include "frontends/ptx/opcode.h"
#include "frontends/ptx/type.h"

namespace heddle::ptx {

struct Form;

struct Op {
  Opcode opcode = Opcode::kAdd;
  std::array<Type, 4> types{};  // in the order written: of cvt.f32.s32 f32, s32
  uint8_t type_count = 0;
  uint8_t vector = 1;  // 2, 4, 8: .v2 and so on
  uint8_t number = 0;  // 1, 2, 4: ldmatrix .x1 and so on
  Rounding rounding = Rounding::kNone;
  Compare compare = Compare::kNone;
  BoolOp bool_op = BoolOp::kNone;
  Space space = Space::kNone;  // of copies: the destination's
  Space source_space = Space::kNone;
  Scope scope = Scope::kNone;
  Semantics semantics = Semantics::kNone;
  CacheOp cache = CacheOp::kNone;
  Evict l1 = Evict::kNone;
  Evict l2 = Evict::kNone;
  Evict l2_secondary = Evict::kNone;  // createpolicy
  uint16_t l2_prefetch = 0;           // bytes: 64, 128, 256
  Combine combine = Combine::kNone;
  Part part = Part::kNone;
  Mode mode = Mode::kNone;
  Mode mode2 = Mode::kNone;
  Geometry geometry = Geometry::kNone;
  Channel channel = Channel::kNone;
  Layout layout_a = Layout::kNone;
  Layout layout_b = Layout::kNone;
  Shape shape;
  uint8_t group = 0;  // tcgen05: blocks that take part, 1 or 2
  TensorKind product = TensorKind::kNone;
  Cells cells = Cells::kNone;
  Quarters quarters = Quarters::kNone;
  uint64_t flags = 0;
  uint32_t filled = 0;         // bit i: slot i of the form has been written
  const Form* form = nullptr;  // the row of the table; lives as long as the program
  std::string_view text;       // as written, in the module's text or its names

  bool has(Flag f) const { return (flags >> static_cast<unsigned>(f) & 1) != 0; }
  // Of a load: the program may look again for what others do.
  bool polls() const {
    return has(Flag::kMmio) || cache == CacheOp::kCv || semantics == Semantics::kVolatile ||
           semantics == Semantics::kRelaxed || semantics == Semantics::kAcquire;
  }
  Type type() const { return types[0]; }
};

}  // namespace heddle::ptx
