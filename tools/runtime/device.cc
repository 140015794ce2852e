#include "tools/runtime/device.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>

#include "frontends/cuda/status.h"
#include "tools/runtime/contexts.h"

namespace heddle::runtime {
namespace {

struct AttributeRow {
  int32_t number, value;
};
constexpr AttributeRow kAttributes[] = {
#include "tools/runtime/h200_attributes.inc"
};

// A field of cudaDeviceProp: its place, its bytes, what it holds; `attribute`: the number of the attribute
// that says the same, 0: none.
struct PropertyRow {
  uint32_t offset, bytes;
  uint64_t value;
  int32_t attribute;
};
constexpr PropertyRow kProperties[] = {
#include "tools/runtime/h200_properties.inc"
};
constexpr size_t kPropertyBytes = 1008;
constexpr size_t kNameBytes = 256;
constexpr uint32_t kTotalGlobalMemory = 288, kPersistingL2 = 600;  // offsets

// What the configuration knows better: another GPU's numbers are its own.
std::optional<int64_t> configured(int32_t attribute, const cuda::Context& c) {
  const host::Params& p = c.params();
  const spec::Limits& l = p.limits;
  const uint32_t capability = p.compute_capability;
  switch (attribute) {
    case 20:
      return compute_mode();
    case 1:
      return l.max_threads_per_block();
    case 10:
      return l.warp_size();
    case 12:
      return l.max_registers_per_block();
    case 16:
      return p.sms;
    case 38:
      return static_cast<int64_t>(c.gpu().l2().total_bytes());
    case 39:
      return l.max_warps_per_sm() * l.warp_size();
    case 40:
      return p.engines;
    case 75:
      return capability / 10;
    case 76:
      return capability % 10;
    case 81:
      return l.shared_bytes_per_sm();
    case 82:
      return l.registers_per_sm();
    case 97:
      return l.max_shared_bytes_per_block();
    case 106:
      return l.max_blocks_per_sm();
    case 108:
      return static_cast<int64_t>(c.gpu().l2().max_persisting_bytes());
    case 111:
      return l.reserved_shared_bytes_per_block();
    default:
      return std::nullopt;
  }
}

}  // namespace

bool are_device_flags(uint32_t flags) {
  constexpr uint32_t kResizeLocal = 16, kSyncMemoryOperations = 128;
  const uint32_t schedule = flags & kScheduleMask;
  return (flags & ~(kScheduleMask | kMapHost | kResizeLocal | kSyncMemoryOperations)) == 0 &&
         (schedule & (schedule - 1)) == 0;
}

void write_text(char* to, size_t bytes, const std::string& text) {
  const size_t n = text.copy(to, bytes - 1);
  to[n] = 0;
}

void reset_device(cuda::Context& c) {
  Contexts& all = Contexts::get();
  all.users = 0;
  all.of_runtime = false;
  all.primary = {};
  c.reset();
  drop_context(c);
}

std::optional<int32_t> device_attribute(int32_t attribute, const cuda::Context& c) {
  const auto row = std::find_if(std::begin(kAttributes), std::end(kAttributes),
                                [&](const AttributeRow& r) { return r.number == attribute; });
  if (row == std::end(kAttributes)) {
    return std::nullopt;
  }
  if (const auto v = configured(attribute, c)) {
    return static_cast<int32_t>(*v);
  }
  return row->value;
}

std::string device_name(const cuda::Context& c) {
  const char* const instance = std::getenv("HEDDLE_MIG");
  return (c.gpu().name() == "h200" ? "NVIDIA H200" : c.gpu().product()) +
         (instance == nullptr ? "" : std::string(" MIG ") + instance);
}

void fill_properties(uint8_t* out, const cuda::Context& c) {
  std::memset(out, 0, kPropertyBytes);
  device_name(c).copy(reinterpret_cast<char*>(out), kNameBytes - 1);
  for (const PropertyRow& r : kProperties) {
    uint64_t value = r.value;
    if (r.offset == kTotalGlobalMemory) {
      value = c.params().memory.total;
    } else if (r.offset == kPersistingL2) {
      value = c.gpu().l2().max_persisting_bytes();
    } else if (const auto v = configured(r.attribute, c)) {
      value = static_cast<uint64_t>(*v);
    }
    std::memcpy(out + r.offset, &value, r.bytes);
  }
}

// Of an H200 without asking (tests/runtime/h200/device.txt).
uint64_t device_limit(int32_t limit, const cuda::Context& c) {
  const auto& limits = c.settings().limits;
  const auto set = limits.find(limit);
  if (set != limits.end()) {
    return set->second;
  }
  switch (limit) {
    case kStackLimit:
      return 1024;
    case kPrintfLimit:
      return 8650752;
    case 2:
      return 8 << 20;  // malloc's
    case 4:
      return 2048;  // pending launches
    case 5:
      return 64;  // fetches of the L2
    case 6:
      return 11796480;  // persisting L2
    case 3:             // depth of synchronisation, of older devices
      throw cuda::CallFailed(cuda::Status::kUnsupportedLimit);
    default:
      throw cuda::CallFailed(cuda::Status::kInvalidValue, "no such limit");
  }
}

void set_device_limit(int32_t limit, uint64_t value, cuda::Context& c) {
  device_limit(limit, c);
  if (limit == kPrintfLimit) {
    cuda::require(!c.prints(), cuda::Status::kInvalidValue, "a kernel that prints has been launched");
    value = std::max(value, kLeastPrintf);
  }
  c.settings().limits[limit] = value;
}

}  // namespace heddle::runtime
