// Order within and across streams: cuda-model A11, A12 and the guide's worked examples.
#include <catch2/catch.hpp>
#include <functional>

#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using workload::Buffer;
using workload::Builder;
using workload::Kernel;
using workload::Stream;

// Copies are a whole number of packets only nearly: a packet is 35 ns.
constexpr double kPacket = 0.04;

// Two streams, each a copy in, a kernel that fills the device, a copy out, 10 us each.
struct TwoStreams {
  Builder w;
  Stream s[2] = {w.stream("0", true), w.stream("1", true)};
  Buffer in, out, dev_in, dev_out;
  Kernel k = w.kernel_blocks("k", 4, 1024, 10);
  workload::Thread& main = w.thread("main");

  explicit TwoStreams(bool pageable = false) {
    const uint64_t h = h2d_bytes(10), d = d2h_bytes(10);
    in = pageable ? w.pageable("in", h) : w.pinned("in", h);
    out = pageable ? w.pageable("out", d) : w.pinned("out", d);
    dev_in = w.device("dev in", h);
    dev_out = w.device("dev out", d);
  }
  void copy_in(int i) { main.memcpyAsync(dev_in, in, s[i]); }
  void compute(int i) { main.launch(k, s[i]); }
  void copy_out(int i) { main.memcpyAsync(out, dev_out, s[i]); }
  void depth_first() {
    for (int i : {0, 1}) {
      copy_in(i);
      compute(i);
      copy_out(i);
    }
    main.deviceSynchronize();
  }
  void breadth_first() {
    for (int i : {0, 1}) {
      copy_in(i);
    }
    for (int i : {0, 1}) {
      compute(i);
    }
    for (int i : {0, 1}) {
      copy_out(i);
    }
    main.deviceSynchronize();
  }
  host::Result run(uint32_t engines, const host::Rules& rules = {}) {
    spec::GpuConfig g = plain_gpu(2);  // two blocks of 1024 threads on each SM: one kernel fills it
    g.mutable_host()->mutable_copy()->set_engines(engines);
    return host::run(w.program(), g, {rules, true});
  }
};

TEST_CASE("C03 AX11: one copy engine, depth-first: nothing overlaps, 6t") {
  TwoStreams t;
  t.depth_first();
  const host::Result r = t.run(1);
  CHECK(us(r.end) == Approx(60).margin(6 * kPacket));
  CHECK(in_stream(r, "1", "copy H2D").start >= in_stream(r, "0", "copy D2H").end);
  CHECK(r.copy_kernel_overlap[0] == host::Ps());
}

TEST_CASE("C04 AX12: one copy engine, breadth-first: the second copy in beside the first kernel, 4t") {
  TwoStreams t;
  t.breadth_first();
  const host::Result r = t.run(1);
  CHECK(in_stream(r, "1", "copy H2D").start == Approx(in_stream(r, "0", "k").start).margin(kPacket));
  CHECK(in_stream(r, "0", "copy D2H").start >= in_stream(r, "1", "copy H2D").end);
  CHECK(us(r.end) == Approx(40).margin(6 * kPacket));
}

TEST_CASE("C05 AX10: two copy engines, depth-first: in, out and kernels side by side, 4t") {
  TwoStreams t;
  t.depth_first();
  const host::Result r = t.run(2);
  CHECK(in_stream(r, "1", "copy H2D").start == Approx(in_stream(r, "0", "k").start).margin(kPacket));
  CHECK(in_stream(r, "1", "k").start == Approx(in_stream(r, "0", "copy D2H").start).margin(kPacket));
  CHECK(us(r.end) == Approx(40).margin(6 * kPacket));
}

TEST_CASE("C06 HM01: pageable memory: nothing overlaps, as the guide has it") {
  host::Rules guide;
  guide.pageable_overlaps = false;
  for (const bool depth_first : {true, false}) {
    TwoStreams t(true);
    depth_first ? t.depth_first() : t.breadth_first();
    CHECK(t.run(2, guide).copy_kernel_overlap[0] == host::Ps());
  }
}

