// Graphs that host_graphs.cu leaves out: conditional nodes, any shape, every pair of kinds of nodes. `graph_shapes PART` prints rows
// test,parameter,value,unit; without a part all of them. Rows are medians.
// Build: nvcc -O2 -std=c++17 -arch=sm_90a graph_shapes.cu -o graph_shapes -lcuda -lpthread
#include "host_shapes.h"
using Nodes = vector<cudaGraphNode_t>;

struct G {
  cudaGraph_t g;
  G() { CK(cudaGraphCreate(&g, 0)); }
  explicit G(cudaGraph_t body) : g(body) {}
};
static cudaGraphNode_t kernel(G& g, void* f, vector<void*> args, Nodes after = {}, int blocks = 1, int threads = 32) {
  cudaKernelNodeParams p = {};
  p.func = f;
  p.gridDim = blocks;
  p.blockDim = threads;
  p.kernelParams = args.data();
  cudaGraphNode_t n;
  CK(cudaGraphAddKernelNode(&n, g.g, after.data(), after.size(), &p));
  return n;
}
static long long spin_cycles = 0;
static cudaGraphNode_t spin(G& g, Nodes after = {}) { return spin_cycles ? kernel(g, (void*)k_spin, {&spin_cycles}, after) : kernel(g, (void*)k_empty, {}, after); }
static cudaGraphExec_t inst(G& g) {
  cudaGraphExec_t x;
  CK(cudaGraphInstantiate(&x, g.g, 0));
  return x;
}
// What a graph takes: between events, its launch's return, until all is done; of the second launch on.
static void graph_rows(const string& name, G& g, bool all = false) {
  double ti = now();
  cudaGraphExec_t x = inst(g);
  ti = now() - ti;
  CK(cudaGraphLaunch(x, s));
  CK(cudaDeviceSynchronize());
  row("shape_exec_us", name, med(11, [&] { return evt([&] { CK(cudaGraphLaunch(x, s)); }); }));
  row("shape_return_us", name, med(11, [&] { return call([&] { CK(cudaGraphLaunch(x, s)); }); }));
  row("shape_done_us", name, med(11, [&] { return done([&] { CK(cudaGraphLaunch(x, s)); }); }));
  if (all) {
    row("shape_instantiate_us", name, ti);
    row("shape_relaunch_us", name, med(5, [&] { return done([&] { for (int i = 0; i < 20; ++i) CK(cudaGraphLaunch(x, s)); }); }) / 20);
  }
  CK(cudaGraphExecDestroy(x));
}

// --- conditional nodes
static cudaGraphNode_t conditional(G& g, cudaGraphConditionalHandle h, cudaGraphConditionalNodeType type, unsigned size, vector<G>* bodies, Nodes after = {}) {
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = h;
  p.conditional.type = type;
  p.conditional.size = size;
  cudaGraphNode_t n;
  CK(cudaGraphAddNode(&n, g.g, after.data(), nullptr, after.size(), &p));
  for (unsigned i = 0; i < size; ++i) bodies->push_back(G(p.conditional.phGraph_out[i]));
  return n;
}
static cudaGraphConditionalHandle handle(G& g, unsigned value) {
  cudaGraphConditionalHandle h;
  CK(cudaGraphConditionalHandleCreate(&h, g.g, value, cudaGraphCondAssignDefault));
  return h;
}
static void conditions() {
  for (long long cycles : {0ll, 4000ll}) {
    spin_cycles = cycles;
    const string with = cycles ? " spin4000" : " empty";
    for (unsigned n : {1u, 2u, 10u, 100u, 1000u}) for (int kernels : {1, 3}) {
      G g;
      auto h = handle(g, 1);
      auto first = kernel(g, (void*)k_start, {&n});
      vector<G> b;
      conditional(g, h, cudaGraphCondTypeWhile, 1, &b, {first});
      Nodes last;
      for (int i = 1; i < kernels; ++i) last = {spin(b[0], last)};
      kernel(b[0], (void*)k_count, {&h}, last);
      graph_rows("while " + to_string(n) + " iterations of " + to_string(kernels) + with, g, n == 10);
    }
    for (unsigned value : {0u, 1u}) for (int kernels : {1, 2, 5}) for (unsigned size : {1u, 2u}) {
      G g;
      auto h = handle(g, value);
      auto first = spin(g);
      vector<G> b;
      auto c = conditional(g, h, cudaGraphCondTypeIf, size, &b, {first});
      for (auto& body : b) { Nodes last; for (int i = 0; i < kernels; ++i) last = {spin(body, last)}; }
      spin(g, {c});
      graph_rows("kernel; " + string(size == 2 ? "if-else" : "if") + " " + to_string(value) + " of " + to_string(kernels) + "; kernel" + with, g, kernels == 2);
    }
    for (unsigned value : {0u, 3u, 7u}) {
      G g;
      auto h = handle(g, value);
      auto first = spin(g);
      vector<G> b;
      auto c = conditional(g, h, cudaGraphCondTypeSwitch, 4, &b, {first});
      for (auto& body : b) spin(body);
      spin(g, {c});
      graph_rows("kernel; switch " + to_string(value) + " of 4; kernel" + with, g);
    }
    for (int n : {4, 16}) {  // one behind the other, each set by the kernel before it
      G g;
      Nodes last;
      for (int i = 0; i < n; ++i) {
        auto h = handle(g, 0);
        unsigned one = 1;
        auto k = kernel(g, (void*)k_set, {&h, &one}, last);
        vector<G> b;
        last = {conditional(g, h, cudaGraphCondTypeIf, 1, &b, {k})};
        spin(b[0]);
      }
      graph_rows(to_string(n) + " times kernel and if 1 of 1" + with, g);
    }
    for (unsigned n : {4u, 50u}) {  // an if in each iteration
      G g;
      auto h = handle(g, 1), h2 = handle(g, 1);
      auto first = kernel(g, (void*)k_start, {&n});
      vector<G> b, inner;
      conditional(g, h, cudaGraphCondTypeWhile, 1, &b, {first});
      auto c = conditional(b[0], h2, cudaGraphCondTypeIf, 1, &inner);
      spin(inner[0]);
      kernel(b[0], (void*)k_count, {&h}, {c});
      graph_rows("while " + to_string(n) + " iterations of if 1 of 1 and a kernel" + with, g);
    }
    {  // two at a time
      G g;
      auto first = spin(g);
      Nodes ends;
      for (int i = 0; i < 2; ++i) {
        auto h = handle(g, 1);
        vector<G> b;
        ends.push_back(conditional(g, h, cudaGraphCondTypeIf, 1, &b, {first}));
        spin(b[0]);
      }
      spin(g, ends);
      graph_rows("kernel; two ifs side by side; kernel" + with, g);
    }
  }
  spin_cycles = 0;
}

