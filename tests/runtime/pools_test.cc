// Memory of pools: who gets what was freed, and what is freed twice.
#include <catch2/catch.hpp>

#include "tests/runtime/context_case.h"

namespace heddle::cuda {
namespace {

constexpr uint64_t kBytes = 1 << 20;

struct PoolCase : ContextCase {
  Pool& pool = (*this)->pools().usual();
  Stream& a = (*this)->create_stream(1, 0);
  Stream& b = (*this)->create_stream(1, 0);
  uint64_t allocate(Stream& s) { return (*this)->allocate(kBytes, s, pool); }
  // Memory that stream a has used and freed.
  uint64_t freed() {
    const uint64_t p = allocate(a);
    (*this)->launch(add(p, 1), a);
    (*this)->release(p, a);
    return p;
  }
  PoolCase() { pool.threshold = UINT64_MAX; }
};

TEST_CASE("memory of a pool that is freed twice: an error, and nothing else") {
  PoolCase c;
  const uint64_t p = c.allocate(c.a);
  c->release(p, c.a);
  CHECK(status([&] { c->release(p, c.a); }) == Status::kInvalidValue);
  CHECK(status([&] { c->release(p, c.b); }) == Status::kInvalidValue);
  CHECK(status([&] { c->release(p); }) == Status::kInvalidValue);
  const uint64_t q = c.allocate(c.a), r = c.allocate(c.a);
  CHECK(q == p);
  CHECK(r != q);
  c->release(q);
  CHECK(status([&] { c->release(q, c.a); }) == Status::kInvalidValue);
  c->release(r, c.a);
  c->synchronize();
  c.pool.threshold = 0;
  c->synchronize();
  CHECK(c->space().device_used() == 0);
}

TEST_CASE("what one stream has freed another one gets when their order is known") {
  SECTION("not without one") {
    PoolCase c;
    const uint64_t p = c.freed();
    CHECK(c.allocate(c.b) != p);
    CHECK(c.allocate(c.a) == p);
  }
  SECTION("after an event, where the pool follows events") {
    for (const bool follows : {true, false}) {
      PoolCase c;
      c.pool.attributes[kReuseFollowEventDependencies] = follows ? 1 : 0;
      Event &before = c->create_event(2), &after = c->create_event(2);
      c->record(before, c.a, false);
      const uint64_t p = c.freed();
      c->record(after, c.a, false);
      c->wait(c.b, before, false);
      const uint64_t q = c.allocate(c.b);
      CHECK(q != p);
      c->wait(c.b, after, false);
      CHECK((c.allocate(c.b) == p) == follows);
    }
  }
  SECTION("through a third stream") {
    PoolCase c;
    Stream& t = c->create_stream(1, 0);
    Event &e = c->create_event(2), &f = c->create_event(2);
    const uint64_t p = c.freed();
    c->record(e, c.a, false);
    c->wait(t, e, false);
    c->record(f, t, false);
    c->wait(c.b, f, false);
    CHECK(c.allocate(c.b) == p);
  }
  SECTION("when the host has waited") {
    for (const int how : {0, 1, 2}) {
      PoolCase c;
      const uint64_t p = c.freed();
      if (how == 0) {
        c->synchronize();
      } else if (how == 1) {
        c->synchronize(c.a);
      } else {
        Event& e = c->create_event(2);
        c->record(e, c.a, false);
        c->synchronize(e);
      }
      CHECK(c.allocate(c.b) == p);
    }
  }
  SECTION("streams wait for the legacy stream, if they are not made without") {
    PoolCase c;
    Stream& blocking = c->create_stream(0, 0);
    const uint64_t p = c.allocate(c.legacy());
    c->release(p, c.legacy());
    CHECK(c.allocate(c.b) != p);
    CHECK(c.allocate(blocking) == p);
    c->release(p, blocking);
    CHECK(c.allocate(c.legacy()) == p);
  }
}

TEST_CASE("a pool that is destroyed is no pool, what it gave out is memory until it is freed") {
  PoolCase c;
  Pool& p = c->pools().create({});
  const void* handle = &p;
  const uint64_t q = c->allocate(kBytes, c.a, p);
  c->pools().destroy(p);
  CHECK(status([&] { c->pools().at(handle); }) == Status::kInvalidValue);
  c->launch(c.add(q, 1), c.a);
  c->release(q, c.a);
  CHECK(c->space().device_used() == 0);
}

TEST_CASE("memory that is only kept is given back when there is no other") {
  PoolCase c;
  const uint64_t most = c->space().device_bytes();
  const uint64_t p = c->allocate(most / 4 * 3, c.a, c.pool);
  c->release(p, c.a);
  CHECK(status([&] { c->allocate(most / 2, c.a, c.pool); }) == Status::kSuccess);
}

}  // namespace
}  // namespace heddle::cuda