TEST_CASE("C07 ST11: a host function starts at the copy's end, and the stream goes on after it") {
  TwoStreams t;
  for (int i : {0, 1}) {
    t.copy_in(i);
    t.compute(i);
    t.copy_out(i);
    t.main.launchHostFunc(t.s[i], 3);
    t.compute(i);
  }
  t.main.deviceSynchronize();
  const host::Result r = t.run(2);
  for (const char* s : {"0", "1"}) {
    CHECK(in_stream(r, s, "cudaLaunchHostFunc").start == in_stream(r, s, "copy D2H").end);
    CHECK(in_stream(r, s, "cudaLaunchHostFunc").end == Approx(in_stream(r, s, "copy D2H").end + 3));
    CHECK(in_stream(r, s, "k", 1).start >= in_stream(r, s, "cudaLaunchHostFunc").end);
  }
}

TEST_CASE("ST01: a stream is in order, also for several host threads") {
  Builder w;
  const Stream s = w.stream("s", true);
  const Kernel a = w.kernel_us("a", 5), b = w.kernel_us("b", 5);
  w.thread("one").launch(a, s);
  w.thread("two").compute_us(1).launch(b, s);
  const host::Result r = host::run(w.program(), plain_gpu());
  CHECK(in_stream(r, "s", "a").end == 5);
  CHECK(in_stream(r, "s", "b").start == 5);
}

TEST_CASE("AX02: launches and asynchronous copies return before they are done") {
  TwoStreams t;
  t.copy_in(0);
  t.compute(0);
  t.copy_out(0);
  CHECK(us(t.run(2).thread_end[0]) == 0);
}

TEST_CASE("AX03: CUDA_LAUNCH_BLOCKING: the launch returns at the kernel's end") {
  Builder w;
  w.thread("main").launch(w.kernel_us("k", 7), w.stream("s", true));
  host::Rules rules;
  rules.launch_blocking = true;
  CHECK(us(host::run(w.program(), plain_gpu(), {rules, true}).thread_end[0]) == 7);
}

// a, then b in the legacy stream, then c: where each starts.
std::vector<double> around_legacy(bool non_blocking) {
  Builder w;
  const Stream x = w.stream("x", non_blocking), y = w.stream("y", non_blocking);
  w.thread("main").launch(w.kernel_us("a", 5), x).launch(w.kernel_us("b", 5)).launch(w.kernel_us("c", 5), y);
  const host::Result r = host::run(w.program(), plain_gpu());
  return {in_stream(r, "x", "a").start, in_stream(r, "default", "b").start, in_stream(r, "y", "c").start};
}

TEST_CASE("ST04: the legacy stream waits for blocking streams and they for it") {
  CHECK(around_legacy(false) == std::vector<double>{0, 5, 10});
}

TEST_CASE("ST05: non-blocking streams are exempt") {
  CHECK(around_legacy(true) == std::vector<double>{0, 0, 0});
}

TEST_CASE("ST06: stream and device synchronisation wait for what they say") {
  Builder w;
  const Stream x = w.stream("x", true), y = w.stream("y", true);
  w.thread("stream").launch(w.kernel_us("a", 5), x).streamSynchronize(x);
  w.thread("device").launch(w.kernel_us("b", 9), y).deviceSynchronize();
  w.thread("query").compute_us(1).streamQuery(x).compute_us(5).streamQuery(x);
  const host::Result r = host::run(w.program(), plain_gpu());
  CHECK(us(r.thread_end[0]) == 5);
  CHECK(us(r.thread_end[1]) == 9);
  CHECK(answers(r) == std::vector<std::string>{"cudaErrorNotReady", "cudaSuccess"});
}

TEST_CASE("ST07: a wait for an event holds back the stream's later work, nothing else") {
  Builder w;
  const Stream x = w.stream("x", true), y = w.stream("y", true), z = w.stream("z", true);
  const workload::Event e = w.event("e");
  const Kernel k = w.kernel_us("k", 5), shorter = w.kernel_us("shorter", 2);
  w.thread("main")
      .launch(k, x)
      .eventRecord(e, x)
      .launch(shorter, y)
      .streamWaitEvent(y, e)
      .launch(k, y)
      .launch(k, z);
  const host::Result r = host::run(w.program(), plain_gpu());
  CHECK(in_stream(r, "y", "shorter").start == 0);
  CHECK(in_stream(r, "y", "k").start == 5);
  CHECK(in_stream(r, "z", "k").start == 0);
}

TEST_CASE("ST07: an event that was never recorded holds nothing back") {
  Builder w;
  const Stream x = w.stream("x", true);
  w.thread("main").streamWaitEvent(x, w.event("e")).launch(w.kernel_us("k", 5), x);
  CHECK(us(host::run(w.program(), plain_gpu()).end) == 5);
}

