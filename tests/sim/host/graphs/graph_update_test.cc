// What changes between launches of a graph: cuda-model A15, GR18 to GR27.
#include <catch2/catch.hpp>
#include <string>

#include "frontends/workload/graph_builder.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using namespace workload;  // the builder's functions
using Catch::Matchers::StartsWith;
using Strings = std::vector<std::string>;

struct Program {
  Builder w;
  Stream s = w.stream("s", true), s2 = w.stream("s2", true);
  Graph g = add_graph(w, "g"), h = add_graph(w, "h");
  GraphExec x = add_graph_exec(w, "x");
  Thread& main = w.thread("main");
  spec::GpuConfig gpu = plain_gpu();

  Kernel k(const std::string& name, double us = 10) { return w.kernel_us(name, us); }
  host::Result run(const host::Rules& rules = {}) { return host::run(w.program(), gpu, {rules, true}); }
};

TEST_CASE("GR19 GR21: a node's new parameters are the next launch's, not those of what was launched before") {
  Program p;
  const Node a = kernel_node(p.w, p.g, p.k("old"));
  kernel_node(p.w, p.g, p.k("after", 1), {a});
  p.main.graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s).graphLaunch(p.x, p.s);
  p.main.graphExecNodeSetParams(p.x, add_change(p.w, a, kernel_params(p.k("new", 3)))).graphLaunch(p.x, p.s);
  const host::Result r = p.run();
  CHECK(r.errors.empty());
  CHECK(in_stream(r, "s", "old", 1).end == 21);
  CHECK(in_stream(r, "s", "new").start == 22);
  CHECK(in_stream(r, "s", "after", 2).start == 25);
}

TEST_CASE("GR19: the definition's parameters are the next instantiation's") {
  Program p;
  const Node a = kernel_node(p.w, p.g, p.k("old"));
  p.main.graphInstantiate(p.x, p.g).graphNodeSetParams(p.g, add_change(p.w, a, kernel_params(p.k("new", 3))));
  p.main.graphLaunch(p.x, p.s).graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s);
  const host::Result r = p.run();
  CHECK(in_stream(r, "s", "old").start == 0);
  CHECK(in_stream(r, "s", "new").start == 10);
}

TEST_CASE("C32 GR20: ten iterations, one instantiation, nine updates, ten launches") {
  Program p;
  p.gpu.mutable_host()->mutable_graph()->set_update_ns(1000);
  p.gpu.mutable_host()->mutable_graph()->set_update_each_ns(500);
  p.gpu.mutable_host()->mutable_graph()->set_instantiate_ns(100000);
  for (int i = 0; i < 10; ++i) {
    const Kernel k = p.k("k" + std::to_string(i), i + 1);
    p.main.streamBeginCapture(p.s).launch(k, p.s).launch(k, p.s).streamEndCapture(p.s, p.g);
    if (i == 0) {
      p.main.graphInstantiate(p.x, p.g);
    } else {
      p.main.graphExecUpdate(p.x, p.g);
    }
    p.main.graphLaunch(p.x, p.s);
  }
  const host::Result r = p.run();
  CHECK(r.errors.empty());
  CHECK(us(r.thread_end[0]) == 100 + 9 * (1 + 2 * 0.5));
  CHECK(us(r.end) == 100 + 2 * 55);
}

TEST_CASE("GR20 GR23: what an update cannot change") {
  Program p;
  const Buffer dev = p.w.device("d", 64), pinned = p.w.pinned("h", 64), pageable = p.w.pageable("p", 64);
  const Node a = kernel_node(p.w, p.g, p.k("a"));
  const Node b = memcpy_node(p.w, p.g, dev, pinned, {a});
  kernel_node(p.w, p.g, p.k("c"), {a, b});
  const Node a2 = kernel_node(p.w, p.h, p.k("a2"));
  std::string why;
  SECTION("the number of nodes") { why = "cudaGraphExecUpdateErrorTopologyChanged"; }
  SECTION("an edge") {
    memcpy_node(p.w, p.h, dev, pinned, {a2});
    kernel_node(p.w, p.h, p.k("c2"), {a2});
    why = "cudaGraphExecUpdateErrorTopologyChanged";
  }
  SECTION("the order of edges") {
    const Node b2 = memcpy_node(p.w, p.h, dev, pinned, {a2});
    kernel_node(p.w, p.h, p.k("c2"), {b2, a2});
    why = "cudaGraphExecUpdateErrorTopologyChanged";
  }
  SECTION("a node's kind") {
    const Node b2 = memset_node(p.w, p.h, dev, {a2});
    kernel_node(p.w, p.h, p.k("c2"), {a2, b2});
    why = "cudaGraphExecUpdateErrorNodeTypeChanged";
  }
  SECTION("the kind of memory") {
    const Node b2 = memcpy_node(p.w, p.h, dev, pageable, {a2});
    kernel_node(p.w, p.h, p.k("c2"), {a2, b2});
    why = "cudaGraphExecUpdateErrorParametersChanged";
  }
  SECTION("the direction") {
    const Node b2 = memcpy_node(p.w, p.h, pinned, dev, {a2});
    kernel_node(p.w, p.h, p.k("c2"), {a2, b2});
    why = "cudaGraphExecUpdateErrorParametersChanged";
  }
  p.main.graphInstantiate(p.x, p.g).graphExecUpdate(p.x, p.h).graphLaunch(p.x, p.s);
  const host::Result r = p.run();
  REQUIRE(errors(r) == Strings{"cudaErrorGraphExecUpdateFailure"});
  CHECK_THAT(r.errors[0].why, StartsWith(why));
  CHECK(in_stream(r, "s", "a").start == 0);  // the exec is as it was
}

