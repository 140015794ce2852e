#include "frontends/sass/operand_check.h"

#include <algorithm>
#include <bit>
#include <span>

#include "sim/access/space.h"
#include "sim/base/text.h"
#include "sim/isa/recorded_copy.h"

namespace heddle::sass {
namespace {

using isa::MemRef;
using isa::OpClass;

// The system's own part at the beginning of a block's shared memory, from sm_80 on; earlier parts have none.
constexpr uint64_t kSystemShared = 1024;
constexpr uint64_t kSharedUnit = 256;  // the coarsest unit of allocation of any part
constexpr uint64_t kMostWindows = 16;  // blocks of a cluster
constexpr uint32_t kRegisterUnit = 8;  // per thread, of allocation

bool is_shared(const isa::Instr& in) {
  switch (in.op) {
    case OpClass::kLdShared:
    case OpClass::kStShared:
    case OpClass::kAtomShared:
    case OpClass::kLdMatrix:
    case OpClass::kStMatrix:
    case OpClass::kLdgsts:
      return in.mem_refs > 0;
    default:
      return false;
  }
}

// Lanes whose addresses count.
uint32_t addressing(const isa::Instr& in, uint32_t mask) {
  const bool matrix = in.op == OpClass::kLdMatrix || in.op == OpClass::kStMatrix;
  return matrix && in.matrices > 0 && in.matrices < 4 ? mask & ((1u << 8 * in.matrices) - 1) : mask;
}

}  // namespace

OperandCheck::OperandCheck(const isa::KernelImage& image)
    : image_(image),
      shared_end_(kSystemShared + (image.shape.shared_bytes() + kSharedUnit - 1) / kSharedUnit * kSharedUnit),
      wanted_(image.code.size() + 1),
      refs_(image.code.size() + 1) {
  for (size_t i = 0; i < image.code.size(); ++i) {
    const isa::Instr& in = image.code[i];
    wanted_[i + 1] = wanted_[i] + (is_shared(in) || in.async.kind != isa::AsyncKind::kNone);
    refs_[i + 1] = refs_[i] + in.mem_refs;
  }
}

uint32_t OperandCheck::lanes(uint32_t warp) const {
  const uint32_t threads = image_.shape.threads() - std::min(image_.shape.threads(), 32 * warp);
  return threads < 32 ? (1u << threads) - 1 : ~0u;
}

std::string OperandCheck::lane_fault(uint32_t warp, uint32_t mask) const {
  const uint32_t legal = lanes(warp);
  if ((mask & ~legal) == 0) {
    return "";
  }
  return "mask " + hex(mask) + " names threads beyond the " + std::to_string(image_.shape.threads()) +
         " of the block (legal for warp " + std::to_string(warp) + ": lanes of " + hex(legal) + ")";
}

std::string OperandCheck::fault(uint32_t index, uint32_t mask, const MemRef* refs,
                                const isa::WarpTrace& w) const {
  const isa::Instr& in = image_.code[index];
  if (in.op == OpClass::kBulkCopy) {
    return copy_fault(in, refs[0], w);
  }
  return shared_fault(in, mask, refs[in.mem_refs - 1], w);
}

std::string OperandCheck::copy_fault(const isa::Instr& in, const MemRef& r, const isa::WarpTrace& w) const {
  if (r.kind == MemRef::Kind::kNone) {
    return "";
  }
  const bool values = r.kind == MemRef::Kind::kValues;
  isa::RecordedCopy copy;
  return isa::read_copy(image_, in,
                        values ? std::span(w.values).subspan(r.list, r.count) : std::span<const uint64_t>(),
                        shared_end_ - kSystemShared, copy);
}

// Nearly all references: told by the lowest and the highest address, all of them in the same block's window.
bool OperandCheck::in_one_window(uint64_t width, uint32_t lanes, const MemRef& r,
                                 const isa::WarpTrace& w) const {
  constexpr uint64_t kEnd = kMostWindows * isa::kSharedWindow;
  if (r.base >= kEnd || width > shared_end_) {
    return false;
  }
  int64_t low = 0, high = 0;
  if (r.kind == MemRef::Kind::kStride) {
    const int64_t last = int64_t{r.stride} * (lanes - 1);
    low = std::min<int64_t>(0, last);
    high = std::max<int64_t>(0, last);
  } else if (r.kind == MemRef::Kind::kDelta) {
    const int32_t* d = w.deltas.data() + r.list;
    int32_t least = 0, most = 0;
    for (uint32_t i = 0; i + 1 < lanes; ++i) {
      least = std::min(least, d[i]);
      most = std::max(most, d[i]);
    }
    low = least;
    high = most;
  } else {
    return false;
  }
  const auto offset = static_cast<int64_t>(r.base % isa::kSharedWindow);
  return offset + low >= 0 && offset + high <= static_cast<int64_t>(shared_end_ - width) &&
         offset + high < static_cast<int64_t>(isa::kSharedWindow);
}

std::string OperandCheck::shared_fault(const isa::Instr& in, uint32_t mask, const MemRef& r,
                                       const isa::WarpTrace& w) const {
  uint64_t addr[32];
  mask = addressing(in, mask);
  if (mask != 0 && in_one_window(std::max<uint64_t>(in.width, 1), std::popcount(mask), r, w)) {
    return "";
  }
  if (mask == 0 || !isa::expand(w, r, mask, addr)) {
    return "";
  }
  const uint64_t width = std::max<uint64_t>(in.width, 1);
  for (uint32_t m = mask; m; m &= m - 1) {
    const uint64_t a = addr[std::countr_zero(m)];
    // A block of a cluster may name its shared memory by its window among the cluster's.
    const uint64_t offset = a % isa::kSharedWindow;
    if (a / isa::kSharedWindow >= kMostWindows || offset > shared_end_ || width > shared_end_ - offset) {
      return image_.opcodes[in.opcode] + " of " + std::to_string(width) + " bytes at shared-memory address " +
             hex(a) + ", but the block has " + std::to_string(image_.shape.shared_bytes()) +
             " bytes (legal: below " + hex(shared_end_) + ", with what the system and the allocation add)";
    }
  }
  return "";
}

std::string OperandCheck::fault_of(const isa::WarpTrace& w) const {
  uint64_t before = 0;
  size_t ref = 0;
  const auto at = [&](uint64_t n, const std::string& what) {
    return "instruction " + std::to_string(n) + " of warp " + std::to_string(w.warp) + ": " + what;
  };
  for (const isa::Run& r : w.runs) {
    if (const std::string what = lane_fault(w.warp, r.mask); !what.empty()) {
      return at(before, what);
    }
    const uint32_t end = r.first + r.count;
    for (uint32_t i = r.first; r.mask && wanted_[end] != wanted_[r.first] && i < end; ++i) {
      if (!wanted(i)) {
        continue;
      }
      const MemRef* refs = &w.refs[ref + refs_[i] - refs_[r.first]];
      if (const std::string what = fault(i, r.mask, refs, w); !what.empty()) {
        return at(before + i - r.first, what);
      }
    }
    ref += r.mask ? refs_[end] - refs_[r.first] : 0;
    before += r.count;
  }
  return "";
}

std::string register_fault(const isa::KernelImage& image) {
  const uint32_t have =
      (image.shape.registers_per_thread + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit;
  // Warps of specialised kernels take each other's registers.
  if (std::any_of(image.opcodes.begin(), image.opcodes.end(),
                  [](const std::string& o) { return o.starts_with("USETMAXREG"); })) {
    return "";
  }
  for (const isa::Instr& in : image.code) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < in.n_src; ++i) {
      most = std::max<uint32_t>(most, in.src[i].file == isa::RegFile::kGpr ? in.src[i].index : 0);
    }
    for (uint32_t i = 0; i < in.n_dst; ++i) {
      most = std::max<uint32_t>(most, in.dst[i].file == isa::RegFile::kGpr ? in.dst[i].index : 0);
    }
    if (most > 0 && most >= have) {
      return "the " + image.opcodes[in.opcode] + " at " + hex(in.pc) + " names R" + std::to_string(most) +
             ", but a thread has nregs = " + std::to_string(image.shape.registers_per_thread) +
             " registers (legal: R0..R" + std::to_string(have - 1) + ")";
    }
  }
  return "";
}

}  // namespace heddle::sass
