// The driver API: a context, a module from a cubin (carried, or the file of the first argument), launches and copies.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>
#include <cuda.h>

#include "kernels_cubin.h"

#define CHECK(call)                                                                                 \
  do {                                                                                              \
    CUresult status_ = (call);                                                                      \
    if (status_ != CUDA_SUCCESS) {                                                                  \
      const char* text_ = nullptr;                                                                  \
      cuGetErrorString(status_, &text_);                                                            \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, text_ ? text_ : "unknown error");     \
      std::exit(1);                                                                                 \
    }                                                                                               \
  } while (0)

static bool say(const char* what, bool ok) {
  std::printf("%-36s %s\n", what, ok ? "PASS" : "FAIL");
  return ok;
}

static void name(const char* what, CUresult r) {
  const char *n = "?", *s = "?";
  cuGetErrorName(r, &n);
  cuGetErrorString(r, &s);
  std::printf("%-28s %d %s: %s\n", what, int(r), n, s);
}

int main(int argc, char** argv) {
  bool ok = true;
  CUdevice device;
  name("before cuInit", cuDeviceGet(&device, 0));
  CHECK(cuInit(0));
  int version = 0, count = 0, major = 0, minor = 0, sms = 0;
  CHECK(cuDriverGetVersion(&version));
  CHECK(cuDeviceGetCount(&count));
  CHECK(cuDeviceGet(&device, 0));
  char text[128];
  CHECK(cuDeviceGetName(text, sizeof(text), device));
  CHECK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  CHECK(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
  CHECK(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
  std::printf("%s, %d.%d, %d multiprocessors, driver of CUDA 13 or later: %d\n", text, major, minor, sms, version >= 13000);

  CUcontext context;
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CUcontext current;
  CHECK(cuCtxGetCurrent(&current));
  ok &= say("current context", current == context);

  std::vector<char> image(reinterpret_cast<const char*>(kernels_cubin), reinterpret_cast<const char*>(kernels_cubin) + sizeof(kernels_cubin));
  if (argc > 1) {
    std::ifstream file(argv[1], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "cannot read %s\n", argv[1]);
      return 1;
    }
    image.assign(std::istreambuf_iterator<char>(file), {});
  }
  CUmodule module;
  CHECK(cuModuleLoadData(&module, image.data()));
  CUfunction scaleAdd, pairs, whoami, missing;
  CHECK(cuModuleGetFunction(&scaleAdd, module, "scaleAdd"));
  CHECK(cuModuleGetFunction(&pairs, module, "pairs"));
  CHECK(cuModuleGetFunction(&whoami, module, "whoami"));
  name("no such kernel", cuModuleGetFunction(&missing, module, "absent"));
  for (auto [function, which] : {std::pair{scaleAdd, "scaleAdd"}, std::pair{pairs, "pairs"}, std::pair{whoami, "whoami"}}) {
    int threads, shared, local, binary, regs;
    CHECK(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
    CHECK(cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function));
    CHECK(cuFuncGetAttribute(&local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function));
    CHECK(cuFuncGetAttribute(&binary, CU_FUNC_ATTRIBUTE_BINARY_VERSION, function));
    CHECK(cuFuncGetAttribute(&regs, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
    std::printf("%s: threads %d shared %d local %d binary %d registers some: %d\n", which, threads, shared, local, binary, regs > 0);
  }

  // y = factor * a * x + y, twice, the second time with another factor.
  const int n = 3000;
  std::vector<float> x(n), y(n, 1.0f);
  for (int i = 0; i < n; i++) x[i] = i * 0.25f;
  CUdeviceptr dx, dy;
  CHECK(cuMemAlloc(&dx, n * sizeof(float)));
  CHECK(cuMemAlloc(&dy, n * sizeof(float)));
  CHECK(cuMemcpyHtoD(dx, x.data(), n * sizeof(float)));
  CHECK(cuMemsetD32(dy, 0x3f800000, n));
  float a = 3.0f;
  int count_ = n;
  void* args[] = {&dy, &dx, &a, &count_};
  CUstream stream;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuCtxSynchronize());
  CHECK(cuLaunchKernel(scaleAdd, (n + 127) / 128, 1, 1, 128, 1, 1, 0, stream, args, nullptr));
  CHECK(cuStreamSynchronize(stream));
  CUdeviceptr factor, launches;
  size_t bytes;
  CHECK(cuModuleGetGlobal(&factor, &bytes, module, "factor"));
  float other = -1.0f;
  std::printf("factor of %zu bytes\n", bytes);
  CHECK(cuMemcpyHtoD(factor, &other, sizeof(other)));
  CHECK(cuLaunchKernel(scaleAdd, (n + 127) / 128, 1, 1, 128, 1, 1, 0, stream, args, nullptr));
  CHECK(cuMemcpyDtoHAsync(y.data(), dy, n * sizeof(float), stream));
  CHECK(cuStreamSynchronize(stream));
  bool same = true;
  for (int i = 0; i < n; i++) same &= y[i] == 1.0f + 3.0f * x[i];
  std::printf("y[2999] %.9g\n", y[n - 1]);
  ok &= say("scaleAdd", same);
  int made = 0;
  CHECK(cuModuleGetGlobal(&launches, nullptr, module, "launches"));
  CHECK(cuMemcpyDtoH(&made, launches, sizeof(made)));
  std::printf("launches %d\n", made);

  // A structure as an argument, dynamic shared memory, a pointer to memory that was set by bytes.
  struct Pair {
    short tag;
    double weight;
  } pair = {7, 1.5};
  CUdeviceptr out, bytesOf;
  CHECK(cuMemAlloc(&out, sizeof(double)));
  CHECK(cuMemAlloc(&bytesOf, 16));
  CHECK(cuMemsetD8(bytesOf, 'A', 16));
  void* pairArgs[] = {&pair, &out, &bytesOf};
  CHECK(cuLaunchKernel(pairs, 1, 1, 1, 64, 1, 1, 64 * sizeof(double), 0, pairArgs, nullptr));
  double sum;
  CHECK(cuMemcpyDtoH(&sum, out, sizeof(sum)));
  std::printf("pairs %.17g\n", sum);
  ok &= say("pairs", sum == 1.5 * 2016 + 7 * 64 + 'A');

  // Arguments in a buffer, three dimensions.
  CUdeviceptr ids;
  const int blocks = 2 * 3 * 2, threads = 4 * 2 * 3;
  CHECK(cuMemAlloc(&ids, blocks * threads * sizeof(unsigned)));
  size_t size = sizeof(ids);
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &ids, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  CHECK(cuLaunchKernel(whoami, 2, 3, 2, 4, 2, 3, 0, 0, nullptr, extra));
  std::vector<unsigned> got(blocks * threads);
  CHECK(cuMemcpyDtoH(got.data(), ids, got.size() * sizeof(unsigned)));
  same = true;
  for (int b = 0; b < blocks; b++)
    for (int t = 0; t < threads; t++) same &= got[b * threads + t] == (unsigned(b) << 16 | unsigned(t));
  std::printf("last %08x\n", got.back());
  ok &= say("whoami", same);

  int resident;
  CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&resident, whoami, 256, 0));
  std::printf("blocks of 256 on a multiprocessor %d\n", resident);
  name("launch of 2048 threads", cuLaunchKernel(whoami, 1, 1, 1, 2048, 1, 1, 0, 0, nullptr, extra));
  name("free of nothing allocated", cuMemFree(12345));
  const char junk[64] = "not a cubin";
  CUmodule bad;
  name("module of junk", cuModuleLoadData(&bad, junk));

  CUevent begin, end;
  CHECK(cuEventCreate(&begin, CU_EVENT_DEFAULT));
  CHECK(cuEventCreate(&end, CU_EVENT_DEFAULT));
  CHECK(cuEventRecord(begin, stream));
  CHECK(cuLaunchKernel(scaleAdd, (n + 127) / 128, 1, 1, 128, 1, 1, 0, stream, args, nullptr));
  CHECK(cuEventRecord(end, stream));
  CHECK(cuEventSynchronize(end));
  float ms = -1;
  CHECK(cuEventElapsedTime(&ms, begin, end));
  ok &= say("elapsed time > 0", ms > 0);
  CHECK(cuEventDestroy(begin));
  CHECK(cuEventDestroy(end));
  CHECK(cuStreamDestroy(stream));
  for (CUdeviceptr p : {dx, dy, out, bytesOf, ids}) CHECK(cuMemFree(p));
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(device));
  std::printf("%s\n", ok ? "all PASS" : "some FAIL");
  return ok ? 0 : 1;
}
