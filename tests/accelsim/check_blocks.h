// For fuzz targets of trace readers: aborts unless blocks keep the promises of sim/isa/kernel.h.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "sim/isa/recording.h"

namespace heddle::accelsim::test {

inline void require(bool good) {
  if (!good) {
    std::abort();
  }
}

inline void check_ref(const isa::WarpTrace& w, const isa::MemRef& r, uint32_t mask) {
  using Kind = isa::MemRef::Kind;
  const auto lanes = static_cast<size_t>(__builtin_popcount(mask));
  size_t values = r.count;
  if (r.kind == Kind::kDelta) {
    require(r.list + lanes - 1 <= w.deltas.size() && r.count == 0);
  } else if (r.kind == Kind::kFull) {
    values += lanes;
  }
  if (values) {
    require(r.list + values <= w.values.size());
  }
  uint64_t addr[32];
  isa::expand(w, r, mask, addr);
}

inline void check_warp(const isa::KernelImage& image, const isa::WarpTrace& w) {
  uint64_t n = 0;
  size_t ref = 0;
  for (const isa::Run& r : w.runs) {
    require(r.count > 0 && r.first + uint64_t{r.count} <= image.code.size());
    n += r.count;
    for (uint32_t i = r.first; r.mask && i < r.first + r.count; ++i) {
      for (int k = 0; k < image.code[i].mem_refs; ++k) {
        require(ref < w.refs.size());
        check_ref(w, w.refs[ref++], r.mask);
      }
    }
  }
  require(n == w.instructions && ref == w.refs.size());
}

// Reads all blocks.
inline void check_source(isa::BlockSource& source) {
  const isa::KernelImage& image = source.image();
  for (size_t i = 1; i < image.code.size(); ++i) {
    require(image.code[i - 1].pc < image.code[i].pc);
  }
  isa::BlockTrace b;
  uint64_t blocks = 0;
  while (source.next(b)) {
    require(b.linear == blocks++ && b.warps.size() == image.shape.warps());
    for (const isa::WarpTrace& w : b.warps) {
      check_warp(image, w);
    }
  }
  require(blocks == image.shape.grid.count());
}

}  // namespace heddle::accelsim::test
