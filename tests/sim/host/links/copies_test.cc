// Copies, links, pageable memory, peers: cuda-model A9, A11, A31.
#include <catch2/catch.hpp>

#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using workload::Buffer;
using workload::Builder;
using workload::Stream;

constexpr uint64_t kMiB = 1 << 20;

TEST_CASE("HM10: a copy to the device is packets of 256 bytes and 20 more, at 8 bytes per ns") {
  Builder w;
  const Stream s = w.stream("s", true);
  w.thread("main").memcpyAsync(w.device("d", kMiB), w.pinned("h", kMiB), s);
  // 4096 packets of 276 bytes: 1130496 bytes / 8 bytes per ns
  CHECK(us(host::run(w.program(), plain_gpu()).end) == Approx(141.312).epsilon(1e-6));
}

TEST_CASE("HM10: a copy from the device is packets of 256 bytes and 24 more") {
  Builder w;
  w.thread("main").memcpyAsync(w.pinned("h", kMiB), w.device("d", kMiB), w.stream("s", true));
  CHECK(us(host::run(w.program(), plain_gpu()).end) == Approx(143.360).epsilon(1e-6));
}

TEST_CASE("HM10: n small copies cost n times the start, one large one once") {
  spec::GpuConfig g = plain_gpu();
  g.mutable_host()->mutable_copy()->set_h2d_start_ns(2000);
  Builder many, one;
  const Stream s = many.stream("s", true), t = one.stream("t", true);
  const Buffer d = many.device("d", 65536), h = many.pinned("h", 65536);
  many.thread("main").repeat(16, [&](workload::Thread& th) { th.memcpyAsync(d, h, s); });
  one.thread("main").memcpyAsync(one.device("d", kMiB), one.pinned("h", kMiB), t);
  CHECK(us(host::run(many.program(), g).end) == Approx(16 * 2 + 141.312).epsilon(1e-6));
  CHECK(us(host::run(one.program(), g).end) == Approx(2 + 141.312).epsilon(1e-6));
}

TEST_CASE("HM03: write-combined memory by the configuration's factor") {
  spec::GpuConfig g = plain_gpu();
  g.mutable_host()->mutable_link()->set_write_combined_gain(1.4);
  Builder w;
  w.thread("main").memcpyAsync(w.device("d", kMiB), w.buffer("h", host::Memory::kWriteCombined, kMiB),
                               w.stream("s", true));
  CHECK(us(host::run(w.program(), g).end) == Approx(141.312 / 1.4).epsilon(1e-6));
}

TEST_CASE("AX10: both directions at once share the upstream link with the read requests") {
  Builder w;
  const Stream s = w.stream("s", true), t = w.stream("t", true);
  w.thread("main")
      .memcpyAsync(w.device("d", kMiB), w.pinned("h", kMiB), s)
      .memcpyAsync(w.pinned("h2", kMiB), w.device("d2", kMiB), t);
  const host::Result r = host::run(w.program(), plain_gpu());
  // Upstream, for each 256 bytes of both: 280 of the write and 24 of the request: 4096 x 304 / 8 ns.
  CHECK(us(r.end) == Approx(155.648).epsilon(1e-6));
  CHECK(in_stream(r, "s", "copy H2D").end == Approx(155.648).epsilon(1e-6));
}

TEST_CASE("AX11: two copies of one direction are one after the other on its engine") {
  Builder w;
  const Stream s = w.stream("s", true), t = w.stream("t", true);
  const Buffer h = w.pinned("h", kMiB), d = w.device("d", kMiB);
  w.thread("main").memcpyAsync(d, h, s).memcpyAsync(d, h, t);
  const host::Result r = host::run(w.program(), plain_gpu());
  CHECK(in_stream(r, "t", "copy H2D").end == Approx(2 * 141.312).epsilon(1e-6));
  CHECK(span(r, "device 0 copy to device", "copy H2D", 1).start == Approx(141.312).epsilon(1e-6));
}

TEST_CASE("AX08 AX01: a copy and a kernel at the same time") {
  Builder w;
  w.thread("main")
      .memcpyAsync(w.device("d", kMiB), w.pinned("h", kMiB), w.stream("s", true))
      .launch(w.kernel_us("k", 100), w.stream("t", true));
  const host::Result r = host::run(w.program(), plain_gpu());
  CHECK(us(r.copy_kernel_overlap[0]) == 100);
}

