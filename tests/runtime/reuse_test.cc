// Launches that need not be timed again.
#include <catch2/catch.hpp>
#include <cstring>

#include "sim/exec/memory.h"
#include "tools/runtime/reuse.h"

namespace heddle::runtime {
namespace {

struct ReuseCase {
  cuda::LoadedFunction function, other;
  exec::Memory memory;
  Reuse reuse;

  exec::Launch launch(uint64_t pointer, uint32_t number, uint32_t blocks = 1) {
    exec::Launch l;
    l.memory = &memory;
    l.grid = {blocks, 1, 1};
    l.block = {32, 1, 1};
    l.parameters.resize(12);
    std::memcpy(l.parameters.data(), &pointer, 8);
    std::memcpy(l.parameters.data() + 8, &number, 4);
    return l;
  }
  void timed(const Likeness& of, uint64_t cycles) {
    auto r = std::make_shared<analysis::LaunchRecord>();
    r->cycles = cycles;
    r->warp_instructions = 1000;
    reuse.timed(of, std::move(r));
  }
  // How many in a row take the time of another one.
  int taken(const Likeness& of) {
    int n = 0;
    while (reuse.take(of) != nullptr) {
      ++n;
    }
    return n;
  }
};

TEST_CASE(
    "two that take the same time settle it for 2 launches, then 4, 8, as long as one in between agrees") {
  ReuseCase c;
  const Likeness a(c.function, c.launch(0, 7));
  CHECK(c.taken(a) == 0);
  c.timed(a, 2000);
  CHECK(c.taken(a) == 0);
  c.timed(a, 1000);  // the first one was cold
  CHECK(c.taken(a) == 0);
  c.timed(a, 1020);
  CHECK(c.taken(a) == 2);
  c.timed(a, 1000);
  CHECK(c.taken(a) == 4);
  c.timed(a, 1000);
  CHECK(c.taken(a) == 8);
  c.timed(a, 1021);  // 2.06 % more
  CHECK(c.taken(a) == 0);
  c.timed(a, 1021);
  CHECK(c.taken(a) == 2);
}

TEST_CASE("one that executes more than those before settles nothing any more") {
  ReuseCase c;
  const Likeness a(c.function, c.launch(0, 7));
  c.timed(a, 1000);
  c.timed(a, 1000);
  REQUIRE(c.reuse.take(a) != nullptr);
  CHECK(c.reuse.executed(a, 1020));
  REQUIRE(c.reuse.take(a) != nullptr);
  CHECK_FALSE(c.reuse.executed(a, 1021));
  c.timed(a, 1500);
  CHECK(c.taken(a) == 0);
}

TEST_CASE("alike: the same kernel, shape and numbers, whatever memory") {
  ReuseCase c;
  const uint64_t x = c.memory.allocate(64), y = c.memory.allocate(64);
  const Likeness a(c.function, c.launch(x, 7));
  CHECK(a == Likeness(c.function, c.launch(y + 4, 7)));
  CHECK(a != Likeness(c.function, c.launch(0, 7)));
  CHECK(a != Likeness(c.function, c.launch(x, 8)));
  CHECK(a != Likeness(c.function, c.launch(x, 7, 2)));
  CHECK(a != Likeness(c.other, c.launch(x, 7)));
}

}  // namespace
}  // namespace heddle::runtime
