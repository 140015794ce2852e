// Unified memory: cuda-model A29. A page of 64 KiB takes 8.832 us to the device and 8.96 us to the host; a
// batch of up to 16 faults 10 us, a fault of the host 1 us, the eviction of a block of 2 MiB 5 us; the kernel
// 5 us.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using host::Advice;
using host::Attach;
using host::Memory;
using workload::Buffer;
using workload::Builder;
using workload::reads;
using workload::Stream;
using workload::Thread;
using workload::updates;
using workload::writes;

constexpr uint64_t kPage = 65536, kMiB = 1 << 20;
constexpr double kIn = 8.832, kOut = 8.96;

uint64_t counter(const host::Result& r, const std::string& name) {
  return counter_of(r, "device 0 um " + name);
}

struct One {
  Builder w;
  Stream s = w.stream("s", true);
  workload::Kernel k = w.kernel_us("k", 5);
  Thread& main = w.thread("main");
  spec::GpuConfig gpu = plain_gpu();
  host::Result run() { return host::run(w.program(), gpu); }
  spec::UnifiedMemory& um() { return *gpu.mutable_host()->mutable_um(); }
  // A launch, waited for.
  void kernel(const host::Access& a) { main.launch(k, s).with({a}).streamSynchronize(s); }
};

TEST_CASE("UM03: first touch places a page: nothing moves") {
  One gpu_first;
  const Buffer m = gpu_first.w.managed("m", kPage);
  gpu_first.kernel(writes(m));
  gpu_first.main.hostAccess({reads(m)});
  const host::Result r = gpu_first.run();
  CHECK(in_stream(r, "s", "k").end == Approx(10 + 5));
  CHECK(us(r.thread_end[0]) == Approx(15 + 1 + kOut));
  CHECK(counter(r, "bytes to device") == 0);

  One host_first;
  const Buffer n = host_first.w.managed("n", kPage);
  host_first.main.hostAccess({writes(n)}).hostAccess({reads(n)});
  CHECK(us(host_first.run().end) == 0);
}

TEST_CASE("UM04: faults of the device: batches, and the pages over the link") {
  One t;
  const Buffer m = t.w.managed("m", 17 * kPage);
  t.main.hostAccess({writes(m)});
  t.kernel(reads(m));
  t.kernel(updates(m));
  t.kernel(reads(m));
  const host::Result r = t.run();
  CHECK(in_stream(r, "s", "k", 0).end == Approx(2 * 10 + 17 * kIn + 5));
  CHECK(in_stream(r, "s", "k", 2).end == Approx(2 * 10 + 17 * kIn + 3 * 5));
  CHECK(counter(r, "gpu page faults") == 17);
  CHECK(counter(r, "gpu fault batches") == 2);
  CHECK(counter(r, "bytes to device") == 17 * kPage);
  // The cost goes with the page's size.
  One small;
  small.um().set_page_bytes(4096);
  const Buffer n = small.w.managed("n", 17 * kPage);
  small.main.hostAccess({writes(n)});
  small.kernel(reads(n, 0, 1));
  CHECK(us(small.run().end) == Approx(10 + kIn / 16 + 5));
}

TEST_CASE("UM04: what comes along with a page that faults, and what a batch costs") {
  One t;
  t.um().set_fault_density_percent(51);
  t.um().set_fault_batch_pages(1);
  t.um().set_first_fault_ns(1000);
  t.um().set_gpu_fault_ns(2000);
  t.um().set_fault_entry_ns(10);
  t.um().set_fault_block_ns(100);
  t.um().set_fault_page_ns(30);
  t.um().set_fault_along_ns(7);
  const Buffer m = t.w.managed("m", 64 * kPage);  // two blocks
  t.kernel(writes(m));
  // Of each block: 0; 1; 2 with 3 (three of four); 4 with 5 to 7; 8 with 7 more; 16 with 15 more.
  const host::Result r = t.run();
  CHECK(counter(r, "gpu page faults") == 2 * 6);
  CHECK(counter(r, "gpu fault batches") == 2 * 6);
  // A page of a range is told of by five SMs, the first batch's by as many as there are, or one for each KiB.
  const double each = 2 + 0.1 + 0.03 + 5 * 0.01;
  const double first = 1 + (std::min(64.0, static_cast<double>(t.gpu.topology().sms())) - 5) * 0.01;
  CHECK(us(r.end) == Approx(first + 12 * each + 2 * 26 * 0.007 + 5));
  // Data that moves costs more for each block of a batch, and the first batch alone is a driver's that was
  // idle.
  One u;
  u.um().set_fault_move_ns(500);
  u.um().set_first_fault_ns(1000);
  const Buffer n = u.w.managed("n", 32 * kPage);
  u.main.hostAccess({writes(n)});
  u.kernel(reads(n));
  CHECK(us(u.run().end) == Approx(1 + 2 * (10 + 0.5) + 32 * kIn + 5));
}

