// What the host part of a suite (traces/h200/*.cu, changed by host_part.py) needs of CUDA: its kernels are
// executed by the simulator, from PTX.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "sim/exec/arith/fast_float.h"
#include "sim/exec/launch.h"

namespace heddle::oracle {

using u32 = unsigned;
using u64 = unsigned long long;
struct float2 {
  float x, y;
};
struct float3 {
  float x, y, z;
};
struct float4 {
  float x, y, z, w;
};
struct half {
  uint16_t bits;
};
struct half2 {
  half x, y;
};
struct dim3 {
  u32 x = 1, y = 1, z = 1;
  dim3(u32 a, u32 b = 1, u32 c = 1) : x(a), y(b), z(c) {}
};

inline half __float2half(float x) {  // NOLINT(bugprone-reserved-identifier): CUDA's name
  return {static_cast<uint16_t>(exec::arith::double_to_half<exec::arith::kF16Format>(double{x}))};
}

// A kernel with its size; called with its arguments it is executed.
class Call {
 public:
  Call(std::string entry, dim3 grid, dim3 block) : entry_(std::move(entry)), grid_(grid), block_(block) {}

  template <class... T>
  void operator()(const T&... arguments) const {
    run({bits(arguments)...});
  }
  // As cudaLaunchKernel takes them: one address for each.
  void list(void** arguments) const;

 private:
  struct Value {
    uint64_t bits = 0;
    size_t bytes = 0;  // 0: those of the parameter
    const void* at = nullptr;
  };
  template <class T>
  static Value bits(const T& x) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(uint64_t));
    Value v = {0, sizeof(T)};
    std::memcpy(&v.bits, &x, sizeof(T));
    return v;
  }
  void run(std::vector<Value> values) const;
  void run_code(const std::vector<Value>& values) const;  // machine code instead of PTX

  std::string entry_;
  dim3 grid_, block_;
};

class Suite {
 public:
  char* begin(size_t bytes);             // memory of so many zeros, at its device address
  void buffer(size_t at, size_t bytes);  // the program uses these bytes of it
  void end(const char* kernel);          // prints what is in the buffers now
  // `name` and its template argument, or nothing.
  Call launch(const char* name, const char* argument, dim3 grid, dim3 block);
  int constant(const std::string& name, const void* data, size_t bytes);
};
extern Suite suite;

enum Direction { cudaMemcpyHostToDevice };
int cudaMemcpy(void* to, const void* from, size_t bytes, Direction direction);
int cudaMemset(void* to, int value, size_t bytes);
inline int cudaGetLastError() { return 0; }
inline int cudaDeviceSynchronize() { return 0; }
// Errors are exceptions.
template <class T>
void CK(T /*status*/) {}

}  // namespace heddle::oracle

int suite_main(int argc, char** argv);
