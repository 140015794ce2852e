#include "sim/isa/kernel.h"

#include <algorithm>
#include <bit>

namespace heddle::isa {

BlockWork work_of(const BlockTrace& block) {
  BlockWork work;
  for (const WarpTrace& w : block.warps) {
    work.instructions += w.instructions;
    for (const Run& r : w.runs) {
      work.thread_pred_on += uint64_t{r.count} * static_cast<uint64_t>(std::popcount(r.mask));
    }
  }
  return work;
}

uint32_t SourceMap::file(std::string_view name) {
  const auto it = std::find(files.begin(), files.end(), name);
  if (it == files.end()) {
    files.emplace_back(name);
    return static_cast<uint32_t>(files.size() - 1);
  }
  return static_cast<uint32_t>(it - files.begin());
}

std::string source_text(std::string_view file, uint32_t line) {
  if (line == 0) {
    return "";
  }
  return file.empty() ? "line " + std::to_string(line)
                      : std::string(file.substr(file.rfind('/') + 1)) + ":" + std::to_string(line);
}

std::string KernelImage::source_text(size_t n) const {
  const SourceLine s = source_line(n);
  return s.line == 0 ? "" : isa::source_text(source->files[s.file], s.line);
}

bool expand(const WarpTrace& w, const MemRef& r, uint32_t mask, uint64_t addr[32]) {
  switch (r.kind) {
    case MemRef::Kind::kStride: {
      uint64_t a = r.base;
      for (uint32_t m = mask; m; m &= m - 1) {
        addr[std::countr_zero(m)] = a;
        a += static_cast<int64_t>(r.stride);
      }
      return true;
    }
    case MemRef::Kind::kDelta: {
      uint32_t m = mask;
      if (m) {
        addr[std::countr_zero(m)] = r.base;
        m &= m - 1;
      }
      for (const int32_t* d = w.deltas.data() + r.list; m; m &= m - 1) {
        addr[std::countr_zero(m)] = r.base + static_cast<int64_t>(*d++);
      }
      return true;
    }
    case MemRef::Kind::kFull: {
      const uint64_t* v = w.values.data() + r.list;
      for (uint32_t m = mask; m; m &= m - 1) {
        addr[std::countr_zero(m)] = *v++;
      }
      return true;
    }
    default:
      return false;
  }
}

}  // namespace heddle::isa
