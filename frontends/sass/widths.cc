#include "frontends/sass/widths.h"

#include <algorithm>

namespace heddle::sass {
namespace {

uint8_t registers_of(uint8_t bytes) { return static_cast<uint8_t>(std::max(1, bytes / 4)); }

}  // namespace

Widths::Widths(std::string_view opcode, const OpcodeInfo& info)
    : info_(info), extended_(has_modifier(opcode, "E")) {
  if (info.wide == Wide::kMma) {
    shape_ = mma_shape(opcode);
  }
}

uint8_t Widths::dest() const {
  switch (info_.wide) {
    case Wide::kDest:
    case Wide::kMad:
    case Wide::kAll:
      return 2;
    case Wide::kAccess:
      return registers_of(info_.width);
    case Wide::kMma:
      return shape_.c_regs();
    case Wide::kMatrix:
      return info_.matrices;
    default:
      return info_.form == Form::kTexture ? 2 : 1;
  }
}

uint8_t Widths::source(int position) const {
  if (info_.source_wide && position == 0) {
    return 2;
  }
  switch (info_.wide) {
    case Wide::kMad:
    case Wide::kMadHigh:
      return position == 2 ? 2 : 1;
    case Wide::kAll:
    case Wide::kSource:
      return 2;
    case Wide::kAccess:
      return info_.space == isa::MemSpace::kConstant ? 1 : registers_of(info_.width);
    case Wide::kMma:
      return position == 0   ? shape_.a_regs()
             : position == 1 ? shape_.b_regs()
             : position == 2 ? shape_.c_regs()
                             : 1;
    case Wide::kMatrix:
      return info_.matrices;
    default:
      return 1;
  }
}

uint8_t Widths::address() const {
  return extended_ && info_.space != isa::MemSpace::kShared && info_.space != isa::MemSpace::kLocal ? 2 : 1;
}

uint8_t clamp_count(isa::RegFile file, uint8_t index, uint8_t count) {
  int registers = 0;
  switch (file) {
    case isa::RegFile::kGpr:
      registers = 255;
      break;
    case isa::RegFile::kUniform:
      registers = 80;  // of Blackwell; up to 9.0 63
      break;
    case isa::RegFile::kPredicate:
    case isa::RegFile::kUniformPredicate:
      registers = 7;
      break;
    default:
      registers = index + 1;
  }
  return static_cast<uint8_t>(std::clamp<int>(registers - index, 1, std::max<int>(count, 1)));
}

void fill_from_opcode(const OpcodeInfo& info, const Widths& widths, isa::Instr& in) {
  in.op = info.op;
  in.space = info.space;
  in.width = info.width;
  in.mem_refs = info.mem_refs;
  in.matrices = info.matrices;
  in.flags = info.flags;
  in.mma_work = widths.shape().work();
  in.mma_bits = widths.shape().bits;
  in.mma_acc_bits = widths.shape().acc_bits;
}

}  // namespace heddle::sass
