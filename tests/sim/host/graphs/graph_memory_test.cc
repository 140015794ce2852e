// Memory nodes of graphs: cuda-model A17. Chunks of physical memory are of 2 MiB.
#include <catch2/catch.hpp>
#include <string>

#include "frontends/workload/graph_builder.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using namespace workload;  // the builder's functions
using host::Memory;
using Strings = std::vector<std::string>;

constexpr uint64_t kMiB = 1 << 20;

std::string stats(uint64_t reserved, uint64_t reserved_high, uint64_t used, uint64_t used_high) {
  return "reserved " + std::to_string(reserved * kMiB) + " high " + std::to_string(reserved_high * kMiB) +
         " used " + std::to_string(used * kMiB) + " high " + std::to_string(used_high * kMiB);
}

struct Program {
  explicit Program(uint32_t devices = 1) : w(devices) {}
  Builder w;
  Stream s = w.stream("s", true), s2 = w.stream("s2", true);
  Graph g = add_graph(w, "g"), h = add_graph(w, "h");
  GraphExec x = add_graph_exec(w, "x"), y = add_graph_exec(w, "y");
  Buffer a = memory("a"), b = memory("b");
  Thread& main = w.thread("main");
  spec::GpuConfig gpu = plain_gpu();

  spec::GraphMemory& costs() { return *gpu.mutable_host()->mutable_graph_memory(); }
  Buffer memory(const std::string& name, uint64_t bytes = 2 * kMiB, uint32_t device = 0) {
    return w.later(name, Memory::kDevice, bytes, device);
  }
  // A kernel of 10 us that updates a buffer.
  Kernel uses(const std::string& name, Buffer buffer) {
    const Kernel k = w.kernel_us(name, 10);
    w.program().kernels[k.id].accesses = {updates(buffer)};
    return k;
  }
  // alloc -> kernel -> free
  void temporary(Graph graph, Buffer buffer) {
    const Node alloc = mem_alloc_node(w, graph, buffer);
    const Node k = kernel_node(w, graph, uses("k " + w.program().buffers[buffer.id].name, buffer), {alloc});
    mem_free_node(w, graph, buffer, {k});
  }
  host::Result run(bool check = true) { return host::run(w.program(), gpu, {{}, true, check}); }
};

Strings findings(const host::Result& r) {
  Strings out;
  for (const host::Finding& f : r.findings) {
    out.push_back(f.kind + ": " + f.call.api);
  }
  return out;
}

TEST_CASE("GN01 GN02: memory from its node to its free, at one address in all launches") {
  Program p;
  const Node first = kernel_node(p.w, p.g, p.w.kernel_us("first", 5));
  const Node alloc = mem_alloc_node(p.w, p.g, p.a, {first});
  const Node k = kernel_node(p.w, p.g, p.uses("k", p.a), {alloc});
  mem_free_node(p.w, p.g, p.a, {k});
  p.main.graphInstantiate(p.x, p.g).graphMemAllocNodeGetParams(p.g, alloc);
  p.main.graphLaunch(p.x, p.s).graphLaunch(p.x, p.s2).graphMemAllocNodeGetParams(p.g, alloc);
  p.main.graphMemAllocNodeGetParams(p.g, k);
  const host::Result r = p.run();
  CHECK(errors(r) == Strings{"cudaErrorInvalidValue"});  // the last: no allocation node
  CHECK(r.findings.empty());
  REQUIRE(answers(r).size() == 2);
  CHECK(answers(r)[0] == answers(r)[1]);
  CHECK(answers(r)[0].ends_with(" bytes 2097152 device 0 access 0"));
  CHECK(span(r, "device 0 graph memory", "a", 0).start == 5);
  CHECK(span(r, "device 0 graph memory", "a", 0).end == 15);
  CHECK(span(r, "device 0 graph memory", "a", 1).start == 20);
  CHECK(span(r, "device 0 graph memory", "a", 1).end == 30);
}

