// CUDA graphs beyond host_calls.cu: memory nodes, programmatic edges, launches from the device. CSV: test,parameter,value,unit;
// lines of `check` say what the driver answers (an error's name, or a number). Build: nvcc -O2 -std=c++17 -rdc=true -arch=sm_90a -lcudadevrt
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
using std::string;
using std::to_string;
static double now() { return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
static void row(const char* t, const string& p, double v) { printf("%s,%s,%.6g,us\n", t, p.c_str(), v); fflush(stdout); }
static void check(const string& p, const string& v) { printf("check,%s,%s,\n", p.c_str(), v.c_str()); fflush(stdout); }
static void check(const string& p, cudaError_t e) { check(p, string(cudaGetErrorName(e))); cudaGetLastError(); }
template <class F> double med(int n, F f) { std::vector<double> v; for (int i = 0; i < n; i++) v.push_back(f()); std::sort(v.begin(), v.end()); return v[n / 2]; }

__device__ cudaGraphExec_t d_exec[512];
__device__ unsigned long long d_time[2048];
__device__ int d_error[512];
__device__ int d_left, d_count, d_seq, d_order[64];
__device__ unsigned long long gtime() { unsigned long long t; asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t)); return t; }
__global__ void k_empty() {}
__global__ void k_spin(long long cyc) { long long t = clock64(); while (clock64() - t < cyc); }
__global__ void k_pdl(long long cyc) { asm volatile("griddepcontrol.launch_dependents;"); long long t = clock64(); while (clock64() - t < cyc); asm volatile("griddepcontrol.wait;"); }
__global__ void k_start(int i) { d_time[i] = gtime(); }
__global__ void k_mark(int id) { d_order[atomicAdd(&d_seq, 1)] = id; }
// Launches n graphs into a named stream: what each call returned, how long it took, when it was.
__global__ void k_launch(int first, int n, unsigned long long stream, long long spin) {
  for (int i = 0; i < n; i++) { long long c = clock64(); d_time[1024 + i] = gtime(); d_error[i] = cudaGraphLaunch(d_exec[first + i], (cudaStream_t)stream); d_time[512 + i] = clock64() - c; }
  long long t = clock64(); while (clock64() - t < spin); d_time[511] = gtime();
}
__global__ void k_mark_launch(int id, int first, int n, unsigned long long stream) { d_order[atomicAdd(&d_seq, 1)] = id; for (int i = 0; i < n; i++) d_error[64 * id + i] = cudaGraphLaunch(d_exec[first + i], (cudaStream_t)stream); }
__global__ void k_relaunch() { d_count++; if (d_left-- > 0) d_error[0] = cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch); }
__global__ void k_self_twice() { if (d_count++ == 0) for (int i = 0; i < 2; i++) d_error[i] = cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch); }
__global__ void k_threads() { if (cudaGraphLaunch(d_exec[0], cudaStreamGraphTailLaunch) == cudaSuccess) atomicAdd(&d_count, 1); }
__global__ void k_outside() { d_error[0] = cudaGraphLaunch(d_exec[0], cudaStreamGraphFireAndForget); d_error[1] = cudaGetCurrentGraphExec() == nullptr; }

