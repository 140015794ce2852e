// A launch that is given up in its middle leaves nothing behind: the next one, from cold caches, is what it
// is on a new machine, state by state.
#include <atomic>
#include <catch2/catch.hpp>
#include <vector>

#include "sim/base/cancelled.h"
#include "sim/device/gpu.h"
#include "tests/sim/stats/kernels.h"

namespace heddle::simtest {
namespace {

using device::Gpu;
using device::RunOptions;

RunOptions options(const std::atomic<bool>& cancel) {
  RunOptions o;
  o.quantum = 40;
  o.cancel = &cancel;
  return o;
}

// What is saved behind every quantum, and the result.
struct Run {
  std::vector<std::vector<uint8_t>> states;
  stats::KernelResult result;
};

Run run_saving(Gpu& gpu, Kernel& k) {
  const std::atomic<bool> cancel = false;
  const RunOptions o = options(cancel);
  Run out;
  k.rewind();
  gpu.begin(k, o);
  while (gpu.advance(gpu.now() + 1)) {
    out.states.push_back(gpu.save());
  }
  out.result = gpu.finish();
  return out;
}

void give_up(Gpu& gpu, Kernel& k, size_t quanta) {
  std::atomic<bool> cancel = false;
  const RunOptions o = options(cancel);
  k.rewind();
  gpu.begin(k, o);
  for (size_t i = 0; i < quanta; ++i) {
    REQUIRE(gpu.advance(gpu.now() + 1));
  }
  cancel = true;
  CHECK_THROWS_AS(gpu.advance(kNever), Cancelled);
}

TEST_CASE("a machine whose launch was given up runs the next as a new one does") {
  for (const auto& [name, make_sample] : samples()) {
    CAPTURE(name);
    Sample s = make_sample();
    Gpu fresh(s.gpu);
    const Run expected = run_saving(fresh, s.kernel);
    const size_t n = expected.states.size();
    Gpu used(s.gpu);
    for (const size_t at : {n / 4, n / 2, 3 * n / 4}) {
      CAPTURE(at, n);
      give_up(used, s.kernel, at);
      const Run again = run_saving(used, s.kernel);
      CHECK(again.result.cycles == expected.result.cycles);
      CHECK(again.result.totals.count == expected.result.totals.count);
      CHECK(again.result.totals.stall == expected.result.totals.stall);
      REQUIRE(again.states.size() == n);
      if (s.gpu.tlb().enabled()) {
        continue;  // the clocks of the TLBs go on
      }
      size_t same = 0;
      while (same < n && again.states[same] == expected.states[same]) {
        ++same;
      }
      CHECK(same == n);
    }
  }
}

}  // namespace
}  // namespace heddle::simtest
