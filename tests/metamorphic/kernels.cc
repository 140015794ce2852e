#include "tests/metamorphic/kernels.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "frontends/accelsim/trace_reader.h"
#include "frontends/trace/reader.h"

namespace heddle::metamorphic {
namespace {

namespace fs = std::filesystem;

struct Spec {
  const char* name;
  const char* file;
  size_t blocks;     // of the grid, its first ones: what 32 SMs take some ten thousand cycles for
  size_t brief = 0;  // blocks of a brief run; 0: it does without the kernel
  isa::Dim3 cluster = {1, 1, 1};
};

constexpr Spec kKernels[] = {
    {"vecadd", "traces/h200/vecadd/kernel-1.heddle", 512, 8},               // streams through DRAM
    {"stride32", "traces/h200/stride32/kernel-1.heddle", 192},              // a sector for each lane
    {"transpose_smem", "traces/h200/transpose_smem/kernel-1.heddle", 192},  // bank conflicts
    {"softmax", "traces/h200/softmax/kernel-1.heddle", 48},                 // L1 hits, shuffles, barriers, XU
    {"hist_gmem", "traces/h200/hist_gmem/kernel-1.heddle", 128, 4},         // atomics on few words
    {"gemm_wmma", "traces/h200/gemm_wmma/kernel-1.heddle", 32},             // tensor cores
    {"wgmma", "traces/h200/wgmma/kernel-1.heddle", 64, 4},                  // asynchronous ones
    {"bulk_copy", "traces/h200/bulk_copy/kernel-1.traceg.zst", 16, 2},      // bulk copies, mbarriers
    {"cluster_dsm", "traces/h200/cluster_dsm/kernel-1.heddle", 32, 8, {4, 1, 1}},
    {"divergent", "traces/h200/divergent/kernel-1.traceg.zst", 8, 1},  // control flow alone
    {"chase_l1", "traces/h200/chase_l1/kernel-1.traceg.zst", 1},       // latency alone
    {"cpasync", "traces/h200/second/cpasync/kernel-1.heddle", 128},    // LDGSTS
    {"insert", "traces/h200/second/insert/kernel-1.heddle", 96, 4},    // compare and swap, scattered
    {"generated_stream", "tests/metamorphic/stream.heddle", 128},      // multiply-adds on a stream
    {"generated_gather", "tests/metamorphic/gather.heddle", 64},       // 32 words anywhere
};

Recording read(const Spec& spec) {
  Recording r;
  r.name = spec.name;
  const fs::path file = spec.file;
  std::unique_ptr<isa::BlockSource> source;
  if (file.extension() == ".heddle") {
    std::unique_ptr<trace::Reader> reader = trace::open(file);
    reader->set_cluster(spec.cluster);
    source = std::move(reader);
    r.listing = trace::read_listing(file);
  } else {
    accelsim::OpenOptions options;
    options.listing = &r.listing;
    options.cluster = spec.cluster;
    source = accelsim::open_trace(file, options);
  }
  std::vector<isa::BlockTrace> blocks;
  const size_t wanted = brief() ? spec.brief : spec.blocks;
  for (isa::BlockTrace b; blocks.size() < wanted && source->next(b);) {
    blocks.push_back(b);
  }
  r.image = source->image();
  return with_blocks(r, std::move(blocks));
}

}  // namespace

bool brief() {
  static const bool is = std::getenv("HEDDLE_METAMORPHIC_BRIEF") != nullptr;
  return is;
}

bool Recording::has(const std::function<bool(const isa::Instr&)>& what) const {
  return std::any_of(image.code.begin(), image.code.end(), what);
}

Recording with_blocks(const Recording& kernel, std::vector<isa::BlockTrace> blocks) {
  Recording r;
  r.name = kernel.name;
  r.image = kernel.image;
  r.listing = kernel.listing;
  r.blocks = std::move(blocks);
  for (size_t i = 0; i < r.blocks.size(); ++i) {
    r.blocks[i].linear = i;
    r.blocks[i].index = {static_cast<uint32_t>(i), 0, 0};
  }
  r.image.shape.grid = {static_cast<uint32_t>(r.blocks.size()), 1, 1};
  return r;
}

const std::vector<Recording>& kernels() {
  static const std::vector<Recording> all = [] {
    std::vector<Recording> read_all;
    for (const Spec& s : kKernels) {
      if (!brief() || s.brief > 0) {
        read_all.push_back(read(s));
      }
    }
    return read_all;
  }();
  return all;
}

}  // namespace heddle::metamorphic
