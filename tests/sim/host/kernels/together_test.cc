// Kernels that are simulated, in host programs: sim/host/together on plain_gpu(), whose clock gives a cycle a
// nanosecond and whose blocks start at once.
#include <catch2/catch.hpp>

#include "frontends/workload/graph_builder.h"
#include "sim/host/kernels/together.h"
#include "tests/sim/host/support.h"
#include "tests/sim/support/kernel_builder.h"

namespace heddle::hosttest {
namespace {

using simtest::nop;
using workload::Builder;
using workload::Stream;

// One warp a block: so many instructions of ten cycles.
std::unique_ptr<isa::BlockSource> blocks(uint32_t n, int instructions) {
  auto k = std::make_unique<simtest::Kernel>();
  k->add(nop().stall(10), instructions);
  k->blocks(n);
  return k;
}

struct Setup {
  spec::GpuConfig gpu = plain_gpu(1);
  std::vector<std::function<std::unique_ptr<isa::BlockSource>()>> traces;
  Builder w;
  uint32_t opened = 0;

  workload::Kernel kernel(const std::string& name, uint32_t n, int instructions) {
    host::KernelDesc k;
    k.name = name;
    k.has_grid = true;
    k.grid.x = n;
    k.block.x = 32;
    k.duration = host::Ps(1);  // not what it takes when it is simulated
    k.trace = static_cast<uint32_t>(traces.size());
    traces.push_back([=] { return blocks(n, instructions); });
    return w.kernel(k);
  }
  host::Result run() {
    host::Together::Options o;
    o.open = [this](uint32_t trace) {
      ++opened;
      return traces[trace]();
    };
    host::Together model(gpu, o);
    host::PlatformOptions run;
    run.kernels = &model;
    return host::run(w.program(), gpu, run);
  }
};

double length(const Times& t) { return t.end - t.start; }

TEST_CASE("a simulated kernel takes what the machine takes, and what comes after it in its stream waits") {
  Setup s;
  const Stream x = s.w.stream("x", true);
  const auto k = s.kernel("k", 1, 100);
  s.w.thread("main").launch(k, x).launch(k, x).deviceSynchronize();
  const host::Result r = s.run();
  const Times first = in_stream(r, "x", "k"), second = in_stream(r, "x", "k", 1);
  CHECK(length(first) == Approx(1.0).margin(0.02));  // 100 x 10 ns
  CHECK(second.start >= first.end);
  CHECK(s.opened == 2);
  CHECK(r.deadlock.empty());
}

TEST_CASE("AX06: simulated kernels of two streams run beside each other and slow each other down") {
  // Four sub-cores: four warps issue at the same time, eight take turns when each has no stalls.
  auto total = [](bool both) {
    Setup s;
    auto busy = [&](const std::string& name) {
      const auto k = s.kernel(name, 8, 1);
      s.traces.back() = [] {
        auto t = std::make_unique<simtest::Kernel>();
        t->add(nop().stall(1), 1000);
        t->blocks(8);
        return t;
      };
      return k;
    };
    const auto a = busy("a"), b = busy("b");
    auto& t = s.w.thread("main").launch(a, s.w.stream("x", true));
    if (both) {
      t.launch(b, s.w.stream("y", true));
    }
    t.deviceSynchronize();
    return us(s.run().end);
  };
  CHECK(total(false) == Approx(2.0).margin(0.05));  // two warps a sub-core
  CHECK(total(true) == Approx(4.0).margin(0.05));   // four
}

TEST_CASE("ST07: what waits for an event behind a simulated kernel starts when it ends") {
  Setup s;
  const Stream x = s.w.stream("x", true), y = s.w.stream("y", true);
  const auto e = s.w.event("e");
  const auto k = s.kernel("k", 4, 50);
  s.w.thread("main").launch(k, x).eventRecord(e, x).streamWaitEvent(y, e).launch(s.w.kernel_us("after", 1),
                                                                                 y);
  const host::Result r = s.run();
  CHECK(in_stream(r, "y", "after").start == Approx(in_stream(r, "x", "k").end));
}

TEST_CASE("PD04: a simulated kernel behind a programmatic edge starts when the kernel before has ended") {
  Setup s;
  const Stream x = s.w.stream("x", true);
  const auto k = s.kernel("k", 1, 50);
  s.w.thread("main").launch(s.w.kernel_us("first", 5), x).launch(k, x, {.programmatic = true});
  const host::Result r = s.run();
  CHECK(in_stream(r, "x", "k").start >= in_stream(r, "x", "first").end);
}

TEST_CASE("GR03: simulated kernels are nodes of graphs") {
  Setup s;
  const Stream x = s.w.stream("x", true);
  const auto k = s.kernel("k", 1, 100);
  const workload::Graph g = workload::add_graph(s.w, "g");
  workload::kernel_node(s.w, g, k);
  workload::kernel_node(s.w, g, k);
  const workload::GraphExec exec = workload::add_graph_exec(s.w, "exec");
  s.w.thread("main").graphInstantiate(exec, g).graphLaunch(exec, x).deviceSynchronize();
  const host::Result r = s.run();
  CHECK(s.opened == 2);
  const Times first = span(r, "device 0 kernels", "k"), second = span(r, "device 0 kernels", "k", 1);
  CHECK(length(first) == Approx(1.0).margin(0.02));
  CHECK(second.start < first.end);
}

TEST_CASE("a simulated kernel ends when it does, while a thread goes on with its own work") {
  Setup s;
  const Stream x = s.w.stream("x", true);
  const auto k = s.kernel("k", 1, 100);  // 1 us
  s.w.thread("main").launch(k, x).launch(s.w.kernel_us("after", 1), x).compute_us(0.3).compute_us(50);
  const host::Result r = s.run();
  const Times first = in_stream(r, "x", "k");
  CHECK(length(first) == Approx(1.0).margin(0.02));
  CHECK(in_stream(r, "x", "after").start == Approx(first.end));
}

TEST_CASE("MU02: each device has a machine of its own") {
  Setup s{.traces = {}, .w = Builder(2)};
  const auto k = s.kernel("k", 32, 100);  // all block places of the one SM
  s.w.thread("main").launch(k, s.w.stream("x", true, 0, 0)).launch(k, s.w.stream("y", true, 0, 1));
  const host::Result r = s.run();
  CHECK(span(r, "device 1 stream y", "k").start < span(r, "device 0 stream x", "k").end);
}

}  // namespace
}  // namespace heddle::hosttest
