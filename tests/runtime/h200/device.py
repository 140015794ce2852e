#!/usr/bin/env python3
"""Writes device.txt, errors.txt and errors_driver.txt into a folder: what the CUDA runtime says of the device here.

device.py FOLDER. The names come from the toolkit's headers; needs nvcc and a GPU.
device.txt has lines `kind name number value`: the number is an offset in a structure, or an enumerator's.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
INCLUDE = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(NVCC))), "include")
if not os.path.exists(os.path.join(INCLUDE, "driver_types.h")):
    INCLUDE = "/usr/local/cuda/include"


def header(name):
    with open(os.path.join(INCLUDE, name), errors="replace") as f:
        return re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)


def enumerators(text, pattern, end):
    found = []
    for name, number in re.findall(pattern, text):
        if not name.endswith(end) and number not in [n for _, n in found]:
            found.append((name, number))
    return found


def fields(text, struct):
    body = re.search(r"struct\s+__device_builtin__\s+" + struct + r"\s*\{(.*?)\n\}", text, re.S).group(1)
    return re.findall(r"^\s*([\w ]+?)\s+(\w+)(?:\[(\d+)\])?\s*;", body, re.M)


def show(kind, prefix, struct, value):
    lines = []
    for type_, name, count in fields(TYPES, struct):
        at = f"(int)offsetof({struct}, {name})"
        if name in ("uuid", "luid", "reserved") or name.startswith("pci"):  # of this one device, or nothing
            lines.append(f'printf("{kind} {prefix}{name} %d size:%zu\\n", {at}, sizeof({value}.{name}));')
        elif type_ == "char":
            lines.append(f'printf("{kind} {prefix}{name} %d %s\\n", {at}, {value}.{name});')
        elif count:
            lines.append(f'for (int i = 0; i < {count}; i++) printf("{kind} {prefix}{name}[%d] %d %lld\\n", i, '
                         f"{at} + i * (int)sizeof({value}.{name}[0]), (long long){value}.{name}[i]);")
        else:
            lines.append(f'printf("{kind} {prefix}{name} %d %lld\\n", {at}, (long long){value}.{name});')
    lines.append(f'printf("{kind} {prefix}sizeof 0 %zu\\n", sizeof({value}));')
    return "\n    ".join(lines)


TYPES = header("driver_types.h")
ATTRIBUTES = enumerators(TYPES, r"\b(cudaDevAttr\w+)\s*=\s*(\d+)", "Max")
LIMITS = enumerators(TYPES, r"\b(cudaLimit\w+)\s*=\s*(0x\w+)", "Max")
DRIVER = enumerators(header("cuda.h"), r"\b(CU_DEVICE_ATTRIBUTE_\w+)\s*=\s*(\d+)", "_MAX")


def table(name, rows):
    return f"static const Named {name}[] = {{" + ", ".join(f'{{"{n}", {v}}}' for n, v in rows) + "};"


PROGRAM = """
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_) { fprintf(stderr, "%s: %s\\n", #x, cudaGetErrorString(e_)); exit(1); } } while (0)
struct Named { const char* name; int value; };
@TABLES@

template <int N> __global__ void uses(float* x, int m) {  // about N registers
  float r[N];
#pragma unroll
  for (int i = 0; i < N; i++) r[i] = ((volatile float*)x)[i * 32 + threadIdx.x];
  for (int k = 0; k < m; k++) {
    float t = ((volatile float*)x)[k];
#pragma unroll
    for (int i = 0; i < N; i++) r[i] = r[i] * t + r[(i + 1) % N];
  }
#pragma unroll
  for (int i = 0; i < N; i++) ((volatile float*)x)[i * 32 + threadIdx.x] = r[i];
}
__global__ void plain(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1; }
__global__ void __launch_bounds__(256, 4) fancy(int* x, int n) {
  __shared__ int s[1000];
  int local[50];
  for (int i = 0; i < 50; i++) local[i] = x[i] * i;
  s[threadIdx.x] = local[x[threadIdx.x] % 50];
  __syncthreads();
  x[threadIdx.x] = s[(threadIdx.x + n) % 256];
}
__global__ void dynamic(int* x) { extern __shared__ int s[]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x]; }

template <class F> void occupancy(F f) {
  cudaFuncAttributes a;
  CK(cudaFuncGetAttributes(&a, f));
  CK(cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448 - (int)a.sharedSizeBytes));
  for (int threads : {1, 32, 33, 64, 96, 128, 160, 192, 256, 320, 384, 512, 640, 768, 1024})
    for (int shared : {0, 1, 1000, 1024, 4096, 10000, 16384, 32768, 49152, 65536, 75000, 100 * 1024, 115712, 131072, 204800, 232448}) {
      int blocks = -1;
      cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, threads, shared);
      if (e) printf("occupancy registers=%d,shared=%d,threads=%d 0 %s\\n", a.numRegs, shared, threads, cudaGetErrorName(e));
      else printf("occupancy registers=%d,shared=%d,threads=%d 0 %d\\n", a.numRegs, shared, threads, blocks);
      cudaGetLastError();
    }
  for (int shared : {0, 1024, 32768, 100000})
    for (int limit : {0, 100, 256, 1000}) {
      int grid = -1, block = -1;
      cudaError_t e = cudaOccupancyMaxPotentialBlockSize(&grid, &block, f, shared, limit);
      printf("potential_block registers=%d,shared=%d,limit=%d %d grid=%d,block=%d\\n", a.numRegs, shared, limit, (int)e, grid, block);
    }
  for (int blocks : {1, 2, 3, 4, 8, 16, 32})
    for (int threads : {32, 64, 128, 256, 1024}) {
      size_t bytes = 0;
      cudaError_t e = cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, f, blocks, threads);
      printf("available_shared registers=%d,blocks=%d,threads=%d %d %zu\\n", a.numRegs, blocks, threads, (int)e, bytes);
      cudaGetLastError();
    }
}

