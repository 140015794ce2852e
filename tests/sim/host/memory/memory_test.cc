// Device memory: cuda-model B6 and what cudaMalloc and cudaFree return. The device has 1 GiB in chunks of 2
// MiB.
#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using host::Memory;
using workload::Buffer;
using workload::Builder;
using workload::Thread;

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kTotal = 1024 * kMiB;

std::string free_mib(uint64_t used_mib) {
  return "free " + std::to_string(kTotal - used_mib * kMiB) + " total " + std::to_string(kTotal);
}

TEST_CASE("B6: small allocations share a chunk, which goes back with the last of them") {
  Builder w;
  const Buffer a = w.later("a", Memory::kDevice, kMiB), b = w.later("b", Memory::kDevice, kMiB),
               c = w.later("c", Memory::kDevice, 100);
  w.thread("main")
      .malloc(a)
      .memGetInfo()
      .malloc(b)
      .memGetInfo()
      .malloc(c)
      .memGetInfo()
      .free(a)
      .memGetInfo()
      .free(b)
      .memGetInfo()
      .free(c)
      .memGetInfo();
  const host::Result r = host::run(w.program(), plain_gpu());
  CHECK(answers(r) == std::vector<std::string>{free_mib(2), free_mib(2), free_mib(4), free_mib(4),
                                               free_mib(2), free_mib(0)});
  CHECK(r.errors.empty());
}

TEST_CASE("memory that is cut from a chunk, or leaves others in it, costs the calls less") {
  spec::GpuConfig g = plain_gpu();
  spec::CallCosts& c = *g.mutable_host()->mutable_calls();
  c.set_malloc_ns(1000);
  c.set_malloc_cut_ns(10);
  c.set_free_ns(700);
  c.set_free_cut_ns(7);
  c.set_malloc_host_ns(50000);
  c.set_malloc_host_cut_ns(30);
  c.set_free_host_ns(20000);
  c.set_free_host_ns_per_mib(1000);
  c.set_free_host_cut_ns(2);
  const auto took = [&](Memory memory, const std::vector<uint64_t>& sizes, bool frees) {
    Builder w;
    auto& t = w.thread("main");
    std::vector<Buffer> all;
    for (const uint64_t bytes : sizes) {
      all.push_back(w.later("b" + std::to_string(all.size()), memory, bytes));
      t.malloc(all.back());
    }
    for (const Buffer& b : frees ? all : std::vector<Buffer>{}) {
      t.free(b);
    }
    return host::run(w.program(), g).thread_end[0].count() / 1000;
  };
  const uint64_t half = kMiB / 2;
  CHECK(took(Memory::kDevice, {half, half, half, half, half}, false) == 2 * 1000 + 3 * 10);
  CHECK(took(Memory::kDevice, {2 * kMiB, 2 * kMiB}, false) == 2 * 1000);
  CHECK(took(Memory::kDevice, {half, half, half}, true) == 1000 + 2 * 10 + 2 * 7 + 700);
  CHECK(took(Memory::kPinned, {kMiB, kMiB, kMiB}, false) == 2 * 50000 + 30);
  CHECK(took(Memory::kPinned, {kMiB, kMiB}, true) == 50000 + 30 + 2 + 20000 + 1000);
}

TEST_CASE("B6: sizes are rounded up to the alignment; a hole takes what fits") {
  // 2 MiB less 512 bytes, and 1 byte which takes the 512. Then a hole of 1 MiB is too small for 1.5 MiB.
  Builder w;
  const Buffer big = w.later("big", Memory::kDevice, 2 * kMiB - 512),
               one = w.later("one", Memory::kDevice, 1), a = w.later("a", Memory::kDevice, kMiB),
               b = w.later("b", Memory::kDevice, kMiB), c = w.later("c", Memory::kDevice, 3 * kMiB / 2),
               d = w.later("d", Memory::kDevice, kMiB);
  w.thread("main").malloc(big).malloc(one).memGetInfo();
  w.thread("other").compute_us(1).malloc(a).malloc(b).free(a).malloc(c).memGetInfo().malloc(d).memGetInfo();
  CHECK(answers(host::run(w.program(), plain_gpu())) ==
        std::vector<std::string>{free_mib(2), free_mib(6), free_mib(6)});
}

