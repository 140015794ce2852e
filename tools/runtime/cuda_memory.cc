// The driver's: what pointers are, memsets of rows, functions and kernels, contexts that could be peers.
#include <cstring>

#include "frontends/cuda/functions.h"
#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"
#include "tools/runtime/copies.h"
#include "tools/runtime/launches.h"

using namespace heddle;  // this file is CUDA's interface
using namespace heddle::runtime;

// ---- pointers

namespace {

// CUpointer_attribute.
enum PointerAttribute : int32_t {
  kContext = 1,
  kMemoryType = 2,
  kDevicePointer = 3,
  kHostPointer = 4,
  kSyncMemops = 6,
  kBufferId = 7,
  kIsManaged = 8,
  kDeviceOrdinal = 9,
  kIpcCapable = 10,
  kRangeStart = 11,
  kRangeSize = 12,
  kMapped = 13,
  kHandleTypes = 14,
  kRdmaCapable = 15,
  kAccessFlags = 16,
  kPoolHandle = 17,
  kMappingSize = 18,
  kMappingBase = 19
};

template <class T>
void put(Given<uint8_t> out, T value) {
  std::memcpy(out.get(), &value, sizeof value);
}

// False: the pointer is none of CUDA's, so that it has no attributes.
bool pointer_attribute(Context& c, Given<uint8_t> out, int32_t attribute, uint64_t p) {
  const cuda::Allocation* a = c.space().find(p);
  const exec::Memory::Range* const range = c.space().memory().range(p);
  if (a == nullptr && range == nullptr) {
    if (attribute == kMapped) {
      put(out, uint32_t{0});
      return true;
    }
    return false;
  }
  const host::Memory kind = a == nullptr ? host::Memory::kDevice : a->kind;
  const bool device = kind == host::Memory::kDevice, managed = kind == host::Memory::kManaged;
  const uint64_t start = a != nullptr ? a->address : range->base,
                 bytes = a != nullptr ? a->bytes : range->bytes;
  constexpr uint32_t kHostType = 1, kDeviceType = 2, kReadWrite = 3;
  switch (attribute) {
    case kContext:
      put(out, static_cast<const void*>(Contexts::get().current()));
      break;
    case kMemoryType:
      put(out, device || managed ? kDeviceType : kHostType);
      break;
    case kDevicePointer:
      put(out, p);
      break;
    case kHostPointer:
      cuda::require(!device, Status::kInvalidValue, "memory that the host does not reach");
      put(out, p);
      break;
    case kSyncMemops:
    case kIpcCapable:
    case kRdmaCapable:
      put(out, uint32_t{0});
      break;
    case kBufferId:
      put(out, start);  // an address is not given out again
      break;
    case kIsManaged:
      put(out, uint32_t{managed ? 1U : 0U});
      break;
    case kDeviceOrdinal:
      put(out, int32_t{0});
      break;
    case kRangeStart:
    case kMappingBase:
      put(out, start);
      break;
    case kRangeSize:
    case kMappingSize:
      put(out, bytes);
      break;
    case kMapped:
      put(out, uint32_t{1});
      break;
    case kHandleTypes:
    case kPoolHandle:
      put(out, uint64_t{0});
      break;
    case kAccessFlags:
      put(out, kReadWrite);
      break;
    default:
      throw cuda::CallFailed(Status::kNotSupported, "this attribute of a pointer");
  }
  return true;
}

}  // namespace

HEDDLE_CUDA int32_t cuPointerGetAttribute(Given<uint8_t> out, int32_t attribute, uint64_t p) {
  return driver_call([&](Context& c) {
    cuda::require(attribute >= kContext && attribute <= 21, Status::kInvalidValue,
                  "no attribute of a pointer");
    return pointer_attribute(c, out, attribute, p) ? Status::kSuccess : Status::kInvalidValue;
  });
}
// What is none of CUDA's has attributes that are all 0.
HEDDLE_CUDA int32_t cuPointerGetAttributes(uint32_t count, Given<const int32_t> attributes,
                                           Given<uint8_t* const> out, uint64_t p) {
  return driver_call([&](Context& c) {
    cuda::require(count != 0, Status::kInvalidValue, "no attributes");
    for (uint32_t i = 0; i < count; ++i) {
      const int32_t attribute = attributes[i];
      cuda::require(attribute >= kContext && attribute <= 21, Status::kInvalidValue,
                    "no attribute of a pointer");
      if (!pointer_attribute(c, out[i], attribute, p)) {
        const bool word = attribute == kMemoryType || attribute == kIsManaged || attribute == kDeviceOrdinal;
        if (word) {
          put(out[i], attribute == kDeviceOrdinal ? int32_t{-2} : int32_t{0});
        } else {
          put(out[i], uint64_t{0});
        }
      }
    }
  });
}
HEDDLE_CUDA int32_t cuMemGetAddressRange_v2(uint64_t* base, size_t* bytes, uint64_t p) {
  return driver_call([&](Context& c) {
    const cuda::Allocation* a = c.space().find(p);
    cuda::require(a != nullptr, Status::kInvalidValue, "no memory is allocated there");
    if (base != nullptr) {
      *base = a->address;
    }
    if (bytes != nullptr) {
      *bytes = a->bytes;
    }
  });
}

