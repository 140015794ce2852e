// One instruction line of a trace, field by field.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace heddle::accelsim {

struct InstrFields {
  static constexpr int kMaxRegs = 16;

  uint32_t pc = 0;
  uint32_t mask = 0;
  uint32_t source_line = 0;
  uint8_t n_dst = 0;
  uint8_t n_src = 0;
  std::array<uint8_t, kMaxRegs> dst{};
  std::array<uint8_t, kMaxRegs> src{};
  std::string_view opcode;
  uint32_t mem_width = 0;  // 0: no addresses follow
  const char* rest =
      nullptr;  // behind mem_width and its blanks: the address mode, the immediate or the line's end

  std::span<const uint8_t> dst_regs() const { return {dst.data(), n_dst}; }
  std::span<const uint8_t> src_regs() const { return {src.data(), n_src}; }
};

struct FieldError {
  const char* at = nullptr;     // start of the offending token
  const char* field = nullptr;  // its name in the format
  const char* legal = nullptr;
};

// Scans "[line] PC mask" at `p`; the line must be ended by '\n' inside the buffer. Returns the position
// behind the mask, or nullptr and fills `error`.
const char* scan_pc_and_mask(const char* p, bool lineinfo, uint32_t& line, uint32_t& pc, uint32_t& mask,
                             FieldError& error);

// Scans the whole line up to mem_width. False, and `error`, when a field is missing or malformed.
bool scan_instr(const char* p, bool lineinfo, InstrFields& fields, FieldError& error);

}  // namespace heddle::accelsim