TEST_CASE("ST06: a stream that only waits for an event is synchronised when that is there") {
  Builder w;
  const Stream x = w.stream("x", true), y = w.stream("y", true);
  const workload::Event e = w.event("e");
  w.thread("main")
      .launch(w.kernel_us("k", 5), x)
      .eventRecord(e, x)
      .streamWaitEvent(y, e)
      .streamSynchronize(y);
  CHECK(us(host::run(w.program(), plain_gpu()).thread_end[0]) == 5);
}

TEST_CASE("ST02: destroying a stream does not wait; its handle is dead") {
  Builder w;
  const Stream x = w.stream("x", true);
  const Kernel k = w.kernel_us("k", 5);
  w.thread("main").launch(k, x).streamDestroy(x).launch(k, x);
  const host::Result r = host::run(w.program(), plain_gpu());
  CHECK(us(r.thread_end[0]) == 0);
  CHECK(us(r.end) == 5);
  CHECK(errors(r) == std::vector<std::string>{"cudaErrorInvalidResourceHandle"});
}

// Two kernels of 5 us in two streams, with a call between: when the second starts.
double with_between(bool guide_12_4, const std::function<void(Builder&, workload::Thread&, Stream)>& call) {
  Builder w;
  const Stream x = w.stream("x", true), y = w.stream("y", true);
  workload::Thread& main = w.thread("main");
  main.launch(w.kernel_us("a", 5), x);
  call(w, main, y);
  main.launch(w.kernel_us("b", 5), y).deviceSynchronize();
  host::Rules rules;
  rules.implicit_sync_12_4 = guide_12_4;
  const host::Result r = host::run(w.program(), plain_gpu(), {rules, true});
  return in_stream(r, "y", "b").start;
}

TEST_CASE("ST08 ST09: the 12.4 guide's list keeps streams apart, the 12.8 guide's rule does not") {
  const auto malloc = [](Builder&, workload::Thread& t, Stream) { t.malloc(1024); };
  const auto pinned = [](Builder&, workload::Thread& t, Stream) { t.mallocHost(1024); };
  const auto memset = [](Builder& w, workload::Thread& t, Stream s) { t.memsetAsync(w.device("d", 16), s); };
  const auto inside = [](Builder& w, workload::Thread& t, Stream s) {
    t.memcpyAsync(w.device("d", 16), w.device("e", 16), s);
  };
  CHECK(with_between(true, [](Builder&, workload::Thread&, Stream) {}) == 0);
  CHECK(with_between(true, malloc) >= 5);
  CHECK(with_between(true, pinned) >= 5);
  CHECK(with_between(true, memset) >= 5);
  CHECK(with_between(true, inside) >= 5);
  CHECK(with_between(false, malloc) < 1);
  CHECK(with_between(false, pinned) < 1);
  CHECK(with_between(false, memset) < 1);
  CHECK(with_between(false, inside) < 1);
}

TEST_CASE("ST15: cudaFree waits for the device") {
  Builder w;
  w.thread("main").launch(w.kernel_us("a", 5), w.stream("x", true)).free(16);
  CHECK(us(host::run(w.program(), plain_gpu()).thread_end[0]) == 5);
}

TEST_CASE("MU08: the default streams of two devices do not wait for each other") {
  Builder w(2);
  const Kernel k = w.kernel_us("k", 5);
  w.thread("main").launch(k, w.legacy(0)).setDevice(1).launch(k, w.legacy(1));
  const host::Result r = host::run(w.program(), plain_gpu());
  CHECK(span(r, "device 1 stream default", "k").start == 0);
}

TEST_CASE("AX13: with one connection, dependent kernels of one stream hold back the other stream") {
  for (const uint32_t connections : {1u, 2u}) {
    Builder w;
    const Stream x = w.stream("x", true), y = w.stream("y", true);
    const Kernel k = w.kernel_us("k", 5);
    w.thread("main").launch(k, x).launch(k, x).launch(k, y).launch(k, y);
    host::Rules rules;
    rules.connections = connections;
    const host::Result r = host::run(w.program(), plain_gpu(), {rules, true});
    // One: x1; x2 with y1 beside it, which had to wait for x2's turn; y2.
    CHECK(in_stream(r, "y", "k").start == (connections == 1 ? 5 : 0));
    CHECK(us(r.end) == (connections == 1 ? 15 : 10));
  }
}