TEST_CASE("capacity: cudaErrorMemoryAllocation, and the call that caused it") {
  Builder w;
  const Buffer all = w.later("all", Memory::kDevice, kTotal), more = w.later("more", Memory::kDevice, 1),
               most = w.later("most", Memory::kDevice, UINT64_MAX);
  w.thread("main").malloc(most).malloc(all).malloc(more).free(all).malloc(more);
  const host::Result r = host::run(w.program(), plain_gpu());
  REQUIRE(errors(r) == std::vector<std::string>{"cudaErrorMemoryAllocation", "cudaErrorMemoryAllocation"});
  CHECK(r.errors[1].api == "cudaMalloc");
  CHECK(r.errors[1].call == 2);
  CHECK(r.errors[1].why == "1 bytes for more, 0 free on device 0");
}

TEST_CASE("buffers that are there from the start take their memory, each device its own") {
  Builder w(2);
  w.device("a", 3 * kMiB, 1);
  w.thread("main").memGetInfo().setDevice(1).memGetInfo();
  CHECK(answers(host::run(w.program(), plain_gpu())) == std::vector<std::string>{free_mib(0), free_mib(4)});
  w.device("b", kTotal, 1);
  CHECK_THROWS_WITH(host::run(w.program(), plain_gpu()),
                    Catch::Matchers::StartsWith("buffer b: 1073741824 bytes"));
}

TEST_CASE("cudaFree: null is nothing, twice and the wrong kind are errors") {
  Builder w;
  const Buffer never = w.later("never", Memory::kDevice, 1), d = w.later("d", Memory::kDevice, 1),
               h = w.pinned("h", 1), p = w.pageable("p", 1);
  Thread& t = w.thread("main");
  t.free(never).malloc(d).free(d).free(d).free(p).free(h).free(h);
  const host::Result r = host::run(w.program(), plain_gpu());
  std::vector<std::string> why;
  for (const host::CallError& e : r.errors) {
    CHECK(e.error == "cudaErrorInvalidValue");
    why.push_back(e.api + ": " + e.why);
  }
  CHECK(why == std::vector<std::string>{"cudaFree: d is freed already",
                                        "cudaFreeHost: p is not CUDA's memory",
                                        "cudaFreeHost: h is freed already"});
}

TEST_CASE("copies and memsets of memory that is not allocated: cudaErrorInvalidValue") {
  Builder w;
  const Buffer d = w.later("d", Memory::kDevice, 8000), h = w.pinned("h", 8000);
  w.thread("main").memcpyAsync(d, h).malloc(d).memcpyAsync(d, h).free(d).memcpyAsync(h, d).memset(d);
  CHECK(errors(host::run(w.program(), plain_gpu())) == std::vector<std::string>(3, "cudaErrorInvalidValue"));
  Builder beyond;
  const Buffer b = beyond.device("b", 8000), g = beyond.pinned("g", 8000);
  beyond.thread("main").memcpyAsync(b, g, {}, 4000).at(4000, 4000).memcpyAsync(b, g, {}, 4000).at(4001, 0);
  CHECK(errors(host::run(beyond.program(), plain_gpu())) ==
        std::vector<std::string>{"cudaErrorInvalidValue"});
}

TEST_CASE("ST15: cudaFree waits for the device, cudaMalloc does not") {
  Builder w;
  const Buffer d = w.later("d", Memory::kDevice, 8000);
  w.thread("main").launch(w.kernel_us("k", 5)).malloc(d);
  CHECK(us(host::run(w.program(), plain_gpu()).thread_end[0]) == 0);
  w.thread("second").compute_us(1).free(d);
  CHECK(us(host::run(w.program(), plain_gpu()).thread_end[1]) == 5);
}

}  // namespace
}  // namespace heddle::hosttest
