// Clusters in GPCs, launch attributes and their errors, the split of the L1 array: cuda-model A1, A3.
#include <catch2/catch.hpp>

#include "sim/host/kernels/resources.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using workload::Builder;
using workload::LaunchAttributes;
using workload::Stream;

// GPCs of so many SMs each.
spec::GpuConfig gpu_of(const std::vector<uint32_t>& gpcs) {
  uint32_t sms = 0;
  for (const uint32_t n : gpcs) {
    sms += n;
  }
  spec::GpuConfig g = plain_gpu(sms);
  g.mutable_limits()->set_max_cluster_blocks(16);
  g.mutable_topology()->clear_tpcs_per_gpc();
  for (const uint32_t n : gpcs) {
    g.mutable_topology()->add_tpcs_per_gpc(n);
  }
  return g;
}

// Two blocks of 1024 threads fill an SM; 10 us each.
host::KernelDesc clustered(uint32_t blocks, uint32_t cluster) {
  host::KernelDesc k;
  k.name = std::string("k");
  k.has_grid = true;
  k.grid.x = blocks;
  k.cluster.x = cluster;
  k.block.x = 1024;
  k.block_duration = host::from_us(10);
  return k;
}

double end_of(const host::KernelDesc& k, const spec::GpuConfig& g) {
  Builder w;
  w.thread("main").launch(w.kernel(k), w.stream("s", true));
  const host::Result r = host::run(w.program(), g);
  CHECK(r.errors.empty());
  return us(r.end);
}

TEST_CASE("PM17 OC09: active clusters are whole ones of each GPC") {
  const host::Params p(gpu_of({3, 2}));  // 6 and 4 blocks of 1024 threads
  CHECK(host::max_active_clusters(clustered(8, 4), 4, p) == 2);
  CHECK(host::max_active_clusters(clustered(8, 2), 2, p) == 5);
  CHECK(host::max_active_clusters(clustered(8, 8), 8, p) == 0);
  CHECK(host::max_potential_cluster(clustered(8, 1), p) == 6);
  host::KernelDesc small = clustered(8, 1);
  small.block.x = 128;
  CHECK(host::max_potential_cluster(small, p) == 8);  // what is portable
  small.non_portable_cluster = true;
  CHECK(host::max_potential_cluster(small, p) == 16);
}

// cudaOccupancyMaxActiveClusters on an H200: tools/microbench/FINDINGS.md 25.
TEST_CASE("PM17: clusters larger than a TPC do not go to singleton TPCs") {
  spec::GpuConfig g = gpu_of({16, 16, 16, 18, 16, 16, 16, 18});
  spec::Topology& t = *g.mutable_topology();
  t.set_sms_per_tpc(2);
  for (int i = 0; i < t.tpcs_per_gpc_size(); ++i) {
    t.set_tpcs_per_gpc(i, t.tpcs_per_gpc(i) / 2);
  }
  t.set_singleton_tpcs(4);
  const host::Params p(g);
  host::KernelDesc k = clustered(1, 1);
  k.block.x = 512;
  k.dynamic_shared_bytes = 220 * 1024;
  for (const auto& [size, clusters] :
       std::vector<std::pair<uint32_t, uint32_t>>{{2, 66}, {4, 30}, {8, 15}, {16, 7}}) {
    CAPTURE(size);
    CHECK(host::max_active_clusters(k, size, p) == clusters);
  }
  k.dynamic_shared_bytes = 100 * 1024;
  for (const auto& [size, clusters] :
       std::vector<std::pair<uint32_t, uint32_t>>{{2, 132}, {4, 62}, {8, 30}}) {
    CAPTURE(size);
    CHECK(host::max_active_clusters(k, size, p) == clusters);
  }
}

TEST_CASE("PM10: a cluster runs in one GPC, all its blocks at once") {
  // Ten places: without clusters ten blocks at once, in clusters of four eight.
  const spec::GpuConfig g = gpu_of({3, 2});
  CHECK(end_of(clustered(10, 1), g) == 10);
  CHECK(end_of(clustered(8, 4), g) == 10);
  CHECK(end_of(clustered(12, 4), g) == 20);
  CHECK(end_of(clustered(12, 2), g) == 20);
  CHECK(end_of(clustered(10, 2), g) == 10);
}

TEST_CASE("PM10: the places that another kernel leaves do not make a cluster across GPCs") {
  Builder w;
  const Stream x = w.stream("x", true), y = w.stream("y", true);
  // Five blocks, one on each SM, leave room for three and two.
  w.thread("main")
      .launch(w.kernel_blocks("a", 5, 1024, 10), x)
      .launch(w.kernel(clustered(4, 4)), y)
      .launch(w.kernel_blocks("c", 1, 1024, 10), x);
  const host::Result r = host::run(w.program(), gpu_of({3, 2}));
  CHECK(in_stream(r, "y", "k").start == 10);
  CHECK(in_stream(r, "y", "k").end == 20);
}

TEST_CASE("PM10: a cluster's blocks start one interval apart") {
  spec::GpuConfig g = gpu_of({4});
  g.mutable_launch()->set_block_interval(100);  // 0.1 us
  CHECK(end_of(clustered(8, 4), g) == Approx(10.7));
}

// What the launch of k with these attributes returns.
std::string launch_error(const host::KernelDesc& k, const LaunchAttributes& a = {},
                         const spec::GpuConfig& g = gpu_of({3, 2})) {
  Builder w;
  w.thread("main").launch(w.kernel(k), {}, a);
  const host::Result r = host::run(w.program(), g);
  return r.errors.empty() ? "cudaSuccess" : r.errors[0].error;
}

