// Asks a GPU's special-function unit about all inputs.
//
// usage: tables FOLDER
//
// Writes FOLDER/digests.txt (a line for each approximation: its name and 4096 sums over 2^20 inputs each) and, for those
// whose bits no model has, raw results: halves.bin (65536 results of two bytes for each of ex2.f16, tanh.f16, ex2.ftz.bf16,
// tanh.bf16), tanh.bin (f32: exponents -14 to 4, 65536 fractions each), rcp64h.bin and rsqrt64h.bin (upper words for upper
// words of [1, 2) and [1, 4)).
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace {

void check(int error, const char* what) {
  if (error != 0) {
    std::fprintf(stderr, "%s: error %d\n", what, error);
    std::exit(1);
  }
}

template <class T>
void save(const std::string& path, const std::vector<T>& v) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(v.data()), static_cast<std::streamsize>(v.size() * sizeof(T)));
}

// HEDDLE_UNARY(name, instruction): a function of 32 bits. f32 operands are bits, too.
#define HEDDLE_UNARY(name, text)                \
  struct name {                                 \
    [[maybe_unused]] static constexpr const char* kText = text; \
    static __device__ uint32_t of(uint32_t x) { \
      uint32_t r;                               \
      asm("{.reg .f32 a; .reg .f32 b; mov.b32 a, %1; " text " b, a; mov.b32 %0, b;}" : "=r"(r) : "r"(x)); \
      return r;                                 \
    }                                           \
  };
#define HEDDLE_PACKED(name, text)                          \
  struct name {                                            \
    [[maybe_unused]] static constexpr const char* kText = text; \
    static __device__ uint32_t of(uint32_t x) {            \
      uint32_t r;                                          \
      asm(text " %0, %1;" : "=r"(r) : "r"(x));             \
      return r;                                            \
    }                                                      \
  };
HEDDLE_UNARY(Rcp, "rcp.approx.f32")
HEDDLE_UNARY(RcpFtz, "rcp.approx.ftz.f32")
HEDDLE_UNARY(Sqrt, "sqrt.approx.f32")
HEDDLE_UNARY(SqrtFtz, "sqrt.approx.ftz.f32")
HEDDLE_UNARY(Rsqrt, "rsqrt.approx.f32")
HEDDLE_UNARY(RsqrtFtz, "rsqrt.approx.ftz.f32")
HEDDLE_UNARY(Sin, "sin.approx.f32")
HEDDLE_UNARY(SinFtz, "sin.approx.ftz.f32")
HEDDLE_UNARY(Cos, "cos.approx.f32")
HEDDLE_UNARY(CosFtz, "cos.approx.ftz.f32")
HEDDLE_UNARY(Lg2, "lg2.approx.f32")
HEDDLE_UNARY(Lg2Ftz, "lg2.approx.ftz.f32")
HEDDLE_UNARY(Ex2, "ex2.approx.f32")
HEDDLE_UNARY(Ex2Ftz, "ex2.approx.ftz.f32")
HEDDLE_UNARY(Tanh, "tanh.approx.f32")
HEDDLE_PACKED(Ex2Half, "ex2.approx.f16x2")
HEDDLE_PACKED(TanhHalf, "tanh.approx.f16x2")
HEDDLE_PACKED(Ex2Bf16, "ex2.approx.ftz.bf16x2")
HEDDLE_PACKED(TanhBf16, "tanh.approx.bf16x2")
#undef HEDDLE_UNARY
#undef HEDDLE_PACKED

// Of one input and its result; they are summed, in any order.
__device__ uint64_t mixed(uint32_t x, uint32_t y) {
  uint64_t h = (uint64_t{x} << 32 | y) * 0x9e3779b97f4a7c15;
  h ^= h >> 29;
  h *= 0xbf58476d1ce4e5b9;
  return h ^ h >> 32;
}

// Block b: the inputs from b << 20 on.
template <class F>
__global__ void digest(unsigned long long* sums) {
  uint64_t sum = 0;
  for (uint32_t i = threadIdx.x; i < 1U << 20; i += blockDim.x) {
    const uint32_t x = blockIdx.x << 20 | i;
    sum += mixed(x, F::of(x));
  }
  atomicAdd(sums + blockIdx.x, static_cast<unsigned long long>(sum));
}

// out[i] = F(first + i * step)
template <class F>
__global__ void dump(uint32_t* out, uint32_t first, uint32_t step) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = F::of(first + i * step);
}

template <bool kRoot>
__global__ void upper(uint32_t* out, uint32_t first) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  const double x = __hiloint2double(static_cast<int>(first + i), 0);
  double r;
  if (kRoot) {
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  } else {
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  }
  out[i] = static_cast<uint32_t>(__double2hiint(r));
}

template <class F>
void write_digest(std::ofstream& out) {
  unsigned long long* sums = nullptr;
  check(cudaMalloc(&sums, 4096 * 8), "cudaMalloc");
  check(cudaMemset(sums, 0, 4096 * 8), "cudaMemset");
  digest<F><<<4096, 256>>>(sums);
  std::vector<unsigned long long> host(4096);
  check(cudaMemcpy(host.data(), sums, 4096 * 8, cudaMemcpyDeviceToHost), "digest");
  out << F::kText << std::hex;
  for (const auto s : host) {
    out << ' ' << s;
  }
  out << std::dec << '\n';
  cudaFree(sums);
}

template <class Launch>
std::vector<uint32_t> fetch(size_t count, Launch launch) {
  uint32_t* out = nullptr;
  check(cudaMalloc(&out, count * 4), "cudaMalloc");
  launch(out);
  std::vector<uint32_t> host(count);
  check(cudaMemcpy(host.data(), out, count * 4, cudaMemcpyDeviceToHost), "dump");
  cudaFree(out);
  return host;
}

template <class F>
void add_halves(std::vector<uint16_t>& to) {
  for (const uint32_t r : fetch(65536, [](uint32_t* out) { dump<F><<<256, 256>>>(out, 0, 1); })) {
    to.push_back(static_cast<uint16_t>(r));
  }
}

template <class... F>
void digests(const std::string& path) {
  std::ofstream out(path);
  (write_digest<F>(out), ...);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: tables FOLDER\n");
    return 2;
  }
  const std::string folder = argv[1];
  digests<Rcp, RcpFtz, Sqrt, SqrtFtz, Rsqrt, RsqrtFtz, Sin, SinFtz, Cos, CosFtz, Lg2, Lg2Ftz, Ex2, Ex2Ftz, Tanh>(
      folder + "/digests.txt");
  std::vector<uint16_t> halves;
  add_halves<Ex2Half>(halves);
  add_halves<TanhHalf>(halves);
  add_halves<Ex2Bf16>(halves);
  add_halves<TanhBf16>(halves);
  save(folder + "/halves.bin", halves);
  // 19 exponents of 65536 fractions: every 128th number from 2^-14 on.
  save(folder + "/tanh.bin", fetch(19 << 16, [](uint32_t* out) {
         dump<Tanh><<<19 << 8, 256>>>(out, (127U - 14) << 23, 128);
       }));
  save(folder + "/rcp64h.bin",
       fetch(1 << 20, [](uint32_t* out) { upper<false><<<1 << 12, 256>>>(out, 1023U << 20); }));
  save(folder + "/rsqrt64h.bin",
       fetch(2 << 20, [](uint32_t* out) { upper<true><<<2 << 12, 256>>>(out, 1023U << 20); }));
  return 0;
}
