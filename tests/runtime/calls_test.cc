// The exported calls, as a program without a toolkit makes them: null pointers, errors, the runtime's and the
// driver's calls together.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"

using namespace heddle;           // the declarations are in their words
using namespace heddle::runtime;  // likewise

#include "tests/runtime/api_declarations.inc"  // NOLINT(bugprone-reserved-identifier): CUDA's names

namespace {

enum Number : int32_t {
  kSuccess = 0,
  kInvalidValue = 1,
  kMemoryAllocation = 2,
  kNotInitialized = 3,
  kInvalidContext = 201,
  kInvalidResourceHandle = 400,
  kIllegalState = 401,
  kNotReady = 600,
  kNotPermitted = 800,
  kNotSupported = 801,
  kCapturedEvent = 907,
};

// A process that has made no call yet.
class Process {
 public:
  explicit Process(bool functional = true) {
    setenv("HEDDLE_FUNCTIONAL", functional ? "1" : "0", 1);
    setenv("HEDDLE_QUIET", "1", 1);
    Session::get().begin_again();
  }
};

template <class T>
struct IsGiven : std::false_type {};
template <class T>
struct IsGiven<Given<T>> : std::true_type {};

// With nothing but null pointers and zeros. False: it should fail and does not.
template <class... A>
bool fails_with_nothing(int32_t (*f)(A...)) {
  const int32_t status = f(A{}...);
  return status != 0 || !(IsGiven<A>::value || ...);
}
template <class R, class... A>
bool fails_with_nothing(R (*f)(A...)) {
  f(A{}...);
  return true;
}

// What the destructor's own calls of CUDA return.
struct Destroyed {
  int times = 0;
  int32_t status = 0, driver_status = 0;
};
void destroyed(void* data) {
  auto* d = static_cast<Destroyed*>(data);
  ++d->times;
  d->status = cudaDeviceSynchronize();
  d->driver_status = cuCtxSynchronize();
}

TEST_CASE("GR24: user objects of both interfaces are the same; no destructor calls CUDA") {
  const Process p;
  Destroyed d;
  void *object = nullptr, *graph = nullptr, *exec = nullptr;
  CHECK(cuUserObjectCreate(&object, &d, destroyed, 1, 1) == kNotInitialized);
  REQUIRE(cudaGraphCreate(&graph, 0) == kSuccess);
  CHECK(cudaUserObjectCreate(&object, &d, destroyed, 1, 0) == kInvalidValue);  // flags
  CHECK(cudaUserObjectCreate(&object, &d, nullptr, 1, 1) == kInvalidValue);
  CHECK(cudaUserObjectCreate(&object, &d, destroyed, 0, 1) == kInvalidValue);
  REQUIRE(cudaUserObjectCreate(&object, &d, destroyed, 1, 1) == kSuccess);
  CHECK(cuUserObjectRetain(object, 1) == kSuccess);
  CHECK(cudaGraphRetainUserObject(graph, object, 1, 2) == kInvalidValue);
  CHECK(cudaGraphRetainUserObject(graph, object, 1, 1) == kSuccess);  // moved
  CHECK(cuGraphRetainUserObject(graph, object, 2, 0) == kSuccess);
  CHECK(cudaUserObjectRelease(object, 1) == kSuccess);
  CHECK(cuUserObjectRelease(object, 1) == kInvalidValue);  // the program has none
  CHECK(cuGraphReleaseUserObject(graph, object, 2) == kSuccess);
  REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == kSuccess);
  CHECK(cudaGraphReleaseUserObject(graph, object, 1) == kSuccess);
  CHECK(cudaGraphReleaseUserObject(graph, object, 1) == kInvalidValue);
  CHECK(d.times == 0);
  CHECK(cudaGraphExecDestroy(exec) == kSuccess);
  CHECK(d.times == 1);
  CHECK(d.status == kNotPermitted);
  CHECK(d.driver_status == kNotPermitted);
  CHECK(cudaGetLastError() == kInvalidValue);  // not the destructor's
  CHECK(cudaUserObjectRetain(object, 1) == kInvalidValue);
}

TEST_CASE("the buffer of printf has 512 KiB at least") {
  const Process p;
  size_t bytes = 0;
  for (const size_t asked : {size_t{1}, size_t{66000}, size_t{4000000}}) {
    CHECK(cudaDeviceSetLimit(1, asked) == kSuccess);
    CHECK(cudaDeviceGetLimit(&bytes, 1) == kSuccess);
    CHECK(bytes == std::max<size_t>(asked, 512 << 10));
  }
}

