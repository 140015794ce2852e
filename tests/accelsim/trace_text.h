// Builds small traces in memory, and reads them.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/accelsim/trace_reader.h"
#include "sim/base/error.h"
#include "sim/isa/recording.h"

namespace heddle::accelsim::test {

// `text` with the first occurrence of `from` replaced; `from` must be there.
inline std::string with(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  if (at == std::string::npos) {
    throw std::logic_error("test text has no " + std::string(from));
  }
  return text.replace(at, from.size(), to);
}

struct HeaderOptions {
  std::string grid = "(1,1,1)";
  std::string block = "(32,1,1)";
  int version = 3;
  std::string more;  // further lines
};

// 12 lines, and those of `more`.
inline std::string header(const HeaderOptions& o = {}) {
  return "-kernel name = k\n-kernel id = 7\n-grid dim = " + o.grid + "\n-block dim = " + o.block +
         "\n-shmem = 16384\n-nregs = 32\n-binary version = 90\n-cuda stream id = 0\n-shmem base_addr = "
         "0x7f0400000000\n"
         "-local mem base_addr = 0x7f0375000000\n-accelsim tracer version = " +
         std::to_string(o.version) + "\n" + o.more + "#traces format = PC mask ...\n";
}

inline std::string warp(int id, const std::vector<std::string>& lines) {
  std::string s = "warp = " + std::to_string(id) + "\ninsts = " + std::to_string(lines.size()) + "\n";
  for (const std::string& l : lines) {
    s += l + "\n";
  }
  return s;
}

inline std::string block(const std::string& index, const std::string& warps) {
  return "\n#BEGIN_TB\n\nthread block = " + index + "\n\n" + warps + "\n#END_TB\n";
}

// One block of one warp.
inline std::string trace(const std::vector<std::string>& lines, const HeaderOptions& o = {}) {
  return header(o) + block("0,0,0", warp(0, lines));
}

// A side file: one instruction every 16 bytes.
inline std::string side(const std::vector<std::string>& sass) {
  std::string s = "# function k base 0\n";
  for (size_t i = 0; i < sass.size(); ++i) {
    char b[64];
    std::snprintf(b, sizeof b, "%04zx %016x %016x ", i * 16, 0x7918, 0xfc00000);
    s += b + sass[i] + " ;\n";
  }
  return s;
}

struct Kernel {
  isa::KernelImage image;
  std::vector<isa::BlockTrace> blocks;
  const isa::WarpTrace& warp(size_t b = 0, size_t w = 0) const { return blocks.at(b).warps.at(w); }
};

inline Kernel read_all(isa::BlockSource& source) {
  Kernel k;
  isa::BlockTrace b;
  while (source.next(b)) {
    k.blocks.push_back(b);
  }
  k.image = source.image();
  return k;
}

inline Kernel read(std::string_view trace, std::optional<std::string> side = std::nullopt,
                   std::optional<std::string> extra = std::nullopt) {
  TraceInMemory t{"t", trace, std::nullopt, std::nullopt};
  if (side) {
    t.side = *side;
  }
  if (extra) {
    t.extra = *extra;
  }
  return read_all(*open_trace(t));
}

inline std::vector<uint64_t> addresses(const isa::WarpTrace& w, const isa::MemRef& r, uint32_t mask) {
  uint64_t a[32] = {};
  std::vector<uint64_t> v;
  if (isa::expand(w, r, mask, a)) {
    for (int i = 0; i < 32; ++i) {
      if (mask >> i & 1) {
        v.push_back(a[i]);
      }
    }
  }
  return v;
}

// The message of the heddle::Error that `f` throws; empty when it throws none.
inline std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

// A directory that is removed with its contents.
class TempDir {
 public:
  TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "heddle_accelsim_XXXXXX").string();
    if (!mkdtemp(pattern.data())) {
      throw std::runtime_error("mkdtemp");
    }
    path_ = pattern;
  }
  ~TempDir() {
    std::error_code ec;
    std::filesystem::remove_all(path_, ec);
  }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, std::string_view data) const {
    std::filesystem::path p = path_ / name;
    std::filesystem::create_directories(p.parent_path());
    std::ofstream(p, std::ios::binary) << data;
    return p;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace heddle::accelsim::test
