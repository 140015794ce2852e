// Conditional nodes: cuda-model A16.
#include <catch2/catch.hpp>
#include <string>

#include "frontends/workload/graph_builder.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using namespace workload;  // the builder's functions
using Condition = host::GraphNode::Condition;
using Strings = std::vector<std::string>;

struct Program {
  Builder w;
  Stream s = w.stream("s", true);
  Graph g = add_graph(w, "g"), body = add_graph(w, "body"), other = add_graph(w, "other");
  GraphExec x = add_graph_exec(w, "x");
  Thread& main = w.thread("main");
  spec::GpuConfig gpu = plain_gpu();

  Kernel k(const std::string& name, double us = 10) { return w.kernel_us(name, us); }
  host::Result run() { return host::run(w.program(), gpu, {{}, true}); }
  // set: sets the handle; then the node; then last.
  host::Result choose(Condition c, uint32_t value, const std::vector<Graph>& bodies) {
    const Handle h = add_handle(w, "h");
    const Node set = kernel_node(w, g, setting_kernel(w, "set", 1, h, {value}));
    const Node n = conditional_node(w, g, c, h, bodies, {set});
    kernel_node(w, g, k("last", 1), {n});
    main.graphInstantiate(x, g).graphLaunch(x, s);
    return run();
  }
};

TEST_CASE("C22 GC01 GC04 GC05: IF runs its body, else its other body, or nothing") {
  Program p;
  kernel_node(p.w, p.body, p.k("then", 5));
  kernel_node(p.w, p.other, p.k("else", 7));
  const auto starts = [](const host::Result& r, const char* name) { return in_stream(r, "s", name).start; };
  SECTION("one body, value 1") {
    const host::Result r = p.choose(Condition::kIf, 1, {p.body});
    CHECK(r.errors.empty());
    CHECK(starts(r, "then") == 1);
    CHECK(starts(r, "last") == 6);
    CHECK(us(r.thread_end[0]) == 0);  // the host has long gone on
  }
  SECTION("one body, value 0") {
    const host::Result r = p.choose(Condition::kIf, 0, {p.body});
    CHECK(starts(r, "then") == -1);
    CHECK(starts(r, "last") == 1);
  }
  SECTION("two bodies, value 5") {
    const host::Result r = p.choose(Condition::kIf, 5, {p.body, p.other});
    CHECK(starts(r, "else") == -1);
    CHECK(starts(r, "last") == 6);
  }
  SECTION("two bodies, value 0") {
    const host::Result r = p.choose(Condition::kIf, 0, {p.body, p.other});
    CHECK(starts(r, "then") == -1);
    CHECK(starts(r, "else") == 1);
    CHECK(starts(r, "last") == 8);
  }
}

TEST_CASE("C23 GC03 GC06: WHILE runs its body ten times, in every launch") {
  Program p;
  const Handle h = add_handle(p.w, "h", 1);
  kernel_node(p.w, p.body, setting_kernel(p.w, "decrement", 2, h, {1, 1, 1, 1, 1, 1, 1, 1, 1, 0}));
  conditional_node(p.w, p.g, Condition::kWhile, h, {p.body});
  p.gpu.mutable_host()->mutable_graph()->set_start_ns(1000);
  p.gpu.mutable_host()->mutable_graph()->set_node_ns(250);
  p.main.graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s).graphLaunch(p.x, p.s);
  const host::Result r = p.run();
  CHECK(r.errors.empty());
  CHECK(in_stream(r, "s", "decrement", 0).start == Approx(1.25));
  CHECK(in_stream(r, "s", "decrement", 1).start == Approx(3.5));
  CHECK(in_stream(r, "s", "decrement", 19).end == Approx(2 * (1 + 10 * 2.25)));
  CHECK(in_stream(r, "s", "decrement", 20).start == -1);
}

TEST_CASE("GC03: without a default the value does not last from one execution to the next") {
  Program p;
  const Handle h = add_handle(p.w, "h");
  kernel_node(p.w, p.body, p.k("then"));
  const Node n = conditional_node(p.w, p.g, Condition::kIf, h, {p.body});
  kernel_node(p.w, p.g, setting_kernel(p.w, "set", 1, h, {1}), {n});
  p.main.graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s).graphLaunch(p.x, p.s);
  const host::Result r = p.run();
  CHECK(in_stream(r, "s", "then").start == -1);
  CHECK(us(r.end) == 2);
}

