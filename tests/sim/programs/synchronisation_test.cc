// Programs whose warps meet through memory, computed as they run: what happens is decided by simulated time,
// and is the same for any number of host threads and any quantum.
#include <catch2/catch.hpp>
#include <functional>
#include <set>

#include "sim/device/gpu.h"
#include "sim/memory/image.h"
#include "tests/sim/support/live_program.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

using Kind = isa::AtomicOp::Kind;
using Type = isa::AtomicOp::Type;
using Mbarrier = isa::MbarrierOp;

constexpr uint64_t kLock = 0x100000, kTicket = 0x100080, kServing = 0x100100, kCount = 0x100180,
                   kData = 0x200000, kOut = 0x300000;
constexpr isa::AtomicOp kAddU32 = {Kind::kAdd, Type::kU32};
constexpr isa::AtomicOp kCas = {Kind::kCompareExchange, Type::kU32};
constexpr isa::AtomicOp kExchange = {Kind::kExchange, Type::kU32};

struct Ran {
  uint64_t cycles;
  memory::Image image;
  uint32_t word(uint64_t address) const { return image.get<uint32_t>(address); }
};

Ran run_once(LiveKernel& k, device::RunOptions options, const std::function<void(memory::Image&)>& before) {
  Ran r;
  r.image.map(0x100000, 0x400000);
  if (before) {
    before(r.image);
  }
  k.rewind();
  options.image = &r.image;
  r.cycles = device::Gpu(test_gpu(4)).run(k, options).cycles;
  return r;
}

// With one thread; the same with others, and with short quanta.
Ran run(LiveKernel& k, const std::function<void(memory::Image&)>& before = {}) {
  Ran first = run_once(k, {}, before);
  for (const auto& [threads, quantum] : {std::pair{2, 0u}, {3, 64u}, {1, 16u}, {2, 1u}}) {
    device::RunOptions o;
    o.threads = threads;
    o.quantum = quantum;
    const Ran other = run_once(k, o, before);
    CAPTURE(threads, quantum);
    CHECK(other.cycles == first.cycles);
    std::vector<uint8_t> a(0x400000), b(0x400000);
    first.image.read(0x100000, a);
    other.image.read(0x100000, b);
    CHECK(a == b);
  }
  return first;
}

TEST_CASE("a spin lock: each warp of every SM adds one to what is behind it") {
  LiveKernel k([](LiveWarp& w) -> LiveTask {
    while (co_await w.atomic(kCas, kLock, 1, 0) != 0) {
      co_await w.branch();
    }
    const uint32_t seen = co_await w.load_strong(kData);
    co_await w.store(kData, seen + 1);
    co_await w.fence();
    co_await w.atomic(kExchange, kLock, 0);
  });
  k.blocks(8).warps(3);
  const Ran r = run(k);
  CHECK(r.word(kData) == 24);
  CHECK(r.word(kLock) == 0);
}

TEST_CASE("without the lock, increments are lost") {
  LiveKernel k([](LiveWarp& w) -> LiveTask {
    const uint32_t seen = co_await w.load_strong(kData);
    co_await w.store(kData, seen + 1);
  });
  k.blocks(8).warps(3);
  const uint32_t sum = run(k).word(kData);
  CHECK(sum >= 1);
  CHECK(sum < 24);
}

TEST_CASE("a ticket lock serves in the order of the tickets") {
  LiveKernel k([](LiveWarp& w) -> LiveTask {
    const uint32_t mine = co_await w.atomic(kAddU32, kTicket, 1);
    while (co_await w.load_strong(kServing) != mine) {
      co_await w.branch();
    }
    const uint32_t n = co_await w.load_strong(kCount);
    co_await w.store(kOut + 4 * n, mine);
    co_await w.store(kCount, n + 1);
    co_await w.fence();
    co_await w.store(kServing, mine + 1);
  });
  k.blocks(8).warps(2);
  const Ran r = run(k);
  for (uint32_t i = 0; i < 16; ++i) {
    CHECK(r.word(kOut + 4 * i) == i);
  }
}

