// Nodes of graphs of every kind: made, asked, changed before and after instantiation; conditional nodes, one in the other.
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

__device__ int variable[4];
__global__ void add(int* p, int v) { atomicAdd(p, v); }
__global__ void set(cudaGraphConditionalHandle h, unsigned v) { cudaGraphSetConditional(h, v); }
// Counts, and goes on below a limit.
__global__ void count(int* p, int limit, cudaGraphConditionalHandle h) {
  const int n = ++*p;
  cudaGraphSetConditional(h, n % limit != 0);
}
__global__ void by_parity(const int* p, cudaGraphConditionalHandle h) { cudaGraphSetConditional(h, *p & 1); }

template <class... A>
static cudaGraphNode_t kernel(cudaGraph_t g, void (*f)(A...), std::vector<cudaGraphNode_t> after, std::decay_t<A>... a) {
  void* args[] = {&a...};
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeKernel;
  p.kernel.func = (void*)f, p.kernel.gridDim = dim3(1), p.kernel.blockDim = dim3(1), p.kernel.kernelParams = args;
  cudaGraphNode_t n = nullptr;
  CHECK(cudaGraphAddNode(&n, g, after.data(), nullptr, after.size(), &p));
  return n;
}
static std::vector<cudaGraph_t> conditional(cudaGraph_t g, cudaGraphConditionalHandle h, cudaGraphConditionalNodeType type, unsigned size,
                                            std::vector<cudaGraphNode_t> after, cudaGraphNode_t* node = nullptr) {
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = h, p.conditional.type = type, p.conditional.size = size;
  cudaGraphNode_t n = nullptr;
  CHECK(cudaGraphAddNode(&n, g, after.data(), nullptr, after.size(), &p));
  if (node != nullptr) *node = n;
  return {p.conditional.phGraph_out, p.conditional.phGraph_out + size};
}
static void launch(cudaGraphExec_t x, int times = 1) {
  for (int i = 0; i < times; ++i) CHECK(cudaGraphLaunch(x, 0));
  CHECK(cudaDeviceSynchronize());
}

