// Kernels that reach the host's memory over the link. Test GPU: a request that misses takes 411 cycles
// (tests/sim/sm/global_memory_test.cc), of which the L2's own part is not the host's; the link here takes 500
// cycles there and 700 back, 64 bytes a cycle, 32 of each packet a header.
#include <catch2/catch.hpp>
#include <tuple>
#include <utility>

#include "sim/device/detailed_engine.h"
#include "sim/memory/image.h"
#include "tests/sim/support/live_program.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

constexpr uint64_t kDevice = 0x100000, kHost = 0x200000, kBytes = 0x100000;
constexpr device::DetailedEngine::HostLink kLink = {
    {.latency = 500, .bytes_per_cycle = 64, .header_bytes = 32},
    {.latency = 700, .bytes_per_cycle = 64, .header_bytes = 32}};

struct Ran {
  uint64_t cycles = 0;
  memory::Image image;
  uint32_t word(uint64_t address) const { return image.get<uint32_t>(address); }
};

Ran run_once(LiveKernel& kernel, bool attached, device::RunOptions options) {
  Ran r;
  r.image.map(kDevice, kBytes);
  r.image.map(kHost, kBytes);
  options.image = &r.image;
  kernel.rewind();
  device::DetailedEngine engine(test_gpu(4), options.threads);
  if (attached) {
    const device::DetailedEngine::HostRange range{.address = kHost, .bytes = kBytes};
    engine.attach_host(kLink);
    engine.host_memory({&range, 1});
  }
  engine.begin(options, device::DetailedEngine::Launches::kPeriod, "a kernel");
  engine.launch({.program = &kernel, .at = engine.now()});
  while (!engine.done()) {
    engine.quantum();
  }
  r.cycles = engine.finish().cycles;
  return r;
}

// With one thread and the longest quantum; the same with others.
Ran run(LiveKernel& kernel, bool attached = true) {
  Ran first = run_once(kernel, attached, {});
  for (const auto& [threads, quantum] : {std::pair{2, 0u}, {3, 64u}, {1, 16u}}) {
    device::RunOptions o;
    o.threads = threads;
    o.quantum = quantum;
    const Ran other = run_once(kernel, attached, o);
    CAPTURE(threads, quantum);
    CHECK(other.cycles == first.cycles);
  }
  return first;
}

LiveKernel loads(uint64_t from, uint32_t times = 1) {
  return LiveKernel([from, times](LiveWarp& w) -> LiveTask {
    for (uint32_t i = 0; i < times; ++i) {
      co_await w.load_strong(from + 128 * i);
    }
  });
}

TEST_CASE("a load of the host's memory takes the link's ways, and each packet its bytes") {
  LiveKernel once = loads(kHost), twice = loads(kHost, 2), near = loads(kDevice),
             near_twice = loads(kDevice, 2);
  const uint64_t far = run(twice).cycles - run(once).cycles;
  const uint64_t here = run(near_twice).cycles - run(near).cycles;
  // A header there, half a cycle; a header and a sector back, a cycle. The L2 and its DRAM are not asked.
  CHECK(far > 500 + 700 + 1);
  CHECK(far < 500 + 700 + 2 + here);
}

TEST_CASE("memory of the device takes as long as without a host") {
  LiveKernel kernel = loads(kDevice, 5);
  CHECK(run(kernel, true).cycles == run(kernel, false).cycles);
}

TEST_CASE("many loads take the link's rate") {
  const auto of = [](uint32_t blocks) {
    LiveKernel k([](LiveWarp& w) -> LiveTask { co_await w.load_strong(kHost); });
    k.blocks(blocks).warps(4);
    return run(k).cycles;
  };
  // A header and a sector back, 64 bytes: a cycle each.
  const uint64_t more = of(16) - of(8);
  CHECK(more >= 32);
  CHECK(more < 32 + 40);  // and what blocks take to start
}

TEST_CASE("stores and atomics change the host's memory, and the kernel ends behind them") {
  LiveKernel kernel([](LiveWarp& w) -> LiveTask {
    const uint32_t old = co_await w.atomic({isa::AtomicOp::Kind::kAdd, isa::AtomicOp::Type::kU32}, kHost, 1);
    co_await w.store(kHost + 4 * (old + 1), 7);
  });
  kernel.blocks(6).warps(2);
  const Ran r = run(kernel);
  CHECK(r.word(kHost) == 12);
  for (uint32_t i = 1; i <= 12; ++i) {
    CHECK(r.word(kHost + 4 * i) == 7);
  }
}

constexpr uint64_t kPage = 0x10000;

// All of the host's memory is unified here, and its pages are away.
void begin_with_pages(device::DetailedEngine& engine, LiveKernel& kernel, memory::Image& image, bool hold) {
  const device::DetailedEngine::HostRange range{.address = kHost, .bytes = kBytes, .page_bytes = kPage};
  engine.attach_host(kLink);
  engine.host_memory({&range, 1});
  engine.hold_pages(hold);
  device::RunOptions options;
  options.image = &image;
  engine.begin(options, device::DetailedEngine::Launches::kPeriod, "a kernel");
  engine.launch({.program = &kernel, .at = engine.now()});
}

// Pages of unified memory: what is away is told of, once by each SM, and waits until somebody has brought it.
TEST_CASE("a load of a page that is away waits until it is placed") {
  for (const uint8_t owner : {memory::kThisDevice, memory::kHostDevice}) {
    CAPTURE(owner);
    memory::Image image;
    image.map(kHost, kBytes);
    image.put<uint32_t>(kHost + kPage + 512, 42);
    LiveKernel kernel([](LiveWarp& w) -> LiveTask {
      const uint32_t got = co_await w.load_strong(kHost + kPage + 512);
      co_await w.store(kHost + kPage, got + 1);
    });
    kernel.blocks(2).warps(2);
    device::DetailedEngine engine(test_gpu(4), 1);
    begin_with_pages(engine, kernel, image, true);
    std::vector<memory::HostEnd::Fault> faults;
    while (engine.now() < 20000) {
      engine.quantum(20000);
      const auto more = engine.take_faults();
      faults.insert(faults.end(), more.begin(), more.end());
    }
    REQUIRE(faults.size() == 2);  // two SMs; their two warps each ask for the same
    for (const auto& f : faults) {
      CHECK(f.page == kHost + kPage);
      CHECK(!f.writes);
      CHECK(f.at > 500);
      CHECK(f.at < 2000);
    }
    CHECK(!engine.done());
    engine.place(kHost + kPage, owner, 30000);
    while (!engine.done()) {
      engine.quantum();
    }
    const uint64_t cycles = engine.finish().cycles;
    CHECK(cycles > 30000 + 700);
    CHECK(cycles < 30000 + 700 + 2000);
    CHECK(image.get<uint32_t>(kHost + kPage) == 43);
    CHECK(engine.take_faults().empty());
  }
}

TEST_CASE("pages that nobody would bring take no time") {
  LiveKernel kernel = loads(kHost);
  memory::Image image;
  image.map(kHost, kBytes);
  device::DetailedEngine engine(test_gpu(4), 1);
  begin_with_pages(engine, kernel, image, false);
  while (!engine.done()) {
    engine.quantum();
  }
  CHECK(engine.take_faults().empty());
}

}  // namespace
}  // namespace heddle::simtest