TEST_CASE("C26 GN03: who may touch the memory: those between its allocation and its free") {
  Program p;
  const Node alloc = mem_alloc_node(p.w, p.g, p.a);
  const Node a = kernel_node(p.w, p.g, p.uses("a", p.a), {alloc});
  const Node b = kernel_node(p.w, p.g, p.w.kernel_us("b", 1), {a}),
             c = kernel_node(p.w, p.g, p.uses("c", p.a), {a});
  const Node release = mem_free_node(p.w, p.g, p.a, {b, c});
  p.main.graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s);
  SECTION("a, b and c") { CHECK(findings(p.run()).empty()); }
  SECTION("d, beside the free") {
    kernel_node(p.w, p.g, p.uses("d", p.a), {c});
    CHECK(findings(p.run()) == Strings{"free while in use: cudaGraphLaunch, node d"});
  }
  SECTION("d, after the free") {
    kernel_node(p.w, p.g, p.uses("d", p.a), {release});
    CHECK(findings(p.run()) == Strings{"use after free: cudaGraphLaunch, node d"});
  }
  SECTION("e, of which nobody says when") {
    kernel_node(p.w, p.g, p.uses("e", p.a));
    CHECK(findings(p.run()) == Strings{"use before allocation: cudaGraphLaunch, node e",
                                       "race: cudaGraphLaunch, node a", "race: cudaGraphLaunch, node c"});
  }
}

TEST_CASE("GN13: a free waits for whole kernels: that one has told another by a flag is not enough") {
  Program p;
  const Flag f = p.w.flag("f");
  const Node alloc = mem_alloc_node(p.w, p.g, p.a);
  const Kernel teller = p.uses("teller", p.a), waiter = p.w.kernel_us("waiter", 1);
  p.w.program().kernels[teller.id].sets_flag = f.id;
  p.w.program().kernels[waiter.id].until_flag = f.id;
  const Node t = kernel_node(p.w, p.g, teller, {alloc}), wait = kernel_node(p.w, p.g, waiter, {alloc});
  Nodes after{wait};
  SECTION("by the flag only") {}
  SECTION("by edges") { after.push_back(t); }
  mem_free_node(p.w, p.g, p.a, after);
  p.main.graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s);
  CHECK(findings(p.run()) ==
        (after.size() == 2 ? Strings{} : Strings{"free while in use: cudaGraphLaunch, node teller"}));
}

TEST_CASE("GN04 GN05: what a graph does not free is for whoever comes after it, and outlives it") {
  Program p;
  const Event e = p.w.event("e");
  mem_alloc_node(p.w, p.g, p.a);
  p.main.graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s).eventRecord(e, p.s);
  p.main.graphExecDestroy(p.x).graphDestroy(p.g);
  SECTION("used and freed in order") {
    p.main.streamWaitEvent(p.s2, e).launch(p.uses("k", p.a), p.s2).freeAsync(p.a, p.s2);
    const host::Result r = p.run();
    CHECK(r.errors.empty());
    CHECK(r.findings.empty());
  }
  SECTION("used without waiting") {
    p.main.launch(p.uses("k", p.a), p.s2);
    CHECK(findings(p.run()) == Strings{"use before allocation: cudaLaunchKernel k"});
  }
  SECTION("never freed") {
    const host::Result r = p.run();
    REQUIRE(r.counters.size() == 2);
    CHECK(r.counters[1].name == "graph allocations never freed");
    CHECK(r.counters[1].value == 1);
  }
  SECTION("freed twice") {
    p.main.free(p.a).freeAsync(p.a, p.s);
    CHECK(errors(p.run()) == Strings{"cudaErrorInvalidValue"});
  }
  SECTION("by another graph, which must have something to free") {
    mem_free_node(p.w, p.h, p.a);
    p.main.graphInstantiate(p.y, p.h).graphLaunch(p.y, p.s).graphLaunch(p.y, p.s);
    const host::Result r = p.run();
    CHECK(errors(r) == Strings{"cudaErrorInvalidValue"});
    CHECK(r.findings.empty());
    CHECK(span(r, "device 0 graph memory", "a").start == 0);
  }
}

TEST_CASE("C28 GN06: a graph that leaves memory allocated is launched again only if that frees it first") {
  Program p;
  mem_alloc_node(p.w, p.g, p.a);
  const Kernel consumer = p.uses("consumer", p.a);
  SECTION("without the flag") {
    p.main.graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s).graphLaunch(p.x, p.s);
    p.main.freeAsync(p.a, p.s).graphLaunch(p.x, p.s);
    CHECK(errors(p.run()) == Strings{"cudaErrorInvalidValue"});
  }
  SECTION("with it, in a loop with consumers") {
    p.main.graphInstantiate(p.x, p.g, {.auto_free_on_launch = true});
    p.main.repeat(3, [&](Thread& t) { t.graphLaunch(p.x, p.s).launch(consumer, p.s); }).deviceGraphMemStats();
    const host::Result r = p.run();
    CHECK(r.errors.empty());
    CHECK(r.findings.empty());
    CHECK(answers(r) == Strings{stats(2, 2, 2, 2)});
  }
  SECTION("with it, while a consumer of another stream is not waited for") {
    p.main.graphInstantiate(p.x, p.g, {.auto_free_on_launch = true})
        .graphLaunch(p.x, p.s)
        .streamSynchronize(p.s);
    p.main.launch(consumer, p.s2).graphLaunch(p.x, p.s);
    CHECK(findings(p.run()) == Strings{"free while in use: cudaGraphLaunch"});
  }
}