TEST_CASE("C24 GC07: SWITCH runs the body of its value, or none") {
  for (const uint32_t value : {1u, 7u}) {
    Program p;
    std::vector<Graph> bodies;
    for (int i = 0; i < 5; ++i) {
      bodies.push_back(add_graph(p.w, "body " + std::to_string(i)));
      kernel_node(p.w, bodies.back(), p.k("case " + std::to_string(i), 3));
    }
    const host::Result r = p.choose(Condition::kSwitch, value, bodies);
    CHECK(in_stream(r, "s", "case 1").start == (value == 1 ? 1 : -1));
    CHECK(in_stream(r, "s", "case 0").start == -1);
    CHECK(in_stream(r, "s", "last").start == (value == 1 ? 4 : 1));
  }
}

TEST_CASE("GC08: conditional nodes inside each other") {
  Program p;
  const Handle outer = add_handle(p.w, "outer", 1), inner = add_handle(p.w, "inner", 1);
  // Twice: two rounds of the inner loop, which ends at its second and at its fourth round.
  kernel_node(p.w, p.other, setting_kernel(p.w, "inner", 1, inner, {1, 0, 0}));
  const Node loop = conditional_node(p.w, p.body, Condition::kWhile, inner, {p.other});
  kernel_node(p.w, p.body, setting_kernel(p.w, "outer", 1, outer, {1, 0}), {loop});
  conditional_node(p.w, p.g, Condition::kWhile, outer, {p.body});
  p.main.graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s);
  const host::Result r = p.run();
  CHECK(in_stream(r, "s", "inner", 1).start == 1);
  CHECK(in_stream(r, "s", "outer", 0).start == 2);
  CHECK(in_stream(r, "s", "outer", 1).start == 3);  // the inner value was still 0
  CHECK(in_stream(r, "s", "inner", 2).start == -1);
  CHECK(us(r.end) == 4);
}

TEST_CASE("GC02 GC09: what is refused") {
  Program p;
  const Handle h = add_handle(p.w, "h", 1);
  std::string error = "cudaErrorNotSupported";
  SECTION("a host function in a body") {
    host_node(p.w, p.body, 1);
    conditional_node(p.w, p.g, Condition::kIf, h, {p.body});
  }
  SECTION("a copy of pageable memory in a child graph of a body") {
    memcpy_node(p.w, p.other, p.w.device("d", 8), p.w.pageable("p", 8));
    child_node(p.w, p.body, p.other);
    conditional_node(p.w, p.g, Condition::kWhile, h, {p.body});
  }
  SECTION("a handle for two nodes") {
    conditional_node(p.w, p.g, Condition::kIf, h, {p.body});
    conditional_node(p.w, p.g, Condition::kIf, h, {p.other});
    error = "cudaErrorInvalidValue";
  }
  SECTION("three bodies of an IF") {
    conditional_node(p.w, p.g, Condition::kIf, h, {p.body, p.other, add_graph(p.w, "third")});
    error = "cudaErrorInvalidValue";
  }
  p.main.graphInstantiate(p.x, p.g);
  CHECK(errors(p.run()) == Strings{error});
}

}  // namespace
TEST_CASE("GC10: copies of a body run by the engines of the graph's device, wherever the memory is") {
  workload::Builder w(2);
  const auto h = w.pinned("h", h2d_bytes(5)), far = w.device("far", h2d_bytes(5), 1);
  const auto handle = workload::add_handle(w, "once", 1);
  const auto body = workload::add_graph(w, "body"), g = workload::add_graph(w, "g");
  workload::memcpy_node(w, body, far, h);
  workload::memcpy_node(w, g, far, h);
  workload::conditional_node(w, g, host::GraphNode::Condition::kIf, handle, {body});
  const auto x = workload::add_graph_exec(w, "x");
  w.thread("main").graphInstantiate(x, g).graphLaunch(x, w.stream("s", true));
  const host::Result r = host::run(w.program(), plain_gpu());
  CHECK(errors(r).empty());
  CHECK(span(r, "device 0 copy to device", "copy H2D").end == Approx(5).epsilon(1e-3));  // the body's
  CHECK(span(r, "device 1 copy to device", "copy H2D").end == Approx(5).epsilon(1e-3));  // the other
}

TEST_CASE("GC03: a kernel that sets a handle to nothing leaves it as it is") {
  Program p;
  kernel_node(p.w, p.body, p.k("then", 5));
  const Handle h = add_handle(p.w, "h", 1);
  const Node set = kernel_node(p.w, p.g, setting_kernel(p.w, "set", 1, h, {}));
  conditional_node(p.w, p.g, Condition::kIf, h, {p.body}, {set});
  p.main.graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s);
  CHECK(in_stream(p.run(), "s", "then").start == 1);
}

}  // namespace heddle::hosttest
