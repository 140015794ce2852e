// Kernels on SMs: which blocks run where and when. cuda-model A1, A3, A11, A12.
#include <catch2/catch.hpp>

#include "sim/device/occupancy.h"
#include "sim/host/kernels/resources.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using workload::Builder;
using workload::Kernel;
using workload::Stream;

host::KernelDesc shaped(uint32_t threads, uint32_t registers, uint32_t shared = 0) {
  host::KernelDesc k;
  k.name = std::string("k");
  k.has_grid = true;
  k.block.x = threads;
  k.registers = registers;
  k.dynamic_shared_bytes = shared;
  return k;
}

TEST_CASE("C01 OC03: 512 threads: 64 registers, two blocks; 65, one") {
  spec::GpuConfig g = plain_gpu();
  const host::Params p(g);
  CHECK(host::blocks_per_sm(shaped(512, 64), p) == 2);
  CHECK(host::blocks_per_sm(shaped(512, 65), p) == 1);
}

TEST_CASE("C02 OC01: blocks of 32 threads are limited by the number of blocks") {
  const host::Params p(plain_gpu());
  CHECK(host::blocks_per_sm(shaped(32, 16), p) == 32);  // of 64 warps: 50 %
}

TEST_CASE("OC07: residency is that of the device model") {
  const spec::GpuConfig g = plain_gpu();
  const host::Params p(g);
  for (uint32_t threads : {32u, 33u, 96u, 128u, 256u, 512u, 544u, 1024u}) {
    for (uint32_t registers : {16u, 32u, 40u, 63u, 64u}) {
      for (uint32_t shared : {0u, 1000u, 40000u, 100000u, 232448u}) {
        CAPTURE(threads, registers, shared);
        isa::LaunchShape shape;
        shape.block.x = threads;
        shape.registers_per_thread = registers;
        shape.dynamic_shared_bytes = shared;
        shape.carveout_percent = 100;  // all that kernels may have, as an SM that several kernels share
        CHECK(host::blocks_per_sm(shaped(threads, registers, shared), p) ==
              device::occupancy(g, shape).blocks_per_sm);
      }
    }
  }
}

TEST_CASE("PM05 PM06: blocks go where there is room; more SMs, fewer waves") {
  for (const auto& [sms, waves] : {std::pair(1u, 8), {2u, 4}, {4u, 2}, {8u, 1}}) {
    Builder w;
    w.thread("main").launch(w.kernel_blocks("k", 16, 1024, 10), w.stream("s", true));  // two on an SM
    CHECK(us(host::run(w.program(), plain_gpu(sms)).end) == 10 * waves);
  }
}

TEST_CASE("AX06 PG11: two kernels side by side when there is room for both") {
  Builder w;
  const Stream x = w.stream("x", true), y = w.stream("y", true);
  const Kernel k = w.kernel_blocks("k", 4, 1024, 10);
  w.thread("main").launch(k, x).launch(k, y);
  CHECK(us(host::run(w.program(), plain_gpu(4)).end) == 10);
  CHECK(us(host::run(w.program(), plain_gpu(2)).end) == 20);
}

TEST_CASE("AX06: registers and shared memory decide together with what another kernel has taken") {
  Builder w;
  const Stream x = w.stream("x", true), y = w.stream("y", true);
  host::KernelDesc a = shaped(128, 32, 120000), b = shaped(128, 32, 110000);
  a.block_duration = b.block_duration = host::from_us(10);
  w.thread("main").launch(w.kernel(a), x).launch(w.kernel(b), y);
  // 121000 + 111000 bytes with what is reserved: within the 233472 of an SM
  CHECK(us(host::run(w.program(), plain_gpu(1)).end) == 10);
  w.program().kernels[1].dynamic_shared_bytes = 115000;
  CHECK(us(host::run(w.program(), plain_gpu(1)).end) == 20);
}

TEST_CASE("OC20: at most so many resident grids; the next waits for the first to end") {
  Builder w;
  spec::GpuConfig g = plain_gpu();
  g.mutable_limits()->set_max_resident_grids(2);
  workload::Thread& main = w.thread("main");
  for (int i = 0; i < 3; ++i) {
    const std::string name = std::to_string(i);
    main.launch(w.kernel_us(name, 5 + i), w.stream(name, true));
  }
  const host::Result r = host::run(w.program(), g);
  CHECK(in_stream(r, "1", "1").start == 0);
  CHECK(in_stream(r, "2", "2").start == 5);
}

