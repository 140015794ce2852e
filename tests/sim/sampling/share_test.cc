// A share of the machine: what it has, which blocks it runs, and what its result says of the whole.
#include "sim/sampling/share.h"

#include <catch2/catch.hpp>

#include "sim/sampling/simulate.h"
#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

using sampling::BlockShare;
using sampling::share_of;

std::vector<uint64_t> kept_blocks(Kernel& k, uint64_t clusters, uint32_t sms_per_tpc) {
  k.rewind();
  BlockShare share(k, clusters, sms_per_tpc);
  std::vector<uint64_t> out;
  for (isa::BlockTrace b; share.next(b);) {
    out.push_back(b.linear);
  }
  CHECK(share.image().shape.grid.count() == out.size());
  return out;
}

Kernel plain(uint32_t blocks) {
  Kernel k;
  k.add(alu(1).stall(11), 39);
  k.add(exit_op());
  k.blocks(blocks);
  return k;
}

TEST_CASE("a quarter of the SMs has a quarter of everything common") {
  spec::GpuConfig whole = test_gpu(32);  // GPCs of one TPC of two SMs
  whole.mutable_dram()->set_channels(4);
  whole.mutable_dram()->set_t_rrd(6);
  whole.mutable_l2()->set_max_dirty_bytes(4000);
  whole.mutable_l2()->set_max_partial_bytes(2000);
  whole.mutable_launch()->set_dirty_bytes(800);
  const spec::GpuConfig c = *share_of(whole, 8);
  CHECK(c.topology().sms() == 8);
  CHECK(c.topology().tpcs_per_gpc_size() == 4);
  CHECK(c.noc().gpc_request_bytes() == 32);  // the same GPCs, fewer
  CHECK(c.l2().slices() == 4);
  CHECK(c.l2().total_bytes() == 262144);
  CHECK(c.l2().slice_bytes_per_cycle() == 8);
  CHECK(c.l2().slice_write_bytes_per_cycle() == 8);
  CHECK(c.l2().slice_requests_per_cycle() == 0.25);
  CHECK(c.l2().atomic_interval() == 8);
  CHECK(c.l2().fabric_bytes() == 8);
  CHECK(c.l2().max_dirty_bytes() == 1000);
  CHECK(c.l2().max_partial_bytes() == 500);
  CHECK(c.l2().hit_latency() == whole.l2().hit_latency());
  CHECK(c.dram().channels() == 1);
  CHECK(c.dram().bytes_per_cycle() == 32);
  CHECK(c.dram().t_rrd() == 6);
  CHECK(c.launch().block_interval() == 4);
  CHECK(c.launch().dirty_bytes() == 200);
  CHECK(c.limits().max_warps_per_sm() == whole.limits().max_warps_per_sm());
}

TEST_CASE("GPCs are cut when one for each partition is too large") {
  spec::GpuConfig whole = test_gpu(32);
  whole.mutable_l2()->set_partitions(2);
  whole.mutable_topology()->clear_tpcs_per_gpc();
  whole.mutable_topology()->add_tpcs_per_gpc(8);
  whole.mutable_topology()->add_tpcs_per_gpc(8);
  const spec::GpuConfig c = *share_of(whole, 8);
  CHECK(c.topology().tpcs_per_gpc_size() == 2);
  CHECK(c.topology().tpcs_per_gpc(0) == 2);
  CHECK(c.topology().sms() == 8);
  CHECK(c.noc().gpc_request_bytes() == 8);
  CHECK(c.noc().gpc_response_bytes() == 8);
  CHECK(c.noc().tpc_request_bytes() == 32);
}

TEST_CASE("no share of a machine that is no larger") {
  CHECK_FALSE(share_of(test_gpu(8), 8));
  CHECK_FALSE(share_of(test_gpu(8), 100));
  CHECK(share_of(test_gpu(8), 7)->topology().sms() == 6);
  spec::GpuConfig uneven = test_gpu(12);
  uneven.mutable_topology()->clear_tpcs_per_gpc();
  uneven.mutable_topology()->add_tpcs_per_gpc(3);
  uneven.mutable_topology()->add_tpcs_per_gpc(2);
  uneven.mutable_topology()->add_tpcs_per_gpc(1);
  CHECK_FALSE(share_of(uneven, 12));
  CHECK(share_of(uneven, 11)->topology().sms() == 6);  // three GPCs of a TPC
}

TEST_CASE("DRAM channels divide the slices, and together keep the share's bandwidth") {
  spec::GpuConfig whole = test_gpu(32);
  whole.mutable_l2()->set_slices(12);
  whole.mutable_dram()->set_channels(12);
  whole.mutable_dram()->set_t_rrd(21);
  const spec::GpuConfig c = *share_of(whole, 14);  // 5.25 channels
  CHECK(c.dram().channels() == 6);
  CHECK(c.dram().bytes_per_cycle() == 32 * 5.25 / 6);
  CHECK(c.dram().t_rrd() == 24);  // 6 channels open as many rows as 5.25 do
}

TEST_CASE("blocks in proportion to SMs, rounded") {
  CHECK(sampling::clusters_of_share(264, 32, 132) == 64);
  CHECK(sampling::clusters_of_share(256, 32, 132) == 62);
  CHECK(sampling::clusters_of_share(100, 32, 132) == 24);
  CHECK(sampling::clusters_of_share(1, 32, 132) == 0);
}

