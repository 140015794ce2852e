// Stream-ordered pools: cuda-model A28, SO. Chunks are of 2 MiB, as large as each allocation here, so that "a
// new chunk" and "other memory" are the same.
#include <catch2/catch.hpp>

#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using host::Memory;
using host::PoolAttribute;
using workload::Buffer;
using workload::Builder;
using workload::Pool;
using workload::Stream;
using workload::Thread;

constexpr uint64_t kMiB = 1 << 20;

std::string stats(uint64_t reserved, uint64_t reserved_high, uint64_t used, uint64_t used_high) {
  return "reserved " + std::to_string(reserved * kMiB) + " high " + std::to_string(reserved_high * kMiB) +
         " used " + std::to_string(used * kMiB) + " high " + std::to_string(used_high * kMiB);
}

// Buffers a and b of 2 MiB, streams s1 and s2, a kernel of 5 us; a is allocated, used and freed in s1.
struct Two {
  Builder w;
  Stream s1 = w.stream("s1", true), s2 = w.stream("s2", true);
  Buffer a = w.later("a", Memory::kDevice, 2 * kMiB), b = w.later("b", Memory::kDevice, 2 * kMiB);
  workload::Kernel k = w.kernel_us("k", 5);
  Thread& main = w.thread("main");
  void use_a(Pool p = {}) { main.mallocAsync(a, s1, p).launch(k, s1).freeAsync(a, s1); }
  host::Result run() { return host::run(w.program(), plain_gpu()); }
};

TEST_CASE("SO01: allocation and free take their places in the stream; nothing waits") {
  Two t;
  t.use_a();
  const host::Result r = t.run();
  CHECK(us(r.thread_end[0]) == 0);
  CHECK(us(r.end) == 5);
}

TEST_CASE("SO07: the same stream uses freed memory at once, others after a synchronisation") {
  Two same;
  same.use_a();
  same.main.mallocAsync(same.b, same.s1).memPoolStats();
  CHECK(answers(same.run()) == std::vector<std::string>{stats(2, 2, 2, 2)});

  for (const bool waits : {false, true}) {
    Two other;
    other.main.memPoolSetAttribute({}, PoolAttribute::kOpportunistic, 0)
        .memPoolSetAttribute({}, PoolAttribute::kReleaseThreshold, UINT64_MAX);
    other.use_a();
    if (waits) {
      other.main.streamSynchronize(other.s1);
    } else {
      other.main.compute_us(10);
    }
    other.main.mallocAsync(other.b, other.s2).memPoolStats();
    CHECK(answers(other.run()) == std::vector<std::string>{waits ? stats(2, 2, 2, 2) : stats(4, 4, 2, 2)});
  }
}

TEST_CASE("C66 SO08: memory freed before an event that the stream waits for") {
  for (const bool follow : {true, false}) {
    Two t;
    const workload::Event e = t.w.event("e");
    t.main.memPoolSetAttribute({}, PoolAttribute::kFollowEvents, follow);
    t.use_a();
    t.main.eventRecord(e, t.s1).streamWaitEvent(t.s2, e).mallocAsync(t.b, t.s2).memPoolStats();
    CHECK(answers(t.run()) == std::vector<std::string>{follow ? stats(2, 2, 2, 2) : stats(4, 4, 2, 2)});
  }
  Two before;  // the event is recorded before the free: no order
  const workload::Event e = before.w.event("e");
  before.main.mallocAsync(before.a, before.s1).launch(before.k, before.s1).eventRecord(e, before.s1);
  before.main.freeAsync(before.a, before.s1).streamWaitEvent(before.s2, e).mallocAsync(before.b, before.s2);
  before.main.memPoolStats();
  CHECK(answers(before.run()) == std::vector<std::string>{stats(4, 4, 2, 2)});
}

