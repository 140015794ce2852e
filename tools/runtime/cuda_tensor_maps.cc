// Tensor maps made by the host; addresses of the driver's calls.
#include <dlfcn.h>

#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include "sim/isa/tensor_map.h"
#include "tools/runtime/call.h"

using namespace heddle;  // this file is CUDA's interface
using namespace heddle::runtime;

namespace {

struct DataType {
  isa::TensorType type;
  uint32_t bytes;
  bool tf32 = false;
};
// By CUtensorMapDataType.
constexpr DataType kTypes[] = {
    {isa::kU8, 1},     {isa::kU16, 2},       {isa::kU32, 4},         {isa::kS32, 4}, {isa::kU64, 8},
    {isa::kS64, 8},    {isa::kF16, 2},       {isa::kF32, 4},         {isa::kF64, 8}, {isa::kBf16, 2},
    {isa::kF32Ftz, 4}, {isa::kF32, 4, true}, {isa::kF32Ftz, 4, true}};
constexpr uint32_t kInterleave32 = 2;

void check(bool holds, const char* why) { cuda::require(holds, Status::kInvalidValue, why); }

// What both kinds of maps have (CUDA driver API, Tensor Map Object Management).
isa::TensorMap common(int32_t type, uint32_t rank, void* address, Given<const uint64_t> size,
                      Given<const uint64_t> strides, Given<const uint32_t> steps, int32_t interleave,
                      int32_t swizzle, int32_t promotion, int32_t fill) {
  check(type >= 0 && static_cast<size_t>(type) < std::size(kTypes), "a type of elements");
  check(rank >= 1 && rank <= isa::kMaxTensorRank && (interleave == 0 || rank >= 3), "a rank");
  check(interleave >= 0 && interleave <= 2 && swizzle >= 0 && swizzle <= 3 && promotion >= 0 &&
            promotion <= 3 && fill >= 0 && fill <= 1,
        "an enumerator");
  const uint64_t unit = interleave == kInterleave32 ? 32 : 16;
  check(number(address) % unit == 0, "the address");
  const DataType& t = kTypes[type];
  isa::TensorMap m;
  m.address = number(address);
  m.rank = static_cast<uint8_t>(rank);
  m.type = t.type;
  m.tf32 = t.tf32;
  m.element_bytes = static_cast<uint8_t>(t.bytes);
  m.interleave = static_cast<uint8_t>(interleave);
  m.swizzle = static_cast<uint8_t>(swizzle);
  m.promotion = static_cast<uint8_t>(promotion);
  m.nan_fill = fill == 1;
  for (uint32_t i = 0; i < rank; ++i) {
    check(size[i] >= 1 && size[i] <= uint64_t{1} << 32, "a size of the tensor");
    check(steps[i] >= 1 && steps[i] <= 8, "an element stride");
    m.size[i] = static_cast<uint32_t>(size[i]);
    m.step[i] = steps[i];
    if (i > 0) {
      check(strides[i - 1] % unit == 0 && strides[i - 1] < uint64_t{1} << 40, "a stride");
      m.stride[i] = strides[i - 1];
    }
  }
  return m;
}

// The rows of a box against the swizzle.
void check_row(const isa::TensorMap& m, uint64_t bytes) {
  constexpr uint64_t kMost[] = {UINT64_MAX, 32, 64, 128};
  check(m.interleave != 0 || bytes % 16 == 0, "bytes of a row of the box");
  check(m.interleave == 0 ? bytes <= kMost[m.swizzle] : m.swizzle <= 1, "a swizzle");
}

void write(Given<uint8_t> out, const isa::TensorMap& m) {
  constexpr uint64_t kAlign = 64;
  check(number(out.get()) % kAlign == 0, "the map's own address");
  const auto bytes = isa::encode(m);
  std::memcpy(out.get(), bytes.data(), sizeof bytes);
}

// In this library; the newest of the names that the driver's header gives a call. `own`: for code whose
// default stream is each thread's own.
void* entry(const std::string& name, bool own) {
  static void* const self = [] {
    Dl_info info;
    dladdr(reinterpret_cast<void*>(&entry), &info);
    return dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  }();
  for (const char* const version : {"_v4", "_v3", "_v2", ""}) {
    for (const char* const suffix : {"_ptsz", "_ptds", ""}) {
      void* const at = own || *suffix == '\0' ? dlsym(self, (name + version + suffix).c_str()) : nullptr;
      if (at != nullptr) {
        return at;
      }
    }
  }
  return nullptr;
}

// cudaEnablePerThreadDefaultStream, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM; by default as the code was
// compiled that calls.
bool asks_for_own(uint64_t flags) {
  constexpr uint64_t kLegacy = 1, kOwn = 2;
  return flags == kOwn || (flags != kLegacy && cuda::OwnDefaultStream::here());
}

// `found`: cudaDriverEntryPointQueryResult, CUdriverProcAddressQueryResult: 0 there, 1 not.
auto look_up(Given<const char> name, Given<void*> out, int32_t* found, bool own) {
  return [=](Context&) {
    void*& to = *out;
    // A name of CUDA's, and of nothing else that the library uses.
    to = std::string_view(name.get()).starts_with("cu") ? entry(name.get(), own) : nullptr;
    if (found != nullptr) {
      *found = to != nullptr ? 0 : 1;
    }
    return to != nullptr || found != nullptr ? Status::kSuccess : Status::kSymbolNotFound;
  };
}

}  // namespace