TEST_CASE("the last block to arrive adds up what all have written") {
  constexpr uint32_t kBlocks = 24;
  LiveKernel k([](LiveWarp& w) -> LiveTask {
    co_await w.store(kData + 4 * w.block(), w.block() + 1);
    co_await w.fence();
    if (co_await w.atomic(kAddU32, kCount, 1) == kBlocks - 1) {
      uint32_t sum = 0;
      for (uint32_t i = 0; i < kBlocks; ++i) {
        sum += co_await w.load_strong(kData + 4 * i);
      }
      co_await w.store(kOut, sum);
    }
  });
  k.blocks(kBlocks);
  CHECK(run(k).word(kOut) == kBlocks * (kBlocks + 1) / 2);
}

TEST_CASE("a grid barrier: nobody passes before all have come") {
  constexpr uint32_t kBlocks = 8, kRounds = 3;
  LiveKernel k([](LiveWarp& w) -> LiveTask {
    for (uint32_t round = 1; round <= kRounds; ++round) {
      co_await w.store(kData + 4 * (kBlocks * (round - 1) + w.block()), round);
      co_await w.fence();
      co_await w.atomic(kAddU32, kCount, 1);
      while (co_await w.load_strong(kCount) < kBlocks * round) {
        co_await w.branch();
      }
      // What the neighbour has written in this round.
      const uint32_t next = (w.block() + 1) % kBlocks;
      const uint32_t got = co_await w.load_strong(kData + 4 * (kBlocks * (round - 1) + next));
      co_await w.reduce(kAddU32, kOut, got);
    }
  });
  k.blocks(kBlocks);
  CHECK(run(k).word(kOut) == kBlocks * (1 + 2 + 3));
}

// Warp 0 copies tiles into shared memory, warp 1 adds them up; each waits for the other by phases.
TEST_CASE("a producer and a consumer over barrier objects in shared memory") {
  constexpr uint32_t kTiles = 6, kTile = 128, kFull = 512, kEmpty = 520;
  LiveKernel k([](LiveWarp& w) -> LiveTask {
    if (w.index() == 0) {
      co_await w.mbarrier({.kind = Mbarrier::Kind::kInit, .count = 1, .address = kFull});
      co_await w.mbarrier({.kind = Mbarrier::Kind::kInit, .count = 1, .address = kEmpty});
    }
    co_await w.barrier();
    uint32_t sum = 0;
    for (uint32_t i = 0; i < kTiles; ++i) {
      const auto parity = static_cast<uint8_t>(i & 1), before = static_cast<uint8_t>(parity ^ 1);
      if (w.index() == 0) {
        co_await w.mbarrier({.kind = Mbarrier::Kind::kWait, .parity = before, .address = kEmpty});
        co_await w.mbarrier({.kind = Mbarrier::Kind::kArriveExpect, .address = kFull, .bytes = kTile});
        co_await w.bulk(
            {.source = kData + uint64_t{i} * kTile, .bytes = kTile, .destination = 0, .barrier = kFull});
      } else {
        co_await w.mbarrier({.kind = Mbarrier::Kind::kWait, .parity = parity, .address = kFull});
        for (uint32_t j = 0; j < kTile; ++j) {
          sum += w.shared()[j];
        }
        co_await w.mbarrier({.kind = Mbarrier::Kind::kArrive, .address = kEmpty});
      }
    }
    if (w.index() == 1) {
      co_await w.store(kOut + 4 * w.block(), sum);
    }
  });
  k.blocks(4).warps(2).shared_bytes(1024);
  const Ran r = run(k, [](memory::Image& image) {
    for (uint32_t i = 0; i < kTiles * kTile; ++i) {
      image.put<uint8_t>(kData + i, static_cast<uint8_t>(1 + i / kTile));
    }
  });
  for (uint32_t b = 0; b < 4; ++b) {
    CHECK(r.word(kOut + 4 * b) == kTile * (1 + 2 + 3 + 4 + 5 + 6));
  }
}

