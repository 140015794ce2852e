// Programmatic dependent launch: cuda-model A14, C19, C20.
#include <catch2/catch.hpp>

#include "sim/host/core/programmatic.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using workload::Builder;
using workload::Event;
using workload::Kernel;
using workload::LaunchAttributes;
using workload::Stream;

constexpr LaunchAttributes kBeside{.programmatic = true};

// Kernels of `blocks` blocks of 128 threads, 10 us each; -1: never.
Kernel kernel(Builder& w, const std::string& name, double trigger_us, double wait_us, uint32_t blocks = 4,
              double block_us = 10) {
  host::KernelDesc k;
  k.name = name;
  k.has_grid = true;
  k.grid.x = blocks;
  k.block.x = 128;
  k.block_duration = host::from_us(block_us);
  k.trigger_after = trigger_us < 0 ? host::kNever : host::from_us(trigger_us);
  k.wait_after = wait_us < 0 ? host::kNever : host::from_us(wait_us);
  return w.kernel(k);
}

struct Two {
  Times first, second;
  host::Result all;
};

Two two(double trigger_us, double wait_us, const LaunchAttributes& attributes = kBeside,
        const spec::GpuConfig& gpu = plain_gpu()) {
  Builder w;
  const Stream s = w.stream("s", true);
  w.thread("main")
      .launch(kernel(w, "first", trigger_us, -1), s)
      .launch(kernel(w, "second", -1, wait_us), s, attributes);
  const host::Result r = host::run(w.program(), gpu);
  CHECK(r.deadlock.empty());
  return {in_stream(r, "s", "first"), in_stream(r, "s", "second"), r};
}

TEST_CASE("C19 PD01 PD02 PD04 PD07: the second kernel starts at the trigger and waits at its dependency") {
  const Two t = two(4, 3);
  CHECK(t.first.start == 0);
  CHECK(t.first.end == 10);
  CHECK(t.second.start == 4);
  CHECK(t.second.end == 17);                  // 3 us of its 10 are done when the first ends
  CHECK(us(t.all.dependency_wait) == 4 * 3);  // four blocks from 7 to 10
  CHECK(two(4, 8).second.end == 14);          // at its dependency only at 12: no wait
  CHECK(two(4, 8).all.dependency_wait == host::Ps());
}

TEST_CASE("C19 PD03: no trigger: it starts when all blocks have ended, before the memory is flushed") {
  spec::GpuConfig g = plain_gpu();
  g.mutable_host()->mutable_latency()->set_kernel_end_ns(500);
  g.mutable_host()->mutable_latency()->set_same_stream_ns(2000);
  const Two t = two(-1, 1, kBeside, g);
  CHECK(t.first.end == 10.5);
  CHECK(t.second.start == 10);
  CHECK(t.second.end ==
        20.5);  // 1 us, then from 10 + 1 on (the flush is over by then) 9 more, and the end's 0.5
  CHECK(two(-1, 0, kBeside, g).second.end == 21);  // waits for the flush, at 10.5
  CHECK(two(-1, 1, {}, g).second.start == 12.5);   // without the attribute
}

TEST_CASE("PD02: all blocks must have started and triggered") {
  Builder w;
  const Stream s = w.stream("s", true);
  // 2 SMs of 16 such blocks: 40 blocks are two waves. The last eight start at 10 and trigger at 14.
  w.thread("main").launch(kernel(w, "first", 4, -1, 40), s).launch(kernel(w, "second", -1, 0), s, kBeside);
  const host::Result r = host::run(w.program(), plain_gpu(2));
  CHECK(in_stream(r, "s", "second").start == 14);
  CHECK(in_stream(r, "s", "second").end == 30);
}

TEST_CASE("PD05: without the wait a kernel may read what is not written: it is named") {
  const Two t = two(4, -1);
  CHECK(t.second.end == 14);
  REQUIRE(t.all.hazards.size() == 1);
  CHECK(t.all.hazards[0].starts_with("second: 1 launches ran beside the kernel before"));
  CHECK(two(4, 0).all.hazards.empty());
  CHECK(two(4, -1, {}).all.hazards.empty());
}

TEST_CASE("PD04: a kernel behind the second one waits for the first too") {
  Builder w;
  const Stream s = w.stream("s", true);
  w.thread("main")
      .launch(kernel(w, "first", 1, -1), s)
      .launch(kernel(w, "second", -1, -1, 4, 2), s, kBeside)
      .launch(w.kernel_us("third", 1), s);
  const host::Result r = host::run(w.program(), plain_gpu());
  CHECK(in_stream(r, "s", "second").end == 3);
  CHECK(in_stream(r, "s", "third").start == 10);
}

TEST_CASE("PD01: a chain: each runs beside the one before") {
  Builder w;
  const Stream s = w.stream("s", true);
  workload::Thread& main = w.thread("main");
  const Kernel k = kernel(w, "k", 6, 4);
  main.launch(k, s);
  for (int i = 0; i < 3; ++i) {
    main.launch(k, s, kBeside);
  }
  const host::Result r = host::run(w.program(), plain_gpu());
  // Starts at 6, at its dependency from 10 on, triggers 2 us later: the next starts at 12.
  CHECK(in_stream(r, "s", "k", 1).start == 6);
  CHECK(in_stream(r, "s", "k", 1).end == 16);
  CHECK(in_stream(r, "s", "k", 2).start == 12);
  CHECK(in_stream(r, "s", "k", 2).end == 22);
  CHECK(us(r.end) == 28);
}

