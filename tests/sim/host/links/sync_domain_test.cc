// What waits for kernels' traffic over links: copies in one queue with it, and the ends of other kernels,
// within their memory synchronisation domain. The test link moves 8 bytes per nanosecond; see
// kernel_traffic_test.cc.
#include "sim/host/program/sync_domain.h"

#include <catch2/catch.hpp>

#include "frontends/workload/builder.h"
#include "frontends/workload/graph_builder.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using namespace workload;

constexpr uint64_t kBytes = 128000;    // in 1000 lines
constexpr uint64_t kCopied = 1024000;  // in 4000 packets
constexpr host::SyncDomain kDefault{0, -1, -1}, kRemote{1, -1, -1};
// Of the bytes that a direction of the link passes for one of payload: stores by lines; copies by packets of
// 256 and, the other way, their requests.
constexpr double kStores = 152 / 128.0, kCopies = 276 / 256.0, kRequests = 24 / 256.0,
                 kLink = 8000;  // per us

// Copy engines have 1000 bytes under way, stores of one SM 3000, of four 4800: 1 / (1 / 24000 + 1 / 6000).
spec::GpuConfig one_queue() {
  spec::GpuConfig g = plain_gpu();
  g.mutable_host()->mutable_link()->set_engine_bytes(1000);
  g.mutable_host()->mutable_link()->set_posted_bytes_per_sm(6000);
  g.mutable_host()->mutable_link()->set_posted_bytes(6000);
  g.mutable_host()->mutable_link()->set_access_ns(1000);
  return g;
}

// Kernels' ends wait for loads 1.5 times as long as those take, 0.1 us within a graph; for stores that the
// link holds up: 3000 bytes of one SM, 4000 of two.
spec::GpuConfig flushing() {
  spec::GpuConfig g = one_queue();
  spec::HostLink& l = *g.mutable_host()->mutable_link();
  l.set_flush_scale(1.5);
  l.set_flush_loads_ns(100);
  l.set_flush_bytes_per_sm(6000);
  l.set_flush_bytes(6000);
  l.set_flush_share(0.25);
  return g;
}

Buffer mapped(Builder& w, const std::string& name = "m") {
  return w.buffer(name, host::Memory::kMapped, kBytes);
}

Kernel traffic(Builder& w, uint32_t blocks, const host::Access& a) {
  const Kernel k = w.kernel_blocks("traffic", blocks, 128, 0);
  w.program().kernels[k.id].accesses = {a};
  return k;
}

// A kernel of 5 us in a stream of its own beside one that always has 2048 bytes of loads, 1 us of them, or
// 3000 bytes of stores under way. When it ends.
struct Beside {
  bool stores = false;
  uint32_t blocks = 1;
  double store_gb_per_s = 0;  // of an SM
  LaunchAttributes noise = {}, kernel = {};
  host::SyncDomain stream = {};
  bool graph = false, captured = false;
  uint32_t capability = 90;
};

host::Result run(const Beside& b) {
  Builder w;
  spec::GpuConfig g = flushing();
  g.mutable_host()->mutable_link()->set_store_sm_gb_per_s(b.store_gb_per_s);
  g.mutable_limits()->set_compute_capability(b.capability);
  const Buffer m = mapped(w);
  const auto s = w.stream("s", true), t = w.stream("t", true);
  w.program().streams[t.id].domain = b.stream;
  auto& main = w.thread("main");
  main.launch(traffic(w, b.blocks, b.stores ? writes(m) : by_threads(reads(m), 16)), s, b.noise);
  const Kernel k = w.kernel_us("k", 5);
  if (b.graph || b.captured) {
    const Graph graph = add_graph(w, "g");
    const GraphExec x = add_graph_exec(w, "x");
    if (b.captured) {  // into another stream than it was captured from
      main.streamBeginCapture(t).launch(k, t, b.kernel).streamEndCapture(t, graph);
    } else {
      const Node n = kernel_node(w, graph, k);
      w.program().graphs[graph.id].nodes[n.id].domain = b.kernel.domain;
    }
    main.graphInstantiate(x, graph).graphLaunch(x, b.captured ? w.stream("u", true) : t);
  } else {
    main.launch(k, t, b.kernel);
  }
  return host::run(w.program(), g);
}