TEST_CASE("UM03 UM04: faults of the host: blocks, what comes along, and what it maps") {
  One t;
  t.um().set_fault_density_percent(51);
  t.um().set_cpu_block_ns(500);
  t.um().set_cpu_along_ns(100);
  t.um().set_cpu_touch_ns(10);
  t.um().set_populate_ns(20);
  t.um().set_populate_block_ns(300);
  const Buffer m = t.w.managed("m", 32 * kPage);
  t.kernel(writes(m));
  t.main.hostAccess({updates(m)});
  host::Result r = t.run();
  CHECK(counter(r, "cpu page faults") == 6);
  double end =
      10 + 10 + 5 + 0.5 + 6 * 1 + 26 * 0.1 + 32 * kOut + 32 * 16 * 0.01;  // two batches of the kernel
  CHECK(us(r.end) == Approx(end));
  // What it has mapped costs nothing again; a piece of a page is touched by itself.
  t.main.hostAccess({updates(m)});
  CHECK(us(t.run().end) == Approx(end));
  One fresh;
  fresh.um() = t.um();
  const Buffer n = fresh.w.managed("n", 40 * kPage);
  fresh.main.hostAccess({writes(n, 0, 4096)}).hostAccess({writes(n, 4096, 1)});
  CHECK(us(fresh.run().end) == Approx(0.3 + 32 * 0.02 + 2 * 0.01));
  fresh.main.hostAccess({writes(n)});
  CHECK(us(fresh.run().end) == Approx(2 * 0.3 + 40 * 0.02 + 40 * 16 * 0.01));
}

TEST_CASE("UM04: a copy engine moves pages: after the copy before them") {
  One t;
  const Buffer m = t.w.managed("m", kPage), d = t.w.device("d", 16 * kPage), h = t.w.pinned("h", 16 * kPage);
  t.main.hostAccess({writes(m)}).memcpyAsync(d, h, t.w.stream("other", true));
  t.kernel(reads(m));
  CHECK(us(t.run().end) == Approx(16 * kIn + kIn + 5));
}

TEST_CASE("UM07: a prefetch takes its place in the stream and saves the faults") {
  One t;
  const Buffer m = t.w.managed("m", 16 * kPage);
  t.main.hostAccess({writes(m)}).launch(t.k, t.s).memPrefetchAsync(m, 0, t.s);
  t.kernel(reads(m));
  t.main.memPrefetchAsync(m, host::kNone, t.s).streamSynchronize(t.s).hostAccess({reads(m)});
  const host::Result r = t.run();
  CHECK(in_stream(r, "s", "cudaMemPrefetchAsync").start == 5);
  CHECK(in_stream(r, "s", "k", 1).end == Approx(5 + 16 * kIn + 5));
  CHECK(us(r.end) == Approx(10 + 16 * kIn + 16 * kOut));
  CHECK(counter(r, "gpu page faults") == 0);
  CHECK(counter(r, "cpu page faults") == 0);
  CHECK(counter(r, "bytes prefetched") == 2 * 16 * kPage);
}