TEST_CASE("C66 SO09: opportunistic: the free has been executed when the allocation is called") {
  for (const bool allowed : {true, false}) {
    for (const double wait : {4.0, 6.0}) {
      Two t;
      t.main.memPoolSetAttribute({}, PoolAttribute::kOpportunistic, allowed);
      t.use_a();
      t.main.compute_us(wait).mallocAsync(t.b, t.s2).memPoolStats();
      CHECK(answers(t.run()) ==
            std::vector<std::string>{allowed && wait > 5 ? stats(2, 2, 2, 2) : stats(4, 4, 2, 2)});
    }
  }
}

TEST_CASE("C66 SO10: an internal dependency when there is no more memory: a hidden wait") {
  for (const bool allowed : {true, false}) {
    Two t;
    const Pool p = t.w.pool("p", 2 * kMiB);
    t.main.memPoolSetAttribute(p, PoolAttribute::kInternalDependencies, allowed);
    t.use_a(p);
    t.main.mallocAsync(t.b, t.s2, p).launch(t.w.kernel_us("k2", 1), t.s2);
    const host::Result r = t.run();
    CHECK(errors(r) ==
          (allowed ? std::vector<std::string>{} : std::vector<std::string>{"cudaErrorMemoryAllocation"}));
    CHECK(in_stream(r, "s2", "k2").start == (allowed ? 5 : 0));
  }
}

TEST_CASE("SO03: pools of their own, with a size they keep to") {
  Two t;
  const Pool p = t.w.pool("p", 3 * kMiB);
  t.main.mallocAsync(t.a, t.s1, p).mallocAsync(t.b, t.s1, p).mallocAsync(t.b, t.s1);
  t.main.memPoolStats(p).memPoolStats();
  const host::Result r = t.run();
  CHECK(errors(r) == std::vector<std::string>{"cudaErrorMemoryAllocation"});
  CHECK(answers(r) == std::vector<std::string>{stats(2, 2, 2, 2), stats(2, 2, 2, 2)});
}

TEST_CASE("SO04 SO11: what is above the threshold goes back at the next synchronisation") {
  for (const uint64_t threshold : {uint64_t{0}, 2 * kMiB, 3 * kMiB, 4 * kMiB}) {
    Two t;
    t.main.memPoolSetAttribute({}, PoolAttribute::kReleaseThreshold, threshold);
    t.main.mallocAsync(t.a, t.s1).mallocAsync(t.b, t.s1).freeAsync(t.a, t.s1).freeAsync(t.b, t.s1);
    t.main.memPoolStats().streamSynchronize(t.s1).memPoolStats();
    const uint64_t left = threshold == 0 ? 0 : threshold == 2 * kMiB ? 2 : 4;
    CHECK(answers(t.run()) == std::vector<std::string>{stats(4, 4, 0, 4), stats(left, 4, 0, 4)});
  }
}

TEST_CASE("SO11: memory freed in a stream that was not synchronised with stays") {
  Two t;
  t.use_a();
  t.main.compute_us(10).streamSynchronize(t.s2).memPoolStats().deviceSynchronize().memPoolStats();
  CHECK(answers(t.run()) == std::vector<std::string>{stats(2, 2, 0, 2), stats(0, 2, 0, 2)});
}

TEST_CASE("C67 SO05: threshold UINT64_MAX keeps memory over synchronisations; trim gives it back") {
  Two t;
  t.main.memPoolSetAttribute({}, PoolAttribute::kReleaseThreshold, UINT64_MAX);
  t.main.repeat(10, [&](Thread& m) {
    m.mallocAsync(t.a, t.s1).mallocAsync(t.b, t.s1).launch(t.k, t.s1).freeAsync(t.a, t.s1).freeAsync(t.b,
                                                                                                     t.s1);
  });
  t.main.memPoolTrimTo({}, 0).memPoolStats();  // not synchronised: nothing may go
  t.main.streamSynchronize(t.s1).memPoolStats().memPoolTrimTo({}, kMiB).memPoolStats();
  t.main.memPoolTrimTo({}, 0).memPoolStats();
  const host::Result r = t.run();
  CHECK(answers(r) ==
        std::vector<std::string>{stats(4, 4, 0, 4), stats(4, 4, 0, 4), stats(2, 4, 0, 4), stats(0, 4, 0, 4)});
}