double end_of(const Beside& b) {
  const host::Result r = run(b);
  CHECK(errors(r).empty());
  for (const char* stream : {"t", "u"}) {
    if (const Times t = in_stream(r, stream, "k"); t.end >= 0) {
      return t.end;
    }
  }
  return -1;
}

LaunchAttributes in(host::SyncDomain d) { return {.domain = d}; }

constexpr double kStoresTime = 3000 * kStores / kLink;

}  // namespace

TEST_CASE(
    "HM04: copies wait in one queue with kernels' accesses that the link holds up, whatever their "
    "direction") {
  Builder w;
  const Buffer m = mapped(w), host = w.pinned("h", kCopied), dev = w.device("d", kCopied);
  const auto s = w.stream("s", true), t = w.stream("t", true);
  auto& main = w.thread("main");
  SECTION("stores beside a copy to the device: three to one") {
    main.launch(traffic(w, 1, writes(m)), s).memcpyAsync(dev, host, t);
    const host::Result r = host::run(w.program(), one_queue());
    const double copy = kLink / (3 * kStores + kRequests);  // up is full
    const double length = kBytes / (3 * copy);
    CHECK(in_stream(r, "s", "traffic").end == Approx(length));
    CHECK(in_stream(r, "t", "copy H2D").end == Approx(length + (kCopied - copy * length) * kCopies / kLink));
  }
  SECTION("four SMs' stores: 4.8 to one") {
    main.launch(traffic(w, 4, writes(m)), s).memcpyAsync(dev, host, t);
    const host::Result r = host::run(w.program(), one_queue());
    CHECK(in_stream(r, "s", "traffic").end == Approx(kBytes * (4.8 * kStores + kRequests) / kLink / 4.8));
  }
  SECTION("with equal shares directions do not hold each other up") {
    spec::GpuConfig g = one_queue();
    g.mutable_host()->mutable_link()->set_engine_bytes(0);
    main.launch(traffic(w, 1, writes(m)), s).memcpyAsync(dev, host, t);
    const host::Result r = host::run(w.program(), g);
    const double each = kLink / (kStores + kRequests);  // up is shared
    CHECK(in_stream(r, "s", "traffic").end == Approx(kBytes / each));
    CHECK(in_stream(r, "t", "copy H2D").end == Approx(kBytes / each + (kCopied - kBytes) * kCopies / kLink));
  }
  SECTION("loads by few threads are not held up, and hold nothing up") {
    main.launch(traffic(w, 1, by_threads(reads(m), 4)), s).memcpyAsync(host, dev, t);
    const host::Result r = host::run(w.program(), one_queue());
    CHECK(in_stream(r, "s", "traffic").end == Approx(kBytes / 512.0));  // 512 bytes in 1 us
    // Up go a request of 24 bytes for each line, and the copy.
    const double length = kCopied * (280 / 256.0) / (kLink - 512 * 24 / 128.0);
    CHECK(in_stream(r, "t", "copy D2H").end == Approx(length));
  }
}

TEST_CASE("MD01: a kernel's end waits for what other kernels of its domain have under way over links") {
  CHECK(end_of({}) == Approx(5 + 1.5));
  // The queue, and what tells the stream's next kernel passes the part of it that all domains share.
  CHECK(end_of({.stores = true}) == Approx(5 + 1.25 * kStoresTime));
}

TEST_CASE("MD01: stores that the link does not hold up fill no queue") {
  CHECK(end_of({.stores = true, .store_gb_per_s = 4}) == Approx(5));  // the link takes 6.7
  CHECK(end_of({.stores = true, .blocks = 2, .store_gb_per_s = 4}) ==
        Approx(5 + 1.25 * kStoresTime * 4000 / 3000));
  const host::Result r = run({.stores = true, .store_gb_per_s = 4});
  CHECK(in_stream(r, "s", "traffic").end == Approx(kBytes / 4000.0));
}

TEST_CASE("MD01: within a graph a kernel's end waits for stores only, as on the H200") {
  CHECK(end_of({.graph = true}) == Approx(5.1));
  CHECK(end_of({.stores = true, .graph = true}) == Approx(5 + kStoresTime));
}

