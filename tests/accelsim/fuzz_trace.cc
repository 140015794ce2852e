// Any bytes as a trace: either blocks that keep their promises, or a heddle::Error of one line.
//
// The input is the trace, then optionally a line "%%side" and a side file, then optionally a line "%%extra"
// and operand records.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "frontends/accelsim/trace_reader.h"
#include "sim/engine/error.h"

namespace {

using namespace heddle;

void require(bool good) {
  if (!good) {
    std::abort();
  }
}

std::optional<std::string_view> cut(std::string_view& text, std::string_view marker) {
  const size_t at = text.find(marker);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view tail = text.substr(at + marker.size());
  text = text.substr(0, at);
  return tail;
}

void check_ref(const isa::WarpTrace& w, const isa::MemRef& r, uint32_t mask) {
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

void check_warp(const isa::KernelImage& image, const isa::WarpTrace& w) {
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  accelsim::TraceInMemory t;
  t.name = "f";
  t.trace = {reinterpret_cast<const char*>(data), size};
  t.extra = cut(t.trace, "%%extra\n");
  t.side = cut(t.trace, "%%side\n");
  accelsim::StreamOptions options;
  options.max_window_log = 20;
  try {
    const auto source = accelsim::open_trace(t, options);
    const isa::KernelImage& image = source->image();
    for (size_t i = 1; i < image.code.size(); ++i) {
      require(image.code[i - 1].pc < image.code[i].pc);
    }
    isa::BlockTrace b;
    uint64_t blocks = 0;
    while (source->next(b)) {
      require(b.linear == blocks++ && b.warps.size() == image.shape.warps());
      for (const isa::WarpTrace& w : b.warps) {
        check_warp(image, w);
      }
    }
    require(blocks == image.shape.grid.count());
  } catch (const Error& e) {
    const std::string_view message = e.what();
    require(message.starts_with("f") && message.find('\n') == std::string_view::npos);
  }
  return 0;
}
