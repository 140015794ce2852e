// Writes a trace of any length as a .heddle file, block by block: for tests of speed and memory that no
// recorded trace is long enough for. tools/README.md describes the kernel; --help the options.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "frontends/accelsim/static_code.h"
#include "frontends/trace/writer.h"
#include "sim/base/error.h"
#include "sim/isa/recording.h"

namespace heddle {
namespace {

enum class Pattern { kStream, kRandom, kGather };

struct Options {
  std::filesystem::path out;
  uint64_t blocks = 1024;
  uint32_t warps = 8;
  uint32_t iterations = 100;
  uint32_t ffma = 12;
  uint64_t footprint_mib = 1024;
  uint32_t paths = 1;
  uint64_t seed = 0;
  Pattern pattern = Pattern::kStream;
  trace::WriterOptions writer;
};

constexpr uint64_t kLoads = 0x7f0000000000, kStores = 0x7f8000000000;
constexpr uint32_t kProlog = 2, kEpilog = 2;  // instructions before and behind the loop

// S2R, IMAD; the loop: LDG, FFMA..., IADD3, ISETP, BRA; STG, EXIT
accelsim::Listing code(const Options& o) {
  accelsim::Listing l;
  const auto add = [&l](std::string opcode, std::vector<uint8_t> dst, std::vector<uint8_t> src,
                        uint32_t width = 0) {
    l.columns.push_back({static_cast<uint32_t>(16 * l.columns.size()), std::move(opcode), std::move(dst),
                         std::move(src), width});
  };
  add("S2R", {0}, {});
  add("IMAD.WIDE", {2}, {0, 6});
  add("LDG.E", {8}, {2}, 4);
  for (uint32_t i = 0; i < o.ffma; ++i) {
    const auto sum = static_cast<uint8_t>(16 + i % 8);
    add("FFMA", {sum}, {8, 9, sum});
  }
  add("IADD3", {2}, {2, 10});
  add("ISETP.GE.AND", {}, {2});
  add("BRA", {}, {});
  add("STG.E", {}, {4, 16}, 4);
  add("EXIT", {}, {});
  return l;
}

isa::KernelImage image(const Options& o, const accelsim::Listing& listing) {
  isa::KernelImage k;
  k.name = "synthetic";
  k.id = 1;
  k.shape.grid.x = static_cast<uint32_t>(o.blocks);
  k.shape.block.x = 32 * o.warps;
  k.shape.registers_per_thread = 32;
  accelsim::build_code(listing, k);
  return k;
}

class Generator {
 public:
  Generator(const Options& o, const isa::KernelImage& image)
      : o_(o), loop_(static_cast<uint32_t>(image.code.size()) - kProlog - kEpilog), rng_(o.seed) {}

  void next(uint64_t linear, isa::BlockTrace& b) {
    b.linear = linear;
    b.index = {static_cast<uint32_t>(linear), 0, 0};
    b.warps.resize(o_.warps);
    for (uint32_t w = 0; w < o_.warps; ++w) {
      fill(linear * o_.warps + w, b.warps[w]);
      b.warps[w].warp = w;
    }
  }

 private:
  void fill(uint64_t warp, isa::WarpTrace& w) {
    w.clear();
    const uint64_t iterations = o_.iterations + warp % o_.paths;
    // The first iteration follows the prolog, the epilog the last one: the runs of a loop.
    for (uint64_t i = 0; i < iterations; ++i) {
      const bool first = i == 0, last = i + 1 == iterations;
      w.runs.push_back(
          {first ? 0 : kProlog, loop_ + (first ? kProlog : 0) + (last ? kEpilog : 0), UINT32_MAX});
      w.instructions += w.runs.back().count;
      load(warp * iterations + i, w);
    }
    w.refs.push_back({kStores + warp * 128, 4, 0, isa::MemRef::Kind::kStride, 0});
  }

  void load(uint64_t position, isa::WarpTrace& w) {
    const uint64_t lines = o_.footprint_mib << 13;  // of 128 bytes
    isa::MemRef r;
    r.base = kLoads + (o_.pattern == Pattern::kStream ? position : rng_()) % lines * 128;
    r.kind = isa::MemRef::Kind::kStride;
    r.stride = 4;
    if (o_.pattern == Pattern::kGather) {
      r.kind = isa::MemRef::Kind::kDelta;
      r.stride = 0;
      r.list = static_cast<uint32_t>(w.deltas.size());
      for (int lane = 1; lane < 32; ++lane) {
        const uint64_t a = kLoads + rng_() % (lines * 32) * 4;
        w.deltas.push_back(static_cast<int32_t>(a - r.base));
      }
    }
    w.refs.push_back(r);
  }

  const Options& o_;
  const uint32_t loop_;  // instructions of an iteration
  std::mt19937_64 rng_;
};

void generate(const Options& o) {
  const accelsim::Listing listing = code(o);
  const isa::KernelImage kernel = image(o, listing);
  trace::Origin origin;
  origin.trace = o.out.stem().string();
  origin.source = "gen_trace";
  trace::Writer writer(o.out, kernel, listing, origin, o.writer);
  Generator generator(o, kernel);
  isa::BlockTrace block;
  for (uint64_t b = 0; b < o.blocks; ++b) {
    generator.next(b, block);
    writer.add(block);
  }
  const trace::WriterTotals t = writer.finish();
  fmt::print("{}: {} blocks, {} warp instructions, {} chunks, {} bytes\n", o.out.string(), t.blocks,
             t.warp_instructions, t.chunks, t.bytes);
}

int run(int argc, char** argv) {
  Options o;
  CLI::App app("Writes a synthetic trace of any length", "gen_trace");
  const auto option = [&app](const char* name, auto& value, const char* help, double min, double max) {
    app.add_option(name, value, help)->check(CLI::Range(min, max))->capture_default_str();
  };
  app.add_option("FILE", o.out, "the .heddle file to write")->required();
  option("--blocks", o.blocks, "thread blocks", 1, 2147483647);
  option("--warps", o.warps, "warps of a block", 1, 32);
  option("--iterations", o.iterations, "of the loop", 1, 1e6);
  option("--ffma", o.ffma, "multiply-adds of an iteration", 0, 1000);
  option("--paths", o.paths, "different control flows: warp w makes w modulo this more iterations", 1, 1e6);
  const std::map<std::string, Pattern> patterns = {
      {"stream", Pattern::kStream}, {"random", Pattern::kRandom}, {"gather", Pattern::kGather}};
  app.add_option("--pattern", o.pattern,
                 "loads: stream, one after the other; random, 128 bytes anywhere; gather, 32 words anywhere")
      ->transform(CLI::CheckedTransformer(patterns, CLI::ignore_case));
  option("--footprint", o.footprint_mib, "MiB that are read", 1, 1024);
  option("--seed", o.seed, "of the random numbers", 0, 1e18);
  option("--level", o.writer.level, trace::kLevelHelp, 1, 22);
  app.add_flag_callback(
      "--force", [&o] { o.writer.replace = output::Replace::kAny; }, "replace a file of another kind, too");
  CLI11_PARSE(app, argc, argv);
  generate(o);
  return 0;
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  try {
    return heddle::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "gen_trace: error: %s\n", e.what());
    return 1;
  }
}