TEST_CASE("MD03: of another domain's stores an end waits for the part that all share") {
  CHECK(end_of({.stores = true, .kernel = in(kRemote)}) == Approx(5 + 2 * 0.25 * kStoresTime));
  CHECK(end_of({.stores = true, .kernel = in(kRemote), .graph = true}) == Approx(5 + 0.25 * kStoresTime));
  CHECK(end_of({.kernel = in(kRemote), .graph = true}) == Approx(5.1));
}

TEST_CASE("MD03: not for loads of another domain; before compute capability 9.0 there is one") {
  CHECK(end_of({.noise = in(kRemote)}) == Approx(5));
  CHECK(end_of({.kernel = in(kRemote)}) == Approx(5));
  CHECK(end_of({.noise = in(kRemote), .kernel = in(kRemote)}) == Approx(6.5));
  CHECK(end_of({.kernel = in(kRemote), .capability = 80}) == Approx(6.5));
  CHECK(host::SyncDomain::count(90) == 4);
  CHECK(host::SyncDomain::count(89) == 1);
}

TEST_CASE("MD03: stores of its own wait for all that was there before, of any domain") {
  Builder w;
  spec::GpuConfig g = flushing();
  g.mutable_limits()->set_compute_capability(90);
  const Buffer m = mapped(w), flag = w.buffer("flag", host::Memory::kMapped, 128);
  const auto s = w.stream("s", true), t = w.stream("t", true);
  auto& main = w.thread("main");
  main.launch(traffic(w, 1, by_threads(reads(m), 16)), s);
  main.launch(traffic(w, 1, writes(flag)), t, in(kRemote));
  const host::Result r = host::run(w.program(), g);
  CHECK(in_stream(r, "t", "traffic").end == Approx(128 * kStores / kLink + 1).epsilon(1e-3));
}

TEST_CASE("MD05: domains are attributes of streams and launches, and a map makes them the device's") {
  CHECK(end_of({.stream = kRemote}) == Approx(5));
  CHECK(end_of({.kernel = in(kDefault), .stream = kRemote}) == Approx(6.5));  // the launch's goes first
  CHECK(end_of({.kernel = in({1, -1, 0})}) == Approx(6.5));                   // remote is 0 here
  CHECK(end_of({.kernel = in({-1, 3, -1})}) == Approx(5));                    // default is 3 here
  CHECK(end_of({.kernel = in({1, -1, -1}), .stream = {-1, -1, 0}}) == Approx(6.5));  // by the stream's map
  CHECK(errors(run({.kernel = in({-1, 4, -1})})) == std::vector<std::string>{"cudaErrorInvalidValue"});
  CHECK(errors(run({.kernel = in({-1, -1, 1}), .capability = 80})) ==
        std::vector<std::string>{"cudaErrorInvalidValue"});
}

TEST_CASE("MD06, GR30: capture copies both attributes into the node; the launching stream's do not count") {
  const double waits = 5 + kStoresTime, less = 5 + 0.25 * kStoresTime;
  CHECK(end_of({.stores = true, .captured = true}) == Approx(waits));
  CHECK(end_of({.stores = true, .stream = kRemote, .captured = true}) == Approx(less));
  CHECK(end_of({.stores = true, .kernel = in(kRemote), .captured = true}) == Approx(less));
  CHECK(end_of({.stores = true, .stream = {1, -1, 0}, .captured = true}) == Approx(waits));
  CHECK(end_of({.stores = true, .kernel = in(kRemote), .graph = true}) == Approx(less));
  CHECK(end_of({.stores = true, .stream = kRemote, .graph = true}) == Approx(waits));
  const host::Result r = run({.kernel = in({-1, 9, -1}), .graph = true});
  CHECK(errors(r) == std::vector<std::string>{"cudaErrorInvalidValue", "cudaErrorInvalidValue"});
}

TEST_CASE("MD07: a domain forbids no access") {
  Builder w;
  const Buffer m = mapped(w), d = w.device("d", kBytes);
  const auto s = w.stream("s");
  auto& main = w.thread("main");
  const Kernel k = w.kernel_us("k", 1);
  w.program().kernels[k.id].accesses = {updates(m), updates(d)};
  main.launch(k, s, in(kRemote)).launch(k, s, in(kDefault)).deviceSynchronize();
  const host::Result r = host::run(w.program(), plain_gpu(), {{}, true, true});
  CHECK(errors(r).empty());
  CHECK(r.findings.empty());
}

}  // namespace heddle::hosttest
