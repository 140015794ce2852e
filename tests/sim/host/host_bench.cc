// Calls per second of the host model with synthetic kernels.
#include <benchmark/benchmark.h>

#include "frontends/workload/graph_builder.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

constexpr uint64_t kRounds = 100000;

void measure(benchmark::State& state, const workload::Builder& w, bool spans) {
  const spec::GpuConfig g = plain_gpu();
  uint64_t calls = 0;
  for (auto _ : state) {
    calls += host::run(w.program(), g, {{}, spans}).operations;
  }
  state.SetItemsProcessed(static_cast<int64_t>(calls));
}

// Four streams, each round a copy in, a kernel, an event, a wait of the next stream, a copy out.
void pipelines(workload::Builder& w, uint64_t rounds) {
  std::vector<workload::Stream> s;
  std::vector<workload::Event> e;
  for (int i = 0; i < 4; ++i) {
    s.push_back(w.stream("s" + std::to_string(i), true));
    e.push_back(w.event("e" + std::to_string(i)));
  }
  const workload::Kernel k = w.kernel_us("k", 5);
  const workload::Buffer h = w.pinned("h", 4096), d = w.device("d", 4096);
  w.thread("main").repeat(rounds / 4, [&](workload::Thread& t) {
    for (int i = 0; i < 4; ++i) {
      t.memcpyAsync(d, h, s[i]).launch(k, s[i]).eventRecord(e[i], s[i]);
      t.streamWaitEvent(s[(i + 1) % 4], e[i]).memcpyAsync(h, d, s[i]);
    }
  });
}

void bench_launches(benchmark::State& state) {
  workload::Builder w;
  const workload::Stream s = w.stream("s", true);
  const workload::Kernel k = w.kernel_us("k", 5);
  w.thread("main").repeat(kRounds, [&](workload::Thread& t) { t.launch(k, s); });
  measure(state, w, false);
}

void bench_pipelines(benchmark::State& state) {
  workload::Builder w;
  pipelines(w, kRounds);
  measure(state, w, false);
}

void bench_pipelines_with_spans(benchmark::State& state) {
  workload::Builder w;
  pipelines(w, kRounds);
  measure(state, w, true);
}

void bench_blocks(benchmark::State& state) {
  workload::Builder w;
  const workload::Stream s = w.stream("s", true);
  const workload::Kernel k = w.kernel_blocks("k", 64, 256, 5);
  w.thread("main").repeat(kRounds / 10, [&](workload::Thread& t) { t.launch(k, s); });
  measure(state, w, false);
}

// Launches of a graph of a chain of 100 kernels; the rate is of its nodes.
void bench_graphs(benchmark::State& state) {
  workload::Builder w;
  const workload::Stream s = w.stream("s", true);
  const workload::Kernel k = w.kernel_us("k", 5);
  const workload::Graph g = workload::add_graph(w, "g");
  const workload::GraphExec x = workload::add_graph_exec(w, "x");
  workload::Nodes last;
  for (int i = 0; i < 100; ++i) {
    last = {workload::kernel_node(w, g, k, last)};
  }
  w.thread("main").graphInstantiate(x, g).repeat(kRounds / 100,
                                                 [&](workload::Thread& t) { t.graphLaunch(x, s); });
  const spec::GpuConfig gpu = plain_gpu();
  uint64_t nodes = 0;
  for (auto _ : state) {
    nodes += host::run(w.program(), gpu, {{}, false}).commands;
  }
  state.SetItemsProcessed(static_cast<int64_t>(nodes));
}

BENCHMARK(bench_launches);
BENCHMARK(bench_graphs);
BENCHMARK(bench_pipelines);
BENCHMARK(bench_pipelines_with_spans);
BENCHMARK(bench_blocks);

}  // namespace
}  // namespace heddle::hosttest

BENCHMARK_MAIN();
