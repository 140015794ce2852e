// Stores change memory when they are there, whoever asks.
#include "sim/memory/late_writes.h"

#include <catch2/catch.hpp>

namespace heddle::memory {
namespace {

struct OneLine final : isa::GlobalMemory {
  std::array<uint8_t, kLineBytes> data{};
  uint8_t* find(uint64_t address, uint64_t bytes) override {
    return address + bytes <= data.size() ? data.data() + address : nullptr;
  }
};

struct Stores {
  OneLine memory;
  LateWrites late;

  static Request request(RequestKind kind, uint16_t sm) {
    Request r;
    r.kind = kind;
    r.sm = sm;
    r.sectors = 1;
    return r;
  }
  // One byte of the line.
  void store(uint16_t sm, uint32_t byte, uint8_t value, uint64_t at) {
    Payload p;
    p.data = {};
    p.bytes = {};
    p.data[byte] = value;
    p.bytes[0] = 1U << byte;
    late.add(request(RequestKind::kWrite, sm), p, Ticks(at));
  }
  // What an SM reads.
  int read(uint16_t sm, uint32_t byte, uint64_t at) {
    late.settle(memory, request(RequestKind::kRead, sm), Ticks(at));
    return memory.data[byte];
  }
};

}  // namespace

TEST_CASE("a store is seen from the time on at which it is there") {
  Stores s;
  s.store(0, 3, 7, 100);
  CHECK(s.read(1, 3, 99) == 0);
  CHECK(s.read(1, 3, 100) == 7);
}

TEST_CASE("stores of two SMs to one byte are done in the order in which they arrive") {
  Stores s;
  s.store(0, 3, 7, 100);
  s.store(1, 3, 8, 50);  // left later and is there earlier
  CHECK(s.read(2, 3, 60) == 8);
  CHECK(s.read(2, 3, 100) == 7);
}

TEST_CASE("an SM reads what it has stored, and from then on everybody does") {
  Stores s;
  s.store(0, 3, 7, 100);
  s.store(1, 4, 9, 80);
  s.store(1, 5, 9, 120);
  CHECK(s.read(0, 3, 10) == 7);
  CHECK(s.read(2, 3, 10) == 7);
  CHECK(s.memory.data[4] == 9);  // what is there before it has been done before it
  CHECK(s.memory.data[5] == 0);
}

TEST_CASE("an SM's stores to a line keep their order") {
  Stores s;
  s.store(0, 3, 7, 100);
  s.store(0, 3, 8, 90);
  CHECK(s.read(1, 3, 95) == 0);
  CHECK(s.read(1, 3, 100) == 8);
}

TEST_CASE("an atomic finds all stores before it done, in the order of their arrival") {
  Stores s;
  s.store(0, 3, 7, 100);
  s.store(1, 3, 8, 50);
  s.store(1, 3 + kSectorBytes - 4, 5, 300);
  CHECK(s.late.settle(s.memory, Stores::request(RequestKind::kAtomic, 2), Ticks(10)));
  CHECK(s.memory.data[3] == 7);
  CHECK(s.memory.data[kSectorBytes - 1] == 5);
}

TEST_CASE("what is there is done for all lines and forgotten, the rest stays") {
  Stores s;
  s.store(0, 3, 7, 100);
  s.store(1, 4, 8, 200);
  CHECK(s.late.settle(s.memory, Ticks(150)));
  CHECK(s.memory.data[3] == 7);
  CHECK(s.memory.data[4] == 0);
  CHECK_FALSE(s.late.empty());
  CHECK(s.read(2, 4, 199) == 0);
  CHECK(s.read(2, 4, 200) == 8);
  s.late.settle(s.memory, Ticks(200));
  CHECK(s.late.empty());
}

TEST_CASE("a store of what is there already changes nothing") {
  Stores s;
  s.store(0, 3, 0, 100);
  CHECK_FALSE(s.late.settle(s.memory, Ticks(100)));
}

}  // namespace heddle::memory
