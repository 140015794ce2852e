// The configurations that come with Heddle.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <set>

#include "configs/loader/config.h"
#include "configs/loader/layers.h"
#include "configs/loader/text.h"
#include "sim/isa/op_class.h"
#include "tests/configs/scratch.h"

namespace heddle::config {
namespace {

TEST_CASE("the shipped GPUs and presets are found by name") {
  // Others may be there too.
  const std::vector<std::string> names = gpu_names();
  for (const char* name :
       {"a10",     "a100",    "a100_pcie40", "a100_pcie80", "a30",        "a40",         "b200",
        "b300",    "gb10",    "gb200",       "gh200",       "gtx1080",    "gtx1080ti",   "gtx750ti",
        "gtx980",  "h100",    "h100_nvl",    "h100_pcie",   "h20",        "h200",        "l4",
        "l40s",    "orin",    "p100",        "p4",          "rtx2080ti",  "rtx3060",     "rtx3090",
        "rtx4060", "rtx4090", "rtx5080",     "rtx5090",     "rtxpro6000", "t4",          "thor",
        "titanv",  "titanx",  "tx1",         "tx2",         "v100",       "v100_pcie32", "xavier"}) {
    CAPTURE(name);
    CHECK(std::find(names.begin(), names.end(), name) != names.end());
  }
  CHECK(fidelity_names() == std::vector<std::string>{"default", "detailed", "fast"});
}

TEST_CASE("every shipped GPU is valid in every preset, and every value has a provenance") {
  for (const std::string& gpu : gpu_names()) {
    for (const std::string& preset : fidelity_names()) {
      CAPTURE(gpu, preset);
      CHECK(check(gpu, fidelity(preset)) == std::vector<std::string>{});
      const GpuConfig config = load(gpu, fidelity(preset));
      CHECK(without_provenance(config).empty());
      CHECK(check(config).empty());
    }
  }
}

Layers read_capability(const std::filesystem::path& path) {
  const ParsedFile file = parse_file(path);
  Layers out;
  if (file.config.has_inherits()) {
    out = read_capability(path.parent_path() / (file.config.inherits() + ".textproto"));
  }
  out.add(file);
  return out;
}

// The capability files: by themselves, without a product.
const std::map<uint32_t, GpuConfig>& capabilities() {
  static const std::map<uint32_t, GpuConfig> all = [] {
    std::map<uint32_t, GpuConfig> read;
    for (const auto& file : std::filesystem::directory_iterator("configs/capability")) {
      const GpuConfig c = read_capability(file.path()).config();
      CHECK("sm_" + std::to_string(c.limits().compute_capability()) == c.capability());
      CHECK(file.path().stem() == c.capability());
      read[c.limits().compute_capability()] = c;
    }
    return read;
  }();
  return all;
}

TEST_CASE("every capability has a GPU, and the GPU its file's name") {
  std::set<uint32_t> used;
  for (const std::string& gpu : gpu_names()) {
    const GpuConfig c = load(gpu);
    CHECK(c.name() == gpu);
    used.insert(c.limits().compute_capability());
  }
  for (const auto& [cc, config] : capabilities()) {
    CAPTURE(cc);
    CHECK(used.contains(cc));
  }
  for (uint32_t cc : {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121}) {
    CAPTURE(cc);
    CHECK(capabilities().contains(cc));
  }
}

// Table B1 of the execution model, and OC13 for the allocation units; 10.3, 11.0 and 12.1, and the 24 blocks
// of 12.0, from NVIDIA's libcu++ (arch_traits.h), which the table does not have.
struct B1 {
  uint32_t cc, grids, blocks, warps, threads, shared_kib, block_shared_kib, block_registers, shared_unit,
      reserved, cluster;
};

TEST_CASE("table B1: limits of each capability (OC01, OC05, OC13, OC20, SH15)") {
  const B1 table[] = {
      {50, 32, 32, 64, 2048, 64, 48, 65536, 256, 0, 1},
      {52, 32, 32, 64, 2048, 96, 48, 65536, 256, 0, 1},
      {53, 16, 32, 64, 2048, 64, 48, 32768, 256, 0, 1},
      {60, 128, 32, 64, 2048, 64, 48, 65536, 256, 0, 1},
      {61, 32, 32, 64, 2048, 96, 48, 65536, 256, 0, 1},
      {62, 16, 32, 64, 2048, 64, 48, 32768, 256, 0, 1},
      {70, 128, 32, 64, 2048, 96, 96, 65536, 256, 0, 1},
      {72, 16, 32, 64, 2048, 96, 96, 65536, 256, 0, 1},
      {75, 128, 16, 32, 1024, 64, 64, 65536, 256, 0, 1},
      {80, 128, 32, 64, 2048, 164, 163, 65536, 128, 1024, 1},
      {86, 128, 16, 48, 1536, 100, 99, 65536, 128, 1024, 1},
      {87, 128, 16, 48, 1536, 164, 163, 65536, 128, 1024, 1},
      {89, 128, 24, 48, 1536, 100, 99, 65536, 128, 1024, 1},
      {90, 128, 32, 64, 2048, 228, 227, 65536, 128, 1024, 16},
      {100, 128, 32, 64, 2048, 228, 227, 65536, 128, 1024, 16},
      {103, 128, 32, 64, 2048, 228, 227, 65536, 128, 1024, 16},
      {110, 128, 24, 48, 1536, 228, 227, 65536, 128, 1024, 8},
      {120, 128, 24, 48, 1536, 100, 99, 65536, 128, 1024, 8},
      {121, 128, 24, 48, 1536, 100, 99, 65536, 128, 1024, 8},
  };
  std::set<uint32_t> rows;
  for (const B1& row : table) {
    rows.insert(row.cc);
    CAPTURE(row.cc);
    const GpuConfig& config = capabilities().at(row.cc);
    const Limits& l = config.limits();
    CHECK(l.max_resident_grids() == row.grids);
    CHECK(l.max_blocks_per_sm() == row.blocks);
    CHECK(l.max_warps_per_sm() == row.warps);
    CHECK(l.max_warps_per_sm() * l.warp_size() == row.threads);
    CHECK(l.shared_bytes_per_sm() == row.shared_kib * 1024);
    CHECK(l.max_shared_bytes_per_block() == row.block_shared_kib * 1024);
    CHECK(l.shared_allocation_unit() == row.shared_unit);
    CHECK(l.reserved_shared_bytes_per_block() == row.reserved);
    CHECK(l.warp_size() == 32);
    CHECK(l.max_threads_per_block() == 1024);
    CHECK(l.registers_per_sm() == 65536);
    CHECK(l.max_registers_per_block() == row.block_registers);
    CHECK(l.max_registers_per_thread() == 255);
    CHECK(l.register_allocation_unit() == 256);
    CHECK(l.warp_allocation_unit() == (row.cc == 60 ? 2 : 4));
    CHECK(l.max_cluster_blocks() == row.cluster);
    CHECK(config.sm().shared().banks() == 32);
    CHECK(config.sm().subcores() == (row.cc == 60 ? 2 : 4));  // B3: warp schedulers
  }
  for (const auto& [cc, config] : capabilities()) {
    CAPTURE(cc);
    CHECK(rows.contains(cc));
  }
}

TEST_CASE("table B3 and the carve-outs: the L1 array of each capability (L101, L102, OC15)") {
  // Below 7.0 shared memory is apart: the array is both, with one carve-out.
  const std::vector<std::pair<uint32_t, std::pair<uint32_t, std::vector<uint32_t>>>> table = {
      {50, {64 + 24, {64}}},
      {52, {96 + 24, {96}}},
      {53, {64 + 24, {64}}},
      {60, {64 + 24, {64}}},
      {61, {96 + 48, {96}}},
      {62, {64 + 24, {64}}},
      {70, {128, {0, 8, 16, 32, 64, 96}}},
      {72, {128, {0, 8, 16, 32, 64, 96}}},
      {75, {96, {32, 64}}},
      {80, {192, {0, 8, 16, 32, 64, 100, 132, 164}}},
      {86, {128, {0, 8, 16, 32, 64, 100}}},
      {87, {192, {0, 8, 16, 32, 64, 100, 132, 164}}},
      {89, {128, {0, 8, 16, 32, 64, 100}}},
      {90, {256, {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}}},
      {100, {256, {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}}},
      {103, {256, {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}}},
      {110, {256, {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}}},
      {120, {128, {0, 8, 16, 32, 64, 100}}},
      {121, {128, {0, 8, 16, 32, 64, 100}}},
  };
  for (const auto& [cc, array] : table) {
    CAPTURE(cc);
    const L1Cache& l1 = capabilities().at(cc).sm().l1();
    CHECK(l1.total_bytes() == array.first * 1024);
    std::vector<uint32_t> kib;
    for (uint32_t bytes : l1.carveout_bytes()) {
      kib.push_back(bytes / 1024);
    }
    CHECK(kib == array.second);
  }
}

// Warp instructions of class `op` that an SM can start in 32 cycles, by its pipes alone: table B2's threads
// per clock.
uint32_t threads_per_clock(const GpuConfig& config, const std::string& op) {
  for (const OpTiming& o : config.sm().op()) {
    if (o.op() != op) {
      continue;
    }
    uint32_t threads = 0;
    for (const PipeTiming& p : config.sm().pipe()) {
      if (p.pipe() == o.pipe() || (o.pipe() == "fma" && (p.pipe() == "fmaheavy" || p.pipe() == "fmalite"))) {
        const uint32_t interval = o.has_interval() ? o.interval() : p.interval();
        threads += 32 * (p.shared_by_sm() ? 1 : config.sm().subcores()) / interval;
      }
    }
    return threads;
  }
  return 0;
}

TEST_CASE("table B2: operations per clock and SM follow from the pipes (PG04)") {
  struct Row {
    uint32_t cc, half, fp32, fp64, mufu, add, mul, compare, convert64, bits;
  };
  // "half" counts FP16x2 instructions' threads, half of the table's operations. Multiplication of integers
  // takes several instructions below 7.0: three here. B2 has no columns for 8.7 and from 10.0 on: there
  // other-gpus.md 2.
  const Row table[] = {
      {50, 0, 128, 4, 32, 128, 42, 64, 4, 32},     {52, 0, 128, 4, 32, 128, 42, 64, 4, 32},
      {53, 128, 128, 4, 32, 128, 42, 64, 4, 32},   {62, 128, 128, 4, 32, 128, 42, 64, 4, 32},
      {60, 64, 64, 32, 16, 64, 64, 32, 16, 16},    {61, 1, 128, 4, 32, 128, 128, 64, 4, 32},
      {70, 64, 64, 32, 16, 64, 64, 64, 16, 16},    {72, 64, 64, 32, 16, 64, 64, 64, 16, 16},
      {75, 64, 64, 2, 16, 64, 64, 64, 2, 16},      {80, 128, 64, 32, 16, 64, 64, 64, 16, 16},
      {86, 64, 128, 2, 16, 64, 64, 64, 2, 16},     {87, 64, 128, 2, 16, 64, 64, 64, 2, 16},
      {89, 64, 128, 2, 16, 64, 64, 64, 2, 16},     {90, 128, 128, 64, 16, 64, 64, 64, 16, 16},
      {100, 128, 128, 64, 16, 64, 64, 64, 16, 16}, {103, 128, 128, 2, 16, 64, 64, 64, 16, 16},
      {110, 128, 128, 2, 16, 64, 64, 64, 16, 16},  {120, 64, 128, 2, 16, 128, 64, 64, 2, 16},
      {121, 64, 128, 2, 16, 128, 64, 64, 2, 16},
  };
  for (const Row& row : table) {
    CAPTURE(row.cc);
    const GpuConfig& config = capabilities().at(row.cc);
    // From compute capability 9.0 on the compiler shares them out between FMA and the tensor pipe
    // (HFMA2.MMA).
    const bool shares = row.cc >= 90 && row.cc < 120;
    CHECK(threads_per_clock(config, "half") + (shares ? threads_per_clock(config, "half_mma") : 0) ==
          row.half);
    CHECK(threads_per_clock(config, "fp32") == row.fp32);
    CHECK(threads_per_clock(config, "fp64") == row.fp64);
    CHECK(threads_per_clock(config, "mufu") == row.mufu);
    CHECK(threads_per_clock(config, "alu") == row.add);
    CHECK(threads_per_clock(config, "imad") == row.mul);
    CHECK(threads_per_clock(config, "alu_predicate") == row.compare);
    CHECK(threads_per_clock(config, "convert64") == row.convert64);
    CHECK(threads_per_clock(config, "bit_count") == row.bits);
    CHECK(threads_per_clock(config, "vote") == 64);
  }
}

TEST_CASE("products: SMs, GPCs, L2 and peak memory bandwidth (other-gpus.md 1)") {
  struct Row {
    const char* gpu;
    uint32_t cc, sms, gpcs;
    double mhz, l2_kib, gigabytes;
  };
  const Row table[] = {
      {"gtx1080", 61, 20, 4, 1733, 2048, 320},     {"gtx1080ti", 61, 28, 6, 1582, 2816, 484},
      {"gtx750ti", 50, 5, 1, 1085, 2048, 86.4},    {"gtx980", 52, 16, 4, 1216, 2048, 224},
      {"titanx", 52, 24, 6, 1076, 3072, 336.5},    {"tx1", 53, 2, 1, 998, 256, 25.6},
      {"tx2", 62, 2, 1, 1300, 512, 59.7},          {"v100", 70, 80, 6, 1530, 6144, 898},
      {"titanv", 70, 80, 6, 1455, 4608, 652.8},    {"xavier", 72, 8, 1, 1377, 512, 136.5},
      {"rtx2080ti", 75, 68, 6, 1545, 5632, 616},   {"a100", 80, 108, 8, 1410, 40960, 1555.2},
      {"a30", 80, 56, 4, 1440, 24576, 933},        {"a10", 86, 72, 7, 1695, 6144, 600},
      {"a40", 86, 84, 7, 1740, 6144, 696},         {"rtx3060", 86, 28, 3, 1777, 2304, 360},
      {"rtx3090", 86, 82, 7, 1695, 6144, 936},     {"orin", 87, 16, 2, 1300, 4096, 204.8},
      {"l40s", 89, 142, 12, 2520, 98304, 864},     {"rtx4060", 89, 24, 3, 2460, 24576, 272},
      {"rtx4090", 89, 128, 11, 2520, 73728, 1008}, {"h100_pcie", 90, 114, 7, 1755, 51200, 2039},
      {"h100", 90, 132, 8, 1980, 51200, 3352},     {"h100_nvl", 90, 132, 8, 1785, 61440, 4023},
      {"h20", 90, 78, 8, 1980, 61440, 4023},       {"gh200", 90, 132, 8, 1980, 61440, 4023},
      {"h200", 90, 132, 8, 1980, 61440, 4814.3},   {"b200", 100, 148, 8, 1965, 129024, 7672},
      {"gb200", 100, 148, 8, 1965, 129024, 8000},  {"b300", 103, 148, 8, 1920, 129024, 7672},
      {"thor", 110, 20, 3, 1575, 32768, 273},      {"rtx5090", 120, 170, 11, 2407, 98304, 1792},
      {"rtx5080", 120, 84, 7, 2617, 65536, 960},   {"rtxpro6000", 120, 188, 12, 2617, 131072, 1792},
      {"gb10", 121, 48, 3, 2418, 24576, 273},
  };
  for (const Row& row : table) {
    CAPTURE(row.gpu);
    const GpuConfig c = load(row.gpu);
    CHECK(c.limits().compute_capability() == row.cc);
    CHECK(c.topology().sms() == row.sms);
    CHECK(static_cast<uint32_t>(c.topology().tpcs_per_gpc_size()) == row.gpcs);
    CHECK(c.clocks().core_mhz() == row.mhz);
    CHECK(c.l2().total_bytes() == row.l2_kib * 1024);
    CHECK(c.clocks().dram_mhz() * c.dram().channels() * c.dram().bytes_per_cycle() / 1000 ==
          Approx(row.gigabytes).epsilon(0.001));
  }
}

TEST_CASE("H200: what the device's properties say (hw/h200/hostbench.csv)") {
  const GpuConfig c = load("h200");
  CHECK(c.topology().sms() == 132);
  CHECK(c.l2().total_bytes() == 62914560);
  CHECK(c.l2().max_persisting_bytes() == 39321600);
  CHECK(c.limits().shared_bytes_per_sm() == 233472);
  CHECK(c.limits().max_shared_bytes_per_block() == 232448);
  CHECK(c.limits().reserved_shared_bytes_per_block() == 1024);
  CHECK(provenance_of(c, "topology.sms")->kind() == Provenance::MEASURED);
}

TEST_CASE("the presets switch what they say") {
  const GpuConfig fast = load("h200", fidelity("fast"));
  CHECK(fast.share().sms() == 32);
  CHECK(fast.dram().model() == Dram::BANKS);
  CHECK(provenance_of(fast, "share.sms")->source() == "fidelity preset fast");
  CHECK(provenance_of(fast, "dram.t_rcd")->source() == provenance_of(load("h200"), "dram.t_rcd")->source());

  const GpuConfig detailed = load("h200", fidelity("detailed"));
  CHECK(detailed.sm().fetch().model() == InstructionFetch::CACHED);
  CHECK(detailed.sm().registers().model() == RegisterFile::PORTS);
  CHECK(detailed.dram().model() == Dram::BANKS);
  CHECK(detailed.tlb().enabled());
}

TEST_CASE("every provenance entry of a shipped file is somebody's") {
  for (const std::string& gpu : gpu_names()) {
    const GpuConfig config = load(gpu);
    std::set<std::string> used;
    for (const Difference& leaf : diff(config, GpuConfig())) {
      const bool name_of_entry =
          leaf.path.ends_with("].op") || (leaf.path.starts_with("sm.pipe[") && leaf.path.ends_with("].pipe"));
      const auto entry = provenance_of(config, leaf.path);
      if (entry && !name_of_entry) {
        used.insert(entry->path());
      }
    }
    for (const Provenance& entry : config.provenance()) {
      CAPTURE(gpu, entry.path());
      CHECK(used.contains(entry.path()));
    }
  }
}

}  // namespace
}  // namespace heddle::config
