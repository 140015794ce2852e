// Kernels of several devices that reach each other's memory over links, in one loop of time. Test GPU: a
// request that misses takes 411 cycles (tests/sim/sm/global_memory_test.cc); the links here take 500 each
// way, and 64 bytes a cycle.
#include "sim/device/linked_devices.h"
#include "sim/memory/image.h"

#include <catch2/catch.hpp>
#include <functional>
#include <map>

#include "sim/base/error.h"
#include "tests/sim/support/live_program.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

using Kind = isa::AtomicOp::Kind;
using Type = isa::AtomicOp::Type;

constexpr uint64_t kFirst = 0x100000, kSecond = 0x200000, kBytes = 0x100000;  // of device 0, of device 1
constexpr isa::AtomicOp kAdd = {Kind::kAdd, Type::kU32};
constexpr memory::LinkTiming kLink = {.latency = 500, .bytes_per_cycle = 64, .header_bytes = 32};

struct Ran {
  std::map<uint32_t, device::LaunchEnd> ends;  // by device
  memory::Image image;
  std::map<uint32_t, uint64_t> sent;  // bytes, by device
  uint32_t word(uint64_t address) const { return image.get<uint32_t>(address); }
  Cycle time(uint32_t device) const { return ends.at(device).end - ends.at(device).start; }
};

// `kernels` by device; each at once.
Ran run_once(const std::map<uint32_t, LiveKernel*>& kernels, device::RunOptions options) {
  Ran r;
  r.image.map(kFirst, kBytes);
  r.image.map(kSecond, kBytes);
  options.image = &r.image;
  device::LinkedDevices devices(test_gpu(4), 2, kLink, options);
  devices.own(0, kFirst, kBytes);
  devices.own(1, kSecond, kBytes);
  for (const auto& [device, kernel] : kernels) {
    kernel->rewind();
    devices.launch(device, {.program = kernel, .at = 1000, .tag = device});
  }
  while (const auto e = devices.advance(kNever)) {
    r.ends[e->device] = e->launch;
  }
  REQUIRE(r.ends.size() == kernels.size());
  r.sent = {{0, devices.link_bytes(0)}, {1, devices.link_bytes(1)}};
  return r;
}

// With one thread and the longest quantum; the same with others.
Ran run(const std::map<uint32_t, LiveKernel*>& kernels) {
  Ran first = run_once(kernels, {});
  for (const auto& [threads, quantum] : {std::pair{2, 0u}, {3, 64u}, {1, 16u}}) {
    device::RunOptions o;
    o.threads = threads;
    o.quantum = quantum;
    const Ran other = run_once(kernels, o);
    CAPTURE(threads, quantum);
    for (const auto& [device, end] : first.ends) {
      CHECK(other.ends.at(device).end == end.end);
    }
    std::vector<uint8_t> a(2 * kBytes), b(2 * kBytes);
    first.image.read(kFirst, {a.data(), kBytes});
    other.image.read(kFirst, {b.data(), kBytes});
    first.image.read(kSecond, {a.data() + kBytes, kBytes});
    other.image.read(kSecond, {b.data() + kBytes, kBytes});
    CHECK(a == b);
    CHECK(other.sent == first.sent);
  }
  return first;
}

LiveKernel loads(uint64_t from) {
  return LiveKernel([from](LiveWarp& w) -> LiveTask { co_await w.load_strong(from); });
}

TEST_CASE("a load of another device's memory takes the way there and back longer") {
  LiveKernel near = loads(kFirst), far = loads(kSecond);
  const Ran here = run({{0, &near}}), there = run({{0, &far}});
  // A header there: half a cycle; a header and a sector back: a cycle. Each way 500.
  CHECK(there.time(0) - here.time(0) == 500 + 1 + 500 + 1);
  CHECK(here.sent.at(0) == 0);
  CHECK(there.sent.at(0) == 32);
  CHECK(there.sent.at(1) == 32 + 32);
}

TEST_CASE("kernels of two devices count with atomics in the memory of one") {
  const auto count = [](LiveWarp& w) -> LiveTask {
    const uint32_t old = co_await w.atomic(kAdd, kSecond, 1);
    co_await w.store(kFirst + 4 * (old + 1), 1);
  };
  LiveKernel a(count), b(count);
  a.blocks(6).warps(2);
  b.blocks(5).warps(2);
  const Ran r = run({{0, &a}, {1, &b}});
  CHECK(r.word(kSecond) == 22);
  for (uint32_t i = 1; i <= 22; ++i) {  // each got a number of its own
    CHECK(r.word(kFirst + 4 * i) == 1);
  }
}

TEST_CASE(
    "a flag behind a fence: what one device has written the other reads, with the kernel waiting for it") {
  LiveKernel producer([](LiveWarp& w) -> LiveTask {
    co_await w.store(kSecond + 256, 77);
    co_await w.fence();
    co_await w.store(kSecond, 1);
  });
  LiveKernel consumer([](LiveWarp& w) -> LiveTask {
    while (co_await w.load_strong(kSecond) == 0) {
      co_await w.branch();
    }
    const uint32_t got = co_await w.load_strong(kSecond + 256);
    co_await w.store(kFirst, got);
  });
  const Ran r = run({{0, &producer}, {1, &consumer}});
  CHECK(r.word(kFirst) == 77);
}

TEST_CASE("a launch has ended when its stores on the other device have been performed, and acknowledged") {
  LiveKernel near([](LiveWarp& w) -> LiveTask { co_await w.store(kFirst, 5); });
  LiveKernel far([](LiveWarp& w) -> LiveTask { co_await w.store(kSecond, 5); });
  const Ran here = run({{0, &near}}), there = run({{0, &far}});
  CHECK(there.word(kSecond) == 5);
  CHECK(there.time(0) - here.time(0) == 500 + 1);  // performed there; a header and a sector, a cycle
}

TEST_CASE("a link that is faster than devices can be simulated apart is refused") {
  CHECK_THROWS_WITH(
      device::LinkedDevices(test_gpu(4), 2, {.latency = 10, .bytes_per_cycle = 64, .header_bytes = 32}, {}),
      Catch::Contains("legal: at least"));
}

}  // namespace
}  // namespace heddle::simtest
