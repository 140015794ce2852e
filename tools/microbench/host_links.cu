// Kernels on mapped memory beside copies and beside other kernels: rates that the two get of the link, what a fence or
// a kernel's end waits for, and whether memory synchronisation domains keep it from waiting. `host_links PART` prints
// rows test,parameter,value,unit.
#include <cuda_runtime.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "host_timing.h"

constexpr size_t kBytes = 64 << 20;

__device__ long long now_ns() {
  long long t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  return t;
}

// Each thread moves 16 bytes and does nothing for `gap` ns, again and again, for `ns`. Counts what all have moved.
template <bool kWrite>
__global__ void mover(int4* p, size_t n, long long ns, unsigned gap, unsigned long long* moved, int4* out) {
  const long long end = now_ns() + ns;
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = gridDim.x * (size_t)blockDim.x;
  unsigned long long count = 0;
  int4 v = make_int4(1, 2, 3, 4);
  while (now_ns() < end) {
    if (kWrite) {
      p[i] = v;
    } else {
      int4 w = __ldcv(p + i);
      v.x ^= w.x;
    }
    count += 16;
    i += step;
    if (i >= n) {
      i -= n;
    }
    if (gap) {
      const long long until = now_ns() + gap;
      while (now_ns() < until) {
      }
    }
  }
  if (v.x == 12345) {
    *out = v;
  }
  atomicAdd(moved, count);
}

struct Links {
  char *mapped, *device, *pinned, *other;
  unsigned long long* moved;
  int4* out;
  cudaStream_t s1, s2;
  Links() {
    char* h;
    cudaHostAlloc(&h, kBytes, cudaHostAllocMapped);
    memset(h, 0, kBytes);
    cudaHostGetDevicePointer((void**)&mapped, h, 0);
    cudaMallocHost(&pinned, kBytes);
    cudaMalloc(&device, kBytes);
    cudaMalloc(&other, kBytes);
    cudaMalloc(&moved, 8);
    cudaMalloc(&out, 64);
    cudaStreamCreateWithFlags(&s1, 1);
    cudaStreamCreateWithFlags(&s2, 1);
  }
};

template <class... P, class... A>
static void launch(void (*k)(P...), int blocks, int threads, cudaStream_t s, int domain, A... args) {
  cudaLaunchConfig_t c = {};
  cudaLaunchAttribute a = {};
  c.gridDim = blocks;
  c.blockDim = threads;
  c.stream = s;
  if (domain >= 0) {
    a.id = cudaLaunchAttributeMemSyncDomain;
    a.val.memSyncDomain = domain ? cudaLaunchMemSyncDomainRemote : cudaLaunchMemSyncDomainDefault;
    c.attrs = &a;
    c.numAttrs = 1;
  }
  cudaLaunchKernelEx(&c, k, P(args)...);
}

