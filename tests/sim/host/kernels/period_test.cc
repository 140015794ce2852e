// The machine in the host model's time: when a kernel ends does not depend on when the host looks.
#include "sim/host/kernels/period.h"

#include <catch2/catch.hpp>

#include "configs/loader/config.h"
#include "tests/sim/support/kernel_builder.h"

namespace heddle::host {
namespace {

using namespace simtest;

// Blocks that load, compute and store.
std::unique_ptr<isa::BlockSource> pass(uint32_t blocks) {
  auto k = std::make_unique<Kernel>();
  k->add(ldg(1).at(0x100000, 4).per_warp(128).per_block(1024).writes_barrier(0));
  k->add(ffma(2, {1, 1, 1}).waits(0b1).stall(4));
  k->add(stg().at(0x900000, 4).per_warp(128).per_block(1024));
  k->add(alu(3, {2}).stall(4), 20);
  k->warps(8).blocks(blocks);
  return k;
}

TEST_CASE("a kernel alone ends when it does, wherever the host has looked before") {
  const spec::GpuConfig gpu = config::load("h200");
  Period p(gpu, 1);
  const device::RunOptions options{.warm = GENERATE(false, true)};
  const auto end_with_looks = [&](Cycle first) {
    p.launch({.owned = pass(140), .tag = 1}, Ps(0), options);
    std::optional<Period::Ended> e;
    if (first != 0) {
      e = p.advance(p.time(p.engine().now() + first));
      e = e ? std::move(e) : p.advance(p.time(p.engine().now() + 80));
    }
    e = e ? std::move(e) : p.advance(p.now() + from_us(100));
    REQUIRE(e.has_value());
    return e->end;
  };
  end_with_looks(0);  // fills the L2
  const Ps end = end_with_looks(0);
  std::vector<Cycle> wrong;
  for (Cycle c = 1; p.time(c) - p.time(0) < end; c += 61) {
    if (end_with_looks(c) != end) {
      wrong.push_back(c);
    }
  }
  CHECK(wrong == std::vector<Cycle>{});
}

}  // namespace
}  // namespace heddle::host
