// Transfers between two partitions: 32 bytes a cycle in each direction.
#include "sim/memory/fabric.h"

#include <catch2/catch.hpp>

#include "tests/sim/support/test_config.h"

namespace heddle::memory {
namespace {

Transfer transfer(Cycle sent, Cycle at, uint32_t bytes, uint32_t direction) {
  Transfer t;
  t.sent = sent;
  t.at = to_ticks(at);
  t.bytes = bytes;
  t.latency = to_ticks(60);
  t.direction = direction;
  return t;
}

TEST_CASE("transfers of all slices share the rate, in the order in which their packets were sent") {
  Fabric fabric(simtest::two_partition_gpu());
  const uint32_t there = fabric.direction(0, 1), back = fabric.direction(1, 0);
  // Buckets are 16 cycles long, 512 bytes.
  std::vector<Transfer> a{transfer(10, 160, 512, there), transfer(30, 160, 512, there)};
  std::vector<Transfer> b{transfer(20, 160, 512, there), transfer(25, 160, 512, back)};
  fabric.book(there, {&a, &b});
  fabric.book(back, {&a, &b});
  CHECK(a[0].end == to_ticks(160 + 16 + 60));
  CHECK(b[0].end == to_ticks(160 + 32 + 60));
  CHECK(a[1].end == to_ticks(160 + 48 + 60));
  CHECK(b[1].end == to_ticks(160 + 16 + 60));
}

TEST_CASE("of packets sent at the same time the first list's goes first") {
  Fabric fabric(simtest::two_partition_gpu());
  std::vector<Transfer> a{transfer(10, 160, 512, 1)}, b{transfer(10, 160, 512, 1)};
  fabric.book(1, {&b, &a});
  CHECK(b[0].end < a[0].end);
}

TEST_CASE("a transfer behind another ends no sooner than that one and its lag") {
  std::vector<Transfer> all(3);
  all[0].end = Ticks(1000);
  all[1] = {.behind = 1, .lag = Ticks(50), .end = Ticks(900)};
  all[2] = {.behind = 2, .lag = Ticks(0), .end = Ticks(1049)};
  CHECK(end_of(all, 0) == Ticks(0));
  CHECK(end_of(all, 1) == Ticks(1000));
  CHECK(end_of(all, 2) == Ticks(1050));
  CHECK(end_of(all, 3) == Ticks(1050));
}

}  // namespace
}  // namespace heddle::memory
