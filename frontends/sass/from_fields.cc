#include "frontends/sass/from_fields.h"

#include <algorithm>

#include "frontends/sass/modifiers.h"
#include "frontends/sass/widths.h"

namespace heddle::sass {
namespace {

using isa::OpClass;

constexpr uint8_t kRz = 255;

void add(isa::Instr& in, bool dest, uint8_t index, uint8_t count, uint8_t slot) {
  uint8_t& n = dest ? in.n_dst : in.n_src;
  if (index == kRz || n == (dest ? isa::kMaxDst : isa::kMaxSrc)) {
    return;
  }
  (dest ? in.dst[n] : in.src[n]) =
      isa::Operand{isa::RegFile::kGpr, index, clamp_count(isa::RegFile::kGpr, index, count), slot};
  ++n;
}

bool is_store(const OpcodeInfo& info) {
  return info.form == Form::kSources && (info.wide == Wide::kAccess || info.wide == Wide::kMatrix);
}

// Atomics that may return the old value.
bool may_return(OpClass c) {
  return c == OpClass::kAtomGlobal || c == OpClass::kAtomGeneric || c == OpClass::kAtomShared;
}

// NVBit's tracer takes an instruction's first operand for its destination, if that is a vector register.
// Where a predicate comes first (SHFL PT, R5, ...; ATOM PT, R9, ...; LOP3.LUT P0, R4, ...) the destination
// register is listed as the first source.
bool first_source_is_destination(const OpcodeInfo& info, std::string_view opcode, size_t n_src) {
  if (info.uniform_dest || n_src == 0 || !info.known) {
    return false;
  }
  if (info.op == OpClass::kMatch) {
    return n_src == 2;
  }
  if (info.form == Form::kTexture) {
    return n_src >= 2;  // texture instructions name two destination registers
  }
  if (info.op == OpClass::kShuffle || base_of(opcode) == "LOP3") {
    return true;
  }
  return may_return(info.op) && info.form == Form::kBeforeAddress && n_src >= 3;
}

// Whether source `i` of `n` is (part of) an address.
bool is_address(const OpcodeInfo& info, size_t i, size_t n) {
  switch (info.op) {
    case OpClass::kLdgsts:
      return true;
    case OpClass::kMbarrier:
    case OpClass::kCctl:
      return i == 0 && n > 1;
    case OpClass::kTexture:
      return false;
    default:
      break;
  }
  if (info.mem_refs == 0 || info.op == OpClass::kGmma) {
    return false;
  }
  // A store whose address is uniform lists its data alone.
  return is_store(info) ? i == 0 && n > 1 : i == 0;
}

}  // namespace

isa::Instr decode_fields(uint32_t pc, std::string_view opcode, std::span<const uint8_t> dst_regs,
                         std::span<const uint8_t> src_regs, uint32_t mem_width, OpcodePool& pool) {
  OpcodeInfo info = classify(opcode);
  if (!info.known) {
    pool.count_unknown(opcode);
    // Without a table row, the trace alone says whether the instruction has addresses.
    info.mem_refs = mem_width ? std::max<uint8_t>(info.mem_refs, 1) : 0;
    info.width = mem_width ? info.width : 0;
  }
  if (mem_width && info.width == 0 && info.mem_refs) {
    info.width = static_cast<uint8_t>(std::min<uint32_t>(mem_width, 255));
  }
  const Widths widths(opcode, info);
  if (has_odd_modifier(opcode, info, widths.shape())) {
    pool.count_unknown(opcode);
  }
  isa::Instr in;
  in.pc = pc;
  in.opcode = pool.intern(opcode);
  fill_from_opcode(info, widths, in);

  size_t first = 0;
  if ((dst_regs.empty() || info.form == Form::kTexture) &&
      first_source_is_destination(info, opcode, src_regs.size())) {
    add(in, true, src_regs[0], widths.dest(), 0);
    first = 1;
  }
  int position = 0;
  for (const uint8_t r : dst_regs) {
    if (info.form ==
        Form::kSources) {  // RET R4, BAR.SYNC R5, R6: the tracer calls the first operand a destination
      add(in, false, r, widths.source(position), static_cast<uint8_t>(std::min(position, 2)));
      ++position;
    } else {
      add(in, true, r, widths.dest(), 0);
    }
  }
  const size_t n = src_regs.size() - first;
  for (size_t i = 0; i < n; ++i, ++position) {
    const uint8_t r = src_regs[first + i];
    uint8_t count = 1;
    if (info.op == OpClass::kLdgsts) {
      count = i == 0 ? 1 : widths.address();
    } else if (info.op == OpClass::kGmma) {  // the accumulator comes last; A in registers before it
      count = i + 1 == n ? widths.source(2) : widths.source(0);
    } else if (info.wide == Wide::kMad || info.wide == Wide::kMadHigh) {
      count = i > 0 && i + 1 == n ? widths.source(2) : 1;  // the trace leaves out immediates and constants
    } else {
      count = is_address(info, i, n) ? widths.address() : widths.source(position);
    }
    add(in, false, r, count, static_cast<uint8_t>(std::min(position, 2)));
  }
  if (info.op == OpClass::kBarrier) {
    in.flags |= isa::kFlagBarrierAllThreads;  // the trace does not name barriers or counts
  }
  return in;
}

}  // namespace heddle::sass