TEST_CASE("C33 GN07: an allocation that comes after a free may have its address, another may not") {
  Program p;
  const Buffer c = p.memory("c"), d = p.memory("d", kMiB);
  const Node a = mem_alloc_node(p.w, p.g, p.a), free_a = mem_free_node(p.w, p.g, p.a, {a});
  const Node b = mem_alloc_node(p.w, p.g, p.b, {free_a}), free_b = mem_free_node(p.w, p.g, p.b, {b});
  const Node independent = mem_alloc_node(p.w, p.g, c);
  mem_free_node(p.w, p.g, c, {independent});
  const Node smaller = mem_alloc_node(p.w, p.g, d, {free_b, b});
  mem_free_node(p.w, p.g, d, {smaller});
  for (const Node n : {a, b, independent, smaller}) {
    p.main.graphMemAllocNodeGetParams(p.g, n);
  }
  const host::Result r = p.run();
  const auto address = [&](size_t i) { return answers(r)[i].substr(0, answers(r)[i].find(" bytes")); };
  CHECK(address(0) == address(1));
  CHECK(address(0) != address(2));
  CHECK(address(0) == address(3));
}

TEST_CASE("C76 GN08 GN09: graphs of one stream share memory, those of two streams at once do not") {
  Program p;
  p.temporary(p.g, p.a);
  p.temporary(p.h, p.b);
  p.costs().set_map_ns(1000);
  p.costs().set_map_chunk_ns(2000);
  p.costs().set_take_ns(4000);
  p.costs().set_take_chunk_ns(8000);
  p.costs().set_stream_chunk_ns(500);
  p.main.graphInstantiate(p.x, p.g).graphInstantiate(p.y, p.h).graphLaunch(p.x, p.s);
  CHECK(us(p.run().thread_end[0]) == 15);  // taken and mapped
  SECTION("the same stream: mapped once, then nothing") {
    p.main.graphLaunch(p.y, p.s);
    CHECK(us(p.run().thread_end[0]) == 15 + 3);
    p.main.graphLaunch(p.x, p.s).graphLaunch(p.y, p.s).deviceGraphMemStats();
    const host::Result r = p.run();
    CHECK(us(r.thread_end[0]) == 18);
    CHECK(answers(r) == Strings{stats(2, 2, 2, 2)});  // the greatest, not the sum
    CHECK(r.findings.empty());
  }
  SECTION("another stream, while the first is under way: memory of its own") {
    p.main.graphLaunch(p.y, p.s2).deviceGraphMemStats();
    const host::Result r = p.run();
    CHECK(us(r.thread_end[0]) == 30);
    CHECK(answers(r) == Strings{stats(4, 4, 4, 4)});
  }
  SECTION("another stream later: it goes over, and the call pays") {
    p.main.streamSynchronize(p.s).graphLaunch(p.x, p.s2);
    CHECK(us(p.run().thread_end[0]) == 15 + 10 + 0.5);
  }
  SECTION("another graph's allocation is on it: mapped elsewhere") {
    const Buffer kept = p.memory("kept");
    const Graph keeper = add_graph(p.w, "keeper");
    const GraphExec z = add_graph_exec(p.w, "z");
    mem_alloc_node(p.w, keeper, kept);
    p.main.graphInstantiate(z, keeper).graphLaunch(z, p.s).graphLaunch(p.x, p.s);
    CHECK(us(p.run().thread_end[0]) == 15 + 3 + 15);
    p.main.freeAsync(kept, p.s).graphLaunch(p.y, p.s).deviceGraphMemStats();  // on either
    const host::Result r = p.run();
    CHECK(us(r.thread_end[0]) == 15 + 3 + 15 + 3);
    CHECK(answers(r) == Strings{stats(4, 4, 4, 4)});
  }
}