TEST_CASE("UM06: more than the device has: the least recently used block goes") {
  One t;
  t.gpu.mutable_dram()->set_total_bytes(4 * kMiB);
  const Buffer a = t.w.managed("a", 2 * kMiB), b = t.w.managed("b", 2 * kMiB), c = t.w.managed("c", 2 * kMiB);
  t.kernel(writes(a));
  t.kernel(writes(b));
  t.kernel(reads(a));  // so b is the oldest
  t.kernel(writes(c));
  t.kernel(reads(a));
  host::Result r = t.run();
  // 32 pages are two batches: three first touches, two hits, one eviction with 32 pages to the host.
  CHECK(us(r.end) == Approx(3 * 20 + 5 * 5 + 5 + 32 * kOut));
  CHECK(counter(r, "bytes evicted") == 2 * kMiB);
  CHECK(counter(r, "bytes to device") == 0);
  t.kernel(reads(b));
  r = t.run();
  CHECK(counter(r, "pages back after eviction") == 32);
  CHECK(counter(r, "bytes to device") == 2 * kMiB);
  CHECK(counter(r, "bytes evicted") == 4 * kMiB);
}

TEST_CASE("UM06: thrashing: pages that change sides again and again within the lapse") {
  for (const uint32_t lapse : {1000u, 5u}) {
    One t;
    t.um().set_thrash_lapse_us(lapse);
    const Buffer m = t.w.managed("m", 4 * kPage);
    t.main.hostAccess({writes(m)});
    t.kernel(updates(m));                   // 1st move of 4 pages
    t.main.hostAccess({updates(m, 0, 1)});  // 2nd of one
    CHECK(counter(t.run(), "thrashing pages") == 0);
    t.kernel(updates(m));  // 3rd of one
    CHECK(counter(t.run(), "thrashing pages") == (lapse == 1000 ? 1 : 0));
  }
}

TEST_CASE("UM08: read-mostly pages are copied; a write takes the other copies away") {
  One t;
  const Buffer m = t.w.managed("m", kPage);
  t.main.hostAccess({writes(m)}).memAdvise(m, Advice::kSetReadMostly);
  t.kernel(reads(m));
  t.main.hostAccess({reads(m)});
  CHECK(us(t.run().end) == Approx(10 + kIn + 5));
  t.kernel(writes(m));  // a fault, nothing moves
  CHECK(us(t.run().end) == Approx(10 + kIn + 5 + 10 + 5));
  t.main.hostAccess({reads(m)});
  const host::Result r = t.run();
  CHECK(us(r.end) == Approx(10 + kIn + 5 + 10 + 5 + 1 + kOut));
  CHECK(counter(r, "pages duplicated") == 1);
}

TEST_CASE("UM08: what prefers the host stays there: the kernel reaches it over the link") {
  One t;
  const Buffer m = t.w.managed("m", kPage);
  t.main.memAdvise(m, Advice::kSetPreferredLocation).hostAccess({writes(m)});
  t.kernel(reads(m));
  CHECK(us(t.run().end) == Approx(10 + kIn));  // the traffic beside the kernel's 5
  t.kernel(reads(m));                          // mapped now: no fault
  const host::Result r = t.run();
  CHECK(us(r.end) == Approx(10 + kIn + kIn));
  CHECK(counter(r, "bytes over the link") == 2 * kPage);
  CHECK(counter(r, "bytes to device") == 0);
}

TEST_CASE("UM08: accessed-by: mapped beforehand, no fault") {
  One t;
  const Buffer m = t.w.managed("m", kPage);
  t.main.memAdvise(m, Advice::kSetAccessedBy, 0).hostAccess({writes(m)});
  t.kernel(reads(m));
  CHECK(us(t.run().end) == Approx(kIn));
  t.main.memAdvise(m, Advice::kUnsetAccessedBy, 0);
  t.kernel(reads(m));
  CHECK(us(t.run().end) == Approx(kIn + 10 + kIn + 5));
}

TEST_CASE("UM01 UM02: pageable memory faults with HMM only") {
  for (const auto support : {spec::UnifiedMemory::MANAGED, spec::UnifiedMemory::HMM}) {
    One t;
    t.um().set_support(support);
    const Buffer p = t.w.pageable("p", kPage);
    t.main.hostAccess({writes(p)});
    t.kernel(reads(p));
    CHECK(us(t.run().end) == Approx(support == spec::UnifiedMemory::HMM ? 10 + kIn + 5 : 5));
  }
}

