// Calls that there is no code for, with the arguments that small programs give them (tests/DEFECTS.md): one
// line each, and CUDA's number.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tools/runtime/abi.h"
#include "tools/runtime/session.h"

// With the parameters that CUDA's headers declare.
extern "C" {
int32_t cudaGetLastError();
int32_t cudaPeekAtLastError();
int32_t cudaMallocArray(void** array, const void* format, size_t width, size_t height, uint32_t flags);
int32_t cudaMalloc3DArray(void** array, const void* format, heddle::abi::Extent extent, uint32_t flags);
int32_t cudaFreeArray(void* array);
int32_t cudaArrayGetInfo(void* format, heddle::abi::Extent* extent, uint32_t* flags, void* array);
int32_t cudaMemcpy2DToArray(void* to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                            size_t height, int32_t kind);
int32_t cudaMemcpy2DFromArray(void* to, size_t pitch, const void* from, size_t x, size_t y, size_t width,
                              size_t height, int32_t kind);
int32_t cudaGraphConditionalHandleCreate(uint64_t* handle, void* graph, uint32_t value, uint32_t flags);
int32_t cudaGraphAddNode(void** node, void* graph, const void* const* after, const void* edges, size_t count,
                         void* parameters);
int32_t cudaCreateSurfaceObject(uint64_t* surface, const void* resource);
int32_t cudaCreateTextureObject(uint64_t* texture, const void* resource, const void* texel, const void* view);
int32_t cuModuleEnumerateFunctions(void** functions, uint32_t count, void* module);
int32_t cuGetExportTable(const void** table, const void* id);
}

namespace heddle::runtime {
namespace {

constexpr int32_t kNotSupported = 801;  // in both interfaces

// What `f` writes to stderr.
template <class F>
std::string said(F&& f) {
  std::FILE* const file = std::tmpfile();
  REQUIRE(file != nullptr);
  std::fflush(stderr);
  const int before = dup(STDERR_FILENO);
  REQUIRE(dup2(fileno(file), STDERR_FILENO) == STDERR_FILENO);
  f();
  std::fflush(stderr);
  REQUIRE(dup2(before, STDERR_FILENO) == STDERR_FILENO);
  close(before);
  std::string text;
  std::rewind(file);
  for (int c; (c = std::fgetc(file)) != EOF;) {
    text.push_back(static_cast<char>(c));
  }
  std::fclose(file);
  return text;
}

// `call()` is not supported: its line the first time, its number each time.
template <class F>
void check(const std::string& name, F&& call, const std::string& more = "") {
  CAPTURE(name);
  const bool driver = name.rfind("cuda", 0) != 0;
  std::vector<int32_t> results;
  const std::string text = said([&] { results = {call(), call()}; });
  CHECK(results == std::vector<int32_t>{kNotSupported, kNotSupported});
  CHECK(text == "heddle: " + name + " is not supported" + more + "\n");
  // Errors of the driver are not the runtime's.
  CHECK(cudaPeekAtLastError() == (driver ? 0 : kNotSupported));
  CHECK(cudaGetLastError() == (driver ? 0 : kNotSupported));
}

void begin() {
  setenv("HEDDLE_FUNCTIONAL", "1", 1);
  setenv("HEDDLE_QUIET", "1", 1);
  Session::get();
}

TEST_CASE("arrays, textures and surfaces are not supported, and say so") {
  begin();
  void* none = nullptr;
  uint64_t object = 7;
  uint32_t flags = 0;
  const int32_t format[5] = {32, 0, 0, 0, 0};
  abi::Extent extent{};
  uint8_t bytes[256] = {};
  check("cudaMallocArray", [&] { return cudaMallocArray(&none, format, 8, 8, 0); });
  check("cudaMalloc3DArray", [&] { return cudaMalloc3DArray(&none, format, {8, 8, 8}, 0); });
  check("cudaArrayGetInfo", [&] { return cudaArrayGetInfo(bytes, &extent, &flags, none); });
  check("cudaMemcpy2DToArray", [&] { return cudaMemcpy2DToArray(none, 0, 0, bytes, 32, 32, 8, 1); });
  check("cudaMemcpy2DFromArray", [&] { return cudaMemcpy2DFromArray(bytes, 32, none, 0, 0, 32, 8, 2); });
  check("cudaFreeArray", [&] { return cudaFreeArray(none); });
  check("cudaCreateSurfaceObject", [&] { return cudaCreateSurfaceObject(&object, bytes); });
  check("cudaCreateTextureObject", [&] { return cudaCreateTextureObject(&object, bytes, bytes, nullptr); });
  CHECK(none == nullptr);
  CHECK(object == 7);
}

TEST_CASE("conditional nodes of graphs are not supported, and say so") {
  begin();
  uint64_t handle = 7;
  void* node = nullptr;
  uint8_t bytes[256] = {};
  check("cudaGraphConditionalHandleCreate",
        [&] { return cudaGraphConditionalHandleCreate(&handle, nullptr, 1, 1); });
  check("cudaGraphAddNode", [&] { return cudaGraphAddNode(&node, nullptr, nullptr, nullptr, 0, bytes); });
  CHECK(handle == 7);
  CHECK(node == nullptr);
}

TEST_CASE("calls of the driver that are not supported say so, and leave the runtime no error") {
  begin();
  void* function = nullptr;
  const void* table = nullptr;
  const uint8_t id[16] = {};
  check("cuModuleEnumerateFunctions", [&] { return cuModuleEnumerateFunctions(&function, 1, nullptr); });
  check(
      "cuGetExportTable", [&] { return cuGetExportTable(&table, id); },
      ": a CUDA runtime within the program asks for it, or another library of CUDA's, whose names were "
      "stripped, "
      "so that it was not replaced (legal: a program that was not stripped; nvcc -cudart shared)");
  CHECK(table == nullptr);
}

}  // namespace
}  // namespace heddle::runtime
