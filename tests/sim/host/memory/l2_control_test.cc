// The set-aside of the L2, access-policy windows and resets. The test device has 1 MiB of L2, in steps of 16
// KiB.
#include <catch2/catch.hpp>

#include "frontends/workload/builder.h"
#include "frontends/workload/graph_builder.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using host::Limit;
using memory::AccessProperty;
using workload::Buffer;
using workload::Builder;
using workload::Kernel;
using workload::LaunchAttributes;

constexpr uint64_t kKiB = 1024;

spec::GpuConfig gpu(spec::L2::SetAsideReplacement replacement = spec::L2::LRU) {
  spec::GpuConfig g = plain_gpu();
  g.mutable_l2()->set_max_persisting_bytes(768 * kKiB);
  g.mutable_l2()->set_set_aside_replacement(replacement);
  return g;
}

Kernel reader(Builder& w, const std::string& name, Buffer b, uint64_t bytes = 0) {
  const Kernel k = w.kernel_us(name, 10);
  w.program().kernels[k.id].accesses = {workload::reads(b, 0, bytes)};
  return k;
}

uint64_t counter(const host::Result& r, const std::string& name) {
  return counter_of(r, "device 0 L2 " + name);
}

// `times` launches of a kernel that reads all of a buffer of `kib`, 16 KiB set aside, the window over all of
// it.
host::Result sweep(double ratio, uint64_t kib, uint64_t times,
                   spec::L2::SetAsideReplacement replacement = spec::L2::LRU) {
  Builder w;
  const Buffer b = w.device("b", kib * kKiB);
  const auto s = w.stream("s");
  w.thread("main")
      .deviceSetLimit(Limit::kPersistingL2, 16 * kKiB)
      .streamSetAccessPolicyWindow(s, w.window(b, kib * kKiB, ratio))
      .repeat(times, [&](workload::Thread& t) { t.launch(reader(w, "k", b), s); });
  return host::run(w.program(), gpu(replacement));
}

}  // namespace

TEST_CASE("C14: a window of 32 KiB at ratio 0.5 persists by half in 16 KiB, and nothing is evicted") {
  const host::Result once = sweep(0.5, 32, 1), often = sweep(0.5, 32, 10);
  for (const host::Result* r : {&once, &often}) {
    CHECK(counter(*r, "persisting bytes at the end") == 16 * kKiB);
    CHECK(counter(*r, "persisting bytes evicted") == 0);
  }
  CHECK(counter(once, "bytes accessed that persisted") == 0);
  CHECK(counter(often, "bytes accessed that persisted") == 9 * 16 * kKiB);
  CHECK(counter(often, "bytes accessed") == 10 * 32 * kKiB);
}

TEST_CASE("C15: the same at ratio 1: lines evict each other, the most recent 16 KiB stay") {
  CHECK(counter(sweep(1, 32, 1), "persisting bytes evicted") == 16 * kKiB);
  const host::Result often = sweep(1, 32, 10);
  CHECK(counter(often, "persisting bytes at the end") == 16 * kKiB);
  CHECK(counter(often, "persisting bytes evicted") == (16 + 9 * 32) * kKiB);
  CHECK(counter(often, "bytes accessed that persisted") == 0);
  // Where a full set-aside keeps what it has (an H200), the first 16 KiB stay.
  const host::Result kept = sweep(1, 32, 10, spec::L2::KEEP);
  CHECK(counter(kept, "persisting bytes evicted") == 0);
  CHECK(counter(kept, "persisting bytes refused") == 10 * 16 * kKiB);
  CHECK(counter(kept, "bytes accessed that persisted") == 9 * 16 * kKiB);
}

TEST_CASE("C16: two kernels with windows of 16 KiB share a set-aside of 16 KiB") {
  for (const auto& [ratio, evicted, hit] : {std::tuple(1.0, 9u, 0u), std::tuple(0.5, 0u, 8u)}) {
    Builder w;
    const Buffer a = w.device("a", 16 * kKiB), b = w.device("b", 16 * kKiB);
    const auto s = w.stream("s"), t = w.stream("t");
    const Kernel ka = reader(w, "a", a), kb = reader(w, "b", b);
    auto& main = w.thread("main");
    main.deviceSetLimit(Limit::kPersistingL2, 16 * kKiB);
    main.streamSetAccessPolicyWindow(s, w.window(a, 16 * kKiB, ratio));
    main.streamSetAccessPolicyWindow(t, w.window(b, 16 * kKiB, ratio));
    main.repeat(5, [&](workload::Thread& m) { m.launch(ka, s).launch(kb, t); });
    const host::Result r = host::run(w.program(), gpu());
    INFO(ratio);
    CHECK(in_stream(r, "t", "b").start < in_stream(r, "s", "a").end);  // at the same time
    CHECK(counter(r, "persisting bytes at the end") == 16 * kKiB);
    CHECK(counter(r, "persisting bytes evicted") == evicted * 16 * kKiB);
    CHECK(counter(r, "bytes accessed that persisted") == hit * 8 * kKiB);
  }
}

