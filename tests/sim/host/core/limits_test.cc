// Programs that go on for ever, or would take a machine's memory: what is refused, what is left out, what
// runs on.
#include <catch2/catch.hpp>

#include "frontends/workload/device_builder.h"
#include "frontends/workload/graph_builder.h"
#include "sim/base/cancelled.h"
#include "sim/host/program/program_error.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using namespace workload;
using Catch::Matchers::Contains;

host::Result run(const Builder& w, const host::Limits& limits = {}, bool check = false) {
  host::PlatformOptions o;
  o.limits = limits;
  o.check = check;
  return host::run(w.program(), plain_gpu(), o);
}

// What a run of at most so many steps says.
std::string refusal(const Builder& w, const host::Limits& limits) {
  try {
    run(w, limits);
  } catch (const host::LimitReached& e) {
    return e.what();
  }
  return "";
}

host::Limits steps(uint64_t n) {
  host::Limits l;
  l.steps = n;
  return l;
}

}  // namespace

TEST_CASE("a loop in which nothing is called ends at once, however often it goes round") {
  Builder w;
  const Kernel k = w.kernel_us("k", 1);
  constexpr uint64_t kOften = 1000000000000000000;
  w.thread("main")
      .repeat(kOften, [](Thread&) {})
      .repeat(kOften, [&](Thread& t) { t.repeat(0, [&](Thread& inner) { inner.launch(k); }); })
      .repeat(kOften, [](Thread& t) { t.repeat(kOften, [](Thread&) {}); })
      .repeat(2, [&](Thread& t) {
        t.repeat(3, [&](Thread& inner) { inner.launch(k); }).repeat(kOften, [](Thread&) {});
      });
  CHECK(run(w).operations == 6);
}

TEST_CASE("a loop can be watched and cancelled, also where its calls take no time") {
  Builder w;
  const Flag f = w.flag("f");
  w.thread("main").repeat(1000000000000, [&](Thread& t) { t.setFlag(f); });
  std::atomic<bool> cancel = false;
  uint64_t told = 0;
  host::PlatformOptions o;
  o.cancel = &cancel;
  o.progress = [&](host::Ps, uint64_t calls) {
    CHECK(calls > told);
    told = calls;
    cancel = true;
  };
  CHECK_THROWS_AS(host::run(w.program(), plain_gpu(), o), Cancelled);
  CHECK(told > 1000000);
}

TEST_CASE("what is kept of a long loop is limited, and the rest counted") {
  Builder w;
  const Kernel k = w.kernel_us("k", 1), too_large = w.kernel_blocks("l", 1, 2000, 1);
  const Event a = w.event("a"), b = w.event("b");
  w.thread("main").eventRecord(a).eventRecord(b).repeat(100, [&](Thread& t) {
    t.launch(k).launch(too_large).streamQuery().eventSynchronize(b).eventElapsedTime(a, b);
  });
  host::Limits l;
  l.spans = 50;
  l.records = 10;
  const host::Result all = run(w), some = run(w, l);
  CHECK(all.spans_left_out + all.errors_left_out + all.answers_left_out + all.elapsed_left_out == 0);
  CHECK(some.spans.size() == 50);
  CHECK(some.spans_left_out == all.spans.size() - 50);
  CHECK((some.errors.size() == 10 && some.errors_left_out == 90 && all.errors.size() == 100));
  CHECK((some.answers.size() == 10 && some.answers_left_out == 90));
  CHECK((some.elapsed.size() == 10 && some.elapsed_left_out == 90));
  REQUIRE(some.tracks.size() == all.tracks.size());
  for (size_t i = 0; i < all.tracks.size(); ++i) {  // these count all spans
    CHECK((some.tracks[i].busy == all.tracks[i].busy && some.tracks[i].spans == all.tracks[i].spans));
  }
}

