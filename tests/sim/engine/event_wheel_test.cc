// Events come out by cycle and, within a cycle, in the order in which they were scheduled.
#include "sim/engine/event_wheel.h"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

namespace heddle {
namespace {

using Wheel = EventWheel<int>;

std::vector<int> at(Wheel& w, Cycle now) {
  std::vector<int> out;
  w.run(now, [&](int p) { out.push_back(p); });
  return out;
}

TEST_CASE("an empty wheel has no next event") {
  Wheel w;
  CHECK(w.empty());
  CHECK(w.next() == kNever);
  CHECK(at(w, 5).empty());
}

TEST_CASE("events of one cycle come in the order of scheduling") {
  Wheel w;
  w.schedule(7, 1);
  w.schedule(3, 2);
  w.schedule(7, 3);
  w.schedule(7, 4);
  CHECK_FALSE(w.empty());
  CHECK(w.next() == 3);
  CHECK(at(w, 3) == std::vector{2});
  CHECK(w.next() == 7);
  CHECK(at(w, 7) == std::vector{1, 3, 4});
  CHECK(w.empty());
}

TEST_CASE("an event that a handler schedules for the same cycle is handled in that cycle") {
  Wheel w;
  w.schedule(10, 0);
  std::vector<int> seen;
  w.run(10, [&](int p) {
    seen.push_back(p);
    if (p < 3) {
      w.schedule(10, p + 1);
    }
  });
  CHECK(seen == std::vector{0, 1, 2, 3});
  CHECK(w.empty());
}

TEST_CASE("events beyond the wheel wait in the heap and keep their order") {
  Wheel w;
  const Cycle far = Wheel::kSlots + 100;
  w.schedule(far, 1);
  w.schedule(far + 5000, 9);
  w.schedule(far, 2);
  CHECK(w.next() == far);
  // After cycle 200 the wheel reaches `far`: later calls go to the wheel directly and come after the earlier
  // ones.
  w.schedule(200, 0);
  CHECK(w.next() == 200);
  CHECK(at(w, 200) == std::vector{0});
  w.schedule(far, 3);
  CHECK(at(w, far) == std::vector{1, 2, 3});
  CHECK(w.next() == far + 5000);
  CHECK(at(w, far + 5000) == std::vector{9});
  CHECK(w.empty());
}

TEST_CASE("the last slot of the wheel and the first beyond it are different cycles") {
  Wheel w;
  w.schedule(Wheel::kSlots - 1, 1);
  w.schedule(Wheel::kSlots, 2);      // the slot of cycle 0
  w.schedule(Wheel::kSlots + 1, 3);  // the slot of cycle 1
  w.schedule(1, 0);
  CHECK(w.next() == 1);
  CHECK(at(w, 1) == std::vector{0});
  CHECK(w.next() == Wheel::kSlots - 1);
  CHECK(at(w, Wheel::kSlots - 1) == std::vector{1});
  CHECK(w.next() == Wheel::kSlots);
  CHECK(at(w, Wheel::kSlots) == std::vector{2});
  CHECK(at(w, Wheel::kSlots + 1) == std::vector{3});
}

TEST_CASE("next() finds an event from every position of the wheel, before and after the wrap") {
  for (Cycle base : {0, 1, 62, 63, 64, 65, 500, 1022, 1023, 1024, 1025, 100000}) {
    for (Cycle ahead : {0, 1, 2, 63, 64, 65, 127, 960, 1000, 1022, 1023, 1024, 1025, 3000}) {
      Wheel w;
      w.run(base, [](int) {});
      w.schedule(base + ahead, 1);
      CAPTURE(base, ahead);
      CHECK(w.next() == base + ahead);
      CHECK(at(w, base + ahead).size() == 1);
      CHECK(w.next() == kNever);
    }
  }
}

TEST_CASE("a random schedule comes out sorted and stable") {
  std::mt19937 rng(1);
  Wheel w;
  std::vector<std::vector<int>> expected(6000);
  int id = 0;
  auto add = [&](Cycle from) {
    Cycle when = from + rng() % 3000;
    if (when < expected.size()) {
      expected[when].push_back(id);
      w.schedule(when, id++);
    }
  };
  for (int i = 0; i < 500; ++i) {
    add(0);
  }
  while (!w.empty()) {
    Cycle now = w.next();
    REQUIRE(now < expected.size());
    std::vector<int> seen = at(w, now);
    REQUIRE(seen == expected[now]);
    expected[now].clear();
    for (unsigned n = rng() % 3; n; --n) {
      add(now + 1);
    }
  }
  for (const auto& left : expected) {
    REQUIRE(left.empty());
  }
}

}  // namespace
}  // namespace heddle
