// CUDA graphs, built explicitly: cuda-model A15.
#include <catch2/catch.hpp>
#include <string>

#include "frontends/workload/graph_builder.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using namespace workload;  // the builder's functions

struct Program {
  Builder w;
  Stream s = w.stream("s", true), s2 = w.stream("s2", true);
  Graph g = add_graph(w, "g");
  GraphExec x = add_graph_exec(w, "x");
  Thread& main = w.thread("main");
  spec::GpuConfig gpu = plain_gpu();

  spec::GraphCosts& costs() { return *gpu.mutable_host()->mutable_graph(); }
  Kernel k(const std::string& name, double us = 10) { return w.kernel_us(name, us); }
  host::Result run(const host::Rules& rules = {}) { return host::run(w.program(), gpu, {rules, true}); }
};

TEST_CASE("C21 GR04 GR08 GR17: a diamond, its branches at the same time though the launch is in one stream") {
  Program p;
  const Node a = kernel_node(p.w, p.g, p.k("A"));
  const Node b = kernel_node(p.w, p.g, p.k("B", 20), {a});
  const Node c = kernel_node(p.w, p.g, p.k("C"));
  const Node d = kernel_node(p.w, p.g, p.k("D"), {b});
  add_dependency(p.w, p.g, a, c);  // edges may also come separately
  add_dependency(p.w, p.g, c, d);
  p.main.graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s);
  const host::Result r = p.run();
  CHECK(r.errors.empty());
  CHECK(in_stream(r, "s", "A").start == 0);
  CHECK(in_stream(r, "s", "B").start == 10);
  CHECK(in_stream(r, "s", "C").start == 10);
  CHECK(in_stream(r, "s", "D").start == 30);
  CHECK(in_stream(r, "s", "graph g").end == 40);
  CHECK(us(r.end) == 40);
}

TEST_CASE("GR03: nodes of every kind go to the unit that does their work") {
  Program p;
  const Buffer host = p.w.pinned("h", h2d_bytes(10)), dev = p.w.device("d", h2d_bytes(10));
  const Event e = p.w.event("e"), before = p.w.event("before");
  const Graph inner = add_graph(p.w, "inner");
  kernel_node(p.w, inner, p.k("inner kernel"));
  const Node wait = event_wait_node(p.w, p.g, before);
  const Node in = memcpy_node(p.w, p.g, dev, host, {wait});
  const Node fill = memset_node(p.w, p.g, dev, {wait}, 4);
  const Node empty = empty_node(p.w, p.g, {in, fill});
  const Node k = kernel_node(p.w, p.g, p.k("k"), {empty});
  const Node child = child_node(p.w, p.g, inner, {k});
  const Node record = event_record_node(p.w, p.g, e, {child});
  host_node(p.w, p.g, 5, {record});
  p.main.launch(p.k("first", 7), p.s2).eventRecord(before, p.s2);
  p.main.graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s);
  p.main.eventSynchronize(e).eventElapsedTime(before, e).launch(p.k("after"), p.s2);
  const host::Result r = p.run();
  CHECK(r.errors.empty());
  CHECK(in_stream(r, "s", "copy H2D").start == 7);
  CHECK(span(r, "device 0 copy to device", "copy H2D").start == 7);
  CHECK(in_stream(r, "s", "k").start == Approx(17).margin(0.04));
  CHECK(in_stream(r, "s", "inner kernel").start == Approx(27).margin(0.04));
  CHECK(span(r, "host functions", "cudaLaunchHostFunc").start == Approx(37).margin(0.04));
  CHECK(in_stream(r, "s", "graph g").end == Approx(42).margin(0.04));
  // The host saw the event while the graph went on.
  REQUIRE(r.elapsed.size() == 1);
  CHECK(us(r.elapsed[0].time) == Approx(30).margin(0.04));
  CHECK(in_stream(r, "s2", "after").start == Approx(37).margin(0.04));
}