static const unsigned long long TAIL = 0x0100000000000000, FORGET = 0x0200000000000000, SIBLING = 0x0300000000000000;
static cudaStream_t s, s2;
static cudaEvent_t ev_a, ev_b;
struct G { cudaGraph_t g; std::vector<cudaGraphNode_t> nodes; G() { CK(cudaGraphCreate(&g, 0)); } };
static cudaGraphNode_t kernel(G& g, void* f, std::vector<void*> args, std::vector<cudaGraphNode_t> after = {}, int blocks = 1, int threads = 1) {
  cudaKernelNodeParams p = {}; p.func = f; p.gridDim = blocks; p.blockDim = threads; p.kernelParams = args.data(); cudaGraphNode_t n;
  CK(cudaGraphAddKernelNode(&n, g.g, after.data(), after.size(), &p)); g.nodes.push_back(n); return n;
}
static cudaGraphNode_t alloc(G& g, size_t bytes, void** p, std::vector<cudaGraphNode_t> after = {}) {
  cudaMemAllocNodeParams a = {}; a.poolProps.allocType = cudaMemAllocationTypePinned; a.poolProps.location.type = cudaMemLocationTypeDevice; a.bytesize = bytes; cudaGraphNode_t n;
  CK(cudaGraphAddMemAllocNode(&n, g.g, after.data(), after.size(), &a)); *p = a.dptr; return n;
}
static cudaGraphNode_t release(G& g, void* p, std::vector<cudaGraphNode_t> after = {}) { cudaGraphNode_t n; CK(cudaGraphAddMemFreeNode(&n, g.g, after.data(), after.size(), p)); return n; }
static cudaGraphExec_t inst(G& g, unsigned long long flags = 0) { cudaGraphExec_t x; CK(cudaGraphInstantiate(&x, g.g, flags)); return x; }
static cudaGraphExec_t chain(int n, unsigned long long flags, int start = -1) { G g; for (int i = 0; i < n; i++) { if (i == 0 && start >= 0) kernel(g, (void*)k_start, {&start}); else kernel(g, (void*)k_empty, {}, i ? std::vector<cudaGraphNode_t>{g.nodes.back()} : std::vector<cudaGraphNode_t>{}); } return inst(g, flags); }
static unsigned long long attr(cudaGraphMemAttributeType t) { unsigned long long v = 0; CK(cudaDeviceGetGraphMemAttribute(0, t, &v)); return v; }
static string mem() { return to_string(attr(cudaGraphMemAttrUsedMemCurrent) >> 20) + " used " + to_string(attr(cudaGraphMemAttrReservedMemCurrent) >> 20) + " reserved MiB"; }
static double launch_return(cudaGraphExec_t x, cudaStream_t q) { CK(cudaDeviceSynchronize()); double t = now(); CK(cudaGraphLaunch(x, q)); t = now() - t; CK(cudaDeviceSynchronize()); return t; }
static double launch_sync(cudaGraphExec_t x, cudaStream_t q) { CK(cudaDeviceSynchronize()); double t = now(); CK(cudaGraphLaunch(x, q)); CK(cudaStreamSynchronize(q)); return now() - t; }
template <class F> double evt(F f) { cudaEventRecord(ev_a, s); f(); cudaEventRecord(ev_b, s); CK(cudaEventSynchronize(ev_b)); float ms; cudaEventElapsedTime(&ms, ev_a, ev_b); return ms * 1e3; }
template <class T> T get(const void* sym, size_t i = 0) { T v; CK(cudaMemcpy(&v, (char*)sym + i * sizeof(T), sizeof v, cudaMemcpyDeviceToHost)); return v; }
template <class T> void put(void* sym, T v, size_t i = 0) { CK(cudaMemcpy((char*)sym + i * sizeof(T), &v, sizeof v, cudaMemcpyHostToDevice)); }
static char *p_exec, *p_time, *p_error, *p_left, *p_count, *p_seq, *p_order;
static string order() { int n = get<int>(p_seq); string o; if (n > 64) return to_string(n) + " marks"; for (int i = 0; i < n; i++) o += to_string(get<int>(p_order, i)) + " "; put(p_seq, 0); return o; }
static string err(int i = 0) { int e = get<int>(p_error, i); return e < 0 ? "nothing" : cudaGetErrorName((cudaError_t)e); }

