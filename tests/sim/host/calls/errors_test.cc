// Errors as values, and deadlocks as reports: cuda-model A1, A3, A31-A33.
#include <catch2/catch.hpp>
#include <functional>

#include "sim/base/error.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using workload::Builder;
using workload::Flag;
using workload::Stream;

using Change = std::function<void(host::KernelDesc&)>;

// What the launch of a small kernel returns after a change.
std::string launch_error(const Change& change, uint32_t sms = 4) {
  Builder w;
  host::KernelDesc k;
  k.name = "k";
  k.has_grid = true;
  k.block.x = 128;
  change(k);
  w.thread("main").launch(w.kernel(k));
  const host::Result r = host::run(w.program(), plain_gpu(sms));
  return r.errors.empty() ? "cudaSuccess" : r.errors[0].error;
}

TEST_CASE("launches beyond a limit return CUDA's error") {
  CHECK(launch_error([](auto&) {}) == "cudaSuccess");
  SECTION("PM03") {
    CHECK(launch_error([](auto& k) { k.block.x = 1025; }) == "cudaErrorInvalidConfiguration");
    CHECK(launch_error([](auto& k) { k.block = {32, 32, 2}; }) == "cudaErrorInvalidConfiguration");
  }
  SECTION("PM07") {
    CHECK(launch_error([](auto& k) { k.grid.y = 65536; }) == "cudaErrorInvalidConfiguration");
    CHECK(launch_error([](auto& k) { k.block = {1, 1, 65}; }) == "cudaErrorInvalidConfiguration");
    CHECK(launch_error([](auto& k) { k.grid.x = 0; }) == "cudaErrorInvalidConfiguration");
  }
  SECTION("PM09 SH15") {
    CHECK(launch_error([](auto& k) { k.dynamic_shared_bytes = 232448; }) == "cudaSuccess");
    CHECK(launch_error([](auto& k) { k.dynamic_shared_bytes = 232449; }) == "cudaErrorInvalidValue");
  }
  SECTION("SH11") {
    CHECK(launch_error([](auto& k) { k.static_shared_bytes = 49153; }) == "cudaErrorInvalidValue");
  }
  SECTION("OC02 OC05") {
    CHECK(launch_error([](auto& k) { k.registers = 256; }) == "cudaErrorLaunchOutOfResources");
    CHECK(launch_error([](auto& k) { k.block.x = 1024, k.registers = 65; }) ==
          "cudaErrorLaunchOutOfResources");
  }
  SECTION("OC10 C70") {
    CHECK(launch_error([](auto& k) { k.max_threads = 512, k.block.x = 512; }) == "cudaSuccess");
    CHECK(launch_error([](auto& k) { k.max_threads = 512, k.block.x = 513; }) ==
          "cudaErrorLaunchOutOfResources");
  }
  SECTION("PM11 PM12") {
    CHECK(launch_error([](auto& k) { k.grid.x = 18, k.cluster.x = 9; }) == "cudaErrorInvalidClusterSize");
    CHECK(launch_error([](auto& k) { k.grid.x = 6, k.cluster.x = 4; }) == "cudaErrorInvalidClusterSize");
  }
  SECTION("PM18") {
    const auto cooperative = [](auto& k) { k.cooperative = true, k.grid.x = 64, k.block.x = 128; };
    CHECK(launch_error(cooperative, 4) == "cudaSuccess");  // 16 blocks of 4 warps on each SM
    CHECK(launch_error(cooperative, 3) == "cudaErrorCooperativeLaunchTooLarge");
  }
}

TEST_CASE("C64 MU02: a launch into another device's stream fails, a copy does not") {
  Builder w(2);
  const Stream s1 = w.stream("s1", true, 0, 1);
  w.thread("main")
      .launch(w.kernel_us("k", 5), s1)
      .memcpyAsync(w.device("d", 8000, 1), w.pinned("h", 8000), s1);
  const host::Result r = host::run(w.program(), plain_gpu());
  CHECK(errors(r) == std::vector<std::string>{"cudaErrorInvalidResourceHandle"});
  CHECK(span(r, "device 1 stream s1", "copy H2D").start == 0);
}

