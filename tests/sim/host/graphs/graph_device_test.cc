// Launches of graphs from the device: cuda-model A18.
#include <catch2/catch.hpp>
#include <string>

#include "frontends/workload/graph_builder.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using namespace workload;  // the builder's functions
using Into = host::DeviceLaunch::Into;
using Strings = std::vector<std::string>;

struct Program {
  Builder w;
  Stream s = w.stream("s", true), s2 = w.stream("s2", true);
  Thread& main = w.thread("main");
  spec::GpuConfig gpu = plain_gpu();

  spec::GraphCosts& costs() { return *gpu.mutable_host()->mutable_graph(); }
  // A graph of one kernel, both of that name.
  Graph graph(const std::string& name, Kernel k) {
    const Graph g = add_graph(w, name);
    kernel_node(w, g, k);
    return g;
  }
  // That of a leaf, ready to be launched from the device.
  GraphExec leaf(const std::string& name, double us = 10) {
    return ready(graph(name, w.kernel_us(name, us)));
  }
  GraphExec ready(Graph g) {
    const GraphExec x = add_graph_exec(w, "exec");
    main.graphInstantiate(x, g, {.device_launch = true}).graphUpload(x, s);
    return x;
  }
  // Launched from the host; its kernel takes 10 us.
  void host_graph(const std::string& name, const std::vector<DeviceLaunch>& what) {
    const Kernel k = w.kernel_us(name, 10);
    for (const DeviceLaunch& l : what) {
      launches(w, k, l);
    }
    const GraphExec x = add_graph_exec(w, "host exec");
    main.graphInstantiate(x, graph(name, k)).graphLaunch(x, s);
  }
  host::Result run() { return host::run(w.program(), gpu, {{}, true}); }
};

Strings device_errors(const host::Result& r) {
  Strings out;
  for (const host::DeviceError& e : r.device_errors) {
    out.insert(out.end(), e.times, e.error);
  }
  return out;
}

TEST_CASE("GD07 GD08: fire and forget: at once, and the stream goes on when the child has ended too") {
  Program p;
  const GraphExec x = p.leaf("child", 30);
  p.host_graph("parent", {{.x = x, .after_us = 4}});
  p.main.launch(p.w.kernel_us("after", 1), p.s);
  const host::Result r = p.run();
  CHECK(device_errors(r).empty());
  CHECK(in_stream(r, "s", "child").start == 4);
  CHECK(in_stream(r, "s", "parent").end == 10);
  CHECK(in_stream(r, "s", "graph child").end == 34);
  CHECK(in_stream(r, "s", "graph parent").end == 34);
  CHECK(in_stream(r, "s", "after").start == 34);
}

TEST_CASE("GD08: children of children count too") {
  Program p;
  const GraphExec inner = p.leaf("inner", 50);
  const Kernel k = p.w.kernel_us("middle", 10);
  launches(p.w, k, {.x = inner, .after_us = 2});
  p.host_graph("outer", {{.x = p.ready(p.graph("middle", k)), .after_us = 1},
                         {.x = p.leaf("tail"), .into = Into::kTail}});
  const host::Result r = p.run();
  CHECK(in_stream(r, "s", "inner").start == 3);
  CHECK(in_stream(r, "s", "tail").start == 53);
}

TEST_CASE("C29 GD09 GD10: tails come in order, a tail's own tails before those queued earlier") {
  Program p;
  const GraphExec a = p.leaf("A"), b = p.leaf("B"), y = p.leaf("Y");
  const Kernel k = p.w.kernel_us("X", 10);
  launches(p.w, k, {.x = a, .into = Into::kTail});
  launches(p.w, k, {.x = b, .into = Into::kTail});
  p.host_graph("G", {{.x = p.ready(p.graph("X", k)), .into = Into::kTail}, {.x = y, .into = Into::kTail}});
  p.main.launch(p.w.kernel_us("after", 1), p.s);
  const host::Result r = p.run();
  CHECK(in_stream(r, "s", "G").start == 0);
  CHECK(in_stream(r, "s", "X").start == 10);
  CHECK(in_stream(r, "s", "A").start == 20);
  CHECK(in_stream(r, "s", "B").start == 30);
  CHECK(in_stream(r, "s", "Y").start == 40);
  CHECK(in_stream(r, "s", "after").start == 50);
}