static void memory_nodes() {
  for (size_t mib : {2, 64, 512}) {
    string q = to_string(mib) + "MiB"; void *p, *r; G g, h; long long z = 0;
    auto build = [&](G& k, void** ptr) { auto a = alloc(k, mib << 20, ptr); auto n = kernel(k, (void*)k_spin, {&z}, {a}); release(k, *ptr, {n}); };
    build(g, &p); build(h, &r); auto x = inst(g), y = inst(h);
    check("graph memory instantiated " + q, mem());
    row("graph_mem_launch_us", q + " first", launch_return(x, s)); check("graph memory after the first launch " + q, mem());
    row("graph_mem_launch_us", q + " again", med(7, [&] { return launch_return(x, s); })); row("graph_mem_sync_us", q + " again", med(7, [&] { return launch_sync(x, s); }));
    row("graph_mem_launch_us", q + " second graph same stream first", launch_return(y, s)); check("graph memory of two graphs in one stream " + q, mem());
    row("graph_mem_launch_us", q + " two graphs in turn same stream", med(7, [&] { launch_return(x, s); return launch_return(y, s); }));
    row("graph_mem_launch_us", q + " other stream", launch_return(y, s2)); check("graph memory of two graphs in two streams " + q, mem());
    row("graph_mem_launch_us", q + " streams in turn", med(7, [&] { launch_return(y, s); return launch_return(y, s2); }));
    row("graph_mem_launch_us", q + " two graphs two streams", med(7, [&] { launch_return(x, s); return launch_return(y, s2); }));
    row("graph_mem_sync_us", q + " streams in turn", med(7, [&] { launch_sync(y, s); return launch_sync(y, s2); }));
    { double t = now(); CK(cudaDeviceGraphMemTrim(0)); row("graph_mem_trim_us", q, now() - t); } check("graph memory after trim " + q, mem());
    row("graph_mem_launch_us", q + " after trim", launch_return(x, s)); CK(cudaDeviceGraphMemTrim(0));
    { double t = now(); CK(cudaGraphUpload(x, s)); row("graph_mem_upload_us", q + " after trim", now() - t); CK(cudaDeviceSynchronize()); } row("graph_mem_launch_us", q + " uploaded", launch_return(x, s));
    { CK(cudaDeviceSynchronize()); k_spin<<<1, 32, 0, s>>>(20000000); CK(cudaGraphLaunch(x, s)); double t = now(); CK(cudaGraphLaunch(y, s2)); row("graph_mem_launch_us", q + " second graph while the first is under way", now() - t); CK(cudaDeviceSynchronize()); check("graph memory then " + q, mem()); row("graph_mem_launch_us", q + " two streams after that", med(7, [&] { launch_return(x, s); return launch_return(y, s2); })); }
    CK(cudaGraphExecDestroy(x)); CK(cudaGraphExecDestroy(y)); check("graph memory without execs " + q, mem()); cudaGraphDestroy(g.g); cudaGraphDestroy(h.g); check("graph memory without graphs " + q, mem()); CK(cudaDeviceGraphMemTrim(0)); }
  { G g; void *p, *q, *r, *t; auto a = alloc(g, 2 << 20, &p); auto f = release(g, p, {a}); alloc(g, 2 << 20, &q, {f}); auto b = alloc(g, 2 << 20, &r); auto c = alloc(g, 1 << 20, &t, {f}); release(g, q, {c}); release(g, r, {b}); release(g, t, {c}); check("address: an allocation after a free of its size is the same", to_string(p == q)); check("address: an independent allocation is the same", to_string(p == r)); check("address: a second allocation after the free is the same", to_string(p == t));
    cudaGraphNode_t n; check("free node twice", cudaGraphAddMemFreeNode(&n, g.g, nullptr, 0, p)); auto x = inst(g); cudaGraphExec_t y; check("second instantiation of a graph with memory nodes", cudaGraphInstantiate(&y, g.g, 0)); check("launch twice of a freeing graph", cudaGraphLaunch(x, s)); cudaGraph_t cl; check("clone of a graph with memory nodes", cudaGraphClone(&cl, g.g)); cudaGraph_t pa; CK(cudaGraphCreate(&pa, 0)); check("child graph with memory nodes", cudaGraphAddChildGraphNode(&n, pa, nullptr, 0, g.g)); CK(cudaDeviceSynchronize());
    check("free from outside of an allocation that the graph frees", cudaFreeAsync(q, s)); G h; check("free node elsewhere of an allocation that the graph frees", cudaGraphAddMemFreeNode(&n, h.g, nullptr, 0, q)); }
  { G g; void* p; alloc(g, 4 << 20, &p); auto x = inst(g); check("unfreed: first launch", cudaGraphLaunch(x, s)); check("unfreed: second launch", cudaGraphLaunch(x, s)); check("unfreed memory", mem()); CK(cudaDeviceSynchronize()); check("unfreed: cudaFreeAsync", cudaFreeAsync(p, s)); check("unfreed: launch after the free", cudaGraphLaunch(x, s)); check("unfreed: exec destroyed", cudaGraphExecDestroy(x)); CK(cudaDeviceSynchronize()); check("unfreed memory after exec destroy", mem()); check("unfreed: cudaFree", cudaFree(p)); CK(cudaDeviceSynchronize()); check("memory after cudaFree", mem()); check("free again", cudaFree(p)); CK(cudaDeviceGraphMemTrim(0)); }
  { G g; void* p; alloc(g, 4 << 20, &p); auto x = inst(g, cudaGraphInstantiateFlagAutoFreeOnLaunch); check("auto free: first launch", cudaGraphLaunch(x, s)); check("auto free: second launch", cudaGraphLaunch(x, s)); CK(cudaDeviceSynchronize()); check("auto free memory", mem()); row("graph_mem_launch_us", "4MiB auto free", med(7, [&] { return launch_return(x, s); })); CK(cudaFree(p)); }
  { G g; void* p; alloc(g, 4 << 20, &p); auto x = inst(g); G h; release(h, p); auto y = inst(h); check("free in another graph: before the allocation", cudaGraphLaunch(y, s)); CK(cudaDeviceSynchronize()); check("free in another graph: allocation", cudaGraphLaunch(x, s)); check("free in another graph: free", cudaGraphLaunch(y, s)); check("free in another graph: free again", cudaGraphLaunch(y, s)); check("free in another graph: allocation again", cudaGraphLaunch(x, s)); check("sync", cudaDeviceSynchronize()); cudaGraphNode_t n; check("free node in the owner after one in another graph", cudaGraphAddMemFreeNode(&n, g.g, nullptr, 0, p)); }
  { cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); void* p; check("captured cudaMallocAsync", cudaMallocAsync(&p, 2 << 20, s)); check("captured cudaFreeAsync", cudaFreeAsync(p, s)); cudaGraph_t g; check("end capture", cudaStreamEndCapture(s, &g)); size_t n = 0; cudaGraphGetNodes(g, nullptr, &n); check("captured nodes", to_string(n)); cudaGraphExec_t x; check("instantiate", cudaGraphInstantiate(&x, g, cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagDeviceLaunch)); }
}

