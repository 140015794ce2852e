// Modifiers: how the text after the first dot changes an opcode's row of the table.
#include <algorithm>

#include "frontends/sass/opcode_table.h"
#include "sim/base/text.h"
#include "sim/isa/instr.h"

namespace heddle::sass {
namespace {

using isa::OpClass;

bool is_64_bit_type(std::string_view t) { return t == "F64" || t == "S64" || t == "U64"; }

bool is_type(std::string_view t) {
  return is_64_bit_type(t) || t == "F32" || t == "S32" || t == "U32" || t == "F16" || t == "BF16" ||
         t == "S16" || t == "U16" || t == "S8" || t == "U8";
}

// Bytes that a memory modifier names, or 0: U8, 64, U.128, F64, F16x2, F32x4 ...
uint8_t bytes_of(std::string_view t) {
  uint8_t unit = 0;
  const size_t x = t.find('x');
  const std::string_view type = t.substr(0, x);
  if (type == "U8" || type == "S8") {
    unit = 1;
  } else if (type == "U16" || type == "S16" || type == "F16" || type == "BF16") {
    unit = 2;
  } else if (type == "32" || type == "U32" || type == "S32" || type == "F32") {
    unit = 4;
  } else if (type == "64" || type == "U64" || type == "S64" || type == "F64") {
    unit = 8;
  } else if (type == "128" || type == "U128") {
    unit = 16;
  } else if (type == "256") {
    unit = 32;
  } else if (t == "BF16_V2" || t == "F16_V2") {
    return 4;
  }
  if (x == std::string_view::npos || unit == 0) {
    return unit;
  }
  const std::string_view n = t.substr(x + 1);
  return n == "2"              ? 2 * unit
         : n == "4"            ? 4 * unit
         : n == "8"            ? 8 * unit
         : n.starts_with("2_") ? 2 * unit
                               : unit;
}

uint32_t flag_if(bool set, isa::InstrFlag flag) { return set ? uint32_t{flag} : 0; }

// Loads, stores and atomics, of any memory: their modifiers say a width and what the caches do.
bool accesses_memory(OpClass c) {
  switch (c) {
    case OpClass::kLdGlobal:
    case OpClass::kStGlobal:
    case OpClass::kAtomGlobal:
    case OpClass::kRedGlobal:
    case OpClass::kLdShared:
    case OpClass::kStShared:
    case OpClass::kAtomShared:
    case OpClass::kLdLocal:
    case OpClass::kStLocal:
    case OpClass::kLdGeneric:
    case OpClass::kStGeneric:
    case OpClass::kAtomGeneric:
    case OpClass::kLdgsts:
    case OpClass::kLdc:
    case OpClass::kUldc:
      return true;
    default:
      return false;
  }
}

bool is_plain_access(OpClass c) {
  return c == OpClass::kLdGlobal || c == OpClass::kStGlobal || c == OpClass::kLdGeneric ||
         c == OpClass::kStGeneric;
}

void apply_width(std::string_view opcode, OpcodeInfo& info) {
  uint8_t width = 0;
  for_each_modifier(opcode, [&](std::string_view t) {
    const uint8_t b = bytes_of(t);
    width = b ? b : width;
  });
  info.width = width ? width : info.width;
}

void apply_memory_flags(std::string_view opcode, OpcodeInfo& info) {
  bool strong = false, wide_scope = false, sys = false, cta = false;
  for_each_modifier(opcode, [&](std::string_view t) {
    strong |= t == "STRONG" || t == "MMIO";
    wide_scope |= t == "GPU" || t == "SYS" || t == "GL";
    sys |= t == "SYS";
    cta |= t == "CTA" || t == "SM";
    if (t == "EF") {
      info.flags |= isa::kFlagEvictFirst;
    } else if (t == "EL") {
      info.flags |= isa::kFlagEvictLast;
    } else if (t == "BYPASS") {
      info.flags |= isa::kFlagBypassL1;
    } else if (t == "CONSTANT") {
      info.flags |= isa::kFlagReadOnly;
    }
  });
  if (strong) {
    info.flags |= isa::kFlagStrong | flag_if(wide_scope, isa::kFlagBypassL1);
  }
  // On Volta and Turing plain loads and stores say .SYS; only a strong access orders anything there.
  if (sys && (strong || !is_plain_access(info.op))) {
    info.flags |= isa::kFlagScopeSys;
  }
  info.flags |= flag_if(cta, isa::kFlagScopeCta);
}

// F2F, F2I, I2F, I2I, FRND. The text names the destination type, then the source type, and leaves out 32-bit
// ones where the opcode implies them.
void apply_conversion(std::string_view base, std::string_view opcode, OpcodeInfo& info) {
  std::string_view types[2];
  int n = 0;
  for_each_modifier(opcode, [&](std::string_view t) {
    if (is_type(t) && n < 2) {
      types[n++] = t;
    }
  });
  bool dest = false, source = false;
  if (base == "FRND") {
    dest = source = n > 0 && is_64_bit_type(types[0]);
  } else if (n == 2) {
    dest = is_64_bit_type(types[0]);
    source = is_64_bit_type(types[1]);
  } else if (n == 1 && is_64_bit_type(types[0])) {
    // One type: the side whose default it replaces. F2I writes S32 from F32, I2F writes F32 from S32 by
    // default.
    const bool floating = types[0] == "F64";
    source = base == "F2I" ? floating : !floating;
    dest = !source;
  }
  if (dest || source) {
    info.op = OpClass::kConvert64;
    info.wide = dest ? Wide::kDest : Wide::kNone;
    info.source_wide = source;
  }
}

void apply_matrix(std::string_view opcode, OpcodeInfo& info) {
  info.matrices = 1;
  for_each_modifier(opcode, [&](std::string_view t) {
    if (t == "2" || t == "x2") {
      info.matrices = 2;
    } else if (t == "4" || t == "x4") {
      info.matrices = 4;
    }
  });
}

// LDTM, STTM: registers of a lane, by bits of a row (16dp256bit; none: 32 lanes of 32 bits) and repetitions.
void apply_tensor_cells(std::string_view opcode, OpcodeInfo& info) {
  uint32_t registers = 1, times = 1;
  for_each_modifier(opcode, [&](std::string_view t) {
    if (t.starts_with("16dp128")) {
      registers = 2;
    } else if (t.starts_with("16dp256")) {
      registers = 4;
    } else if (t.starts_with('x')) {
      times = parse_number<uint32_t>(t.substr(1)).value_or(1);
    }
  });
  info.matrices = static_cast<uint8_t>(std::min<uint32_t>(registers * times, 128));
}

// What the machine does differently for a few operations of a class.
uint32_t flag_of(std::string_view base, std::string_view opcode, const OpcodeInfo& info) {
  const auto says = [&](std::string_view text) { return opcode.find(text) != opcode.npos; };
  switch (info.op) {
    case OpClass::kConverge:
      return flag_if(base == "BSYNC", isa::kFlagReconverges);
    case OpClass::kStShared:
      return flag_if(base == "STAS", isa::kFlagAsyncStore);
    case OpClass::kTensorAlloc:
      return flag_if(has_modifier(opcode, "AND"), isa::kFlagTensorFree) |
             flag_if(has_modifier(opcode, "2CTA"), isa::kFlagPair);
    case OpClass::kTensorMma:
    case OpClass::kTensorCopy:
    case OpClass::kTensorCommit:
      return flag_if(has_modifier(opcode, "2CTA"), isa::kFlagPair);
    case OpClass::kAtomShared:
      return flag_if(base == "REDAS", isa::kFlagAsyncStore) |
             flag_if(says("POPC.INC"), isa::kFlagMergesSameWord);
    default:
      return 0;
  }
}

void apply_modifiers(std::string_view base, std::string_view opcode, OpcodeInfo& info) {
  const auto has = [&](std::string_view m) { return has_modifier(opcode, m); };
  switch (info.op) {
    case OpClass::kImad:
    case OpClass::kUniform:
      if (base != "IMAD" && base != "UIMAD") {
        break;
      }
      if (has("WIDE") || has("HI")) {
        info.wide = has("WIDE") ? Wide::kMad : Wide::kMadHigh;
        info.op = info.op == OpClass::kImad ? OpClass::kImadWide : info.op;
      }
      break;
    case OpClass::kHalf:
      // HADD2.F32 converts, in one half of the FMA pipe (tools/microbench/FINDINGS.md 16).
      info.op = has("MMA") ? OpClass::kHalfMma : has("F32") ? OpClass::kFp32 : info.op;
      break;
    case OpClass::kMufu:
      info.op = has("EX2") ? OpClass::kMufuExp : info.op;
      break;
    case OpClass::kConvert:
      apply_conversion(base, opcode, info);
      break;
    case OpClass::kCs2r:
      info.wide = has("32") ? Wide::kNone : info.wide;
      break;
    case OpClass::kLdMatrix:
    case OpClass::kStMatrix:
      apply_matrix(opcode, info);
      break;
    case OpClass::kTensorLd:
    case OpClass::kTensorSt:
      apply_tensor_cells(opcode, info);
      break;
    case OpClass::kBarrier:
      info.flags |= flag_if(has("ARV"), isa::kFlagBarrierArrive);
      info.flags |= flag_if(has("RED"), isa::kFlagBarrierRed);
      break;
    case OpClass::kClusterBarrier:
      info.flags |= flag_if(base == "UCGABAR_ARV", isa::kFlagBarrierArrive);
      break;
    case OpClass::kNanosleep:
      // It sleeps until the barrier object that the warp has asked for before, and asks for again behind it.
      info.op = has("SYNCS") ? OpClass::kNop : info.op;
      break;
    case OpClass::kNop:
      if (base == "WARPGROUP") {
        info.op = has("ARRIVE")   ? OpClass::kWarpgroupArrive
                  : has("DEPBAR") ? OpClass::kWarpgroupDepbar
                                  : OpClass::kNop;
      }
      break;
    case OpClass::kMembar:
    case OpClass::kCctl:
      apply_memory_flags(opcode, info);
      info.flags |= flag_if(base == "FENCE", isa::kFlagScopeCta);  // between proxies of one SM
      break;
    case OpClass::kTexture:
      if (base.starts_with("SU")) {
        apply_width(opcode, info);
      }
      apply_memory_flags(opcode, info);
      break;
    default:
      if (accesses_memory(info.op)) {
        apply_width(opcode, info);
        apply_memory_flags(opcode, info);
      }
  }
  info.flags |= flag_of(base, opcode, info);
  // 64-bit forms of the integer instructions: UIADD3.64, SEL.64, ISETP.NE.U64; SHF's .U64 is of both its
  // words.
  const bool compares = base == "ISETP" || base == "IMNMX";
  if (info.wide == Wide::kNone && (has("64") || (compares && (has("S64") || has("U64")))) &&
      (info.op == OpClass::kAlu || info.op == OpClass::kAluPredicate || info.op == OpClass::kUniform ||
       info.op == OpClass::kUniformMove)) {
    info.wide = Wide::kAll;
  }
}

const OpcodeRow* longest_prefix(std::string_view base) {
  for (size_t n = base.size(); n >= 3; --n) {
    if (const OpcodeRow* row = find_row(base.substr(0, n))) {
      return row;
    }
  }
  return nullptr;
}

}  // namespace

bool has_modifier(std::string_view opcode, std::string_view modifier) {
  bool found = false;
  for_each_modifier(opcode, [&](std::string_view t) { found |= t == modifier; });
  return found;
}

OpcodeInfo classify(std::string_view opcode) {
  const std::string_view base = base_of(opcode);
  OpcodeInfo info;
  const OpcodeRow* row = find_row(base);
  info.known = row != nullptr;
  if (!row) {
    info.flags |= isa::kFlagUnknownOpcode;
    row = longest_prefix(base);
  }
  if (row) {
    info.op = row->op;
    info.form = row->form;
    info.wide = row->wide;
    info.space = row->space;
    info.mem_refs = row->mem_refs;
    info.width = row->width;
    apply_modifiers(row->base, opcode, info);
  } else if (base.starts_with('U')) {
    info.op = OpClass::kUniform;
  }
  info.uniform_dest = base.starts_with('U') || base == "VOTEU" || base == "S2UR" || base == "R2UR" ||
                      base == "REDUX" || base == "CREDUX" || base == "CS2UR" || base == "LDCU";
  return info;
}

}  // namespace heddle::sass