TEST_CASE("C17: ratio 0.6: that share of the window persists, of what is outside nothing") {
  Builder w;
  const Buffer b = w.device("b", 1000 * kKiB);
  w.thread("main")
      .deviceSetLimit(Limit::kPersistingL2, 768 * kKiB)
      .streamSetAccessPolicyWindow({}, w.window(b, 100 * kKiB, 0.6))
      .launch(reader(w, "k", b));
  CHECK(counter(host::run(w.program(), gpu()), "persisting bytes at the end") == 60 * kKiB);
}

TEST_CASE("C18: sizing by the device's limits, ten launches of A, then B, then no window and a reset for C") {
  const spec::GpuConfig g = gpu();
  const uint64_t aside = std::min(g.l2().total_bytes() / 4 * 3, g.l2().max_persisting_bytes());
  CHECK(aside == 768 * kKiB);
  const auto run = [&](bool b_runs, bool c_runs) {
    Builder w;
    const Buffer data1 = w.device("data1", 512 * kKiB), data2 = w.device("data2", 900 * kKiB);
    const auto s = w.stream("s");
    const uint64_t window = std::min<uint64_t>(g.host().l2().max_window_bytes(), 512 * kKiB);
    auto& main = w.thread("main");
    main.deviceSetLimit(Limit::kPersistingL2, aside).streamSetAccessPolicyWindow(s, w.window(data1, window));
    main.repeat(10, [&](workload::Thread& t) { t.launch(reader(w, "A", data1), s); });
    if (b_runs) {
      main.launch(reader(w, "B", data1), s);
    }
    if (c_runs) {
      main.streamSynchronize(s).streamSetAccessPolicyWindow(s).ctxResetPersistingL2Cache();
      main.launch(reader(w, "C", data2), s);
    }
    return host::run(w.program(), g);
  };
  CHECK(counter(run(false, false), "bytes accessed that persisted") == 9 * 512 * kKiB);
  CHECK(counter(run(true, false), "bytes accessed that persisted") == 10 * 512 * kKiB);
  const host::Result all = run(true, true);
  CHECK(counter(all, "bytes accessed that persisted") == 10 * 512 * kKiB);
  CHECK(counter(all, "persisting bytes at the end") == 0);  // C has the whole L2
  CHECK(all.errors.empty());
}

TEST_CASE("a limit is rounded up to a step; more than the device has is an error; errors of windows") {
  Builder w;
  const Buffer b = w.device("b", 4096 * kKiB);
  w.thread("main")
      .deviceGetLimit(Limit::kPersistingL2)
      .deviceSetLimit(Limit::kPersistingL2, 1)
      .deviceGetLimit(Limit::kPersistingL2)
      .deviceSetLimit(Limit::kPersistingL2, 768 * kKiB + 1)
      .deviceGetLimit(Limit::kPersistingL2)
      .streamSetAccessPolicyWindow({}, w.window(b, 1025 * kKiB))
      .streamSetAccessPolicyWindow({}, w.window(b, kKiB, 1.5))
      .streamSetAccessPolicyWindow(
          {}, w.window(b, kKiB, 0.5, AccessProperty::kPersisting, AccessProperty::kPersisting))
      .launch(reader(w, "k", b), {}, LaunchAttributes{.window = w.window(b, 1025 * kKiB)});
  const host::Result r = host::run(w.program(), gpu());
  CHECK(answers(r) == std::vector<std::string>{"0", "16384", "16384"});
  CHECK(errors(r) == std::vector<std::string>(5, "cudaErrorInvalidValue"));
  CHECK(counter(r, "bytes accessed") == 0);  // the launch has failed

  spec::GpuConfig old = gpu();
  old.mutable_host()->mutable_l2()->set_max_window_bytes(0);
  CHECK(errors(host::run(w.program(), old))[0] == "cudaErrorUnsupportedLimit");
}