TEST_CASE("GN09 GN11: a trim gives back what no graph is using; launches take it again") {
  Program p;
  p.temporary(p.g, p.a);
  p.costs().set_take_chunk_ns(8000);
  p.costs().set_map_chunk_ns(2000);
  p.costs().set_trim_ns(20000);
  p.costs().set_trim_chunk_ns(30000);
  p.main.graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s).deviceGraphMemTrim().deviceGraphMemStats();
  p.main.streamSynchronize(p.s)
      .deviceGraphMemTrim()
      .deviceGraphMemStats()
      .memGetInfo()
      .deviceGraphMemResetHigh();
  p.main.deviceGraphMemStats().graphLaunch(p.x, p.s).memGetInfo();
  const host::Result r = p.run();
  CHECK(r.errors.empty());
  CHECK(answers(r) == Strings{stats(2, 2, 2, 2),  // it runs
                              stats(0, 2, 0, 2), "free 1073741824 total 1073741824", stats(0, 0, 0, 0),
                              "free 1071644672 total 1073741824"});
  CHECK(us(r.thread_end[0]) == 10 + 10 + 50 + 10);
}

TEST_CASE("GN10: memory is mapped by the first launch or an upload, not by the instantiation") {
  Program p;
  p.temporary(p.g, p.a);
  p.costs().set_map_ns(1000);
  p.costs().set_stream_chunk_ns(500);
  p.main.graphInstantiate(p.x, p.g).deviceGraphMemStats();
  CHECK(answers(p.run()) == Strings{stats(0, 0, 0, 0)});
  p.main.graphUpload(p.x, p.s).deviceGraphMemStats();
  CHECK(answers(p.run())[1] == stats(2, 2, 2, 2));
  CHECK(us(p.run().thread_end[0]) == 1);
  SECTION("launched where it was uploaded") {
    p.main.graphLaunch(p.x, p.s);
    CHECK(us(p.run().thread_end[0]) == 1);
  }
}

TEST_CASE("C27 GN12: who reaches the memory: as the node says, or as the pool was when it was captured") {
  Program p(3);
  const Buffer on1 = p.memory("on1", kMiB, 1), early = p.memory("early", kMiB), late = p.memory("late", kMiB);
  const Node n = mem_alloc_node(p.w, p.g, on1, {}, {0, 2});
  p.main.graphMemAllocNodeGetParams(p.g, n);
  const Graph later = add_graph(p.w, "later");
  p.main.streamBeginCapture(p.s).mallocAsync(early, p.s).streamEndCapture(p.s, p.h);
  p.main.memPoolSetAccess({}, 1);
  p.main.streamBeginCapture(p.s).mallocAsync(late, p.s).streamEndCapture(p.s, later);
  p.main.graphMemAllocNodeGetParams(p.h, {0}).graphMemAllocNodeGetParams(later, {0});
  const host::Result r = p.run();
  CHECK(r.errors.empty());
  REQUIRE(answers(r).size() == 3);
  CHECK(answers(r)[0].ends_with("device 1 access 0 1 2"));
  CHECK(answers(r)[1].ends_with("device 0 access 0"));
  CHECK(answers(r)[2].ends_with("device 0 access 0 1"));
}

TEST_CASE("GN12: a kernel of a device that does not reach the memory is found") {
  Program p(2);
  const Node alloc = mem_alloc_node(p.w, p.g, p.a);
  host::GraphNode k = kernel_params(p.uses("k", p.a));
  k.device = 1;
  const Node on1 = add_node(p.w, p.g, k, {alloc});
  mem_free_node(p.w, p.g, p.a, {on1});
  p.main.graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s);
  CHECK(findings(p.run()) == Strings{"no access from the node's device: cudaGraphLaunch, node k"});
}

TEST_CASE("GN01: cudaMallocAsync and cudaFreeAsync are memory nodes when captured") {
  Program p;
  p.main.streamBeginCapture(p.s).mallocAsync(p.a, p.s).launch(p.uses("k", p.a), p.s).freeAsync(p.a, p.s);
  p.main.streamEndCapture(p.s, p.g).memPoolStats();
  p.main.graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s).deviceGraphMemStats().memPoolStats();
  const host::Result r = p.run();
  CHECK(r.errors.empty());
  CHECK(r.findings.empty());
  CHECK(r.commands == 5);
  const std::string none = stats(0, 0, 0, 0);
  CHECK(answers(r) == Strings{none, stats(2, 2, 2, 2), none});  // GN11: no memory of a pool
  CHECK(span(r, "device 0 graph memory", "a").end == 10);
}

