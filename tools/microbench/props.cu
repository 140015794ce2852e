// P. What the driver says of the GPU, as rows. With an argument "ncu" only a kernel for clock and unit counters runs (run.py
// profiles it: elapsed cycles per second are clocks, their sum over their average is the number of units).
#include "mb.h"

__global__ void k_busy(const u32* p, size_t n, u32* out) {
  u32 s = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (size_t)blockDim.x) {
    s += p[i];
  }
  if (s == 12345) {
    *out = s;
  }
}

static void attribute(const char* name, cudaDeviceAttr a, const char* unit, double scale = 1) {
  int v = 0;
  if (cudaDeviceGetAttribute(&v, a, 0) == cudaSuccess) {
    rec("P", name, v * scale, unit, "cudaDeviceGetAttribute", "driver");
  } else {
    cudaGetLastError();
  }
}

// rec() prints six digits.
static void bytes(const char* name, unsigned long long v) {
  printf("CSV,P,%s,%llu,B,cudaGetDeviceProperties,driver,1,0\n", name, v);
}

int main(int c, char** v) {
  if (c > 1 && !strcmp(v[1], "ncu")) {
    size_t n = (size_t)256 << 20;
    u32* p = dmalloc<u32>(n);
    u32* o = dmalloc<u32>(1);
    k_busy<<<nsm() * 8, 256>>>(p, n, o);
    sync();
    return 0;
  }
  cudaDeviceProp q;
  CK(cudaGetDeviceProperties(&q, 0));
  printf("CSV,P,name,0,,%s,driver,1,0\n", q.name);
  rec("P", "compute_capability", q.major * 10 + q.minor, "", "cudaGetDeviceProperties", "driver");
  bytes("memory_bytes", q.totalGlobalMem);
  bytes("l2_bytes", q.l2CacheSize);
  bytes("persisting_l2_bytes", q.persistingL2CacheMaxSize);
  attribute("sm_count", cudaDevAttrMultiProcessorCount, "SMs");
  attribute("sm_clock_max", cudaDevAttrClockRate, "MHz", 1e-3);
  attribute("memory_clock_max", cudaDevAttrMemoryClockRate, "MHz", 1e-3);
  attribute("memory_bus_bits", cudaDevAttrGlobalMemoryBusWidth, "bit");
  attribute("reserved_shared_bytes_per_block", cudaDevAttrReservedSharedMemoryPerBlock, "B");
  return 0;
}