TEST_CASE("the blocks kept come in pairs from all of the grid") {
  Kernel k = plain(16);
  CHECK(kept_blocks(k, 4, 2) == std::vector<uint64_t>{6, 7, 14, 15});
  CHECK(kept_blocks(k, 3, 2) == std::vector<uint64_t>{6, 7, 14});
  CHECK(kept_blocks(k, 4, 1) == std::vector<uint64_t>{3, 7, 11, 15});
  CHECK(kept_blocks(k, 16, 2).size() == 16);
  Kernel odd = plain(15);
  CHECK(kept_blocks(odd, 4, 2) == std::vector<uint64_t>{6, 7, 12, 13});
}

TEST_CASE("clusters are kept whole") {
  Kernel k = plain(16);
  k.shape().cluster = {4, 1, 1};
  CHECK(kept_blocks(k, 2, 2) == std::vector<uint64_t>{4, 5, 6, 7, 12, 13, 14, 15});
}

TEST_CASE("blocks that do not meet take as long on the share; their counts are those of the whole grid") {
  spec::GpuConfig g = test_gpu(32);
  g.mutable_launch()->set_block_interval(0);
  Kernel k = plain(64);
  const Outcome whole = run(g, k);
  g.mutable_share()->set_sms(8);
  k.rewind();
  const stats::KernelResult r = sampling::simulate(g, k);
  CHECK(r.cycles == whole.result.cycles);
  CHECK(r.sm_active_cycles_sum == whole.result.sm_active_cycles_sum);
  CHECK(r.sms == 32);
  CHECK(r.shape.grid.count() == 64);
  CHECK(r.occupancy.waves_per_sm == whole.result.occupancy.waves_per_sm);
  CHECK(r.totals.stall == whole.result.totals.stall);
  for (Counter c : {Counter::kInstExecuted, Counter::kThreadInstExecuted, Counter::kThreadInstPredOn,
                    Counter::kIssueActive, Counter::kBlocksLaunched, Counter::kPipeAlu}) {
    CHECK(r.totals[c] == whole[c]);
  }
  CHECK(r.sampling.requested);
  CHECK(r.sampling.detailed_sms == 8);
  CHECK(r.sampling.total_sms == 32);
  CHECK(r.sampling.detailed_blocks == 16);
  CHECK(r.sampling.total_blocks == 64);
  const auto bound = static_cast<uint64_t>(std::ceil(0.09 * static_cast<double>(r.cycles)));
  CHECK(r.sampling.cycles_low == r.cycles - bound);
  CHECK(r.sampling.cycles_high == r.cycles + bound);
}

TEST_CASE("a stream from DRAM keeps its bandwidth, an atomic on one word its delay") {
  spec::GpuConfig g = test_gpu(32);
  g.mutable_topology()->clear_tpcs_per_gpc();
  g.mutable_topology()->add_tpcs_per_gpc(16);
  Kernel stream;
  stream.add(ldg(1).at(0, 4).per_block(4096).per_warp(128).writes_barrier(0), 8);
  stream.add(alu(2, {1}).waits(0b1));
  stream.add(exit_op());
  stream.blocks(512).warps(8);
  Kernel hot;
  hot.add(red().at(0x1000, 0), 4);
  hot.add(exit_op());
  hot.blocks(512).warps(4);
  for (Kernel* k : {&stream, &hot}) {
    const double whole = static_cast<double>(run(g, *k).result.cycles);
    spec::GpuConfig part = g;
    part.mutable_share()->set_sms(8);
    k->rewind();
    const stats::KernelResult r = sampling::simulate(part, *k);
    CHECK(r.sampling.detailed_sms == 8);
    CHECK(static_cast<double>(r.cycles) == Approx(whole).epsilon(0.05));
  }
}

TEST_CASE("small grids are simulated on the whole machine") {
  spec::GpuConfig g = test_gpu(32);
  g.mutable_share()->set_sms(8);
  Kernel k = plain(61);  // 15 on the share
  CHECK(sampling::simulate(g, k).sampling.requested == false);
  Kernel enough = plain(62);
  CHECK(sampling::simulate(g, enough).sampling.detailed_blocks == 16);
}

TEST_CASE("no profile of a share") {
  spec::GpuConfig g = test_gpu(32);
  g.mutable_share()->set_sms(8);
  Kernel k = plain(64);
  device::RunOptions o;
  o.profile.instructions = true;
  CHECK_THROWS_WITH(sampling::simulate(g, k, o), Catch::Contains("a profile needs every block"));
}

TEST_CASE("sampling uses a share for grids of four waves, and leaves out waves on it") {
  spec::GpuConfig g = test_gpu(64);
  Kernel k = plain(64 * 2 * 40);
  k.shape().dynamic_shared_bytes = 100000;  // two blocks on an SM
  const stats::KernelResult r = sampling::simulate(g, k, {}, true);
  CHECK(r.sampling.detailed_sms == 32);
  CHECK(r.sampling.total_blocks == 5120);
  CHECK(r.sampling.detailed_blocks < 1000);
  CHECK(r.totals[Counter::kInstExecuted] == 5120 * 40);
  CHECK(r.totals[Counter::kPipeAlu] == 5120 * 39);
  k.rewind();
  const double whole = static_cast<double>(run(g, k).result.cycles);
  CHECK(static_cast<double>(r.cycles) == Approx(whole).epsilon(0.03));
  CHECK(static_cast<double>(r.sampling.cycles_low) <= whole);
  CHECK(static_cast<double>(r.sampling.cycles_high) >= whole);
  Kernel few = plain(64 * 2 * 3);
  few.shape().dynamic_shared_bytes = 100000;
  const stats::KernelResult all = sampling::simulate(g, few, {}, true);
  CHECK_FALSE(all.sampling.sampled());
  CHECK(all.sampling.reason == "fewer than 4 waves of blocks");
}

}  // namespace
}  // namespace heddle::simtest