TEST_CASE("GR01 GR26: definition, instantiation and upload once, then launches that cost little") {
  Program p;
  for (int i = 0; i < 10; ++i) {
    kernel_node(p.w, p.g, p.k("k" + std::to_string(i), 1));
  }
  p.costs().set_first_instantiate_ns(40000);
  p.costs().set_instantiate_ns(10000);
  p.costs().set_instantiate_node_ns(3000);
  p.costs().set_upload_ns(5000);
  p.costs().set_upload_node_ns(500);
  p.costs().set_launch_ns(1000);
  p.costs().set_launch_node_ns(20);
  p.main.graphInstantiate(p.x, p.g);
  CHECK(us(p.run().thread_end[0]) == 80);  // 40 + 10 + 10 x 3
  SECTION("the first launch uploads") {
    p.main.graphLaunch(p.x, p.s);
    CHECK(us(p.run().thread_end[0]) == Approx(80 + 10 + 1.2));
    p.main.graphLaunch(p.x, p.s);
    CHECK(us(p.run().thread_end[0]) == Approx(80 + 10 + 1.2 + 1.2));
  }
  SECTION("uploaded before") {
    p.main.graphUpload(p.x, p.s);
    CHECK(us(p.run().thread_end[0]) == 90);
    p.main.graphLaunch(p.x, p.s);
    CHECK(us(p.run().thread_end[0]) == Approx(90 + 1.2));
  }
  SECTION("a second instantiation") {
    p.main.graphInstantiate(p.x, p.g);
    CHECK(us(p.run().thread_end[0]) == 120);
  }
}

TEST_CASE("GR01: instantiation uses again the memory of what was destroyed, of so many nodes") {
  Program p;
  const Graph small = add_graph(p.w, "small");
  const GraphExec y = add_graph_exec(p.w, "y");
  Nodes last;
  for (int i = 0; i < 10; ++i) {
    last = {kernel_node(p.w, p.g, p.k("k" + std::to_string(i), 1), last)};
  }
  kernel_node(p.w, small, p.k("a", 1));
  kernel_node(p.w, small, p.k("b", 1));
  p.costs().set_instantiate_ns(10000);
  p.costs().set_instantiate_node_ns(3000);
  p.costs().set_instantiate_again_ns(500);
  p.costs().set_instantiate_kept_nodes(6);
  p.costs().set_instantiate_root_ns(7000);
  const auto time = [&] { return us(p.run().thread_end[0]); };
  p.main.graphInstantiate(p.x, p.g);
  CHECK(time() == 40);  // 10 + 10 x 3
  p.main.graphInstantiate(y, small);
  CHECK(time() == 40 + 23);  // nothing is free yet; two roots
  p.main.graphExecDestroy(p.x).graphInstantiate(p.x, p.g);
  CHECK(time() == 63 + 25);  // 6 of the 10 again
  p.main.graphExecDestroy(y).graphInstantiate(y, small);
  CHECK(time() == 88 + 18);  // both
  p.main.graphExecDestroy(y).graphExecDestroy(p.x).graphInstantiate(y, small).graphInstantiate(p.x, p.g);
  CHECK(time() == 106 + 18 + 10 + 4 * 0.5 + 6 * 3);  // 6 are kept, `small` has taken 2 of them
}

TEST_CASE("GR03: a graph of empty nodes takes the device no time") {
  Program p;
  p.costs().set_start_ns(2000);
  p.costs().set_node_ns(250);
  const Node a = empty_node(p.w, p.g);
  const Node b = empty_node(p.w, p.g, {a});
  double expected = 0;
  SECTION("nothing else") {}
  SECTION("a kernel behind them") {
    kernel_node(p.w, p.g, p.k("k", 1), {b});
    expected = 2 + 0.25 + 1;
  }
  p.main.graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s);
  CHECK(us(p.run().end) == Approx(expected));
}

TEST_CASE("GR03: a copy inside the device starts sooner as a node than in a stream") {
  Program p;
  spec::CopyEngines& copy = *p.gpu.mutable_host()->mutable_copy();
  copy.set_d2d_start_ns(2000);
  copy.set_graph_d2d_start_ns(1000);
  const Buffer from = p.w.device("from", 4096), to = p.w.device("to", 4096);
  memcpy_node(p.w, p.g, to, from);
  p.main.graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s).deviceSynchronize().memcpyAsync(to, from, p.s);
  const host::Result r = p.run();
  const Times node = in_stream(r, "s", "copy D2D", 0), call = in_stream(r, "s", "copy D2D", 1);
  CHECK(call.end - call.start == Approx(node.end - node.start + 1));
}

