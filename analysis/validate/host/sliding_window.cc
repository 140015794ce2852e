#include "analysis/validate/host/sliding_window.h"

#include <array>
#include <utility>

#include "frontends/accelsim/static_code.h"
#include "sim/base/error.h"

namespace heddle::hostbench {
namespace {

constexpr uint32_t kWarpBytes = 32 * 4;
constexpr std::array<std::string_view, 4> kAccesses = {"LDG.E", "STG.E", "LDG.E", "STG.E"};

}  // namespace

SlidingWindow::SlidingWindow(std::string sass, const std::string& name, uint64_t frequent_bytes,
                             uint32_t blocks)
    : frequent_bytes_(frequent_bytes) {
  if (frequent_bytes == 0 || frequent_bytes % kWarpBytes != 0) {
    throw Error("sliding window: " + std::to_string(frequent_bytes) +
                " frequent bytes; legal values: multiples of " + std::to_string(kWarpBytes));
  }
  image_.name = "_Z9k_slidingPiS_ii";
  image_.compute_capability = 90;
  image_.shape.grid = {blocks, 1, 1};
  image_.shape.block = {kThreads, 1, 1};
  image_.shape.registers_per_thread = 14;  // ptxas -v
  accelsim::build_code({.side_name = name, .side_text = std::move(sass), .columns = {}}, image_);
  size_t accesses = 0;
  for (uint32_t i = 0; i < image_.code.size(); ++i) {
    const isa::Instr& in = image_.code[i];
    // The predicated ones correct a quotient or serve a negative thread number; here they never do anything.
    const uint32_t mask = in.flags & isa::kFlagPredicated ? 0 : ~0u;
    if (!runs_.empty() && runs_.back().mask == mask) {
      ++runs_.back().count;
    } else {
      runs_.push_back({i, 1, mask});
    }
    ++instructions_;
    for (uint8_t r = 0; r < in.mem_refs; ++r, ++accesses) {
      if (accesses == kAccesses.size() || image_.opcodes[in.opcode] != kAccesses[accesses]) {
        throw Error(name + ": access " + std::to_string(accesses + 1) + " is " + image_.opcodes[in.opcode] +
                    "; legal: LDG.E, STG.E, LDG.E, STG.E");
      }
    }
    if (image_.opcodes[in.opcode] == "EXIT") {
      break;
    }
  }
  if (accesses != kAccesses.size()) {
    throw Error(name + ": " + std::to_string(accesses) +
                " memory accesses; legal: LDG.E, STG.E, LDG.E, STG.E");
  }
}

bool SlidingWindow::next(isa::BlockTrace& out) {
  if (block_ == image_.shape.grid.x) {
    return false;
  }
  out.index = {block_, 0, 0};
  out.linear = block_;
  out.warps.resize(kThreads / 32);
  for (uint32_t w = 0; w < out.warps.size(); ++w) {
    isa::WarpTrace& warp = out.warps[w];
    warp.clear();
    warp.warp = w;
    warp.runs = runs_;
    warp.instructions = instructions_;
    const uint64_t at = (uint64_t{block_} * out.warps.size() + w) * kWarpBytes;
    for (const uint64_t address : {kPersist + at % frequent_bytes_, kStream + at}) {
      const isa::MemRef ref{
          .base = address, .stride = 4, .list = 0, .kind = isa::MemRef::Kind::kStride, .count = 0};
      warp.refs.insert(warp.refs.end(), 2, ref);
    }
  }
  ++block_;
  return true;
}

}  // namespace heddle::hostbench
