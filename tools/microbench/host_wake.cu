// How long the operating system takes to run a thread again that waits for the device, by how long it has waited: the driver's
// thread of host functions, blocking events, and with `host_wake blocking` synchronisation under cudaDeviceScheduleBlockingSync.
// Rows test,parameter,value,unit: the median of many, and in "..._p10", "..._p90" a tenth from each end.
// Build: nvcc -O2 -std=c++17 -arch=sm_90a host_wake.cu -o host_wake -lcuda -lpthread
#include "host_shapes.h"

constexpr double kCyclesPerUs = 1980;
__global__ void k_until(double us, volatile int* flag) {
  const long long t = clock64();
  while (clock64() - t < us * kCyclesPerUs) {
  }
  *flag = 1;
  __threadfence_system();
}

static void rows_of(const char* test, const string& parameter, vector<double> v) {
  std::sort(v.begin(), v.end());
  row(test, parameter, v[v.size() / 2]);
  row((string(test) + "_p10").c_str(), parameter, v[v.size() / 10]);
  row((string(test) + "_p90").c_str(), parameter, v[v.size() * 9 / 10]);
}

int main(int argc, char** argv) {
  const bool blocking_device = argc > 1 && string(argv[1]) == "blocking";
  CK(cudaSetDeviceFlags(blocking_device ? cudaDeviceScheduleBlockingSync : cudaDeviceScheduleSpin));
  int* flag;
  CK(cudaHostAlloc(&flag, 64, cudaHostAllocMapped));
  cudaStream_t s;
  CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  cudaEvent_t blocking, plain;
  CK(cudaEventCreateWithFlags(&blocking, cudaEventBlockingSync | cudaEventDisableTiming));
  CK(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
  static std::atomic<int> ran;
  const auto function = [](void*) { ran = 1; };
  for (double us : {0., 1., 2., 5., 10., 20., 50., 100., 200., 500., 1000., 2000., 5000., 10000.}) {
    const string name = to_string((int)us) + " us";
    const int n = us > 1000 ? 31 : 101;
    const auto took = [&](auto enqueue, auto wait) {
      vector<double> v;
      for (int i = 0; i < n + 5; ++i) {
        CK(cudaDeviceSynchronize());
        *flag = 0, ran = 0;
        const double t = now();
        k_until<<<1, 1, 0, s>>>(us, flag);
        enqueue();
        wait();
        if (i >= 5) v.push_back(now() - t);
      }
      return v;
    };
    const auto nothing = [] {};
    const auto polled = took(nothing, [&] { while (*(volatile int*)flag == 0) {} });
    const double base = median(polled);
    const auto less = [&](vector<double> v) {
      for (double& x : v) x -= base;
      return v;
    };
    if (blocking_device) {
      rows_of("wake_stream_us", name, less(took(nothing, [&] { CK(cudaStreamSynchronize(s)); })));
      rows_of("wake_device_us", name, less(took(nothing, [&] { CK(cudaDeviceSynchronize()); })));
      continue;
    }
    row("wake_polled_us", name, base);
    rows_of("wake_spin_us", name, less(took(nothing, [&] { CK(cudaStreamSynchronize(s)); })));
    rows_of("wake_event_us", name, less(took([&] { CK(cudaEventRecord(blocking, s)); }, [&] { CK(cudaEventSynchronize(blocking)); })));
    rows_of("wake_function_us", name, less(took([&] { CK(cudaLaunchHostFunc(s, function, nullptr)); }, [&] { while (ran == 0) {} })));
    vector<double> chain;
    for (int i = 0; i < (us > 1000 ? 3 : 9); ++i) {
      CK(cudaDeviceSynchronize());
      const double t = now();
      for (int k = 0; k < 20; ++k) {
        k_until<<<1, 1, 0, s>>>(us, flag);
        CK(cudaLaunchHostFunc(s, function, nullptr));
      }
      CK(cudaStreamSynchronize(s));
      chain.push_back((now() - t) / 20 - us);
    }
    row("wake_chain_us", name, median(chain));
  }
}