// A loop whose body has a switch by the turn's parity, whose branches add to different places; launched twice.
static void nested() {
  int* p;
  CHECK(cudaMallocManaged(&p, 16));
  cudaGraph_t g;
  CHECK(cudaGraphCreate(&g, 0));
  cudaGraphConditionalHandle loop, inner;
  CHECK(cudaGraphConditionalHandleCreate(&loop, g, 1, cudaGraphCondAssignDefault));
  cudaGraphNode_t node;
  const cudaGraph_t body = conditional(g, loop, cudaGraphCondTypeWhile, 1, {}, &node)[0];
  kernel(g, add, {node}, p + 3, 1);
  CHECK(cudaGraphConditionalHandleCreate(&inner, body));
  const cudaGraphNode_t counted = kernel(body, count, {}, p, 5, loop);
  const cudaGraphNode_t chosen = kernel(body, by_parity, {counted}, (const int*)p, inner);
  int n = 1;
  for (cudaGraph_t branch : conditional(body, inner, cudaGraphCondTypeSwitch, 2, {chosen})) kernel(branch, add, {}, p + n++, 10);
  cudaGraphNodeType type;
  CHECK(cudaGraphNodeGetType(node, &type));
  same("type of a conditional node", type, cudaGraphNodeTypeConditional);
  cudaGraphExec_t x;
  CHECK(cudaGraphInstantiate(&x, g, 0));
  launch(x);
  same("turns", p[0], 5);
  same("even turns", p[1], 20);
  same("odd turns", p[2], 30);
  launch(x, 2);
  same("turns of three launches", p[0], 15);
  same("even turns of three launches", p[1], 70);
  same("behind the loop", p[3], 3);
  CHECK(cudaGraphExecDestroy(x));
  CHECK(cudaGraphDestroy(g));
  // A body that is captured, and a condition that nobody sets.
  for (unsigned first = 0; first < 2; ++first) {
    p[0] = 0;
    CHECK(cudaGraphCreate(&g, 0));
    CHECK(cudaGraphConditionalHandleCreate(&loop, g, first, cudaGraphCondAssignDefault));
    const auto bodies = conditional(g, loop, cudaGraphCondTypeIf, 2, {});
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    for (int i = 0; i < 2; ++i) {
      CHECK(cudaStreamBeginCaptureToGraph(s, bodies[i], nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed));
      add<<<1, 1, 0, s>>>(p, i == 0 ? 100 : 7);
      cudaGraph_t captured;
      CHECK(cudaStreamEndCapture(s, &captured));
      same("captured into the body", captured == bodies[i], 1);
    }
    CHECK(cudaGraphInstantiate(&x, g, 0));
    launch(x);
    same(first ? "if" : "else", p[0], first ? 100 : 7);
    CHECK(cudaGraphExecDestroy(x));
    CHECK(cudaGraphDestroy(g));
    CHECK(cudaStreamDestroy(s));
  }
  // A handle serves one node; a node has so many bodies.
  CHECK(cudaGraphCreate(&g, 0));
  CHECK(cudaGraphConditionalHandleCreate(&loop, g));
  conditional(g, loop, cudaGraphCondTypeIf, 1, {});
  cudaGraphNodeParams q = {};
  q.type = cudaGraphNodeTypeConditional;
  q.conditional.handle = loop, q.conditional.type = cudaGraphCondTypeIf, q.conditional.size = 1;
  cudaGraphNode_t m;
  std::printf("a handle again: %s\n", cudaGetErrorName(cudaGraphAddNode(&m, g, nullptr, nullptr, 0, &q)));
  CHECK(cudaGraphConditionalHandleCreate(&inner, g));
  q.conditional.handle = inner, q.conditional.size = 3;
  std::printf("three branches of an if: %s\n", cudaGetErrorName(cudaGraphAddNode(&m, g, nullptr, nullptr, 0, &q)));
  (void)cudaGetLastError();
  CHECK(cudaGraphDestroy(g));
}

