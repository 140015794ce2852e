// A library, or a part of a program, with the runtime of runtime.cc within itself.
#include <cstdint>

extern "C" {
__attribute__((visibility("hidden"))) int32_t cudaGetDeviceCount(int32_t* count);
__attribute__((visibility("hidden"))) int32_t cudaGetLastError();
__attribute__((visibility("hidden"))) int32_t HEDDLE_OTHER();

struct Answers {
  int32_t at_start, devices, other, last_error, none;
};
Answers answers();
}

namespace {

int32_t devices() {
  int32_t n = 0;
  const int32_t error = cudaGetDeviceCount(&n);
  return error == 0 ? n : error;
}
const int32_t at_start = devices();

}  // namespace

Answers answers() {
  Answers a{at_start, devices(), HEDDLE_OTHER(), 0, 0};
  a.last_error = cudaGetLastError();
  a.none = cudaGetLastError();
  return a;
}