TEST_CASE("C30 GD11: a graph that launches itself a hundred times") {
  Program p;
  const Kernel k = p.w.kernel_us("k", 1);
  launches(p.w, k, {.into = Into::kTail, .executions = 100});
  const GraphExec x = p.ready(p.graph("g", k));
  p.main.graphLaunch(x, p.s);
  p.costs().set_device_tail_ns(500);
  const host::Result r = p.run();
  CHECK(device_errors(r).empty());
  CHECK(in_stream(r, "s", "k", 100).start == Approx(100 * 1.5));
  CHECK(in_stream(r, "s", "k", 101).start == -1);
  CHECK(us(r.end) == Approx(100 * 1.5 + 1));
}

TEST_CASE("C31 GD12: a child holds back its launcher's tail, a sibling does not, but the stream") {
  Program p;
  const GraphExec child = p.leaf("child", 50), tail = p.leaf("tail");
  Into into = Into::kFireAndForget;
  double start = 50;
  SECTION("fire and forget") {}
  SECTION("sibling") {
    into = Into::kSibling;
    start = 10;
  }
  p.host_graph("G", {{.x = child, .into = into}, {.x = tail, .into = Into::kTail}});
  p.main.launch(p.w.kernel_us("after", 1), p.s);
  const host::Result r = p.run();
  CHECK(in_stream(r, "s", "child").start == 0);
  CHECK(in_stream(r, "s", "tail").start == start);
  CHECK(in_stream(r, "s", "after").start == std::max(50.0, start + 10));
}

TEST_CASE("GD01: a graph for the device goes from the host too, others only from there") {
  Program p;
  const GraphExec x = p.leaf("both"), host_only = add_graph_exec(p.w, "host only");
  p.main.graphInstantiate(host_only, p.graph("other", p.w.kernel_us("other", 1))).graphUpload(host_only, p.s);
  p.main.graphLaunch(x, p.s);
  p.host_graph("G", {{.x = x}, {.x = host_only}});
  const host::Result r = p.run();
  CHECK(in_stream(r, "s", "both", 0).start == 0);
  CHECK(in_stream(r, "s", "both", 1).start == 10);
  REQUIRE(device_errors(r) == Strings{"cudaErrorInvalidValue"});
  CHECK(r.device_errors[0].call == "G: cudaGraphLaunch(host only, cudaStreamGraphFireAndForget)");
  CHECK(r.device_errors[0].why == "not instantiated for launches from the device (GD01)");
}

TEST_CASE("GD02: what a graph for the device may not hold") {
  Program p;
  const Graph g = p.graph("g", p.w.kernel_us("k", 1));
  const Buffer d = p.w.device("d", 64), pageable = p.w.pageable("pageable", 64);
  InstantiateFlags flags{.device_launch = true};
  SECTION("a host function") { host_node(p.w, g, 1); }
  SECTION("an empty node") { empty_node(p.w, g); }
  SECTION("an event") { event_record_node(p.w, g, p.w.event("e")); }
  SECTION("a memory node") { mem_alloc_node(p.w, g, p.w.later("m", host::Memory::kDevice, 64)); }
  SECTION("pageable memory") { memcpy_node(p.w, g, d, pageable); }
  SECTION("a conditional node") {
    const Graph body = p.graph("body", p.w.kernel_us("inside", 1));
    conditional_node(p.w, g, host::GraphNode::Condition::kIf, add_handle(p.w, "h"), {body});
  }
  SECTION("a child graph with such a node") {
    const Graph inner = add_graph(p.w, "inner");
    host_node(p.w, inner, 1);
    child_node(p.w, g, inner);
  }
  SECTION("nothing") { p.w.program().graphs[g.id].nodes.clear(); }
  SECTION("a flag that frees") { flags.auto_free_on_launch = true; }
  p.main.graphInstantiate(add_graph_exec(p.w, "x"), g, flags);
  CHECK(errors(p.run()) == Strings{"cudaErrorInvalidValue"});
}