TEST_CASE("commands under way at once are limited; the message says in which call, and which limit") {
  Builder w;
  const Stream s = w.stream("s", true);
  const Event e = w.event("e", false);
  // Neither takes a place in a queue.
  w.thread("main").launch(w.kernel_us("k", 1000000000), s).repeat(1000000000, [&](Thread& t) {
    t.eventRecord(e, s).streamWaitEvent(s, e);
  });
  host::Limits l;
  l.commands = 1000;
  CHECK_THAT(refusal(w, l), Contains("thread main") && Contains("call ") &&
                                Contains("more than 1000 commands under way at once (limit commands"));
}

TEST_CASE("a long chain of commands that take no time") {
  Builder w;
  const Stream s = w.stream("s", true);
  const Event e = w.event("e", false);
  w.thread("main").launch(w.kernel_us("k", 1), s).repeat(100000, [&](Thread& t) {
    t.eventRecord(e, s).streamWaitEvent(s, e);
  });
  const host::Result r = run(w);
  CHECK(r.deadlock.empty());
  CHECK(us(r.end) == 1);
}

TEST_CASE("time ends after 53 days") {
  Builder w;
  w.thread("main").repeat(1000000, [](Thread& t) { t.compute_us(1e9); });
  CHECK_THAT(refusal(w, {}), Contains("thread main") && Contains("more than 53 days"));
}

TEST_CASE("GR27: child graphs that double are refused before they are unfolded") {
  Builder w;
  Graph g = add_graph(w, "g0");
  kernel_node(w, g, w.kernel_us("k", 1));
  for (int i = 1; i < 40; ++i) {
    const Graph next = add_graph(w, "g" + std::to_string(i));
    child_node(w, next, g);
    child_node(w, next, g);
    g = next;
  }
  w.thread("main").graphInstantiate(add_graph_exec(w, "x"), g);
  host::Limits l;
  CHECK_THAT(refusal(w, l),
             Contains("thread main, cudaGraphInstantiate, call 1: graph g39: more than 500000 nodes"));
}

TEST_CASE("GR27: the nodes of bodies count, however deep") {
  for (const bool deep : {false, true}) {
    for (const int nodes : {8, 9, 10}) {
      Builder w;
      const Handle h = add_handle(w, "h", 1);
      const Graph g = add_graph(w, "g"), body = add_graph(w, "body"), inner = add_graph(w, "inner");
      for (int i = 0; i < nodes; ++i) {
        kernel_node(w, deep ? inner : body, w.kernel_us("k", 1));
      }
      if (deep) {
        conditional_node(w, body, host::GraphNode::Condition::kIf, h, {inner});
      }
      conditional_node(w, g, host::GraphNode::Condition::kIf, h, {body});
      w.thread("main").graphInstantiate(add_graph_exec(w, "x"), g);
      host::Limits l;
      l.nodes = 10;
      CAPTURE(deep, nodes);
      const bool too_many = nodes + (deep ? 2 : 1) > 10;
      CHECK((refusal(w, l).find("graph g: more than 10 nodes") != std::string::npos) == too_many);
    }
  }
}

TEST_CASE("GC06: a WHILE that never ends takes no memory that grows, and can be stopped") {
  Builder w;
  const Handle h = add_handle(w, "h", 1);
  const Graph body = add_graph(w, "body"), g = add_graph(w, "g");
  kernel_node(w, body, w.kernel_us("k", 1));
  conditional_node(w, g, host::GraphNode::Condition::kWhile, h, {body});
  const GraphExec x = add_graph_exec(w, "x");
  w.thread("main").graphInstantiate(x, g).graphLaunch(x).deviceSynchronize();
  host::Limits l = steps(200000);
  l.commands = 100;
  l.spans = 100;
  CHECK_THAT(refusal(w, l), Contains("cudaDeviceSynchronize, call 3: more than 200000 steps"));
}