// ---- memsets of rows

namespace {

int32_t set_rows(uint64_t to, size_t pitch, uint32_t value, uint32_t element, size_t width, size_t height,
                 void* stream, bool waits) {
  return driver_call([&](Context& c) {
    cuda::MemsetWork m = memset_of(to, pitch, static_cast<int32_t>(value), width, height);
    m.element = element;
    cuda::require(to % element == 0 && (height <= 1 || pitch % element == 0), Status::kInvalidValue,
                  "an address or a pitch that is not a multiple of the element");
    c.set(m, c.stream(stream), waits);
  });
}

}  // namespace

HEDDLE_CUDA int32_t cuMemsetD2D8_v2(uint64_t to, size_t pitch, uint8_t value, size_t width, size_t height) {
  return set_rows(to, pitch, value, 1, width, height, nullptr, true);
}
HEDDLE_CUDA int32_t cuMemsetD2D16_v2(uint64_t to, size_t pitch, uint16_t value, size_t width, size_t height) {
  return set_rows(to, pitch, value, 2, width, height, nullptr, true);
}
HEDDLE_CUDA int32_t cuMemsetD2D32_v2(uint64_t to, size_t pitch, uint32_t value, size_t width, size_t height) {
  return set_rows(to, pitch, value, 4, width, height, nullptr, true);
}
HEDDLE_CUDA int32_t cuMemsetD2D8Async(uint64_t to, size_t pitch, uint8_t value, size_t width, size_t height,
                                      void* stream) {
  return set_rows(to, pitch, value, 1, width, height, stream, false);
}
HEDDLE_CUDA int32_t cuMemsetD2D16Async(uint64_t to, size_t pitch, uint16_t value, size_t width, size_t height,
                                       void* stream) {
  return set_rows(to, pitch, value, 2, width, height, stream, false);
}
HEDDLE_CUDA int32_t cuMemsetD2D32Async(uint64_t to, size_t pitch, uint32_t value, size_t width, size_t height,
                                       void* stream) {
  return set_rows(to, pitch, value, 4, width, height, stream, false);
}
HEDDLE_CUDA int32_t cuMemsetD16Async(uint64_t to, uint16_t value, size_t count, void* stream) {
  return set_rows(to, 0, value, 2, count, 1, stream, false);
}

// ---- kernels of libraries, which are functions here

HEDDLE_CUDA int32_t cuLibraryGetModule(Given<void*> out, void* library) {
  return driver_call_into(out, [&](Context& c) { return &c.library().modules().at(library); });
}
HEDDLE_CUDA int32_t cuKernelGetFunction(Given<void*> out, void* kernel) {
  return driver_call_into(out, [&](Context& c) { return &c.library().function(kernel); });
}
HEDDLE_CUDA int32_t cuKernelGetLibrary(Given<void*> out, void* kernel) {
  return driver_call_into(
      out, [&](Context& c) { return &c.library().modules().at(c.library().function(kernel).program.get()); });
}
HEDDLE_CUDA int32_t cuFuncGetModule(Given<void*> out, void* function) {
  return cuKernelGetLibrary(out, function);
}
extern "C" {
int32_t cuFuncGetAttribute(Given<int32_t> value, int32_t attribute, void* function);
int32_t cuFuncSetAttribute(void* function, int32_t attribute, int32_t value);
}
namespace {

template <class F>
int32_t of_this_device(int32_t device, F&& f) {
  return device == 0 ? f() : driver_call([](Context&) { return Status::kInvalidDevice; });
}

}  // namespace
HEDDLE_CUDA int32_t cuKernelGetAttribute(Given<int32_t> value, int32_t attribute, void* kernel,
                                         int32_t device) {
  return of_this_device(device, [&] { return cuFuncGetAttribute(value, attribute, kernel); });
}
HEDDLE_CUDA int32_t cuKernelSetAttribute(int32_t attribute, int32_t value, void* kernel, int32_t device) {
  return of_this_device(device, [&] { return cuFuncSetAttribute(kernel, attribute, value); });
}
HEDDLE_CUDA int32_t cuKernelSetCacheConfig(void* kernel, int32_t /*config*/, int32_t device) {
  return of_this_device(device,
                        [&] { return driver_call([&](Context& c) { c.library().function(kernel); }); });
}
// A function that has been launched or asked has its code; here all have.
HEDDLE_CUDA int32_t cuFuncIsLoaded(Given<int32_t> state, void* function) {
  constexpr int32_t kLoaded = 1;
  return driver_call_into(state, [&](Context& c) {
    c.library().function(function);
    return kLoaded;
  });
}
HEDDLE_CUDA int32_t cuFuncLoad(void* function) {
  return driver_call([&](Context& c) { c.timeline().asked(c.library().function(function)); });
}