// What host_calls.cu leaves out: updates and capture.
static void calls() {
  for (int n : {1, 10, 100}) { G g, h; for (G* k : {&g, &h}) { kernel(*k, (void*)k_empty, {}); for (int i = 1; i < n; i++) kernel(*k, (void*)k_empty, {}, {k->nodes.back()}); } auto x = inst(g); launch_sync(x, s); cudaGraphExecUpdateResultInfo info; cudaKernelNodeParams p; CK(cudaGraphKernelNodeGetParams(g.nodes[0], &p));
    row("graph_update_us", to_string(n) + " kernels", med(21, [&] { double t = now(); CK(cudaGraphExecUpdate(x, h.g, &info)); t = now() - t; launch_sync(x, s); return t; }));
    row("graph_set_params_us", "1 of " + to_string(n) + " kernels", med(21, [&] { double t = now(); CK(cudaGraphExecKernelNodeSetParams(x, g.nodes[0], &p)); t = now() - t; launch_sync(x, s); return t; }));
    row("graph_launch_updated_us", to_string(n) + " kernels", med(21, [&] { CK(cudaGraphExecUpdate(x, h.g, &info)); return launch_return(x, s); }));
    row("graph_capture_us", to_string(n) + " kernels", med(21, [&] { cudaGraph_t c; double t = now(); cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); for (int i = 0; i < n; i++) k_empty<<<1, 32, 0, s>>>(); cudaStreamEndCapture(s, &c); t = now() - t; cudaGraphDestroy(c); return t; })); }
}

