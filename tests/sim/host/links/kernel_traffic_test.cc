// Kernels that load and store over links. The test link moves 8 bytes per nanosecond: a line of 128 bytes
// takes 18.5 ns as a load (20 bytes more), 19 as a store (24 more); loads' requests go the other way, 24
// bytes each.
#include "sim/host/links/kernel_traffic.h"

#include <catch2/catch.hpp>

#include "frontends/workload/builder.h"
#include "frontends/workload/graph_builder.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using namespace workload;

constexpr uint64_t kLines = 1000;
constexpr uint64_t kBytes = kLines * 128;

Buffer mapped(Builder& w, const std::string& name = "m") {
  return w.buffer(name, host::Memory::kMapped, kBytes);
}

Kernel kernel(Builder& w, double us, const std::vector<host::Access>& accesses) {
  const Kernel k = w.kernel_us("k", us);
  w.program().kernels[k.id].accesses = accesses;
  return k;
}

double length(const host::Result& r, const std::string& stream = "default") {
  const Times t = in_stream(r, stream, "k");
  return t.end - t.start;
}

uint64_t counter(const host::Result& r, const std::string& name) { return counter_of(r, name); }

}  // namespace

TEST_CASE("HM04: loads and stores of mapped memory take the link beside the kernel, and no copy engine") {
  const auto run = [](double us, bool write) {
    Builder w;
    const Buffer m = mapped(w);
    w.thread("main").launch(kernel(w, us, {write ? writes(m) : reads(m)}));
    return host::run(w.program(), plain_gpu());
  };
  CHECK(length(run(5, false)) == Approx(18.5));
  CHECK(length(run(5, true)) == Approx(19));
  CHECK(length(run(30, false)) == Approx(30));  // all under the kernel's own work
  const host::Result r = run(5, false);
  CHECK(span(r, "device 0 copy to device", "kernel's traffic").start < 0);
  CHECK(span(r, "device 0 kernels' traffic", "kernel's traffic").end == Approx(18.5));
  CHECK(counter(r, "device 0 kernels' bytes from host memory") == kBytes);
  CHECK(counter(r, "device 0 kernels' bytes to host memory") == 0);
}

TEST_CASE("HM04: what moves at the same time shares the link; directions do not") {
  Builder w;
  const Buffer m = mapped(w), other = mapped(w, "n"), host = w.pinned("h", h2d_bytes(10)),
               dev = w.device("d", h2d_bytes(10));
  const auto s = w.stream("s"), t = w.stream("t");
  auto& main = w.thread("main");
  SECTION("with a copy to the device: 10 us of its own") {
    main.launch(kernel(w, 0, {reads(m)}), s).memcpyAsync(dev, host, t);
    const host::Result r = host::run(w.program(), plain_gpu());
    CHECK(length(r, "s") == Approx(28.5));
    CHECK(in_stream(r, "t", "copy H2D").end == Approx(20).epsilon(0.05));  // half the link each
  }
  SECTION("loads and stores of one kernel") {
    main.launch(kernel(w, 0, {reads(m), writes(other)}), s);
    // Up go stores and the loads' requests: (152 + 24) / 8 ns a line.
    CHECK(length(host::run(w.program(), plain_gpu()), "s") == Approx(22));
  }
  SECTION("captured: a node of a graph") {
    const auto g = add_graph(w, "g");
    const auto x = add_graph_exec(w, "x");
    main.streamBeginCapture(s).launch(kernel(w, 1, {reads(m)}), s).streamEndCapture(s, g);
    main.graphInstantiate(x, g).graphLaunch(x, s);
    CHECK(length(host::run(w.program(), plain_gpu()), "s") == Approx(18.5));
  }
}