HEDDLE_CUDA int32_t cuTensorMapEncodeTiled(Given<uint8_t> out, int32_t type, uint32_t rank, void* address,
                                           Given<const uint64_t> size, Given<const uint64_t> strides,
                                           Given<const uint32_t> box, Given<const uint32_t> steps,
                                           int32_t interleave, int32_t swizzle, int32_t promotion,
                                           int32_t fill) {
  return driver_call<Needs::kNothing>([&](Context&) {
    isa::TensorMap m =
        common(type, rank, address, size, strides, steps, interleave, swizzle, promotion, fill);
    for (uint32_t i = 0; i < rank; ++i) {
      check(box[i] >= 1 && box[i] <= 256, "a size of the box");
      m.box[i] = box[i];
    }
    check_row(m, uint64_t{box[0]} * m.element_bytes);
    write(out, m);
  });
}

HEDDLE_CUDA int32_t cuTensorMapEncodeIm2col(Given<uint8_t> out, int32_t type, uint32_t rank, void* address,
                                            Given<const uint64_t> size, Given<const uint64_t> strides,
                                            Given<const int32_t> lower, Given<const int32_t> upper,
                                            uint32_t channels, uint32_t pixels, Given<const uint32_t> steps,
                                            int32_t interleave, int32_t swizzle, int32_t promotion,
                                            int32_t fill) {
  return driver_call<Needs::kNothing>([&](Context&) {
    check(rank >= 3, "a rank");
    isa::TensorMap m =
        common(type, rank, address, size, strides, steps, interleave, swizzle, promotion, fill);
    check(channels >= 1 && channels <= 256 && pixels >= 1 && pixels <= 1024, "channels or pixels");
    m.im2col = true;
    m.channels = channels;
    m.pixels = pixels;
    const int32_t bound = rank == 3 ? 1 << 15 : rank == 4 ? 1 << 7 : 1 << 4;
    for (uint32_t i = 0; i + 2 < rank; ++i) {
      check(lower[i] >= -bound && lower[i] < bound && upper[i] >= -bound && upper[i] < bound, "a corner");
      m.lower[i] = lower[i];
      m.upper[i] = upper[i];
    }
    check_row(m, uint64_t{channels} * m.element_bytes);
    write(out, m);
  });
}

HEDDLE_CUDA int32_t cuTensorMapReplaceAddress(Given<uint8_t> map, void* address) {
  return driver_call<Needs::kNothing>([&](Context&) {
    check(number(address) % 16 == 0, "the address");
    std::memcpy(map.get(), &address, sizeof address);
  });
}

HEDDLE_CUDA int32_t cudaGetDriverEntryPointByVersion(Given<const char> name, Given<void*> out,
                                                     uint32_t /*version*/, unsigned long long flags,
                                                     int32_t* found) {
  return call<Needs::kNothing>(look_up(name, out, found, asks_for_own(flags)));
}
HEDDLE_CUDA int32_t cudaGetDriverEntryPoint(Given<const char> name, Given<void*> out,
                                            unsigned long long flags, int32_t* found) {
  return call<Needs::kNothing>(look_up(name, out, found, asks_for_own(flags)));
}
HEDDLE_CUDA int32_t cuGetProcAddress_v2(Given<const char> name, Given<void*> out, int32_t /*version*/,
                                        uint64_t flags, int32_t* found) {
  return driver_call<Needs::kNothing>(look_up(name, out, found, asks_for_own(flags)));
}