TEST_CASE("PD06: without room the kernels run one after the other") {
  Builder w;
  const Stream s = w.stream("s", true);
  w.thread("main").launch(kernel(w, "first", 0, -1, 16), s).launch(kernel(w, "second", -1, 0), s, kBeside);
  const host::Result r = host::run(w.program(), plain_gpu(1));
  CHECK(in_stream(r, "s", "second").start == 10);
}

// The first kernel polls for what only the second one does.
host::Result relies_on_overlap(uint32_t sms) {
  Builder w;
  const Stream s = w.stream("s", true);
  const workload::Flag f = w.flag("f");
  const Kernel a = kernel(w, "first", 0, -1, 16), b = kernel(w, "second", -1, -1);
  w.program().kernels[a.id].until_flag = f.id;
  w.program().kernels[b.id].sets_flag = f.id;
  w.thread("main").launch(a, s).launch(b, s, kBeside).deviceSynchronize();
  return host::run(w.program(), plain_gpu(sms));
}

TEST_CASE("PD06: who relies on running beside may wait for ever: a report") {
  CHECK(us(relies_on_overlap(2).end) == 10);
  const host::Result r = relies_on_overlap(1);
  REQUIRE(r.deadlock.size() == 3);
  CHECK(r.deadlock[0].starts_with("thread main (cudaDeviceSynchronize, call 3) waits for kernel second"));
  CHECK(r.deadlock[2] == "kernel first (#1) of stream s runs until flag f is set");
}

// second, of another stream, by the event that first's launch records.
host::Result by_event(bool at_block_start) {
  Builder w;
  const Stream s = w.stream("s", true), q = w.stream("q", true);
  const Event e = w.event("e", false);
  w.thread("main")
      .launch(kernel(w, "first", 4, -1, 80), s,
              {.programmatic_event = e, .trigger_at_block_start = at_block_start})
      .streamWaitEvent(q, e)
      .launch(kernel(w, "second", -1, 3), q)
      .memcpyAsync(w.pinned("h", 8000), w.device("d", 8000), q);
  return host::run(w.program(), plain_gpu(4));
}

TEST_CASE("PD08 C20: an event that the launch records, at the trigger or when all blocks have started") {
  // 64 blocks at once: 16 more start at 10.
  const host::Result trigger = by_event(false), start = by_event(true);
  CHECK(in_stream(trigger, "q", "second").start == 14);
  CHECK(in_stream(trigger, "q", "second").end == 27);  // at its dependency from 17 to 20
  CHECK(in_stream(trigger, "q", "copy D2H").start == 27);
  CHECK(in_stream(start, "q", "second").start == 10);
  CHECK(in_stream(start, "q", "second").end == 27);
}

TEST_CASE("PD08: work other than kernels waits for the kernel's end") {
  Builder w;
  const Stream s = w.stream("s", true), q = w.stream("q", true);
  const Event e = w.event("e", false);
  w.thread("main")
      .launch(kernel(w, "first", 4, -1), s, {.programmatic_event = e})
      .streamWaitEvent(q, e)
      .memsetAsync(w.device("d", 8000), q);
  CHECK(in_stream(host::run(w.program(), plain_gpu()), "q", "cudaMemset").start == 10);
}

TEST_CASE("PD08: the event needs cudaEventDisableTiming; the attributes need compute capability 9.0") {
  Builder w;
  const Event e = w.event("e", true);
  const Kernel k = kernel(w, "k", -1, -1);
  w.thread("main").launch(k, {}, {.programmatic_event = e}).launch(k, {}, kBeside);
  CHECK(errors(host::run(w.program(), plain_gpu())) == std::vector<std::string>{"cudaErrorInvalidValue"});
  spec::GpuConfig g = plain_gpu();
  g.mutable_limits()->set_compute_capability(80);
  CHECK(errors(host::run(w.program(), g)) ==
        std::vector<std::string>{"cudaErrorNotSupported", "cudaErrorNotSupported"});
}

TEST_CASE("PD07: what is no kernel is waited for as without the attribute") {
  Builder w;
  const Stream s = w.stream("s", true);
  w.thread("main")
      .memcpyAsync(w.device("d", h2d_bytes(5)), w.pinned("h", h2d_bytes(5)), s)
      .launch(kernel(w, "k", -1, -1), s, kBeside);
  CHECK(in_stream(host::run(w.program(), plain_gpu()), "s", "k").start == Approx(5).epsilon(0.01));
}

TEST_CASE("C20: the edge of a graph that each attribute stands for") {
  host::Call c;
  CHECK(host::port_of(c) == host::Port::kDefault);
  CHECK(host::edge_from(host::port_of(c)).type == 0);
  c.programmatic = true;
  CHECK(host::port_of(c) == host::Port::kProgrammatic);
  CHECK(host::edge_from(host::port_of(c)).type == 1);
  c.programmatic = false;
  c.programmatic_event = 0;
  CHECK(host::port_of(c) == host::Port::kProgrammatic);
  c.trigger_at_block_start = true;
  CHECK(host::port_of(c) == host::Port::kLaunchCompletion);
  CHECK(host::edge_from(host::port_of(c)).type == 1);
}

}  // namespace
}  // namespace heddle::hosttest
