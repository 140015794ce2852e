// Unified memory of a program: kernels wait for its pages, and so do the program's own instructions.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "tests/runtime/waits_code.h"
#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"
#include "tools/runtime/touches.h"

using namespace heddle;           // the declarations are in their words
using namespace heddle::runtime;  // likewise

#include "tests/runtime/api_declarations.inc"  // NOLINT(bugprone-reserved-identifier): CUDA's names

namespace {

constexpr int32_t kSuccess = 0;
constexpr uint64_t kPage = 65536;

// adds(int* p, u32 stride): thread i of blocks of one adds 1 to p[i * stride / 4].
// waits(int* p): until *p is not 0, then p[1] = *p + 1.
const std::string kCode = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry adds(.param .u64 p, .param .u32 n) {
  .reg .u64 %a, %b;
  .reg .u32 %v, %i;
  ld.param.u64 %a, [p];
  ld.param.u32 %i, [n];
  mov.u32 %v, %ctaid.x;
  mul.wide.u32 %b, %v, %i;
  add.u64 %a, %a, %b;
  ld.global.u32 %v, [%a];
  add.u32 %v, %v, 1;
  st.global.u32 [%a], %v;
  ret;
}
)" + runtimetest::kWaits;

class Program {
 public:
  explicit Program(uint64_t bytes) : bytes(bytes) {
    setenv("HEDDLE_FUNCTIONAL", "0", 1);
    setenv("HEDDLE_QUIET", "1", 1);
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    Session::get().begin_again();
    cudaSetDevice(0);
    REQUIRE(cuModuleLoadData(&module_, kCode.c_str()) == kSuccess);
    void* p = nullptr;
    REQUIRE(cudaMallocManaged(&p, bytes, 1) == kSuccess);
    memory = static_cast<volatile uint32_t*>(p);
  }
  ~Program() { CHECK(cudaFree(pointer()) == kSuccess); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void* pointer() const { return const_cast<uint32_t*>(memory); }
  void launch(const char* name, uint32_t blocks, uint32_t stride) const {
    void* function = nullptr;
    REQUIRE(cuModuleGetFunction(&function, module_, name) == kSuccess);
    void* at = pointer();
    void* parameters[] = {&at, &stride};
    REQUIRE(cuLaunchKernel(function, blocks, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr) == kSuccess);
  }
  // ns of a launch that is waited for.
  uint64_t time(const char* name, uint32_t blocks, uint32_t stride) const {
    const uint64_t before = Session::get().host_ns();
    launch(name, blocks, stride);
    REQUIRE(cudaDeviceSynchronize() == kSuccess);
    return Session::get().host_ns() - before;
  }
  template <class F>
  uint64_t host_time(F&& f) const {
    const uint64_t before = Session::get().host_ns();
    f();
    return Session::get().host_ns() - before;
  }

  const uint64_t bytes;
  volatile uint32_t* memory = nullptr;

 private:
  void* module_ = nullptr;
};

}  // namespace

TEST_CASE("a kernel waits for pages that the host has, and not for those that are there") {
  Program p(4 << 20);
  for (uint64_t i = 0; i < p.bytes; i += kPage) {
    p.memory[i / 4] = 5;
  }
  const uint64_t cold = p.time("adds", 64, kPage), warm = p.time("adds", 64, kPage);
  // An H200 takes 280 to 400 us for the first, 15 for the second (traces/h200/managed_*.csv, scatter_us).
  CHECK(cold > 200'000);
  CHECK(cold < 500'000);
  CHECK(warm < 20'000);
  // The host takes them back: 590 to 700 us.
  const uint64_t back = p.host_time([&] {
    for (uint64_t i = 0; i < p.bytes; i += kPage) {
      CHECK(p.memory[i / 4] == 7);
    }
  });
  CHECK(back > 450'000);
  CHECK(back < 800'000);
  CHECK(p.host_time([&] { CHECK(p.memory[kPage / 4] == 7); }) == 0);
  CHECK(p.time("adds", 64, kPage) > 200'000);
}

TEST_CASE("pages that a kernel touches first are the device's without a move") {
  const auto time_of = [](bool hosts) {
    const Program p(16 << 20);
    for (uint64_t i = 0; hosts && i < p.bytes; i += kPage) {
      p.memory[i / 4] = 0;
    }
    const uint64_t time = p.time("adds", 64, 256 << 10);
    CHECK(p.memory[0] == 1);
    CHECK(p.memory[(256 << 10) / 4 * 63] == 1);
    return time;
  };
  const uint64_t fresh = time_of(false), moved = time_of(true);
  CHECK(fresh > 100'000);
  CHECK(moved > fresh + 50'000);
}

TEST_CASE("a prefetch saves the faults, on both sides") {
  Program p(4 << 20);
  p.memory[0] = 1;
  REQUIRE(cudaMemPrefetchAsync(p.pointer(), p.bytes, {1, 0}, 0, nullptr) == kSuccess);
  REQUIRE(cudaDeviceSynchronize() == kSuccess);
  CHECK(p.time("adds", 64, kPage) < 20'000);
  REQUIRE(cudaMemPrefetchAsync(p.pointer(), p.bytes, {2, 0}, 0, nullptr) == kSuccess);
  REQUIRE(cudaDeviceSynchronize() == kSuccess);
  CHECK(p.host_time([&] { CHECK(p.memory[0] == 2); }) < 1000);
}

TEST_CASE("a flag in unified memory: the kernel waits for the host, whose page it takes again and again") {
  Program p(64);
  p.memory[0] = 0;
  p.launch("waits", 1, 0);
  p.memory[0] = 7;
  CHECK(cudaDeviceSynchronize() == kSuccess);
  CHECK(p.memory[1] == 8);
}

TEST_CASE("read-mostly pages stay the host's when a kernel reads them, until it writes") {
  Program p(kPage);
  p.memory[0] = 3;
  REQUIRE(cudaMemAdvise(p.pointer(), kPage, 1, {1, 0}) == kSuccess);
  p.memory[1] = 1;
  REQUIRE(cudaMemPrefetchAsync(p.pointer(), p.bytes, {1, 0}, 0, nullptr) == kSuccess);
  REQUIRE(cudaDeviceSynchronize() == kSuccess);
  CHECK(p.host_time([&] { CHECK(p.memory[0] == 3); }) < 2000);
  p.memory[0] = 4;  // takes the device's copy away
  CHECK(p.time("adds", 1, 0) > 40'000);
  CHECK(p.memory[0] == 5);
}

TEST_CASE("what the system reads for the program") {
  Program p(kPage);
  p.launch("adds", 1, 0);
  REQUIRE(cudaDeviceSynchronize() == kSuccess);
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  CHECK(write(ends[1], p.pointer(), 4) == -1);  // the preloaded library would say:
  touch(p.pointer(), 4, false);
  CHECK(write(ends[1], p.pointer(), 4) == 4);
  uint32_t got = 0;
  CHECK(read(ends[0], &got, sizeof got) == 4);
  CHECK(got == 1);
  close(ends[0]);
  close(ends[1]);
}

TEST_CASE("each run takes the same time") {
  uint64_t first = 0;
  for (int i = 0; i < 3; ++i) {
    Program p(2 << 20);
    for (uint64_t k = 0; k < p.bytes; k += 4096) {
      p.memory[k / 4] = static_cast<uint32_t>(k);
    }
    const uint64_t t = p.time("adds", 512, 4096);
    CHECK((i == 0 || t == first));
    first = t;
    CHECK(p.memory[1024] == 4097);
  }
}