TEST_CASE("GD02: kernels, copies, memsets and child graphs of one device") {
  Program p;
  const Buffer d = p.w.device("d", 64), pinned = p.w.pinned("pinned", 64);
  const Graph g = p.graph("g", p.w.kernel_us("k", 1)), inner = p.graph("inner", p.w.kernel_us("inside", 1));
  memcpy_node(p.w, g, d, pinned);
  memset_node(p.w, g, d);
  child_node(p.w, g, inner);
  p.host_graph("G", {{.x = p.ready(g)}});
  const host::Result r = p.run();
  CHECK(r.errors.empty());
  CHECK(in_stream(r, "s", "inside").start == 0);
}

TEST_CASE("GD03: a graph is uploaded before the device launches it, and again when it has changed") {
  Program p;
  const GraphExec x = add_graph_exec(p.w, "x");
  const Graph g = p.graph("g", p.w.kernel_us("k", 1));
  p.main.graphInstantiate(x, g, {.device_launch = true});
  SECTION("never") {}
  SECTION("uploaded, then updated") { p.main.graphUpload(x, p.s).graphExecUpdate(x, g); }
  SECTION("launched from the host, then a node changed") {
    p.main.graphLaunch(x, p.s);
    p.main.graphExecNodeSetParams(x, add_change(p.w, {0}, kernel_params(p.w.kernel_us("n", 1))));
  }
  p.host_graph("G", {{.x = x}});
  const host::Result r = p.run();
  REQUIRE(device_errors(r) == Strings{"cudaErrorInvalidValue"});
  CHECK(r.device_errors[0].why == "not uploaded, or changed since (GD03)");
}

TEST_CASE("GD04: a graph that is running is not launched again") {
  Program p;
  const GraphExec x = p.leaf("child", 5);
  p.host_graph("G", {{.x = x}, {.x = x, .after_us = 3}, {.x = x, .after_us = 6}});
  const host::Result r = p.run();
  CHECK(device_errors(r) == Strings{"cudaErrorInvalidValue"});
  CHECK(in_stream(r, "s", "child", 1).start == 6);
}

TEST_CASE("GD05: each thread that calls launches, and only kernels of graphs may") {
  Program p;
  const GraphExec x = p.leaf("child");
  SECTION("four threads, one graph: one of them comes first") {
    p.host_graph("G", {{.x = x, .into = Into::kTail, .times = 4}});
    CHECK(device_errors(p.run()) == Strings(3, "cudaErrorInvalidValue"));
  }
  SECTION("a kernel of no graph") {
    const Kernel k = p.w.kernel_us("k", 1);
    launches(p.w, k, {.x = x});
    p.main.launch(k, p.s);
    CHECK(errors(p.run()) == Strings{"cudaErrorNotSupported"});
  }
}

TEST_CASE("GD07 GD09: 120 fire-and-forget launches of one execution, 255 pending tails") {
  Program p;
  Into into = Into::kFireAndForget;
  size_t most = 120;
  SECTION("fire and forget") {}
  SECTION("siblings count as such") { into = Into::kSibling; }
  SECTION("tails") {
    into = Into::kTail;
    most = 255;
  }
  const Graph g = p.graph("g", p.w.kernel_us("k", 1));
  std::vector<DeviceLaunch> all;
  for (size_t i = 0; i < most + 2; ++i) {
    all.push_back({.x = p.ready(g), .into = into});
  }
  p.host_graph("G", all);
  const host::Result r = p.run();
  CHECK(device_errors(r) == Strings(2, "cudaErrorInvalidValue"));
  CHECK(in_stream(r, "s", "k", most - 1).start >= 0);
  CHECK(in_stream(r, "s", "k", most).start == -1);
}

TEST_CASE("GD07: the count begins anew with each launch") {
  Program p;
  const Kernel k = p.w.kernel_us("k", 10);
  launches(p.w, k, {.x = p.leaf("child", 0.01), .times = 1});
  const GraphExec x = add_graph_exec(p.w, "x");
  p.main.graphInstantiate(x, p.graph("g", k));
  p.main.repeat(130, [&](Thread& t) { t.graphLaunch(x, p.s); });
  CHECK(device_errors(p.run()).empty());
}