constexpr uint64_t at_block(uint64_t rank, uint64_t address) {
  return LiveKernel::kSharedBase + (rank << 24) + address;
}

// Block 0 copies a tile for those in `mask`; they wait for it, and add it up.
LiveKernel multicast(uint16_t mask, uint64_t bytes) {
  constexpr uint64_t kFull = 4096;
  LiveKernel k([mask, bytes](LiveWarp& w) -> LiveTask {
    const bool gets = mask >> w.block() & 1;
    if (gets) {
      co_await w.mbarrier({.kind = Mbarrier::Kind::kInit, .count = 1, .address = kFull});
      co_await w.mbarrier({.kind = Mbarrier::Kind::kArriveExpect, .address = kFull, .bytes = bytes});
    }
    co_await w.issue({.code = LiveOp::kClusterArrive, .mask = ~0u});
    co_await w.issue({.code = LiveOp::kClusterWait, .mask = ~0u});
    if (w.block() == 0) {
      co_await w.bulk(
          {.source = kData, .bytes = bytes, .destination = 64, .barrier = kFull, .multicast = mask});
    }
    uint32_t sum = 0;
    if (gets) {
      co_await w.mbarrier({.kind = Mbarrier::Kind::kWait, .parity = 0, .address = kFull});
      for (uint64_t i = 0; i < bytes; ++i) {
        sum += w.shared()[64 + i];
      }
    }
    co_await w.store(kOut + 4 * w.block(), sum);
  });
  k.blocks(4).cluster(4).shared_bytes(8192);
  return k;
}

TEST_CASE("a multicast copy: one read of L2, the blocks of the cluster that were named get it") {
  constexpr uint64_t kBytes = 1024;
  const auto tile = [](memory::Image& image) {
    for (uint32_t i = 0; i < kBytes; ++i) {
      image.put<uint8_t>(kData + i, static_cast<uint8_t>(i % 7));
    }
  };
  uint32_t expected = 0;
  for (uint32_t i = 0; i < kBytes; ++i) {
    expected += i % 7;
  }
  for (uint16_t mask : {0b1111, 0b0110, 0b0001}) {
    CAPTURE(mask);
    LiveKernel k = multicast(mask, kBytes);
    const Ran r = run(k, tile);
    for (uint32_t b = 0; b < 4; ++b) {
      CHECK(r.word(kOut + 4 * b) == (mask >> b & 1 ? expected : 0));
    }
    memory::Image image;
    image.map(0x100000, 0x400000);
    device::RunOptions o;
    o.image = &image;
    k.rewind();
    CHECK(device::Gpu(test_gpu(4)).run(k, o).totals[stats::Counter::kL2Reads] == kBytes / 32);
  }
}

TEST_CASE("a multicast to a block that the cluster does not have is a fault") {
  LiveKernel k = multicast(0b10001, 64);
  memory::Image image;
  image.map(0x100000, 0x400000);
  device::RunOptions o;
  o.image = &image;
  k.rewind();
  CHECK_THROWS_WITH(device::Gpu(test_gpu(4)).run(k, o), Catch::Contains("the cluster does not have"));
}