// The rates of both while both are under way; "none": one of them alone.
static void beside() {
  Links l;
  auto both = [&](bool write, int blocks, unsigned gap, const char* copy) {
    const long long ns = 30000000;
    const size_t bytes = 16 << 20;
    const bool to_device = !strcmp(copy, "h2d"), any = strcmp(copy, "none") != 0;
    const int copies = any ? 80 : 0;
    std::vector<cudaEvent_t> e(copies + 1);
    cudaEvent_t k0, k1;
    for (auto& x : e) {
      cudaEventCreate(&x);
    }
    cudaEventCreate(&k0);
    cudaEventCreate(&k1);
    cudaMemset(l.moved, 0, 8);
    cudaDeviceSynchronize();
    if (blocks) {
      cudaEventRecord(k0, l.s2);
      launch(write ? mover<true> : mover<false>, blocks, 256, l.s2, -1, (int4*)l.mapped, kBytes / 16, ns, gap, l.moved, l.out);
      cudaEventRecord(k1, l.s2);
    }
    cudaEventRecord(e[0], l.s1);
    for (int i = 0; i < copies; ++i) {
      cudaMemcpyAsync(to_device ? l.device : l.pinned, to_device ? l.pinned : l.device, bytes,
                      to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, l.s1);
      cudaEventRecord(e[i + 1], l.s1);
    }
    cudaDeviceSynchronize();
    unsigned long long moved = 0;
    cudaMemcpy(&moved, l.moved, 8, cudaMemcpyDeviceToHost);
    std::vector<double> v;
    for (int i = 1; i < copies; ++i) {  // those that lie within the kernel, but the first
      float ms = 0, end = 0;
      cudaEventElapsedTime(&ms, e[i], e[i + 1]);
      if (blocks) {
        cudaEventElapsedTime(&end, k0, e[i + 1]);
      }
      if (end < ns / 1e6) {
        v.push_back(bytes / (ms * 1e6));
      }
    }
    const std::string p = std::string(blocks ? (write ? "write" : "read") : "no kernel") + " " + std::to_string(blocks) +
                          " blocks gap " + std::to_string(gap) + " " + copy;
    if (blocks) {
      row("link_kernel_rate", p, moved / (double)ns, "GB/s");
    }
    if (any) {
      row("link_copy_rate", p, v.empty() ? 0 : median(v), "GB/s");
    }
    for (auto& x : e) {
      cudaEventDestroy(x);
    }
  };
  for (const char* copy : {"h2d", "d2h"}) {
    both(false, 0, 0, copy);
  }
  for (const char* copy : {"none", "h2d", "d2h"}) {
    for (int blocks : {1, 4, 8, 16, 64, 1056}) {
      both(false, blocks, 0, copy);
    }
    for (unsigned gap : {10000, 1000, 500, 250, 100, 0}) {
      both(true, 1, gap, copy);
    }
    for (int blocks : {2, 4, 16, 64, 1056}) {
      both(true, blocks, 0, copy);
    }
  }
}

// What a fence, or the end of a kernel, waits for.
template <bool kSystem>
__global__ void fences(volatile int* p, int n, long long* out) {
  long long t = clock64();
  for (int i = 0; i < n; ++i) {
    p[threadIdx.x] = i;
    if (kSystem) {
      __threadfence_system();
    } else {
      __threadfence();
    }
  }
  if (threadIdx.x == 0) {
    *out = (clock64() - t) / n;
  }
}
__global__ void nothing() {}
__global__ void spin(long long ns) {
  const long long end = now_ns() + ns;
  while (now_ns() < end) {
  }
}
__global__ void stamp(long long* at, volatile int* also) {
  *at = now_ns();
  if (also) {
    *also = 1;
  }
}

