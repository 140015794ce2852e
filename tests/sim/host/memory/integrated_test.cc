// Devices whose memory is the host's (HM12). The test machine's memory moves 128 bytes per nanosecond; a link
// would move 8. A fault of the device takes 10 us, its kernel 5 us.
#include <catch2/catch.hpp>

#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using host::Memory;
using workload::Buffer;
using workload::Builder;
using workload::reads;
using workload::updates;
using workload::writes;

constexpr uint64_t kMiB = 1 << 20;

spec::GpuConfig integrated() {
  spec::GpuConfig g = plain_gpu();
  g.mutable_host()->mutable_link()->set_integrated(true);
  return g;
}

uint64_t counter(const host::Result& r, const std::string& name) {
  return counter_of(r, "device 0 um " + name);
}

std::string free_mib(uint64_t used_mib) {
  return "free " + std::to_string(1024 * kMiB - used_mib * kMiB) + " total " + std::to_string(1024 * kMiB);
}

}  // namespace

TEST_CASE("HM12: a copy reads and writes the one memory; both directions share it") {
  Builder w;
  const Buffer in = w.pinned("in", 640'000), out = w.pinned("out", 640'000), a = w.device("a", 640'000),
               b = w.device("b", 640'000);
  const auto s = w.stream("s", true), t = w.stream("t", true);
  auto& main = w.thread("main");
  SECTION("one") {
    main.memcpyAsync(a, in, s);
    CHECK(in_stream(host::run(w.program(), integrated()), "s", "copy H2D").end == Approx(10));
  }
  SECTION("two ways") {
    main.memcpyAsync(a, in, s).memcpyAsync(out, b, t);
    const host::Result r = host::run(w.program(), integrated());
    CHECK(in_stream(r, "s", "copy H2D").end == Approx(20));
    CHECK(in_stream(r, "t", "copy D2H").end == Approx(20));
  }
  SECTION("half of what copies inside the device can have") {
    spec::GpuConfig g = integrated();
    g.mutable_host()->mutable_copy()->set_d2d_efficiency(0.5);
    main.memcpyAsync(a, in, s);
    CHECK(in_stream(host::run(w.program(), g), "s", "copy H2D").end == Approx(20));
  }
}

TEST_CASE(
    "HM12: a kernel reads and writes host memory in place, without packets, and nobody waits for a link") {
  Builder w;
  const Buffer m = w.buffer("m", Memory::kMapped, 1'280'000);
  const workload::Kernel k = w.kernel_us("k", 2), other = w.kernel_us("other", 1);
  w.program().kernels[k.id].accesses = {updates(m)};
  const auto s = w.stream("s", true), t = w.stream("t", true);
  w.thread("main").launch(k, s).launch(other, t);
  spec::GpuConfig g = integrated();
  g.mutable_host()->mutable_link()->set_flush_scale(2);
  const host::Result r = host::run(w.program(), g);
  CHECK(in_stream(r, "s", "k").end == Approx(20));  // 10 us each way through one memory
  CHECK(in_stream(r, "t", "other").end == Approx(1));
}

TEST_CASE("HM12: few threads wait for the memory, whatever it could move") {
  Builder w;
  const Buffer m = w.buffer("m", Memory::kMapped, 128'000);
  const workload::Kernel k = w.kernel_blocks("k", 1, 128, 1);
  w.program().kernels[k.id].accesses = {reads(m)};
  w.program().kernels[k.id].accesses[0].element = 4;
  w.thread("main").launch(k);
  spec::GpuConfig g = integrated();
  g.mutable_host()->mutable_link()->set_access_ns(500);
  const Times t = in_stream(host::run(w.program(), g), "default", "k");
  CHECK(t.end - t.start == Approx(128'000 / 1024.));  // 128 threads x 4 bytes in 0.5 us
}

TEST_CASE("HM12 UM05 UM10: no page of unified memory moves") {
  using spec::UnifiedMemory;
  for (const auto support : {UnifiedMemory::LIMITED, UnifiedMemory::MANAGED, UnifiedMemory::ATS}) {
    spec::GpuConfig g = integrated();
    g.mutable_host()->mutable_um()->set_support(support);
    Builder w;
    const Buffer m = w.managed("m", kMiB);
    const auto s = w.stream("s", true);
    const workload::Kernel k = w.kernel_us("k", 5);
    auto& main = w.thread("main");
    main.hostAccess({writes(m)});
    main.repeat(2, [&](workload::Thread& again) {
      again.launch(k, s).with({updates(m)}).streamSynchronize(s).hostAccess({updates(m)});
    });
    const host::Result r = host::run(w.program(), g);
    CHECK(us(r.end) == Approx(10));
    for (const char* name : {"gpu page faults", "cpu page faults", "bytes to device", "bytes to host",
                             "bytes over the link", "thrashing pages"}) {
      CHECK(counter(r, name) == 0);
    }
  }
}

TEST_CASE("HM12 UM03: a page that nobody has touched is a fault of who touches it first") {
  spec::GpuConfig g = integrated();
  g.mutable_host()->mutable_um()->set_support(spec::UnifiedMemory::ATS);
  Builder w;
  const Buffer m = w.managed("m", 65536);
  const auto s = w.stream("s", true);
  const workload::Kernel k = w.kernel_us("k", 5);
  w.thread("main").launch(k, s).with({writes(m)}).streamSynchronize(s).hostAccess({reads(m)});
  const host::Result r = host::run(w.program(), g);
  CHECK(us(r.end) == Approx(10 + 5));
  CHECK(counter(r, "gpu page faults") == 1);
  CHECK(counter(r, "bytes to host") == 0);
}

TEST_CASE("HM12 UM07: a prefetch finds its pages where they are to be") {
  spec::GpuConfig g = integrated();
  g.mutable_host()->mutable_um()->set_support(spec::UnifiedMemory::ATS);
  g.mutable_host()->mutable_um()->set_prefetch_page_ns(1000);
  g.mutable_host()->mutable_um()->set_prefetch_start_ns(1000);
  Builder w;
  const Buffer m = w.managed("m", kMiB);
  const auto s = w.stream("s", true);
  w.thread("main").hostAccess({writes(m)}).memPrefetchAsync(m, 0, s).streamSynchronize(s);
  const host::Result r = host::run(w.program(), g);
  CHECK(us(r.end) == 0);
  CHECK(counter(r, "bytes prefetched") == 0);
}

TEST_CASE("HM12: pinned memory is taken from what the device has, too") {
  Builder w;
  w.pinned("there", 100 * kMiB);
  const Buffer later = w.later("later", Memory::kPinned, 200 * kMiB),
               much = w.later("much", Memory::kMapped, 1000 * kMiB);
  w.thread("main").memGetInfo().malloc(later).memGetInfo().malloc(much).free(later).memGetInfo();
  const host::Result r = host::run(w.program(), integrated());
  CHECK(answers(r) == std::vector<std::string>{free_mib(100), free_mib(300), free_mib(100)});
  CHECK(errors(r) == std::vector<std::string>{"cudaErrorMemoryAllocation"});
  CHECK(answers(host::run(w.program(), plain_gpu())) ==
        std::vector<std::string>{free_mib(0), free_mib(0), free_mib(0)});

  Builder more;
  more.pinned("more", 2000 * kMiB);
  more.thread("main");
  CHECK_THROWS_WITH(host::run(more.program(), integrated()),
                    Catch::Matchers::Contains("host and device have only"));
}

}  // namespace heddle::hosttest