static void all_kinds() {
  int *p, host[4] = {1, 2, 3, 4}, back[4] = {};
  CHECK(cudaMalloc(&p, 64));
  CHECK(cudaMemset(p, 0, 64));
  cudaGraph_t g, child, other;
  CHECK(cudaGraphCreate(&g, 0));
  CHECK(cudaGraphCreate(&child, 0));
  CHECK(cudaGraphCreate(&other, 0));
  kernel(child, add, {}, p, 1);
  kernel(other, add, {}, p, 50);

  cudaGraphNodeParams q = {};
  cudaGraphNode_t copy, wait, record, host_node, inside, memory, freed, fill, out, empty;
  q.type = cudaGraphNodeTypeMemcpy;
  q.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(host, 16, 4, 1);
  q.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(p, 16, 4, 1);
  q.memcpy.copyParams.extent = make_cudaExtent(16, 1, 1);
  q.memcpy.copyParams.kind = cudaMemcpyHostToDevice;
  CHECK(cudaGraphAddNode(&copy, g, nullptr, nullptr, 0, &q));
  cudaMemcpy3DParms asked = {};
  CHECK(cudaGraphMemcpyNodeGetParams(copy, &asked));
  same("a copy's width", asked.extent.width, 16);
  same("a copy's target", asked.dstPtr.ptr == p, 1);
  q = {};
  q.type = cudaGraphNodeTypeGraph, q.graph.graph = child;
  CHECK(cudaGraphAddNode(&inside, g, &copy, nullptr, 1, &q));
  cudaGraph_t own = nullptr;
  size_t nodes = 0;
  CHECK(cudaGraphChildGraphNodeGetGraph(inside, &own));
  CHECK(cudaGraphGetNodes(own, nullptr, &nodes));
  same("nodes of the child", nodes, 1);
  same("the child is a copy", own != child, 1);
  cudaEvent_t event, second;
  CHECK(cudaEventCreate(&event));
  CHECK(cudaEventCreate(&second));
  q = {};
  q.type = cudaGraphNodeTypeEventRecord, q.eventRecord.event = event;
  CHECK(cudaGraphAddNode(&record, g, &inside, nullptr, 1, &q));
  cudaEvent_t of = nullptr;
  CHECK(cudaGraphEventRecordNodeGetEvent(record, &of));
  same("the event", of == event, 1);
  CHECK(cudaGraphEventRecordNodeSetEvent(record, second));
  q = {};
  q.type = cudaGraphNodeTypeWaitEvent, q.eventWait.event = event;
  CHECK(cudaGraphAddNode(&wait, g, &record, nullptr, 1, &q));
  CHECK(cudaGraphEventWaitNodeGetEvent(wait, &of));
  same("the event that is waited for", of == event, 1);
  static int called = 0;
  q = {};
  q.type = cudaGraphNodeTypeHost, q.host.fn = [](void* data) { called += *(int*)data; }, q.host.userData = &host[2];
  CHECK(cudaGraphAddNode(&host_node, g, &wait, nullptr, 1, &q));
  cudaHostNodeParams host_asked = {};
  CHECK(cudaGraphHostNodeGetParams(host_node, &host_asked));
  same("a host node's data", host_asked.userData == &host[2], 1);
  // Memory of the graph's own: set, copied into the result, freed.
  q = {};
  q.type = cudaGraphNodeTypeMemAlloc;
  q.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
  q.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
  q.alloc.bytesize = 256;
  CHECK(cudaGraphAddNode(&memory, g, &host_node, nullptr, 1, &q));
  void* const address = q.alloc.dptr;
  cudaMemAllocNodeParams memory_asked = {};
  CHECK(cudaGraphMemAllocNodeGetParams(memory, &memory_asked));
  same("memory's bytes", memory_asked.bytesize, 256);
  same("memory's address", memory_asked.dptr == address, 1);
  q = {};
  q.type = cudaGraphNodeTypeMemset;
  q.memset.dst = address, q.memset.value = 0x01010101, q.memset.elementSize = 4, q.memset.width = 4, q.memset.height = 1;
  CHECK(cudaGraphAddNode(&fill, g, &memory, nullptr, 1, &q));
  cudaMemsetParams set_asked = {};
  CHECK(cudaGraphMemsetNodeGetParams(fill, &set_asked));
  same("a memset's width", set_asked.width, 4);
  CHECK(cudaGraphAddMemcpyNode1D(&out, g, &fill, 1, p + 4, address, 16, cudaMemcpyDeviceToDevice));
  q = {};
  q.type = cudaGraphNodeTypeMemFree, q.free.dptr = address;
  CHECK(cudaGraphAddNode(&freed, g, &out, nullptr, 1, &q));
  void* freed_asked = nullptr;
  CHECK(cudaGraphMemFreeNodeGetParams(freed, &freed_asked));
  same("what is freed", freed_asked == address, 1);
  q = {};
  q.type = cudaGraphNodeTypeEmpty;
  CHECK(cudaGraphAddNode(&empty, g, &freed, nullptr, 1, &q));
  size_t behind = 0;
  CHECK(cudaGraphNodeGetDependentNodes(fill, nullptr, nullptr, &behind));
  same("nodes behind the memset", behind, 1);

  cudaGraphExec_t x;
  CHECK(cudaGraphInstantiate(&x, g, 0));
  launch(x);
  CHECK(cudaMemcpy(back, p, 16, cudaMemcpyDeviceToHost));
  same("copied, and the child's", back[0], 2);
  same("called", called, 3);
  CHECK(cudaMemcpy(back, p + 4, 16, cudaMemcpyDeviceToHost));
  same("through the graph's memory", back[3], 0x01010101);

  // Changed where it is instantiated: another child, another event, other bytes.
  CHECK(cudaGraphExecChildGraphNodeSetParams(x, inside, other));
  CHECK(cudaGraphExecEventRecordNodeSetEvent(x, record, event));
  q = {};
  q.type = cudaGraphNodeTypeMemset;
  q.memset.dst = address, q.memset.value = 9, q.memset.elementSize = 4, q.memset.width = 4, q.memset.height = 1;
  CHECK(cudaGraphExecNodeSetParams(x, fill, &q));
  launch(x);
  CHECK(cudaMemcpy(back, p, 16, cudaMemcpyDeviceToHost));
  same("another child", back[0], 51);
  CHECK(cudaMemcpy(back, p + 4, 16, cudaMemcpyDeviceToHost));
  same("another memset", back[0], 9);
  // Changed in the graph itself.
  int hundred[4] = {100};
  q = {};
  q.type = cudaGraphNodeTypeMemcpy;
  q.memcpy.copyParams = asked;
  q.memcpy.copyParams.srcPtr.ptr = hundred;
  CHECK(cudaGraphNodeSetParams(copy, &q));
  cudaGraphExec_t y;
  CHECK(cudaGraphExecDestroy(x));
  CHECK(cudaGraphInstantiate(&y, g, 0));
  launch(y);
  CHECK(cudaMemcpy(back, p, 16, cudaMemcpyDeviceToHost));
  same("another source", back[0], 101);
  CHECK(cudaGraphExecDestroy(y));

  CHECK(cudaGraphDebugDotPrint(g, "graph_nodes.dot", 0));
  std::FILE* f = std::fopen("graph_nodes.dot", "r");
  char line[64] = {};
  same("a picture", f != nullptr && std::fgets(line, sizeof line, f) && std::strncmp(line, "digraph", 7) == 0, 1);
  std::fclose(f);
  std::remove("graph_nodes.dot");
  CHECK(cudaGraphDestroy(g));
}

