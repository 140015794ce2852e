// Data of graphs' edges, and programmatic launch in graphs: cuda-model PD09, GR05 to GR07, C20.
#include <catch2/catch.hpp>
#include <string>

#include "frontends/workload/graph_builder.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using namespace workload;  // the builder's functions
using Strings = std::vector<std::string>;

struct Program {
  Builder w;
  Stream s = w.stream("s", true), s2 = w.stream("s2", true);
  Event e = w.event("e"), e2 = w.event("e2");
  Graph g = add_graph(w, "g");
  GraphExec x = add_graph_exec(w, "x");
  Thread& main = w.thread("main");
  spec::GpuConfig gpu = plain_gpu();

  // Ten us in one block; triggers after 4, waits for the kernel before after 1.
  Kernel k(const std::string& name) {
    host::KernelDesc d;
    d.name = name;
    d.has_grid = true;
    d.block.x = 32;
    d.block_duration = host::from_us(10);
    d.trigger_after = host::from_us(4);
    d.wait_after = host::from_us(1);
    return w.kernel(d);
  }
  host::Result run(bool check = false) { return host::run(w.program(), gpu, {{}, true, check}); }
};

TEST_CASE("PD09 GR05: a kernel node starts when the one before it has come to the edge's port") {
  Program p;
  const Node a = kernel_node(p.w, p.g, p.k("A")), b = kernel_node(p.w, p.g, p.k("B"));
  p.main.graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s).launch(p.k("after"), p.s);
  p.gpu.mutable_host()->mutable_graph()->set_node_ns(300);
  p.gpu.mutable_host()->mutable_graph()->set_programmatic_ns(200);
  p.gpu.mutable_host()->mutable_graph()->set_launch_completion_ns(100);
  double start = 0, end = 0;
  SECTION("its end") {
    add_dependency(p.w, p.g, a, b);
    start = 10.3, end = 20.3;
  }
  SECTION("its blocks' triggers; then it waits for the end") {
    add_dependency(p.w, p.g, a, b, kProgrammatic);
    start = 4.2, end = 10 + 9;
  }
  SECTION("its blocks' start") {
    add_dependency(p.w, p.g, a, b, kLaunchCompletion);
    start = 0.1, end = 10 + 9;
  }
  const host::Result r = p.run();
  CHECK(r.errors.empty());
  CHECK(in_stream(r, "s", "B").start == Approx(start));
  CHECK(in_stream(r, "s", "B").end == Approx(end));
  CHECK(in_stream(r, "s", "graph g").end == Approx(end));
  CHECK(in_stream(r, "s", "after").start == Approx(end));
}

TEST_CASE("GR05: what comes behind a secondary also comes behind its primary") {
  Program p;
  const Kernel slow = p.k("A"), quick = p.k("B");
  p.w.program().kernels[quick.id].wait_after = host::kNever;
  p.w.program().kernels[quick.id].block_duration = host::from_us(2);
  const Node a = kernel_node(p.w, p.g, slow), b = kernel_node(p.w, p.g, quick);
  add_dependency(p.w, p.g, a, b, kProgrammatic);
  kernel_node(p.w, p.g, p.k("C"), {b});
  p.main.graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s);
  const host::Result r = p.run();
  CHECK(in_stream(r, "s", "B").start == 4);
  CHECK(in_stream(r, "s", "B").end == 6);
  CHECK(in_stream(r, "s", "C").start == 10);
  CHECK(r.hazards.size() == 1);  // B did not wait (PD05)
}

TEST_CASE("GR05: --check knows that a secondary which does not wait runs beside its primary") {
  Program p;
  const Buffer d = p.w.device("d", 64);
  const Kernel first = p.k("first"), second = p.k("second"), third = p.k("third");
  for (const Kernel k : {first, second, third}) {
    p.w.program().kernels[k.id].accesses = {updates(d)};
  }
  const Node a = kernel_node(p.w, p.g, first), b = kernel_node(p.w, p.g, second);
  add_dependency(p.w, p.g, a, b, kProgrammatic);
  kernel_node(p.w, p.g, third, {b});
  p.main.graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s);
  CHECK(p.run(true).findings.empty());
  p.w.program().kernels[second.id].wait_after = host::kNever;
  const host::Result r = p.run(true);
  REQUIRE(r.findings.size() == 1);
  CHECK(r.findings[0].call.api == "cudaGraphLaunch, node second");
  CHECK(r.findings[0].other.api == "cudaGraphLaunch, node first");
}

TEST_CASE("GR05: edges that there cannot be") {
  Program p;
  const Buffer d = p.w.device("d", 64);
  const Node a = kernel_node(p.w, p.g, p.k("A")), b = kernel_node(p.w, p.g, p.k("B"));
  SECTION("to a node that is no kernel") {
    add_dependency(p.w, p.g, a, memset_node(p.w, p.g, d), kProgrammatic);
  }
  SECTION("from one") { add_dependency(p.w, p.g, memset_node(p.w, p.g, d), b, kProgrammatic); }
  SECTION("programmatic, but from the end") { add_dependency(p.w, p.g, a, b, {0, 0, 1}); }
  SECTION("not programmatic, but from the trigger") { add_dependency(p.w, p.g, a, b, {1, 0, 0}); }
  SECTION("into a port") { add_dependency(p.w, p.g, a, b, {1, 1, 1}); }
  SECTION("from a port that there is not") { add_dependency(p.w, p.g, a, b, {3, 0, 1}); }
  p.main.graphInstantiate(p.x, p.g);
  CHECK(errors(p.run()) == Strings{"cudaErrorInvalidValue"});
}