TEST_CASE("GN01: what graphs with memory nodes cannot be or do, by CUDA's names") {
  Program p;
  p.temporary(p.g, p.a);
  SECTION("freed twice") {
    mem_free_node(p.w, p.g, p.a);
    p.main.graphInstantiate(p.x, p.g);
    CHECK(errors(p.run()) == Strings{"cudaErrorInvalidValue"});
  }
  SECTION("freed by another graph too") {
    mem_free_node(p.w, p.h, p.a);
    p.main.graphInstantiate(p.y, p.h);
    CHECK(errors(p.run()) == Strings{"cudaErrorInvalidValue"});
  }
  SECTION("freed from outside") {
    p.main.graphInstantiate(p.x, p.g).freeAsync(p.a, p.s).graphLaunch(p.x, p.s).free(p.a);
    CHECK(errors(p.run()) == Strings{"cudaErrorInvalidValue", "cudaErrorInvalidValue"});
  }
  SECTION("a free of what no graph allocates") {
    mem_free_node(p.w, p.h, p.b);
    p.main.graphInstantiate(p.y, p.h);
    CHECK(errors(p.run()) == Strings{"cudaErrorInvalidValue"});
  }
  SECTION("two instantiations, unless one is gone") {
    p.main.graphInstantiate(p.x, p.g).graphInstantiate(p.y, p.g).graphExecDestroy(p.x).graphInstantiate(p.y,
                                                                                                        p.g);
    CHECK(errors(p.run()) == Strings{"cudaErrorNotSupported"});
  }
  SECTION("a child graph") {
    child_node(p.w, p.h, p.g);
    p.main.graphInstantiate(p.y, p.h);
    CHECK(errors(p.run()) == Strings{"cudaErrorNotSupported"});
  }
  SECTION("new parameters") {
    p.main.graphNodeSetParams(p.g, add_change(p.w, {0}, p.w.program().graphs[p.g.id].nodes[0]));
    CHECK(errors(p.run()) == Strings{"cudaErrorInvalidValue"});
  }
  SECTION("more memory than there is") {
    const Buffer huge = p.memory("huge", uint64_t{2} << 30);
    mem_alloc_node(p.w, p.h, huge);
    p.main.graphInstantiate(p.y, p.h).graphLaunch(p.y, p.s);
    CHECK(errors(p.run()) == Strings{"cudaErrorMemoryAllocation"});
  }
}

TEST_CASE("--check looks at what nodes access: races between nodes, and with the stream's other work") {
  Program p;
  const Buffer d = p.w.device("d", 1024), host = p.w.pinned("host", 1024);
  SECTION("two branches") {
    const Node in = memcpy_node(p.w, p.g, d, host);
    kernel_node(p.w, p.g, p.uses("left", d), {in});
    kernel_node(p.w, p.g, p.uses("right", d), {in});
    p.main.graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s);
    CHECK(findings(p.run()) == Strings{"race: cudaGraphLaunch, node right"});
  }
  SECTION("another stream") {
    kernel_node(p.w, p.g, p.uses("k", d));
    p.main.graphInstantiate(p.x, p.g).launch(p.uses("other", d), p.s2).graphLaunch(p.x, p.s);
    const host::Result r = p.run();
    CHECK(findings(r) == Strings{"race: cudaGraphLaunch, node k"});
    CHECK(r.findings[0].other.api == "cudaLaunchKernel other");
  }
  SECTION("in the body of a conditional node") {
    const Handle handle = add_handle(p.w, "handle", 1);
    kernel_node(p.w, p.h, p.uses("inside", d));
    conditional_node(p.w, p.g, host::GraphNode::Condition::kIf, handle, {p.h});
    kernel_node(p.w, p.g, p.uses("beside", d));
    p.main.graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s);
    CHECK(findings(p.run()) == Strings{"race: cudaGraphLaunch, node beside"});
  }
  SECTION("in order") {
    const Node a = kernel_node(p.w, p.g, p.uses("first", d));
    kernel_node(p.w, p.g, p.uses("second", d), {a});
    p.main.launch(p.uses("before", d), p.s).graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s);
    p.main.launch(p.uses("after", d), p.s);
    CHECK(findings(p.run()).empty());
  }
}

TEST_CASE("GN02: also memory of no bytes has an address of its own") {
  Program p;
  const Buffer none[] = {p.memory("none", 0), p.memory("none 2", 0)};
  for (const Buffer b : none) {
    p.main.graphMemAllocNodeGetParams(p.g, mem_alloc_node(p.w, p.g, b));
  }
  const Strings a = answers(p.run());
  REQUIRE(a.size() == 2);
  CHECK(a[0] != a[1]);
}

TEST_CASE("GN05: of three allocations, those that nobody frees are counted") {
  Program p;
  const Buffer c = p.memory("c");
  for (const Buffer b : {p.a, p.b, c}) {
    mem_alloc_node(p.w, p.g, b);
  }
  p.main.graphInstantiate(p.x, p.g).graphLaunch(p.x, p.s).freeAsync(p.b, p.s);
  CHECK(counter_of(p.run(), "graph allocations never freed") == 2);
}

}  // namespace
}  // namespace heddle::hosttest
