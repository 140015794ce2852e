// Lists of copies, memsets of planes, copies between a device and itself, ranges of unified memory, libraries of kernels, attributes of
// streams, pools by location, and what a single device answers about others.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                 \
  do {                                                                                              \
    cudaError_t status_ = (call);                                                                   \
    if (status_ != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));         \
      std::exit(1);                                                                                 \
    }                                                                                               \
  } while (0)

static int failures = 0;
static void same(const char* name, long got, long want) {
  std::printf("%s: %ld%s\n", name, got, got == want ? "" : " FAIL");
  failures += got != want;
}
static void says(const char* name, cudaError_t e) {
  std::printf("%s: %s\n", name, cudaGetErrorName(e));
  (void)cudaGetLastError();
}

__global__ void twice(int* p, short n) {
  if (int(threadIdx.x) < n) p[threadIdx.x] *= 2;
}

static void copies() {
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  int *a, *b, host[64], back[64] = {};
  for (int i = 0; i < 64; ++i) host[i] = i;
  CHECK(cudaMalloc(&a, 256));
  CHECK(cudaMalloc(&b, 256));
  void* to[3] = {a, a + 16, b};
  const void* from[3] = {host, host + 32, host + 48};
  size_t bytes[3] = {64, 64, 64}, first[2] = {0, 2};
  cudaMemcpyAttributes how[2] = {};
  how[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream, how[1].srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
  CHECK(cudaMemcpyBatchAsync(to, from, bytes, 3, how, first, 2, s));
  CHECK(cudaMemcpyAsync(back, a, 128, cudaMemcpyDeviceToHost, s));
  CHECK(cudaMemcpyAsync(back + 32, b, 64, cudaMemcpyDeviceToHost, s));
  CHECK(cudaStreamSynchronize(s));
  int bad = 0;
  for (int i = 0; i < 16; ++i) bad += back[i] != i || back[16 + i] != 32 + i || back[32 + i] != 48 + i;
  same("a list of copies differs in", bad, 0);
  says("a list in the default stream", cudaMemcpyBatchAsync(to, from, bytes, 3, how, first, 2, 0));
  says("no attributes", cudaMemcpyBatchAsync(to, from, bytes, 3, how, first, 0, s));

  // Planes into an array, and an array into planes, in one list.
  cudaArray_t array;
  const cudaChannelFormatDesc one = cudaCreateChannelDesc<int>();
  CHECK(cudaMalloc3DArray(&array, &one, make_cudaExtent(4, 4, 4)));
  cudaMemcpy3DBatchOp op = {};
  op.src.type = cudaMemcpyOperandTypePointer;
  op.src.op.ptr.ptr = host, op.src.op.ptr.rowLength = 4, op.src.op.ptr.layerHeight = 4;
  op.dst.type = cudaMemcpyOperandTypeArray;
  op.dst.op.array.array = array;
  op.extent = make_cudaExtent(4, 4, 4), op.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  CHECK(cudaMemcpy3DBatchAsync(1, &op, 0, s));
  cudaMemcpy3DBatchOp out = {};
  out.src = op.dst;
  out.src.op.array.offset = {1, 2, 3};
  out.dst.type = cudaMemcpyOperandTypePointer;
  out.dst.op.ptr.ptr = back;
  out.extent = make_cudaExtent(2, 2, 1), out.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  CHECK(cudaMemcpy3DBatchAsync(1, &out, 0, s));
  CHECK(cudaStreamSynchronize(s));
  same("from the array", back[0] * 1000000 + back[1] * 10000 + back[2] * 100 + back[3], 57586162);
  cudaMemcpy3DPeerParms peer = {};
  peer.srcPtr = make_cudaPitchedPtr(a, 64, 16, 2), peer.dstPtr = make_cudaPitchedPtr(b, 128, 16, 2), peer.extent = make_cudaExtent(64, 2, 1);
  CHECK(cudaMemcpy3DPeer(&peer));
  CHECK(cudaMemcpy(back, b, 256, cudaMemcpyDeviceToHost));
  same("rows moved apart", back[3] * 100 + back[32 + 3], 335);
  CHECK(cudaFreeArray(array));
}

static void planes() {
  cudaPitchedPtr p;
  CHECK(cudaMalloc3D(&p, make_cudaExtent(20, 6, 4)));
  CHECK(cudaMemset(p.ptr, 1, p.pitch * 24));
  cudaPitchedPtr inside = p;
  inside.ptr = (char*)p.ptr + 5;
  CHECK(cudaMemset3D(inside, 7, make_cudaExtent(10, 3, 4)));
  std::vector<unsigned char> h(p.pitch * 24);
  CHECK(cudaMemcpy(h.data(), p.ptr, h.size(), cudaMemcpyDeviceToHost));
  int bad = 0;
  for (size_t z = 0; z < 4; ++z)
    for (size_t y = 0; y < 6; ++y)
      for (size_t x = 0; x < 20; ++x) bad += h[(z * 6 + y) * p.pitch + x] != (x >= 5 && x < 15 && y < 3 ? 7 : 1);
  same("a box that was set differs in", bad, 0);
  CHECK(cudaMemset3DAsync(p, 9, make_cudaExtent(20, 6, 4)));
  CHECK(cudaMemcpy(h.data(), p.ptr, h.size(), cudaMemcpyDeviceToHost));
  same("all planes", h[0] + h[p.pitch * 23 + 19], 18);
  says("wider than the pitch", cudaMemset3D(p, 0, make_cudaExtent(p.pitch + 1, 2, 1)));
}

static void ranges() {
  int* m;
  CHECK(cudaMallocManaged(&m, 1 << 20));
  const cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
  CHECK(cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetReadMostly, device));
  CHECK(cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetPreferredLocation, device));
  int read_mostly = -1, preferred = -1, prefetched = -1;
  CHECK(cudaMemRangeGetAttribute(&read_mostly, 4, cudaMemRangeAttributeReadMostly, m, 1 << 20));
  void* data[2] = {&preferred, &prefetched};
  size_t sizes[2] = {4, 4};
  cudaMemRangeAttribute which[2] = {cudaMemRangeAttributePreferredLocation, cudaMemRangeAttributeLastPrefetchLocation};
  CHECK(cudaMemRangeGetAttributes(data, sizes, which, 2, m, 1 << 20));
  same("read mostly", read_mostly, 1);
  same("preferred location", preferred, 0);
  same("last prefetch", prefetched, cudaInvalidDeviceId);
  void* all[1] = {m};
  size_t bytes[1] = {1 << 20}, first[1] = {0};
  cudaMemLocation where[1] = {device};
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaMemPrefetchBatchAsync(all, bytes, 1, where, first, 1, 0, s));
  CHECK(cudaStreamSynchronize(s));
  says("of memory that is not unified", cudaMemRangeGetAttribute(&preferred, 4, cudaMemRangeAttributePreferredLocation, &preferred, 4));

  cudaStreamAttrValue v = {};
  v.syncPolicy = cudaSyncPolicyYield;
  CHECK(cudaStreamSetAttribute(s, cudaStreamAttributeSynchronizationPolicy, &v));
  v = {};
  cudaStream_t other;
  CHECK(cudaStreamCreate(&other));
  CHECK(cudaStreamCopyAttributes(other, s));
  CHECK(cudaStreamGetAttribute(other, cudaStreamAttributeSynchronizationPolicy, &v));
  same("how the stream is waited for", v.syncPolicy, cudaSyncPolicyYield);
  cudaMemPool_t pool, usual;
  cudaMemLocation at = device;
  CHECK(cudaMemGetDefaultMemPool(&usual, &at, cudaMemAllocationTypePinned));
  CHECK(cudaMemGetMemPool(&pool, &at, cudaMemAllocationTypePinned));
  same("the usual pool is the current one", pool == usual, 1);
  cudaMemAccessFlags flags;
  CHECK(cudaMemPoolGetAccess(&flags, pool, &at));
  same("access to it", flags, cudaMemAccessFlagsProtReadWrite);
}