// --- shapes
static void shapes() {
  for (long long cycles : {0ll, 20000ll}) {
    spin_cycles = cycles;
    const string with = cycles ? " spin20000" : " empty";
    for (int chains : {1, 2, 3, 4, 8, 16, 32, 64}) for (int depth : {1, 4, 16}) {
      G g;
      for (int c = 0; c < chains; ++c) { Nodes last; for (int i = 0; i < depth; ++i) last = {spin(g, last)}; }
      graph_rows(to_string(chains) + " chains of " + to_string(depth) + with, g);
    }
    for (int width : {2, 4, 8, 32, 128}) for (int times : {1, 4}) {
      G g;
      Nodes last;
      for (int t = 0; t < times; ++t) {
        auto root = spin(g, last);
        Nodes mid;
        for (int i = 0; i < width; ++i) mid.push_back(spin(g, {root}));
        last = mid;
      }
      spin(g, last);
      graph_rows("fork and join of " + to_string(width) + " times " + to_string(times) + with, g);
    }
    for (int levels : {3, 5}) {
      G g;
      Nodes level = {spin(g)};
      for (int l = 1; l < levels; ++l) { Nodes next; for (auto n : level) for (int i = 0; i < 2; ++i) next.push_back(spin(g, {n})); level = next; }
      graph_rows("binary tree of " + to_string(levels) + " levels" + with, g);
      while (level.size() > 1) { Nodes next; for (size_t i = 0; i < level.size(); i += 2) next.push_back(spin(g, {level[i], level[i + 1]})); level = next; }
      graph_rows("binary tree of " + to_string(levels) + " levels and back" + with, g);
    }
    for (int width : {2, 4}) {  // each of a layer waits for all of the one before
      G g;
      Nodes layer;
      for (int l = 0; l < 8; ++l) { Nodes next; for (int i = 0; i < width; ++i) next.push_back(spin(g, layer)); layer = next; }
      graph_rows("8 full layers of " + to_string(width) + with, g);
    }
  }
  spin_cycles = 0;
  for (int n : {1, 10, 30, 100, 300, 1000, 3000, 10000}) {
    G g;
    Nodes last;
    for (int i = 0; i < n; ++i) last = {spin(g, last)};
    graph_rows("chain of " + to_string(n) + " empty", g, true);
  }
  for (int n : {100, 1000}) {
    G g;
    for (int i = 0; i < n; ++i) spin(g);
    graph_rows(to_string(n) + " roots empty", g, true);
  }
}

