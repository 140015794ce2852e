#include "analysis/store/flop.h"

namespace heddle::analysis {
namespace {

// Per thread, by the opcode without modifiers; 0 for everything else.
uint64_t per_thread(std::string_view opcode, std::string_view* kind) {
  const std::string_view base = opcode.substr(0, opcode.find('.'));
  struct Row {
    std::string_view opcode;
    uint64_t count;
    std::string_view kind;
  };
  static constexpr Row kRows[] = {
      {"FADD", 1, "fp32"},      {"FADD32I", 1, "fp32"}, {"FMUL", 1, "fp32"},      {"FMUL32I", 1, "fp32"},
      {"FFMA", 2, "fp32"},      {"FFMA32I", 2, "fp32"}, {"DADD", 1, "fp64"},      {"DMUL", 1, "fp64"},
      {"DFMA", 2, "fp64"},      {"HADD2", 2, "fp16"},   {"HADD2_32I", 2, "fp16"}, {"HMUL2", 2, "fp16"},
      {"HMUL2_32I", 2, "fp16"}, {"HFMA2", 4, "fp16"},   {"HFMA2_32I", 4, "fp16"}, {"FADD2", 2, "fp32"},
      {"FMUL2", 2, "fp32"},     {"FFMA2", 4, "fp32"},
  };
  for (const Row& r : kRows) {
    if (r.opcode == base) {
      *kind = r.kind;
      return r.count;
    }
  }
  return 0;
}

bool floating_product(isa::OpClass op, std::string_view opcode) {
  switch (op) {
    case isa::OpClass::kHmma:
    case isa::OpClass::kDmma:
      return true;
    case isa::OpClass::kGmma:
      return opcode.starts_with("HGMMA") || opcode.starts_with("QGMMA");
    default:
      return false;
  }
}

}  // namespace

Flop flop_of(const stats::InstructionProfile& p) {
  if (p.mma_work) {
    // A warp-group's product is executed once by each of its four warps.
    const uint64_t warps = p.op == isa::OpClass::kGmma ? 4 : 1;
    return floating_product(p.op, p.opcode) ? Flop{2 * p.counts.executed * p.mma_work / warps, "tensor"}
                                            : Flop{};
  }
  std::string_view kind;
  const uint64_t each = per_thread(p.opcode, &kind);
  return each ? Flop{each * p.counts.threads, kind} : Flop{};
}

std::vector<Flop> flops_of(const stats::Profile& p) {
  std::vector<Flop> out;
  out.reserve(p.instructions.size());
  for (const stats::InstructionProfile& i : p.instructions) {
    out.push_back(flop_of(i));
  }
  return out;
}

}  // namespace heddle::analysis