TEST_CASE("AX09: copies inside the device share its memory: each byte is read and written") {
  spec::GpuConfig g = plain_gpu();
  const double rate =
      g.clocks().dram_mhz() * g.dram().channels() * g.dram().bytes_per_cycle() * 1e-6;  // bytes per ps
  const double alone = 2 * static_cast<double>(kMiB) / rate * 1e-6;
  for (const bool two : {false, true}) {
    Builder w;
    const Buffer a = w.device("a", kMiB), b = w.device("b", kMiB);
    workload::Thread& t = w.thread("main");
    t.memcpyAsync(b, a, w.stream("s", true));
    if (two) {
      t.memcpyAsync(a, b, w.stream("t", true));
    }
    CHECK(us(host::run(w.program(), g).end) == Approx(two ? 2 * alone : alone).epsilon(1e-6));
  }
}

TEST_CASE("AX02: a memset and a copy inside the device return at once, also the plain calls") {
  Builder w;
  const Buffer a = w.device("a", kMiB), b = w.device("b", kMiB);
  w.thread("main").memset(a).memcpy(b, a);
  const host::Result r = host::run(w.program(), plain_gpu());
  CHECK(us(r.thread_end[0]) == 0);
  CHECK(us(r.end) > 0);
}

// When a plain copy to the device returns.
double returns(host::Memory memory, uint64_t bytes, bool guide) {
  Builder w;
  w.thread("main").memcpy(w.device("d", bytes), w.buffer("h", memory, bytes));
  host::Rules rules;
  rules.small_pinned_copies_return = guide;
  return us(host::run(w.program(), plain_gpu(), {rules, true}).thread_end[0]);
}

TEST_CASE("HM15: 64 KB return at once, one byte more when it is done") {
  CHECK(returns(host::Memory::kPinned, 65536, true) == 0);
  CHECK(returns(host::Memory::kPinned, 65537, true) > 8.8);  // 256 packets of 276 bytes, and one
  // Pageable: when the host has written them into the command (10 bytes per ns).
  CHECK(returns(host::Memory::kPageable, 65536, false) == Approx(6.5536));
  // The H200's driver waits for pinned copies of any size.
  CHECK(returns(host::Memory::kPinned, 65536, false) == Approx(8.832));
}

TEST_CASE(
    "a plain copy of pageable memory begins when its stream's work is done, an asynchronous one is queued") {
  for (const uint64_t bytes : {uint64_t{65536}, kMiB}) {
    const auto returned = [&](bool plain, bool same_stream) {
      Builder w;
      const Stream s = w.stream("s", true);
      const Buffer d = w.device("d", bytes), h = w.pageable("h", bytes);
      host::KernelDesc k;
      k.name = "k";
      k.duration = host::from_ns(500000);
      auto& t = w.thread("main").launch(w.kernel(k), same_stream ? Stream{} : s);
      plain ? t.memcpy(d, h) : t.memcpyAsync(d, h);
      return us(host::run(w.program(), plain_gpu()).thread_end[0]);
    };
    const double copied = bytes / 10e3;  // 10 bytes per ns
    CHECK(returned(true, true) == Approx(500 + copied));
    CHECK(returned(true, false) == Approx(copied));
    CHECK(returned(false, true) == Approx(copied));
  }
}

TEST_CASE("HM01 AX05: a pageable copy goes in pieces, through two buffers of the driver's") {
  Builder w;
  w.thread("main").memcpyAsync(w.device("d", 4 * kMiB), w.pageable("h", 4 * kMiB), w.stream("s", true));
  const host::Result r = host::run(w.program(), plain_gpu());
  // The engine (141.312 us a piece) is slower than the host (104.8576): host, then four pieces one after the
  // other.
  CHECK(us(r.end) == Approx(104.8576 + 4 * 141.312).epsilon(1e-6));
  // The call returns when the last piece is in the driver's buffer, which the second piece's end has freed.
  CHECK(us(r.thread_end[0]) == Approx(104.8576 + 2 * 141.312 + 104.8576).epsilon(1e-6));
}

TEST_CASE("HM01: from the device the call returns when the data is there") {
  Builder w;
  w.thread("main").memcpyAsync(w.pageable("h", kMiB), w.device("d", kMiB), w.stream("s", true));
  const host::Result r = host::run(w.program(), plain_gpu());
  CHECK(us(r.thread_end[0]) == Approx(143.360 + 104.8576).epsilon(1e-6));
}

TEST_CASE("HM01: a buffer larger than the host's caches is read more slowly") {
  spec::GpuConfig g = plain_gpu();
  g.mutable_host()->mutable_staging()->set_cached_bytes(kMiB);
  Builder w;
  w.thread("main").memcpyAsync(w.device("d", 2 * kMiB), w.pageable("h", 2 * kMiB), w.stream("s", true));
  CHECK(us(host::run(w.program(), g).thread_end[0]) == Approx(2 * 209.7152).epsilon(1e-6));  // 5 bytes per ns
}