TEST_CASE("every call takes null pointers, and fails for those that it needs") {
  std::vector<std::string> wrong;
  const auto one = [&](auto f, std::string_view name) {
    Process p;
    // Its results are not needed: both may be null.
    if (!fails_with_nothing(f) && name != "cudaDeviceGetStreamPriorityRange") {
      wrong.emplace_back(name);
    }
    if (name.starts_with("cu") && !name.starts_with("cuda")) {
      // And with the driver and a context.
      cuInit(0);
      cudaSetDevice(0);
      if (!fails_with_nothing(f)) {
        wrong.push_back(std::string(name) + " with a context");
      }
    }
  };
#define HEDDLE_CALL(name, parameters) one(&name, #name);
#include "tests/runtime/api_calls.inc"  // NOLINT(bugprone-reserved-identifier): CUDA's names
#undef HEDDLE_CALL
  CHECK(wrong == std::vector<std::string>{});
}

TEST_CASE("handles that are none, of another kind or gone are errors") {
  Process p;
  void *stream = nullptr, *event = nullptr, *graph = nullptr, *other = nullptr, *node = nullptr,
       *pool = nullptr;
  void* const garbage = pointer(0xdeadbeef0000);
  cudaStreamCreate(&stream);
  cudaEventCreate(&event);
  cudaGraphCreate(&graph, 0);
  cudaGraphCreate(&other, 0);
  const host::Ps before = Session::get().threads().now();
  REQUIRE(cudaGraphAddEmptyNode(&node, graph, nullptr, 0) == kSuccess);
  CHECK(Session::get().threads().now() - before == host::from_ns(350));  // host.graph.add_node_ns
  CHECK(cudaStreamQuery(garbage) == kInvalidResourceHandle);
  CHECK(cudaStreamQuery(event) == kInvalidResourceHandle);
  CHECK(cudaEventQuery(stream) == kInvalidResourceHandle);
  CHECK(cudaGraphDestroyNode(graph) == kInvalidValue);
  CHECK(cudaGraphLaunch(graph, stream) == kInvalidValue);
  CHECK(cudaMemPoolTrimTo(stream, 0) == kInvalidValue);
  CHECK(cudaFuncSetCacheConfig(stream, 0) == kInvalidResourceHandle);
  // A node of another graph.
  CHECK(cudaGraphAddEmptyNode(&node, other, &node, 1) == kInvalidValue);
  CHECK(cudaGraphAddDependencies(other, &node, &node, nullptr, 1) == kInvalidValue);
  CHECK(cudaGraphAddDependencies(graph, &node, &node, nullptr, 1) == kInvalidValue);
  const abi::PoolProperties properties{1, 0, {1, 0}, nullptr, 0, 0, {}};
  REQUIRE(cudaMemPoolCreate(&pool, &properties) == kSuccess);
  CHECK(cudaStreamDestroy(stream) == kSuccess);
  CHECK(cudaEventDestroy(event) == kSuccess);
  CHECK(cudaGraphDestroy(graph) == kSuccess);
  CHECK(cudaMemPoolDestroy(pool) == kSuccess);
  CHECK(cudaStreamDestroy(stream) == kInvalidResourceHandle);
  CHECK(cudaEventRecord(event, nullptr) == kInvalidResourceHandle);
  CHECK(cudaGraphDestroy(graph) == kInvalidValue);
  CHECK(cudaGraphDestroyNode(node) == kInvalidValue);
  CHECK(cudaMemPoolDestroy(pool) == kInvalidValue);
}

TEST_CASE("where there is no place for a result nothing is made") {
  Process p;
  size_t before = 0, after = 0, all = 0;
  cudaMemGetInfo(&before, &all);
  CHECK(cudaMalloc(nullptr, 1 << 20) == kInvalidValue);
  CHECK(cudaMallocAsync(nullptr, 1 << 20, nullptr) == kInvalidValue);
  void* out = nullptr;
  CHECK(cudaMallocPitch(&out, nullptr, 1 << 20, 1) == kInvalidValue);
  cudaMemGetInfo(&after, &all);
  CHECK(after == before);
}