// --- nodes of every kind between kernels, in a graph and in a stream
static cudaEvent_t ev_x;
static const char* const kKinds[] = {"kernel", "memset4", "memset1M", "h2d4K", "h2d1M", "d2h4K", "d2h1M", "d2d4K", "d2d1M", "host", "record", "empty"};
static cudaGraphNode_t node(G& g, int kind, Nodes after) {
  cudaGraphNode_t n;
  const size_t bytes = kind == 2 || kind == 4 || kind == 6 || kind == 8 ? 1 << 20 : kind == 1 ? 4 : 4096;
  if (kind == 0) return spin(g, after);
  if (kind <= 2) {
    cudaMemsetParams p = {};
    p.dst = dev;
    p.elementSize = 4;
    p.width = bytes / 4;
    p.height = 1;
    CK(cudaGraphAddMemsetNode(&n, g.g, after.data(), after.size(), &p));
  } else if (kind <= 8) {
    void* to = kind <= 4 ? dev : kind <= 6 ? pinned : dev2;
    void* from = kind <= 4 ? pinned : dev;
    CK(cudaGraphAddMemcpyNode1D(&n, g.g, after.data(), after.size(), to, from, bytes, cudaMemcpyDefault));
  } else if (kind == 9) {
    cudaHostNodeParams p = {host_function, nullptr};
    CK(cudaGraphAddHostNode(&n, g.g, after.data(), after.size(), &p));
  } else if (kind == 10) {
    CK(cudaGraphAddEventRecordNode(&n, g.g, after.data(), after.size(), ev_x));
  } else {
    CK(cudaGraphAddEmptyNode(&n, g.g, after.data(), after.size()));
  }
  return n;
}
static void enqueue(int kind, cudaStream_t q) {
  const size_t bytes = kind == 2 || kind == 4 || kind == 6 || kind == 8 ? 1 << 20 : kind == 1 ? 4 : 4096;
  if (kind == 0) k_empty<<<1, 32, 0, q>>>();
  else if (kind <= 2) CK(cudaMemsetAsync(dev, 0, bytes, q));
  else if (kind <= 8) CK(cudaMemcpyAsync(kind <= 4 ? dev : kind <= 6 ? pinned : dev2, kind <= 4 ? pinned : dev, bytes, cudaMemcpyDefault, q));
  else if (kind == 9) CK(cudaLaunchHostFunc(q, host_function, nullptr));
  else if (kind == 10) CK(cudaEventRecord(ev_x, q));
}
static void kinds() {
  for (int a = 0; a < 12; ++a) for (int b = 0; b <= a; ++b) {  // ten times the one and the other
    const string name = string(kKinds[b]) + " and " + kKinds[a] + " 10 times";
    G g;
    Nodes last;
    for (int i = 0; i < 10; ++i) { last = {node(g, b, last)}; last = {node(g, a, last)}; }
    cudaGraphExec_t x = inst(g);
    CK(cudaGraphLaunch(x, s));
    row("kinds_graph_us", name, med(9, [&] { return evt([&] { CK(cudaGraphLaunch(x, s)); }); }));
    if (b == 0) row("kinds_graph_return_us", name, med(9, [&] { return call([&] { CK(cudaGraphLaunch(x, s)); }); }));
    CK(cudaGraphExecDestroy(x));
    if (a != 11) row("kinds_stream_us", name, med(9, [&] { CK(cudaDeviceSynchronize()); k_spin<<<1, 32, 0, s>>>(600000); return evt([&] { k_spin<<<1, 32, 0, s>>>(600000); for (int i = 0; i < 10; ++i) { enqueue(b, s); enqueue(a, s); } }); }));
  }
  {
    G g;
    Nodes last;
    for (int i = 0; i < 10; ++i) {
      cudaMemAllocNodeParams p = {};
      p.poolProps.allocType = cudaMemAllocationTypePinned;
      p.poolProps.location.type = cudaMemLocationTypeDevice;
      p.bytesize = 1 << 20;
      cudaGraphNode_t n, f;
      CK(cudaGraphAddMemAllocNode(&n, g.g, last.data(), last.size(), &p));
      Nodes k = {spin(g, {n})};
      CK(cudaGraphAddMemFreeNode(&f, g.g, k.data(), 1, p.dptr));
      last = {f};
    }
    cudaGraphExec_t x = inst(g);
    CK(cudaGraphLaunch(x, s));
    row("kinds_graph_us", "alloc and kernel and free 10 times", med(9, [&] { return evt([&] { CK(cudaGraphLaunch(x, s)); }); }));
    CK(cudaGraphExecDestroy(x));
  }
}

int main(int argc, char** argv) {
  start_shapes(cudaDeviceScheduleSpin);
  CK(cudaEventCreate(&ev_x));
  run_parts(argc > 1 ? argv[1] : "all", {{"conditions", conditions}, {"shapes", shapes}, {"kinds", kinds}});
}
