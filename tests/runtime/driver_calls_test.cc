// The driver's calls beside the runtime's: arrays, copies of planes, objects, nodes of graphs, pointers,
// addresses of calls for code with own default streams.
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"

using namespace heddle;           // the declarations are in their words
using namespace heddle::runtime;  // likewise

#include "tests/runtime/api_declarations.inc"  // NOLINT(bugprone-reserved-identifier): CUDA's names

extern "C" {
int32_t cuStreamGetId(void* stream, Given<unsigned long long> out);
int32_t cuStreamGetId_ptsz(void* stream, Given<unsigned long long> out);
int32_t cuGraphCreate(Given<void*> out, uint32_t flags);
int32_t cuArrayDestroy(void* array);
int32_t cuTexObjectDestroy(unsigned long long object);
}

namespace {

constexpr int32_t kSuccess = 0, kInvalidValue = 1, kNotInitialized = 3;
constexpr uint32_t kFloat = 0x20, kHostMemory = 1, kArrayMemory = 3;

// A process that has made no call yet.
class Process {
 public:
  Process() {
    setenv("HEDDLE_FUNCTIONAL", "1", 1);
    setenv("HEDDLE_QUIET", "1", 1);
    Session::get().begin_again();
  }
};

TEST_CASE("the driver's arrays are the runtime's, and planes go there and back") {
  const Process p;
  void* array = nullptr;
  const abi::DriverArray3D shape{6, 4, 3, kFloat, 1, 0};
  CHECK(cuArray3DCreate_v2(&array, &shape) == kNotInitialized);
  REQUIRE(cuInit(0) == kSuccess);
  REQUIRE(cudaSetDevice(0) == kSuccess);
  REQUIRE(cuArray3DCreate_v2(&array, &shape) == kSuccess);
  abi::DriverArray3D asked{};
  REQUIRE(cuArray3DGetDescriptor_v2(&asked, array) == kSuccess);
  CHECK(asked.depth == 3);
  CHECK(asked.format == kFloat);
  abi::Extent extent{};
  REQUIRE(cudaArrayGetInfo(nullptr, &extent, nullptr, array) == kSuccess);
  CHECK(extent.width == 6);
  std::vector<float> h(72), back(72, -1);
  std::iota(h.begin(), h.end(), 0.F);
  abi::DriverCopy3D c{};
  c.from.memory_type = kHostMemory;
  c.from.host = h.data();
  c.to.memory_type = kArrayMemory;
  c.to.array = array;
  c.width = 24;
  c.height = 4;
  c.depth = 3;
  REQUIRE(cuMemcpy3D_v2(&c) == kSuccess);
  abi::DriverCopy3D out{};
  out.from.memory_type = kArrayMemory;
  out.from.array = array;
  out.from.x = 8;
  out.from.y = 1;
  out.from.z = 2;
  out.to.memory_type = kHostMemory;
  out.to.host = back.data();
  out.width = 16;
  out.height = 3;
  out.depth = 1;
  REQUIRE(cuMemcpy3D_v2(&out) == kSuccess);
  CHECK(back[0] == h[2 * 24 + 6 + 2]);
  CHECK(back[11] == h[2 * 24 + 3 * 6 + 5]);
  CHECK(back[12] == -1);
  out.from.y = 2;
  CHECK(cuMemcpy3D_v2(&out) == kInvalidValue);  // beyond the last row
  CHECK(cudaGetLastError() == kSuccess);        // the driver's errors are not the runtime's
  CHECK(cuArrayDestroy(array) == kSuccess);
  CHECK(cuArrayDestroy(array) == kInvalidValue);
  const abi::DriverArray3D video{6, 4, 0, 0xb0, 3, 0};
  CHECK(cuArray3DCreate_v2(&array, &video) == 801);
}

TEST_CASE("objects of the driver say what they are of") {
  const Process p;
  REQUIRE(cuInit(0) == kSuccess);
  REQUIRE(cudaSetDevice(0) == kSuccess);
  void* array = nullptr;
  const abi::DriverArray shape{8, 8, 0x03, 1};  // u32
  REQUIRE(cuArrayCreate_v2(&array, &shape) == kSuccess);
  abi::DriverResource r{};
  r.array = array;
  abi::DriverTexture t{};
  t.flags = 2;  // normalised; integers of 32 bits stay such
  t.address[1] = 3;
  unsigned long long object = 0;
  REQUIRE(cuTexObjectCreate(&object, &r, &t, nullptr) == kSuccess);
  abi::DriverTexture asked{};
  REQUIRE(cuTexObjectGetTextureDesc(&asked, object) == kSuccess);
  CHECK(asked.address[1] == 3);
  CHECK(asked.flags == 3);  // CU_TRSF_READ_AS_INTEGER
  abi::DriverResource of{};
  REQUIRE(cuTexObjectGetResourceDesc(&of, object) == kSuccess);
  CHECK(of.array == array);
  CHECK(cuSurfObjectCreate(&object, &r) == kInvalidValue);  // no CUDA_ARRAY3D_SURFACE_LDST
  CHECK(cuTexObjectDestroy(object) == kSuccess);
  CHECK(cuTexObjectDestroy(object) == kInvalidValue);
}

TEST_CASE("a node that copies has the driver's structure in cuGraphAddNode") {
  const Process p;
  REQUIRE(cuInit(0) == kSuccess);
  REQUIRE(cudaSetDevice(0) == kSuccess);
  void *graph = nullptr, *node = nullptr, *exec = nullptr;
  REQUIRE(cuGraphCreate(&graph, 0) == kSuccess);
  int from[4] = {1, 2, 3, 4}, to[4] = {};
  abi::NodeParameters n{};
  n.type = 1;
  auto* copy = reinterpret_cast<abi::DriverCopyNode*>(n.all);
  copy->copy.from.memory_type = copy->copy.to.memory_type = kHostMemory;
  copy->copy.from.host = from;
  copy->copy.to.host = to;
  copy->copy.width = 16;
  copy->copy.height = copy->copy.depth = 1;
  REQUIRE(cuGraphAddNode_v2(&node, graph, nullptr, nullptr, 0, &n) == kSuccess);
  REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == kSuccess);
  REQUIRE(cudaGraphLaunch(exec, nullptr) == kSuccess);
  REQUIRE(cudaDeviceSynchronize() == kSuccess);
  CHECK(to[3] == 4);
}