TEST_CASE("HM04: few threads do not fill the link: each has one element on its way") {
  spec::GpuConfig g = plain_gpu();
  g.mutable_host()->mutable_link()->set_access_ns(1000);
  const auto run = [&](uint32_t blocks, uint32_t element) {
    Builder w;
    const Buffer m = mapped(w);
    const Kernel k = w.kernel_blocks("k", blocks, 128, 1);
    w.program().kernels[k.id].accesses = {by_threads(reads(m), element)};
    w.thread("main").launch(k);
    return length(host::run(w.program(), g));
  };
  CHECK(run(1, 4) == Approx(kBytes / 512.0));  // 128 threads, 4 bytes each in 1 us
  CHECK(run(1, 16) == Approx(kBytes / 2048.0));
  CHECK(run(4, 4) == Approx(kBytes / 2048.0));
  CHECK(run(16, 16) == Approx(18.5));
}

TEST_CASE("HM09: neighbours share packets; a load of one element fetches a piece, a store a sector") {
  spec::GpuConfig g = plain_gpu();
  g.mutable_host()->mutable_link()->set_read_piece_bytes(64);
  const host::Params p(g);
  const auto of = [&](uint32_t element, uint32_t stride, bool write) {
    host::Access a;
    a.buffer = 0;
    a.element = element;
    a.stride = stride;
    const host::LinkTraffic t = host::packets_of(a, kBytes, write, p);
    return std::tuple(t.bytes, t.packets, t.partial);
  };
  using Is = std::tuple<uint64_t, uint64_t, uint64_t>;
  CHECK(of(4, 0, false) == Is(kBytes, kLines, 0));
  CHECK(of(16, 0, false) == Is(kBytes, kLines, 0));
  CHECK(of(4, 64, false) == Is(kBytes, kLines, 0));
  CHECK(of(4, 128, false) == Is(kBytes / 2, kLines, 0));
  CHECK(of(4, 256, false) == Is(kBytes / 4, kLines / 2, 0));
  CHECK(of(4, 0, true) == Is(kBytes, kLines, 0));
  CHECK(of(4, 8, true) == Is(kBytes, 4 * kLines, 4 * kLines));
  CHECK(of(4, 128, true) == Is(kBytes / 4, kLines, kLines));
  CHECK(of(32, 64, true) == Is(kBytes / 2, 2 * kLines, 0));

  // A store that fills no sector has the link for 10 ns, more than its bytes need.
  Builder w;
  const Buffer m = mapped(w);
  w.thread("main").launch(kernel(w, 0, {by_threads(writes(m), 4, 32)}));
  CHECK(length(host::run(w.program(), plain_gpu())) == Approx(4 * kLines * 0.01));
}

TEST_CASE("HM08: an aligned access of 1 to 16 bytes is in one packet") {
  const host::Params p(plain_gpu());
  for (const uint32_t element : {1u, 2u, 4u, 8u, 16u}) {
    for (const bool write : {false, true}) {
      host::Access a;
      a.buffer = 0;
      a.element = element;
      a.stride = 1024;
      CHECK(host::packets_of(a, kBytes, write, p).packets == kBytes / 1024);
    }
  }
}

TEST_CASE(
    "MU03: kernels reach other devices' memory, over the links that there are; without access they fail") {
  Builder w(2);
  const Buffer there = w.device("there", 80000, 1);
  auto& main = w.thread("main");
  main.launch(kernel(w, 1, {reads(there)})).deviceSynchronize();
  spec::GpuConfig g = plain_gpu();
  g.mutable_host()->mutable_peer()->set_links(1);
  g.mutable_host()->mutable_peer()->set_link_gb_per_s(4);
  const host::Result r = host::run(w.program(), g);
  CHECK(length(r) == Approx(20));
  CHECK(counter(r, "device 0 kernels' bytes from other devices") == 80000);
  // Over PCI Express: 148 bytes a line through both links.
  CHECK(length(host::run(w.program(), plain_gpu())) == Approx(625 * 0.0185));
  w.program().peer_access = false;
  CHECK(errors(host::run(w.program(), g)) == std::vector<std::string>{"cudaErrorIllegalAddress"});
}

}  // namespace heddle::hosttest