TEST_CASE("GD11: a graph that launches itself as its tail goes on, and can be stopped") {
  Builder w;
  host::KernelDesc k;
  k.name = "k";
  k.duration = host::from_us(1);
  k.launches.push_back({host::DeviceLaunch::Into::kTail});
  const Graph g = add_graph(w, "g");
  kernel_node(w, g, w.kernel(k));
  const GraphExec x = add_graph_exec(w, "x");
  w.thread("main")
      .graphInstantiate(x, g, {.device_launch = true})
      .graphUpload(x)
      .graphLaunch(x)
      .deviceSynchronize();
  host::Limits l = steps(200000);
  l.commands = 100;
  CHECK_THAT(refusal(w, l), Contains("more than 200000 steps"));
}

TEST_CASE("DP12: kernels that launch each other without bound meet the limits of the device") {
  Builder w;
  const Kernel k = w.kernel_us("k", 1);
  for (int i = 0; i < 2; ++i) {
    device_launch(w, k,
                  {.child = k, .into = host::DeviceCall::Into::kFireAndForget, .by = {.levels = 4000000000}});
  }
  w.thread("main").deviceSetLimit(host::Limit::kPendingLaunches, 4000000000).launch(k).deviceSynchronize();
  host::Limits l;
  l.commands = 20000;
  CHECK_THAT(refusal(w, l), Contains("more than 20000 commands under way"));
}

TEST_CASE("what cannot be is refused before it runs, with the line") {
  const auto error = [](const std::function<void(Builder&)>& make) {
    Builder w;
    make(w);
    try {
      run(w);
    } catch (const host::ProgramError& e) {
      return std::to_string(e.line()) + ": " + e.what();
    }
    return std::string("no error");
  };
  CHECK_THAT(
      error([](Builder& w) {
        const Buffer d = w.device("d", 4096), h = w.pinned("h", 4096);
        w.thread("main").line(7).memcpy(d, h, 64, uint64_t{1} << 63);
      }),
      Contains("7: thread main, call 1 (cudaMemcpy): rows: 9223372036854775808: legal: 1 to the 64 bytes"));
  CHECK_THAT(error([](Builder& w) { w.thread("main").line(3).mallocHost(UINT64_MAX); }),
             Contains("3: ") && Contains("legal: up to 2^48"));
  CHECK_THAT(error([](Builder& w) {
               w.program().buffers[w.pinned("h", uint64_t{1} << 60).id].line = 4;
               w.thread("m");
             }),
             Contains("4: buffer h: 1152921504606846976 bytes; legal: up to 2^48"));
  CHECK_THAT(error([](Builder& w) {
               w.program().buffers[w.managed("m", uint64_t{1} << 47).id].line = 5;
               w.thread("m");
             }),
             Contains("5: buffer m: ") && Contains("of unified memory in all"));
  CHECK_THAT(error([](Builder& w) {
               w.program().buffers[w.device("d", uint64_t{1} << 40).id].line = 6;
               w.thread("m");
             }),
             Contains("6: buffer d: 1099511627776 bytes, but device 0 has only"));
  CHECK_THAT(error([](Builder& w) {
               const Kernel k = w.kernel_us("k", 1);
               device_launch(w, k, {.child = k, .by = {.threads = 4294967295}});
               w.program().kernels[k.id].line = 8;
             }),
             Contains("8: kernel k: device_call: threads: 4294967295; legal: up to the 1024 of a block"));
  CHECK_THAT(error([](Builder& w) {
               const Kernel k = w.kernel_us("k", 1), l = w.kernel_us("l", 1);
               device_launch(w, k, {.child = l});
               device_launch(w, l, {.child = k});
               w.program().kernels[l.id].line = 9;
             }),
             Contains("9: kernel l launches k, which launches it, without an end"));
}