TEST_CASE("GR06: a query that leaves out edge data is an error when there is some") {
  Program p;
  const Node a = kernel_node(p.w, p.g, p.k("A")), b = kernel_node(p.w, p.g, p.k("B"), {a});
  p.main.graphGetEdges(p.g, false);
  SECTION("there is none") { CHECK(answers(p.run()) == Strings{"0-1"}); }
  SECTION("there is") {
    const Node c = kernel_node(p.w, p.g, p.k("C"));
    add_dependency(p.w, p.g, b, c, kLaunchCompletion);
    p.main.graphGetEdges(p.g);
    const host::Result r = p.run();
    CHECK(errors(r) == Strings{"cudaErrorLossyQuery"});
    CHECK(answers(r) == Strings{"0-1 1-2(2,0,1)"});
  }
}

TEST_CASE("C20 PD09: captured programmatic launches make these edges") {
  Program p;
  std::string edge;
  p.main.streamBeginCapture(p.s);
  SECTION("in a stream") {
    p.main.launch(p.k("A"), p.s).launch(p.k("B"), p.s, {.programmatic = true});
    edge = "0-1(1,0,1)";
  }
  SECTION("by an event at the trigger") {
    p.main.launch(p.k("A"), p.s, {.programmatic_event = p.e}).streamWaitEvent(p.s2, p.e);
    edge = "0-1(1,0,1)";
  }
  SECTION("by an event at the blocks' start") {
    p.main.launch(p.k("A"), p.s, {.programmatic_event = p.e, .trigger_at_block_start = true});
    p.main.streamWaitEvent(p.s2, p.e);
    edge = "0-1(2,0,1)";
  }
  SECTION("not behind a node that is no kernel") {
    p.main.memsetAsync(p.w.device("d", 64), p.s).launch(p.k("B"), p.s, {.programmatic = true});
    edge = "0-1";
  }
  if (edge.ends_with(")") && p.w.program().threads[0].calls.back().op == host::Op::kStreamWaitEvent) {
    p.main.launch(p.k("B"), p.s2).eventRecord(p.e2, p.s2).streamWaitEvent(p.s, p.e2);
  }
  p.main.streamEndCapture(p.s, p.g).graphGetEdges(p.g).graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s);
  const host::Result r = p.run();
  CHECK(r.errors.empty());
  CHECK(answers(r) == Strings{edge});
  const double start = edge.find("(1") != std::string::npos ? 4 : 0;
  CHECK(in_stream(r, "s", "B").start == Approx(start).margin(0.01));
}

TEST_CASE("GR07: an edge that is still without its end is no rejoin, and cannot be dropped") {
  Program p;
  p.main.streamBeginCapture(p.s).launch(p.k("A"), p.s).eventRecord(p.e, p.s).streamWaitEvent(p.s2, p.e);
  p.main.launch(p.k("B"), p.s2, {.programmatic_event = p.e2}).streamWaitEvent(p.s, p.e2);
  p.main.streamGetCaptureInfo(p.s, false).streamGetCaptureInfo(p.s);
  SECTION("the capture ends") {
    p.main.streamEndCapture(p.s, p.g);
    CHECK(errors(p.run()) == Strings{"cudaErrorLossyQuery", "cudaErrorStreamCaptureUnjoined"});
  }
  SECTION("a kernel becomes its end") {
    p.main.launch(p.k("C"), p.s).streamEndCapture(p.s, p.g).graphGetEdges(p.g);
    const host::Result r = p.run();
    CHECK(errors(r) == Strings{"cudaErrorLossyQuery"});  // GR06
    CHECK(answers(r) ==
          Strings{"cudaStreamCaptureStatusActive, id 1, next after 0 1(1,0,1)", "0-1 0-2 1-2(1,0,1)"});
  }
  SECTION("other work waits for all of it") {
    p.main.launchHostFunc(p.s, 1).streamEndCapture(p.s, p.g).graphGetEdges(p.g);
    CHECK(answers(p.run())[1] == "0-1 0-2 1-2");
  }
}

TEST_CASE("GR05 GR20: a whole-graph update may not change what edges carry") {
  Program p;
  const Graph other = add_graph(p.w, "other");
  for (const Graph g : {p.g, other}) {
    const Node a = kernel_node(p.w, g, p.k("A")), b = kernel_node(p.w, g, p.k("B"));
    add_dependency(p.w, g, a, b, g.id == other.id ? kProgrammatic : host::EdgeData());
  }
  p.main.graphInstantiate(p.x, p.g).graphExecUpdate(p.x, other).graphExecUpdate(p.x, p.g);
  const host::Result r = p.run();
  REQUIRE(errors(r) == Strings{"cudaErrorGraphExecUpdateFailure"});
  CHECK(r.errors[0].why.starts_with("cudaGraphExecUpdateErrorTopologyChanged"));
}

}  // namespace
}  // namespace heddle::hosttest
