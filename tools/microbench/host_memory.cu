// What kernels on mapped memory, limits of the L2 and virtual memory management cost, and which errors calls
// return. `host_memory PART` prints rows test,parameter,value,unit.
#include <cuda.h>
#include <cuda_runtime.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "host_timing.h"
static const char* D(CUresult r) {
  const char* s;
  cuGetErrorName(r, &s);
  return s;
}

template <class T>
__global__ void rd(const T* p, size_t n, T* out) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = gridDim.x * (size_t)blockDim.x;
  T v;
  memset(&v, 0, sizeof v);
  bool hit = false;
  for (; i < n; i += step) {
    T w = p[i];
    int a;
    memcpy(&a, &w, 4);
    if (a == 12345) {
      v = w;
      hit = true;
    }
  }
  if (hit) {
    out[0] = v;
  }
}
template <class T>
__global__ void wr(T* p, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = gridDim.x * (size_t)blockDim.x;
  T v;
  memset(&v, 1, sizeof v);
  for (; i < n; i += step) {
    p[i] = v;
  }
}
__global__ void rw(int4* to, const int4* from, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = gridDim.x * (size_t)blockDim.x;
  for (; i < n; i += step) {
    to[i] = from[i];
  }
}
__global__ void rd_stride(const char* p, size_t n, size_t stride, int* out) {  // one int each `stride` bytes
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = gridDim.x * (size_t)blockDim.x;
  for (; i < n; i += step) {
    if (*(const int*)(p + i * stride) == 12345) {
      out[0] = 1;
    }
  }
}
__global__ void wr_stride(char* p, size_t n, size_t stride) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = gridDim.x * (size_t)blockDim.x;
  for (; i < n; i += step) {
    *(int*)(p + i * stride) = 7;
  }
}
__global__ void chase(const unsigned* p, int n, long long* out) {
  unsigned i = 0;
  long long t = clock64();
  for (int k = 0; k < n; ++k) {
    i = *(volatile const unsigned*)(p + i);
  }
  out[0] = clock64() - t;
  out[1] = i;
}
static void zerocopy() {
  char *h, *d;
  size_t most = 64 << 20;
  int* out;
  cudaMalloc(&out, 64);
  cudaHostAlloc(&h, most, cudaHostAllocMapped);
  memset(h, 0, most);
  cudaHostGetDevicePointer((void**)&d, h, 0);
  for (size_t mib : {1, 4, 16, 64}) {
    size_t n = mib << 20;
    std::string s = std::to_string(mib) + "MiB ";
    row("zerocopy_us", s + "read int4 1056 blocks",
        timed([&] { rd<int4><<<1056, 256>>>((int4*)d, n / 16, (int4*)out); }), "us");
    row("zerocopy_us", s + "read int 1056 blocks",
        timed([&] { rd<int><<<1056, 256>>>((int*)d, n / 4, out); }), "us");
    row("zerocopy_us", s + "write int4 1056 blocks",
        timed([&] { wr<int4><<<1056, 256>>>((int4*)d, n / 16); }), "us");
    row("zerocopy_us", s + "write int 1056 blocks", timed([&] { wr<int><<<1056, 256>>>((int*)d, n / 4); }),
        "us");
  }
  for (int blocks : {1, 4, 16, 33, 132, 528}) {
    row("zerocopy_us", "16MiB read int4 " + std::to_string(blocks) + " blocks",
        timed([&] { rd<int4><<<blocks, 256>>>((int4*)d, (16 << 20) / 16, (int4*)out); }), "us");
  }
  for (int blocks : {1, 4, 16, 33, 132}) {
    row("zerocopy_us", "16MiB write int4 " + std::to_string(blocks) + " blocks",
        timed([&] { wr<int4><<<blocks, 256>>>((int4*)d, (16 << 20) / 16); }), "us");
  }
  for (size_t st : {32, 64, 128, 256}) {
    size_t n = (64 << 20) / st;
    row("zerocopy_us", "64MiB read 4 of " + std::to_string(st) + " bytes",
        timed([&] { rd_stride<<<1056, 256>>>(d, n, st, out); }), "us");
    row("zerocopy_us", "64MiB write 4 of " + std::to_string(st) + " bytes",
        timed([&] { wr_stride<<<1056, 256>>>(d, n, st); }), "us");
  }
  row("zerocopy_us", "32MiB each way copy int4",
      timed([&] { rw<<<1056, 256>>>((int4*)(d + (32 << 20)), (int4*)d, (32 << 20) / 16); }), "us");

  row(
      "zerocopy_us", "16MiB device to mapped by kernel",
      [&] {
        char* x;
        cudaMalloc(&x, 16 << 20);
        double t = timed([&] { rw<<<1056, 256>>>((int4*)d, (int4*)x, 1 << 20); });
        cudaFree(x);
        return t;
      }(),
      "us");
  long long* r;
  cudaMalloc(&r, 16);
  unsigned* hu = (unsigned*)h;
  int n = 1000;
  for (int i = 0; i < n; ++i) {
    hu[i * 1024] = (i + 1) * 1024;
  }
  chase<<<1, 1>>>((unsigned*)d, n, r);
  cudaDeviceSynchronize();
  long long c[2];
  cudaMemcpy(c, r, 16, cudaMemcpyDeviceToHost);
  row("zerocopy_latency", "cycles", c[0] / (double)n, "cycles");
  // beside a copy to the device
  char* pin;
  char* dev;
  cudaMallocHost(&pin, 64 << 20);
  cudaMalloc(&dev, 64 << 20);
  cudaStream_t s1, s2;
  cudaStreamCreateWithFlags(&s1, 1);
  cudaStreamCreateWithFlags(&s2, 1);
  auto both = [&](bool copy, bool kernel, bool up, bool write) {
    std::vector<double> v;
    for (int i = 0; i < 6; ++i) {
      cudaDeviceSynchronize();
      auto t = clk::now();
      if (copy) {
        if (up) {
          cudaMemcpyAsync(pin, dev, 64 << 20, cudaMemcpyDeviceToHost, s1);
        } else {
          cudaMemcpyAsync(dev, pin, 64 << 20, cudaMemcpyHostToDevice, s1);
        }
      }
      if (kernel) {
        if (write) {
          wr<int4><<<1056, 256, 0, s2>>>((int4*)d, (64 << 20) / 16);
        } else {
          rd<int4><<<1056, 256, 0, s2>>>((int4*)d, (64 << 20) / 16, (int4*)out);
        }
      }
      cudaDeviceSynchronize();
      if (i) {
        v.push_back(us_since(t));
      }
    }
    return median(v);
  };
  row("zerocopy_beside_us", "64MiB h2d alone", both(true, false, false, false), "us");
  row("zerocopy_beside_us", "64MiB read alone", both(false, true, false, false), "us");
  row("zerocopy_beside_us", "64MiB read + 64MiB h2d", both(true, true, false, false), "us");
  row("zerocopy_beside_us", "64MiB read + 64MiB d2h", both(true, true, true, false), "us");
  row("zerocopy_beside_us", "64MiB write + 64MiB d2h", both(true, true, true, true), "us");
  row("zerocopy_beside_us", "64MiB write + 64MiB h2d", both(true, true, false, true), "us");
}
static void l2() {
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  row("l2prop", "persistingL2CacheMaxSize", p.persistingL2CacheMaxSize, "B");
  row("l2prop", "accessPolicyMaxWindowSize", p.accessPolicyMaxWindowSize, "B");
  size_t v;
  cudaDeviceGetLimit(&v, cudaLimitPersistingL2CacheSize);
  row("l2limit", "default", v, "B");
  for (size_t w :
       {(size_t)1, (size_t)16384, (size_t)1 << 20, (size_t)3000000, (size_t)10 << 20,
        (size_t)p.persistingL2CacheMaxSize, (size_t)p.persistingL2CacheMaxSize + 1, (size_t)1 << 30}) {
    cudaError_t e = cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, w);
    cudaDeviceGetLimit(&v, cudaLimitPersistingL2CacheSize);
    say("l2limit", "set " + std::to_string(w), R(e));
    row("l2limit", "get after " + std::to_string(w), v, "B");
    cudaGetLastError();
  }
  char* d;
  cudaMalloc(&d, 256 << 20);
  cudaStream_t s;
  cudaStreamCreate(&s);
  auto attr = [&](void* b, size_t n, float r, cudaAccessProperty h, cudaAccessProperty m, cudaStream_t st) {
    cudaStreamAttrValue a;
    memset(&a, 0, sizeof a);
    a.accessPolicyWindow.base_ptr = b;
    a.accessPolicyWindow.num_bytes = n;
    a.accessPolicyWindow.hitRatio = r;
    a.accessPolicyWindow.hitProp = h;
    a.accessPolicyWindow.missProp = m;
    cudaError_t e = cudaStreamSetAttribute(st, cudaStreamAttributeAccessPolicyWindow, &a);
    cudaGetLastError();
    return R(e);
  };
  auto P = cudaAccessPropertyPersisting;
  auto S = cudaAccessPropertyStreaming;
  auto N = cudaAccessPropertyNormal;
  say("l2window", "1MiB 1 persisting streaming", attr(d, 1 << 20, 1, P, S, s));
  say("l2window", "max", attr(d, p.accessPolicyMaxWindowSize, 1, P, S, s));
  say("l2window", "max+1", attr(d, p.accessPolicyMaxWindowSize + 1, 1, P, S, s));
  say("l2window", "ratio 1.5", attr(d, 1 << 20, 1.5, P, S, s));
  say("l2window", "ratio -0.5", attr(d, 1 << 20, -0.5, P, S, s));
  say("l2window", "ratio 0", attr(d, 1 << 20, 0, P, S, s));
  say("l2window", "miss persisting", attr(d, 1 << 20, 0.5, P, P, s));
  say("l2window", "hit streaming miss normal", attr(d, 1 << 20, 0.5, S, N, s));
  say("l2window", "0 bytes", attr(d, 0, 1, P, S, s));
  say("l2window", "null pointer", attr(nullptr, 1 << 20, 1, P, S, s));
  say("l2window", "legacy stream", attr(d, 1 << 20, 1, P, S, 0));
  say("l2window", "unaligned", attr(d + 1, 1000, 1, P, S, s));
  say("l2window", "not allocated", attr((void*)0x1000, 1 << 20, 1, P, S, s));
  auto cost = [&](auto f) {
    std::vector<double> t;
    for (int i = 0; i < 100; ++i) {
      auto a = clk::now();
      f();
      t.push_back(us_since(a));
    }
    return median(t);
  };
  row("call_us", "cudaStreamSetAttribute", cost([&] { attr(d, 1 << 20, 1, P, S, s); }), "us");
  row("call_us", "cudaCtxResetPersistingL2Cache", cost([&] { cudaCtxResetPersistingL2Cache(); }), "us");
  row("call_us", "cudaDeviceSetLimit",
      cost([&] { cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 20); }), "us");
  int k = 0;
  row("call_us", "cudaDeviceSetLimit changing",
      cost([&] { cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, (1 + (k++ & 1)) << 20); }), "us");
  row("call_us", "cudaDeviceGetLimit", cost([&] {
        size_t x;
        cudaDeviceGetLimit(&x, cudaLimitPersistingL2CacheSize);
      }),
      "us");
}
static void vmm() {
  cuInit(0);
  CUdevice dev;
  cuDeviceGet(&dev, 0);
  cudaFree(0);
  CUmemAllocationProp p;
  memset(&p, 0, sizeof p);
  p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  p.location.id = 0;
  size_t g;
  cuMemGetAllocationGranularity(&g, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  row("vmm", "granularity minimum", g, "B");
  cuMemGetAllocationGranularity(&g, &p, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
  row("vmm", "granularity recommended", g, "B");
  CUmemAccessDesc a;
  a.location = p.location;
  a.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  for (size_t mib : {2, 16, 128, 1024}) {
    size_t n = mib << 20;
    std::vector<double> t[6];
    for (int i = 0; i < 9; ++i) {
      CUdeviceptr va;
      CUmemGenericAllocationHandle h;
      auto s = clk::now();
      cuMemAddressReserve(&va, n, 0, 0, 0);
      t[0].push_back(us_since(s));
      s = clk::now();
      cuMemCreate(&h, n, &p, 0);
      t[1].push_back(us_since(s));
      s = clk::now();
      cuMemMap(va, n, 0, h, 0);
      t[2].push_back(us_since(s));
      s = clk::now();
      cuMemSetAccess(va, n, &a, 1);
      t[3].push_back(us_since(s));
      s = clk::now();
      cuMemUnmap(va, n);
      t[4].push_back(us_since(s));
      s = clk::now();
      cuMemRelease(h);
      t[5].push_back(us_since(s));
      cuMemAddressFree(va, n);
    }
    const char* names[] = {"reserve", "create", "map", "set access", "unmap", "release"};
    for (int k = 0; k < 6; ++k) {
      row("vmm_us", std::to_string(mib) + "MiB " + names[k], median(t[k]), "us");
    }
  }
  CUdeviceptr va;
  CUmemGenericAllocationHandle h, h2;
  size_t G = 2 << 20;
  say("vmm", "create 3MiB", D(cuMemCreate(&h, 3 << 20, &p, 0)));
  say("vmm", "reserve 3MiB", D(cuMemAddressReserve(&va, 3 << 20, 0, 0, 0)));
  say("vmm", "create 1TiB", D(cuMemCreate(&h, 1ull << 40, &p, 0)));
  cuMemCreate(&h, 2 * G, &p, 0);
  cuMemCreate(&h2, G, &p, 0);
  say("vmm", "reserve", D(cuMemAddressReserve(&va, 4 * G, 0, 0, 0)));
  say("vmm", "set access before map", D(cuMemSetAccess(va, G, &a, 1)));
  say("vmm", "unmap before map", D(cuMemUnmap(va, G)));
  say("vmm", "map with offset of the handle", D(cuMemMap(va, G, G, h, 0)));
  say("vmm", "map over a mapping", D(cuMemMap(va, G, 0, h2, 0)));
  say("vmm", "map more than the handle has", D(cuMemMap(va + G, 4 * G, 0, h2, 0)));
  say("vmm", "map whole handle behind", D(cuMemMap(va + G, G, 0, h2, 0)));
  say("vmm", "map the same handle again", D(cuMemMap(va + 2 * G, G, 0, h2, 0)));
  say("vmm", "set access over two mappings", D(cuMemSetAccess(va, 3 * G, &a, 1)));
  say("vmm", "set access over a hole", D(cuMemSetAccess(va, 4 * G, &a, 1)));
  say("vmm", "memset of it", D(cuMemsetD8(va, 1, 3 * G)));
  say("vmm", "memset before access", D(cuMemsetD8(va + 3 * G, 1, G)));
  say("vmm", "copy to a hole", R(cudaMemcpy((void*)(va + 3 * G), (void*)va, G, cudaMemcpyDeviceToDevice)));
  cudaGetLastError();
  say("vmm", "address free while mapped", D(cuMemAddressFree(va, 4 * G)));
  say("vmm", "unmap part of a mapping", D(cuMemUnmap(va, G / 2)));
  say("vmm", "release while mapped", D(cuMemRelease(h2)));
  size_t f0, f1, tt;
  cuMemGetInfo(&f0, &tt);
  say("vmm", "unmap two", D(cuMemUnmap(va, 2 * G)));
  cuMemGetInfo(&f1, &tt);
  row("vmm", "free bytes grew by unmap of two (one released)", (double)f1 - (double)f0, "B");
  say("vmm", "unmap third", D(cuMemUnmap(va + 2 * G, G)));
  cuMemGetInfo(&f0, &tt);
  row("vmm", "free bytes grew by last unmap of the released", (double)f0 - (double)f1, "B");
  say("vmm", "release twice", D(cuMemRelease(h2)));
  say("vmm", "address free part", D(cuMemAddressFree(va, G)));
  say("vmm", "address free", D(cuMemAddressFree(va, 4 * G)));
  say("vmm", "cudaFree of a reservation", R(cudaFree((void*)va)));
  int mc = 0;
  cuDeviceGetAttribute(&mc, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, dev);
  row("vmm", "multicast supported", mc, "n");
  CUmulticastObjectProp m;
  memset(&m, 0, sizeof m);
  m.numDevices = 1;
  m.size = 2 << 20;
  size_t mg = 0;
  say("vmm", "multicast granularity",
      D(cuMulticastGetGranularity(&mg, &m, CU_MULTICAST_GRANULARITY_MINIMUM)));
  row("vmm", "multicast granularity", mg, "B");
  m.size = std::max(mg, G);
  CUmemGenericAllocationHandle mh;
  say("vmm", "multicast create 1 device", D(cuMulticastCreate(&mh, &m)));
  m.numDevices = 2;
  say("vmm", "multicast create 2 devices", D(cuMulticastCreate(&mh, &m)));
  say("vmm", "multicast bind before add", D(cuMulticastBindMem(mh, 0, h, 0, G, 0)));
  say("vmm", "multicast add device", D(cuMulticastAddDevice(mh, dev)));
  say("vmm", "multicast add twice", D(cuMulticastAddDevice(mh, dev)));
}
static void vmmfault() {
  cuInit(0);
  cudaFree(0);
  CUdeviceptr va;
  cuMemAddressReserve(&va, 2 << 20, 0, 0, 0);
  wr<int><<<1, 32>>>((int*)va, 32);
  cudaError_t e = cudaDeviceSynchronize();
  say("vmm", "kernel on unmapped", R(e));
}
static void vmmnoaccess() {
  cuInit(0);
  cudaFree(0);
  CUmemAllocationProp p;
  memset(&p, 0, sizeof p);
  p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUdeviceptr va;
  CUmemGenericAllocationHandle h;
  cuMemAddressReserve(&va, 2 << 20, 0, 0, 0);
  cuMemCreate(&h, 2 << 20, &p, 0);
  cuMemMap(va, 2 << 20, 0, h, 0);
  say("vmm", "memset without access", D(cuMemsetD8(va, 1, 1 << 20)));
  wr<int><<<1, 32>>>((int*)va, 32);
  cudaError_t e = cudaDeviceSynchronize();
  say("vmm", "kernel without access", R(e));
}

int main(int n, char** a) {
  const std::string part = n > 1 ? a[1] : "";
  if (part == "zerocopy") {
    zerocopy();
  }
  if (part == "l2") {
    l2();
  }
  if (part == "vmm") {
    vmm();
  }
  if (part == "vmmfault") {
    vmmfault();
  }
  if (part == "vmmnoaccess") {
    vmmnoaccess();
  }
}
