// Tags of a set-associative cache: least recently used out first.
#include "sim/memory/tag_array.h"

#include <catch2/catch.hpp>
#include <set>
#include <vector>

#include "sim/engine/archive.h"

namespace heddle::memory {
namespace {

constexpr auto kAny = [](const CacheLine&) { return true; };

void touch(TagArray& t, uint32_t set, uint64_t line) {
  if (!t.find(set, line)) {
    t.fill(*t.victim(set, kAny), line);
  }
}

TEST_CASE("a new array holds nothing") {
  TagArray t(4, 2);
  CHECK(t.sets() == 4);
  CHECK(t.ways() == 2);
  for (uint32_t s = 0; s < 4; ++s) {
    CHECK(t.find(s, 0) == nullptr);
  }
}

TEST_CASE("a filled line is found in its set only, with clean fields") {
  TagArray t(4, 2);
  touch(t, 1, 0);  // line 0 too must not be taken for an empty entry
  CacheLine* l = t.find(1, 0);
  REQUIRE(l);
  CHECK(l->valid == 0);
  CHECK(l->dirty == 0);
  CHECK(l->aux == 0);
  CHECK(l->flags == 0);
  CHECK(l->ready == Ticks(0));
  CHECK(t.find(0, 0) == nullptr);
}

TEST_CASE("the least recently used line of the set leaves") {
  TagArray t(1, 4);
  for (uint64_t line : {10, 11, 12, 13}) {
    touch(t, 0, line);
  }
  t.find(0, 10);    // order of use is now 11, 12, 13, 10
  touch(t, 0, 14);  // replaces 11
  CHECK_FALSE(t.find(0, 11));
  t.find(0, 12);    // 13, 10, 14, 12
  touch(t, 0, 15);  // replaces 13
  CHECK_FALSE(t.find(0, 13));
  for (uint64_t line : {10, 12, 14, 15}) {
    CHECK(t.find(0, line));
  }
}

TEST_CASE("a cyclic walk over one line more than there are ways always misses") {
  TagArray t(1, 4);
  int misses = 0;
  for (int i = 0; i < 50; ++i) {
    misses += !t.find(0, i % 5);
    touch(t, 0, i % 5);
  }
  CHECK(misses == 50);
}

TEST_CASE("free entries are used before anything is replaced") {
  TagArray t(1, 3);
  touch(t, 0, 1);
  touch(t, 0, 2);
  CacheLine* v = t.victim(0, [](const CacheLine&) { return false; });
  REQUIRE(v);
  CHECK_FALSE(t.live(*v));
}

TEST_CASE("lines that may not leave are passed over") {
  TagArray t(1, 2);
  touch(t, 0, 1);
  touch(t, 0, 2);
  t.find(0, 1)->aux = 7;
  CacheLine* v = t.victim(0, [](const CacheLine& l) { return l.aux == 0; });
  REQUIRE(v);
  CHECK(v->line == 2);
  t.find(0, 2)->aux = 8;
  CHECK(t.victim(0, [](const CacheLine& l) { return l.aux == 0; }) == nullptr);
}

std::vector<uint8_t> saved(TagArray& t) {
  Archive ar;
  t.serialize(ar);
  return ar.take();
}

TEST_CASE("clear() forgets every line, and that there has been one") {
  TagArray t(2, 2), fresh(2, 2);
  touch(t, 0, 1);
  touch(t, 1, 2);
  t.clear();
  CHECK(t.clock() == 0);
  CHECK(saved(t) == saved(fresh));
  CHECK_FALSE(t.find(0, 1));
  CHECK_FALSE(t.find(1, 2));
  int live = 0;
  t.for_each_live([&](CacheLine&) { ++live; });
  CHECK(live == 0);
  touch(t, 0, 1);
  CHECK(t.find(0, 1));
}

TEST_CASE("for_each_live visits what is there, once") {
  TagArray t(3, 2);
  for (uint64_t line = 0; line < 6; ++line) {
    touch(t, line % 3, line);
  }
  std::multiset<uint64_t> seen;
  t.for_each_live([&](CacheLine& l) { seen.insert(l.line); });
  CHECK(seen == std::multiset<uint64_t>{0, 1, 2, 3, 4, 5});
}

}  // namespace
}  // namespace heddle::memory
