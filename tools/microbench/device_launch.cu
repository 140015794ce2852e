// What kernels cost that are launched by kernels, and how many there may be; when a first launch waits for
// the device (lazy loading). `device_launch PART` prints rows test,parameter,value,unit.
#include <cuda_runtime.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "host_timing.h"
// ---- dynamic parallelism
__global__ void nop() {}
__global__ void spin(long long c) {
  long long t = clock64();
  while (clock64() - t < c)
    ;
}
__global__ void parent(int n, int how, long long* out, long long c) {
  if (threadIdx.x || blockIdx.x) {
    return;
  }
  long long t = clock64();
  int bad = -1, err = 0;
  cudaStream_t s = 0;
  if (how == 3) {
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  }
  for (int i = 0; i < n; ++i) {
    if (how == 0) {
      if (c) {
        spin<<<1, 32>>>(c);
      } else {
        nop<<<1, 32>>>();
      }
    } else if (how == 1) {
      if (c) {
        spin<<<1, 32, 0, cudaStreamFireAndForget>>>(c);
      } else {
        nop<<<1, 32, 0, cudaStreamFireAndForget>>>();
      }
    } else if (how == 2) {
      if (c) {
        spin<<<1, 32, 0, cudaStreamTailLaunch>>>(c);
      } else {
        nop<<<1, 32, 0, cudaStreamTailLaunch>>>();
      }
    } else {
      if (c) {
        spin<<<1, 32, 0, s>>>(c);
      } else {
        nop<<<1, 32, 0, s>>>();
      }
    }
    cudaError_t e = cudaGetLastError();
    if (e && bad < 0) {
      bad = i;
      err = e;
    }
  }
  out[0] = clock64() - t;
  out[1] = bad;
  out[2] = err;
}
__global__ void deep(int level, int* out) {
  if (threadIdx.x) {
    return;
  }
  *out = level;
  deep<<<1, 1, 0, cudaStreamFireAndForget>>>(level + 1, out);
  cudaError_t e = cudaGetLastError();
  if (e) {
    out[1] = e;
  }
}
__global__ void deeper(int level, int most, int* out) {
  *out = level;
  if (level < most) {
    deeper<<<1, 1>>>(level + 1, most, out);
    cudaError_t e = cudaGetLastError();
    if (e) {
      out[1] = e;
      out[2] = level;
    }
  }
}
__global__ void blocks_launch(int how) {
  if (threadIdx.x == 0) {
    if (how == 0) {
      nop<<<1, 32>>>();
    } else {
      nop<<<1, 32, 0, cudaStreamFireAndForget>>>();
    }
  }
}
__global__ void plain(int n, long long* out) { out[0] = n; }
__global__ void stamp(long long* out) {
  long long t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  *out = t;
}
__global__ void parent_stamp(int how, long long* out) {
  stamp<<<1, 1>>>(out + 2);
  long long t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  out[0] = t;
  if (how) {
    stamp<<<1, 1, 0, cudaStreamTailLaunch>>>(out + 3);
  }
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  out[1] = t;
}
static void cdp() {
  long long* o;
  cudaMallocManaged(&o, 256);
  size_t v;
  cudaDeviceGetLimit(&v, cudaLimitDevRuntimePendingLaunchCount);
  row("cdp", "pending launch count", v, "n");
  cudaError_t e = cudaDeviceGetLimit(&v, cudaLimitDevRuntimeSyncDepth);
  say("cdp", "get sync depth", R(e));
  cudaGetLastError();
  const char* names[] = {"null stream", "fire and forget", "tail", "own stream"};
  row("cdp_us", "plain kernel", timed([&] { plain<<<1, 32>>>(1, o); }), "us");
  row("cdp_us", "parent without children", timed([&] { parent<<<1, 32>>>(0, 0, o, 0); }), "us");
  for (int how = 0; how < 4; ++how) {
    for (int n : {1, 2, 10, 100, 200, 1000}) {
      double t = timed([&] { parent<<<1, 32>>>(n, how, o, 0); }, 5);
      cudaDeviceSynchronize();
      row("cdp_us", std::string(names[how]) + " " + std::to_string(n), t, "us");
      row("cdp_call_cycles", std::string(names[how]) + " " + std::to_string(n), o[0] / (double)n, "cycles");
      if (o[1] >= 0) {
        row("cdp_first_error", std::string(names[how]) + " " + std::to_string(n), o[1], "n");
        say("cdp_first_error", names[how], R((cudaError_t)o[2]));
      }
    }
  }
  for (int how = 0; how < 4; ++how) {
    double t = timed([&] { parent<<<1, 32>>>(8, how, o, 100000); }, 5);
    cudaDeviceSynchronize();
    row("cdp_us", std::string(names[how]) + " 8 x spin 100000 cycles", t, "us");
  }
  for (int how = 0; how < 3; ++how) {
    e = (parent<<<1, 32>>>(5000, how, o, 20000), cudaDeviceSynchronize());
    say("cdp", std::string(names[how]) + " 5000 launches sync", R(e));
    row("cdp_first_error", std::string(names[how]) + " of 5000 spinning", o[1], "n");
    if (o[1] >= 0) {
      say("cdp_first_error", std::string(names[how]), R((cudaError_t)o[2]));
    }
    cudaGetLastError();
  }
  for (int b : {1, 4, 32, 132, 528}) {
    for (int how : {0, 1}) {
      row("cdp_us", std::to_string(b) + " blocks one child each " + names[how],
          timed([&] { blocks_launch<<<b, 32>>>(how); }, 5), "us");
    }
  }
  int* q = (int*)o;
  q[1] = q[2] = 0;
  deeper<<<1, 1>>>(1, 40, q);
  e = cudaDeviceSynchronize();
  row("cdp", "depth reached of 40", q[0], "n");
  row("cdp", "depth error", q[1], "n");
  say("cdp", "depth sync", R(e));
  for (int how : {0, 1}) {
    for (int i = 0; i < 3; ++i) {
      parent_stamp<<<1, 1>>>(how, o);
      cudaDeviceSynchronize();
    }
    row("cdp_ns", "first call to child's start", o[2] - o[0], "ns");
    row("cdp_ns", "parent's last to child", o[2] - o[1], "ns");
    if (how) {
      row("cdp_ns", "child to tail", o[3] - o[2], "ns");
    }
  }
}
__global__ void waits(volatile int* f, int* timed_out) {
  long long t = clock64();
  while (*f == 0) {
    if (clock64() - t > 4000000000ll) {
      *timed_out = 1;
      return;
    }
  }
  *timed_out = 0;
}
__global__ void sets(volatile int* f) {
  *f = 1;
  __threadfence_system();
}
__global__ void other1(int* p) { *p = 3; }
static void lazy() {
  int* f;
  cudaMallocManaged(&f, 64);
  f[0] = 0;
  f[1] = -1;
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, 1);
  cudaStreamCreateWithFlags(&b, 1);
  int* d;
  cudaMalloc(&d, 64);
  if (getenv("PRELOAD")) {
    cudaFuncAttributes at;
    cudaFuncGetAttributes(&at, sets);
  }
  auto t = clk::now();
  waits<<<1, 1, 0, a>>>(d, d + 1);
  row("lazy", "first launch of A", us_since(t), "us");
  t = clk::now();
  sets<<<1, 1, 0, b>>>(d);
  row("lazy", "first launch of B", us_since(t), "us");
  cudaError_t e = cudaDeviceSynchronize();
  int r;
  cudaMemcpy(&r, d + 1, 4, cudaMemcpyDeviceToHost);
  row("lazy", "A timed out", r, "n");
  say("lazy", "sync", R(e));
  t = clk::now();
  other1<<<1, 1>>>(d);
  row("lazy", "first launch of C", us_since(t), "us");
  t = clk::now();
  other1<<<1, 1>>>(d);
  row("lazy", "second launch of C", us_since(t), "us");
}
int main(int n, char** a) {
  const std::string part = n > 1 ? a[1] : "";
  if (part == "cdp") {
    cdp();
  }
  if (part == "lazy") {
    lazy();
  }
}