TEST_CASE("ER01: a kernel's failure is reported by a later call; get resets, peek does not") {
  Builder w;
  host::KernelDesc k;
  k.name = "k";
  k.duration = host::from_us(5);
  k.fails = true;
  w.thread("main")
      .launch(w.kernel(k))
      .peekAtLastError()
      .deviceSynchronize()
      .peekAtLastError()
      .getLastError()
      .getLastError();
  const host::Result r = host::run(w.program(), plain_gpu());
  CHECK(answers(r) == std::vector<std::string>{"cudaSuccess", "cudaErrorLaunchFailure",
                                               "cudaErrorLaunchFailure", "cudaSuccess"});
  REQUIRE(r.errors.size() == 1);
  CHECK(r.errors[0].api == "cudaDeviceSynchronize");
}

// A kernel of that kind of end; then calls.
host::Result after_fault(bool asserts) {
  Builder w;
  host::KernelDesc k;
  k.name = "k";
  k.duration = host::from_us(5);
  k.fails = !asserts;
  k.asserts = asserts;
  const Stream s = w.stream("s", true);
  const auto d = w.device("d", 8000), h = w.pinned("h", 8000);
  w.thread("main")
      .launch(w.kernel(k), s)
      .deviceSynchronize()
      .getLastError()
      .getLastError()
      .launch(w.kernel_us("fine", 5), s)
      .memcpy(h, d)
      .streamSynchronize(s)
      .eventRecord(w.event("e"), s)
      .memGetInfo()
      .compute_us(1)
      .getDeviceCount();
  return host::run(w.program(), plain_gpu());
}

// As the H200's driver answers: traces/h200/hosterrors.csv, rows "fault".
TEST_CASE("ER02, ER03: after an assert or a trap every call returns that error") {
  for (const bool asserts : {true, false}) {
    const std::string error = asserts ? "cudaErrorAssert" : "cudaErrorLaunchFailure";
    const host::Result r = after_fault(asserts);
    CHECK(answers(r) == std::vector<std::string>{error, "cudaSuccess", "1"});
    CHECK(errors(r) == std::vector<std::string>(6, error));
    CHECK(us(r.end) == 6);
    CHECK(in_stream(r, "s", "fine").start < 0);
  }
}

TEST_CASE("MU01: allocations, the default stream and synchronisation are of the current device, at first 0") {
  Builder w(2);
  const auto a = w.kernel_us("a", 5), b = w.kernel_us("b", 9);
  const auto there = w.later("there", host::Memory::kDevice, 4096, 1);
  const Stream s0 = w.stream("s0", true), s1 = w.stream("s1", true, 0, 1);
  auto& main = w.thread("main");
  main.launch(a, s0).launch(b, s1);  // not of the current device: MU02
  main.setDevice(1).launch(b, s1).mallocAsync(there, s1).memPoolStats().deviceSynchronize();
  main.setDevice(0).memPoolStats().deviceSynchronize();
  const host::Result r = host::run(w.program(), plain_gpu());
  CHECK(errors(r) == std::vector<std::string>{"cudaErrorInvalidResourceHandle"});
  CHECK(in_stream(r, "s0", "a").end == 5);
  CHECK(span(r, "device 1 stream s1", "b").end == 9);
  CHECK(span(r, "thread main", "cudaDeviceSynchronize", 0).end == 9);
  CHECK(span(r, "thread main", "cudaDeviceSynchronize", 1).start == 9);
  // The pool of device 1 has the allocation, that of device 0 nothing.
  CHECK(answers(r)[0].find(" used 4096 ") != std::string::npos);
  CHECK(answers(r)[1].starts_with("reserved 0 "));
}

bool says(const host::Result& r, const std::string& text) {
  for (const std::string& line : r.deadlock) {
    if (line.find(text) != std::string::npos) {
      return true;
    }
  }
  return false;
}

