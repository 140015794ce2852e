// Two L2 partitions of 2 slices. A request enters at the requester's partition; when the line's home is the
// other one it crosses the fabric: 25 cycles (half a look-up) + 60 one way; data crosses at 32 bytes a cycle
// + 60. Read data leaves a replica behind.
#include <catch2/catch.hpp>

#include "sim/memory/l2.h"
#include "tests/sim/support/memory.h"
#include "tests/sim/support/test_config.h"

namespace heddle::memory {
namespace {

using stats::Counter;

constexpr uint64_t kNear = 0, kFar = 2;  // homes in partition 0 and 1 (MODULO)

struct Fixture {
  spec::GpuConfig gpu = simtest::two_partition_gpu();
  stats::CounterSet n;
  simtest::WholeL2 l2{gpu, n};

  Cycle serve(RequestKind kind, uint64_t line, uint8_t sectors, uint32_t partition, Cycle at) {
    Request r;
    r.line = line;
    r.kind = kind;
    r.sectors = sectors;
    r.operations = 1;
    return to_cycles_up(l2.serve(r, partition, to_ticks(at)));
  }
  Cycle read(uint64_t line, uint32_t partition, Cycle at, uint8_t sectors = 1) {
    return serve(RequestKind::kRead, line, sectors, partition, at);
  }
};

TEST_CASE_METHOD(Fixture, "the homes of the lines") {
  CHECK(l2.partitions() == 2);
  CHECK(l2.map().home(kNear).partition == 0);
  CHECK(l2.map().home(kFar).partition == 1);
}

TEST_CASE_METHOD(Fixture, "a near line does not cross the fabric") {
  CHECK(read(kNear, 0, 1000) == 1177);
  CHECK(read(kNear, 0, 2000) == 2051);
  CHECK(n[Counter::kL2FromFabric] == 0);
}

TEST_CASE_METHOD(Fixture, "a far miss crosses the fabric both ways and fetches 64 bytes") {
  // Near port 1001; half a look-up 1026; across 1086; home port, 2 sectors 1088; look-up 1138; DRAM 126:
  // 1264; back, 64 bytes 1266 + 60.
  CHECK(read(kFar, 0, 1000) == 1326);
  CHECK(n[Counter::kL2Sectors] == 1 + 2);
  CHECK(n[Counter::kL2Reads] == 1 + 2);
  CHECK(n[Counter::kL2FromSm] == 1);
  CHECK(n[Counter::kL2FromFabric] == 2);
  CHECK(n[Counter::kL2FromSmMisses] == 2);
  CHECK(n[Counter::kL2SectorHits] == 0);
  CHECK(n[Counter::kDramReadBytes] == 64);
}

TEST_CASE_METHOD(Fixture, "a far hit: the same without DRAM") {
  read(kFar, 1, 0);
  // 1086 as above; home port 1088; look-up 1138; back 64 bytes 1140 + 60.
  CHECK(read(kFar, 0, 1000) == 1200);
  CHECK(n[Counter::kL2SectorHits] == 2);  // at home
  CHECK(n[Counter::kDramReadBytes] == 64);
}

TEST_CASE_METHOD(Fixture, "the second far read hits the replica, as fast as a near hit") {
  read(kFar, 0, 0);
  CHECK(read(kFar, 0, 1000) == 1051);
  CHECK(read(kFar, 0, 2000, 0b0010) == 2051);  // the whole 64 bytes were copied
  CHECK(n[Counter::kL2FromSmHits] == 2);
  CHECK(n[Counter::kL2FromFabric] == 2);
}

TEST_CASE_METHOD(Fixture, "a write at home takes the written sectors out of the replica") {
  read(kFar, 0, 0);
  serve(RequestKind::kWrite, kFar, 0b0001, 1, 1000);
  // Sector 0 alone is fetched again: home port 1 sector 3087, look-up 3137, back 32 bytes 3138 + 60.
  CHECK(read(kFar, 0, 3000) == 3198);
  CHECK(read(kFar, 0, 4000, 0b0010) == 4051);
  CHECK(n[Counter::kL2FromFabric] == 3);
}

TEST_CASE_METHOD(Fixture, "a far write is acknowledged by the near slice and keeps the writer's replica") {
  read(kFar, 0, 0);
  CHECK(serve(RequestKind::kWrite, kFar, 0b0001, 0, 1000) == 1051);
  CHECK(n[Counter::kL2Writes] == 2);
  CHECK(read(kFar, 0, 3000) == 3051);
}

TEST_CASE_METHOD(Fixture, "a far atomic is done at home") {
  read(kFar, 1, 0);
  // Near port 1001; 1026; 1027 + 60 = 1087; 2 cycles 1089; look-up 1139; back 1140 + 60; latency 20.
  CHECK(serve(RequestKind::kAtomic, kFar, 0b0001, 0, 1000) == 1220);
  CHECK(n[Counter::kL2Atoms] == 2);
  CHECK(n[Counter::kL2FromFabric] == 1);
}

TEST_CASE_METHOD(Fixture, "an atomic takes its sectors out of every replica") {
  read(kFar, 0, 0);
  serve(RequestKind::kAtomic, kFar, 0b0001, 0, 1000);
  CHECK(read(kFar, 0, 3000) == 3198);
}

TEST_CASE_METHOD(Fixture, "the fabric carries 32 bytes a cycle in each direction") {
  for (uint64_t i = 0; i < 100; ++i) {
    read(kFar + 4 * i, 1, 10000 * i, 0b1111);
  }
  // 100 far hits of 128 bytes at once: 400 cycles of data towards partition 0.
  Cycle last = 0;
  for (uint64_t i = 0; i < 100; ++i) {
    last = std::max(last, read(kFar + 4 * i, 0, 2000000, 0b1111));
  }
  CHECK(last >= 2000000 + 400 + 120);
  CHECK(last <= 2000000 + 1 + 25 + 60 + 4 + 50 + 400 + 60 + 16);
}

TEST_CASE_METHOD(Fixture, "a replica that leaves is not written back") {
  read(kFar, 0, 0);
  serve(RequestKind::kWrite, kFar, 0b0001, 0, 1000);
  for (uint64_t i = 1; i <= 16; ++i) {
    read(kFar + i * 512, 0, 10000 * i);
  }
  // 16 further lines of the set: the replica of the first left partition 0, its dirty home copy left
  // partition 1.
  CHECK(n[Counter::kDramWriteBytes] == 32);
}

TEST_CASE_METHOD(Fixture,
                 "an atomic at home brings the neighbouring sector, one from the other side does not") {
  serve(RequestKind::kReduction, kNear, 0b0001, 0, 0);
  CHECK(n[Counter::kDramReadBytes] == 64);
  CHECK(n[Counter::kL2FromSmMisses] == 2);
  CHECK(n[Counter::kL2Requests] == 1);
  serve(RequestKind::kReduction, kFar, 0b0001, 0, 1000);
  CHECK(n[Counter::kDramReadBytes] == 64 + 32);
  CHECK(n[Counter::kL2FromSmMisses] == 2);  // the near slice only passes it on
  CHECK(n[Counter::kL2FromSmHits] == 1);
  CHECK(n[Counter::kL2Reds] == 1 + 2);
  CHECK(n[Counter::kL2Requests] == 1 + 2);
}

TEST_CASE_METHOD(Fixture, "a fetch of code: counted for the GPC, not for L1") {
  serve(RequestKind::kFetch, kFar, 0b1111, 0, 0);
  CHECK(n[Counter::kL2FromGcc] == 4);
  CHECK(n[Counter::kL2FromGpc] == 4);
  CHECK(n[Counter::kL2FromSm] == 0);
  CHECK(n[Counter::kL2FromSmMisses] == 0);
  CHECK(n[Counter::kL2FromFabric] == 4);
  CHECK(n[Counter::kL2Reads] == 8);
  CHECK(n[Counter::kDramReadBytes] == 128);
  serve(RequestKind::kFetch, kFar, 0b1111, 1, 1000);
  CHECK(n[Counter::kL2SectorHits] == 4);
}

}  // namespace
}  // namespace heddle::memory