static void symbols_and_attributes() {
  cudaGraph_t g;
  CHECK(cudaGraphCreate(&g, 0));
  int from[4] = {5, 6, 7, 8}, to[4] = {};
  cudaGraphNode_t in, out;
  CHECK(cudaGraphAddMemcpyNodeToSymbol(&in, g, nullptr, 0, variable, from, 8, 8, cudaMemcpyHostToDevice));
  CHECK(cudaGraphAddMemcpyNodeFromSymbol(&out, g, &in, 1, to, variable, 16, 0, cudaMemcpyDeviceToHost));
  cudaGraphExec_t x;
  CHECK(cudaGraphInstantiate(&x, g, 0));
  launch(x);
  same("variable", to[2] * 10 + to[3], 56);
  CHECK(cudaGraphExecMemcpyNodeSetParamsToSymbol(x, in, variable, from + 2, 8, 0, cudaMemcpyHostToDevice));
  launch(x);
  same("another place of it", to[0] * 10 + to[1], 78);
  CHECK(cudaGraphExecDestroy(x));
  int* p;
  CHECK(cudaMalloc(&p, 4));
  const cudaGraphNode_t a = kernel(g, add, {}, p, 1), b = kernel(g, add, {}, p, 1);
  cudaKernelNodeAttrValue v = {};
  v.priority = -3;
  CHECK(cudaGraphKernelNodeSetAttribute(a, cudaKernelNodeAttributePriority, &v));
  CHECK(cudaGraphKernelNodeCopyAttributes(b, a));
  v.priority = 0;
  CHECK(cudaGraphKernelNodeGetAttribute(b, cudaKernelNodeAttributePriority, &v));
  same("priority", v.priority, -3);
  CHECK(cudaGraphDestroy(g));
}

int main() {
  nested();
  all_kinds();
  symbols_and_attributes();
  std::printf("%s\n", failures == 0 ? "all ok" : "FAIL");
  return failures != 0;
}
