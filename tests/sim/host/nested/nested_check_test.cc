// --check on trees of kernels: what a grid sees of others (DP09), what it must not pass on (DP10).
#include <catch2/catch.hpp>
#include <string>

#include "frontends/workload/device_builder.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using namespace workload;  // the builder's functions
using Into = host::DeviceCall::Into;
using Strings = std::vector<std::string>;

struct Program {
  Builder w;
  Stream s = w.stream("s", true);
  Thread& main = w.thread("main");
  spec::GpuConfig gpu = plain_gpu();
  Buffer data = w.device("data", 1024);

  Kernel kernel(const std::string& name, const std::vector<host::Access>& accesses) {
    const Kernel k = w.kernel_blocks(name, 1, 256, 1);
    w.program().kernels[k.id].accesses = accesses;
    return k;
  }
  Strings findings() {
    host::PlatformOptions o;
    o.check = true;
    Strings out;
    for (const host::Finding& f : host::run(w.program(), gpu, o).findings) {
      out.push_back(f.kind + (f.buffer.empty() ? "" : " " + f.buffer) + ": " + f.call.api +
                    (f.other.api.empty() ? "" : " and " + f.other.api));
    }
    return out;
  }
};

TEST_CASE("C46 DP09: the child sees what all threads wrote behind a barrier, without one only its caller's") {
  Program p;
  const bool barrier = GENERATE(true, false), all = GENERATE(true, false);
  // Parent: data[i] = i, then child and tail, each data[i] += 1.
  const Kernel child = p.kernel("child_launch", {updates(p.data)}),
               tail = p.kernel("tail_launch", {updates(p.data)});
  const Kernel parent =
      p.kernel("parent_launch", {between_calls(writes(p.data, 0, all ? 1024 : 4), 0, 0, !all)});
  device_launch(p.w, parent, {.child = child, .by = {.barrier = barrier}});
  device_launch(p.w, parent, {.child = tail, .into = Into::kTail});
  p.main.launch(parent, p.s);
  CHECK(p.findings() == (barrier || !all
                             ? Strings{}
                             : Strings{"race data: cudaLaunchKernel parent_launch, child child_launch and "
                                       "cudaLaunchKernel parent_launch"}));
}

TEST_CASE(
    "DP09: the parent never sees what its child wrote; its tail does; by CDP1 it does when it has waited") {
  Program p;
  const Kernel child = p.kernel("C", {writes(p.data)});
  const Strings race = {"race data: cudaLaunchKernel P, child C and cudaLaunchKernel P"};
  SECTION("the parent, afterwards") {
    const Kernel parent = p.kernel("P", {between_calls(reads(p.data), 1)});
    device_launch(p.w, parent, {.child = child});
    p.main.launch(parent, p.s);
    CHECK(p.findings() == race);
  }
  SECTION("a tail, and what the host launches behind") {
    const Kernel parent = p.kernel("P", {});
    device_launch(p.w, parent, {.child = child});
    device_launch(p.w, parent, {.child = p.kernel("T", {reads(p.data)}), .into = Into::kTail});
    p.main.launch(parent, p.s).launch(p.kernel("next", {reads(p.data)}), p.s);
    CHECK(p.findings().empty());
  }
  SECTION("CDP1") {
    p.gpu.mutable_limits()->set_compute_capability(80);
    const uint32_t after = GENERATE(1, 2);
    const Kernel parent = p.kernel("P", {between_calls(reads(p.data), after)});
    compile_for_cdp1(p.w, parent);
    device_launch(p.w, parent, {.child = child});
    device_synchronize(p.w, parent);
    p.main.launch(parent, p.s);
    CHECK(p.findings() == (after == 2 ? Strings{} : race));
  }
}

TEST_CASE("DP09: children of one stream, of two, of two with an event") {
  Program p;
  const Kernel a = p.kernel("A", {writes(p.data)}), b = p.kernel("B", {reads(p.data)}),
               parent = p.kernel("P", {});
  const Strings race = {"race data: cudaLaunchKernel P, child B and cudaLaunchKernel P, child A"};
  Strings expected;
  device_launch(p.w, parent, {.child = a, .stream = "a"});
  SECTION("one") { device_launch(p.w, parent, {.child = b, .stream = "a"}); }
  SECTION("two") {
    device_launch(p.w, parent, {.child = b, .stream = "b"});
    expected = race;
  }
  SECTION("fire and forget") {
    device_launch(p.w, parent, {.child = b, .into = Into::kFireAndForget});
    expected = race;
  }
  SECTION("an event") {
    device_event_record(p.w, parent, "e", "a");
    device_stream_wait_event(p.w, parent, "b", "e");
    device_launch(p.w, parent, {.child = b, .stream = "b"});
  }
  SECTION("an event, recorded too late") {
    device_stream_wait_event(p.w, parent, "b", "e");
    device_event_record(p.w, parent, "e", "a");
    device_launch(p.w, parent, {.child = b, .stream = "b"});
    expected = race;
  }
  SECTION("below a child") {
    const Kernel between = p.kernel("between", {});
    device_launch(p.w, between, {.child = b});
    device_launch(p.w, parent, {.child = between, .into = Into::kFireAndForget});
    expected = {"race data: cudaLaunchKernel P, child B of between and cudaLaunchKernel P, child A"};
  }
  p.main.repeat(3, [&](Thread& t) { t.launch(parent, p.s); });
  CHECK(p.findings() == expected);
}

TEST_CASE("DP09: with the rest of the program a tree is compared as its launch") {
  Program p;
  const Stream other = p.w.stream("other", true);
  const Kernel parent = p.kernel("P", {});
  device_launch(p.w, parent, {.child = p.kernel("C", {writes(p.data)}), .into = Into::kTail});
  p.main.launch(parent, p.s).launch(p.kernel("k", {reads(p.data)}), other);
  CHECK(p.findings() == Strings{"race data: cudaLaunchKernel k and cudaLaunchKernel P, child C"});
}

TEST_CASE("DP10: pointers to local and to shared memory") {
  Program p;
  const Kernel parent = p.kernel("P", {});
  device_launch(p.w, parent, {.child = p.kernel("C", {}), .passes_local = true});
  device_launch(p.w, parent, {.child = p.kernel("D", {}), .passes_shared = true});
  p.main.launch(parent, p.s);
  CHECK(
      p.findings() ==
      Strings{
          "pointer to local memory passed to a child: cudaLaunchKernel P and cudaLaunchKernel P, child C",
          "pointer to shared memory passed to a child: cudaLaunchKernel P and cudaLaunchKernel P, child D"});
}

}  // namespace
}  // namespace heddle::hosttest
