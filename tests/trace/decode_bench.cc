// How fast .heddle files are decoded, each from memory, front to back; items are warp instructions, times are
// of one core's processor.
//
//   bazel run -c opt //tests/trace:decode_bench -- /path/to/native [--benchmark_filter=...]
#include <benchmark/benchmark.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "frontends/trace/launches.h"
#include "frontends/trace/reader.h"
#include "sim/base/error.h"

namespace {

using namespace heddle;

struct Trace {
  std::string name, bytes;
};

uint64_t decode(const Trace& t) {
  const std::unique_ptr<trace::Reader> reader = trace::open(t.name, t.bytes);
  isa::BlockTrace block;
  while (reader->next(block)) {
    benchmark::DoNotOptimize(block);
  }
  return reader->warp_instructions();
}

void measure(benchmark::State& state, const std::vector<Trace>& traces) {
  uint64_t instructions = 0;
  for (auto _ : state) {
    for (const Trace& t : traces) {
      instructions += decode(t);
    }
  }
  state.SetItemsProcessed(static_cast<int64_t>(instructions));
}

int run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: decode_bench PATH [--benchmark_...]\n");
    return 2;
  }
  std::vector<Trace> all;
  for (const accelsim::Launch& l : trace::discover(argv[1])) {
    std::ifstream in(l.path, std::ios::binary);
    all.push_back({l.trace, {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}});
  }
  for (const Trace& t : all) {
    benchmark::RegisterBenchmark(t.name.c_str(),
                                 [&t](benchmark::State& s) { measure(s, std::vector<Trace>{t}); });
  }
  benchmark::RegisterBenchmark("all", [&all](benchmark::State& s) { measure(s, all); });
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