TEST_CASE("PM11: more than eight blocks only where non-portable sizes are allowed") {
  host::KernelDesc k = clustered(12, 12);
  k.block.x = 128;
  CHECK(launch_error(k) == "cudaErrorInvalidClusterSize");
  k.non_portable_cluster = true;
  CHECK(launch_error(k) == "cudaSuccess");
  k.cluster.x = k.grid.x = 17;
  CHECK(launch_error(k) == "cudaErrorInvalidClusterSize");
}

TEST_CASE("PM11: a cluster that no GPC has room for") {
  CHECK(launch_error(clustered(8, 8)) == "cudaErrorLaunchOutOfResources");
  CHECK(launch_error(clustered(6, 6)) == "cudaSuccess");
}

TEST_CASE("PM13: a launch cannot change a cluster given at compile time") {
  CHECK(launch_error(clustered(8, 4), {.cluster = host::Extent{2}}) == "cudaErrorInvalidClusterSize");
  CHECK(launch_error(clustered(8, 4), {.cluster = host::Extent{4}}) == "cudaSuccess");
  CHECK(launch_error(clustered(8, 1), {.cluster = host::Extent{2}}) == "cudaSuccess");
  CHECK(launch_error(clustered(8, 1), {.cluster = host::Extent{3}}) == "cudaErrorInvalidClusterSize");
}

TEST_CASE("PM13: the launch's cluster is the one that runs") {
  Builder w;
  w.thread("main").launch(w.kernel(clustered(12, 1)), {}, {.cluster = host::Extent{4}});
  CHECK(us(host::run(w.program(), gpu_of({3, 3})).end) == 20);  // three clusters: one in each GPC at a time
}

TEST_CASE("PM14: the empty form needs the launch's dimensions") {
  host::KernelDesc k = clustered(8, 1);
  k.needs_cluster = true;
  CHECK(launch_error(k) == "cudaErrorInvalidClusterSize");
  CHECK(launch_error(k, {.cluster = host::Extent{2}}) == "cudaSuccess");
}

TEST_CASE("OC10: launch bounds limit the cluster") {
  host::KernelDesc k = clustered(8, 4);
  k.max_cluster_blocks = 2;
  CHECK(launch_error(k) == "cudaErrorInvalidClusterSize");
  k.max_cluster_blocks = 4;
  CHECK(launch_error(k) == "cudaSuccess");
}

TEST_CASE("PM18: a cooperative grid of clusters is resident as whole clusters") {
  host::KernelDesc k = clustered(10, 2);
  k.cooperative = true;
  CHECK(launch_error(k) == "cudaSuccess");
  k.grid.x = 12;
  k.cluster.x = 4;
  CHECK(launch_error(k) == "cudaErrorCooperativeLaunchTooLarge");
}

TEST_CASE("PM29: parameters beyond 32764 bytes, 4096 before Volta") {
  host::KernelDesc k = clustered(8, 1);
  k.parameter_bytes = 32764;
  CHECK(launch_error(k) == "cudaSuccess");
  spec::GpuConfig old = gpu_of({3, 2});
  old.mutable_limits()->set_compute_capability(61);
  CHECK(launch_error(k, {}, old) == "cudaErrorInvalidValue");
  k.parameter_bytes = 32765;
  CHECK(launch_error(k) == "cudaErrorInvalidValue");
}

// Two kernels of 10 us in two streams that ask for these shares of the L1 array.
double switching(int32_t first, int32_t second, bool guide_12_4) {
  Builder w;
  host::KernelDesc a = clustered(1, 1), b = clustered(1, 1);
  a.carveout_percent = first;
  b.carveout_percent = second;
  w.thread("main").launch(w.kernel(a), w.stream("x", true)).launch(w.kernel(b), w.stream("y", true));
  host::Rules rules;
  rules.implicit_sync_12_4 = guide_12_4;
  spec::GpuConfig g = plain_gpu(2);
  g.mutable_sm()->mutable_l1()->clear_carveout_bytes();
  for (const uint32_t kb : {0, 64, 132, 228}) {
    g.mutable_sm()->mutable_l1()->add_carveout_bytes(kb * 1024);
  }
  return us(host::run(w.program(), g, {rules, true}).end);
}

TEST_CASE("OC16: by guide 12.4 another split of the L1 array keeps kernels apart") {
  CHECK(switching(25, 75, true) == 20);
  CHECK(switching(25, 75, false) == 10);
  CHECK(switching(25, 25, true) == 10);
  CHECK(switching(30, 50, true) == 10);  // both are rounded up to 132 KB (OC15)
  CHECK(switching(25, -1, true) == 10);  // the second has no wish
}

TEST_CASE("PM18 PM10: a singleton TPC has no room for a cooperative grid's clusters") {
  spec::GpuConfig g = gpu_of({4});
  g.mutable_topology()->set_singleton_tpcs(1);  // the first SM
  Builder w;
  host::KernelDesc before = clustered(4, 1), k = clustered(4, 2);
  before.name = "before";
  before.block_duration = host::from_us(20);
  k.cooperative = true;
  // One block of 1024 threads on each SM leaves room for one: three on those that take clusters.
  w.thread("main").launch(w.kernel(before), w.stream("s", true)).launch(w.kernel(k), w.stream("t", true));
  const host::Result r = host::run(w.program(), g);
  CHECK(r.errors.empty());
  CHECK(in_stream(r, "t", "k").start == 20);
  CHECK(in_stream(r, "t", "k").end == 30);
}

}  // namespace
}  // namespace heddle::hosttest
