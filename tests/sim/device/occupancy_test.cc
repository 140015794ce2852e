// Residency of a launch (cuda-model OC01-OC15) with the limits of compute capability 9.0, and what Nsight
// Compute says of it on an H200.
#include "sim/device/occupancy.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

using device::occupancy;

isa::LaunchShape shape(uint32_t threads, uint32_t registers, uint32_t shared = 0, uint32_t blocks = 1) {
  isa::LaunchShape s;
  s.block = {threads, 1, 1};
  s.grid = {blocks, 1, 1};
  s.registers_per_thread = registers;
  s.dynamic_shared_bytes = shared;
  return s;
}

// Every launch shape of hw/h200/suite.csv: launch__occupancy_limit_*, launch__shared_mem_config_size,
// sm__maximum_warps_per_active_cycle_pct (without its fraction).
struct Measured {
  const char* kernel;
  uint32_t threads, registers, shared;
  uint32_t limit_blocks, limit_registers, limit_shared, limit_warps, carveout, percent;
};
const Measured kH200[] = {
    {"vecadd", 256, 16, 0, 32, 16, 32, 8, 32768, 100},
    {"saxpy4", 256, 22, 0, 32, 10, 32, 8, 32768, 100},
    {"stride2", 256, 18, 0, 32, 10, 32, 8, 32768, 100},
    {"transpose_naive", 256, 20, 0, 32, 10, 32, 8, 32768, 100},
    {"transpose_smem", 256, 28, 4096, 32, 8, 20, 8, 102400, 100},
    {"transpose_pad", 256, 28, 4224, 32, 8, 19, 8, 102400, 100},
    {"reduce_shfl", 256, 16, 128, 32, 16, 28, 8, 32768, 100},
    {"reduce_interleaved", 256, 16, 1024, 32, 16, 16, 8, 32768, 100},
    {"scan_block", 512, 16, 4096, 32, 8, 12, 4, 65536, 100},
    {"gemm_naive", 256, 32, 0, 32, 8, 32, 8, 32768, 100},
    {"gemm_tiled16", 256, 32, 2048, 32, 8, 21, 8, 65536, 100},
    {"gemm_tiled32", 1024, 32, 8192, 32, 2, 3, 2, 32768, 100},
    {"gemm_reg", 256, 63, 8192, 32, 4, 11, 8, 102400, 50},
    {"gemm_wmma", 128, 40, 0, 32, 12, 32, 16, 32768, 75},
    {"gemm_mma", 128, 64, 20480, 32, 8, 9, 16, 200704, 50},
    {"dgemm", 256, 32, 4096, 32, 8, 20, 8, 102400, 100},
    {"spmv_scalar", 128, 32, 0, 32, 16, 32, 16, 32768, 100},
    {"bitonic", 512, 40, 4096, 32, 3, 6, 4, 32768, 75},
    {"blackscholes", 256, 27, 0, 32, 8, 32, 8, 32768, 100},
    {"mandelbrot", 256, 17, 0, 32, 10, 32, 8, 32768, 100},
    {"softmax", 256, 24, 128, 32, 10, 28, 8, 32768, 100},
    {"layernorm", 128, 28, 64, 32, 16, 28, 16, 32768, 100},
    {"fft", 256, 25, 4096, 32, 8, 20, 8, 102400, 100},
    {"chase_l1", 1, 22, 0, 32, 84, 32, 64, 32768, 50},
    {"bank1", 256, 16, 4224, 32, 16, 19, 8, 102400, 100},
    {"l1_hit", 512, 18, 0, 32, 5, 16, 4, 16384, 100},
    {"dram_stream", 1024, 18, 0, 32, 2, 8, 2, 8192, 100},
    {"local", 256, 30, 0, 32, 8, 32, 8, 32768, 100},
    {"barrier", 512, 16, 0, 32, 8, 16, 4, 16384, 100},
    {"ffma1", 128, 16, 0, 32, 32, 32, 16, 32768, 100},
    {"ffma8", 512, 24, 0, 32, 5, 16, 4, 16384, 100},
    {"cluster_dsm", 256, 16, 256, 32, 16, 25, 8, 32768, 100},
    {"bulk_copy", 128, 16, 16400, 32, 32, 13, 16, 233472, 81},
    {"wgmma", 128, 58, 4096, 32, 8, 20, 16, 102400, 50},
};

TEST_CASE("OC01, OC13, OC15: limits and carve-outs as measured") {
  spec::GpuConfig g = test_gpu();
  for (const Measured& m : kH200) {
    stats::Occupancy o = occupancy(g, shape(m.threads, m.registers, m.shared));
    CAPTURE(m.kernel);
    CHECK(o.limit_blocks == m.limit_blocks);
    CHECK(o.limit_registers == m.limit_registers);
    CHECK(o.limit_shared == m.limit_shared);
    CHECK(o.limit_warps == m.limit_warps);
    CHECK(o.shared_carveout_bytes == m.carveout);
    CHECK(static_cast<uint32_t>(o.theoretical_pct) == m.percent);
    CHECK(o.blocks_per_sm == std::min({m.limit_blocks, m.limit_registers, m.limit_shared, m.limit_warps}));
    CHECK(o.l1_bytes == 262144 - m.carveout);
  }
}