TEST_CASE("ST11: a host function that calls CUDA: a deadlock that says so") {
  Builder w;
  const Stream s = w.stream("s", true);
  w.thread("main").launchHostFuncThatCallsCuda(s).launch(w.kernel_us("k", 5), s).streamSynchronize(s);
  const host::Result r = host::run(w.program(), plain_gpu());
  CHECK(says(r, "thread main (cudaStreamSynchronize, call 3) waits for kernel k (#2) of stream s"));
  CHECK(says(r, "kernel k (#2) of stream s waits for host function (#1) of stream s"));
  CHECK(says(r, "host function (#1) of stream s calls CUDA and waits for itself"));
}

// a polls until b has run.
host::Result poll(uint32_t connections, bool same_stream) {
  Builder w;
  const Flag f = w.flag("f");
  const Stream x = w.stream("x", true), y = same_stream ? x : w.stream("y", true);
  host::KernelDesc a, b;
  a.name = "a";
  a.until_flag = f.id;
  b.name = "b";
  b.duration = host::from_us(5);
  b.sets_flag = f.id;
  w.thread("main").launch(w.kernel(a), x).launch(w.kernel(b), y).deviceSynchronize();
  host::Rules rules;
  rules.connections = connections;
  return host::run(w.program(), plain_gpu(), {rules, true});
}

TEST_CASE("ST14 FP06: a kernel that waits for another ends only if that can run") {
  CHECK(poll(8, false).deadlock.empty());
  CHECK(us(poll(8, false).end) == 5);
  const host::Result r = poll(8, true);
  CHECK(says(r, "kernel b (#2) of stream x waits for kernel a (#1) of stream x"));
  CHECK(says(r, "kernel a (#1) of stream x runs until flag f is set"));
}

TEST_CASE("FP07: with one connection a program that relies on overlap hangs") {
  Builder w;
  const Flag f = w.flag("f");
  const Stream x = w.stream("x", true), y = w.stream("y", true);
  host::KernelDesc a, b;
  a.name = "a";
  a.until_flag = f.id;
  b.name = "b";
  b.sets_flag = f.id;
  const workload::Kernel ka = w.kernel(a), kb = w.kernel(b), k = w.kernel_us("k", 1);
  // k waits for a at the head of the only queue, b is behind it.
  w.thread("main").launch(ka, x).launch(k, x).launch(kb, y).deviceSynchronize();
  host::Rules rules;
  CHECK(host::run(w.program(), plain_gpu(), {rules, true}).deadlock.empty());
  rules.connections = 1;
  CHECK(says(host::run(w.program(), plain_gpu(), {rules, true}),
             "kernel b (#3) of stream y is behind kernel k (#2) of stream x in the hardware queue"));
  rules.connections = 0;
  rules.launch_blocking = true;
  CHECK_FALSE(host::run(w.program(), plain_gpu(), {rules, true}).deadlock.empty());
}

TEST_CASE("C55 FP04: a thread that waits for what nothing does, hangs; a host function wakes it") {
  Builder good;
  const Flag f = good.flag("f");
  good.thread("main").launchHostFunc(good.stream("s", true), 3, f).waitFlag(f);
  CHECK(us(host::run(good.program(), plain_gpu()).end) == 3);
  Builder bad;
  bad.thread("main").waitFlag(bad.flag("g"));
  CHECK(
      says(host::run(bad.program(), plain_gpu()), "thread main ((wait for flag), call 1) waits for flag g"));
}

TEST_CASE("a program that refers to nothing is refused") {
  host::Program p = host::empty_program();
  p.threads.push_back({"main", {}});
  host::Call c = host::call_of(host::Op::kLaunch);
  c.object = 3;
  p.threads[0].calls.push_back(c);
  CHECK_THROWS_WITH(host::run(p, plain_gpu()), "thread main, call 1 (cudaLaunchKernel): no such object: 3");
  p.threads[0].calls[0] = host::call_of(host::Op::kLoopBegin);
  CHECK_THROWS_WITH(host::run(p, plain_gpu()), "thread main: a loop without an end");
  p.threads[0].calls[0] = host::Call();
  CHECK_THROWS_WITH(host::run(p, plain_gpu()), "thread main, call 1: not declared");
}

}  // namespace
}  // namespace heddle::hosttest