TEST_CASE("UM10: one page table: ping-pong between host and device without faults") {
  for (const auto support : {spec::UnifiedMemory::HMM, spec::UnifiedMemory::ATS}) {
    One t;
    t.um().set_support(support);
    const Buffer p = t.w.pageable("p", kPage);
    t.main.hostAccess({writes(p)}).repeat(2, [&](Thread& m) {
      m.launch(t.k, t.s).with({updates(p)}).streamSynchronize(t.s).hostAccess({updates(p)});
    });
    const host::Result r = t.run();
    const bool ats = support == spec::UnifiedMemory::ATS;
    CHECK(us(r.end) == Approx(ats ? 2 * kIn : 2 * (10 + kIn + 5 + 1 + kOut)));
    CHECK(counter(r, "gpu page faults") == (ats ? 0 : 2));
  }
}

TEST_CASE("C52 UM11: write, print, append: moves, or the host reads the device's memory") {
  for (const bool direct : {false, true}) {
    One t;
    t.um().set_direct_host_access(direct);
    const Buffer m = t.w.managed("m", 4000);
    t.main.memAdvise(m, Advice::kSetAccessedBy, host::kNone);
    t.kernel(writes(m));
    t.main.hostAccess({reads(m)});
    t.kernel(updates(m));
    const host::Result r = t.run();
    CHECK(counter(r, "cpu page faults") == (direct ? 0 : 1));
    CHECK(counter(r, "bytes to host") == (direct ? 0 : kPage));
    CHECK(counter(r, "gpu page faults") == (direct ? 1 : 2));
    CHECK(counter(r, "bytes to device") == (direct ? 0 : kPage));
    CHECK(us(r.end) == Approx(direct ? 10 + 5 + kOut + 5 : 10 + 5 + 1 + kOut + 10 + kIn + 5));
  }
}

TEST_CASE("UM05: without concurrent access all moves before a launch, in one piece") {
  One t;
  t.um().set_support(spec::UnifiedMemory::LIMITED);
  const Buffer m = t.w.managed("m", 16 * kPage);
  t.w.managed("never touched", kPage);
  t.main.hostAccess({writes(m)});  // they begin on the device
  t.main.launch(t.k, t.s).streamSynchronize(t.s);
  const host::Result r = t.run();
  CHECK(us(r.end) == Approx(16 * (1 + kOut) + 16 * kIn + 5));
  CHECK(counter(r, "gpu page faults") == 0);
}

TEST_CASE("UM06 UM05: without faults no more than the device has") {
  for (const auto support : {spec::UnifiedMemory::MANAGED, spec::UnifiedMemory::LIMITED}) {
    One t;
    t.um().set_support(support);
    t.gpu.mutable_dram()->set_total_bytes(2 * kMiB);
    const Buffer m = t.w.later("m", Memory::kManaged, 3 * kMiB);
    t.main.malloc(m).free(m).free(m);
    CHECK(errors(t.run()) == (support == spec::UnifiedMemory::MANAGED
                                  ? std::vector<std::string>{"cudaErrorInvalidValue"}
                                  : std::vector<std::string>{"cudaErrorMemoryAllocation"}));
  }
}

TEST_CASE("C53 UM15: managed y touched while a kernel runs") {
  enum Case { kPlain, kSynchronised, kHostAttached, kOtherAttached, kConcurrent };
  for (const Case c : {kPlain, kSynchronised, kHostAttached, kOtherAttached, kConcurrent}) {
    One t;
    t.um().set_support(c == kConcurrent ? spec::UnifiedMemory::MANAGED : spec::UnifiedMemory::LIMITED);
    const Buffer x = t.w.managed("x", 4), y = t.w.managed("y", 4);
    if (c == kHostAttached) {
      t.main.streamAttachMemAsync(t.s, y, Attach::kHost);
    }
    if (c == kOtherAttached) {
      t.main.streamAttachMemAsync(t.s, x);
    }
    t.main.deviceSynchronize().launch(t.k, t.s).with({writes(x)});
    if (c == kSynchronised) {
      t.main.deviceSynchronize();
    }
    t.main.hostAccess({writes(y)});
    const host::Result r = t.run();
    const bool fault = c == kPlain || c == kOtherAttached;
    CHECK(errors(r) == (fault ? std::vector<std::string>{"SIGSEGV"} : std::vector<std::string>{}));
  }
  One lengths;
  const Buffer x = lengths.w.managed("x", 4), d = lengths.w.device("d", 4);
  lengths.main.streamAttachMemAsync(lengths.s, x, Attach::kStream, 2).streamAttachMemAsync(lengths.s, d);
  CHECK(errors(lengths.run()) == std::vector<std::string>{"cudaErrorInvalidValue", "cudaErrorInvalidValue"});
}