TEST_CASE("AX14: copy connections have a number of their own") {
  for (const uint32_t copy_connections : {1u, 8u}) {
    Builder w;
    const Stream x = w.stream("x", true), y = w.stream("y", true);
    const Buffer h = w.pinned("h", h2d_bytes(10)), d = w.device("d", h2d_bytes(10));
    w.thread("main").launch(w.kernel_us("k", 5), x).memcpyAsync(d, h, x).memcpyAsync(d, h, y);
    host::Rules rules;
    rules.copy_connections = copy_connections;
    const host::Result r = host::run(w.program(), plain_gpu(), {rules, true});
    // The span starts when the engine takes the copy: behind x's, which waited for its kernel; or at once.
    CHECK(in_stream(r, "y", "copy H2D").start == Approx(copy_connections == 1 ? 15 : 0).margin(kPacket));
  }
}

TEST_CASE("AX15: the host waits when the launch queue is full; CUDA_SCALE_LAUNCH_QUEUES") {
  for (const double scale : {1.0, 0.5}) {
    Builder w;
    const Stream x = w.stream("x", true);
    const Kernel k = w.kernel_us("k", 5);
    w.thread("main").repeat(6, [&](workload::Thread& t) { t.launch(k, x); });
    spec::GpuConfig g = plain_gpu();
    g.mutable_host()->mutable_queues()->set_depth(4);
    host::Rules rules;
    rules.launch_queue_scale = scale;
    // One runs, four (two) wait in the queue: the sixth call has its effect when the second (fourth) kernel
    // starts.
    CHECK(us(host::run(w.program(), g, {rules, true}).thread_end[0]) == (scale == 1 ? 5 : 15));
  }
}

TEST_CASE("AX16: polling, yielding and sleeping threads notice at different times") {
  spec::GpuConfig g = plain_gpu();
  g.mutable_host()->mutable_latency()->set_spin_ns(1000);
  g.mutable_host()->mutable_latency()->set_yield_ns(2000);
  g.mutable_host()->mutable_latency()->set_block_ns(3000);
  using Wait = host::Rules::Wait;
  for (const auto& [wait, later] : {std::pair(Wait::kSpin, 1), {Wait::kYield, 2}, {Wait::kBlock, 3}}) {
    Builder w;
    w.thread("main").launch(w.kernel_us("k", 5)).deviceSynchronize();
    host::Rules rules;
    rules.wait = wait;
    CHECK(us(host::run(w.program(), g, {rules, true}).end) == 5 + later);
  }
}

TEST_CASE("AX11: kernels behind a copy of their stream do not stand in the way of others' copies") {
  Builder w;
  const Stream s = w.stream("s", true), t = w.stream("t", true);
  const Buffer h = w.pinned("h", h2d_bytes(10)), d = w.device("d", h2d_bytes(10));
  w.thread("main")
      .memcpyAsync(d, h, s)
      .launch(w.kernel_us("a", 20), s)
      .launch(w.kernel_us("b", 5), s)
      .memcpyAsync(d, h, t);
  spec::GpuConfig g = plain_gpu();
  g.mutable_host()->mutable_queues()->set_copy_connections(1);
  const host::Result r = host::run(w.program(), g);
  CHECK(in_stream(r, "t", "copy H2D").start == Approx(10).margin(kPacket));
  CHECK(in_stream(r, "s", "b").start == Approx(30).margin(kPacket));
}

TEST_CASE(
    "ST04: a thread that waits for the legacy stream waits for a blocking stream's last command, once") {
  Builder w;
  const Stream s = w.stream("s");
  host::KernelDesc stuck;
  stuck.name = "stuck";
  stuck.until_flag = w.flag("f").id;
  w.thread("main").launch(w.kernel(stuck), s).launch(w.kernel_us("k", 1), s).launch(w.kernel_us("l", 1), s);
  w.thread("other").compute_us(1).streamSynchronize();
  const host::Result r = host::run(w.program(), plain_gpu());
  std::vector<std::string> threads;
  for (const std::string& line : r.deadlock) {
    if (line.starts_with("thread other")) {
      threads.push_back(line);
    }
  }
  CHECK(threads == std::vector<std::string>{
                       "thread other (cudaStreamSynchronize, call 2) waits for kernel l (#3) of stream s"});
}

}  // namespace
}  // namespace heddle::hosttest
