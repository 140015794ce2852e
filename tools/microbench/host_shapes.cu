// What host_calls.cu and host_memory.cu leave out: memory calls by size, pools, unified memory, pipelines of copies, launches from
// several threads. `host_shapes PART` prints rows test,parameter,value,unit; without a part all of them. Rows are medians.
// Build: nvcc -O2 -std=c++17 -arch=sm_90a host_shapes.cu -o host_shapes -lcuda -lpthread
#include "host_shapes.h"

// --- memory calls by size, pools
static string bytes_name(size_t b) { return b >= 1 << 20 ? to_string(b >> 20) + "MiB" : to_string(b >> 10) + "KiB"; }
static void memory() {
  for (size_t b : {4ul << 10, 64ul << 10, 1ul << 20, 2ul << 20, 16ul << 20, 128ul << 20, 1ul << 30}) {
    void* p;
    double m = 0, f = 0;
    vector<double> ms, fs;
    for (int i = 0; i < 7; ++i) {
      m = call([&] { CK(cudaMalloc(&p, b)); });
      f = call([&] { CK(cudaFree(p)); });
      ms.push_back(m), fs.push_back(f);
    }
    row("malloc_us", bytes_name(b), median(ms));
    row("free_us", bytes_name(b), median(fs));
  }
  for (size_t b : {4ul << 10, 64ul << 10, 1ul << 20, 16ul << 20, 128ul << 20}) {
    void* p;
    vector<double> ms, fs, rs, us;
    for (int i = 0; i < 5; ++i) {
      ms.push_back(call([&] { CK(cudaMallocHost(&p, b)); }));
      fs.push_back(call([&] { CK(cudaFreeHost(p)); }));
      char* q = (char*)mmap(nullptr, b, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      memset(q, 1, b);
      rs.push_back(call([&] { CK(cudaHostRegister(q, b, 0)); }));
      us.push_back(call([&] { CK(cudaHostUnregister(q)); }));
      munmap(q, b);
    }
    row("malloc_host_us", bytes_name(b), median(ms));
    row("free_host_us", bytes_name(b), median(fs));
    row("register_us", bytes_name(b), median(rs));
    row("unregister_us", bytes_name(b), median(us));
  }
}
static void pools() {
  cudaMemPool_t pool;
  CK(cudaDeviceGetDefaultMemPool(&pool, 0));
  cudaStream_t t;
  CK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
  for (int keep : {0, 1}) {
    uint64_t threshold = keep ? UINT64_MAX : 0;
    CK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    const string with = keep ? " kept" : " given back";
    for (size_t b : {4ul << 10, 256ul << 10, 1ul << 20, 16ul << 20, 32ul << 20, 64ul << 20, 256ul << 20, 1ul << 30}) {
      vector<double> first, again, freed, sync;
      for (int i = 0; i < 7; ++i) {
        void* p;
        CK(cudaDeviceSynchronize());
        CK(cudaMemPoolTrimTo(pool, 0));
        first.push_back(call([&] { CK(cudaMallocAsync(&p, b, s)); }));
        CK(cudaFreeAsync(p, s));  // reused before anything gives it back
        double a = now();
        CK(cudaMallocAsync(&p, b, s));
        again.push_back(now() - a);
        a = now();
        CK(cudaFreeAsync(p, s));
        freed.push_back(now() - a);
        a = now();
        CK(cudaStreamSynchronize(s));
        sync.push_back(now() - a);
      }
      row("pool_first_us", bytes_name(b) + with, median(first));
      row("pool_again_us", bytes_name(b) + with, median(again));
      row("pool_free_us", bytes_name(b) + with, median(freed));
      row("pool_sync_us", bytes_name(b) + with, median(sync));
      row("pool_cycle_us", bytes_name(b) + with + " with synchronisation", med(7, [&] { return done([&] { for (int i = 0; i < 10; ++i) { void* p; CK(cudaMallocAsync(&p, b, s)); k_empty<<<1, 32, 0, s>>>(); CK(cudaFreeAsync(p, s)); CK(cudaStreamSynchronize(s)); } }); }) / 10);
      row("pool_cycle_us", bytes_name(b) + with + " without", med(7, [&] { return done([&] { for (int i = 0; i < 10; ++i) { void* p; CK(cudaMallocAsync(&p, b, s)); k_empty<<<1, 32, 0, s>>>(); CK(cudaFreeAsync(p, s)); } }); }) / 10);
    }
    for (int n : {4, 32}) {  // allocations that live at the same time
      row("pool_many_us", to_string(n) + " of 1MiB" + with, med(7, [&] { CK(cudaDeviceSynchronize()); CK(cudaMemPoolTrimTo(pool, 0)); vector<void*> p(n); return done([&] { for (auto& q : p) CK(cudaMallocAsync(&q, 1 << 20, s)); for (auto& q : p) CK(cudaFreeAsync(q, s)); }); }));
      row("pool_many_us", to_string(n) + " of 32MiB" + with, med(7, [&] { CK(cudaDeviceSynchronize()); CK(cudaMemPoolTrimTo(pool, 0)); vector<void*> p(n); return done([&] { for (auto& q : p) CK(cudaMallocAsync(&q, 32 << 20, s)); for (auto& q : p) CK(cudaFreeAsync(q, s)); }); }));
    }
    row("pool_streams_us", "16MiB in two streams in turn" + with, med(7, [&] { return done([&] { for (int i = 0; i < 10; ++i) { void* p; cudaStream_t q = i % 2 ? t : s; CK(cudaMallocAsync(&p, 16 << 20, q)); k_spin<<<1, 32, 0, q>>>(20000); CK(cudaFreeAsync(p, q)); } }); }) / 10);
  }
  {
    uint64_t threshold = UINT64_MAX;
    CK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    for (size_t b : {32ul << 20, 1ul << 30}) {
      row("pool_trim_us", bytes_name(b), med(5, [&] { void* p; CK(cudaMallocAsync(&p, b, s)); CK(cudaFreeAsync(p, s)); CK(cudaDeviceSynchronize()); double a = now(); CK(cudaMemPoolTrimTo(pool, 0)); return now() - a; }));
    }
    threshold = 0;
    CK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  }
  CK(cudaStreamDestroy(t));
}

// --- unified memory
static cudaMemLocation place(bool device) {
  cudaMemLocation l = {};
  l.type = device ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost;
  return l;
}
static void touch_host(char* p, size_t b) { for (size_t i = 0; i < b; i += 4096) p[i] += 1; }
static void managed() {
  for (size_t b : {64ul << 10, 1ul << 20, 4ul << 20, 16ul << 20, 64ul << 20, 256ul << 20}) {
    const string name = bytes_name(b);
    vector<double> alloc, first, cold, warm, back, again, pre, pre_call, after, home, freed, sparse, host_first, mostly, gpu_first;
    for (int i = 0; i < 5; ++i) {
      char *p, *q;
      alloc.push_back(call([&] { CK(cudaMallocManaged(&p, b)); }));
      host_first.push_back(call([&] { touch_host(p, b); }));
      cold.push_back(evt([&] { k_touch<<<132 * 4, 256, 0, s>>>(p, b, 4); }));
      warm.push_back(evt([&] { k_touch<<<132 * 4, 256, 0, s>>>(p, b, 4); }));
      back.push_back(call([&] { touch_host(p, b); }));
      again.push_back(evt([&] { k_read<<<132 * 4, 256, 0, s>>>(p, b, 4, dev); }));
      CK(cudaDeviceSynchronize());
      touch_host(p, b);
      sparse.push_back(evt([&] { k_touch<<<132, 32, 0, s>>>(p, b, 65536); }));
      CK(cudaDeviceSynchronize());
      touch_host(p, b);
      pre_call.push_back(call([&] { CK(cudaMemPrefetchAsync(p, b, place(true), 0, s)); }));
      CK(cudaDeviceSynchronize());
      touch_host(p, b);
      pre.push_back(evt([&] { CK(cudaMemPrefetchAsync(p, b, place(true), 0, s)); }));
      after.push_back(evt([&] { k_touch<<<132 * 4, 256, 0, s>>>(p, b, 4); }));
      home.push_back(evt([&] { CK(cudaMemPrefetchAsync(p, b, place(false), 0, s)); }));
      CK(cudaDeviceSynchronize());
      CK(cudaMemAdvise(p, b, cudaMemAdviseSetReadMostly, place(true)));
      mostly.push_back(evt([&] { k_read<<<132 * 4, 256, 0, s>>>(p, b, 4, dev); }));
      freed.push_back(call([&] { CK(cudaFree(p)); }));
      CK(cudaMallocManaged(&q, b));  // the device touches it first
      gpu_first.push_back(evt([&] { k_touch<<<132 * 4, 256, 0, s>>>(q, b, 4); }));
      CK(cudaFree(q));
    }
    row("managed_malloc_us", name, median(alloc));
    row("managed_host_first_us", name, median(host_first));
    row("managed_device_first_us", name, median(gpu_first));
    row("managed_cold_us", name, median(cold));
    row("managed_warm_us", name, median(warm));
    row("managed_back_us", name, median(back));
    row("managed_read_us", name, median(again));
    row("managed_sparse_us", name, median(sparse));
    row("managed_prefetch_return_us", name, median(pre_call));
    row("managed_prefetch_us", name, median(pre));
    row("managed_prefetched_us", name, median(after));
    row("managed_prefetch_home_us", name, median(home));
    row("managed_read_mostly_us", name, median(mostly));
    row("managed_free_us", name, median(freed));
  }
}

// --- pipelines of copies and kernels, copies of several streams, 2D and 3D
static void pipelines() {
  const size_t most = 64 << 20;
  char *h, *h2, *d;
  CK(cudaMallocHost(&h, most));
  CK(cudaMallocHost(&h2, most));
  CK(cudaMalloc(&d, most));
  vector<cudaStream_t> q(8);
  for (auto& t : q) CK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
  for (int n : {2, 4, 8}) for (size_t total : {1ul << 20, 16ul << 20, 64ul << 20}) for (long long cycles : {20000ll, 400000ll}) for (int order = 0; order < 3; ++order) {
    const size_t b = total / n;
    auto work = [&] {
      CK(cudaEventRecord(ev_a, s));
      for (int i = 0; i < n; ++i) CK(cudaStreamWaitEvent(q[i], ev_a, 0));
      auto in = [&](int i) { CK(cudaMemcpyAsync(d + i * b, h + i * b, b, cudaMemcpyHostToDevice, q[i])); };
      auto run = [&](int i) { k_spin<<<16, 128, 0, q[i]>>>(cycles / n); };
      auto out = [&](int i) { CK(cudaMemcpyAsync(h2 + i * b, d + i * b, b, cudaMemcpyDeviceToHost, q[i])); };
      if (order == 0) for (int i = 0; i < n; ++i) in(i), run(i), out(i);
      if (order == 1) { for (int i = 0; i < n; ++i) in(i); for (int i = 0; i < n; ++i) run(i); for (int i = 0; i < n; ++i) out(i); }
      if (order == 2) for (int i = 0; i < n + 2; ++i) { if (i < n) in(i); if (i >= 1 && i <= n) run(i - 1); if (i >= 2) out(i - 2); }
    };
    row("pipeline_us", to_string(n) + " streams " + bytes_name(total) + " spin" + to_string(cycles) + (order == 0 ? " depth-first" : order == 1 ? " breadth-first" : " skewed"), med(7, [&] { return done(work); }));
  }
  for (size_t b : {256ul, 4096ul, 65536ul, 1048576ul}) for (int n : {1, 4, 8}) for (int way = 0; way < 3; ++way) {
    row("copies_us", string(way == 0 ? "h2d" : way == 1 ? "d2h" : "both ways") + " 64 of " + (b < 1024 ? to_string(b) + "B" : bytes_name(b)) + " in " + to_string(n) + " streams",
        med(7, [&] { return done([&] { for (int i = 0; i < 64; ++i) { bool to = way == 0 || (way == 2 && i % 2 == 0); CK(cudaMemcpyAsync(to ? d + i * b : h2 + i * b, to ? h + i * b : d + i * b, b, cudaMemcpyDefault, q[i % n])); } }); }));
  }
  for (size_t width : {64ul, 256ul, 1024ul, 4096ul, 16384ul}) for (size_t rows : {16ul, 256ul, 2048ul}) for (int way = 0; way < 3; ++way) {
    const size_t pitch = width * 2;
    if (pitch * rows > most) continue;
    row("copy2d_us", string(way == 0 ? "h2d" : way == 1 ? "d2h" : "d2d") + " " + to_string(width) + " by " + to_string(rows),
        med(7, [&] { return evt([&] { CK(cudaMemcpy2DAsync(way == 1 ? h2 : way == 2 ? d + most / 2 : d, way == 2 ? width : pitch, way == 0 ? h : d, way == 2 ? width : pitch, width, way == 2 && width * rows > most / 2 ? 1 : rows, cudaMemcpyDefault, s)); }); }));
  }
  for (size_t side : {32ul, 128ul}) for (int way = 0; way < 2; ++way) {
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(way == 0 ? h : d, 2 * side, side, side);
    p.dstPtr = make_cudaPitchedPtr(way == 0 ? d : h2, 2 * side, side, side);
    p.extent = make_cudaExtent(side, side, side);
    p.kind = cudaMemcpyDefault;
    row("copy3d_us", string(way == 0 ? "h2d " : "d2h ") + to_string(side), med(7, [&] { return evt([&] { CK(cudaMemcpy3DAsync(&p, s)); }); }));
  }
  for (auto& t : q) CK(cudaStreamDestroy(t));
  CK(cudaFreeHost(h));
  CK(cudaFreeHost(h2));
  CK(cudaFree(d));
}

// --- host functions, threads, parameters, cooperative launches, services
static void calls() {
  for (int n : {1, 2, 8, 32}) {
    row("host_functions_us", to_string(n) + " in one stream", med(21, [&] { return done([&] { for (int i = 0; i < n; ++i) CK(cudaLaunchHostFunc(s, host_function, nullptr)); }); }));
    row("host_functions_us", to_string(n) + " between kernels", med(21, [&] { return done([&] { for (int i = 0; i < n; ++i) { k_empty<<<1, 32, 0, s>>>(); CK(cudaLaunchHostFunc(s, host_function, nullptr)); } k_empty<<<1, 32, 0, s>>>(); }); }));
  }
  for (int threads : {1, 2, 4, 8, 16}) for (int own : {0, 1}) {
    vector<cudaStream_t> q(threads);
    for (auto& t : q) CK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    row("threads_launch_us", to_string(threads) + (own ? " threads own streams" : " threads one stream"), med(5, [&] {
      std::atomic<int> ready{0};
      vector<std::thread> all;
      vector<double> took(threads);
      CK(cudaDeviceSynchronize());
      for (int t = 0; t < threads; ++t) all.emplace_back([&, t] {
        CK(cudaSetDevice(0));
        ready++;
        while (ready < threads) {}
        double a = now();
        for (int i = 0; i < 200; ++i) k_empty<<<1, 32, 0, own ? q[t] : q[0]>>>();
        took[t] = (now() - a) / 200;
      });
      for (auto& t : all) t.join();
      CK(cudaDeviceSynchronize());
      return *std::max_element(took.begin(), took.end());
    }));
    for (auto& t : q) CK(cudaStreamDestroy(t));
  }
  auto parameters = [&](auto p, auto k) {
    const string name = to_string(sizeof p) + " bytes";
    row("parameters_return_us", name, med(51, [&] { return call([&] { k<<<1, 32, 0, s>>>(p); }); }));
    row("parameters_period_us", name, med(7, [&] { return done([&] { for (int i = 0; i < 200; ++i) k<<<1, 32, 0, s>>>(p); }) / 200; }));
  };
  parameters(Parameters<8>{}, k_parameters<8>);
  parameters(Parameters<256>{}, k_parameters<256>);
  parameters(Parameters<1024>{}, k_parameters<1024>);
  parameters(Parameters<4000>{}, k_parameters<4000>);
  parameters(Parameters<16384>{}, k_parameters<16384>);
  parameters(Parameters<32000>{}, k_parameters<32000>);
  for (int blocks : {1, 16, 132, 264, 528}) {
    for (int n : {0, 1, 10, 100}) {
      void* a[] = {&n};
      row("cooperative_us", to_string(blocks) + " blocks " + to_string(n) + " barriers", med(11, [&] { return evt([&] { CK(cudaLaunchCooperativeKernel((void*)k_grid_sync, blocks, 128, a, 0, s)); }); }));
      if (n == 1) row("cooperative_return_us", to_string(blocks) + " blocks", med(51, [&] { return call([&] { CK(cudaLaunchCooperativeKernel((void*)k_grid_sync, blocks, 128, a, 0, s)); }); }));
    }
  }
  {
    int n = 0;
    void* a[] = {&n};
    row("cooperative_period_us", "132 blocks", med(7, [&] { return done([&] { for (int i = 0; i < 100; ++i) CK(cudaLaunchCooperativeKernel((void*)k_grid_sync, 132, 128, a, 0, s)); }) / 100; }));
    row("cooperative_period_us", "plain 132 blocks", med(7, [&] { return done([&] { for (int i = 0; i < 100; ++i) CK(cudaLaunchKernel((void*)k_grid_sync, dim3(132), dim3(128), a, 0, s)); }) / 100; }));
  }
}
static void services() {  // a request at a time
  cudaEvent_t blocking, plain;
  CK(cudaEventCreateWithFlags(&blocking, cudaEventBlockingSync | cudaEventDisableTiming));
  CK(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
  for (long long cycles : {2000ll, 200000ll}) for (size_t b : {1024ul, 65536ul, 1048576ul}) {
    const string name = bytes_name(b) + " spin" + to_string(cycles);
    auto work = [&] {
      CK(cudaMemcpyAsync(dev, pinned, b, cudaMemcpyHostToDevice, s));
      k_spin<<<16, 128, 0, s>>>(cycles);
      CK(cudaMemcpyAsync(pinned, dev, b, cudaMemcpyDeviceToHost, s));
    };
    row("request_us", name + " stream synchronize", med(21, [&] { double t = now(); work(); CK(cudaStreamSynchronize(s)); return now() - t; }));
    row("request_us", name + " event synchronize", med(21, [&] { double t = now(); work(); CK(cudaEventRecord(plain, s)); CK(cudaEventSynchronize(plain)); return now() - t; }));
    row("request_us", name + " blocking event", med(21, [&] { double t = now(); work(); CK(cudaEventRecord(blocking, s)); CK(cudaEventSynchronize(blocking)); return now() - t; }));
    row("request_us", name + " polled", med(21, [&] { double t = now(); work(); CK(cudaEventRecord(plain, s)); while (cudaEventQuery(plain) == cudaErrorNotReady) {} return now() - t; }));
    row("request_us", name + " host function", med(21, [&] { std::atomic<int> flag{0}; double t = now(); work(); CK(cudaLaunchHostFunc(s, [](void* p) { ((std::atomic<int>*)p)->store(1); }, &flag)); while (!flag) {} return now() - t; }));
    cudaGraph_t g;
    CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    work();
    CK(cudaStreamEndCapture(s, &g));
    cudaGraphExec_t x;
    CK(cudaGraphInstantiate(&x, g, 0));
    CK(cudaGraphLaunch(x, s));
    CK(cudaDeviceSynchronize());
    row("request_us", name + " graph", med(21, [&] { double t = now(); CK(cudaGraphLaunch(x, s)); CK(cudaStreamSynchronize(s)); return now() - t; }));
    CK(cudaGraphExecDestroy(x));
    row("request_us", name + " synchronous copies", med(21, [&] { double t = now(); CK(cudaMemcpy(dev, pinned, b, cudaMemcpyHostToDevice)); k_spin<<<16, 128, 0, s>>>(cycles); CK(cudaStreamSynchronize(s)); CK(cudaMemcpy(pinned, dev, b, cudaMemcpyDeviceToHost)); return now() - t; }));
  }
}

int main(int argc, char** argv) {
  const string part = argc > 1 ? argv[1] : "all";
  start_shapes(part == "blocking" ? cudaDeviceScheduleBlockingSync : cudaDeviceScheduleSpin);
  run_parts(part, {{"memory", memory}, {"pools", pools}, {"managed", managed}, {"pipelines", pipelines}, {"calls", calls}, {"services", services}});
  if (part == "blocking") {
    for (long long cycles : {0ll, 20000ll, 2000000ll}) row("blocking_us", "spin" + to_string(cycles) + " device synchronize", med(21, [&] { double t = now(); k_spin<<<1, 32, 0, s>>>(cycles); CK(cudaDeviceSynchronize()); return now() - t; }));
    for (long long cycles : {0ll, 20000ll, 2000000ll}) row("blocking_us", "spin" + to_string(cycles) + " stream synchronize", med(21, [&] { double t = now(); k_spin<<<1, 32, 0, s>>>(cycles); CK(cudaStreamSynchronize(s)); return now() - t; }));
  }
}
