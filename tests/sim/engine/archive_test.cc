// What an archive writes it reads again, and nothing else.
#include "sim/engine/archive.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/engine/bandwidth.h"
#include "sim/engine/event_wheel.h"
#include "sim/engine/slots.h"

namespace heddle {
namespace {

enum class Colour : uint8_t { kRed, kBlue };

struct Everything {
  uint64_t large = 0;
  int32_t negative = 0;
  uint8_t small = 0;
  bool flag = false;
  double real = 0;
  Colour colour = Colour::kRed;
  std::string text;
  std::vector<uint32_t> list;
  std::vector<bool> bits;
  std::deque<uint16_t> queue;
  std::array<uint64_t, 3> array{};
  std::map<uint64_t, std::string> map;
  std::set<uint32_t> set;
  std::optional<uint32_t> some, none;
  std::unique_ptr<uint64_t> owned;

  template <class A>
  void serialize(A& ar) {
    ar(large, negative, small, flag, real, colour, text, list, bits, queue, array, map, set, some, none,
       owned);
  }
};

template <class T>
std::vector<uint8_t> written(T& value) {
  Archive ar;
  ar(value);
  return ar.take();
}

template <class T>
void read(const std::vector<uint8_t>& bytes, T& value) {
  Archive ar(bytes);
  ar(value);
  ar.end();
}

Everything example() {
  Everything e;
  e.large = ~uint64_t{0};
  e.negative = -70000;
  e.small = 255;
  e.flag = true;
  e.real = -0.1;
  e.colour = Colour::kBlue;
  e.text = std::string("a\0b", 3);
  e.list = {1, 128, ~0u};
  e.bits = {true, false, false, true, true, false, true, false, true};
  e.queue = {7, 65535};
  e.array = {1, 2, uint64_t{1} << 63};
  e.map = {{3, "three"}, {9, ""}};
  e.set = {70000, 2};
  e.some = 5;
  e.owned = std::make_unique<uint64_t>(300);
  return e;
}

TEST_CASE("values of every kind come back") {
  Everything e = example();
  const std::vector<uint8_t> bytes = written(e);
  Everything r;
  r.list = {9, 9, 9, 9};  // what was there goes
  r.map = {{1, "one"}};
  r.set = {1};
  r.none = 3;
  read(bytes, r);
  CHECK(r.large == e.large);
  CHECK(r.negative == e.negative);
  CHECK(r.small == 255);
  CHECK(r.flag);
  CHECK(r.real == -0.1);
  CHECK(r.colour == Colour::kBlue);
  CHECK(r.text == e.text);
  CHECK(r.list == e.list);
  CHECK(r.bits == e.bits);
  CHECK(r.queue == e.queue);
  CHECK(r.array == e.array);
  CHECK(r.map == e.map);
  CHECK(r.set == e.set);
  CHECK(r.some == e.some);
  CHECK(!r.none);
  REQUIRE(r.owned);
  CHECK(*r.owned == 300);
  CHECK(written(r) == bytes);
}

TEST_CASE("what ends too early, or is longer, is an error that names the place") {
  Everything e = example();
  std::vector<uint8_t> bytes = written(e);
  Everything r;
  for (size_t n = 0; n < bytes.size(); ++n) {
    CHECK_THROWS_AS(read({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n)}, r), Error);
  }
  bytes.push_back(0);
  CHECK_THROWS_WITH(read(bytes, r), Catch::Contains("there is more than the machine has"));
}

TEST_CASE("of pages those that are 0 take no room, and become 0 again") {
  for (const size_t size : {0, 1, 511, 512, 513, 5000}) {
    std::vector<uint8_t> all(size), some(size);
    for (size_t i = 0; i < size; ++i) {
      all[i] = static_cast<uint8_t>(i % 255 + 1);
      some[i] = i / 512 % 3 == 1 ? all[i] : 0;
    }
    for (const std::vector<uint8_t>& what : {all, some, std::vector<uint8_t>(size)}) {
      std::vector<uint8_t> from = what, to = all;
      Archive out;
      out.pages(from);
      const std::vector<uint8_t> bytes = out.take();
      CHECK(bytes.size() <=
            1 + 2 * (size + 511) / 512 +
                512 * static_cast<size_t>(std::ranges::count_if(what, [](uint8_t b) { return b != 0; })));
      Archive in(bytes);
      in.pages(to);
      in.end();
      CHECK(to == what);
    }
  }
  std::vector<uint8_t> large(1024, 1), small(512);
  Archive out;
  out.pages(large);
  const std::vector<uint8_t> bytes = out.take();
  Archive in(bytes);
  CHECK_THROWS_WITH(in.pages(small), Catch::Contains("a page that there is not"));
}

TEST_CASE("numbers that do not fit, wrong sizes and marks") {
  uint64_t large = 256;
  std::vector<uint8_t> bytes = written(large);
  uint8_t small = 0;
  CHECK_THROWS_WITH(read(bytes, small), Catch::Contains("out of range"));
  Archive w;
  w.mark("one");
  w.expect("sets", 4);
  bytes = w.take();
  Archive other(bytes);
  CHECK_THROWS_WITH(other.mark("two"), Catch::Contains("'two' should begin here"));
  Archive r(bytes);
  r.mark("one");
  CHECK_THROWS_WITH(r.expect("sets", 8), Catch::Contains("in 'one': 4 sets, not 8"));
  // A size that asks for more than there can be.
  std::vector<uint64_t> list;
  CHECK_THROWS_WITH(read({0xff, 0xff, 0xff, 0xff, 0x0f}, list), Catch::Contains("fewer elements"));
  std::vector<uint64_t> parts(3);
  Archive a;
  a.elements(parts);
  bytes = a.take();
  std::vector<uint64_t> two(2);
  Archive b(bytes);
  CHECK_THROWS_WITH(b.elements(two), Catch::Contains("3 parts, not 2"));
}

TEST_CASE("an event wheel goes on with its events in their order") {
  EventWheel<uint32_t> wheel;
  wheel.run(100, [](uint32_t) {});
  for (uint32_t i = 0; i < 40; ++i) {
    wheel.schedule(100 + i * 977 % 4000, i);  // some far away
    wheel.schedule(100 + i * 977 % 4000, 100 + i);
  }
  const std::vector<uint8_t> bytes = written(wheel);
  EventWheel<uint32_t> restored;
  restored.schedule(5, 1);
  read(bytes, restored);
  CHECK(written(restored) == bytes);
  while (!wheel.empty()) {
    REQUIRE(restored.next() == wheel.next());
    std::vector<uint32_t> a, b;
    const Cycle now = wheel.next();
    wheel.run(now, [&](uint32_t e) { a.push_back(e); });
    restored.run(now, [&](uint32_t e) { b.push_back(e); });
    CHECK(a == b);
    if (now < 2000) {
      wheel.schedule(now + 1500, 7);
      restored.schedule(now + 1500, 7);
    }
  }
  CHECK(restored.empty());
}

TEST_CASE("a bandwidth keeps its bookings, slots their numbers") {
  Bandwidth b(Ticks(10), 64);
  b.reset(Ticks(7));
  for (int t : {20, 500, 21, 100, 22}) {
    b.reserve(Ticks(t), Ticks(37));
  }
  const std::vector<uint8_t> bytes = written(b);
  Bandwidth restored(Ticks(10), 64);
  restored.reserve(Ticks(3), Ticks(100));
  read(bytes, restored);
  CHECK(written(restored) == bytes);
  for (int t : {20, 80, 470, 640}) {
    CHECK(restored.reserve(Ticks(t), Ticks(25)) == b.reserve(Ticks(t), Ticks(25)));
  }
  Slots<uint32_t> s;
  for (uint32_t i = 0; i < 5; ++i) {
    s.add(10 * i);
  }
  s.remove(1);
  s.remove(3);
  Slots<uint32_t> t;
  read(written(s), t);
  CHECK(t.used() == 3);
  CHECK(t[4] == 40);
  CHECK(t.take() == 3);
  CHECK(t.take() == 1);
  CHECK(t.take() == 5);
}

}  // namespace
}  // namespace heddle