TEST_CASE("sizes beyond all bounds are errors") {
  Process p;
  void *d = nullptr, *q = nullptr;
  uint8_t bytes[256] = {};
  size_t pitch = 0;
  REQUIRE(cudaMalloc(&d, 1024) == kSuccess);
  CHECK(cudaMalloc(&q, ~size_t{0}) == kMemoryAllocation);
  CHECK(cudaMallocPitch(&q, &pitch, ~size_t{0}, 2) == kMemoryAllocation);
  CHECK(cudaMallocPitch(&q, &pitch, size_t{1} << 40, size_t{1} << 40) == kMemoryAllocation);
  abi::PitchedPointer at{};
  CHECK(cudaMalloc3D(&at, {16, size_t{1} << 32, size_t{1} << 32}) == kMemoryAllocation);
  // Each product is 0 or small in 64 bits.
  CHECK(cudaMemcpy2D(d, size_t{1} << 63, bytes, 64, 64, 3, 1) == kInvalidValue);
  CHECK(cudaMemset2D(d, size_t{1} << 63, 0, 64, 3) == kInvalidValue);
  CHECK(cudaMemset2D(d, 0, 0, 4, size_t{1} << 60) == kInvalidValue);
  CHECK(cudaMemset(d, 0, 1025) == kInvalidValue);
  abi::Copy3D planes{};
  planes.from = {d, 64, 64, 0};  // so that each plane is at the first one's place
  planes.to = {bytes, 64, 64, 0};
  planes.extent = {64, 1, size_t{1} << 50};
  planes.kind = 2;
  CHECK(cudaMemcpy3D(&planes) == kInvalidValue);
  CHECK(cudaHostRegister(bytes, ~size_t{0}, 0) == kInvalidValue);
  CHECK(cudaHostRegister(pointer(0x10000), 4096, 0) == kInvalidValue);
  CHECK(cudaMemcpyToSymbol(d, nullptr, 4, 0, 1) != kSuccess);
  CHECK(cuInit(0) == kSuccess);
  char name[8] = "1234567";
  CHECK(cuDeviceGetName(name, -1, 0) == kInvalidValue);
  CHECK(cuDeviceGetName(name, 4, 0) == kSuccess);
  CHECK(std::string(name) == "NVI");
  CHECK(name[4] == '5');
  CHECK(cudaDeviceGetPCIBusId(name, -1, 0) == kInvalidValue);
}

TEST_CASE("images that are none") {
  Process p;
  cuInit(0);
  cudaSetDevice(0);
  void* module = nullptr;
  const auto load = [&](const void* image) { return cuModuleLoadData(&module, image); };
  CHECK(load(nullptr) == kInvalidValue);
  CHECK(load("") == 200);
  CHECK(load("\x7f"
             "ELF") == 200);
  CHECK(cuModuleLoad(&module, "/nowhere") == 301);
  const char* ptx = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n";
  REQUIRE(load(ptx) == kSuccess);
  void *function = nullptr, *again = nullptr;
  CHECK(cuModuleGetFunction(&function, module, "none") == 500);
  CHECK(cuModuleGetFunction(&function, module, "k") == kSuccess);
  CHECK(cuModuleUnload(module) == kSuccess);
  CHECK(cuModuleUnload(module) == kInvalidResourceHandle);
  CHECK(cuModuleGetFunction(&again, module, "k") == kInvalidResourceHandle);
}

TEST_CASE("that work is not over is not the last error") {
  Process p(true);
  void* out = nullptr;
  CHECK(cudaMalloc(&out, ~size_t{0}) == kMemoryAllocation);
  CHECK(cudaPeekAtLastError() == kMemoryAllocation);
  CHECK(cudaGetLastError() == kMemoryAllocation);
  CHECK(cudaGetLastError() == kSuccess);
  // As the calls see it.
  CHECK(call([](Context&) { return Status::kNotReady; }) == kNotReady);
  CHECK(cudaPeekAtLastError() == kSuccess);
}