static const char* kPtx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .u32 total = 5;
.visible .entry plus(.param .u64 p, .param .u32 n) {
  .reg .u64 %a; .reg .u32 %v, %n;
  ld.param.u64 %a, [p]; ld.param.u32 %n, [n]; ld.global.u32 %v, [%a]; add.u32 %v, %v, %n; st.global.u32 [%a], %v; ret;
}
)";

static void libraries() {
  cudaLibrary_t library;
  cudaKernel_t kernel, found;
  unsigned count = 0;
  CHECK(cudaLibraryLoadData(&library, kPtx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CHECK(cudaLibraryGetKernelCount(&count, library));
  same("kernels of the library", count, 1);
  CHECK(cudaLibraryGetKernel(&kernel, library, "plus"));
  CHECK(cudaLibraryEnumerateKernels(&found, 1, library));
  same("the same kernel", kernel == found, 1);
  int *p, n = 37, got = 0;
  size_t bytes = 0;
  CHECK(cudaLibraryGetGlobal((void**)&p, &bytes, library, "total"));
  same("bytes of its variable", bytes, 4);
  void* arguments[] = {&p, &n};
  CHECK(cudaLaunchKernel((const void*)kernel, dim3(1), dim3(1), arguments, 0, 0));
  CHECK(cudaMemcpy(&got, p, 4, cudaMemcpyDeviceToHost));
  same("its kernel", got, 42);
  says("no such kernel", cudaLibraryGetKernel(&kernel, library, "minus"));
  CHECK(cudaLibraryUnload(library));
  size_t offset = 0, size = 0;
  CHECK(cudaFuncGetParamInfo((const void*)twice, 1, &offset, &size));
  same("a parameter's place", offset * 100 + size, 802);
  says("a parameter that there is not", cudaFuncGetParamInfo((const void*)twice, 2, &offset, &size));
  const char* name = nullptr;
  CHECK(cudaFuncGetName(&name, (const void*)twice));
  std::printf("a kernel's name: %s\n", name);
}

static void others() {
  int value = 0, device = -1;
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, 0));
  CHECK(cudaChooseDevice(&device, &p));
  same("the device that is chosen", device, 0);
  char id[32];
  CHECK(cudaDeviceGetPCIBusId(id, sizeof id, 0));
  device = -1;
  CHECK(cudaDeviceGetByPCIBusId(&device, id));
  same("the device of its id", device, 0);
  says("its own peer", cudaDeviceEnablePeerAccess(0, 0));
  says("a second device", cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1));
  size_t used = 1;
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
  same("memory of graphs", used, 0);
  says("a graphics resource", cudaGraphicsUnregisterResource((cudaGraphicsResource_t)&value));
}

int main() {
  copies();
  planes();
  ranges();
  libraries();
  others();
  std::printf("%s\n", failures == 0 ? "all ok" : "FAIL");
  return failures != 0;
}
