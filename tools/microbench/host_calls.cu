// Host-visible behaviour, second part: costs of calls, dependencies across streams, hardware queues. CSV: test,parameter,value,unit
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#include <chrono>
#include <string>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
static double now() { return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
static void row(const char* t, const std::string& p, double v) { printf("%s,%s,%.6g,us\n", t, p.c_str(), v); fflush(stdout); }
template <class F> double med(int n, F f) { std::vector<double> v; for (int i = 0; i < n; i++) v.push_back(f()); std::sort(v.begin(), v.end()); return v[n / 2]; }
__global__ void k_empty() {}
__global__ void k_spin(long long cyc) { long long t = clock64(); while (clock64() - t < cyc); }
__global__ void k_touch(float* a, size_t n, int rep) { for (int r = 0; r < rep; r++) for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) a[i] = a[i] * 1.0001f + 1.f; }
static void hostfn(void*) {}
int main(int argc, char** argv) {
  std::string mode = argc > 1 ? argv[1] : "all";
  size_t MX = 256ull << 20; char *d, *hp; CK(cudaMalloc(&d, MX)); CK(cudaMallocHost(&hp, MX)); char* wc; CK(cudaHostAlloc(&wc, 64 << 20, cudaHostAllocWriteCombined));
  cudaStream_t s, s2; CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking)); CK(cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking));
  cudaEvent_t a, b, c; cudaEventCreate(&a); cudaEventCreate(&b); cudaEventCreateWithFlags(&c, cudaEventDisableTiming);
  for (int i = 0; i < 50; i++) k_empty<<<1, 32, 0, s>>>(); k_spin<<<1, 32, 0, s>>>(100); k_touch<<<264, 512, 0, s>>>((float*)d, 1 << 20, 1); CK(cudaDeviceSynchronize());
  auto evt = [&](auto f) { cudaEventRecord(a, s); f(); cudaEventRecord(b, s); CK(cudaEventSynchronize(b)); float ms; cudaEventElapsedTime(&ms, a, b); return ms * 1e3; };
  auto ret = [&](int n, auto f) { return med(n, [&] { CK(cudaDeviceSynchronize()); double t = now(); f(); return now() - t; }); };
  // hardware queues: 2 dependent kernels in each of n streams, depth-first
  for (int n : {1, 2, 4, 8, 9, 16, 32, 64}) { std::vector<cudaStream_t> v(n); for (auto& q : v) cudaStreamCreateWithFlags(&q, cudaStreamNonBlocking); for (auto q : v) k_empty<<<1, 32, 0, q>>>(); CK(cudaDeviceSynchronize()); row("two_kernels_per_stream", std::to_string(n) + " streams spin1e6 depth-first", med(3, [&] { double t = now(); for (auto q : v) { k_spin<<<1, 32, 0, q>>>(1000000); k_spin<<<1, 32, 0, q>>>(1000000); } cudaDeviceSynchronize(); return now() - t; })); for (auto q : v) cudaStreamDestroy(q); }
  if (mode == "queues") return 0;
  // the kernels of the overlap experiment by themselves
  for (int k : {1, 2, 4, 8}) { size_t n = (64ull << 20) / k; row("touch_us", std::to_string(n >> 20) + "MiB touch64", med(5, [&] { return evt([&] { k_touch<<<264, 512, 0, s>>>((float*)d, n / 4, 64); }); })); }
  for (int k : {1, 2, 4, 8}) { size_t n = 64ull << 20; std::vector<cudaStream_t> v(k); for (auto& q : v) cudaStreamCreateWithFlags(&q, cudaStreamNonBlocking);
    auto run = [&](bool spin) { return med(5, [&] { CK(cudaDeviceSynchronize()); double t = now(); for (int i = 0; i < k; i++) { size_t o = n / k * i; cudaMemcpyAsync(d + o, hp + o, n / k, cudaMemcpyHostToDevice, v[i]); if (spin) k_spin<<<264, 512, 0, v[i]>>>(2000000 / k); else k_touch<<<264, 512, 0, v[i]>>>((float*)(d + o), n / k / 4, 64); cudaMemcpyAsync(hp + o, d + o, n / k, cudaMemcpyDeviceToHost, v[i]); } cudaDeviceSynchronize(); return now() - t; }); };
    row("overlap_us", std::to_string(k) + " streams 64MiB h2d+touch64+d2h", run(false)); row("overlap_spin_us", std::to_string(k) + " streams 64MiB h2d+spin(2e6/k)+d2h", run(true)); for (auto q : v) cudaStreamDestroy(q); }
  // costs of calls on the host, device idle
  row("call_us", "memcpyAsync h2d pinned 4", ret(51, [&] { cudaMemcpyAsync(d, hp, 4, cudaMemcpyHostToDevice, s); }));
  row("call_us", "memcpyAsync h2d pinned 16MiB", ret(51, [&] { cudaMemcpyAsync(d, hp, 16 << 20, cudaMemcpyHostToDevice, s); }));
  row("call_us", "memcpyAsync d2h pinned 4", ret(51, [&] { cudaMemcpyAsync(hp, d, 4, cudaMemcpyDeviceToHost, s); }));
  row("call_us", "memcpyAsync d2h pinned 16MiB", ret(51, [&] { cudaMemcpyAsync(hp, d, 16 << 20, cudaMemcpyDeviceToHost, s); }));
  row("call_us", "memcpyAsync d2d 16MiB", ret(51, [&] { cudaMemcpyAsync(d + (64 << 20), d, 16 << 20, cudaMemcpyDeviceToDevice, s); }));
  row("call_us", "memsetAsync 16MiB", ret(51, [&] { cudaMemsetAsync(d, 0, 16 << 20, s); }));
  row("call_us", "launch", ret(51, [&] { k_empty<<<1, 32, 0, s>>>(); }));
  row("call_us", "launchx20 same stream", ret(21, [&] { for (int i = 0; i < 20; i++) k_empty<<<1, 32, 0, s>>>(); }) / 20);
  row("call_us", "launchx20 two streams in turn", ret(21, [&] { for (int i = 0; i < 20; i++) k_empty<<<1, 32, 0, i & 1 ? s : s2>>>(); }) / 20);
  row("call_us", "eventRecord timing", ret(51, [&] { cudaEventRecord(a, s); }));
  row("call_us", "eventRecord disableTiming", ret(51, [&] { cudaEventRecord(c, s); }));
  row("call_us", "eventQuery done", ret(51, [&] { cudaEventQuery(c); }));
  row("call_us", "eventSynchronize done", ret(51, [&] { cudaEventSynchronize(c); }));
  row("call_us", "streamQuery idle", ret(51, [&] { cudaStreamQuery(s); }));
  row("call_us", "streamSynchronize idle", ret(51, [&] { cudaStreamSynchronize(s); }));
  row("call_us", "deviceSynchronize idle", ret(51, [&] { cudaDeviceSynchronize(); }));
  row("call_us", "streamWaitEvent done", ret(51, [&] { cudaStreamWaitEvent(s2, c, 0); }));
  row("call_us", "streamWaitEvent pending", med(51, [&] { CK(cudaDeviceSynchronize()); k_spin<<<1, 32, 0, s>>>(40000); cudaEventRecord(c, s); double t = now(); cudaStreamWaitEvent(s2, c, 0); return now() - t; }));
  row("call_us", "launchHostFunc", ret(51, [&] { cudaLaunchHostFunc(s, hostfn, nullptr); }));
  { cudaEvent_t e; row("call_us", "eventCreate", ret(51, [&] { cudaEventCreate(&e); })); row("call_us", "eventDestroy", ret(1, [&] { cudaEventDestroy(e); })); }
  { cudaStream_t q; row("call_us", "streamCreate+Destroy", ret(21, [&] { cudaStreamCreateWithFlags(&q, cudaStreamNonBlocking); cudaStreamDestroy(q); })); }
  for (size_t n : {1ull << 20, 256ull << 20}) { std::string q = std::to_string(n >> 20) + "MiB"; void* p; std::vector<double> m, f; for (int i = 0; i < 7; i++) { CK(cudaDeviceSynchronize()); double t = now(); CK(cudaMalloc(&p, n)); m.push_back(now() - t); t = now(); CK(cudaFree(p)); f.push_back(now() - t); } std::sort(m.begin(), m.end()); std::sort(f.begin(), f.end()); row("call_us", "malloc " + q, m[3]); row("call_us", "free " + q, f[3]);
    m.clear(); f.clear(); for (int i = 0; i < 7; i++) { CK(cudaDeviceSynchronize()); double t = now(); CK(cudaMallocAsync(&p, n, s)); m.push_back(now() - t); t = now(); CK(cudaFreeAsync(p, s)); f.push_back(now() - t); } std::sort(m.begin(), m.end()); std::sort(f.begin(), f.end()); row("call_us", "mallocAsync " + q, m[3]); row("call_us", "freeAsync " + q, f[3]);
    m.clear(); f.clear(); for (int i = 0; i < 3; i++) { double t = now(); CK(cudaMallocHost(&p, n)); m.push_back(now() - t); t = now(); CK(cudaFreeHost(p)); f.push_back(now() - t); } std::sort(m.begin(), m.end()); std::sort(f.begin(), f.end()); row("call_us", "mallocHost " + q, m[1]); row("call_us", "freeHost " + q, f[1]); }
  // does a call wait for a kernel of 1 ms in another stream? its return time while the kernel runs
  auto busy = [&](const char* name, auto f) { row("call_busy_us", name, med(5, [&] { CK(cudaDeviceSynchronize()); k_spin<<<1, 32, 0, s>>>(1980000); double t = now(); f(); double r = now() - t; return r; })); };
  { void* p = nullptr; busy("malloc 1MiB", [&] { CK(cudaMalloc(&p, 1 << 20)); }); busy("free 1MiB", [&] { cudaFree(p); p = nullptr; }); CK(cudaMalloc(&p, 1 << 20)); busy("free real 1MiB", [&] { if (p) cudaFree(p); p = nullptr; }); busy("mallocHost 1MiB", [&] { cudaMallocHost(&p, 1 << 20); }); busy("hostRegister", [&] { static char* r = (char*)aligned_alloc(4096, 40 << 20); static int k = 0; cudaHostRegister(r + (k++ << 20), 1 << 20, 0); }); busy("memsetAsync s2", [&] { cudaMemsetAsync(d, 0, 1 << 20, s2); }); busy("memset legacy", [&] { cudaMemset(d, 0, 1 << 20); }); busy("memcpyAsync d2d s2", [&] { cudaMemcpyAsync(d + (1 << 20), d, 1 << 20, cudaMemcpyDeviceToDevice, s2); }); busy("streamCreate", [&] { cudaStream_t q; cudaStreamCreateWithFlags(&q, cudaStreamNonBlocking); }); busy("eventCreate", [&] { cudaEvent_t q; cudaEventCreate(&q); }); busy("memcpy h2d pinned 64KiB legacy", [&] { cudaMemcpy(d, hp, 65536, cudaMemcpyHostToDevice); }); }
  // overlap of two kernels of 1 ms in s and s2 with something issued between: 1000 = concurrent, 2000 = serial
  auto between = [&](const char* name, bool blocking, auto f) { cudaStream_t x, y; cudaStreamCreateWithFlags(&x, blocking ? cudaStreamDefault : cudaStreamNonBlocking); cudaStreamCreateWithFlags(&y, blocking ? cudaStreamDefault : cudaStreamNonBlocking); row("between_us", std::string(name) + (blocking ? " blocking" : " nonblocking"), med(5, [&] { CK(cudaDeviceSynchronize()); double t = now(); k_spin<<<1, 32, 0, x>>>(1980000); f(y); k_spin<<<1, 32, 0, y>>>(1980000); CK(cudaDeviceSynchronize()); return now() - t; })); cudaStreamDestroy(x); cudaStreamDestroy(y); };
  for (bool bl : {false, true}) { between("nothing", bl, [&](cudaStream_t) {}); between("legacy kernel", bl, [&](cudaStream_t) { k_empty<<<1, 32>>>(); }); between("malloc", bl, [&](cudaStream_t) { void* p; cudaMalloc(&p, 1 << 20); }); between("mallocHost", bl, [&](cudaStream_t) { void* p; cudaMallocHost(&p, 1 << 20); }); between("memsetAsync", bl, [&](cudaStream_t y) { cudaMemsetAsync(d, 0, 1 << 20, y); }); between("memcpyAsync d2d", bl, [&](cudaStream_t y) { cudaMemcpyAsync(d + (1 << 20), d, 1 << 20, cudaMemcpyDeviceToDevice, y); }); }
  // return of plain cudaMemcpy from pinned memory
  for (size_t n : {4ull, 4096ull, 65536ull, 65540ull, 1048576ull}) row("memcpy_return_us", "h2d pinned " + std::to_string(n), ret(21, [&] { cudaMemcpy(d, hp, n, cudaMemcpyHostToDevice); }));
  for (size_t n : {4ull, 65536ull, 1048576ull}) row("memcpy_return_us", "d2h pinned " + std::to_string(n), ret(21, [&] { cudaMemcpy(hp, d, n, cudaMemcpyDeviceToHost); }));
  row("wc_h2d_us", "64MiB", med(5, [&] { return evt([&] { cudaMemcpyAsync(d, wc, 64 << 20, cudaMemcpyHostToDevice, s); }); }));
  for (int w : {1, 4, 16}) row("memcpy2d_h2d_us", "64MiB pinned rows of " + std::to_string(w * 1024), med(3, [&] { return evt([&] { cudaMemcpy2DAsync(d, w * 2048, hp, w * 1024, w * 1024, 8192, cudaMemcpyHostToDevice, s); }); }));
  // device-bound chains: kernels of 20000 cycles, in one stream and hopping between two through events
  row("chain_us", "100 spin20000 one stream", med(5, [&] { return evt([&] { for (int i = 0; i < 100; i++) k_spin<<<1, 32, 0, s>>>(20000); }); }) / 100);
  row("chain_us", "100 spin20000 two streams by events", med(5, [&] { return evt([&] { for (int i = 0; i < 50; i++) { k_spin<<<1, 32, 0, s>>>(20000); cudaEventRecord(c, s); cudaStreamWaitEvent(s2, c, 0); k_spin<<<1, 32, 0, s2>>>(20000); cudaEventRecord(c, s2); cudaStreamWaitEvent(s, c, 0); } }); }) / 100);
  row("chain_us", "50 spin20000 host function between", med(5, [&] { return evt([&] { for (int i = 0; i < 50; i++) { k_spin<<<1, 32, 0, s>>>(20000); cudaLaunchHostFunc(s, hostfn, nullptr); } }); }) / 50);
  row("chain_us", "50 spin20000 event record between", med(5, [&] { return evt([&] { for (int i = 0; i < 50; i++) { k_spin<<<1, 32, 0, s>>>(20000); cudaEventRecord(c, s); } }); }) / 50);
  row("chain_us", "50 spin20000 h2d 4B between", med(5, [&] { return evt([&] { for (int i = 0; i < 50; i++) { k_spin<<<1, 32, 0, s>>>(20000); cudaMemcpyAsync(d, hp, 4, cudaMemcpyHostToDevice, s); } }); }) / 50);
  row("chain_us", "50 spin20000 d2h 4B between", med(5, [&] { return evt([&] { for (int i = 0; i < 50; i++) { k_spin<<<1, 32, 0, s>>>(20000); cudaMemcpyAsync(hp, d, 4, cudaMemcpyDeviceToHost, s); } }); }) / 50);
  // fork and join with streams and events
  for (int n : {2, 8, 32}) { std::vector<cudaStream_t> v(n); std::vector<cudaEvent_t> e(n); for (auto& q : v) cudaStreamCreateWithFlags(&q, cudaStreamNonBlocking); for (auto& q : e) cudaEventCreateWithFlags(&q, cudaEventDisableTiming); auto f = [&] { k_spin<<<1, 32, 0, s>>>(200000); cudaEventRecord(c, s); for (int i = 0; i < n; i++) { cudaStreamWaitEvent(v[i], c, 0); k_spin<<<1, 32, 0, v[i]>>>(200000); cudaEventRecord(e[i], v[i]); cudaStreamWaitEvent(s, e[i], 0); } k_spin<<<1, 32, 0, s>>>(200000); }; f(); CK(cudaDeviceSynchronize()); row("stream_forkjoin_us", std::to_string(n) + " parallel spin200000", med(7, [&] { return evt(f); })); for (auto q : v) cudaStreamDestroy(q); }
  // launches until the host waits: return times while a kernel of 40 ms runs
  { CK(cudaDeviceSynchronize()); k_spin<<<1, 32, 0, s>>>(79200000); int i = 0; double t; for (; i < 5000; i++) { t = now(); k_empty<<<1, 32, 0, s>>>(); if (now() - t > 1000) break; } printf("launch_queue_depth,launches before the host waits,%d,n\n", i); CK(cudaDeviceSynchronize()); }
  { cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync); row("sync_us", "blocking sync launch+sync", med(51, [&] { double t = now(); k_empty<<<1, 32, 0, s>>>(); cudaStreamSynchronize(s); return now() - t; })); cudaSetDeviceFlags(cudaDeviceScheduleYield); row("sync_us", "yield launch+sync", med(51, [&] { double t = now(); k_empty<<<1, 32, 0, s>>>(); cudaStreamSynchronize(s); return now() - t; })); cudaSetDeviceFlags(cudaDeviceScheduleSpin); row("sync_us", "spin launch+sync", med(51, [&] { double t = now(); k_empty<<<1, 32, 0, s>>>(); cudaStreamSynchronize(s); return now() - t; })); }
  return 0;
}