TEST_CASE("GR02: tiny kernels in a graph against as many launches") {
  Program p;
  const Kernel k = p.k("k", 1);
  Nodes last;
  for (int i = 0; i < 20; ++i) {
    last = {kernel_node(p.w, p.g, k, last)};
  }
  p.gpu.mutable_host()->mutable_calls()->set_launch_ns(3000);
  p.costs().set_launch_ns(1000);
  p.costs().set_start_ns(2000);
  p.costs().set_node_ns(250);
  p.main.graphInstantiate(p.x, p.g);
  SECTION("a graph: the device's time") {
    p.main.graphLaunch(p.x, p.s);
    CHECK(us(p.run().end) == Approx(1 + 2 + 20 * 1 + 19 * 0.25));
  }
  SECTION("launches: the host's time") {
    p.main.repeat(20, [&](Thread& t) { t.launch(k, p.s); });
    CHECK(us(p.run().end) == 61);
  }
}

TEST_CASE("one front end goes from the channel of one branch to another's") {
  Program p;
  p.costs().set_node_ns(300);
  p.costs().set_front_end_ns(200);
  Node a = kernel_node(p.w, p.g, p.k("a", 1)), b;
  const bool two = GENERATE(false, true);
  if (two) {
    b = kernel_node(p.w, p.g, p.k("b", 1));
  }
  for (int i = 0; i < 2; ++i) {
    a = kernel_node(p.w, p.g, p.k("a" + std::to_string(i), 1), {a});
    if (two) {
      b = kernel_node(p.w, p.g, p.k("b" + std::to_string(i), 1), {b});
    }
  }
  p.main.graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s);
  const host::Result r = p.run();
  const auto start = [&](const char* name) { return in_stream(r, "s", name).start; };
  CHECK(start("a") == Approx(0));
  CHECK(start("a0") == Approx(two ? 1.5 : 1.3));  // ready at 1.3; there and back
  CHECK(start("a1") == Approx(two ? 3.0 : 2.6));
  if (two) {
    CHECK(start("b") == Approx(0.2));
    CHECK(start("b0") == Approx(1.7));  // ready at 1.5
    CHECK(start("b1") == Approx(3.2));
  }
}

TEST_CASE("the branches of a fork start one after the other, and a join costs once") {
  Program p;
  const Node root = kernel_node(p.w, p.g, p.k("root"));
  const Node a = kernel_node(p.w, p.g, p.k("a"), {root}), b = kernel_node(p.w, p.g, p.k("b"), {root}),
             c = kernel_node(p.w, p.g, p.k("c"), {root});
  kernel_node(p.w, p.g, p.k("join"), {a, b, c});
  p.costs().set_node_ns(300);
  p.costs().set_branch_ns(200);
  p.costs().set_join_ns(400);
  p.main.graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s);
  const host::Result r = p.run();
  CHECK(in_stream(r, "s", "a").start == Approx(10.3));
  CHECK(in_stream(r, "s", "b").start == Approx(10.5));
  CHECK(in_stream(r, "s", "c").start == Approx(10.7));
  CHECK(in_stream(r, "s", "join").start == Approx(20.7 + 0.3 + 0.4));
}

TEST_CASE("GR16: launches of the same graph come one after the other, also in two streams") {
  Program p;
  kernel_node(p.w, p.g, p.k("k"));
  const GraphExec y = add_graph_exec(p.w, "y");
  p.main.graphInstantiate(p.x, p.g).graphInstantiate(y, p.g);
  p.main.graphLaunch(p.x, p.s).graphLaunch(p.x, p.s2);
  SECTION("the same") {
    const host::Result r = p.run();
    CHECK(in_stream(r, "s", "k").start == 0);
    CHECK(in_stream(r, "s2", "k").start == 10);
  }
  SECTION("another one of the same definition is free") {
    p.main.graphLaunch(y, p.w.stream("s3", true));
    CHECK(in_stream(p.run(), "s3", "k").start == 0);
  }
}

TEST_CASE("a graph takes its place in its stream, and the legacy stream's") {
  Program p;
  kernel_node(p.w, p.g, p.k("k"));
  const Stream b = p.w.stream("b");
  p.main.graphInstantiate(p.x, p.g);
  p.main.launch(p.k("first"), b).graphLaunch(p.x, b).launch(p.k("last"), b).launch(p.k("legacy"));
  p.main.graphLaunch(p.x, b);
  const host::Result r = p.run();
  CHECK(in_stream(r, "b", "k", 0).start == 10);
  CHECK(in_stream(r, "b", "last").start == 20);
  CHECK(in_stream(r, "default", "legacy").start == 30);
  CHECK(in_stream(r, "b", "k", 1).start == 40);
}

