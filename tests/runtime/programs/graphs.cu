// Graphs: captured from streams and built of nodes, launched many times, with parameters changed in between.
#include <cstdio>
#include <cstdlib>
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

__global__ void scale(float* x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= a;
}

__global__ void add(float* x, const float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += y[i];
}

__global__ void total(const float* x, float* sum, int n) {  // one warp
  float s = 0;
  for (int i = threadIdx.x; i < n; i += 32) s += x[i];
  for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d);
  if (threadIdx.x == 0) *sum = s;
}

static bool say(const char* what, bool ok) {
  std::printf("%-40s %s\n", what, ok ? "PASS" : "FAIL");
  return ok;
}

struct Counter {
  int calls = 0;
  float seen = 0;
  const float* from = nullptr;
};

static void CUDART_CB count(void* p) {
  Counter* c = static_cast<Counter*>(p);
  c->calls++;
  if (c->from) c->seen = *c->from;
}

static const char* kindName(cudaGraphNodeType t) {
  switch (t) {
    case cudaGraphNodeTypeKernel: return "kernel";
    case cudaGraphNodeTypeMemcpy: return "memcpy";
    case cudaGraphNodeTypeMemset: return "memset";
    case cudaGraphNodeTypeHost: return "host";
    case cudaGraphNodeTypeGraph: return "graph";
    case cudaGraphNodeTypeEmpty: return "empty";
    default: return "other";
  }
}

static void describe(const char* name, cudaGraph_t graph) {
  size_t nodes = 0, roots = 0, edges = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(cudaGraphGetRootNodes(graph, nullptr, &roots));
#if CUDART_VERSION >= 13000
  CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
#else
  CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, &edges));
#endif
  std::vector<cudaGraphNode_t> list(nodes);
  CHECK(cudaGraphGetNodes(graph, list.data(), &nodes));
  int kinds[16] = {};
  for (cudaGraphNode_t n : list) {
    cudaGraphNodeType t;
    CHECK(cudaGraphNodeGetType(n, &t));
    kinds[t]++;
  }
  std::printf("%s: %zu nodes, %zu roots, %zu edges;", name, nodes, roots, edges);
  for (int t = 0; t < 16; t++)
    if (kinds[t]) std::printf(" %s %d", kindName(cudaGraphNodeType(t)), kinds[t]);
  std::printf("\n");
}