TEST_CASE("SO04: a pool's chunks cost calls of the operating system") {
  Two t;
  spec::GpuConfig g = plain_gpu();
  g.mutable_host()->mutable_memory()->set_pool_malloc_ns(1000);
  g.mutable_host()->mutable_memory()->set_pool_free_ns(500);
  g.mutable_host()->mutable_memory()->set_pool_grow_ns(30000);
  g.mutable_host()->mutable_memory()->set_pool_grow_chunk_ns(10000);
  g.mutable_host()->mutable_memory()->set_pool_shrink_chunk_ns(20000);
  // 1 + 30 for the first, 1 for the second, 0.5 for each free; 20 for the chunk that the synchronisation lets
  // go.
  t.main.mallocAsync(t.a, t.s1).freeAsync(t.a, t.s1).mallocAsync(t.b, t.s1).freeAsync(t.b, t.s1);
  t.main.streamSynchronize(t.s1).compute_us(1);
  const double expected = 31 + 0.5 + 1 + 0.5 + 20 + 1;
  CHECK(us(host::run(t.w.program(), g).thread_end[0]) == Approx(expected));
  // A chunk beside one that is in use costs what further ones do.
  t.main.mallocAsync(t.a, t.s1).mallocAsync(t.b, t.s1);
  CHECK(us(host::run(t.w.program(), g).thread_end[0]) == Approx(expected + 31 + 11));
}

TEST_CASE("SO06: used and reserved memory, high watermarks that can be reset") {
  Two t;
  t.main.memPoolSetAttribute({}, PoolAttribute::kReleaseThreshold, UINT64_MAX);
  t.main.mallocAsync(t.a, t.s1).mallocAsync(t.b, t.s1).freeAsync(t.b, t.s1).memPoolStats();
  t.main.memPoolResetHigh().memPoolStats();
  CHECK(answers(t.run()) == std::vector<std::string>{stats(4, 4, 2, 4), stats(4, 4, 2, 2)});
}

TEST_CASE("SO01: cudaFree of a pool's memory does not wait, cudaFreeAsync takes cudaMalloc's") {
  Two t;
  t.main.mallocAsync(t.a, t.s1).launch(t.k, t.s1).free(t.a).malloc(t.b).freeAsync(t.b, t.s1).freeAsync(t.b,
                                                                                                       t.s1);
  const host::Result r = t.run();
  CHECK(us(r.thread_end[0]) == 0);
  CHECK(errors(r) == std::vector<std::string>{"cudaErrorInvalidValue"});
}

}  // namespace
TEST_CASE("SO12: a pool's access decides, whether peer access is enabled or not") {
  const auto run = [](bool peer_access, bool pool_access) {
    workload::Builder w(2);
    w.program().peer_access = peer_access;
    const auto d = w.later("d", host::Memory::kDevice, 8000, 0);
    const auto s = w.stream("s", true), t = w.stream("t", true, 0, 1);
    const auto k = w.kernel_us("k", 1);
    w.program().kernels[k.id].accesses = {workload::reads(d)};
    auto& main = w.thread("main");
    if (pool_access) {
      main.memPoolSetAccess({}, 1);
    }
    main.mallocAsync(d, s).streamSynchronize(s).setDevice(1).launch(k, t).deviceSynchronize();
    return errors(host::run(w.program(), plain_gpu()));
  };
  const std::vector<std::string> no = {"cudaErrorIllegalAddress"};
  CHECK(run(true, false) == no);
  CHECK(run(false, false) == no);
  CHECK(run(true, true).empty());
  CHECK(run(false, true).empty());
}

}  // namespace heddle::hosttest
