// User objects: the program's own, which graphs keep alive.
#include <catch2/catch.hpp>

#include "tests/runtime/context_case.h"

namespace heddle::cuda {
namespace {

struct Ends {
  Context* context = nullptr;
  int times = 0;
  bool as_host_function = false;
};

void ends(void* data) {
  auto* e = static_cast<Ends*>(data);
  ++e->times;
  e->as_host_function = e->context->in_host_function();
}

struct UserObjectCase : ContextCase {
  UserObject& make(uint32_t count) { return (*this)->create_user_object({ends, &end}, count); }
  Ends end{&**this};
};

TEST_CASE("GR24: a user object ends with its last reference, once, and its destructor may not call CUDA") {
  UserObjectCase c;
  UserObject& o = c.make(2);
  c->retain_user_object(&o, 1);
  c->release_user_object(&o, 2);
  CHECK(c.end.times == 0);
  CHECK(status([&] { c->release_user_object(&o, 2); }) == Status::kInvalidValue);
  c->release_user_object(&o, 1);
  CHECK(c.end.times == 1);
  CHECK(c.end.as_host_function);
  CHECK(!c->in_host_function());
  CHECK(status([&] { c->retain_user_object(&o, 1); }) == Status::kInvalidValue);
}

TEST_CASE("GR24: counts of references are from 1 to INT_MAX, and a destructor is there") {
  UserObjectCase c;
  CHECK(status([&] { c.make(0); }) == Status::kInvalidValue);
  CHECK(status([&] { c.make(0x80000000); }) == Status::kInvalidValue);
  CHECK(status([&] { c->create_user_object({}, 1); }) == Status::kInvalidValue);
  UserObject& o = c.make(0x7fffffff);
  CHECK(status([&] { c->retain_user_object(&o, 0); }) == Status::kInvalidValue);
  CHECK(status([&] { c->retain_user_object(c->create_graph(), &o, 0, false); }) == Status::kInvalidValue);
  CHECK(status([&] { c->retain_user_object(&c, 1); }) == Status::kInvalidValue);
}

TEST_CASE("GR24: a graph has references of its own, or those that the program moves to it") {
  UserObjectCase c;
  Graph& g = c->create_graph();
  UserObject& o = c.make(2);
  c->retain_user_object(g, &o, 1, false);
  c->release_user_object(&o, 1);
  CHECK(status([&] { c->retain_user_object(g, &o, 2, true); }) == Status::kInvalidValue);
  c->retain_user_object(g, &o, 1, true);
  CHECK(status([&] { c->release_user_object(&o, 1); }) == Status::kInvalidValue);
  c->release_user_object(g, &o, 1);
  CHECK(status([&] { c->release_user_object(g, &o, 2); }) == Status::kInvalidValue);
  CHECK(c.end.times == 0);
  c->destroy(g);
  CHECK(c.end.times == 1);
}

TEST_CASE("GR24: clones, child graphs and instantiated graphs have references of their own") {
  UserObjectCase c;
  Graph& g = c->create_graph();
  c->retain_user_object(g, &c.make(1), 1, true);
  Graph& clone = c->keep(g.clone());
  Graph& parent = c->create_graph();
  Node& child = parent.add(child_of(g), {});
  GraphExec& x = c->instantiate(parent, 0);
  c->destroy(g);
  c->destroy(clone);
  c->destroy(child);
  CHECK(c.end.times == 0);
  c->destroy(x);
  CHECK(c.end.times == 1);
}

TEST_CASE("GR24: what an instantiated graph refers to is there until its launches are done") {
  UserObjectCase c;
  c.kernel_us = 1000;
  const uint64_t p = c.device(128);
  Stream& s = c->create_stream(1, 0);
  Event& done = c->create_event(0);
  const bool updated = GENERATE(false, true);
  Graph& g = c->create_graph();
  const bool child = GENERATE(false, true);
  CAPTURE(updated, child);
  if (child) {
    Graph& within = c->create_graph();
    within.add(c.add(p, 1), {});
    c->retain_user_object(within, &c.make(1), 1, true);
    g.add(child_of(within), {});
    c->destroy(within);
  } else {
    g.add(c.add(p, 1), {});
    c->retain_user_object(g, &c.make(1), 1, true);
  }
  GraphExec& x = c->instantiate(g, 0);
  c->destroy(g);
  c->launch(x, s);
  c->record(done, s, false);
  if (updated) {
    Graph& other = c->create_graph();
    Work work = c.add(p, 2);
    if (child) {
      Graph& within = c->create_graph();
      within.add(work, {});
      work = child_of(within);
    }
    other.add(work, {});
    c->update(x, other);
  } else {
    c->destroy(x);
  }
  CHECK(!c->done(done));
  CHECK(c.end.times == 0);
  SECTION("the host waits for the stream") { c->synchronize(s); }
  SECTION("for an event") { c->synchronize(done); }
  SECTION("asks") {
    while (!c->done(done)) {
      CHECK(c.end.times == 0);
    }
  }
  CHECK(c.end.times == 1);
}

TEST_CASE("GR24: an update gives an instantiated graph the references of its source") {
  UserObjectCase c;
  Graph& g = c->create_graph();
  GraphExec& x = c->instantiate(g, 0);
  c->retain_user_object(g, &c.make(1), 1, true);
  c->update(x, g);
  c->destroy(g);
  CHECK(c.end.times == 0);
  c->destroy(x);
  CHECK(c.end.times == 1);
}

TEST_CASE("GR24: nothing is left of graphs' references behind a reset; the program's stay") {
  UserObjectCase c;
  UserObject& own = c.make(1);
  c->retain_user_object(c->create_graph(), &c.make(1), 1, true);
  c->reset();
  CHECK(c.end.times == 1);
  c->release_user_object(&own, 1);
  CHECK(c.end.times == 2);
}

}  // namespace
}  // namespace heddle::cuda