static void domains() {
  Links l;
  long long *out, *at;
  cudaMalloc(&out, 8);
  cudaMalloc(&at, 800);
  const char* names[] = {"default", "remote"};
  struct Noise {
    const char* name;
    int blocks;
    unsigned gap;
    bool write;
    char* where;
  };
  const Noise noises[] = {{"none", 0, 0, false, nullptr},
                          {"mapped writes 1 block", 1, 0, true, l.mapped},
                          {"mapped writes 2 blocks", 2, 0, true, l.mapped},
                          {"mapped writes 4 blocks", 4, 0, true, l.mapped},
                          {"mapped writes 16 blocks", 16, 0, true, l.mapped},
                          {"mapped writes 64 blocks", 64, 0, true, l.mapped},
                          {"mapped writes 128 blocks", 128, 0, true, l.mapped},
                          {"mapped reads 16 blocks", 16, 0, false, l.mapped},
                          {"mapped reads 64 blocks", 64, 0, false, l.mapped},
                          {"mapped reads 128 blocks", 128, 0, false, l.mapped},
                          {"device writes 64 blocks", 64, 0, true, l.other}};
  for (const Noise& noise : noises) {
    for (int a = 0; a < 2; ++a) {
      for (int b = 0; b < 2; ++b) {
        if (noise.blocks == 0 && a) {
          continue;
        }
        const std::string p = std::string(noise.name) + " in " + names[a] + "; in " + names[b];
        auto beside = [&](auto f) {
          cudaDeviceSynchronize();
          if (noise.blocks) {
            launch(noise.write ? mover<true> : mover<false>, noise.blocks, 256, l.s2, a, (int4*)noise.where, kBytes / 16,
                   (long long)6000000, noise.gap, l.moved, l.out);
            const auto t = clk::now();
            while (us_since(t) < 500) {
            }
          }
          return f();
        };
        auto fence = [&](auto k, char* where) {
          return beside([&] {
            launch(k, 1, 32, l.s1, b, (int*)where, 50, out);
            cudaStreamSynchronize(l.s1);
            cudaDeviceSynchronize();
            long long c = 0;
            cudaMemcpy(&c, out, 8, cudaMemcpyDeviceToHost);
            return (double)c;
          });
        };
        row("domain_fence_cycles", p + "; device store fence.gpu", fence(fences<false>, l.device), "cycles");
        row("domain_fence_cycles", p + "; device store fence.sys", fence(fences<true>, l.device), "cycles");
        row("domain_fence_cycles", p + "; mapped store fence.sys", fence(fences<true>, l.mapped), "cycles");
        // A hundred kernels, all given to the device before the noise begins; from start to start.
        auto chain = [&](bool graph, int* also) {
          cudaDeviceSynchronize();
          cudaGraph_t g;
          cudaGraphExec_t x = nullptr;
          if (graph) {
            cudaStreamBeginCapture(l.s1, cudaStreamCaptureModeGlobal);
          }
          launch(spin, 1, 1, l.s1, b, (long long)1500000);
          for (int i = 0; i < 100; ++i) {
            launch(stamp, 1, 1, l.s1, b, at + i, also);
          }
          if (graph) {
            cudaStreamEndCapture(l.s1, &g);
            cudaGraphInstantiate(&x, g, 0);
            cudaGraphUpload(x, l.s1);
            cudaStreamSynchronize(l.s1);
            cudaGraphLaunch(x, l.s1);
          }
          if (noise.blocks) {
            launch(noise.write ? mover<true> : mover<false>, noise.blocks, 256, l.s2, a, (int4*)noise.where, kBytes / 16,
                   (long long)60000000, noise.gap, l.moved, l.out);
          }
          cudaDeviceSynchronize();
          std::vector<long long> t(100);
          cudaMemcpy(t.data(), at, 800, cudaMemcpyDeviceToHost);
          if (graph) {
            cudaGraphExecDestroy(x);
            cudaGraphDestroy(g);
          }
          std::vector<double> v;
          for (int i = 10; i < 99; ++i) {
            v.push_back((t[i + 1] - t[i]) / 1e3);
          }
          return median(v);
        };
        row("domain_kernel_us", p + "; device store", chain(false, nullptr), "us");
        row("domain_kernel_us", p + "; mapped store", chain(false, (int*)l.mapped), "us");
        row("domain_kernel_us", p + "; graph device store", chain(true, nullptr), "us");
        row("domain_kernel_us", p + "; graph mapped store", chain(true, (int*)l.mapped), "us");
      }
    }
  }
}

// Beginning and ending a capture, by themselves.
static void capture() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  for (int n : {0, 1, 2, 5, 10, 100}) {
    std::vector<double> begin, add, end;
    for (int i = 0; i < 200; ++i) {
      cudaGraph_t g;
      auto t = clk::now();
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
      begin.push_back(us_since(t));
      t = clk::now();
      for (int k = 0; k < n; ++k) {
        nothing<<<1, 1, 0, s>>>();
      }
      add.push_back(us_since(t));
      t = clk::now();
      cudaStreamEndCapture(s, &g);
      end.push_back(us_since(t));
      cudaGraphDestroy(g);
    }
    const std::string p = std::to_string(n) + " kernels";
    row("capture_begin_us", p, median(begin), "us");
    row("capture_add_us", p, median(add), "us");
    row("capture_end_us", p, median(end), "us");
  }
}

int main(int argc, char** argv) {
  const std::string part = argc > 1 ? argv[1] : "";
  if (part == "beside") {
    beside();
  } else if (part == "domains") {
    domains();
  } else if (part == "capture") {
    capture();
  } else {
    fprintf(stderr, "usage: host_links beside|domains|capture\n");
    return 2;
  }
  const cudaError_t e = cudaDeviceSynchronize();
  if (e != cudaSuccess) {
    fprintf(stderr, "%s\n", cudaGetErrorString(e));
    return 1;
  }
}