TEST_CASE("GR23: what a node's parameters cannot become") {
  Program p;
  const Buffer dev = p.w.device("d", 64), pinned = p.w.pinned("h", 64), other = p.w.pinned("h2", 64);
  const Node k = kernel_node(p.w, p.g, p.k("k"));
  const Node c = memcpy_node(p.w, p.g, dev, pinned, {k});
  p.main.graphInstantiate(p.x, p.g);
  p.main.graphExecNodeSetParams(p.x, add_change(p.w, c, memcpy_params(p.w, dev, other, 8)));
  CHECK(p.run().errors.empty());
  SECTION("another kind of node") {
    p.main.graphExecNodeSetParams(p.x, add_change(p.w, k, memset_params(p.w, dev)));
  }
  SECTION("a copy the other way") {
    p.main.graphExecNodeSetParams(p.x, add_change(p.w, c, memcpy_params(p.w, pinned, dev)));
  }
  SECTION("more than the buffer has") {
    p.main.graphExecNodeSetParams(p.x, add_change(p.w, c, memcpy_params(p.w, dev, pinned, 65)));
  }
  SECTION("a kernel that cannot be launched") {
    p.main.graphExecNodeSetParams(p.x,
                                  add_change(p.w, k, kernel_params(p.w.kernel_blocks("big", 1, 2000, 1))));
  }
  SECTION("a node that there is not") {
    p.main.graphExecNodeSetParams(p.x, add_change(p.w, {7}, kernel_params(p.k("k2"))));
  }
  CHECK(errors(p.run()) == Strings{"cudaErrorInvalidValue"});
}

TEST_CASE("GR21: one node's update costs the same in any graph, the whole graph's by its nodes") {
  Program p;
  p.gpu.mutable_host()->mutable_graph()->set_update_node_ns(500);
  p.gpu.mutable_host()->mutable_graph()->set_update_ns(1000);
  p.gpu.mutable_host()->mutable_graph()->set_update_each_ns(20);
  Nodes last;
  for (int i = 0; i < 100; ++i) {
    last = {kernel_node(p.w, p.g, p.k("k"), last)};
  }
  p.main.graphInstantiate(p.x, p.g);
  SECTION("one") {
    p.main.graphExecNodeSetParams(p.x, add_change(p.w, last[0], kernel_params(p.k("n"))));
    CHECK(us(p.run().thread_end[0]) == 0.5);
  }
  SECTION("all") {
    p.main.graphExecUpdate(p.x, p.g);
    CHECK(us(p.run().thread_end[0]) == 1 + 100 * 0.02);
  }
}

TEST_CASE("GR22: a disabled node takes no time and keeps its edges") {
  Program p;
  const Node a = kernel_node(p.w, p.g, p.k("a"));
  const Node b = kernel_node(p.w, p.g, p.k("b"), {a});
  const Node h = host_node(p.w, p.g, 1, {a});
  kernel_node(p.w, p.g, p.k("c"), {b, h});
  p.main.graphInstantiate(p.x, p.g).graphNodeSetEnabled(p.x, b, false).graphLaunch(p.x, p.s);
  SECTION("then enabled again") {
    p.main.graphExecNodeSetParams(
        p.x, add_change(p.w, b, kernel_params(p.k("b2", 5))));  // which changes nothing yet
    p.main.graphLaunch(p.x, p.s).graphNodeSetEnabled(p.x, b, true).graphLaunch(p.x, p.s);
    const host::Result r = p.run();
    CHECK(r.errors.empty());
    CHECK(in_stream(r, "s", "c", 0).start == 11);
    CHECK(in_stream(r, "s", "c", 1).start == 21 + 11);
    CHECK(in_stream(r, "s", "b").start == -1);
    CHECK(in_stream(r, "s", "b2").start == 42 + 10);
    CHECK(in_stream(r, "s", "c", 2).start == 42 + 15);
  }
  SECTION("only kernels, copies and memsets") {
    p.main.graphNodeSetEnabled(p.x, h, false);
    CHECK(errors(p.run()) == Strings{"cudaErrorInvalidValue"});
  }
}