TEST_CASE("UM16: attributes of a range") {
  One t;
  const Buffer m = t.w.managed("m", kPage);
  t.main.memRangeAttributes(m)
      .memAdvise(m, Advice::kSetReadMostly)
      .memAdvise(m, Advice::kSetPreferredLocation, 0);
  t.main.memAdvise(m, Advice::kSetAccessedBy, 0).memAdvise(m, Advice::kSetAccessedBy);
  t.main.memPrefetchAsync(m, 0, t.s).deviceSynchronize().memRangeAttributes(m);
  CHECK(
      answers(t.run()) ==
      std::vector<std::string>{
          "read mostly 0; preferred location none; accessed by none; last prefetch none",
          "read mostly 1; preferred location device 0; accessed by device 0, host; last prefetch device 0"});
}

TEST_CASE("C71: atomics of host and device on managed memory are no race") {
  One t;
  const Buffer m = t.w.managed("m", 4);
  t.main.launch(t.k, t.s).with({workload::atomics(m)}).hostAccess({workload::atomics(m)});
  host::PlatformOptions o;
  o.check = true;
  CHECK(host::run(t.w.program(), t.gpu, o).findings.empty());
  t.main.hostAccess({writes(m)});
  CHECK(host::run(t.w.program(), t.gpu, o).findings.size() == 1);
}

TEST_CASE("UM07: a page that was prefetched to the host is the host's: the device faults again") {
  One t;
  const Buffer m = t.w.managed("m", 3 * kPage);
  t.kernel(writes(m));
  CHECK(counter(t.run(), "gpu page faults") == 3);
  t.main.memPrefetchAsync(m, host::kNone, t.s).streamSynchronize(t.s);
  t.kernel(reads(m));
  const host::Result r = t.run();
  CHECK(counter(r, "gpu page faults") == 6);
  CHECK(counter(r, "bytes to host") == 3 * kPage);
  CHECK(counter(r, "bytes to device") == 3 * kPage);
}

TEST_CASE("UM07 UM08: read-mostly pages are copied by a prefetch, there and back") {
  One t;
  const Buffer m = t.w.managed("m", 3 * kPage);
  t.main.hostAccess({writes(m)}).memAdvise(m, Advice::kSetReadMostly);
  t.main.memPrefetchAsync(m, 0, t.s).streamSynchronize(t.s).hostAccess({reads(m)});
  t.main.memPrefetchAsync(m, host::kNone, t.s).streamSynchronize(t.s);
  t.kernel(reads(m));
  const host::Result r = t.run();
  CHECK(counter(r, "bytes to device") == 3 * kPage);
  CHECK(counter(r, "bytes to host") == 0);
  CHECK(counter(r, "cpu page faults") == 0);
  CHECK(counter(r, "gpu page faults") == 0);
}

TEST_CASE("UM10: what the device reaches in the host's memory counts as bytes over the link, each time") {
  One t;
  const Buffer m = t.w.managed("m", 4 * kPage);
  t.main.memAdvise(m, Advice::kSetPreferredLocation, host::kNone);
  t.kernel(writes(m));  // the first touch
  CHECK(counter(t.run(), "bytes over the link") == 4 * kPage);
  t.kernel(reads(m, 0, 2 * kPage));
  CHECK(counter(t.run(), "bytes over the link") == 6 * kPage);
  // No room at all.
  One full;
  full.gpu.mutable_dram()->set_total_bytes(4 * kMiB);
  full.w.device("d", 4 * kMiB);
  const Buffer n = full.w.managed("n", 4 * kPage);
  full.kernel(writes(n));
  const host::Result r = full.run();
  CHECK(counter(r, "bytes over the link") == 4 * kPage);
  CHECK(counter(r, "bytes to device") == 0);
}

}  // namespace
}  // namespace heddle::hosttest