TEST_CASE("GD11: one launch of itself at a time, and none but as a tail") {
  Program p;
  const Kernel k = p.w.kernel_us("k", 10);
  launches(p.w, k, {.into = Into::kTail, .times = 2, .executions = 1});
  launches(p.w, k, {.into = Into::kFireAndForget, .executions = 1});
  p.main.graphLaunch(p.ready(p.graph("g", k)), p.s);
  const host::Result r = p.run();
  CHECK(device_errors(r) == Strings(2, "cudaErrorInvalidValue"));
  CHECK(in_stream(r, "s", "k", 1).start == 10);
  CHECK(in_stream(r, "s", "k", 2).start == -1);
}

TEST_CASE("GC09: no launches in the body of a conditional node") {
  Program p;
  const Kernel k = p.w.kernel_us("k", 1);
  launches(p.w, k, {.x = p.leaf("child")});
  const Graph g = add_graph(p.w, "g");
  conditional_node(p.w, g, host::GraphNode::Condition::kIf, add_handle(p.w, "h"), {p.graph("body", k)});
  p.main.graphInstantiate(add_graph_exec(p.w, "x"), g);
  CHECK(errors(p.run()) == Strings{"cudaErrorNotSupported"});
}

TEST_CASE("what a launch from the device costs") {
  Program p;
  const GraphExec x = p.leaf("child", 1), tail = p.leaf("tail", 1);
  p.costs().set_instantiate_device_ns(4000);
  p.costs().set_upload_device_ns(1000);
  p.costs().set_device_launcher_ns(500);
  p.costs().set_device_launch_ns(6000);
  p.costs().set_device_start_ns(300);
  p.costs().set_device_tail_ns(700);
  p.costs().set_node_ns(100);
  p.costs().set_device_node_ns(250);
  CHECK(us(p.run().thread_end[0]) == 10);  // two graphs
  SECTION("the kernel lasts as long as its calls") {
    p.host_graph("G", {{.x = x}, {.x = tail, .into = Into::kTail}});
    const host::Result r = p.run();
    CHECK(in_stream(r, "s", "G").start == 10.5);
    CHECK(in_stream(r, "s", "child").start == Approx(16.5 + 0.3));  // the edge is in it, see graph.node_ns
    CHECK(in_stream(r, "s", "G").end == 22.5);
    CHECK(in_stream(r, "s", "tail").start == Approx(22.5 + 0.7));
  }
  SECTION("from node to node") {
    const Graph two = p.graph("two", p.w.kernel_us("first", 1));
    kernel_node(p.w, two, p.w.kernel_us("second", 1), {{0}});
    p.host_graph("G", {{.x = p.ready(two)}});
    const host::Result r = p.run();
    CHECK(in_stream(r, "s", "second").start == Approx(in_stream(r, "s", "first").end + 0.25));
  }
}

TEST_CASE("GD02: copies and memsets of its own device's memory, or of memory that it reaches") {
  for (const bool access : {false, true}) {
    for (const bool elsewhere : {false, true}) {
      CAPTURE(access, elsewhere);
      Builder w(2);
      w.program().peer_access = access;
      const Buffer a = w.device("a", 64), b = w.device("b", 64, elsewhere ? 1 : 0);
      const Graph g = add_graph(w, "g");
      memset_node(w, g, a, {memcpy_node(w, g, b, a)});
      const GraphExec x = add_graph_exec(w, "x");
      w.thread("main").graphInstantiate(x, g, {.device_launch = true});
      const host::Result r = host::run(w.program(), plain_gpu(), {{}, true});
      CHECK(r.errors.empty() == (access || !elsewhere));
      if (!r.errors.empty()) {
        CHECK(r.errors[0].why.find("cudaGraphInstantiateMultipleDevicesNotSupported") != std::string::npos);
      }
    }
  }
}

}  // namespace
}  // namespace heddle::hosttest
