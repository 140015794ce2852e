// Kernels that kernels launch: cuda-model A27. Whole microseconds: calls and latencies cost nothing unless a
// test says so.
#include <catch2/catch.hpp>

#include "tests/sim/host/nested/nested_support.h"

namespace heddle::hosttest::nested {
namespace {

TEST_CASE("DP01: a grid is finished when all below it are, and the stream goes on then") {
  Program p;
  const Kernel grandchild = p.kernel("grandchild", 50), child = p.kernel("child", 3),
               parent = p.kernel("parent");
  device_launch(p.w, child, {.child = grandchild, .by = {.after_us = 1}});
  device_launch(p.w, parent, {.child = child, .by = {.after_us = 4}});
  p.main.launch(parent, p.s).launch(p.kernel("after", 1), p.s);
  const host::Result r = p.run();
  CHECK(device_errors(r).empty());
  CHECK(at(r, "child").start == 4);
  CHECK(at(r, "grandchild").start == 5);
  CHECK(at(r, "grandchild").end == 55);
  CHECK(at(r, "child").end == 55);  // its own blocks: 7
  CHECK(span(r, "device 0 kernels", "child").end == 7);
  CHECK(at(r, "parent").end == 55);
  CHECK(span(r, "device 0 kernels", "parent").end == 10);
  CHECK(at(r, "after").start == 55);
  CHECK(counter(r, "kernels launched by kernels") == 2);
}

TEST_CASE("DP02 DP03: a child starts at once, or when its parent's blocks have ended") {
  Program p;
  const Kernel child = p.kernel("child", 5), parent = p.kernel("parent");
  const Flag f = p.w.flag("f");
  device_launch(p.w, parent, {.child = child, .by = {.after_us = 4}});
  p.main.launch(parent, p.s).streamSynchronize(p.s);
  SECTION("eager") { CHECK(at(p.run(), "child").start == 4); }
  SECTION("lazy") {
    p.rules.lazy_children = true;
    const host::Result r = p.run();
    CHECK(at(r, "child").start == 10);
    CHECK(at(r, "parent").end == 15);
  }
  SECTION("a parent that waits for what its child does") {
    p.w.program().kernels[parent.id].until_flag = f.id;
    p.w.program().kernels[child.id].sets_flag = f.id;
    CHECK(p.run().deadlock.empty());
    p.rules.lazy_children = true;
    CHECK(!p.run().deadlock.empty());
  }
}

TEST_CASE("DP04: the NULL stream is the block's, others are the grid's, and none holds up another") {
  Program p;
  const Kernel child = p.w.kernel_us("child", 10);
  const Kernel parent = p.w.kernel_blocks("parent", 2, 32, 1);
  const auto ends = [&](const std::string& stream, const host::Result& r) {
    CAPTURE(stream);
    return r.end;
  };
  SECTION("two blocks, one launch each: side by side") {
    device_launch(p.w, parent, {.child = child, .by = {.blocks = kAllBlocks}});
    p.main.launch(parent, p.s);
    CHECK(us(ends("NULL", p.run())) == 10);
  }
  SECTION("two blocks into one stream of the grid: one after the other") {
    device_launch(p.w, parent, {.child = child, .stream = "t", .by = {.blocks = kAllBlocks}});
    p.main.launch(parent, p.s);
    CHECK(us(ends("t", p.run())) == 20);
  }
  SECTION("one block: its NULL stream orders, and holds back no other") {
    device_launch(p.w, parent, {.child = child});
    device_launch(p.w, parent, {.child = p.w.kernel_us("other", 10), .stream = "t"});
    device_launch(p.w, parent, {.child = child});
    p.main.launch(parent, p.s);
    const host::Result r = p.run();
    CHECK(at(r, "other").start == 0);
    CHECK(at(r, "child", 1).start == 10);
  }
  SECTION("CDP1: streams are the block's") {
    p.older();
    compile_for_cdp1(p.w, parent);
    device_launch(p.w, parent, {.child = child, .stream = "t", .by = {.blocks = kAllBlocks}});
    p.main.launch(parent, p.s);
    CHECK(us(ends("t", p.run())) == 10);
  }
}

TEST_CASE("C47 DP05: fire and forget: the second does not wait for the first") {
  Program p;
  const Kernel parent = p.kernel("P");
  device_launch(p.w, parent, {.child = p.kernel("C1"), .into = kForget, .by = {.after_us = 2}});
  device_launch(p.w, parent, {.child = p.kernel("C2"), .into = kForget, .by = {.after_us = 2}});
  p.main.launch(parent, p.s);
  const host::Result r = p.run();
  CHECK(at(r, "C1").start == 2);
  CHECK(at(r, "C2").start == 2);
}

TEST_CASE("DP05: fire and forget costs less than a new stream for each launch") {
  Program p;
  p.costs().set_forget_call_ns(5000);
  p.costs().set_stream_call_ns(6000);
  p.costs().set_stream_create_ns(500);
  const Kernel parent = p.kernel("P", 0), child = p.kernel("C", 1);
  const bool forget = GENERATE(true, false);
  for (const char* s : {"a", "b", "c"}) {
    device_launch(p.w, parent, {.child = child, .into = kForget, .stream = forget ? "" : s});
  }
  p.main.launch(parent, p.s);
  CHECK(us(p.run().end) == Approx(forget ? 3 * 5 + 1 : 3 * 6.5 + 1));
}

TEST_CASE("C48 DP06: tails: the second after the first, both after their grid") {
  Program p;
  p.costs().set_tail_start_ns(3000);
  p.costs().set_next_ns(500);
  const Kernel parent = p.kernel("P");
  device_launch(p.w, parent, {.child = p.kernel("C1"), .into = kTail});
  device_launch(p.w, parent, {.child = p.kernel("C2"), .into = kTail});
  p.main.launch(parent, p.s).launch(p.kernel("after"), p.s);
  const host::Result r = p.run();
  CHECK(at(r, "C1").start == 13);
  CHECK(at(r, "C2").start == 23.5);
  CHECK(at(r, "after").start == 33.5);
}

TEST_CASE("C49 DP06: a tail comes after what any thread launches, however early it was queued") {
  Program p;
  const Kernel parent = p.w.kernel_blocks("P", 1, 32, 10);
  const Kernel x = p.kernel("X", 5), f = p.kernel("F", 20);
  device_launch(p.w, parent, {.child = p.kernel("C"), .into = kTail});
  device_launch(p.w, parent, {.child = x, .by = {.threads = 4}});
  device_launch(p.w, parent, {.child = f, .into = kForget, .by = {.after_us = 8}});
  p.main.launch(parent, p.s);
  const host::Result r = p.run();
  CHECK(at(r, "X", 3).end == 20);  // one NULL stream
  CHECK(at(r, "X", 4).start == -1);
  CHECK(at(r, "F").end == 28);
  CHECK(at(r, "C").start == 28);
}

TEST_CASE(
    "C50 DP06: the next grid of the host's stream comes after the tail; a tail's children run side by side") {
  Program p;
  const Kernel p1 = p.kernel("P1"), t = p.kernel("T", 1);
  device_launch(p.w, t, {.child = p.kernel("C1", 7), .into = kForget});
  device_launch(p.w, t, {.child = p.kernel("C2", 7), .into = kForget});
  device_launch(p.w, p1, {.child = t, .into = kTail});
  p.main.launch(p1, p.s).launch(p.kernel("P2"), p.s);
  const host::Result r = p.run();
  CHECK(at(r, "C1").start == 10);
  CHECK(at(r, "C2").start == 10);
  CHECK(at(r, "P2").start == 17);
}

TEST_CASE("DP06: the tails of a tail come before those that were queued earlier") {
  Program p;
  const Kernel g = p.kernel("G"), x = p.kernel("X");
  device_launch(p.w, x, {.child = p.kernel("A"), .into = kTail});
  device_launch(p.w, g, {.child = x, .into = kTail});
  device_launch(p.w, g, {.child = p.kernel("Y"), .into = kTail});
  p.main.launch(g, p.s);
  const host::Result r = p.run();
  CHECK(at(r, "X").start == 10);
  CHECK(at(r, "A").start == 20);
  CHECK(at(r, "Y").start == 30);
}

TEST_CASE("C51: hello world: the child says Hello, the tail World!") {
  Program p;
  const Kernel parent = p.kernel("parent", 1);
  device_launch(p.w, parent, {.child = p.kernel("Hello", 2)});
  device_launch(p.w, parent, {.child = p.kernel("World!", 3), .into = kTail});
  p.main.launch(parent, p.s).deviceSynchronize();
  const host::Result r = p.run();
  CHECK(at(r, "Hello").end == 2);
  CHECK(at(r, "World!").start == 2);
  CHECK(us(r.thread_end[0]) == 5);
}

TEST_CASE("DP07: events order streams of the grid, and nothing else") {
  Program p;
  p.costs().set_event_wait_ns(2000);
  const Kernel parent = p.kernel("P", 1);
  device_launch(p.w, parent, {.child = p.kernel("A"), .stream = "a"});
  device_event_record(p.w, parent, "e", "a");
  device_launch(p.w, parent, {.child = p.kernel("A2"), .stream = "a"});
  device_stream_wait_event(p.w, parent, "b", "e");
  device_launch(p.w, parent, {.child = p.kernel("B"), .stream = "b"});
  p.main.launch(parent, p.s);
  const host::Result r = p.run();
  CHECK(device_errors(r).empty());
  CHECK(at(r, "A2").start == 10);
  CHECK(at(r, "B").start == 12);
}

TEST_CASE("DP07: an event behind nothing is there at once, and who waits for it goes on") {
  Program p;
  const Kernel parent = p.kernel("P", 1);
  device_event_record(p.w, parent, "e", "a");
  device_stream_wait_event(p.w, parent, "b", "e");
  device_stream_wait_event(p.w, parent, "b", "never recorded");
  device_launch(p.w, parent, {.child = p.kernel("B"), .stream = "b"});
  p.main.launch(parent, p.s).streamSynchronize(p.s);
  const host::Result r = p.run();
  CHECK(r.deadlock.empty());
  CHECK(device_errors(r).empty());
  CHECK(at(r, "B").start == 0);
  CHECK(us(r.thread_end[0]) == 10);
}

TEST_CASE("DP07: twice the pending launches of events, less four that the H200's driver keeps") {
  Program p;
  const Kernel parent = p.kernel("P");
  device_event_create(p.w, parent, 70);
  p.main.deviceSetLimit(host::Limit::kPendingLaunches, 32).launch(parent, p.s).launch(parent, p.s);
  // 60 each time: the grid's events go with it.
  CHECK(device_errors(p.run()) == Strings{"P: cudaEventCreateWithFlags: cudaErrorMemoryAllocation x 20"});
}

TEST_CASE("DP05 DP06 DP07: the fire-and-forget and tail streams have no events") {
  Program p;
  const Kernel parent = p.kernel("P");
  device_event_record(p.w, parent, "e");
  device_event_record(p.w, parent, "e");
  p.w.program().kernels[parent.id].calls[0].into = kForget;
  p.w.program().kernels[parent.id].calls[1].into = kTail;
  p.main.launch(parent, p.s);
  CHECK(device_errors(p.run()) ==
        Strings{"P: cudaEventRecord(e, cudaStreamFireAndForget): cudaErrorInvalidValue x 1",
                "P: cudaEventRecord(e, cudaStreamTailLaunch): cudaErrorInvalidValue x 1"});
}

TEST_CASE("DP08: no synchronisation in kernels but by CDP1, before compute capability 9.0") {
  Program p;
  const Kernel child = p.kernel("child", 20), after = p.kernel("after", 1);
  const auto with = [&](Kernel k) {
    device_launch(p.w, k, {.child = child, .by = {.after_us = 2}});
    device_synchronize(p.w, k);
    device_launch(p.w, k, {.child = after});
    p.main.launch(k, p.s);
  };
  SECTION("CDP2: no compiler takes it") {
    with(p.kernel("P"));
    CHECK_THROWS_WITH(p.run(), Catch::Contains("kernel P, call 2: cudaDeviceSynchronize in a kernel"));
  }
  SECTION("CDP1 does not load on an H200") {
    with(p.cdp1("P"));
    CHECK(errors(p.run()) == Strings{"cudaErrorCdpNotSupported"});
  }
  SECTION("CDP1: the block waits for its children") {
    p.older();
    p.costs().set_join_ns(1000);
    with(p.cdp1("P"));
    const host::Result r = p.run();
    CHECK(errors(r).empty());
    CHECK(at(r, "after").start == 23);
    CHECK(at(r, "P").end == 25);
  }
}

TEST_CASE("DP08: a block that synchronises gives its place to its children") {
  Program p;
  p.older();
  const Kernel child = p.w.kernel_blocks("child", 4, 1024, 5);  // one block to each SM of four
  const Kernel parent = p.w.kernel_blocks("P", 4, 1024, 10);
  compile_for_cdp1(p.w, parent);
  device_launch(p.w, parent, {.child = child, .by = {.after_us = 2}});
  device_synchronize(p.w, parent, {.blocks = kAllBlocks});
  p.gpu.mutable_limits()->set_max_warps_per_sm(32);
  p.main.launch(parent, p.s);
  const host::Result r = p.run();
  CHECK(r.deadlock.empty());
  // The first block's place is free at 2, the others' at 10; four blocks of 5 us one after the other.
  CHECK(at(r, "child").end == 15);
}

TEST_CASE("DP01: calls take their time, one after the other, and the block lasts until they have returned") {
  Program p;
  p.costs().set_forget_call_ns(4000);
  p.costs().set_forget_serial_ns(1000);
  p.costs().set_first_contention_ns(500);
  p.costs().set_start_ns(300);
  p.costs().set_join_ns(2000);
  p.costs().set_finish_ns(1500);
  const Kernel parent = p.w.kernel_blocks("P", 2, 32, 1), child = p.kernel("C", 10);
  SECTION("one thread, twice") {
    device_launch(p.w, parent, {.child = child, .into = kForget, .by = {.times = 2}});
    p.main.launch(parent, p.s);
    const host::Result r = p.run();
    CHECK(at(r, "C").start == Approx(4.3));
    CHECK(at(r, "C", 1).start == Approx(8.3));
    CHECK(span(r, "device 0 kernels", "P").end == 8);
    CHECK(at(r, "P").end == Approx(18.3 + 2 + 1.5));
  }
  SECTION(
      "two blocks, two threads each: taken 1 us apart, later by 0.5 us times log2 of the calls under way") {
    device_launch(p.w, parent, {.child = child, .into = kForget, .by = {.blocks = kAllBlocks, .threads = 2}});
    p.main.launch(parent, p.s);
    const host::Result r = p.run();
    CHECK(at(r, "C", 0).start == Approx(4.3));
    CHECK(at(r, "C", 1).start == Approx(5.3 + 0.5));
    CHECK(at(r, "C", 2).start == Approx(6.3 + 0.5 * 1.584962).epsilon(1e-6));
    CHECK(at(r, "C", 3).start == Approx(7.3 + 1));
  }
  SECTION("children that end before their parent cost the stream nothing") {
    p.w.program().kernels[parent.id].block_duration = host::from_us(100);
    device_launch(p.w, parent, {.child = child, .into = kForget});
    p.main.launch(parent, p.s);
    CHECK(at(p.run(), "P").end == 100);
  }
  SECTION("at the block's end") {
    device_launch(p.w, parent, {.child = child, .into = kForget, .by = {.at_end = true}});
    p.main.launch(parent, p.s);
    const host::Result r = p.run();
    CHECK(at(r, "C").start == Approx(5.3));
    CHECK(span(r, "device 0 kernels", "P").end == 5);
  }
}

TEST_CASE("DP01: each kernel that waited for another costs the tree's end a cleanup") {
  Program p;
  p.costs().set_next_ns(1000);
  p.costs().set_cleanup_ns(2500);
  const Kernel parent = p.kernel("P", 0), child = p.kernel("C", 10);
  device_launch(p.w, parent, {.child = child, .by = {.times = 4}});
  p.main.launch(parent, p.s);
  const host::Result r = p.run();
  CHECK(at(r, "C", 3).start == 33);
  CHECK(at(r, "P").end == 43 + 3 * 2.5);
}

TEST_CASE("DP01 DP06: as a node of a graph; but not in a graph that the device launches") {
  Program p;
  const Kernel parent = p.kernel("P");
  device_launch(p.w, parent, {.child = p.kernel("C", 30), .into = kForget, .by = {.after_us = 5}});
  const Graph g = add_graph(p.w, "g");
  const Node n = kernel_node(p.w, g, parent);
  kernel_node(p.w, g, p.kernel("next", 1), {n});
  const GraphExec x = add_graph_exec(p.w, "x");
  SECTION("of the host") {
    p.main.graphInstantiate(x, g).graphLaunch(x, p.s);
    const host::Result r = p.run();
    CHECK(at(r, "C").start == 5);
    CHECK(at(r, "next").start == 35);
  }
  SECTION("of the device") {
    p.main.graphInstantiate(x, g, {.device_launch = true});
    CHECK(errors(p.run()) == Strings{"cudaErrorInvalidValue"});
  }
}

TEST_CASE("DP12: kernels that launch each other without an end are refused") {
  Program p;
  const Kernel a = p.kernel("a"), b = p.kernel("b");
  device_launch(p.w, a, {.child = b, .into = kTail});
  device_launch(p.w, b, {.child = a, .into = kTail});
  p.main.launch(a, p.s);
  CHECK_THROWS_WITH(p.run(), Catch::Contains("launches a, which launches it, without an end"));
  p.w.program().kernels[b.id].calls[0].levels = 10;
  CHECK(counter(p.run(), "kernels launched by kernels") == 11);
}

}  // namespace
}  // namespace heddle::hosttest::nested