TEST_CASE("C25: a reduction in two stages, built by hand") {
  Program p;
  const Buffer in = p.w.pinned("in", h2d_bytes(100)), dev = p.w.device("dev", h2d_bytes(100));
  const Buffer partial = p.w.device("partial", 4096), out = p.w.device("out", 8),
               result = p.w.pinned("result", 8);
  const Node copy = memcpy_node(p.w, p.g, dev, in);
  const Node zero_a = memset_node(p.w, p.g, partial), zero_b = memset_node(p.w, p.g, out);
  const Node reduce = kernel_node(p.w, p.g, p.k("reduce", 50), {copy, zero_a});
  const Node final = kernel_node(p.w, p.g, p.k("reduceFinal", 5), {reduce, zero_b});
  const Node back = memcpy_node(p.w, p.g, result, out, {final});
  host_node(p.w, p.g, 3, {back});
  p.main.graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s).streamSynchronize(p.s);
  const host::Result r = p.run();
  CHECK(in_stream(r, "s", "cudaMemset", 0).start == 0);
  CHECK(in_stream(r, "s", "cudaMemset", 1).start == 0);  // both roots beside the copy
  CHECK(in_stream(r, "s", "copy H2D").start == 0);
  CHECK(in_stream(r, "s", "reduce").start == Approx(100).margin(0.04));
  CHECK(in_stream(r, "s", "reduceFinal").start == Approx(150).margin(0.04));
  CHECK(in_stream(r, "s", "copy D2H").start == Approx(155).margin(0.04));
  CHECK(us(r.thread_end[0]) == Approx(158).margin(0.08));
  CHECK(r.commands == 9);  // seven nodes, the launch's start and its end
}

TEST_CASE("what cannot be instantiated, and what does not exist") {
  Program p;
  SECTION("a cycle") {
    const Node a = kernel_node(p.w, p.g, p.k("a")), b = kernel_node(p.w, p.g, p.k("b"), {a});
    add_dependency(p.w, p.g, b, a);
  }
  SECTION("a copy beyond its buffers") {
    memcpy_node(p.w, p.g, p.w.device("d", 4), p.w.pinned("h", 4), {}, 5);
  }
  SECTION("a graph in itself") { child_node(p.w, p.g, p.g); }
  SECTION("a graph that is gone") { p.main.graphDestroy(p.g); }
  p.main.graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s);
  const host::Result r = p.run();
  CHECK(errors(r) == std::vector<std::string>{"cudaErrorInvalidValue", "cudaErrorInvalidValue"});
  CHECK(r.errors[1].api == "cudaGraphLaunch");
}

TEST_CASE("an exec that is destroyed while it runs runs to its end") {
  Program p;
  kernel_node(p.w, p.g, p.k("k"));
  p.main.graphInstantiate(p.x, p.g).graphDestroy(p.g).graphLaunch(p.x, p.s).graphExecDestroy(p.x);
  p.main.graphLaunch(p.x, p.s);
  const host::Result r = p.run();
  CHECK(errors(r) == std::vector<std::string>{"cudaErrorInvalidValue"});
  CHECK(us(r.end) == 10);
}

TEST_CASE("ST11: a host node whose function calls CUDA waits for itself, and what is behind it for it") {
  Builder w;
  const Stream s = w.stream("s", true);
  const Graph g = add_graph(w, "g");
  const Node calls = host_node(w, g, 1);
  w.program().graphs[g.id].nodes[calls.id].calls_cuda = true;
  kernel_node(w, g, w.kernel_us("k", 5), {calls});
  const GraphExec x = add_graph_exec(w, "x");
  w.thread("main").graphInstantiate(x, g).graphLaunch(x, s).streamSynchronize(s);
  const host::Result r = host::run(w.program(), plain_gpu());
  CHECK(in_stream(r, "s", "k").start == -1);
  CHECK(std::count_if(r.deadlock.begin(), r.deadlock.end(), [](const std::string& line) {
          return line.starts_with("host function ") &&
                 line.ends_with(" calls CUDA and waits for itself (ST11)");
        }) == 1);
}

}  // namespace
}  // namespace heddle::hosttest
