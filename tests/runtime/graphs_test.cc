// Graphs: captures, nodes, updates.
#include <catch2/catch.hpp>

#include "tests/runtime/context_case.h"

namespace heddle::cuda {
namespace {

void count(void* data) { ++*static_cast<int*>(data); }

TEST_CASE("a captured stream does nothing; its graph does it at each launch") {
  ContextCase c;
  const uint64_t p = c.device(128);
  c.zero(p, 128);
  Stream& s = c->create_stream(1, 0);
  c->begin_capture(s, nullptr, {});
  c->launch(c.add(p, 1), s);
  c->launch(c.add(p, 10), s);
  const auto g = c->end_capture(s);
  REQUIRE(g->nodes.size() == 2);
  CHECK(g->nodes[0]->after.empty());
  CHECK(g->nodes[1]->after == std::vector<Node*>{g->nodes[0].get()});
  CHECK(c.word(p) == 0);
  GraphExec& x = c->instantiate(*g, 0);
  c->launch(x, s);
  c->launch(x, s);
  c->synchronize();  // no legacy stream waits for this one
  CHECK(c.word(p) == 22);
  CHECK(c->timeline().finish().errors.empty());
}

TEST_CASE("streams join a capture by events, and are to be joined again") {
  ContextCase c;
  const uint64_t p = c.device(128);
  Stream &s = c->create_stream(1, 0), &t = c->create_stream(1, 0);
  Event &fork = c->create_event(2), &join = c->create_event(2);
  for (const bool joined : {true, false}) {
    c->begin_capture(s, nullptr, {});
    c->record(fork, s, false);
    c->wait(t, fork, false);
    c->launch(c.add(p, 1), t);
    c->launch(c.add(p, 1), s);
    if (joined) {
      c->record(join, t, false);
      c->wait(s, join, false);
      c->launch(c.add(p, 1), s);
      CHECK(c->end_capture(s)->nodes[2]->after.size() == 2);
    } else {
      CHECK(status([&] { c->end_capture(s); }) == Status::kStreamCaptureUnjoined);
    }
    CHECK(t.capture == nullptr);
  }
}

TEST_CASE("what waits cannot be captured, and spoils the capture") {
  ContextCase c;
  Stream& s = c->create_stream(1, 0);
  c->begin_capture(s, nullptr, {});
  CHECK(status([&] { c->synchronize(s); }) == Status::kStreamCaptureUnsupported);
  CHECK(status([&] { c->end_capture(s); }) == Status::kStreamCaptureInvalidated);
  CHECK(status([&] { c->begin_capture(c.legacy(), nullptr, {}); }) == Status::kStreamCaptureUnsupported);
}

TEST_CASE("nodes run behind those they wait for, whatever their order") {
  ContextCase c;
  const uint64_t p = c.device(128);
  Graph& g = c->create_graph();
  Node& second = g.add(c.add(p, 5), {});
  MemsetWork m;
  m.to = p;
  m.width = 128;
  Node& first = g.add(m, {});
  second.after.push_back(&first);
  int calls = 0;
  g.add(HostWork{count, &calls}, {&second});
  GraphExec& x = c->instantiate(g, 0);
  c->launch(x, c.legacy());
  CHECK(c.word(p) == 5);
  CHECK(calls == 1);
  first.after.push_back(&second);
  CHECK(status([&] { c->instantiate(g, 0); }) == Status::kInvalidValue);
}

TEST_CASE("what a captured call costs, the begin and the end of a capture") {
  ContextCase c;
  const auto passes = [&](const std::function<void()>& work) {
    const host::Ps begin = c->timeline().threads().now();
    work();
    return c->timeline().threads().now() - begin;
  };
  const host::Params::Graph& cost = c->params().graph;
  const uint64_t p = c.device(128);
  Stream& s = c->create_stream(0, 0);
  CHECK(passes([&] { c->begin_capture(s, nullptr, {}); }) == cost.capture_begin);
  MemsetWork m;
  m.to = p;
  m.width = 128;
  CHECK(passes([&] { c->set(m, s, false); }) == cost.capture);
  CHECK(passes([&] { c->end_capture(s); }) == cost.capture_end);
}

TEST_CASE("a node copies from the host's memory to the host's") {
  ContextCase c;
  uint32_t from[32] = {}, to[32] = {};
  Graph& g = c->create_graph();
  CopyWork w;
  w.to = reinterpret_cast<uint64_t>(to);
  w.from = reinterpret_cast<uint64_t>(from);
  w.width = sizeof to;
  g.add(w, {});
  GraphExec& x = c->instantiate(g, 0);
  for (const uint32_t value : {7u, 8u}) {
    from[31] = value;
    c->launch(x, c.legacy());
    c->synchronize();
    CHECK(to[31] == value);
  }
}

TEST_CASE("nodes of an instantiated graph are changed, switched off, updated") {
  ContextCase c;
  const uint64_t p = c.device(128);
  c.zero(p, 128);
  Graph& g = c->create_graph();
  Node& a = g.add(c.add(p, 1), {});
  Node& b = g.add(c.add(p, 100), {&a});
  GraphExec& x = c->instantiate(g, 0);
  c->change(x, a, c.add(p, 2));
  c->launch(x, c.legacy());
  CHECK(c.word(p) == 102);
  c->enable(x, b, false);
  c->launch(x, c.legacy());
  CHECK(c.word(p) == 104);
  c->enable(x, b, true);
  Graph& other = c->create_graph();
  Node& n = other.add(c.add(p, 1000), {});
  CHECK(status([&] { c->update(x, other); }) == Status::kGraphExecUpdateFailure);
  other.add(c.add(p, 2000), {&n});
  c->update(x, other);
  c->launch(x, c.legacy());
  CHECK(c.word(p) == 3104);
  CHECK(c->timeline().finish().errors.empty());
}

TEST_CASE("a graph's kernels take their time on the timeline") {
  ContextCase c;
  const uint64_t p = c.device(128);
  Graph& g = c->create_graph();
  Node& a = g.add(c.add(p, 1), {});
  g.add(c.add(p, 1), {&a});
  GraphExec& x = c->instantiate(g, 0);
  c.kernel_us = 1000;
  c->launch(x, c.legacy());
  c->synchronize();
  const double us = host::to_us(c->timeline().finish().end);
  CHECK(us > 2000);
  CHECK(us < 2200);
}

TEST_CASE("a node that is destroyed during a capture, an event of a capture that has ended") {
  ContextCase c;
  const uint64_t p = c.device(128);
  Stream &s = c->create_stream(1, 0), &t = c->create_stream(1, 0);
  Event& e = c->create_event(2);
  c->begin_capture(s, nullptr, {});
  c->launch(c.add(p, 1), s);
  c->record(e, s, false);
  c->keep(s.capture->graph);
  c->destroy(*s.front.at(0));
  CHECK(s.front.empty());
  CHECK(e.front.empty());
  c->launch(c.add(p, 1), s);
  const auto g = c->end_capture(s);
  CHECK(g->nodes.size() == 1);
  CHECK(status([&] { c->wait(t, e, false); }) == Status::kCapturedEvent);
  CHECK(t.capture == nullptr);
}

TEST_CASE("graphs live on in events, events in graphs, a stream's end spoils its capture") {
  ContextCase c;
  Stream &s = c->create_stream(1, 0), &t = c->create_stream(1, 0);
  Event& e = c->create_event(0);
  Graph& g = c->create_graph();
  g.add(RecordWork{e.shared_from_this()}, {});
  c->destroy(e);
  c->launch(c->instantiate(g, 0), s);
  Event& fork = c->create_event(2);
  c->begin_capture(s, nullptr, {});
  c->record(fork, s, false);
  c->wait(t, fork, false);
  c->destroy(t);
  CHECK(status([&] { c->end_capture(s); }) == Status::kStreamCaptureInvalidated);
}

TEST_CASE("graphs that double themselves end before the memory does") {
  ContextCase c;
  Graph& g = c->create_graph();
  g.add(EmptyWork{}, {});
  Status last = Status::kSuccess;
  for (int i = 0; i < 64 && last == Status::kSuccess; ++i) {
    last = status([&] { g.add(child_of(g), {}); });
  }
  CHECK(last == Status::kNotSupported);
  CHECK(g.nodes.size() < 32);
}

TEST_CASE("a graph within a graph is what it was when it was added") {
  ContextCase c;
  const uint64_t p = c.device(128);
  c.zero(p, 128);
  Graph& child = c->create_graph();
  child.add(c.add(p, 3), {});
  Graph& g = c->create_graph();
  g.add(ChildWork{child.clone()}, {});
  child.add(c.add(p, 50), {});
  c->launch(c->instantiate(g, 0), c.legacy());
  CHECK(c.word(p) == 3);
}

}  // namespace
}  // namespace heddle::cuda