TEST_CASE("HM10: rows of a 2D copy that do not fill packets cost more of them") {
  Builder w;
  w.thread("main").memcpyAsync(w.device("d", 64000), w.pinned("h", 64000), w.stream("s", true), 0, 1000);
  // 1000 rows of 64 bytes: 1000 packets of 84 bytes
  CHECK(us(host::run(w.program(), plain_gpu()).end) == Approx(10.5).epsilon(1e-6));
}

TEST_CASE("a copy beyond a buffer is an error, and moves nothing") {
  Builder w;
  w.thread("main").memcpyAsync(w.device("d", 10), w.pinned("h", 20), w.stream("s", true), 20);
  const host::Result r = host::run(w.program(), plain_gpu());
  CHECK(errors(r) == std::vector<std::string>{"cudaErrorInvalidValue"});
  CHECK(us(r.end) == 0);
}

// One copy of 1 MiB from device 0 to device 1.
double peer_copy(uint32_t links, bool access) {
  spec::GpuConfig g = plain_gpu();
  g.mutable_host()->mutable_peer()->set_links(links);
  Builder w(2);
  w.program().peer_access = access;
  w.thread("main").memcpyAsync(w.device("b", kMiB, 1), w.device("a", kMiB, 0), w.stream("s", true));
  return us(host::run(w.program(), g).end);
}

TEST_CASE("MU03 MU05: peers over NVLink, over PCI Express, and through the host") {
  CHECK(peer_copy(4, true) == Approx(10.48576).epsilon(1e-6));  // 4 x 25 bytes per ns
  CHECK(peer_copy(0, true) == Approx(143.360).epsilon(1e-6));
  CHECK(peer_copy(0, false) == Approx(2 * 143.360).epsilon(1e-6));
}

TEST_CASE("MU04 C65: a peer copy in the NULL stream is a barrier on both devices") {
  spec::GpuConfig g = plain_gpu();
  g.mutable_host()->mutable_peer()->set_links(4);
  Builder w(2);
  const Stream s0 = w.stream("s0", true, 0, 0), s1 = w.stream("s1", true, 0, 1);
  const workload::Kernel k = w.kernel_us("k", 5);
  w.thread("main")
      .launch(k, s0)
      .setDevice(1)
      .launch(k, s1)
      .setDevice(0)
      .memcpyAsync(w.device("b", kMiB, 1), w.device("a", kMiB, 0))
      .launch(k, s0)
      .setDevice(1)
      .launch(k, s1);
  const host::Result r = host::run(w.program(), g);
  CHECK(in_stream(r, "default", "copy peer").start == 5);
  CHECK(in_stream(r, "s0", "k", 1).start == Approx(15.48576).epsilon(1e-6));
  CHECK(span(r, "device 1 stream s1", "k", 1).start == Approx(15.48576).epsilon(1e-6));
}

TEST_CASE(
    "MU04 ST05: a copy in the NULL stream that is not between devices is no barrier for other streams") {
  for (const std::string name : {"copy H2D", "copy D2H", "copy D2D"}) {
    CAPTURE(name);
    Builder w(2);
    const Buffer h = w.pinned("h", 4096), d = w.device("d", 4096), d2 = w.device("d2", 4096);
    workload::Thread& t = w.thread("main");
    t.launch(w.kernel_us("before", 50), w.stream("s", true));
    name == "copy H2D"   ? t.memcpyAsync(d, h)
    : name == "copy D2H" ? t.memcpyAsync(h, d)
                         : t.memcpyAsync(d2, d);
    t.launch(w.kernel_us("behind", 5), w.stream("t", true));
    const host::Result r = host::run(w.program(), plain_gpu());
    CHECK(in_stream(r, "default", name).start == 0);
    CHECK(in_stream(r, "t", "behind").start == 0);
  }
}

TEST_CASE("a copy ends when its last byte is there, whatever begins elsewhere just before") {
  Builder w;
  const Buffer a = w.device("a", kMiB), b = w.device("b", kMiB);
  // Two packets of 276 bytes, 69 ns; 50 ps before that a copy inside the device, which shares nothing with
  // it.
  w.thread("main").memcpyAsync(w.device("d", 512), w.pinned("h", 512), w.stream("s", true));
  w.thread("other").compute_us(0.06895).memcpyAsync(b, a, w.stream("t", true));
  const host::Result r = host::run(w.program(), plain_gpu());
  CHECK(in_stream(r, "t", "copy D2D").start == Approx(0.06895).margin(1e-7));
  CHECK(in_stream(r, "s", "copy H2D").end == Approx(0.069).margin(2e-6));
}

}  // namespace
}  // namespace heddle::hosttest