int main(int argc, char** argv) {
  if (argc > 1 && !strcmp(argv[1], "errors")) {
    for (int i = 0; i < 200000; i++) {
      const char* n = cudaGetErrorName((cudaError_t)i);
      if (strcmp(n, "unrecognized error code")) printf("%d %s %s\\n", i, n, cudaGetErrorString((cudaError_t)i));
    }
    return 0;
  }
  CK(cudaSetDevice(0));
  if (argc > 1 && !strcmp(argv[1], "errors_driver")) {
    for (int i = 0; i < 100000; i++) {
      const char *n = nullptr, *s = nullptr;
      if (cuGetErrorName((CUresult)i, &n) == CUDA_SUCCESS && cuGetErrorString((CUresult)i, &s) == CUDA_SUCCESS) printf("%d %s %s\\n", i, n, s);
    }
    return 0;
  }
  int v, w;
  size_t s, t;
  CK(cudaDriverGetVersion(&v)); printf("version driver 0 %d\\n", v);
  CK(cudaRuntimeGetVersion(&v)); printf("version runtime 0 %d\\n", v);
  CK(cudaMemGetInfo(&s, &t)); printf("memory free 0 %zu\\nmemory total 0 %zu\\n", s, t);
  CK(cudaDeviceGetStreamPriorityRange(&v, &w)); printf("priority least 0 %d\\npriority greatest 0 %d\\n", v, w);
  for (const Named& a : kLimits) {
    cudaError_t e = cudaDeviceGetLimit(&s, (cudaLimit)a.value);
    if (e) printf("limit %s %d %s\\n", a.name, a.value, cudaGetErrorName(e)); else printf("limit %s %d %zu\\n", a.name, a.value, s);
    cudaGetLastError();
  }
  for (const Named& a : kAttributes) {
    if (strstr(a.name, "Pci")) continue;
    cudaError_t e = cudaDeviceGetAttribute(&v, (cudaDeviceAttr)a.value, 0);
    if (e) printf("attribute %s %d %s\\n", a.name, a.value, cudaGetErrorName(e)); else printf("attribute %s %d %d\\n", a.name, a.value, v);
    cudaGetLastError();
  }
  for (const Named& a : kDriver) {
    if (strstr(a.name, "PCI_")) continue;
    CUresult e = cuDeviceGetAttribute(&v, (CUdevice_attribute)a.value, 0);
    const char* n = "";
    cuGetErrorName(e, &n);
    if (e) printf("driver_attribute %s %d %s\\n", a.name, a.value, n); else printf("driver_attribute %s %d %d\\n", a.name, a.value, v);
  }
  {
    cudaDeviceProp p;
    CK(cudaGetDeviceProperties(&p, 0));
    @PROPERTIES@
  }
  {
    cudaFuncAttributes a;
    CK(cudaFuncGetAttributes(&a, plain));
    @PLAIN@
    CK(cudaFuncGetAttributes(&a, fancy));
    @FANCY@
    CK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
    CK(cudaFuncSetAttribute(dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, 40));
    CK(cudaFuncGetAttributes(&a, dynamic));
    @DYNAMIC@
  }
  for (int carveout : {-1, 0, 10, 25, 50, 75, 100}) {
    CK(cudaFuncSetAttribute(dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
    for (int shared : {0, 1024, 8192, 30000, 60000}) {
      CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&v, dynamic, 128, shared));
      printf("occupancy_carveout carveout=%d,shared=%d,threads=128 0 %d\\n", carveout, shared, v);
    }
  }
  CK(cudaFuncSetAttribute(dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, -1));
  CK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
  CK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  for (int cluster : {1, 2, 3, 4, 8, 16})
    for (int shared : {0, 32768, 100000, 200000})
      for (int threads : {32, 256, 1024}) {
        cudaLaunchConfig_t c = {};
        cudaLaunchAttribute a[1];
        c.gridDim = dim3(cluster * 16), c.blockDim = dim3(threads), c.dynamicSmemBytes = shared;
        a[0].id = cudaLaunchAttributeClusterDimension;
        a[0].val.clusterDim.x = cluster, a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
        c.attrs = a, c.numAttrs = 1;
        v = -1;
        cudaError_t e = cudaOccupancyMaxActiveClusters(&v, dynamic, &c);
        printf("active_clusters cluster=%d,shared=%d,threads=%d %d %d\\n", cluster, shared, threads, (int)e, v);
        cudaGetLastError();
        if (cluster == 1) {
          c.numAttrs = 0;
          e = cudaOccupancyMaxPotentialClusterSize(&v, dynamic, &c);
          printf("potential_cluster shared=%d,threads=%d %d %d\\n", shared, threads, (int)e, v);
          cudaGetLastError();
        }
      }
  occupancy(plain);
  occupancy(uses<16>);
  occupancy(uses<40>);
  occupancy(uses<64>);
  occupancy(uses<90>);
  occupancy(uses<120>);
  occupancy(uses<160>);
  occupancy(uses<200>);
  return 0;
}
"""


def main():
    out = sys.argv[1]
    text = PROGRAM.replace("@TABLES@", "\n".join([
        table("kLimits", LIMITS), table("kAttributes", ATTRIBUTES), table("kDriver", DRIVER)]))
    text = text.replace("@PROPERTIES@", show("property", "", "cudaDeviceProp", "p"))
    for kernel in ("plain", "fancy", "dynamic"):
        text = text.replace(f"@{kernel.upper()}@", show("function", kernel + ".", "cudaFuncAttributes", "a"))
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "device.cu"), os.path.join(folder, "device")
        with open(source, "w") as f:
            f.write(text)
        subprocess.run([NVCC, "-arch=sm_90", "-cudart", "shared", "-O2", "-std=c++17", source, "-o", program, "-lcuda",
                        "-L" + os.path.join(os.path.dirname(INCLUDE), "lib64", "stubs")], check=True)
        if len(sys.argv) > 2:  # only to see whether it compiles
            shutil.copy(source, out)
            return
        for name, args in (("device", []), ("errors", ["errors"]), ("errors_driver", ["errors_driver"])):
            with open(os.path.join(out, name + ".txt"), "w") as f:
                subprocess.run([program] + args, stdout=f, check=True)


main()
