// Grids that have the device to themselves run by a known time; with company, block by block as ever.
#include <catch2/catch.hpp>

#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using workload::Builder;
using workload::Kernel;
using workload::Stream;

spec::GpuConfig gpu() {
  spec::GpuConfig g = plain_gpu(4);
  g.mutable_launch()->set_block_interval(20);
  g.mutable_launch()->set_sm_block_interval(50);
  return g;
}

// The two kernels with the second `delay` after the first; before that, each alone so many times.
struct Pair {
  Times first, second;
};
Pair pair(uint32_t before, double delay, int32_t priority) {
  Builder w;
  const Stream x = w.stream("x", true), y = w.stream("y", true, priority);
  const Kernel a = w.kernel_blocks("a", 23, 1024, 10), b = w.kernel_blocks("b", 5, 512, 3);
  auto& t = w.thread("main");
  for (uint32_t i = 0; i < before; ++i) {
    t.launch(a, x).deviceSynchronize().launch(b, x).deviceSynchronize();
  }
  t.sleepUntil_us(1000).launch(a, x).compute_us(delay).launch(b, y);
  const host::Result r = host::run(w.program(), gpu());
  CHECK(r.blocks == uint64_t{before + 1} * 28);
  return {in_stream(r, "x", "a", before), in_stream(r, "y", "b")};
}

TEST_CASE("a kernel alone takes the same time each time") {
  Builder w;
  const Stream x = w.stream("x", true);
  const Kernel a = w.kernel_blocks("a", 23, 1024, 10);
  w.thread("main").repeat(5, [&](workload::Thread& t) { t.launch(a, x).deviceSynchronize(); });
  const host::Result r = host::run(w.program(), gpu());
  const Times first = in_stream(r, "x", "a");
  for (size_t i = 1; i < 5; ++i) {
    const Times other = in_stream(r, "x", "a", i);
    CHECK(other.end - other.start == Approx(first.end - first.start).margin(1e-9));
    CHECK(other.start == Approx(in_stream(r, "x", "a", i - 1).end + first.start).margin(1e-9));
  }
}

TEST_CASE("a kernel that gets company runs as if nothing had been known of it") {
  for (const double delay : {0.0, 0.3, 5.0, 10.0, 15.5, 24.0, 29.9, 31.0, 50.0}) {
    for (const int32_t priority : {0, -1}) {
      CAPTURE(delay, priority);
      const Pair unknown = pair(0, delay, priority), known = pair(2, delay, priority);
      CHECK(known.first.start == Approx(unknown.first.start).margin(1e-9));
      CHECK(known.first.end == Approx(unknown.first.end).margin(1e-9));
      CHECK(known.second.start == Approx(unknown.second.start).margin(1e-9));
      CHECK(known.second.end == Approx(unknown.second.end).margin(1e-9));
    }
  }
}

}  // namespace
}  // namespace heddle::hosttest
