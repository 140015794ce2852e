// How long the operating system takes to run a thread again (FINDINGS 41), and what a seed changes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "frontends/workload/graph_builder.h"
#include "sim/host/core/jitter.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using namespace workload;

// Awake within 10 us; 20 more when it has slept for 5 us; 30 more beyond 100 us, and one for each microsecond
// beyond, up to 40.
spec::GpuConfig sleeper() {
  spec::GpuConfig g = plain_gpu();
  spec::HostLatency& l = *g.mutable_host()->mutable_latency();
  l.set_block_ns(10'000);
  l.set_host_function_start_ns(10'000);
  l.set_halted_after_ns(5'000);
  l.set_halted_ns(20'000);
  l.set_idle_after_ns(100'000);
  l.set_idle_ns(30'000);
  l.set_idle_ns_per_us(1000);
  l.set_idle_most_ns(40'000);
  return g;
}

// Of a kernel of so many microseconds and a blocking wait.
double waited(double kernel_us) {
  Builder w;
  const Stream s = w.stream("s", true);
  w.thread("t").launch(w.kernel_us("k", kernel_us), s).streamSynchronize(s);
  host::Rules rules;
  rules.wait = host::Rules::Wait::kBlock;
  return us(host::run(w.program(), sleeper(), {rules}).thread_end[0]) - kernel_us;
}

TEST_CASE("AX16: waking a thread takes the longer the longer it has slept") {
  CHECK(waited(1) == Approx(10));
  CHECK(waited(5) == Approx(10));
  CHECK(waited(6) == Approx(30));
  CHECK(waited(100) == Approx(30));
  CHECK(waited(110) == Approx(70));   // 10 + 20 + 30 + 10
  CHECK(waited(140) == Approx(100));  // 40 is the most
  CHECK(waited(5000) == Approx(100));
}

TEST_CASE("AX16: a blocking event sleeps, also where others poll") {
  Builder w;
  const Stream s = w.stream("s", true);
  const Event e = w.event("e", false, 0, true);
  w.thread("t").launch(w.kernel_us("k", 50), s).eventRecord(e, s).eventSynchronize(e);
  CHECK(us(host::run(w.program(), sleeper()).thread_end[0]) == Approx(80));
}

TEST_CASE("ST11: behind a host function another starts at once, behind a kernel the thread has slept") {
  Builder w;
  const Stream s = w.stream("s", true);
  const Kernel k = w.kernel_us("k", 2);
  w.thread("t").launch(k, s).launchHostFunc(s, 1).launchHostFunc(s, 1).launch(k, s).launchHostFunc(s, 1);
  const host::Result r = host::run(w.program(), sleeper());
  CHECK(us(r.end) == Approx(2 + 10 + 1 + 1 + 2 + 10 + 1));
}

TEST_CASE("ST11: within a graph, too, though its edges take longer than a stream's") {
  Builder w;
  spec::GpuConfig g = sleeper();
  g.mutable_host()->mutable_graph()->set_node_ns(500);
  const Graph graph = add_graph(w, "g");
  const GraphExec x = add_graph_exec(w, "x");
  const Node first = host_node(w, graph, 1);
  host_node(w, graph, 1, {first});
  w.thread("t").graphInstantiate(x, graph).graphLaunch(x, w.stream("s", true));
  CHECK(us(host::run(w.program(), g).end) == Approx(10 + 1 + 0.5 + 1));
}

TEST_CASE("a seed draws wake-ups and the processor's speed; without one all is as it mostly is") {
  spec::GpuConfig g = sleeper();
  g.mutable_host()->mutable_calls()->set_launch_ns(1000);
  const auto ends = [&](std::optional<uint64_t> seed) {
    Builder w;
    const Stream s = w.stream("s", true);
    w.thread("t").launch(w.kernel_us("k", 50), s).streamSynchronize(s);
    host::Rules rules;
    rules.wait = host::Rules::Wait::kBlock;
    rules.jitter = seed;
    return us(host::run(w.program(), g, {rules}).thread_end[0]);
  };
  CHECK(ends({}) == Approx(81));
  CHECK(ends(1) == ends({}));  // nothing varies
  g.mutable_host()->mutable_latency()->set_wake_spread(0.5);
  CHECK(ends({}) == Approx(81));
  CHECK(ends(1) != ends({}));
  CHECK(ends(1) == ends(1));
  CHECK(ends(1) != ends(2));
  g.mutable_host()->mutable_latency()->set_wake_spread(0);
  g.mutable_host()->mutable_calls()->set_cpu_spread(0.5);
  CHECK(ends(1) == Approx(80 + host::Jitter(1).factor(0.5)));
  g.mutable_host()->mutable_calls()->set_cpu_speed(2);
  CHECK(ends({}) == Approx(80.5));
}

TEST_CASE("factors are log-normal with a median of 1") {
  host::Jitter j(7);
  std::vector<double> logs;
  logs.reserve(10'001);
  for (int i = 0; i < 10'001; ++i) {
    logs.push_back(std::log(j.factor(0.25)));
  }
  std::sort(logs.begin(), logs.end());
  CHECK(logs[5000] == Approx(0).margin(0.01));
  CHECK(logs[8413] == Approx(0.25).margin(0.015));  // one deviation
  CHECK(logs[1587] == Approx(-0.25).margin(0.015));
  CHECK(host::Jitter({}).factor(0.25) == 1);
}

}  // namespace
}  // namespace heddle::hosttest