TEST_CASE("GR25: a kernel node's priority, if the instantiation or the environment says so") {
  // Both wait for the device, which a kernel fills; the low one came first.
  using P = host::Rules::NodePriority;
  const auto high_starts = [&](bool flag, P environment) {
    Program q;
    q.main.launch(q.w.kernel_blocks("fill", 8, 1024, 10), q.s2);
    kernel_node(q.w, q.g, q.w.kernel_blocks("low", 8, 1024, 10));
    kernel_node(q.w, q.g, q.w.kernel_blocks("high", 8, 1024, 10), -3);
    q.main.graphInstantiate(q.x, q.g, {.use_node_priority = flag}).graphLaunch(q.x, q.s);
    host::Rules rules;
    rules.node_priority = environment;
    return in_stream(q.run(rules), "s", "high").start;
  };
  CHECK(high_starts(false, P::kAsInstantiated) == 20);
  CHECK(high_starts(true, P::kAsInstantiated) == 10);
  CHECK(high_starts(false, P::kAlways) == 10);
  CHECK(high_starts(true, P::kNever) == 20);
}

TEST_CASE("GR27: child graphs, nested and changed as a node") {
  Program p;
  const Graph inner = add_graph(p.w, "inner"), other = add_graph(p.w, "other"),
              third = add_graph(p.w, "third");
  const Node a = kernel_node(p.w, inner, p.k("a", 1)), b = kernel_node(p.w, inner, p.k("b", 2));
  kernel_node(p.w, inner, p.k("join", 1), {a, b});
  child_node(p.w, p.h, inner);
  const Node before = kernel_node(p.w, p.g, p.k("before", 1));
  const Node child = child_node(p.w, p.g, p.h, {before});
  kernel_node(p.w, p.g, p.k("after", 1), {child});
  p.main.graphInstantiate(p.x, p.g);
  // Instantiation has taken a copy: what becomes of the child's definition does not matter.
  p.main.graphDestroy(inner).graphLaunch(p.x, p.s);
  SECTION("nested") {
    const host::Result r = p.run();
    CHECK(r.errors.empty());
    CHECK(in_stream(r, "s", "a").start == 1);
    CHECK(in_stream(r, "s", "b").start == 1);
    CHECK(in_stream(r, "s", "join").start == 3);
    CHECK(in_stream(r, "s", "after").start == 4);
  }
  SECTION("another child of the same shape") {
    host::GraphNode to;
    to.kind = host::NodeKind::kChild;
    to.object = other.id;
    const Node a2 = kernel_node(p.w, third, p.k("a2", 3)), b2 = kernel_node(p.w, third, p.k("b2", 2));
    kernel_node(p.w, third, p.k("join2", 1), {a2, b2});
    child_node(p.w, other, third);
    p.main.graphExecNodeSetParams(p.x, add_change(p.w, child, to)).graphLaunch(p.x, p.s);
    const host::Result r = p.run();
    CHECK(r.errors.empty());
    CHECK(in_stream(r, "s", "join2").start == 5 + 1 + 3);
  }
  SECTION("of another shape") {
    host::GraphNode to;
    to.kind = host::NodeKind::kChild;
    to.object = other.id;
    kernel_node(p.w, other, p.k("one"));
    p.main.graphExecNodeSetParams(p.x, add_change(p.w, child, to));
    CHECK(errors(p.run()) == Strings{"cudaErrorInvalidValue"});
  }
}

TEST_CASE("GR28: what an update leaves, an instantiation finds: the costs of edges") {
  Program p;
  p.gpu.mutable_host()->mutable_graph()->set_node_ns(1000);
  const Node a = kernel_node(p.w, p.g, p.k("a"));
  const Node b = kernel_node(p.w, p.g, p.k("b"), {a});
  kernel_node(p.w, p.g, p.k("c"), {b});
  p.main.graphInstantiate(p.x, p.g).graphNodeSetEnabled(p.x, b, false).graphLaunch(p.x, p.s);
  CHECK(in_stream(p.run(), "s", "c").start == 10 + 1 + 1);  // a graph without b would start it at 11
}

}  // namespace
}  // namespace heddle::hosttest