TEST_CASE("the driver's calls want cuInit and a context, which the runtime's make") {
  Process p;
  int32_t n = -1;
  uint64_t address = 0;
  void* context = pointer(1);
  CHECK(cuDeviceGetCount(&n) == kNotInitialized);
  CHECK(cuInit(0) == kSuccess);
  CHECK(cuMemAlloc_v2(&address, 4) == kInvalidContext);
  CHECK(cuCtxGetCurrent(&context) == kSuccess);
  CHECK(context == nullptr);
  // This needs no context.
  CHECK(cudaGetDeviceCount(&n) == kSuccess);
  CHECK(cuMemAlloc_v2(&address, 4) == kInvalidContext);
  void* d = nullptr;
  CHECK(cudaMalloc(&d, 256) == kSuccess);
  CHECK(cuCtxGetCurrent(&context) == kSuccess);
  void* primary = nullptr;
  CHECK(cuDevicePrimaryCtxRetain(&primary, 0) == kSuccess);
  CHECK(context == primary);
  uint32_t word = 0, flags = 0;
  CHECK(cuMemsetD32_v2(number(d), 0x01020304, 1) == kSuccess);
  CHECK(cudaMemcpy(&word, d, 4, 2) == kSuccess);
  CHECK(word == 0x01020304);
  CHECK(cuCtxGetDevice(&n) == kSuccess);
  CHECK(n == 0);
  // The same flags.
  for (const uint32_t f : {0, 1, 2, 4}) {
    CHECK(cudaSetDeviceFlags(f) == kSuccess);
    CHECK(cudaGetDeviceFlags(&flags) == kSuccess);
    CHECK((flags & 7) == f);
    CHECK(cuDevicePrimaryCtxGetState(0, &flags, &n) == kSuccess);
    CHECK((flags & 7) == f);
    CHECK(n == 1);
  }
  CHECK(cudaSetDeviceFlags(3) == kInvalidValue);
  CHECK(cuDevicePrimaryCtxSetFlags_v2(0, 1) == kSuccess);
  CHECK(cudaGetDeviceFlags(&flags) == kSuccess);
  CHECK((flags & 7) == 1);
  // Errors of the driver are not the runtime's.
  CHECK(cudaGetLastError() == kInvalidValue);
  CHECK(cuStreamQuery(pointer(0x1234)) == kInvalidResourceHandle);
  CHECK(cudaGetLastError() == kSuccess);
}

TEST_CASE("waits of a device whose threads block end later") {
  const auto wait = [](uint32_t flags) {
    constexpr size_t kBytes = 64 << 20;
    Process p;
    REQUIRE(cudaSetDeviceFlags(flags) == kSuccess);
    void* d = nullptr;
    REQUIRE(cudaMalloc(&d, kBytes) == kSuccess);
    REQUIRE(cudaMemsetAsync(d, 0, kBytes, nullptr) == kSuccess);
    const uint64_t before = Session::get().host_ns();
    REQUIRE(cudaDeviceSynchronize() == kSuccess);
    return Session::get().host_ns() - before;
  };
  CHECK(wait(4) > wait(1));
}

TEST_CASE("the driver says how kernels are loaded") {
  for (const bool eager : {true, false}) {
    setenv("CUDA_MODULE_LOADING", eager ? "EAGER" : "LAZY", 1);
    Process p;
    REQUIRE(cuInit(0) == kSuccess);
    int32_t mode = 0;
    CHECK(cuModuleGetLoadingMode(&mode) == kSuccess);
    CHECK(mode == (eager ? 1 : 2));
  }
  unsetenv("CUDA_MODULE_LOADING");
}

TEST_CASE("what a thread spends passes before its next call") {
  Process p;
  void* d = nullptr;
  REQUIRE(cudaMalloc(&d, 256) == kSuccess);
  const uint64_t before = Session::get().host_ns();
  Session::get().spend(5000);
  CHECK(Session::get().host_ns() == before + 5000);
  REQUIRE(cudaDeviceSynchronize() == kSuccess);
  CHECK(Session::get().host_ns() > before + 5000);
}

TEST_CASE("a program that never calls cuInit: the runtime's first call has") {
  Process p;
  void *d = nullptr, *context = nullptr;
  REQUIRE(cudaMalloc(&d, 256) == kSuccess);
  REQUIRE(cudaMemset(d, 1, 256) == kSuccess);
  uint32_t word = 0;
  CHECK(cuMemcpyDtoH_v2(&word, number(d), 4) == kSuccess);
  CHECK(word == 0x01010101);
  CHECK(cuCtxGetCurrent(&context) == kSuccess);
  CHECK(context != nullptr);
  int32_t device = -1, devices = -1;
  CHECK(cuCtxGetDevice(&device) == kSuccess);
  CHECK(device == 0);
  CHECK(cuDeviceGetCount(&devices) == kSuccess);
  CHECK(devices == 1);
}