TEST_CASE("what a pointer is") {
  const Process p;
  REQUIRE(cuInit(0) == kSuccess);
  void *device = nullptr, *pinned = nullptr;
  REQUIRE(cudaMalloc(&device, 1000) == kSuccess);
  REQUIRE(cudaMallocHost(&pinned, 64) == kSuccess);
  const uint64_t at = number(device);
  uint32_t type = 0;
  uint64_t start = 0, bytes = 0;
  const Given<uint8_t> into = reinterpret_cast<uint8_t*>(&type);
  REQUIRE(cuPointerGetAttribute(into, 2, at + 8) == kSuccess);
  CHECK(type == 2);
  REQUIRE(cuPointerGetAttribute(into, 2, number(pinned)) == kSuccess);
  CHECK(type == 1);
  CHECK(cuPointerGetAttribute(into, 2, number(&type)) == kInvalidValue);  // none of CUDA's
  REQUIRE(cuMemGetAddressRange_v2(&start, &bytes, at + 999) == kSuccess);
  CHECK(start == at);
  CHECK(bytes == 1000);
}

TEST_CASE("ST03: calls with own default streams have other names") {
  const Process p;
  REQUIRE(cuInit(0) == kSuccess);
  REQUIRE(cudaSetDevice(0) == kSuccess);
  unsigned long long legacy = 0, own = 0, said = 0;
  REQUIRE(cuStreamGetId(nullptr, &legacy) == kSuccess);
  REQUIRE(cuStreamGetId_ptsz(nullptr, &own) == kSuccess);
  REQUIRE(cuStreamGetId(pointer(2), &said) == kSuccess);  // CU_STREAM_PER_THREAD
  CHECK(own != legacy);
  CHECK(own == said);
}

}  // namespace
