#include "frontends/accelsim/instr_line.h"

#include <algorithm>

#include "frontends/accelsim/scan.h"

namespace heddle::accelsim {

namespace {

const char* fail(FieldError& e, const char* at, const char* field, const char* legal) {
  e = {at, field, legal};
  return nullptr;
}

const char* scan_registers(const char* p, const char* field, uint8_t& count,
                           std::array<uint8_t, InstrFields::kMaxRegs>& regs, FieldError& error) {
  uint64_t n = 0;
  const char* q = scan_dec(p, n);
  if (!q || n > regs.size()) {
    return fail(error, p, field, "a register count, 0..16");
  }
  count = static_cast<uint8_t>(n);
  for (uint64_t i = 0; i < n; ++i) {
    p = skip_blanks(q);
    uint64_t r = 0;
    q = *p == 'R' ? scan_dec(p + 1, r) : nullptr;
    if (!q || r > 255) {
      return fail(error, p, field, "R0..R255");
    }
    regs[i] = static_cast<uint8_t>(r);
  }
  return skip_blanks(q);
}

bool is_opcode(std::string_view s) {
  const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  return !s.empty() && upper(s[0]) && std::all_of(s.begin(), s.end(), [&](char c) {
    return upper(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
  });
}

}  // namespace

const char* scan_pc_and_mask(const char* p, bool lineinfo, uint32_t& line, uint32_t& pc, uint32_t& mask,
                             FieldError& error) {
  p = skip_blanks(p);
  if (lineinfo) {
    uint64_t number = 0;
    const char* q = scan_dec(p, number);
    if (!q || number > UINT32_MAX) {
      return fail(error, p, "source line", "a decimal number, as the header has -enable lineinfo = 1");
    }
    line = static_cast<uint32_t>(number);
    p = skip_blanks(q);
  }
  const char* q = scan_hex32(p, pc);
  if (!q) {
    return fail(error, p, "PC", "hexadecimal, 32 bits");
  }
  p = skip_blanks(q);
  q = scan_hex32(p, mask);
  return q ? q : fail(error, p, "mask", "hexadecimal, 32 bits");
}

bool scan_instr(const char* p, bool lineinfo, InstrFields& f, FieldError& error) {
  p = scan_pc_and_mask(p, lineinfo, f.source_line, f.pc, f.mask, error);
  if (!p) {
    return false;
  }
  p = scan_registers(skip_blanks(p), "destination registers", f.n_dst, f.dst, error);
  if (!p) {
    return false;
  }
  f.opcode = token_at(p);
  if (!is_opcode(f.opcode)) {
    fail(error, p, "opcode", "a SASS opcode such as LDG.E.64");
    return false;
  }
  p = scan_registers(skip_blanks(p + f.opcode.size()), "source registers", f.n_src, f.src, error);
  if (!p) {
    return false;
  }
  uint64_t width = 0;
  const char* q = scan_dec(p, width);
  if (!q || width > 255) {
    fail(error, p, "mem_width", "0..255 bytes");
    return false;
  }
  f.mem_width = static_cast<uint32_t>(width);
  f.rest = skip_blanks(q);
  return true;
}

}  // namespace heddle::accelsim