TEST_CASE(
    "a launch's window is before its stream's; a stream's is for later launches only; a normal one resets") {
  Builder w;
  const Buffer b = w.device("b", 64 * kKiB);
  const auto s = w.stream("s");
  const Kernel k = reader(w, "k", b);
  auto& main = w.thread("main");
  main.deviceSetLimit(Limit::kPersistingL2, 768 * kKiB).launch(k, s);
  main.streamSetAccessPolicyWindow(s, w.window(b, 16 * kKiB));
  SECTION("the stream's") {
    main.launch(k, s);
    CHECK(counter(host::run(w.program(), gpu()), "persisting bytes at the end") == 16 * kKiB);
  }
  SECTION("the launch's") {
    main.launch(k, s, LaunchAttributes{.window = w.window(b, 48 * kKiB)});
    CHECK(counter(host::run(w.program(), gpu()), "persisting bytes at the end") == 48 * kKiB);
  }
  SECTION("normal accesses to a part") {
    main.launch(k, s).launch(k, s,
                             LaunchAttributes{.window = w.window(b, 4 * kKiB, 1, AccessProperty::kNormal,
                                                                 AccessProperty::kNormal)});
    CHECK(counter(host::run(w.program(), gpu()), "persisting bytes at the end") == 12 * kKiB);
  }
  SECTION("a smaller set-aside") {
    main.launch(k, s).streamSynchronize(s).deviceSetLimit(Limit::kPersistingL2, 0);
    CHECK(counter(host::run(w.program(), gpu()), "persisting bytes at the end") == 0);
  }
  SECTION("nobody touches them for long") {
    main.launch(k, s).streamSynchronize(s).compute_us(100).launch(w.kernel_us("other", 1), s);
    CHECK(counter(host::run(w.program(), gpu()), "persisting bytes at the end") == 16 * kKiB);
    host::PlatformOptions o;
    o.rules.l2_reset_after = host::from_us(90);
    CHECK(counter(host::run(w.program(), gpu(), o), "persisting bytes at the end") == 0);
  }
}

TEST_CASE("GR30: a kernel node has a window of its own; captured, that of its stream") {
  Builder w;
  const Buffer b = w.device("b", 64 * kKiB);
  const auto s = w.stream("s");
  const Kernel k = reader(w, "k", b);
  const auto x = workload::add_graph_exec(w, "x");
  const auto g = workload::add_graph(w, "g");
  auto& main = w.thread("main");
  main.deviceSetLimit(Limit::kPersistingL2, 768 * kKiB);
  SECTION("built") {
    workload::kernel_node(w, g, k);
    w.program().graphs[g.id].nodes[0].window = w.window(b, 24 * kKiB).id;
    main.graphInstantiate(x, g).graphLaunch(x, s);
    CHECK(counter(host::run(w.program(), gpu()), "persisting bytes at the end") == 24 * kKiB);
  }
  SECTION("captured") {
    main.streamSetAccessPolicyWindow(s, w.window(b, 40 * kKiB)).streamBeginCapture(s).launch(k, s);
    main.streamEndCapture(s, g).streamSetAccessPolicyWindow(s).graphInstantiate(x, g).graphLaunch(x, s);
    CHECK(counter(host::run(w.program(), gpu()), "persisting bytes at the end") == 40 * kKiB);
  }
  SECTION("one that is too large is an error of the instantiation") {
    workload::kernel_node(w, g, k);
    spec::GpuConfig small = gpu();
    small.mutable_host()->mutable_l2()->set_max_window_bytes(16 * kKiB);
    w.program().graphs[g.id].nodes[0].window = w.window(b, 24 * kKiB).id;
    main.graphInstantiate(x, g);
    CHECK(errors(host::run(w.program(), small)) == std::vector<std::string>{"cudaErrorInvalidValue"});
  }
}

TEST_CASE(
    "a kernel from a trace takes the time that its policy makes of it; asked for once for each policy") {
  Builder w;
  const Buffer b = w.device("b", 64 * kKiB);
  w.program().buffers[b.id].trace_address = 0x7f0000000000;
  host::KernelDesc d;
  d.name = "t";
  d.duration = host::from_us(100);
  d.trace = 7;
  const Kernel k = w.kernel(d);
  const auto window =
      w.window(b, 32 * kKiB, 0.5, AccessProperty::kPersisting, AccessProperty::kStreaming, 4 * kKiB);
  w.thread("main")
      .launch(k)
      .deviceSetLimit(Limit::kPersistingL2, 32 * kKiB)
      .launch(k)
      .streamSetAccessPolicyWindow({}, window)
      .launch(k)
      .launch(k);
  std::vector<memory::L2Policy> asked;
  host::PlatformOptions o;
  o.kernel_time = [&](uint32_t kernel, const memory::L2Policy& p) {
    CHECK(kernel == k.id);
    asked.push_back(p);
    return host::from_us(p.window.bytes > 0 ? 60 : 90);
  };
  // The limit is one of the whole device: it holds for all that runs after the call.
  w.program().threads[0].calls.insert(w.program().threads[0].calls.begin() + 1,
                                      host::call_of(host::Op::kDeviceSynchronize));
  const host::Result r = host::run(w.program(), gpu(), o);
  const std::string track = "device 0 stream default";
  const double lengths[] = {100, 90, 60, 60};
  for (size_t i = 0; i < 4; ++i) {
    const Times t = span(r, track, "t", i);
    CHECK(t.end - t.start == Approx(lengths[i]));
  }
  REQUIRE(asked.size() == 2);
  CHECK(asked[0].set_aside_bytes == 32 * kKiB);
  CHECK(asked[1].window.base == 0x7f0000001000);
  CHECK(asked[1].window.hit_ratio == 0.5);
}

}  // namespace heddle::hosttest
