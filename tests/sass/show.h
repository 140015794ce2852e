// One line per decoded instruction, for comparison in tests.
#pragma once

#include <string>

#include "sim/isa/instr.h"

namespace heddle::sass {

inline std::string show(const isa::Operand& o) {
  static constexpr const char* kFiles[] = {"-", "R", "UR", "P", "UP", "B", "SB"};
  std::string s = kFiles[static_cast<int>(o.file)] + std::to_string(o.index);
  return o.count == 1 ? s : s + "*" + std::to_string(o.count);
}

// "R4*2 P0 <- UR4*2 R2*2": destinations and sources with register counts.
inline std::string show_operands(const isa::Instr& in) {
  std::string s;
  for (int i = 0; i < in.n_dst; ++i) {
    s += show(in.dst[i]) + " ";
  }
  s += "<-";
  for (int i = 0; i < in.n_src; ++i) {
    s += " " + show(in.src[i]);
  }
  return s;
}

// Class name, then whatever the instruction has of: bytes, address lists, matrices, flags by letter.
inline std::string show_class(const isa::Instr& in) {
  static constexpr struct {
    uint32_t flag;
    const char* name;
  } kFlags[] = {
      {isa::kFlagPredicated, "predicated"},
      {isa::kFlagConstOperand, "const"},
      {isa::kFlagBypassL1, "bypass"},
      {isa::kFlagUnknownOpcode, "unknown"},
      {isa::kFlagBarrierArrive, "arrive"},
      {isa::kFlagUniformAddress, "uniform"},
      {isa::kFlagBarrierRed, "red"},
      {isa::kFlagScopeSys, "sys"},
      {isa::kFlagScopeCta, "cta"},
      {isa::kFlagEvictFirst, "first"},
      {isa::kFlagEvictLast, "last"},
      {isa::kFlagStrong, "strong"},
      {isa::kFlagBarrierAllThreads, "all"},
      {isa::kFlagTensorFree, "free"},
      {isa::kFlagPair, "pair"},
  };
  std::string s(isa::name(in.op));
  s += in.width ? " " + std::to_string(in.width) + "B" : "";
  s += in.mem_refs ? " x" + std::to_string(in.mem_refs) : "";
  s += in.matrices ? " matrices=" + std::to_string(in.matrices) : "";
  for (const auto& f : kFlags) {
    s += in.flags & f.flag ? std::string(" ") + f.name : "";
  }
  return s;
}

}  // namespace heddle::sass