static void edges() {
  for (int kind : {0, 1, 2}) for (long long spin : {0ll, 4000ll}) { G g; const int n = 100;
    for (int i = 0; i < n; i++) { kernel(g, kind ? (void*)k_pdl : (void*)k_spin, {&spin}, {}, 132, 128); if (i) { cudaGraphEdgeData e = {}; e.from_port = kind; e.type = kind ? cudaGraphDependencyTypeProgrammatic : cudaGraphDependencyTypeDefault; CK(cudaGraphAddDependencies(g.g, &g.nodes[i - 1], &g.nodes[i], &e, 1)); } }
    auto x = inst(g); CK(cudaGraphLaunch(x, s)); CK(cudaDeviceSynchronize());
    row("graph_edge_us", string("100 kernels of 132 blocks spin") + to_string(spin) + (kind == 0 ? " full" : kind == 1 ? " programmatic" : " launch completion"), med(9, [&] { return evt([&] { cudaGraphLaunch(x, s); }); }));
    if (kind == 1 && spin == 0) { size_t k = 99; std::vector<cudaGraphNode_t> f(k), t(k); check("edges without their data", cudaGraphGetEdges(g.g, f.data(), t.data(), nullptr, &k)); G h; kernel(h, (void*)k_pdl, {&spin}, {}, 132, 128); for (int i = 1; i < n; i++) kernel(h, (void*)k_pdl, {&spin}, {h.nodes.back()}, 132, 128); cudaGraphExecUpdateResultInfo info; check("update with other edge data", cudaGraphExecUpdate(x, h.g, &info)); check("update result", to_string(info.result)); } }
  G g; long long z = 0; auto a = kernel(g, (void*)k_pdl, {&z}); cudaGraphNode_t m; int* p; CK(cudaMalloc(&p, 64)); cudaMemsetParams mp = {}; mp.dst = p; mp.elementSize = 4; mp.width = 4; mp.height = 1; CK(cudaGraphAddMemsetNode(&m, g.g, nullptr, 0, &mp)); cudaGraphEdgeData e = {}; e.from_port = 1; e.type = cudaGraphDependencyTypeProgrammatic; check("programmatic edge to a memset", cudaGraphAddDependencies(g.g, &a, &m, &e, 1)); check("programmatic edge from a memset", cudaGraphAddDependencies(g.g, &m, &a, &e, 1)); cudaGraphExec_t x; check("instantiate with it", cudaGraphInstantiate(&x, g.g, 0)); e.from_port = 0; G h; auto b = kernel(h, (void*)k_pdl, {&z}), c = kernel(h, (void*)k_pdl, {&z}); check("type programmatic, port 0", cudaGraphAddDependencies(h.g, &b, &c, &e, 1)); e.from_port = 1; e.type = cudaGraphDependencyTypeDefault; check("type default, port 1", cudaGraphAddDependencies(h.g, &b, &c, &e, 1)); e.from_port = 1; e.to_port = 1; e.type = cudaGraphDependencyTypeProgrammatic; check("to port 1", cudaGraphAddDependencies(h.g, &b, &c, &e, 1)); e.from_port = 3; e.to_port = 0; check("from port 3", cudaGraphAddDependencies(h.g, &b, &c, &e, 1)); check("instantiate with type programmatic, port 0", cudaGraphInstantiate(&x, h.g, 0));
}

