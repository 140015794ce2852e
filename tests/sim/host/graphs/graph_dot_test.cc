// Graphs as pictures; tests/workload/host_command_test.py has Graphviz read one.
#include "analysis/report/graph_dot.h"

#include <catch2/catch.hpp>

#include "frontends/workload/graph_builder.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using namespace workload;

TEST_CASE("GR29: nodes, edges with their data, graphs in graphs, in the syntax of Graphviz") {
  Builder w;
  const Buffer h = w.pinned("h", 4096), d = w.device("d", 4096);
  const Stream s = w.stream("s", true);
  const Handle once = add_handle(w, "once", 1);
  const Graph body = add_graph(w, "body"), g = add_graph(w, "g"), captured = add_graph(w, "a \"name\"");
  kernel_node(w, body, setting_kernel(w, "last", 1, once, {0}));
  const Node copy = memcpy_node(w, g, d, h);
  const Kernel k = w.kernel_us("k", 1);
  const Node a = kernel_node(w, g, k, {copy}), b = kernel_node(w, g, k);
  add_dependency(w, g, a, b, kProgrammatic);
  conditional_node(w, g, host::GraphNode::Condition::kWhile, once, {body}, {b});
  w.thread("main").streamBeginCapture(s).launch(k, s).memsetAsync(d, s).streamEndCapture(s, captured);
  host::PlatformOptions o;
  o.graphs = true;
  const host::Result r = host::run(w.program(), plain_gpu(), o);
  CHECK(analysis::graphs_as_dot(w.program(), r.graphs) == R"(digraph heddle {
  compound=true
  subgraph cluster_0 {
    label="body"
    g0_0 [label="kernel last" shape=box]
  }
  subgraph cluster_1 {
    label="g"
    g1_0 [label="memcpy h to d, 4096 bytes" shape=invtrapezium]
    g1_1 [label="kernel k" shape=box]
    g1_0 -> g1_1
    g1_2 [label="kernel k" shape=box]
    g1_1 -> g1_2 [label="programmatic"]
    g1_3 [label="while once" shape=diamond]
    g1_2 -> g1_3
  }
  subgraph cluster_2 {
    label="a \"name\""
    g2_0 [label="kernel k" shape=box]
    g2_1 [label="memset d, 4096 bytes" shape=invtrapezium]
    g2_0 -> g2_1
  }
  g1_3 -> g0_0 [lhead=cluster_0 style=dashed]
}
)");
  CHECK(host::run(w.program(), plain_gpu()).graphs.empty());
}

}  // namespace
}  // namespace heddle::hosttest
