// Calls that there is no code for, with the arguments that small programs give them (tests/DEFECTS.md): one
// line each, and CUDA's number.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tools/runtime/session.h"

// With the parameters that CUDA's headers declare.
extern "C" {
int32_t cudaGetLastError();
int32_t cudaPeekAtLastError();
int32_t cudaImportExternalMemory(void** memory, const void* handle);
int32_t cudaImportExternalSemaphore(void** semaphore, const void* handle);
int32_t cuCheckpointProcessLock(int32_t process, void* arguments);
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

TEST_CASE("memory and semaphores of other interfaces cannot be imported, and it says so") {
  begin();
  void* object = nullptr;
  uint8_t bytes[256] = {};
  check("cudaImportExternalMemory", [&] { return cudaImportExternalMemory(&object, bytes); });
  check("cudaImportExternalSemaphore", [&] { return cudaImportExternalSemaphore(&object, bytes); });
  CHECK(object == nullptr);
}

TEST_CASE("calls of the driver that are not supported say so, and leave the runtime no error") {
  begin();
  const void* table = nullptr;
  const uint8_t id[16] = {};
  check("cuCheckpointProcessLock", [&] { return cuCheckpointProcessLock(1, nullptr); });
  check(
      "cuGetExportTable", [&] { return cuGetExportTable(&table, id); },
      ": a CUDA runtime within the program asks for it, or another library of CUDA's, whose names were "
      "stripped, "
      "so that it was not replaced (legal: a program that was not stripped; nvcc -cudart shared)");
  CHECK(table == nullptr);
}

}  // namespace
}  // namespace heddle::runtime