static void device_launch() {
  const auto D = cudaGraphInstantiateFlagDeviceLaunch; long long zero = 0;
  for (int n : {1, 10, 100}) { row("graph_instantiate_device_us", to_string(n) + " kernels", med(5, [&] { G g; kernel(g, (void*)k_empty, {}); for (int i = 1; i < n; i++) kernel(g, (void*)k_empty, {}, {g.nodes.back()}); double t = now(); auto x = inst(g, D); t = now() - t; cudaGraphExecDestroy(x); return t; }));
    row("graph_instantiate_again_us", to_string(n) + " kernels", med(5, [&] { G g; kernel(g, (void*)k_empty, {}); for (int i = 1; i < n; i++) kernel(g, (void*)k_empty, {}, {g.nodes.back()}); double t = now(); auto x = inst(g); t = now() - t; cudaGraphExecDestroy(x); return t; }));
    for (auto f : {0, (int)D}) row(f ? "graph_upload_device_us" : "graph_upload_us", to_string(n) + " kernels", med(5, [&] { auto x = chain(n, f); CK(cudaDeviceSynchronize()); double t = now(); CK(cudaGraphUpload(x, s)); t = now() - t; CK(cudaDeviceSynchronize()); cudaGraphExecDestroy(x); return t; })); }
  // From the launching call to the child's first kernel; the call itself; the launcher's end to a tail's start.
  for (int n : {1, 10}) for (auto st : {FORGET, SIBLING, TAIL}) { auto c = chain(n, D, 0); CK(cudaGraphUpload(c, s)); put(p_exec, c); G g; int first = 0, one = 1; long long spin = 20000; unsigned long long stream = st; kernel(g, (void*)k_launch, {&first, &one, &stream, &spin}); auto x = inst(g); CK(cudaGraphLaunch(x, s)); CK(cudaDeviceSynchronize());
    string q = string(st == FORGET ? "fire-and-forget" : st == SIBLING ? "sibling" : "tail") + " of " + to_string(n); std::vector<double> lat, call, end;
    for (int i = 0; i < 41; i++) { CK(cudaGraphLaunch(x, s)); CK(cudaDeviceSynchronize()); auto t0 = get<unsigned long long>(p_time, 1024), t1 = get<unsigned long long>(p_time, 0), te = get<unsigned long long>(p_time, 511); lat.push_back(double(t1 - t0) / 1e3); end.push_back((double(t1) - double(te)) / 1e3); call.push_back(get<unsigned long long>(p_time, 512) / 1980.0); }
    for (auto* v : {&lat, &call, &end}) std::sort(v->begin(), v->end());
    check("device launch returned, " + q, err()); row("device_launch_call_us", q, call[20]); row(st == TAIL ? "device_tail_start_us" : "device_launch_start_us", q, st == TAIL ? end[20] : lat[20]);
    row("device_launch_exec_us", q, med(21, [&] { return evt([&] { cudaGraphLaunch(x, s); }); })); }
  { auto x = chain(1, 0); launch_sync(x, s); row("device_launch_exec_us", "none", med(21, [&] { return evt([&] { cudaGraphLaunch(x, s); }); })); G g; int f0 = 0, none = 0; long long spin = 20000; unsigned long long st = FORGET; kernel(g, (void*)k_launch, {&f0, &none, &st, &spin}); auto y = inst(g); launch_sync(y, s); row("device_launch_exec_us", "a launcher that launches nothing", med(21, [&] { return evt([&] { cudaGraphLaunch(y, s); }); })); }
  // A graph that launches itself again and again: time of each.
  for (int n : {1, 10}) { G g; if (n > 1) { kernel(g, (void*)k_empty, {}); for (int i = 2; i < n; i++) kernel(g, (void*)k_empty, {}, {g.nodes.back()}); } kernel(g, (void*)k_relaunch, {}, g.nodes.empty() ? std::vector<cudaGraphNode_t>{} : std::vector<cudaGraphNode_t>{g.nodes.back()}); auto x = inst(g, D); CK(cudaGraphUpload(x, s)); auto run = [&](int times) { return med(7, [&] { put(p_left, times); put(p_count, 0); CK(cudaDeviceSynchronize()); return evt([&] { cudaGraphLaunch(x, s); }); }); }; run(1); double t0 = run(0), t1 = run(100); check("self relaunch of " + to_string(n) + ", kernels run", to_string(get<int>(p_count))); row("device_relaunch_us", "each of 100, " + to_string(n) + " kernels", (t1 - t0) / 100); row("device_relaunch_total_us", "100 of " + to_string(n) + " kernels", t1); }
  // Many fire-and-forget children of one launcher.
  for (int n : {10, 100}) { for (int i = 0; i < n; i++) { auto c = chain(1, D); CK(cudaGraphUpload(c, s)); put(p_exec, c, i); } G g; int first = 0; long long spin = 0; unsigned long long stream = FORGET; kernel(g, (void*)k_launch, {&first, &n, &stream, &spin}); auto x = inst(g); launch_sync(x, s); row("device_launch_many_us", to_string(n) + " fire-and-forget", med(9, [&] { return evt([&] { cudaGraphLaunch(x, s); }); })); double sum = 0; for (int i = 0; i < n; i++) sum += get<unsigned long long>(p_time, 512 + i) / 1980.0; row("device_launch_call_us", to_string(n) + " fire-and-forget mean", sum / n); }
  // ---- answers
  auto launcher = [&](int first, int n, unsigned long long st, unsigned long long flags = 0) { G g; long long spin = 0; kernel(g, (void*)k_launch, {&first, &n, &st, &spin}); return inst(g, flags); };
  { for (int i = 0; i < 125; i++) { auto c = chain(1, D); CK(cudaGraphUpload(c, s)); put(p_exec, c, i); } CK(cudaGraphLaunch(launcher(0, 125, FORGET), s)); check("sync", cudaDeviceSynchronize()); for (int i : {118, 119, 120, 121}) check("fire-and-forget number " + to_string(i + 1), err(i)); }
  { for (int i = 0; i < 258; i++) { auto c = chain(1, D); CK(cudaGraphUpload(c, s)); put(p_exec, c, i); } CK(cudaGraphLaunch(launcher(0, 258, TAIL), s)); check("sync", cudaDeviceSynchronize()); for (int i : {253, 254, 255, 256}) check("tail number " + to_string(i + 1), err(i)); }
  { auto c = chain(1, D); put(p_exec, c); CK(cudaGraphLaunch(launcher(0, 1, FORGET), s)); check("sync", cudaDeviceSynchronize()); check("not uploaded", err()); }
  { G b; long long spin = 200000; kernel(b, (void*)k_spin, {&spin}); auto c = inst(b, D); CK(cudaGraphUpload(c, s)); put(p_exec, c); put(p_exec, c, 1); CK(cudaGraphLaunch(launcher(0, 2, FORGET), s)); check("sync", cudaDeviceSynchronize()); check("double launch first", err(0)); check("double launch second", err(1)); }
  { put(p_count, 0); G g; kernel(g, (void*)k_self_twice, {}); auto x = inst(g, D); CK(cudaGraphLaunch(x, s)); check("sync", cudaDeviceSynchronize()); check("self tail first", err(0)); check("self tail second", err(1)); }
  { put(p_count, 0); auto c = chain(1, D); CK(cudaGraphUpload(c, s)); put(p_exec, c); G g; kernel(g, (void*)k_threads, {}, {}, 1, 4); CK(cudaGraphLaunch(inst(g), s)); check("sync", cudaDeviceSynchronize()); check("four threads launch one graph: successes", to_string(get<int>(p_count))); }
  { auto c = chain(1, D); CK(cudaGraphUpload(c, s)); put(p_exec, c); put(p_error, -1); put(p_error, -1, 1); k_outside<<<1, 1, 0, s>>>(); check("launch", cudaGetLastError()); check("sync", cudaDeviceSynchronize()); check("launch from a kernel outside graphs", err()); check("current exec outside is null", to_string(get<int>(p_error, 1))); }
  { // order: G queues X, Y; X queues A, B
    auto leaf = [&](int id, int at) { G g; kernel(g, (void*)k_mark, {&id}); auto x = inst(g, D); CK(cudaGraphUpload(x, s)); put(p_exec, x, at); }; leaf(3, 2); leaf(4, 3); leaf(5, 1);
    auto node = [&](int id, int first, int n) { G g; unsigned long long st = TAIL; kernel(g, (void*)k_mark_launch, {&id, &first, &n, &st}); return inst(g, D); }; auto x = node(2, 2, 2); CK(cudaGraphUpload(x, s)); put(p_exec, x, 0); put(p_seq, 0); CK(cudaGraphLaunch(node(1, 0, 2), s)); check("sync", cudaDeviceSynchronize()); check("order of G=1 X=2 A=3 B=4 Y=5", order()); }
  // what a device graph must not hold
  auto refuse = [&](const string& what, auto f) { G g; kernel(g, (void*)k_empty, {}); f(g); cudaGraphExec_t x; cudaGraphInstantiateParams p = {}; p.flags = D; cudaError_t e = cudaGraphInstantiateWithParams(&x, g.g, &p); check("device graph with " + what, e); check("device graph with " + what + " result", to_string(p.result_out)); };
  refuse("a host function", [&](G& g) { cudaHostNodeParams h = {}; h.fn = [](void*) {}; cudaGraphNode_t n; CK(cudaGraphAddHostNode(&n, g.g, nullptr, 0, &h)); });
  refuse("an empty node", [&](G& g) { cudaGraphNode_t n; CK(cudaGraphAddEmptyNode(&n, g.g, nullptr, 0)); });
  refuse("an event record", [&](G& g) { cudaGraphNode_t n; CK(cudaGraphAddEventRecordNode(&n, g.g, nullptr, 0, ev_a)); });
  refuse("a memory node", [&](G& g) { void* p; alloc(g, 2 << 20, &p); });
  refuse("a copy of pageable memory", [&](G& g) { static char h[64]; char* d; CK(cudaMalloc(&d, 64)); cudaGraphNode_t n; CK(cudaGraphAddMemcpyNode1D(&n, g.g, nullptr, 0, d, h, 64, cudaMemcpyDefault)); });
  refuse("a conditional node", [&](G& g) { cudaGraphConditionalHandle h; CK(cudaGraphConditionalHandleCreate(&h, g.g, 1, cudaGraphCondAssignDefault)); cudaGraphNodeParams p = {}; p.type = cudaGraphNodeTypeConditional; p.conditional.handle = h; p.conditional.type = cudaGraphCondTypeIf; p.conditional.size = 1; cudaGraphNode_t n; CK(cudaGraphAddNode(&n, g.g, nullptr, nullptr, 0, &p)); });
  refuse("programmatic edges", [&](G& g) { auto n = kernel(g, (void*)k_pdl, {&zero}); cudaGraphEdgeData e = {}; e.from_port = 1; e.type = cudaGraphDependencyTypeProgrammatic; cudaGraphNode_t from = n; auto m = kernel(g, (void*)k_pdl, {&zero}); CK(cudaGraphAddDependencies(g.g, &from, &m, &e, 1)); });
  { cudaGraph_t g; CK(cudaGraphCreate(&g, 0)); cudaGraphExec_t x; check("empty device graph", cudaGraphInstantiate(&x, g, D)); }
}

int main(int argc, char** argv) {
  string mode = argc > 1 ? argv[1] : "all";
  CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking)); CK(cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking)); cudaEventCreate(&ev_a); cudaEventCreate(&ev_b);
  CK(cudaGetSymbolAddress((void**)&p_exec, d_exec)); CK(cudaGetSymbolAddress((void**)&p_time, d_time)); CK(cudaGetSymbolAddress((void**)&p_error, d_error)); CK(cudaGetSymbolAddress((void**)&p_left, d_left)); CK(cudaGetSymbolAddress((void**)&p_count, d_count)); CK(cudaGetSymbolAddress((void**)&p_seq, d_seq)); CK(cudaGetSymbolAddress((void**)&p_order, d_order));
  for (int i = 0; i < 50; i++) k_empty<<<1, 32, 0, s>>>(); { auto x = chain(2, 0); launch_sync(x, s); launch_sync(x, s2); } CK(cudaDeviceSynchronize());
  if (mode == "all" || mode == "memory") memory_nodes();
  if (mode == "all" || mode == "calls") calls();
  if (mode == "all" || mode == "edges") edges();
  if (mode == "all" || mode == "device") device_launch();
  return 0;
}
