// Machine code in the making: instructions whose registers have no numbers yet.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontends/ptx/lower/operands.h"
#include "frontends/ptx/module.h"
#include "frontends/sass/opcode_pool.h"
#include "sim/exec/issue/telling.h"
#include "sim/isa/instr.h"

namespace heddle::ptx::lower {

enum class File : uint8_t { kVector, kUniform, kPredicate };

// One or more registers in a row that are allocated together.
struct Register {
  File file = File::kVector;
  uint8_t count = 1;
  int number = -1;     // the first one, once it is allocated
  bool fixed = false;  // by the convention of calls; allocation leaves it
};

// Registers `part` to `part + count - 1` of one.
struct Value {
  uint32_t reg = kNone;
  uint8_t part = 0;
  uint8_t count = 1;
  bool there() const { return reg != kNone; }
  bool operator==(const Value&) const = default;
};

inline Value part(Value v, uint32_t k, uint8_t count = 1) {
  return {v.reg, static_cast<uint8_t>(v.part + k), count};
}
inline Value low(Value v) { return part(v, 0); }
inline Value high(Value v) { return part(v, 1); }

// An operand in the making.
struct Field {
  // kZero: the register that always is, of the instruction's datapath. kPlace: a register in brackets, as
  // gdesc[UR4]. kCode: the address of block `number`.
  enum class Kind : uint8_t { kZero, kValue, kNumber, kOperand, kPlace, kCode };
  Kind kind = Kind::kZero;
  bool negated = false;
  SassKind place_kind = SassKind::kAddress;
  Value value;
  int64_t number = 0;
  sass::Operand operand;

  Field() = default;
  // NOLINTBEGIN(google-explicit-constructor): fields are written as values, as numbers, or as they are
  Field(Value v) : kind(v.there() ? Kind::kValue : Kind::kZero), value(v) {}
  Field(int64_t n) : kind(n == 0 ? Kind::kZero : Kind::kNumber), number(n) {}
  Field(const sass::Operand& o) : kind(Kind::kOperand), operand(o) {}
  // NOLINTEND(google-explicit-constructor)
  static Field place(Value v, SassKind kind = SassKind::kAddress) {
    Field f(v);
    f.kind = Kind::kPlace;
    f.place_kind = kind;
    return f;
  }
  static Field code(uint32_t block) {
    Field f;
    f.kind = Kind::kCode;
    f.number = block;
    return f;
  }
  bool reads() const { return kind == Kind::kValue || kind == Kind::kPlace; }
};

// [base + offset]; without a base or an offset it is the offset alone.
struct Address {
  Value base;
  int64_t offset = 0;
  bool wide = false;      // 64 bits
  uint32_t multiple = 1;  // bytes: the base is one of that
};

// What lanes access of a matrix in memory: tiles of 8 rows, whose first elements are given as places in
// memory. kPairs: lane 4g + t the `per` elements from per * t on of row g; kColumns: element g of row per *
// t; kRows: lane 8m + r row r of tile m.
struct Tiles {
  enum class Kind : uint8_t { kPairs, kColumns, kRows } kind = Kind::kPairs;
  uint8_t bytes = 2;  // of an element
  uint8_t per = 2;
  std::array<uint16_t, 4> row{}, col{};
};

executed::TileLanes tile_lanes(const Tiles& t);

struct Machine {
  sass::Opcode opcode;
  std::vector<Field> d, s;
  std::optional<Address> address;    // behind the destinations
  std::optional<Address> copied_to;  // LDGSTS: before `address`
  std::optional<Tiles> tiles;        // which addresses those are
  std::vector<Value> settles;        // no operands: is complete behind it, and nobody is before it
  std::vector<Value> takes, gives;   // no operands: what a call or a return reads, and what a call writes
  Value guard;
  bool guard_negated = false;
  uint32_t origin = kNone;     // the PTX instruction whose lanes are its lanes, and whose addresses are its
  std::vector<uint32_t> also;  // others whose work it does: loads that have become one
  uint32_t target = kNone;     // of a branch: the block
  uint32_t callee = kNone;     // of a direct call: the module's function
  uint32_t clobbers = kNone;   // of a call: in Lowered::clobbered
  int32_t stack_step = 0;      // bytes that R1 changes by
  // Accesses at R1: the place is the function's own or its caller's.
  enum class Stack : uint8_t { kNone, kOwn, kCaller } stack = Stack::kNone;
  // Which lanes: those of the origin, those that come to it and whose guard does not hold, the first of them,
  // all of the block, or that it is not come to.
  enum class Lanes : uint8_t { kOrigin, kOthers, kFirst, kAll, kNone } lanes = Lanes::kOrigin;
  isa::OpClass op = isa::OpClass::kUnknown;
  isa::MemSpace space = isa::MemSpace::kNone;
  bool loads = false, stores = false, ordered = false;  // how it may not be moved
  bool cuts = false;                                    // nor anything from before it to behind it (timed.h)
  bool wall = false;                                    // nor anything over it either way
  isa::Control control;

  bool has_effect() const { return stores || ordered || target != kNone; }
};
// An instruction without operands; `op` and `space` are those of the opcode.
Machine machine(const sass::Opcode& opcode, uint32_t origin, sass::OpcodePool& known);

// Instructions that run one behind the other, some of them for some of the lanes only. Of several stretches
// of the function, where short ones that a branch leaves out have become conditional.
struct Stretch {
  uint32_t first = 0, end = 0;  // PTX instructions
  uint32_t guard = kNone;       // PTX register: holds for its lanes
  bool guard_negated = false;
};

struct Block {
  std::vector<Stretch> stretches;
  std::vector<uint32_t> next;  // blocks
  std::vector<Machine> code;
  uint32_t first = 0;  // its place in the kernel's code
  uint32_t loop_depth = 0;
};

// Registers of each file whose values a call does not keep.
struct Clobbered {
  std::bitset<256> vectors;
  std::bitset<64> uniforms;
  std::bitset<8> predicates;
};

struct Lowered {
  const Function* function = nullptr;
  bool standard = false;  // keeps to the ABI: gives its caller's registers back as they were
  bool calls = false, calls_by_abi = false;
  uint32_t outgoing_bytes = 0;       // of arguments in memory, at R1
  std::vector<Clobbered> clobbered;  // by calls
  std::vector<Register> registers;
  std::vector<Block> blocks;
  std::vector<uint32_t> block_of;  // by PTX instruction
  // Ways that no instruction of the machine's goes: of lanes with too few turns before them, from before a
  // loop of several turns to that of one (unroll.h).
  std::vector<std::pair<uint32_t, uint32_t>> around;
  std::vector<std::string> missing;  // "FILE:LINE:COLUMN: what", of what cannot be lowered
  uint32_t vector_registers = 0;     // of a thread
  sass::OpcodePool opcodes;          // what is known of those that were made

  Value make(File file, uint8_t count) {
    registers.push_back({file, count, -1});
    return {static_cast<uint32_t>(registers.size() - 1), 0, count};
  }
};

}  // namespace heddle::ptx::lower
