// Sequences of calls of libcudart and libcuda, made from bytes, in a process that each of them finds new: all
// calls that there is code for (api_calls.py), with null pointers, handles that are stale, of another kind or
// none at all, sizes and enumerators without sense, in any order. Pointers to the program's own memory, which
// a driver reads and writes as it is told, are null or good.
// HEDDLE_FUZZ_CALLS=1 names each call before it is made.
#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "tests/runtime/api_values.h"
#include "tools/runtime/abi.h"
#include "tools/runtime/given.h"
#include "tools/runtime/session.h"

using namespace heddle;           // the declarations are in their words
using namespace heddle::runtime;  // likewise

#include "tests/runtime/api_declarations.inc"  // NOLINT(bugprone-reserved-identifier): CUDA's names

// NOLINTBEGIN(bugprone-reserved-identifier): CUDA's names
extern "C" void** __cudaRegisterFatBinary(void* wrapper);
extern "C" void __cudaRegisterFunction(void** binary, const char* host, char* device, const char* name, int,
                                       void*, void*, void*, void*, int*);
extern "C" void __cudaRegisterVar(void** binary, char* host, char* device, const char* name, int, size_t, int,
                                  int);
// NOLINTEND(bugprone-reserved-identifier)

namespace {

using fuzz::Values;

constexpr const char* kPtx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .u32 total = 5;
.const .align 4 .u32 limits[2] = {7, 9};
.visible .entry add(.param .u64 p, .param .u32 n) {
  .reg .u64 %a;
  .reg .u32 %v, %n;
  ld.param.u64 %a, [p];
  ld.param.u32 %n, [n];
  ld.global.u32 %v, [%a];
  add.u32 %v, %v, %n;
  st.global.u32 [%a], %v;
  ret;
}
.visible .entry far(.param .u64 p) {
  .reg .u64 %a;
  .reg .u32 %v;
  ld.param.u64 %a, [p];
  ld.global.u32 %v, [%a + 1048576];
  st.global.u32 [%a], %v;
  ret;
}
.visible .entry nothing() { ret; }
)";

// Images, in memory of which the system alone knows where it ends, as an image's length is not told.
struct Images {
  static constexpr size_t kBytes = 1 << 18, kPart = 1 << 16;
  uint8_t* const at = static_cast<uint8_t*>(
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  uint8_t* part(size_t n) const { return at + n * kPart; }
  Images() { std::strcpy(reinterpret_cast<char*>(part(0)), kPtx); }
  // An ELF file and a fat binary with a header by chance.
  void change(Values& v) const {
    std::memcpy(part(1),
                "\x7f"
                "ELF\x02\x01\x01",
                7);
    std::memcpy(part(2), "\x50\xed\x55\xba\x01\x00\x10\x00", 8);
    for (size_t i = 8; i < 64; ++i) {
      part(1)[i] = static_cast<uint8_t>(v.byte());
    }
    for (size_t i = 8; i < 24; ++i) {
      part(2)[i] = static_cast<uint8_t>(v.byte());
    }
  }
};

struct Wrapper {
  uint32_t magic = 0x466243b1, version = 1;
  const void* data = nullptr;
  void* other = nullptr;
};

// Makes a call with arguments by their types and names.
template <class R, class... A>
void make_call(R (*f)(A...), std::string_view name, std::string_view parameters, Values& v) {
  v.begin(name, parameters);
  const std::tuple<A...> arguments{v.make<A>()...};  // from left to right
  static const bool told = std::getenv("HEDDLE_FUZZ_CALLS") != nullptr;
  if (told) {
    std::fprintf(stderr, "%.*s(%.*s)\n", static_cast<int>(name.size()), name.data(),
                 static_cast<int>(parameters.size()), parameters.data());
  }
  if constexpr (std::is_same_v<R, int32_t>) {
    v.returned(std::apply(f, arguments));
  } else {
    std::apply(f, arguments);
  }
}

constexpr void (*kCalls[])(Values&) = {
#define HEDDLE_CALL(name, parameters) [](Values& v) { make_call(&name, #name, parameters, v); },
#include "tests/runtime/api_calls.inc"  // NOLINT(bugprone-reserved-identifier): CUDA's names
#undef HEDDLE_CALL
};

// What nvcc's start-up code and the simplest of programs do first.
void begin(Values& v, const Images& images) {
  static Wrapper wrapper;
  static char add, far, nothing, total, limits;
  wrapper.data = images.part(0);
  void** binary = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(binary, &add, nullptr, "add", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterFunction(binary, &far, nullptr, "far", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterFunction(binary, &nothing, nullptr, "nothing", -1, nullptr, nullptr, nullptr, nullptr,
                         nullptr);
  __cudaRegisterVar(binary, &total, nullptr, "total", 0, 4, 0, 0);
  __cudaRegisterVar(binary, &limits, nullptr, "limits", 0, 8, 1, 0);
  for (const char* p : {&add, &add, &add, &nothing, &far, &total, &limits}) {
    v.know("function", p);
  }
  for (size_t n : {0, 0, 1, 2, 3}) {
    v.know("image", images.part(n));
  }
  v.know("image", &wrapper);
  v.know("image", nullptr);
  if (v.byte() % 4 != 0) {
    cuInit(0);
    cudaSetDevice(0);
    void* p = nullptr;
    for (const size_t bytes : {4096, 1 << 16}) {
      cudaMalloc(&p, bytes);
      v.know("memory", p);
    }
    for (const uint32_t flags : {0, 1}) {
      cudaStreamCreateWithFlags(&p, flags);
      v.know("stream", p);
    }
    cudaMallocHost(&p, 4096);
    v.know("memory", p);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr uint32_t kMostCalls = 100;
  // The device has no more memory than the fuzzer may fill.
  static const bool set = setenv("HEDDLE_FUNCTIONAL", "1", 1) == 0 && setenv("HEDDLE_QUIET", "1", 1) == 0 &&
                          setenv("HEDDLE_SET", "dram.total_bytes=1073741824", 1) == 0;
  static const Images images;
  static_cast<void>(set);
  Session::get().begin_again();
  Values v(data, size);
  if (v.byte() % 16 == 0) {
    images.change(v);
  }
  begin(v, images);
  for (uint32_t i = 0; i < kMostCalls && v.left(); ++i) {
    const uint32_t choice = v.byte() + 256 * (v.byte() % 4);
    kCalls[choice % std::size(kCalls)](v);
  }
  // What the session's end does.
  if (size % 8 == 0) {
    Session::get().context().timeline().finish();
  }
  return 0;
}
