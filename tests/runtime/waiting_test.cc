// Kernels that wait for each other and for the host, timed and not.
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "tests/runtime/waits_code.h"
#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"

using namespace heddle;           // the declarations are in their words
using namespace heddle::runtime;  // likewise

#include "tests/runtime/api_declarations.inc"  // NOLINT(bugprone-reserved-identifier): CUDA's names

namespace {

constexpr int32_t kSuccess = 0, kLaunchFailure = 719, kNotReady = 600;

// waits(int* p): until *p is not 0, then p[1] = *p + 1. tells(int* p): *p = 7.
const std::string kCode = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry tells(.param .u64 p) {
  .reg .u64 %a;
  ld.param.u64 %a, [p];
  st.volatile.global.u32 [%a], 7;
  ret;
}
)" + runtimetest::kWaits;

class Program {
 public:
  explicit Program(bool functional) {
    setenv("HEDDLE_FUNCTIONAL", functional ? "1" : "0", 1);
    setenv("HEDDLE_QUIET", "1", 1);
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);  // a kernel is not loaded while another one runs
    Session::get().begin_again();
    cudaSetDevice(0);
    REQUIRE(cuModuleLoadData(&module_, kCode.c_str()) == kSuccess);
    REQUIRE(cudaMallocHost(&flag_, 64) == kSuccess);
    flag()[0] = flag()[1] = 0;
    for (void*& s : streams) {
      REQUIRE(cudaStreamCreateWithFlags(&s, 1) == kSuccess);
    }
  }
  std::atomic<int32_t>* flag() { return static_cast<std::atomic<int32_t>*>(flag_); }
  int32_t launch(const char* name, void* stream) {
    void* function = nullptr;
    REQUIRE(cuModuleGetFunction(&function, module_, name) == kSuccess);
    void* arguments[] = {&flag_};
    return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr);
  }
  void* streams[2] = {};

 private:
  void* module_ = nullptr;
  void* flag_ = nullptr;
};

}  // namespace

TEST_CASE("a kernel waits for another stream's, which comes later") {
  for (const bool functional : {true, false}) {
    CAPTURE(functional);
    Program p(functional);
    REQUIRE(p.launch("waits", p.streams[0]) == kSuccess);
    REQUIRE(p.launch("tells", p.streams[1]) == kSuccess);
    CHECK(cudaDeviceSynchronize() == kSuccess);
    CHECK(p.flag()[1] == 8);
  }
}

TEST_CASE("a kernel waits for the host, which looks at its event meanwhile") {
  for (const bool functional : {true, false}) {
    CAPTURE(functional);
    Program p(functional);
    REQUIRE(p.launch("waits", p.streams[0]) == kSuccess);
    for (int i = 0; i < 100; ++i) {
      CHECK(cudaStreamQuery(p.streams[0]) == kNotReady);
    }
    p.flag()[0] = 3;
    CHECK(cudaStreamSynchronize(p.streams[0]) == kSuccess);
    CHECK(p.flag()[1] == 4);
  }
}

TEST_CASE("a kernel waits for a function of the host's, in another stream") {
  for (const bool functional : {true, false}) {
    CAPTURE(functional);
    Program p(functional);
    REQUIRE(p.launch("waits", p.streams[0]) == kSuccess);
    const auto f = [](void* flag) { static_cast<std::atomic<int32_t>*>(flag)[0] = 5; };
    REQUIRE(cudaLaunchHostFunc(p.streams[1], f, p.flag()) == kSuccess);
    CHECK(cudaDeviceSynchronize() == kSuccess);
    CHECK(p.flag()[1] == 6);
  }
}

TEST_CASE("what nobody will do is not waited for: the kernel fails") {
  for (const bool functional : {true, false}) {
    CAPTURE(functional);
    Program p(functional);
    REQUIRE(p.launch("waits", p.streams[0]) == kSuccess);
    CHECK(cudaDeviceSynchronize() == kLaunchFailure);
  }
}