int main() {
  bool ok = true;
  const int n = 4096, blocks = n / 256;
  float *x, *y, *sum, *host;
  CHECK(cudaMalloc(&x, n * sizeof(float)));
  CHECK(cudaMalloc(&y, n * sizeof(float)));
  CHECK(cudaMalloc(&sum, sizeof(float)));
  CHECK(cudaMallocHost(&host, sizeof(float)));
  std::vector<float> ones(n, 1.0f);

  // Captured: a fork into a second stream and a join.
  {
    cudaStream_t a, b;
    cudaEvent_t fork, join;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));
    CHECK(cudaEventCreate(&fork));
    CHECK(cudaEventCreate(&join));
    CHECK(cudaMemcpy(x, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    cudaStreamCaptureStatus capture;
    CHECK(cudaStreamIsCapturing(a, &capture));
    ok &= say("no capture at first", capture == cudaStreamCaptureStatusNone);
    CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    CHECK(cudaStreamIsCapturing(a, &capture));
    ok &= say("capture active", capture == cudaStreamCaptureStatusActive);
    CHECK(cudaEventRecord(fork, a));
    CHECK(cudaStreamWaitEvent(b, fork, 0));
    scale<<<blocks, 256, 0, a>>>(x, 2.0f, n);
    CHECK(cudaMemsetAsync(y, 0, n * sizeof(float), b));
    CHECK(cudaEventRecord(join, b));
    CHECK(cudaStreamWaitEvent(a, join, 0));
    add<<<blocks, 256, 0, a>>>(x, y, n);
    total<<<1, 32, 0, a>>>(x, sum, n);
    CHECK(cudaMemcpyAsync(host, sum, sizeof(float), cudaMemcpyDeviceToHost, a));
    cudaGraph_t graph;
    CHECK(cudaStreamEndCapture(a, &graph));
    describe("captured", graph);
    float before;
    CHECK(cudaMemcpy(&before, x, sizeof(float), cudaMemcpyDeviceToHost));
    ok &= say("nothing ran while capturing", before == 1.0f);
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 1; i <= 5; i++) {
      CHECK(cudaGraphLaunch(exec, a));
      CHECK(cudaStreamSynchronize(a));
      std::printf("launch %d: %.9g\n", i, *host);
      ok &= *host == float(n << i);
    }
    for (int i = 0; i < 4; i++) CHECK(cudaGraphLaunch(exec, a));  // one after another, without waiting
    CHECK(cudaStreamSynchronize(a));
    ok &= say("nine launches", *host == float(n << 9));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaEventDestroy(fork));
    CHECK(cudaEventDestroy(join));
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
  }

  // Of nodes: memset and memcpy, two kernels, memcpy back, a host function.
  {
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t clear, copy, scaleNode, addNode, totalNode, back, hostNode;

    cudaMemsetParams ms = {};
    ms.dst = y;
    ms.value = 0x3f800000;  // 1.0f
    ms.elementSize = 4;
    ms.width = n;
    ms.height = 1;
    CHECK(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &ms));
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, x, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice));

    int count_ = n;
    float factor = 3.0f;
    void* scaleArgs[] = {&x, &factor, &count_};
    cudaKernelNodeParams kp = {};
    kp.func = reinterpret_cast<void*>(scale);
    kp.gridDim = dim3(blocks);
    kp.blockDim = dim3(256);
    kp.kernelParams = scaleArgs;
    CHECK(cudaGraphAddKernelNode(&scaleNode, graph, &copy, 1, &kp));

    void* addArgs[] = {&x, &y, &count_};
    kp.func = reinterpret_cast<void*>(add);
    kp.kernelParams = addArgs;
    cudaGraphNode_t both[] = {clear, scaleNode};
    CHECK(cudaGraphAddKernelNode(&addNode, graph, both, 2, &kp));

    void* totalArgs[] = {&x, &sum, &count_};
    kp.func = reinterpret_cast<void*>(total);
    kp.gridDim = dim3(1);
    kp.blockDim = dim3(32);
    kp.kernelParams = totalArgs;
    CHECK(cudaGraphAddKernelNode(&totalNode, graph, &addNode, 1, &kp));

    cudaMemcpy3DParms mp = {};
    mp.srcPtr = make_cudaPitchedPtr(sum, sizeof(float), 1, 1);
    mp.dstPtr = make_cudaPitchedPtr(host, sizeof(float), 1, 1);
    mp.extent = make_cudaExtent(sizeof(float), 1, 1);
    mp.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaGraphAddMemcpyNode(&back, graph, &totalNode, 1, &mp));

    Counter counter;
    counter.from = host;
    cudaHostNodeParams hp = {count, &counter};
    CHECK(cudaGraphAddHostNode(&hostNode, graph, &back, 1, &hp));
    describe("built", graph);

    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    for (int i = 0; i < 3; i++) CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    std::printf("built: %d calls, sum %.9g\n", counter.calls, counter.seen);
    ok &= say("ones times 3 plus ones", counter.calls == 3 && counter.seen == 4.0f * n);

    // Another factor, in this executable graph only.
    factor = 9.0f;
    kp.func = reinterpret_cast<void*>(scale);
    kp.gridDim = dim3(blocks);
    kp.blockDim = dim3(256);
    kp.kernelParams = scaleArgs;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, scaleNode, &kp));
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    std::printf("changed: %d calls, sum %.9g\n", counter.calls, counter.seen);
    ok &= say("ones times 9 plus ones", counter.seen == 10.0f * n);

    // The graph itself still has the old one; a clone of it, changed, updates the executable.
    cudaGraph_t clone;
    CHECK(cudaGraphClone(&clone, graph));
    cudaGraphNode_t cloned;
    CHECK(cudaGraphNodeFindInClone(&cloned, scaleNode, clone));
    cudaKernelNodeParams old;
    CHECK(cudaGraphKernelNodeGetParams(cloned, &old));
    std::printf("node's factor %.9g, block %u\n", *static_cast<float*>(old.kernelParams[1]), old.blockDim.x);
    factor = 0.5f;
    CHECK(cudaGraphKernelNodeSetParams(cloned, &kp));
    cudaGraphExecUpdateResultInfo info;
    CHECK(cudaGraphExecUpdate(exec, clone, &info));
    ok &= say("update accepted", info.result == cudaGraphExecUpdateSuccess);
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    std::printf("updated: %d calls, sum %.9g\n", counter.calls, counter.seen);
    ok &= say("ones times 0.5 plus ones", counter.seen == 1.5f * n);

    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(clone));

    // As a child of another graph, with an empty node before it.
    cudaGraph_t parent;
    CHECK(cudaGraphCreate(&parent, 0));
    cudaGraphNode_t empty, child1, child2;
    CHECK(cudaGraphAddEmptyNode(&empty, parent, nullptr, 0));
    CHECK(cudaGraphAddChildGraphNode(&child1, parent, &empty, 1, graph));
    CHECK(cudaGraphAddChildGraphNode(&child2, parent, nullptr, 0, graph));
    CHECK(cudaGraphAddDependencies(parent, &child1, &child2,
#if CUDART_VERSION >= 13000
                                   nullptr,
#endif
                                   1));
    describe("parent", parent);
    CHECK(cudaGraphInstantiate(&exec, parent, 0));
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    std::printf("parent: %d calls, sum %.9g\n", counter.calls, counter.seen);
    ok &= say("two children", counter.calls == 7 && counter.seen == 4.0f * n);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(parent));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(s));
  }
  CHECK(cudaFree(x));
  CHECK(cudaFree(y));
  CHECK(cudaFree(sum));
  CHECK(cudaFreeHost(host));
  std::printf("%s\n", ok ? "all PASS" : "some FAIL");
  return ok ? 0 : 1;
}
