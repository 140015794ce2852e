// What calls cost on the host that ask, make or change something: each 200 times behind one another, its
// median.
//
// nvcc -arch=sm_90 -O2 -std=c++17 -cudart shared -o call_costs call_costs.cu
// ./call_costs      lines: call,microseconds,10th percentile,90th
#include <time.h>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>
__global__ void k(float* a, int n) {
  if (a && threadIdx.x < n) {
    a[threadIdx.x] += 1;
  }
}
__device__ float symbol[1024];
static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}
static void row(const char* name, const std::function<void()>& f, int n = 200) {
  f();
  f();
  std::vector<double> v;
  for (int i = 0; i < n; ++i) {
    double a = now();
    f();
    v.push_back(now() - a);
  }
  std::sort(v.begin(), v.end());
  printf("%s,%.3f,%.3f,%.3f\n", name, v[n / 2], v[n / 10], v[n * 9 / 10]);
}
int main() {
  float* d;
  cudaMalloc(&d, 1 << 22);
  void* h;
  cudaMallocHost(&h, 1 << 20);
  float* m;
  cudaMallocManaged(&m, 1 << 20);
  k<<<1, 32>>>(d, 32);
  cudaDeviceSynchronize();
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaEvent_t e, e2;
  cudaEventCreate(&e);
  cudaEventCreate(&e2);
  cudaEventRecord(e);
  cudaEventRecord(e2);
  cudaDeviceSynchronize();
  int i;
  size_t a, b;
  void* p;
  float f;
  cudaDeviceProp pr;
  cudaFuncAttributes fa;
  cudaPointerAttributes pa;
  unsigned fl;
  cudaStreamCaptureStatus st;
  row("get_device", [&] { cudaGetDevice(&i); });
  row("set_device", [&] { cudaSetDevice(0); });
  row("get_device_count", [&] { cudaGetDeviceCount(&i); });
  row("get_device_properties", [&] { cudaGetDeviceProperties(&pr, 0); });
  row("device_get_attribute", [&] { cudaDeviceGetAttribute(&i, cudaDevAttrMultiProcessorCount, 0); });
  row("device_get_attribute_clock", [&] { cudaDeviceGetAttribute(&i, cudaDevAttrClockRate, 0); });
  row("occupancy_blocks", [&] { cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, k, 128, 0); });
  row("occupancy_size", [&] {
    int x;
    cudaOccupancyMaxPotentialBlockSize(&i, &x, k, 0, 0);
  });
  row("func_get_attributes", [&] { cudaFuncGetAttributes(&fa, k); });
  row("func_set_attribute",
      [&] { cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024); });
  row("func_set_cache_config", [&] { cudaFuncSetCacheConfig(k, cudaFuncCachePreferShared); });
  row("pointer_get_attributes", [&] { cudaPointerGetAttributes(&pa, d); });
  row("pointer_get_attributes_host", [&] { cudaPointerGetAttributes(&pa, &i); });
  row("host_get_device_pointer", [&] { cudaHostGetDevicePointer(&p, h, 0); });
  row("host_get_flags", [&] { cudaHostGetFlags(&fl, h); });
  row("mem_get_info", [&] { cudaMemGetInfo(&a, &b); });
  row("get_last_error", [&] { cudaGetLastError(); });
  row("peek", [&] { cudaPeekAtLastError(); });
  row("stream_is_capturing", [&] { cudaStreamIsCapturing(s, &st); });
  row("stream_get_priority", [&] { cudaStreamGetPriority(s, &i); });
  row("stream_query", [&] { cudaStreamQuery(s); });
  row("event_elapsed", [&] { cudaEventElapsedTime(&f, e, e2); });
  row("event_query", [&] { cudaEventQuery(e); });
  row("event_sync_done", [&] { cudaEventSynchronize(e); });
  row("stream_sync_idle", [&] { cudaStreamSynchronize(s); });
  row("device_sync_idle", [&] { cudaDeviceSynchronize(); });
  row("get_symbol_address", [&] { cudaGetSymbolAddress(&p, symbol); });
  row("get_symbol_size", [&] { cudaGetSymbolSize(&a, symbol); });
  row("device_get_limit", [&] { cudaDeviceGetLimit(&a, cudaLimitStackSize); });
  row("device_set_limit_same", [&] { cudaDeviceSetLimit(cudaLimitStackSize, 1024); });
  row("device_get_pci_bus_id", [&] {
    char x[32];
    cudaDeviceGetPCIBusId(x, 32, 0);
  });
  row("device_can_access_peer", [&] { cudaDeviceCanAccessPeer(&i, 0, 0); });
  row("device_get_stream_priority_range", [&] {
    int x;
    cudaDeviceGetStreamPriorityRange(&i, &x);
  });
  row("runtime_get_version", [&] { cudaRuntimeGetVersion(&i); });
  row("driver_get_version", [&] { cudaDriverGetVersion(&i); });
  row("get_error_string", [&] { cudaGetErrorString(cudaErrorInvalidValue); });
  row("stream_create_destroy", [&] {
    cudaStream_t x;
    cudaStreamCreate(&x);
    cudaStreamDestroy(x);
  });
  row("stream_create_nb_destroy", [&] {
    cudaStream_t x;
    cudaStreamCreateWithFlags(&x, cudaStreamNonBlocking);
    cudaStreamDestroy(x);
  });
  row("event_create_destroy", [&] {
    cudaEvent_t x;
    cudaEventCreate(&x);
    cudaEventDestroy(x);
  });
  row("event_create_no_timing_destroy", [&] {
    cudaEvent_t x;
    cudaEventCreateWithFlags(&x, cudaEventDisableTiming);
    cudaEventDestroy(x);
  });
  {
    std::vector<cudaStream_t> v(64);
    int n = 0;
    row(
        "stream_create", [&] { cudaStreamCreate(&v[n++ % 64]); }, 60);
  }
  {
    std::vector<cudaEvent_t> v(300);
    int n = 0;
    row(
        "event_create", [&] { cudaEventCreate(&v[n++ % 300]); }, 200);
  }
  row("memset_2d", [&] {
    cudaMemset2D(d, 4096, 0, 1024, 64);
    cudaDeviceSynchronize();
  });
  row("memset_2d_async_call", [&] { cudaMemset2DAsync(d, 4096, 0, 1024, 64, s); });
  cudaDeviceSynchronize();
  row("memcpy_to_symbol_4k", [&] { cudaMemcpyToSymbol(symbol, h, 4096); });
  row("memcpy_from_symbol_4k", [&] { cudaMemcpyFromSymbol(h, symbol, 4096); });
  row("mem_advise", [&] {
    cudaMemLocation l{cudaMemLocationTypeDevice, 0};
    cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetPreferredLocation, l);
  });
  cudaMemPool_t mp;
  row("get_default_mem_pool", [&] { cudaDeviceGetDefaultMemPool(&mp, 0); });
  row("mem_pool_set_threshold", [&] {
    unsigned long long t = ~0ull;
    cudaMemPoolSetAttribute(mp, cudaMemPoolAttrReleaseThreshold, &t);
  });
  row("mem_pool_get_used", [&] {
    unsigned long long t;
    cudaMemPoolGetAttribute(mp, cudaMemPoolAttrUsedMemCurrent, &t);
  });
  cudaGraph_t gr;
  row("graph_create_destroy", [&] {
    cudaGraphCreate(&gr, 0);
    cudaGraphDestroy(gr);
  });
  cudaGraphCreate(&gr, 0);
  float* q = d;
  int nn = 32;
  void* args[] = {&q, &nn};
  cudaKernelNodeParams kp{};
  kp.func = (void*)k;
  kp.gridDim = 1;
  kp.blockDim = 32;
  kp.kernelParams = args;
  cudaGraphNode_t last, node;
  cudaGraphAddKernelNode(&last, gr, nullptr, 0, &kp);
  row("graph_add_kernel_node", [&] {
    cudaGraphAddKernelNode(&node, gr, &last, 1, &kp);
    last = node;
  });
  cudaMemsetParams ms{};
  ms.dst = d;
  ms.elementSize = 1;
  ms.width = 1024;
  ms.height = 1;
  row("graph_add_memset_node", [&] {
    cudaGraphAddMemsetNode(&node, gr, &last, 1, &ms);
    last = node;
  });
  row("graph_add_memcpy_node_1d", [&] {
    cudaGraphAddMemcpyNode1D(&node, gr, &last, 1, d, h, 1024, cudaMemcpyHostToDevice);
    last = node;
  });
  row("graph_add_empty_node", [&] {
    cudaGraphAddEmptyNode(&node, gr, &last, 1);
    last = node;
  });
  row("graph_add_event_record", [&] {
    cudaGraphAddEventRecordNode(&node, gr, &last, 1, e);
    last = node;
  });
  row("graph_get_nodes", [&] { cudaGraphGetNodes(gr, nullptr, &a); });
  row(
      "graph_clone_1000_destroy",
      [&] {
        cudaGraph_t c;
        cudaGraphClone(&c, gr);
        cudaGraphDestroy(c);
      },
      20);
  cudaGraph_t g2;
  cudaGraphExec_t x;
  cudaGraphCreate(&g2, 0);
  cudaGraphAddKernelNode(&node, g2, nullptr, 0, &kp);
  cudaGraphInstantiate(&x, g2, 0);
  row("graph_exec_kernel_set_params", [&] { cudaGraphExecKernelNodeSetParams(x, node, &kp); });
  row("graph_exec_update_1", [&] {
    cudaGraphExecUpdateResultInfo r;
    cudaGraphExecUpdate(x, g2, &r);
  });
  row("user_object", [&] {
    cudaUserObject_t u;
    cudaUserObjectCreate(
        &u, &i, [](void*) {}, 1, cudaUserObjectNoDestructorSync);
    cudaUserObjectRelease(u, 1);
  });
  row("stream_set_attribute", [&] {
    cudaStreamAttrValue v{};
    v.accessPolicyWindow.base_ptr = d;
    v.accessPolicyWindow.num_bytes = 4096;
    v.accessPolicyWindow.hitRatio = 1;
    v.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    v.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v);
  });
  row(
      "launch_host_func_call",
      [&] {
        cudaLaunchHostFunc(
            s, [](void*) {}, nullptr);
      },
      100);
  cudaDeviceSynchronize();
  row(
      "stream_attach",
      [&] {
        cudaStreamAttachMemAsync(s, m, 0, cudaMemAttachSingle);
        cudaStreamSynchronize(s);
      },
      50);
}