TEST_CASE("blocks of a cluster add up in each other's shared memory") {
  LiveKernel k([](LiveWarp& w) -> LiveTask {
    const uint32_t rank = w.block() % 2, other = 1 - rank;
    for (uint32_t i = 0; i < 5; ++i) {
      co_await w.issue({.code = LiveOp::kRemoteAtomic,
                        .address = {at_block(other, 64)},
                        .value = {10 * w.block() + 1},
                        .atomic = kAddU32});
    }
    co_await w.issue({.code = LiveOp::kRemoteStore, .address = {at_block(other, 128)}, .value = {w.block()}});
    co_await w.fence();
    co_await w.issue({.code = LiveOp::kClusterArrive, .mask = ~0u});
    co_await w.issue({.code = LiveOp::kClusterWait, .mask = ~0u});
    // What the other has got from here.
    const uint32_t sum = co_await w.issue({.code = LiveOp::kRemoteLoad, .address = {at_block(other, 64)}});
    const uint32_t word = co_await w.issue({.code = LiveOp::kRemoteLoad, .address = {at_block(other, 128)}});
    co_await w.store(kOut + 8 * w.block(), sum);
    co_await w.store(kOut + 8 * w.block() + 4, word);
    co_await w.issue({.code = LiveOp::kClusterArrive, .mask = ~0u});
    co_await w.issue({.code = LiveOp::kClusterWait, .mask = ~0u});
  });
  k.blocks(4).cluster(2).shared_bytes(1024);
  const Ran r = run(k);
  for (uint32_t b = 0; b < 4; ++b) {
    CHECK(r.word(kOut + 8 * b) == 5 * (10 * b + 1));
    CHECK(r.word(kOut + 8 * b + 4) == b);
  }
}

TEST_CASE(
    "a block waits at a barrier object until another block of the cluster has written and arrived there") {
  constexpr uint32_t kFull = 512;
  LiveKernel k([](LiveWarp& w) -> LiveTask {
    const uint32_t rank = w.block() % 2;
    if (rank == 0) {
      co_await w.mbarrier({.kind = Mbarrier::Kind::kInit, .count = 1, .address = kFull});
    }
    co_await w.issue({.code = LiveOp::kClusterArrive, .mask = ~0u});
    co_await w.issue({.code = LiveOp::kClusterWait, .mask = ~0u});
    for (uint32_t phase = 0; phase < 3; ++phase) {
      if (rank == 1) {
        // st.async: its bytes count at the object of the block that it writes to.
        co_await w.issue({.code = LiveOp::kRemoteStore,
                          .address = {at_block(0, 64 + 4 * phase)},
                          .value = {100 + phase},
                          .mbarrier = {.kind = Mbarrier::Kind::kComplete, .address = kFull}});
      } else {
        co_await w.mbarrier({.kind = Mbarrier::Kind::kArriveExpect, .address = kFull, .bytes = 4});
        co_await w.mbarrier(
            {.kind = Mbarrier::Kind::kWait, .parity = static_cast<uint8_t>(phase & 1), .address = kFull});
        uint32_t word = w.shared()[64 + 4 * phase];
        co_await w.store(kOut + 4 * phase, word);
      }
      co_await w.issue({.code = LiveOp::kClusterArrive, .mask = ~0u});
      co_await w.issue({.code = LiveOp::kClusterWait, .mask = ~0u});
    }
    if (rank == 1) {  // and a plain arrival
      co_await w.mbarrier({.kind = Mbarrier::Kind::kArrive, .remote = true, .rank = 0, .address = kFull});
    } else {
      co_await w.mbarrier({.kind = Mbarrier::Kind::kWait, .parity = 1, .address = kFull});
      co_await w.store(kOut + 64, 1);
    }
    co_await w.issue({.code = LiveOp::kClusterArrive, .mask = ~0u});
    co_await w.issue({.code = LiveOp::kClusterWait, .mask = ~0u});
  });
  k.blocks(2).cluster(2).shared_bytes(1024);
  const Ran r = run(k);
  CHECK(r.word(kOut) == 100);
  CHECK(r.word(kOut + 4) == 101);
  CHECK(r.word(kOut + 8) == 102);
  CHECK(r.word(kOut + 64) == 1);
}

