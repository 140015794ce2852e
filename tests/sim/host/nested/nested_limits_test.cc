// Limits, errors and versions of kernels that kernels launch: cuda-model A27, DP11-DP17.
#include <catch2/catch.hpp>

#include "tests/sim/host/nested/nested_support.h"

namespace heddle::hosttest::nested {
namespace {

TEST_CASE(
    "DP11: a launch beyond the pool of pending ones fails; the pool is as large as its limit, 32 at least") {
  Program p;
  const Kernel parent = p.kernel("P", 1);
  const Into into = GENERATE(Into::kNullStream, kForget, kTail);
  device_launch(p.w, parent, {.child = p.kernel("C", 100), .into = into, .by = {.times = 50}});
  p.main.deviceGetLimit(host::Limit::kPendingLaunches)
      .deviceSetLimit(host::Limit::kPendingLaunches, 1)
      .deviceGetLimit(host::Limit::kPendingLaunches);
  p.main.launch(parent, p.s).streamSynchronize(p.s).deviceSetLimit(host::Limit::kPendingLaunches, 40);
  p.main.launch(parent, p.s);
  const host::Result r = p.run();
  CHECK(answers(r) == Strings{"2048", "32"});
  REQUIRE(r.device_errors.size() == 1);
  CHECK(r.device_errors[0].error == "cudaErrorLaunchPendingCountExceeded");
  CHECK(r.device_errors[0].times == 18 + 10);
  CHECK(counter(r, "kernels launched by kernels") == 32 + 40);
  CHECK(counter(r, "device 0 most pending device launches") == 40);
}

TEST_CASE("DP11: finished launches leave the pool; by CDP1 a full one only makes launches slow") {
  Program p;
  const Kernel parent = p.kernel("P", 1);
  p.main.deviceSetLimit(host::Limit::kPendingLaunches, 32);
  SECTION("one after the other") {
    p.costs().set_stream_call_ns(2000);
    p.costs().set_behind_call_ns(2000);
    device_launch(p.w, parent, {.child = p.kernel("C", 1), .by = {.times = 50}});
    p.main.launch(parent, p.s);
    const host::Result r = p.run();
    CHECK(r.device_errors.empty());
    CHECK(counter(r, "device 0 most pending device launches") == 1);
  }
  SECTION("CDP1") {
    p.older();
    p.costs().set_virtual_pool_ns(7000);
    compile_for_cdp1(p.w, parent);
    device_launch(p.w, parent, {.child = p.kernel("C", 100), .by = {.threads = 33}});
    p.main.launch(parent, p.s);
    const host::Result r = p.run();
    CHECK(r.device_errors.empty());
    CHECK(counter(r, "device launches beyond the fixed pool (DP11)") == 1);
    CHECK(us(r.end) == 33 * 100);  // one stream
  }
}

TEST_CASE("DP12: CDP2 nests as deep as the pool allows, as the H200; CDP1 24 deep") {
  Program p;
  const bool cdp2 = GENERATE(true, false);
  const Kernel k = p.kernel("k", 1);
  device_launch(p.w, k, {.child = k, .by = {.levels = 3000}});
  p.main.deviceSetLimit(host::Limit::kPendingLaunches, 100).launch(k, p.s);
  if (cdp2) {
    const host::Result r = p.run();
    CHECK(counter(r, "kernels launched by kernels") == 100);
    CHECK(device_errors(r) == Strings{"k: k<<<NULL>>>: cudaErrorLaunchPendingCountExceeded x 1"});
  } else {
    p.older();
    compile_for_cdp1(p.w, k);
    const host::Result r = p.run();
    CHECK(counter(r, "kernels launched by kernels") == 23);  // with the host's, 24 levels
    CHECK(device_errors(r) == Strings{"k: k<<<NULL>>>: cudaErrorLaunchMaxDepthExceeded x 1"});
  }
}

TEST_CASE("DP12: CDP1 synchronises as deep as its limit says, and each level takes memory") {
  Program p;
  p.older();
  const Kernel k = p.cdp1("k", 1);
  device_launch(p.w, k, {.child = k, .by = {.levels = 4}});
  device_synchronize(p.w, k);
  p.main.memGetInfo().deviceGetLimit(host::Limit::kSyncDepth).launch(k, p.s).streamSynchronize(p.s);
  p.main.deviceSetLimit(host::Limit::kSyncDepth, 5).memGetInfo().launch(k, p.s).streamSynchronize(p.s);
  p.main.deviceSetLimit(host::Limit::kSyncDepth, 25);
  p.costs().set_sync_level_bytes(100 << 20);
  const host::Result r = p.run();
  // 1024 MiB, of which 2 and then 5 levels take 100 each.
  CHECK(answers(r) == Strings{"free 864026624 total 1073741824", "2", "free 549453824 total 1073741824"});
  CHECK(device_errors(r) == Strings{"k: cudaDeviceSynchronize: cudaErrorLaunchMaxDepthExceeded x 3"});
  CHECK(errors(r) == Strings{"cudaErrorInvalidValue"});
}

TEST_CASE("DP12: nobody reserves what the device does not have; on an H200 there is no such limit") {
  Program p;
  p.main.deviceSetLimit(host::Limit::kSyncDepth, 11);
  if (GENERATE(true, false)) {
    p.older();
    p.costs().set_sync_level_bytes(100 << 20);
    CHECK(errors(p.run()) == Strings{"cudaErrorMemoryAllocation"});
  } else {
    CHECK(errors(p.run()) == Strings{"cudaErrorUnsupportedLimit"});
  }
}

TEST_CASE("DP13: a program with the device runtime in it pays for that with every kernel") {
  Program p;
  p.costs().set_runtime_ns(300);
  p.costs().set_parent_ns(700);
  const Kernel plain = p.kernel("plain", 5);
  p.main.launch(plain, p.s);
  CHECK(us(p.run().end) == 5);
  const Kernel parent = p.kernel("P", 5);
  device_launch(p.w, parent, {.child = plain, .into = kForget});
  CHECK(us(p.run().end) == 5.3);  // never launched, but there
  p.main.launch(parent, p.s);
  const host::Result r = p.run();
  CHECK(at(r, "P").end == Approx(5.3 + 1 + 5.3));  // the child pays too
}

TEST_CASE("DP14: parameters of a child: 4 KB by the guide") {
  Program p;
  const Kernel parent = p.kernel("P"), child = p.kernel("C");
  const uint32_t bytes = GENERATE(4096, 4097);
  p.w.program().kernels[child.id].parameter_bytes = bytes;
  device_launch(p.w, parent, {.child = child});
  p.main.launch(parent, p.s);
  CHECK(device_errors(p.run()) ==
        (bytes == 4096 ? Strings{} : Strings{"P: C<<<NULL>>>: cudaErrorInvalidValue x 1"}));
}

TEST_CASE("DP14: what the host could not launch a kernel cannot either") {
  Program p;
  const Kernel parent = p.kernel("P");
  device_launch(p.w, parent, {.child = p.w.kernel_blocks("C", 1, 2048, 1)});
  p.main.launch(parent, p.s);
  CHECK(device_errors(p.run()) == Strings{"P: C<<<NULL>>>: cudaErrorInvalidConfiguration x 1"});
}

TEST_CASE("DP15: children have their parent's priority and the device's limits") {
  Program p;
  p.gpu.mutable_host()->set_priorities(2);
  const Stream high = p.w.stream("high", true, -1);
  const Kernel filler = p.w.kernel_blocks("filler", 8, 1024, 10);  // 4 SMs, 2 of 1024 threads each
  const Kernel waiting = p.w.kernel_blocks("waiting", 8, 1024, 10),
               child = p.w.kernel_blocks("child", 8, 1024, 10);
  const Kernel parent = p.kernel("parent", 2);
  device_launch(p.w, parent, {.child = child, .by = {.times = 33}});
  p.main.deviceSetLimit(host::Limit::kPendingLaunches, 32);
  p.main.launch(filler, p.s).launch(waiting, p.s).compute_us(5).launch(parent, high);
  const host::Result r = p.run();
  CHECK(span(r, "device 0 stream high", "child").start == 10);
  CHECK(at(r, "waiting").start == 20);
  CHECK(r.device_errors.size() == 1);
}

TEST_CASE("DP16: kernels of CDP1 and CDP2 in one program, but none launches the other") {
  Program p;
  p.older();
  const Kernel leaf = p.kernel("leaf", 1), one = p.cdp1("one"), two = p.kernel("two"),
               mixed = p.kernel("mixed");
  device_launch(p.w, one, {.child = leaf});
  device_launch(p.w, two, {.child = leaf});
  device_launch(p.w, mixed, {.child = one});
  p.main.launch(one, p.s).launch(two, p.s).launch(mixed, p.s);
  const host::Result r = p.run();
  CHECK(errors(r) == Strings{"cudaErrorCdpVersionMismatch"});
  CHECK(counter(r, "kernels launched by kernels") == 2);
  const Graph g = add_graph(p.w, "g");
  kernel_node(p.w, g, mixed);
  p.main.graphInstantiate(add_graph_exec(p.w, "x"), g);
  CHECK(errors(p.run()) == Strings(2, "cudaErrorCdpVersionMismatch"));
}

TEST_CASE("DP17: the host learns of a child's error when the whole tree has ended") {
  Program p;
  const Kernel parent = p.kernel("P"), bad = p.kernel("bad", 1);
  p.w.program().kernels[bad.id].fails = true;
  device_launch(p.w, parent, {.child = bad});
  device_launch(p.w, parent, {.child = p.kernel("long", 50), .into = kForget});
  p.main.launch(parent, p.s).compute_us(20).launch(p.kernel("other", 1), p.s).streamSynchronize(p.s);
  p.main.launch(p.kernel("too late", 1), p.s);
  const host::Result r = p.run();
  CHECK(at(r, "other").start == 50);
  CHECK(at(r, "too late").start == -1);
  CHECK(errors(r).back() == "cudaErrorLaunchFailure");
}

}  // namespace
}  // namespace heddle::hosttest::nested
