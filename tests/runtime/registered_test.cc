// Code that a program brings with it, as nvcc's start-up code registers it.
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>

#include "tools/runtime/abi.h"
#include "tools/runtime/session.h"

// NOLINTBEGIN(bugprone-reserved-identifier): CUDA's names
extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** binary);
void __cudaRegisterFunction(void** binary, const char* host, char* device, const char* name, int thread_limit,
                            void* tid, void* bid, void* bdim, void* gdim, int* warp_size);
void __cudaRegisterVar(void** binary, char* host, char* device, const char* name, int ext, size_t size,
                       int constant, int global);
int32_t cudaDeviceReset();
int32_t cudaMalloc(void** memory, size_t bytes);
int32_t cudaMemcpy(void* to, const void* from, size_t bytes, int32_t kind);
int32_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset, int32_t kind);
int32_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset, int32_t kind);
int32_t cudaLaunchKernel(const void* kernel, heddle::abi::Dim3 grid, heddle::abi::Dim3 block,
                         void** arguments, size_t shared, void* stream);
}
// NOLINTEND(bugprone-reserved-identifier)

namespace heddle::runtime {
namespace {

// count(out): out[0] = ++word; out[1] = limit. which(out): the launch's number.
constexpr const char* kCode = R"(.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .u32 word = 5;
.visible .const .align 4 .u32 limit = 7;
.visible .entry count(.param .u64 out) {
  .reg .u64 %a; .reg .u32 %v;
  ld.param.u64 %a, [out];
  ld.global.u32 %v, [word]; add.u32 %v, %v, 1; st.global.u32 [word], %v; st.global.u32 [%a], %v;
  ld.const.u32 %v, [limit]; st.global.u32 [%a+4], %v; ret;
}
.visible .entry which(.param .u64 out) {
  .reg .u64 %a, %g;
  ld.param.u64 %a, [out]; mov.u64 %g, %gridid; st.global.u64 [%a], %g; ret;
}
)";

// A program that has begun.
class Program {
 public:
  Program() {
    setenv("HEDDLE_FUNCTIONAL", "1", 1);
    setenv("HEDDLE_QUIET", "1", 1);
    Session::get().begin_again();
    void** const binary = __cudaRegisterFatBinary(&wrapper_);
    for (char* const kernel : {&count, &which}) {
      __cudaRegisterFunction(binary, kernel, nullptr, kernel == &count ? "count" : "which", -1, nullptr,
                             nullptr, nullptr, nullptr, nullptr);
    }
    __cudaRegisterVar(binary, &word, nullptr, "word", 0, 4, 0, 0);
    __cudaRegisterVar(binary, &limit, nullptr, "limit", 0, 4, 1, 0);
    __cudaRegisterFatBinaryEnd(binary);
  }

  // What a kernel of one thread puts into memory that it is given.
  template <class T>
  T run(const char& kernel) {
    void* memory = nullptr;
    REQUIRE(cudaMalloc(&memory, sizeof(T)) == 0);
    void* arguments[] = {&memory};
    REQUIRE(cudaLaunchKernel(&kernel, {1, 1, 1}, {1, 1, 1}, arguments, 0, nullptr) == 0);
    T out{};
    REQUIRE(cudaMemcpy(&out, memory, sizeof(T), 2) == 0);
    return out;
  }
  static uint32_t value(const char& variable) {
    uint32_t out = 0;
    REQUIRE(cudaMemcpyFromSymbol(&out, &variable, 4, 0, 2) == 0);
    return out;
  }

  char count = 0, which = 0, word = 0, limit = 0;  // stand for what is registered

 private:
  struct {
    uint32_t magic = 0x466243b1, version = 1;
    const void* data = kCode;
    void* other = nullptr;
  } wrapper_;
};

struct Words {
  uint32_t word, limit;
};

TEST_CASE("a reset: variables of the program's own have their first values, and count on from these") {
  Program p;
  Words w = p.run<Words>(p.count);
  CHECK(w.word == 6);
  CHECK(w.limit == 7);
  const uint32_t nine = 9;
  REQUIRE(cudaMemcpyToSymbol(&p.limit, &nine, 4, 0, 1) == 0);
  w = p.run<Words>(p.count);
  CHECK(w.word == 7);
  CHECK(w.limit == 9);
  CHECK(Program::value(p.word) == 7);
  CHECK(cudaDeviceReset() == 0);
  CHECK(Program::value(p.word) == 5);
  CHECK(Program::value(p.limit) == 7);
  w = p.run<Words>(p.count);
  CHECK(w.word == 6);
  CHECK(w.limit == 7);
}

TEST_CASE("two launches of a program have two numbers") {
  Program p;
  const auto first = p.run<uint64_t>(p.which), second = p.run<uint64_t>(p.which);
  CHECK(first != second);
  static_cast<void>(p.run<Words>(p.count));
  const auto last = p.run<uint64_t>(p.which);
  CHECK(last != first);
  CHECK(last != second);
}

}  // namespace
}  // namespace heddle::runtime