TEST_CASE("contexts of the program's") {
  Process p;
  void *a = nullptr, *b = nullptr, *now = nullptr;
  cuInit(0);
  CHECK(cuCtxDestroy_v2(nullptr) == kInvalidValue);
  CHECK(cuCtxSetCurrent(pointer(0x1234)) == kInvalidContext);
  CHECK(cuCtxPopCurrent_v2(&now) == kInvalidContext);
  REQUIRE(cuCtxCreate_v2(&a, 0, 0) == kSuccess);
  uint64_t address = 0;
  REQUIRE(cuMemAlloc_v2(&address, 256) == kSuccess);
  REQUIRE(cuCtxCreate_v2(&b, 4, 0) == kSuccess);
  CHECK(a != b);
  uint32_t flags = 0;
  CHECK(cuCtxGetFlags(&flags) == kSuccess);
  CHECK(flags == 4);
  CHECK(cuCtxPopCurrent_v2(&now) == kSuccess);
  CHECK(now == b);
  CHECK(cuCtxGetCurrent(&now) == kSuccess);
  CHECK(now == a);
  CHECK(cuCtxDestroy_v2(b) == kSuccess);
  CHECK(cuCtxDestroy_v2(b) == kInvalidContext);
  CHECK(cuMemsetD8_v2(address, 1, 256) == kSuccess);
  // The last one takes all of it along.
  CHECK(cuCtxDestroy_v2(a) == kSuccess);
  CHECK(cuMemsetD8_v2(address, 1, 256) == kInvalidContext);
  REQUIRE(cuCtxCreate_v2(&a, 0, 0) == kSuccess);
  CHECK(cuMemsetD8_v2(address, 1, 256) == kInvalidValue);
}

TEST_CASE("a host function may not call CUDA") {
  Process p;
  int32_t inside = -1;
  const auto f = [](void* data) { *static_cast<int32_t*>(data) = cudaDeviceReset(); };
  CHECK(cudaLaunchHostFunc(nullptr, f, &inside) == kSuccess);
  CHECK(cudaDeviceSynchronize() == kSuccess);
  CHECK(inside == kNotPermitted);
  // A callback is none of a graph's.
  void *stream = nullptr, *graph = nullptr;
  cudaStreamCreateWithFlags(&stream, 1);
  CHECK(cudaStreamAddCallback(stream, nullptr, nullptr, 0) == kInvalidValue);
  REQUIRE(cudaStreamBeginCapture(stream, 0) == kSuccess);
  CHECK(cudaStreamAddCallback(
            stream, [](void*, int32_t, void*) {}, nullptr, 0) == 900);
  CHECK(cudaStreamEndCapture(stream, &graph) == 901);
  CHECK(graph == nullptr);
}

TEST_CASE("a reset frees everything, settings are as at first") {
  Process p;
  size_t before = 0, now = 0, all = 0, limit = 0, first = 0;
  void *d = nullptr, *h = nullptr, *stream = nullptr, *pooled = nullptr;
  uint32_t flags = 0;
  cudaMemGetInfo(&before, &all);
  cudaDeviceGetLimit(&first, 0);
  cudaMalloc(&d, 64 << 20);
  cudaMallocHost(&h, 4096);
  cudaMallocAsync(&pooled, 1 << 20, nullptr);
  cudaStreamCreate(&stream);
  cudaDeviceSetLimit(0, 4096);
  cudaSetDeviceFlags(4);
  CHECK(cudaDeviceReset() == kSuccess);
  uint32_t word = 0;
  CHECK(cudaMemcpy(&word, d, 4, 2) == kInvalidValue);
  CHECK(cudaMemset(h, 0, 4) == kInvalidValue);
  CHECK(cudaFree(d) == kInvalidValue);
  CHECK(cudaFreeAsync(pooled, nullptr) == kInvalidValue);
  CHECK(cudaStreamQuery(stream) == kInvalidResourceHandle);
  cudaMemGetInfo(&now, &all);
  CHECK(now == before);
  cudaDeviceGetLimit(&limit, 0);
  CHECK(limit == first);
  cudaGetDeviceFlags(&flags);
  CHECK((flags & 7) == 0);
  void* again = nullptr;
  CHECK(cudaMalloc(&again, 4096) == kSuccess);
  CHECK(again != d);
  CHECK(cudaMemset(again, 0, 4096) == kSuccess);
  CHECK(cudaDeviceSynchronize() == kSuccess);
}

}  // namespace
