// Small .heddle files, made from text or from blocks.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontends/trace/reader.h"
#include "frontends/trace/writer.h"
#include "tests/accelsim/trace_text.h"

namespace heddle::trace::test {

using accelsim::test::error_of;
using accelsim::test::Kernel;
using accelsim::test::read_all;
using accelsim::test::TempDir;

struct Text {
  std::string trace;
  std::optional<std::string> side, extra;
};

struct Opened {
  accelsim::Listing listing;
  std::unique_ptr<isa::BlockSource> source;
};

inline Opened open_text(const Text& t) {
  Opened o;
  accelsim::TraceInMemory m{"t", t.trace, std::nullopt, std::nullopt};
  if (t.side) {
    m.side = *t.side;
  }
  if (t.extra) {
    m.extra = *t.extra;
  }
  o.source = accelsim::open_trace(m, {}, &o.listing);
  return o;
}

inline std::string file_bytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// The bytes of a .heddle with these blocks.
inline std::string pack(const isa::KernelImage& image, const accelsim::Listing& listing,
                        const std::vector<isa::BlockTrace>& blocks, const WriterOptions& options = {},
                        const Origin& origin = {}) {
  const TempDir dir;
  Writer writer(dir.path() / "t.heddle", image, listing, origin, options);
  for (const isa::BlockTrace& b : blocks) {
    writer.add(b);
  }
  writer.finish();
  return file_bytes(dir.path() / "t.heddle");
}

inline std::string pack(const Text& t, const WriterOptions& options = {}, const Origin& origin = {}) {
  const Opened o = open_text(t);
  const Kernel k = read_all(*o.source);
  return pack(k.image, o.listing, k.blocks, options, origin);
}

// Three blocks of two warps: loads with regular and with scattered addresses, a loop, divergence, an
// asynchronous copy, an mbarrier and uniform registers.
inline Text sample() {
  using namespace accelsim::test;
  HeaderOptions h;
  h.grid = "(3,1,1)";
  h.block = "(64,1,1)";
  Text t;
  t.side = side({"LDG.E R2, [R4.64]", "LDGSTS.E.BYPASS.128 [R3], desc[UR4][R4.64]",
                 "SYNCS.EXCH.64 URZ, [UR8], UR4", "UBLKCP.S.G [UR8], [UR10], UR5", "IADD3 R1, R1, 0x1, RZ",
                 "@P0 BRA 0x40", "EXIT"});
  t.trace = header(h);
  t.extra = "";
  for (int b = 0; b < 3; ++b) {
    std::string warps;
    for (int w = 0; w < 2; ++w) {
      const auto hex = [](uint64_t v) {
        char s[24];
        std::snprintf(s, sizeof s, "0x%llx", static_cast<unsigned long long>(v));
        return std::string(s);
      };
      const uint64_t a =
          0x7f0000000000 + static_cast<uint64_t>(b) * 0x10000 + static_cast<uint64_t>(w) * 0x80;
      warps +=
          warp(w, {"0000 ffffffff 1 R2 LDG.E 1 R4 4 1 " + hex(a) + " 4",
                   "0000 0000000f 1 R2 LDG.E 1 R4 4 2 " + hex(a) + " 16 -48 " + std::to_string(b + 5),
                   "0000 00000003 1 R2 LDG.E 1 R4 4 0 " + hex(a) + " 0x10",
                   "0010 0000000f 0 LDGSTS.E.BYPASS.128 2 R3 R4 16 1 " + hex(a) + " 16",
                   "0020 00000001 0 SYNCS.EXCH.64 0 0", "0030 ffffffff 0 UBLKCP.S.G 0 0",
                   "0040 ffffffff 1 R1 IADD3 1 R1 0", "0050 0000ffff 0 BRA 0 0",
                   "0040 0000ffff 1 R1 IADD3 1 R1 0", "0050 00000000 0 BRA 0 0", "0060 ffffffff 0 EXIT 0 0"});
      const std::string at = std::to_string(b) + " " + std::to_string(w) + " ";
      for (const std::string& record :
           {std::string("3 10 S 1 0x400 16"), std::string("4 20 B 2 0x4400 0 V 2 0x2000 0"),
            "5 30 U 400 " + std::to_string(4400 + b) + " 6c000000 7f02 10"}) {
        ((*t.extra += at) += record) += "\n";
      }
    }
    t.trace += block(std::to_string(b) + ",0,0", warps);
  }
  return t;
}

}  // namespace heddle::trace::test
