// The configurations that come with Heddle.
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "configs/loader/config.h"
#include "sim/isa/op_class.h"
#include "tests/configs/scratch.h"

namespace heddle::config {
namespace {

TEST_CASE("the shipped GPUs and presets are found by name") {
  CHECK(gpu_names() == std::vector<std::string>{"a100", "a100_pcie40", "a100_pcie80", "h200", "l4", "p100",
                                                "p4", "rtx3090", "rtx4090", "t4", "v100", "v100_pcie32"});
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

TEST_CASE("every shipped file has a GPU that uses it") {
  std::set<std::string> used;
  for (const std::string& gpu : gpu_names()) {
    used.insert(load(gpu).capability());
  }
  CHECK(used ==
        std::set<std::string>{"sm_60", "sm_61", "sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90"});
}

GpuConfig of_capability(uint32_t cc) {
  for (const std::string& gpu : gpu_names()) {
    if (GpuConfig config = load(gpu); config.limits().compute_capability() == cc) {
      return config;
    }
  }
  FAIL("no GPU of capability " << cc);
  return {};
}

// Table B1 of the execution model, and OC13 for the allocation units.
struct B1 {
  uint32_t cc, grids, blocks, warps, shared_kib, block_shared_kib, shared_unit, reserved;
};

TEST_CASE("table B1: limits of each capability (OC01, OC05, OC13, OC20, SH15)") {
  const B1 table[] = {
      {60, 128, 32, 64, 64, 48, 256, 0},      {61, 32, 32, 64, 96, 48, 256, 0},
      {70, 128, 32, 64, 96, 96, 256, 0},      {75, 128, 16, 32, 64, 64, 256, 0},
      {80, 128, 32, 64, 164, 163, 128, 1024}, {86, 128, 16, 48, 100, 99, 128, 1024},
      {89, 128, 24, 48, 100, 99, 128, 1024},  {90, 128, 32, 64, 228, 227, 128, 1024},
  };
  for (const B1& row : table) {
    CAPTURE(row.cc);
    const Limits l = of_capability(row.cc).limits();
    CHECK(l.compute_capability() == row.cc);
    CHECK(l.max_resident_grids() == row.grids);
    CHECK(l.max_blocks_per_sm() == row.blocks);
    CHECK(l.max_warps_per_sm() == row.warps);
    CHECK(l.max_warps_per_sm() * l.warp_size() == (row.warps == 64 ? 2048 : row.warps == 48 ? 1536 : 1024));
    CHECK(l.shared_bytes_per_sm() == row.shared_kib * 1024);
    CHECK(l.max_shared_bytes_per_block() == row.block_shared_kib * 1024);
    CHECK(l.shared_allocation_unit() == row.shared_unit);
    CHECK(l.reserved_shared_bytes_per_block() == row.reserved);
    CHECK(l.warp_size() == 32);
    CHECK(l.max_threads_per_block() == 1024);
    CHECK(l.registers_per_sm() == 65536);
    CHECK(l.max_registers_per_block() == 65536);
    CHECK(l.max_registers_per_thread() == 255);
    CHECK(l.register_allocation_unit() == 256);
    CHECK(l.warp_allocation_unit() == (row.cc == 60 ? 2 : 4));
    CHECK(l.max_cluster_blocks() == (row.cc == 90 ? 16 : 1));
  }
}

TEST_CASE("table B3 and the carve-outs: the L1 array of each capability (L102, OC15)") {
  const std::vector<std::pair<uint32_t, std::pair<uint32_t, std::vector<uint32_t>>>> table = {
      {60, {88, {64}}},   // 24 of L1 and 64 of shared memory, apart
      {61, {144, {96}}},  // 48 and 96
      {70, {128, {0, 8, 16, 32, 64, 96}}},
      {75, {96, {32, 64}}},
      {80, {192, {0, 8, 16, 32, 64, 100, 132, 164}}},
      {86, {128, {0, 8, 16, 32, 64, 100}}},
      {89, {128, {0, 8, 16, 32, 64, 100}}},
      {90, {256, {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}}},
  };
  for (const auto& [cc, array] : table) {
    CAPTURE(cc);
    const L1Cache l1 = of_capability(cc).sm().l1();
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
    uint32_t cc, half, fp32, fp64, mufu, add, mul, convert64;
  };
  // "half" counts FP16x2 instructions' threads, half of the table's operations.
  const Row table[] = {
      {60, 64, 64, 32, 16, 64, 64, 16}, {61, 1, 128, 4, 32, 128, 128, 4},   {70, 64, 64, 32, 16, 64, 64, 16},
      {75, 64, 64, 2, 16, 64, 64, 2},   {80, 128, 64, 32, 16, 64, 64, 16},  {86, 64, 128, 2, 16, 64, 64, 2},
      {89, 64, 128, 2, 16, 64, 64, 2},  {90, 128, 128, 64, 16, 64, 64, 16},
  };
  for (const Row& row : table) {
    CAPTURE(row.cc);
    const GpuConfig config = of_capability(row.cc);
    // From compute capability 9.0 on the compiler shares them out between FMA and the tensor pipe
    // (HFMA2.MMA).
    CHECK(threads_per_clock(config, "half") + (row.cc == 90 ? threads_per_clock(config, "half_mma") : 0) ==
          row.half);
    CHECK(threads_per_clock(config, "fp32") == row.fp32);
    CHECK(threads_per_clock(config, "fp64") == row.fp64);
    CHECK(threads_per_clock(config, "mufu") == row.mufu);
    CHECK(threads_per_clock(config, "alu") == row.add);
    CHECK(threads_per_clock(config, "imad") == row.mul);
    CHECK(threads_per_clock(config, "convert64") == row.convert64);
    CHECK(threads_per_clock(config, "bit_count") == row.mufu);
    CHECK(threads_per_clock(config, "vote") == 64);
  }
}

TEST_CASE("peak memory bandwidths are the products'") {
  const std::pair<const char*, double> gigabytes[] = {
      {"h200", 4814.3},    {"a100", 1555.2},       {"v100", 898.0},         {"rtx3090", 936.0},
      {"rtx4090", 1008.0}, {"p100", 732.2},        {"p4", 192.3},           {"t4", 320.0},
      {"l4", 300.0},       {"v100_pcie32", 898.0}, {"a100_pcie40", 1555.2}, {"a100_pcie80", 1935.4}};
  for (const auto& [gpu, expected] : gigabytes) {
    const GpuConfig c = load(gpu);
    CAPTURE(gpu);
    CHECK(c.clocks().dram_mhz() * c.dram().channels() * c.dram().bytes_per_cycle() / 1000 ==
          Approx(expected).epsilon(0.001));
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
  std::vector<GpuConfig> all;
  for (const std::string& gpu : gpu_names()) {
    all.push_back(load(gpu));
  }
  for (const GpuConfig& config : all) {
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
      CAPTURE(config.capability(), entry.path());
      CHECK(used.contains(entry.path()));
    }
  }
}

}  // namespace
}  // namespace heddle::config
