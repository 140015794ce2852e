// Forward progress (cuda-model A33): what programs may rely on, and what they must not.
#include <catch2/catch.hpp>

#include "frontends/workload/builder.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using namespace workload;

host::KernelDesc blocks(const std::string& name, uint32_t n, double us) {
  host::KernelDesc k;
  k.name = name;
  k.has_grid = true;
  k.grid.x = n;
  k.block.x = 1024;  // two on each of the four SMs
  k.block_duration = host::from_us(us);
  return k;
}

bool says(const host::Result& r, const std::string& text) {
  for (const std::string& line : r.deadlock) {
    if (line.find(text) != std::string::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("FP01: what has started keeps going, however much of a higher priority comes") {
  Builder w;
  const Flag f = w.flag("f");
  const Stream low = w.stream("low", true, 0), high = w.stream("high", true, -5);
  host::KernelDesc spin = blocks("spin", 1, 1);
  spin.until_flag = f.id;
  host::KernelDesc last = blocks("last", 1, 1);
  last.sets_flag = f.id;
  const Kernel flood = w.kernel(blocks("flood", 8, 10));
  auto& main = w.thread("main");
  main.launch(w.kernel(spin), low);
  main.repeat(10, [&](Thread& t) { t.launch(flood, high); }).launch(w.kernel(last), high).deviceSynchronize();
  const host::Result r = host::run(w.program(), plain_gpu());
  CHECK(r.deadlock.empty());
  CHECK(in_stream(r, "low", "spin").end == in_stream(r, "high", "last").end);
}

TEST_CASE("FP01: what has not started need not: blocks that wait for it hold its place for ever") {
  Builder w;
  const Flag f = w.flag("f");
  host::KernelDesc wait = blocks("wait", 8, 1), set = blocks("set", 1, 1);
  wait.until_flag = f.id;
  set.sets_flag = f.id;
  w.thread("main").launch(w.kernel(wait), w.stream("x", true)).launch(w.kernel(set), w.stream("y", true));
  CHECK(
      says(host::run(w.program(), plain_gpu()), "kernel set (#2) of stream y waits for room on the device"));
  CHECK(host::run(w.program(), plain_gpu(5)).deadlock.empty());
}

TEST_CASE("FP02: the blocks of a grid may wait for each other if they are launched as a whole") {
  const auto run = [](uint32_t n, bool cooperative, bool busy) {
    Builder w;
    const Stream s = w.stream("s", true), other = w.stream("other", true);
    host::KernelDesc k = blocks("k", n, 5);
    k.grid_barrier = true;
    k.cooperative = cooperative;
    auto& main = w.thread("main");
    if (busy) {
      main.launch(w.kernel(blocks("first", 4, 20)), other);
    }
    main.launch(w.kernel(k), s);
    return host::run(w.program(), plain_gpu());
  };
  CHECK(us(run(8, false, false).end) == 5);
  // Beside others, the last blocks start when there is room; the first wait for them.
  CHECK(us(run(8, false, true).end) == 25);
  CHECK(us(run(8, true, true).end) == 25);
  // More than fit never meet; a cooperative launch is refused instead.
  CHECK(says(run(9, false, false), "waits at a barrier of its grid for blocks that find no room"));
  CHECK(errors(run(9, true, false)) == std::vector<std::string>{"cudaErrorCooperativeLaunchTooLarge"});
}

TEST_CASE("FP02: a cooperative grid waits for room for all of its blocks, and takes none before") {
  for (const bool cooperative : {false, true}) {
    Builder w;
    const Flag f = w.flag("f");
    host::KernelDesc k = blocks("k", 8, 5), first = blocks("first", 4, 1), set = blocks("set", 1, 1);
    k.grid_barrier = true;
    k.cooperative = cooperative;
    first.until_flag = f.id;
    set.sets_flag = f.id;
    // `first` holds half of the device until `set` has run, which is behind k in the order of launches.
    auto& main = w.thread("main");
    main.launch(w.kernel(first), w.stream("x", true)).launch(w.kernel(k), w.stream("y", true));
    main.launch(w.kernel(set), w.stream("z", true));
    INFO(cooperative);
    // Nobody overtakes the grid whose turn it is: either way `set` never runs, and the report says why.
    const host::Result r = host::run(w.program(), plain_gpu());
    CHECK(says(r, "kernel first (#1) of stream x runs until flag f is set"));
    CHECK(r.blocks == (cooperative ? 4 : 8));
  }
}

TEST_CASE("FP03: a loop of plain loads need not see what is written later") {
  const auto run = [](bool plain, bool set_before) {
    Builder w;
    const Flag f = w.flag("f");
    host::KernelDesc k;
    k.name = "k";
    k.until_flag = f.id;
    k.polls_plainly = plain;
    auto& main = w.thread("main");
    if (set_before) {
      main.setFlag(f);
    }
    main.launch(w.kernel(k)).compute_us(3).setFlag(f).deviceSynchronize();
    return host::run(w.program(), plain_gpu());
  };
  CHECK(us(run(false, false).end) == 3);  // volatile or atomic: it does
  CHECK(run(true, true).deadlock.empty());
  CHECK(says(run(true, false), "kernel k (#1) of stream default polls flag f by plain loads"));
}

TEST_CASE("FP05: work may start only when a call asks for it") {
  const auto run = [](bool query, bool lazy) {
    Builder w;
    const Flag f = w.flag("f");
    const Stream s = w.stream("s", true);
    host::KernelDesc k;
    k.name = "k";
    k.duration = host::from_us(4);
    k.sets_flag = f.id;
    auto& main = w.thread("main");
    main.launch(w.kernel(k), s).compute_us(10);
    if (query) {
      main.streamQuery(s);
    }
    main.waitFlag(f);
    host::PlatformOptions o;
    o.rules.lazy_start = lazy;
    return host::run(w.program(), plain_gpu(), o);
  };
  CHECK(us(run(false, false).end) == 10);
  CHECK(says(run(false, true), "thread main ((wait for flag), call 3) waits for flag f"));
  CHECK(us(run(true, true).end) == 14);

  Builder w;  // all threads have ended: the process waits for its work
  w.thread("main").launch(w.kernel_us("k", 4)).compute_us(10);
  host::PlatformOptions o;
  o.rules.lazy_start = true;
  CHECK(us(host::run(w.program(), plain_gpu(), o).end) == 14);
}

TEST_CASE("FP08: the device's progress helps only if the host's threads make progress, too") {
  Builder w;
  const Flag f = w.flag("f");
  host::KernelDesc k;
  k.name = "k";
  k.until_flag = f.id;
  w.thread("waits").launch(w.kernel(k)).deviceSynchronize();
  w.thread("sets").compute_us(5).setFlag(f);
  CHECK(us(host::run(w.program(), plain_gpu()).end) == 5);
  host::PlatformOptions o;
  o.rules.host_threads = 1;
  const host::Result r = host::run(w.program(), plain_gpu(), o);
  CHECK(says(r, "thread waits (cudaDeviceSynchronize, call 2) waits for kernel k"));
  CHECK(says(r, "thread sets (not begun) waits for another thread's end"));
  o.rules.host_threads = 2;
  CHECK(host::run(w.program(), plain_gpu(), o).deadlock.empty());
}

TEST_CASE("C75: a kernel that spins for one that has yet to be loaded") {
  const auto run = [](bool lazy, bool preload) {
    Builder w;
    const Flag f = w.flag("f");
    host::KernelDesc a, b;
    a.name = "A";
    a.until_flag = f.id;
    b.name = "B";
    b.duration = host::from_us(5);
    b.sets_flag = f.id;
    const Kernel ka = w.kernel(a), kb = w.kernel(b);
    auto& main = w.thread("main");
    if (preload) {
      main.funcGetAttributes(kb);
    }
    main.launch(ka, w.stream("x", true)).launch(kb, w.stream("y", true)).deviceSynchronize();
    host::PlatformOptions o;
    o.rules.lazy_loading = lazy;
    spec::GpuConfig g = plain_gpu();
    g.mutable_host()->mutable_first()->set_kernel_ns(100000);
    return host::run(w.program(), g, o);
  };
  CHECK(us(run(false, false).end) == 5);
  const host::Result r = run(true, false);
  CHECK(says(r, "kernel A (#1) of stream x runs until flag f is set"));
  CHECK(says(r, "kernel B (#2) of stream y waits for kernel A (#1) of stream x"));
  CHECK(us(run(true, true).end) == 205);  // each is loaded once
}

}  // namespace heddle::hosttest
