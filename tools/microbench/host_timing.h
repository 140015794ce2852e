// What the programs about calls share: rows `test,parameter,value,unit` and times, in microseconds.
#pragma once
#include <cuda_runtime.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

using clk = std::chrono::steady_clock;
static double us_since(clk::time_point t) {
  return std::chrono::duration<double, std::micro>(clk::now() - t).count();
}
static void row(const std::string& t, const std::string& p, double v, const char* u) {
  printf("%s,%s,%.6g,%s\n", t.c_str(), p.c_str(), v, u);
  fflush(stdout);
}
static void say(const std::string& t, const std::string& p, const char* e) {
  printf("%s,%s,%s,error\n", t.c_str(), p.c_str(), e);
  fflush(stdout);
}
#define R(x) cudaGetErrorName(x)
static void say(const std::string& t, const std::string& p, cudaError_t e) { say(t, p, R(e)); }
static double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

// The median of `reps`, after `before` that do not count.
template <class F>
static double timed(F f, int reps = 7, int before = 1) {
  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  std::vector<double> v;
  for (int i = 0; i < reps + before; ++i) {
    cudaEventRecord(a);
    f();
    cudaEventRecord(b);
    cudaEventSynchronize(b);
    float ms;
    cudaEventElapsedTime(&ms, a, b);
    if (i >= before) {
      v.push_back(ms * 1e3);
    }
  }
  return median(v);
}
