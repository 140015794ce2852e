// A program of several files: device functions, constants and variables across them, function pointers, virtual calls.
#include <algorithm>
#include <cmath>
#include <vector>

#include "filters.h"

using namespace filters;

__device__ int histogram[8];
__device__ float bias = 0.25f;

__global__ void filter(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = convolve(x, i, n) + bias;
}

__global__ void apply(const float* x, float* y, int n, PointFunction f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = f ? f(x[i]) : chosen(x[i]);
}

__global__ void each(const float* x, float* y, int n) {  // threads of one warp call different functions
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = points[i % kPoints](x[i]);
}

__global__ void count(const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&histogram[int((x[i] + 1) * 4) & 7], 1);
}

static std::vector<float> x, y;
static float *dx, *dy;

static void fetch() { CHECK(cudaMemcpy(y.data(), dy, y.size() * sizeof(float), cudaMemcpyDeviceToHost)); }

static bool say(const char* what, bool ok) {
  double sum = 0;
  for (float v : y) sum += v;
  std::printf("%-30s sum %.12g y[5] %.9g %s\n", what, sum, y[5], ok ? "PASS" : "FAIL");
  return ok;
}

static int hostFibonacci(int n) { return n < 2 ? n : hostFibonacci(n - 1) + hostFibonacci(n - 2); }

static float hostPoint(int p, float v) {
  switch (p) {
    case kSquare: return v * v;
    case kClamp: return std::fmin(std::fmax(v, -0.5f), 0.5f);
    case kFibonacci: return float(hostFibonacci(int(std::fabs(v * 4)) % 9));
    default: return v;
  }
}

int main() {
  bool ok = true;
  const int n = 4000, threads = 128, blocks = (n + threads - 1) / threads;
  x.resize(n), y.resize(n);
  for (int i = 0; i < n; i++) x[i] = (i * 53 % 512 - 256) / 256.0f;
  CHECK(cudaMalloc(&dx, n * sizeof(float)));
  CHECK(cudaMalloc(&dy, n * sizeof(float)));
  CHECK(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  auto same = [&](auto want) {
    bool equal = true;
    for (int i = 0; i < n; i++) equal &= y[i] == want(i);
    return equal;
  };

  filter<<<blocks, threads>>>(dx, dy, n);
  fetch();
  ok &= say("constant as initialised", same([](int i) { return x[i] + 0.25f; }));

  const float weights[] = {0.25f, 0.5f, 0.25f};
  setTaps(weights, 3);
  float newBias = -1.0f, oldBias;
  CHECK(cudaMemcpyFromSymbol(&oldBias, bias, sizeof(float)));
  CHECK(cudaMemcpyToSymbol(bias, &newBias, sizeof(float)));
  std::printf("bias was %.9g\n", oldBias);
  filter<<<blocks, threads>>>(dx, dy, n);
  fetch();
  ok &= say("constant set by the host", same([&](int i) {
    return 0.25f * (i ? x[i - 1] : 0) + 0.5f * x[i] + 0.25f * (i + 1 < n ? x[i + 1] : 0) - 1.0f;
  }));

  const char* names[] = {"pointer: identity", "pointer: square", "pointer: clamp", "pointer: fibonacci"};
  for (int p = 0; p < kPoints; p++) {
    apply<<<blocks, threads>>>(dx, dy, n, devicePointer(Point(p)));
    CHECK(cudaGetLastError());
    fetch();
    ok &= say(names[p], same([&](int i) { return hostPoint(p, x[i]); }));
  }
  apply<<<blocks, threads>>>(dx, dy, n, nullptr);
  fetch();
  ok &= say("pointer in a variable", same([&](int i) { return hostPoint(kClamp, x[i]); }));
  PointFunction other = devicePointer(kSquare);
  CHECK(cudaMemcpyToSymbol(chosen, &other, sizeof(other)));
  apply<<<blocks, threads>>>(dx, dy, n, nullptr);
  fetch();
  ok &= say("pointer changed", same([&](int i) { return hostPoint(kSquare, x[i]); }));
  each<<<blocks, threads>>>(dx, dy, n);
  fetch();
  ok &= say("four functions in a warp", same([&](int i) { return hostPoint(i % kPoints, x[i]); }));
  unsigned long long made;
  CHECK(cudaMemcpyFromSymbol(&made, calls, sizeof(made)));
  std::printf("squares %llu %s\n", made, made == 2 * n + n / 4 ? "PASS" : "FAIL");
  ok &= made == 2 * n + n / 4;

  Polynomial<3, float> cubic{{1.0f, -2.0f, 0.5f, 4.0f}};
  map<<<8, threads>>>(dx, dy, n, cubic);
  fetch();
  ok &= say("template: polynomial", same([&](int i) { return cubic(x[i]); }));
  float offset = 3.0f;
  map<<<8, threads>>>(dx, dy, n, [offset] __device__(float v) { return v > 0 ? v + offset : -v; });
  fetch();
  ok &= say("lambda", same([&](int i) { return x[i] > 0 ? x[i] + offset : -x[i]; }));

  // A device variable by its address.
  int* address;
  size_t size;
  CHECK(cudaGetSymbolAddress(reinterpret_cast<void**>(&address), histogram));
  CHECK(cudaGetSymbolSize(&size, histogram));
  CHECK(cudaMemset(address, 0, size));
  count<<<blocks, threads>>>(dx, n);
  int h[8], want[8] = {}, total = 0;
  CHECK(cudaMemcpyFromSymbol(h, histogram, sizeof(h)));
  for (float v : x) want[int((v + 1) * 4) & 7]++;
  std::printf("histogram of %zu bytes:", size);
  for (int v : h) std::printf(" %d", v), total += v;
  bool equal = std::equal(h, h + 8, want);
  std::printf(" of %d %s\n", total, equal ? "PASS" : "FAIL");
  ok &= equal;

  // Objects made on the device.
  Shape** shapes;
  const int objects = 96;
  float* area;
  int* sides;
  CHECK(cudaMalloc(&shapes, objects * sizeof(Shape*)));
  CHECK(cudaMalloc(&area, objects * sizeof(float)));
  CHECK(cudaMalloc(&sides, objects * sizeof(int)));
  makeShapes<<<3, 32>>>(shapes, objects);
  measure<<<3, 32>>>(shapes, area, sides, objects);
  destroyShapes<<<3, 32>>>(shapes, objects);
  CHECK(cudaGetLastError());
  std::vector<float> areas(objects);
  std::vector<int> corners(objects);
  CHECK(cudaMemcpy(areas.data(), area, objects * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(corners.data(), sides, objects * sizeof(int), cudaMemcpyDeviceToHost));
  double sum = 0;
  int all = 0;
  equal = true;
  for (int i = 0; i < objects; i++) {
    float a = i % 3 == 0 ? float(i) * i : i % 3 == 1 ? 2.0f * i : 3.140625f * i * i;
    equal &= areas[i] == a && corners[i] == (i % 3 == 2 ? 0 : 4);
    sum += areas[i], all += corners[i];
  }
  std::printf("shapes: area %.12g, %d sides %s\n", sum, all, equal ? "PASS" : "FAIL");
  ok &= equal;
  for (void* p : {(void*)shapes, (void*)area, (void*)sides, (void*)dx, (void*)dy}) CHECK(cudaFree(p));
  std::printf("%s\n", ok ? "all PASS" : "some FAIL");
  return ok ? 0 : 1;
}