TEST_CASE("a lock that nobody gives back is a live lock, and is called one") {
  LiveKernel k([](LiveWarp& w) -> LiveTask {
    w.state_is(1);
    while (co_await w.atomic(kCas, kLock, 1, 0) != 0) {
      co_await w.branch();
    }
    w.state_is(2);
    co_await w.store(kData, 1);
  });
  k.blocks(2);
  CHECK_THROWS_AS(run(k), device::LivelockError);
  CHECK_THROWS_WITH(run(k), Catch::Contains("live lock in kernel live at cycle") &&
                                Catch::Contains("1 warps repeat themselves or wait, and nothing changes"));
}

TEST_CASE("a second look at warps that repeat themselves comes a sixteenth of the patience after the first") {
  LiveKernel k([](LiveWarp& w) -> LiveTask {
    w.state_is(1);
    while (co_await w.atomic(kCas, kLock, 1, 0) != 0) {
      co_await w.branch();
    }
  });
  k.blocks(2);
  device::RunOptions o;
  o.livelock_cycles = 160'000;
  try {
    run_once(k, o, [](memory::Image& m) { m.put<uint32_t>(kLock, 1); });
    FAIL("it ended");
  } catch (const device::LivelockError& e) {
    const std::string what = e.what();
    const uint64_t at = std::stoull(what.substr(what.find("at cycle ") + 9));
    // 160,000 behind the last change a look at the first warp, 10,000 later it repeats itself; then two looks
    // at both.
    CHECK(at >= 190'000);
    CHECK(at < 192'000);
  }
}

TEST_CASE("a warp that waits for memory that nobody writes, and others at a barrier behind it") {
  LiveKernel k([](LiveWarp& w) -> LiveTask {
    w.state_is(1);
    while (w.index() == 0 && co_await w.load_strong(kLock) == 0) {
      co_await w.branch();
    }
    co_await w.barrier();
  });
  k.warps(3);
  CHECK_THROWS_AS(run(k), device::LivelockError);
}

TEST_CASE("a warp that is still computing may yet change something") {
  LiveKernel k([](LiveWarp& w) -> LiveTask {
    if (w.block() == 0) {
      w.state_is(1);
      while (co_await w.load_strong(kLock) == 0) {
        co_await w.branch();
      }
    } else {
      for (int i = 0; i < 60'000; ++i) {  // for 240,000 cycles, in states that are not known
        co_await w.compute();
      }
      co_await w.store(kLock, 1);
    }
  });
  k.blocks(2);
  CHECK(run_once(k, {}, {}).word(kLock) == 1);
}

TEST_CASE("warps that wait at different barriers are a dead lock, and are called one") {
  LiveKernel k([](LiveWarp& w) -> LiveTask { co_await w.barrier(static_cast<uint8_t>(w.index()), 64); });
  k.warps(2);
  try {
    run(k);
    FAIL("it ended");
  } catch (const device::LivelockError&) {
    FAIL("it is no live lock");
  } catch (const device::DeadlockError& e) {
    CHECK_THAT(e.what(),
               Catch::Contains("deadlock in kernel live") && Catch::Contains("2 warps cannot go on"));
  }
}

TEST_CASE("an access outside of memory, or misaligned, names kernel, block, warp, place and address") {
  for (const auto& [address, says] :
       {std::pair{uint64_t{0x600000}, "out of bounds, access of 4 bytes at 0x600000"},
        {uint64_t{0x100002}, "misaligned access of 4 bytes at 0x100002"}}) {
    LiveKernel k([address = address](LiveWarp& w) -> LiveTask { co_await w.store(address, 1); });
    k.blocks(1);
    CHECK_THROWS_WITH(
        run(k), Catch::Contains("kernel live, block 0, warp 0, pc 0x0050 (STG") && Catch::Contains(says));
  }
}

TEST_CASE("a program that computes needs memory") {
  LiveKernel k([](LiveWarp& w) -> LiveTask { co_await w.compute(); });
  CHECK_THROWS_WITH(device::Gpu(test_gpu()).run(k), Catch::Contains("RunOptions::image"));
}

}  // namespace
}  // namespace heddle::simtest