TEST_CASE("what is wrong with a call of a kernel is said of each of its calls, the first as the last") {
  for (const size_t bad : {0, 1, 2}) {
    Builder w;
    const Kernel child = w.kernel_us("child", 1), k = w.kernel_us("k", 1);
    for (int i = 0; i < 3; ++i) {
      device_launch(w, k, {.child = child});
    }
    w.program().kernels[k.id].calls[bad].kernel = 99;
    w.thread("main").launch(k);
    CHECK_THROWS_WITH(
        run(w), Contains("kernel k, call " + std::to_string(bad + 1) + ": ") && Contains("no kernel 99"));
  }
}

TEST_CASE("VM02: a cuMemCreate that fails takes no time for what it does not make") {
  spec::GpuConfig g = plain_gpu();
  g.mutable_host()->mutable_vmm()->set_create_ns_per_mib(1000);
  const auto time = [&](uint64_t bytes) {
    Builder w;
    w.thread("main").memCreate(w.physical("p", bytes));
    return us(host::run(w.program(), g).end);
  };
  CHECK(time(uint64_t{1} << 63) == time(uint64_t{1} << 31));
  CHECK(time(uint64_t{64} << 20) > time(uint64_t{1} << 63));
}

TEST_CASE("HB: a race in a loop is one finding with how often, and findings are limited") {
  Builder w;
  const Stream a = w.stream("a", true), b = w.stream("b", true);
  const Buffer d = w.device("d", 4096);
  auto& main = w.thread("main");
  main.repeat(50, [&](Thread& t) { t.memsetAsync(d, a).memsetAsync(d, b); });
  const host::Result r = run(w, {}, true);
  REQUIRE(r.findings.size() ==
          2);  // the second with the first, and the first with the second of the round before
  CHECK((r.findings[0].times == 50 && r.findings[1].times == 49));
  host::Limits l;
  l.findings = 1;
  const host::Result one = run(w, l, true);
  CHECK(one.findings.size() == 1);
  CHECK((one.findings[0].times == 50 && one.findings_left_out == 49));
}

TEST_CASE("a thread is busy while it calls, not while it waits") {
  Builder w;
  const Flag f = w.flag("f");
  host::KernelDesc k;
  k.name = "k";
  k.duration = host::from_us(20);
  k.sets_flag = f.id;
  w.thread("main").compute_us(3).launch(w.kernel(k)).compute_us(2).deviceSynchronize();
  w.thread("flag").compute_us(1).waitFlag(f);
  const host::Result r = run(w);
  for (const host::Track& t : r.tracks) {
    if (t.name == "thread main") {
      CHECK((us(t.busy) == 5 && us(t.waiting) == 18));
    } else if (t.name == "thread flag") {
      CHECK((us(t.busy) == 1 && us(t.waiting) == 22));
    } else {
      CHECK(t.waiting == host::Ps());
    }
  }
}

TEST_CASE("GR03: the nodes of a graph have rows of their own, a row for each branch") {
  Builder w;
  const Stream s = w.stream("s", true), t = w.stream("t", true);
  const Event e = w.event("e"), back = w.event("back");
  const Kernel a = w.kernel_us("a", 1), b = w.kernel_us("b", 2), c = w.kernel_us("c", 3);
  const Graph g = add_graph(w, "g");
  const GraphExec x = add_graph_exec(w, "x");
  w.thread("main")
      .streamBeginCapture(s)
      .launch(a, s)
      .eventRecord(e, s)
      .streamWaitEvent(t, e)
      .launch(b, s)
      .launch(c, t)
      .eventRecord(back, t)
      .streamWaitEvent(s, back)
      .streamEndCapture(s, g)
      .graphInstantiate(x, g)
      .graphLaunch(x, s);
  const host::Result r = run(w);
  CHECK(span(r, "device 0 stream s", "graph g").end == 4);
  CHECK(span(r, "device 0 stream s graph g", "a").end == 1);
  CHECK(span(r, "device 0 stream s graph g", "b").end == 3);
  CHECK(span(r, "device 0 stream s graph g branch 2", "c").end == 4);
}

}  // namespace heddle::hosttest