// ---- occupancy

namespace {

cuda::KernelWork occupying(Context& c, void* function, Given<const abi::DriverLaunchConfig> config) {
  return launch_of(c.library().function(function), config->grid, config->block, config->dynamic_shared,
                   nullptr);
}

}  // namespace

HEDDLE_CUDA int32_t cuOccupancyMaxPotentialClusterSize(Given<int32_t> size, void* function,
                                                       Given<const abi::DriverLaunchConfig> config) {
  return driver_call_into(
      size, [&](Context& c) { return cuda::largest_cluster(occupying(c, function, config), c); });
}
HEDDLE_CUDA int32_t cuOccupancyMaxActiveClusters(Given<int32_t> clusters, void* function,
                                                 Given<const abi::DriverLaunchConfig> config) {
  return driver_call_into(clusters, [&](Context& c) {
    cuda::KernelWork k = occupying(c, function, config);
    add_attributes(k, config->attributes, config->attribute_count, c);
    cuda::require(k.cluster.count() != 0, Status::kInvalidClusterSize, "an empty cluster");
    return cuda::resident_clusters(k, c);
  });
}
// The largest of the sizes that have most threads on an SM. The program's function is asked between calls, as
// it may make some.
HEDDLE_CUDA int32_t cuOccupancyMaxPotentialBlockSizeWithFlags(Given<int32_t> grid, Given<int32_t> block,
                                                              void* function, size_t (*shared_of)(int32_t),
                                                              size_t shared, int32_t limit,
                                                              uint32_t /*flags*/) {
  constexpr int32_t kWarp = 32;
  int32_t all = 0, most_threads = 0, sms = 0;
  int32_t status = driver_call([&](Context& c) {
    *grid = *block = 0;
    const int32_t most = cuda::most_threads(c.library().function(function), c);
    all = limit > 0 && limit < most ? limit : most;
    sms = static_cast<int32_t>(c.params().sms);
  });
  for (int32_t size = (all + kWarp - 1) / kWarp * kWarp; status == 0 && size > 0; size -= kWarp) {
    const int32_t threads = size < all ? size : all;
    const size_t bytes = shared_of != nullptr ? shared_of(threads) : shared;
    status = driver_call([&](Context& c) {
      const int32_t blocks = cuda::resident_blocks(c.library().function(function), threads, bytes, c);
      if (blocks * threads > most_threads) {
        most_threads = blocks * threads;
        *block = threads;
        *grid = blocks * sms;
      }
    });
  }
  return status;
}
HEDDLE_CUDA int32_t cuOccupancyMaxPotentialBlockSize(Given<int32_t> grid, Given<int32_t> block,
                                                     void* function, size_t (*shared_of)(int32_t),
                                                     size_t shared, int32_t limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared_of, shared, limit, 0);
}

// ---- peers: no context is of another device

HEDDLE_CUDA int32_t cuCtxEnablePeerAccess(void* context, uint32_t flags) {
  return driver_call([&](Context&) {
    cuda::require(flags == 0, Status::kInvalidValue, "flags of access to peers");
    Contexts::get().at(context);
    return Status::kInvalidDevice;
  });
}
HEDDLE_CUDA int32_t cuCtxDisablePeerAccess(void* context) {
  return driver_call([&](Context&) {
    Contexts::get().at(context);
    return Status::kPeerAccessNotEnabled;
  });
}