// `low` fills the device four times over; at 5 us `high` comes.
host::Result priorities(int32_t of_second) {
  Builder w;
  const Stream low = w.stream("low", true, 0), second = w.stream("second", true, of_second);
  w.thread("main")
      .launch(w.kernel_blocks("low", 16, 1024, 10), low)
      .compute_us(5)
      .launch(w.kernel_blocks("second", 2, 1024, 10), second);
  return host::run(w.program(), plain_gpu(2));
}

TEST_CASE("C08 ST12 ST13: freed places go to the higher priority; running blocks stay") {
  const host::Result high = priorities(-5);
  CHECK(in_stream(high, "second", "second").start == 10);  // not 5: nothing is taken from a block
  CHECK(us(high.end) == 50);                               // low's last two blocks come late
  const host::Result equal = priorities(0);
  CHECK(in_stream(equal, "second", "second").start == 40);  // in turn
}

TEST_CASE("PM31 ST12: a launch's priority goes before its stream's") {
  Builder w;
  const Stream low = w.stream("low", true, 0), other = w.stream("other", true, 0);
  w.thread("main")
      .launch(w.kernel_blocks("low", 16, 1024, 10), low)
      .compute_us(5)
      .launch(w.kernel_blocks("second", 2, 1024, 10), other, -3);
  CHECK(in_stream(host::run(w.program(), plain_gpu(2)), "other", "second").start == 10);
}

TEST_CASE("PM18: a cooperative grid starts as a whole") {
  Builder w;
  const Stream x = w.stream("x", true), y = w.stream("y", true);
  host::KernelDesc c = shaped(1024, 32);
  c.grid.x = 4;
  c.cooperative = true;
  c.block_duration = host::from_us(10);
  w.thread("main").launch(w.kernel_blocks("k", 1, 1024, 10), x).launch(w.kernel(c), y);
  // Three of its blocks would have room at once: all four start when the other kernel is gone.
  CHECK(in_stream(host::run(w.program(), plain_gpu(2)), "y", "k").start == 10);
}

TEST_CASE("PM18: a cooperative launch and a barrier of its grid have a cost") {
  spec::GpuConfig g = plain_gpu(2);
  g.mutable_host()->mutable_latency()->set_cooperative_start_ns(500);
  g.mutable_host()->mutable_latency()->set_grid_barrier_ns(2000);
  const auto end = [&](bool cooperative, bool barrier) {
    Builder w;
    host::KernelDesc k = shaped(1024, 32);
    k.grid.x = 2;
    k.block_duration = host::from_us(10);
    k.cooperative = cooperative;
    k.grid_barrier = barrier;
    w.thread("main").launch(w.kernel(k), w.stream("s", true));
    return us(host::run(w.program(), g).end);
  };
  CHECK(end(false, false) == 10);
  CHECK(end(true, false) == 10.5);
  CHECK(end(false, true) == 12);
  CHECK(end(true, true) == 12.5);
}

TEST_CASE("PM05: a kernel given by its whole time takes it when alone") {
  spec::GpuConfig g = plain_gpu(2);
  g.mutable_launch()->set_block_interval(100);  // 0.1 us at 1000 MHz
  g.mutable_launch()->set_block_start_latency(500);
  for (const uint32_t blocks : {1u, 4u, 9u}) {
    Builder w;
    host::KernelDesc k = shaped(1024, 32);
    k.grid.x = blocks;
    k.duration = host::from_us(100);
    w.thread("main").launch(w.kernel(k), w.stream("s", true));
    CHECK(us(host::run(w.program(), g).end) == Approx(100).epsilon(0.001));
  }
}

TEST_CASE("PM05: the distributor hands out one block at a time, and so many cycles apart to one SM") {
  spec::GpuConfig g = plain_gpu(2);
  g.mutable_launch()->set_block_interval(100);
  Builder w;
  w.thread("main").launch(w.kernel_blocks("k", 4, 32, 1), w.stream("s", true));
  CHECK(us(host::run(w.program(), g).end) == Approx(1.3));
  g.mutable_launch()->set_sm_block_interval(400);
  CHECK(us(host::run(w.program(), g).end) == Approx(1.5));  // the second on the second SM: 0.1 + 0.4
}

}  // namespace
}  // namespace heddle::hosttest
