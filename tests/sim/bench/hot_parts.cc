// How fast the inner parts of the simulator are, each by itself; items are what the part is called for.
//
//   bazel run //tests/sim/bench:hot_parts -- [--benchmark_filter=...]
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <random>

#include "sim/access/bank_conflicts.h"
#include "sim/access/coalesce.h"
#include "sim/engine/bandwidth.h"
#include "sim/engine/event_wheel.h"
#include "sim/memory/tag_array.h"
#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace {

using namespace heddle;

using Lanes = std::array<uint64_t, 32>;

// Addresses of a warp: `stride` bytes apart, or anywhere when it is 0.
Lanes lanes(uint64_t stride) {
  std::mt19937_64 rng(1);
  Lanes a;
  for (uint64_t i = 0; i < a.size(); ++i) {
    a[i] = 0x10000 + (stride ? i * stride : rng() % (1 << 24) * 4);
  }
  return a;
}

void coalescing(benchmark::State& state) {
  const Lanes a = lanes(static_cast<uint64_t>(state.range(0)));
  memory::Coalesced out;
  for (auto _ : state) {
    memory::coalesce(a.data(), ~0u, 4, out);
    benchmark::DoNotOptimize(out.sectors);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(coalescing)->ArgName("stride")->Arg(4)->Arg(32)->Arg(128)->Arg(0);

void bank_conflicts(benchmark::State& state) {
  const Lanes a = lanes(static_cast<uint64_t>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(memory::shared_wavefronts(a.data(), ~0u, 4, 32, true));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(bank_conflicts)->ArgName("stride")->Arg(4)->Arg(8)->Arg(128)->Arg(0);

// Look-ups of random lines with replacement, in arrays of an L1 (2,048 lines) and of the whole L2 of an H200.
void tag_look_up(benchmark::State& state) {
  const auto lines = static_cast<uint32_t>(state.range(0));
  constexpr uint32_t kWays = 16;
  memory::TagArray tags(lines / kWays, kWays);
  std::mt19937_64 rng(1);
  for (auto _ : state) {
    const uint64_t line = rng() % (2 * uint64_t{lines});
    const auto set = static_cast<uint32_t>(line % tags.sets());
    memory::CacheLine* l = tags.find(set, line);
    if (!l) {
      l = tags.victim(set, [](const memory::CacheLine&) { return true; });
      tags.fill(*l, line);
    }
    benchmark::DoNotOptimize(l);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(tag_look_up)->ArgName("lines")->Arg(2048)->Arg(393216);

// As many events on their way as `in_flight`, each up to 600 cycles ahead.
void event_wheel(benchmark::State& state) {
  EventWheel<uint64_t> wheel;
  std::mt19937_64 rng(1);
  for (int64_t i = 0; i < state.range(0); ++i) {
    wheel.schedule(1 + rng() % 600, 0);
  }
  int64_t events = 0;
  for (auto _ : state) {
    const Cycle now = wheel.next();
    wheel.run(now, [&](uint64_t) {
      ++events;
      wheel.schedule(now + 1 + rng() % 600, 0);
    });
  }
  state.SetItemsProcessed(events);
}
BENCHMARK(event_wheel)->ArgName("in_flight")->Arg(16)->Arg(1024);

void bandwidth(benchmark::State& state) {
  Bandwidth port;
  std::mt19937_64 rng(1);
  Ticks now{};
  for (auto _ : state) {
    benchmark::DoNotOptimize(port.reserve(now + Ticks(rng() % (600 * kTicksPerCycle)), to_ticks(1)));
    now += Ticks(kTicksPerCycle + kTicksPerCycle / 4);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(bandwidth);

// Four warps for each sub-core of one small SM, arithmetic only: the issue stage. Items are instructions.
void issue(benchmark::State& state) {
  constexpr int kLength = 4096;
  const spec::GpuConfig gpu = simtest::test_gpu();
  int64_t instructions = 0;
  for (auto _ : state) {
    simtest::Kernel k;
    k.add(simtest::ffma(1, {2, 3, 4}).stall(4), kLength);
    k.add(simtest::exit_op());
    k.blocks(1).warps(16);
    device::Gpu machine(gpu);
    const stats::KernelResult r = machine.run(k);
    instructions += static_cast<int64_t>(r.totals[stats::Counter::kInstExecuted]);
  }
  state.SetItemsProcessed(instructions);
}
BENCHMARK(issue)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