TEST_CASE("OC03: the register cliff") {
  // 512 threads: 64 registers x 512 = 32768, two blocks; one register more is rounded to 72, and one block
  // fits.
  spec::GpuConfig g = test_gpu();
  stats::Occupancy two = occupancy(g, shape(512, 64));
  CHECK(two.blocks_per_sm == 2);
  CHECK(two.warps_per_sm == 32);
  CHECK(two.theoretical_pct == 50);
  stats::Occupancy one = occupancy(g, shape(512, 65));
  CHECK(one.blocks_per_sm == 1);
  CHECK(one.warps_per_sm == 16);
}

TEST_CASE("OC13: registers come in units of 256 a warp, so 8 a thread") {
  spec::GpuConfig g = test_gpu();
  for (uint32_t r = 33; r <= 40; ++r) {
    CHECK(occupancy(g, shape(128, r)).limit_registers == occupancy(g, shape(128, 40)).limit_registers);
  }
  CHECK(occupancy(g, shape(128, 41)).limit_registers < occupancy(g, shape(128, 40)).limit_registers);
}

TEST_CASE("registers belong to a sub-core: whole warps fit in a quarter of the file") {
  // 255 registers: 8192 a warp, 2 in 16384, 8 on the SM.
  CHECK(occupancy(test_gpu(), shape(32, 255)).limit_registers == 8);
  // 96 registers: 3072 a warp, 5 in 16384 (not 21 / 4 on the whole file).
  CHECK(occupancy(test_gpu(), shape(32, 96)).limit_registers == 20);
}

TEST_CASE("OC01: each limit can be the smallest") {
  spec::GpuConfig g = test_gpu();
  CHECK(occupancy(g, shape(32, 16)).blocks_per_sm == 32);         // block slots
  CHECK(occupancy(g, shape(1024, 16)).blocks_per_sm == 2);        // warp slots
  CHECK(occupancy(g, shape(256, 128)).blocks_per_sm == 2);        // registers
  CHECK(occupancy(g, shape(32, 16, 100000)).blocks_per_sm == 2);  // shared memory
}

TEST_CASE(
    "OC06, OC13: shared memory is static plus dynamic, rounded to 128 bytes, and 1 KiB reserved for each "
    "block") {
  isa::LaunchShape s = shape(128, 16, 1000);
  s.static_shared_bytes = 30;
  CHECK(occupancy(test_gpu(), s).shared_bytes_per_block == 1152 + 1024);
  CHECK(occupancy(test_gpu(), shape(128, 16)).shared_bytes_per_block == 1024);
}

TEST_CASE("OC14: threads count in whole warps") {
  CHECK(occupancy(test_gpu(), shape(33, 16)).limit_warps == 32);
  CHECK(occupancy(test_gpu(), shape(32, 16)).limit_warps == 64);
}

TEST_CASE("OC15: a carve-out that the program asks for is rounded up to a legal one") {
  spec::GpuConfig g = test_gpu();
  isa::LaunchShape s = shape(128, 16);
  s.carveout_percent = 0;
  CHECK(occupancy(g, s).shared_carveout_bytes == 8192);  // room for one block's reserved part
  s.carveout_percent = 50;                               // of 233472: 116736
  CHECK(occupancy(g, s).shared_carveout_bytes == 135168);
  s.carveout_percent = 100;
  CHECK(occupancy(g, s).shared_carveout_bytes == 233472);
  CHECK(occupancy(g, s).l1_bytes == 262144 - 233472);
}

TEST_CASE("waves: blocks over what fits on the device") {
  spec::GpuConfig g = test_gpu(4);
  CHECK(occupancy(g, shape(1024, 16, 0, 16)).waves_per_sm == Approx(2));
  CHECK(occupancy(g, shape(1024, 16, 0, 1)).waves_per_sm == Approx(1.0 / 8));
}

TEST_CASE("OC02: a launch that does not fit is refused, with the resource and its limit") {
  spec::GpuConfig g = test_gpu();
  using Catch::Contains;
  CHECK_THROWS_WITH(occupancy(g, shape(1025, 16)), Contains("threads per block") && Contains("1024"));
  CHECK_THROWS_WITH(occupancy(g, shape(128, 256)), Contains("registers per thread") && Contains("255"));
  CHECK_THROWS_WITH(occupancy(g, shape(1024, 65)), Contains("registers per block") && Contains("65536"));
  CHECK_THROWS_WITH(occupancy(g, shape(128, 16, 232449)), Contains("shared memory") && Contains("232448"));
  CHECK_NOTHROW(occupancy(g, shape(1024, 64)));
  CHECK_NOTHROW(occupancy(g, shape(128, 16, 232448)));
  isa::LaunchShape cluster = shape(32, 16, 0, 16);
  cluster.cluster = {9, 1, 1};
  CHECK_THROWS_WITH(occupancy(g, cluster), Contains("cluster") && Contains("8"));
  CHECK_THROWS_WITH(occupancy(g, shape(0, 16)), Contains("empty launch"));
  CHECK_THROWS_WITH(occupancy(g, shape(32, 16, 0, 0)), Contains("empty launch"));
}

TEST_CASE("a kernel without registers still needs some") {
  CHECK(occupancy(test_gpu(), shape(128, 0)).blocks_per_sm > 0);
}

}  // namespace
}  // namespace heddle::simtest
