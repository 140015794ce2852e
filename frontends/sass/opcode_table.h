// What a SASS opcode (Volta to Hopper) does, from its text alone: behaviour class, memory space, access
// width, and where its destinations stand in the operand list.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "sim/isa/op_class.h"

namespace heddle::sass {

// Where the destinations stand in the operand list. The rest are sources; a guard predicate is always a
// source.
enum class Form : uint8_t {
  kSources,  // no destination: stores, branches, barriers
  kDest,  // [predicates] register [predicates], then sources: IADD3 R4, P0, R2, R3, RZ; SHFL.BFLY PT, R5, ...
  kFirst,          // the first operand only: P2R R0, PR, ...; BSSY B0, ...; R2P PR, ...
  kPredicates,     // up to two leading predicates: ISETP P0, PT, ...; FCHK P0, ...
  kAllButLast,     // VOTE.ANY R6, PT, P0; VOTEU.ALL UP0, P0; ELECT P1, URZ, PT
  kBeforeAddress,  // what stands before the first address: ATOM PT, R9, [R6], R8; SYNCS.EXCH.64 URZ, [UR6],
                   // UR4
  kTexture,        // the first two registers: TEX.SCR.LL R4, R2, R6, R2, 0x0, 0x58, 2D
};

// How many registers a value takes. Decides Operand::count where the operand's own text does not.
enum class Wide : uint8_t {
  kNone,     // one register per operand
  kDest,     // 64-bit destination: CS2R, F2F.F64.F32
  kMad,      // 64-bit destination and third source: IMAD.WIDE
  kMadHigh,  // 64-bit third source: IMAD.HI
  kAll,      // 64-bit register operands: DADD, DFMA, DSETP
  kSource,   // 64-bit register sources: CALL R2, RET R4 (code addresses)
  kAccess,   // data registers follow the access width: LDG, STG, ATOM, LDC
  kMma,      // by matrix shape
  kMatrix,   // LDSM, STSM: one register per matrix; LDTM, STTM: by shape and repetitions
};

// One row of the table: an opcode without modifiers.
struct OpcodeRow {
  std::string_view base;
  isa::OpClass op = isa::OpClass::kUnknown;
  Form form = Form::kDest;
  Wide wide = Wide::kNone;
  isa::MemSpace space = isa::MemSpace::kNone;
  uint8_t mem_refs = 0;  // isa::Instr::mem_refs
  uint8_t width = 0;     // default bytes per thread of a memory access; 0 when the opcode makes none
};

// Every known opcode, sorted by name.
std::span<const OpcodeRow> opcode_rows();

// The row of `base` (the part before the first dot), or nullptr.
const OpcodeRow* find_row(std::string_view base);

// An opcode with its modifiers applied.
struct OpcodeInfo {
  isa::OpClass op = isa::OpClass::kUnknown;
  Form form = Form::kDest;
  Wide wide = Wide::kNone;
  isa::MemSpace space = isa::MemSpace::kNone;
  uint8_t mem_refs = 0;
  uint8_t width = 0;          // bytes per thread; LDSM and STSM: per matrix row
  uint8_t matrices = 0;       // LDSM, STSM: 1, 2 or 4; LDTM, STTM: registers
  uint32_t flags = 0;         // isa::InstrFlag bits that the opcode text alone decides
  bool source_wide = false;   // 64-bit first source: F2F.F32.F64, I2F.U64
  bool uniform_dest = false;  // the register destination is a uniform register
  bool known = false;         // false: classified by prefix; kFlagUnknownOpcode is set in `flags`
};

// `opcode` is the full opcode text with modifiers, e.g. "LDG.E.128". Never fails: an unknown opcode gets the
// class of the longest known prefix of at least three letters, else kUniform for a leading 'U', else
// kUnknown.
OpcodeInfo classify(std::string_view opcode);

// Calls f(token) for each dot-separated token of `opcode` after the base.
template <typename F>
void for_each_modifier(std::string_view opcode, F&& f) {
  for (size_t dot = opcode.find('.'); dot != std::string_view::npos;) {
    const size_t next = opcode.find('.', dot + 1);
    f(opcode.substr(dot + 1, next == std::string_view::npos ? next : next - dot - 1));
    dot = next;
  }
}

inline std::string_view base_of(std::string_view opcode) { return opcode.substr(0, opcode.find('.')); }

bool has_modifier(std::string_view opcode, std::string_view modifier);

}  // namespace heddle::sass
