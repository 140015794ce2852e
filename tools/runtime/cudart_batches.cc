// Lists of copies and of ranges, memsets of three dimensions, copies between devices, what ranges of unified
// memory were advised.
#include <algorithm>
#include <cstring>
#include <string>

#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"
#include "tools/runtime/copies.h"

using namespace heddle;  // this file is CUDA's interface
using namespace heddle::runtime;

// ---- lists of copies: each is one of the stream's, in the order of the list, though CUDA promises none

HEDDLE_CUDA int32_t cudaMemcpyBatchAsync(Given<void* const> to, Given<const void* const> from,
                                         Given<const size_t> bytes, size_t count,
                                         Given<const abi::CopyAttributes> attributes,
                                         Given<const size_t> first, size_t attribute_count, void* stream) {
  return call([&](Context& c) {
    constexpr int32_t kDefault = 4, kOrders = 3;
    // The legacy stream may not be it.
    cuda::require(count != 0 && attribute_count != 0 && attribute_count <= count && number(stream) > 1,
                  Status::kInvalidValue, "a list of copies or its attributes, or the default stream");
    for (size_t i = 0; i < attribute_count; ++i) {
      cuda::require(attributes[i].source_order >= 1 && attributes[i].source_order <= kOrders &&
                        (i == 0 ? first[0] == 0 : first[i] > first[i - 1] && first[i] < count),
                    Status::kInvalidValue, "an order of accesses, or which copies it is of");
    }
    cuda::Stream& s = c.stream(stream);
    for (size_t i = 0; i < count; ++i) {
      cuda::require(bytes[i] != 0, Status::kInvalidValue, "a copy of no bytes");
      c.copy(plain_copy(number(to[i]), number(from[i]), bytes[i], kDefault), s, false);
    }
  });
}

namespace {

CopyEnd operand(const abi::CopyOperand& o, size_t element, Context& c) {
  CopyEnd e;
  constexpr int32_t kPointer = 1, kArray = 2;
  cuda::require(o.type == kPointer || o.type == kArray, Status::kInvalidValue, "an operand's type");
  if (o.type == kArray) {
    e.array = o.array.array;
    e.x_bytes = o.array.at.x * c.array(o.array.array).image.texel_bytes();
    e.y = o.array.at.y;
    e.z = o.array.at.z;
  } else {
    e.address = number(o.memory.pointer);
    e.pitch = o.memory.row_length * element;
    e.rows = o.memory.layer_height;
  }
  return e;
}

}  // namespace

HEDDLE_CUDA int32_t cudaMemcpy3DBatchAsync(size_t count, Given<const abi::CopyOperation> list,
                                           unsigned long long flags, void* stream) {
  return call([&](Context& c) {
    constexpr int32_t kDefault = 4, kArray = 2;
    cuda::require(count != 0 && flags == 0 && number(stream) > 1, Status::kInvalidValue,
                  "a list of copies, its flags, or the default stream");
    cuda::Stream& s = c.stream(stream);
    for (size_t i = 0; i < count; ++i) {
      const abi::CopyOperation& o = list[i];
      // Widths count elements: those of an array, where there is one; else bytes.
      const size_t element = o.to.type == kArray     ? c.array(o.to.array.array).image.texel_bytes()
                             : o.from.type == kArray ? c.array(o.from.array.array).image.texel_bytes()
                                                     : 1;
      CopyEnd to = operand(o.to, element, c), from = operand(o.from, element, c);
      for (CopyEnd* e : {&to, &from}) {  // 0: as wide and high as what is copied
        e->pitch = e->pitch == 0 ? o.extent.width * element : e->pitch;
        e->rows = e->rows == 0 ? o.extent.height : e->rows;
      }
      c.copy(copy_between(to, from, o.extent.width * element, o.extent.height, o.extent.depth, kDefault, c),
             s, false);
    }
  });
}

// ---- between devices, of which there is one

namespace {

cuda::CopyWork peer_copy_3d(const abi::PeerCopy3D& p, Context& c) {
  constexpr int32_t kDeviceToDevice = 3;
  cuda::require(p.from_device == 0 && p.to_device == 0, Status::kInvalidDevice);
  return copy_3d({p.from_array, p.from_at, p.from, p.to_array, p.to_at, p.to, p.extent, kDeviceToDevice}, c);
}

}  // namespace

HEDDLE_CUDA int32_t cudaMemcpy3DPeer(Given<const abi::PeerCopy3D> p) {
  return call([&](Context& c) { c.copy(peer_copy_3d(*p, c), c.stream(nullptr), true); });
}
HEDDLE_CUDA int32_t cudaMemcpy3DPeerAsync(Given<const abi::PeerCopy3D> p, void* stream) {
  return call([&](Context& c) { c.copy(peer_copy_3d(*p, c), c.stream(stream), false); });
}

// ---- memsets of planes

namespace {

int32_t set_planes(const abi::PitchedPointer& to, int32_t value, const abi::Extent& e, void* stream,
                   bool waits) {
  return call([&](Context& c) {
    if (e.width == 0 || e.height == 0 || e.depth == 0) {
      return;
    }
    cuda::require((e.height <= 1 && e.depth <= 1) || e.width <= to.pitch, Status::kInvalidValue,
                  "rows that overlap");
    cuda::require(e.depth <= 1 || e.height <= to.height, Status::kInvalidValue, "planes that overlap");
    cuda::Stream& s = c.stream(stream);
    uint64_t last = 0;  // plane's place
    const bool beyond = __builtin_mul_overflow(to.pitch, to.height, &last) ||
                        __builtin_mul_overflow(last, e.depth - 1, &last);
    cuda::require(!beyond, Status::kInvalidValue, "planes beyond all memory");
    c.space().behind(number(to.pointer), last);
    // Planes without a gap between them are one piece of rows.
    const bool together = e.height == to.height;
    const size_t rows = together ? e.height * e.depth : e.height;
    for (size_t z = 0; z < (together ? 1 : e.depth); ++z) {
      const uint64_t at = c.space().behind(number(to.pointer), z * to.pitch * to.height);
      c.set(memset_of(at, to.pitch, value, e.width, rows), s, waits);
    }
  });
}

}  // namespace

HEDDLE_CUDA int32_t cudaMemset3D(abi::PitchedPointer to, int32_t value, abi::Extent extent) {
  return set_planes(to, value, extent, nullptr, true);
}
HEDDLE_CUDA int32_t cudaMemset3DAsync(abi::PitchedPointer to, int32_t value, abi::Extent extent,
                                      void* stream) {
  return set_planes(to, value, extent, stream, false);
}

// ---- lists of ranges of unified memory

namespace {

const cuda::Allocation& unified(Context& c, const void* p, size_t bytes) {
  const cuda::Allocation* a = c.space().find(number(p));
  cuda::require(a != nullptr && a->kind == host::Memory::kManaged && bytes != 0 &&
                    bytes <= a->bytes - (number(p) - a->address),
                Status::kInvalidValue, "no unified memory");
  return *a;
}

// What is in them counts for nothing any more: nothing is to be done.
void discard(Context& c, Given<void* const> p, Given<const size_t> bytes, size_t count,
             unsigned long long flags) {
  cuda::require(count != 0 && flags == 0, Status::kInvalidValue, "a list of ranges, or its flags");
  for (size_t i = 0; i < count; ++i) {
    unified(c, p[i], bytes[i]);
  }
}

void prefetch(Context& c, Given<void* const> p, Given<const size_t> bytes, size_t count,
              Given<const abi::Location> to, Given<const size_t> first, size_t places,
              unsigned long long flags, cuda::Stream& s) {
  constexpr int32_t kDevice = 1;
  cuda::require(count != 0 && places != 0 && places <= count && flags == 0, Status::kInvalidValue,
                "a list of ranges, of places, or its flags");
  for (size_t k = 0; k < places; ++k) {
    cuda::require(k == 0 ? first[0] == 0 : first[k] > first[k - 1] && first[k] < count, Status::kInvalidValue,
                  "which ranges a place is of");
  }
  for (size_t i = 0, k = 0; i < count; ++i) {
    k += k + 1 < places && first[k + 1] == i ? 1 : 0;
    const cuda::Allocation& a = unified(c, p[i], bytes[i]);
    c.timeline().call([&](auto& t) {
      t.memPrefetchAsync(a.buffer, to[k].type == kDevice ? 0 : host::kNone, s.model, number(p[i]) - a.address,
                         bytes[i]);
    });
  }
}

}  // namespace

HEDDLE_CUDA int32_t cudaMemPrefetchBatchAsync(Given<void* const> p, Given<const size_t> bytes, size_t count,
                                              Given<const abi::Location> to, Given<const size_t> first,
                                              size_t places, unsigned long long flags, void* stream) {
  return call([&](Context& c) { prefetch(c, p, bytes, count, to, first, places, flags, c.stream(stream)); });
}
HEDDLE_CUDA int32_t cudaMemDiscardBatchAsync(Given<void* const> p, Given<const size_t> bytes, size_t count,
                                             unsigned long long flags, void* stream) {
  return call([&](Context& c) {
    c.stream(stream);
    discard(c, p, bytes, count, flags);
  });
}
HEDDLE_CUDA int32_t cudaMemDiscardAndPrefetchBatchAsync(Given<void* const> p, Given<const size_t> bytes,
                                                        size_t count, Given<const abi::Location> to,
                                                        Given<const size_t> first, size_t places,
                                                        unsigned long long flags, void* stream) {
  return call([&](Context& c) {
    discard(c, p, bytes, count, flags);
    prefetch(c, p, bytes, count, to, first, places, flags, c.stream(stream));
  });
}

// ---- what ranges were advised

namespace {

// cudaMemRangeAttribute.
enum RangeAttribute : int32_t {
  kReadMostly = 1,
  kPreferredLocation = 2,
  kAccessedBy = 3,
  kLastPrefetch = 4,
  kPreferredType = 5,
  kPreferredId = 6,
  kPrefetchType = 7,
  kPrefetchId = 8
};

void range_attribute(Context& c, Given<uint8_t> out, size_t bytes, int32_t attribute, const void* p,
                     size_t count) {
  constexpr int32_t kNowhere = -2;
  const cuda::Allocation& a = unified(c, p, count);
  cuda::require(
      attribute >= kReadMostly && attribute <= kPrefetchId &&
          (attribute == kAccessedBy ? bytes != 0 && bytes % sizeof(int32_t) == 0 : bytes == sizeof(int32_t)),
      Status::kInvalidValue, "an attribute of a range, or room for it");
  const cuda::Advised& said = c.advised(a.address);
  const bool prefetch = attribute == kLastPrefetch || attribute == kPrefetchType || attribute == kPrefetchId;
  const abi::Location at{prefetch ? said.prefetched_type : said.preferred_type,
                         prefetch ? said.prefetched_id : said.preferred_id};
  constexpr int32_t kDevice = 1, kHost = 2;
  const int32_t device = at.type == kDevice ? at.id : at.type == kHost ? -1 : kNowhere;
  std::vector<int32_t> values(bytes / sizeof(int32_t), kNowhere);
  switch (attribute) {
    case kReadMostly:
      values[0] = said.read_mostly ? 1 : 0;
      break;
    case kAccessedBy:
      values[0] = said.accessed ? 0 : kNowhere;
      break;
    case kPreferredType:
    case kPrefetchType:
      values[0] = at.type;
      break;
    case kPreferredId:
    case kPrefetchId:
      values[0] = at.id;
      break;
    default:
      values[0] = device;
  }
  std::memcpy(out.get(), values.data(), bytes);
}

}  // namespace

HEDDLE_CUDA int32_t cudaMemRangeGetAttribute(Given<uint8_t> out, size_t bytes, int32_t attribute,
                                             const void* p, size_t count) {
  return call([&](Context& c) { range_attribute(c, out, bytes, attribute, p, count); });
}
HEDDLE_CUDA int32_t cudaMemRangeGetAttributes(Given<uint8_t* const> out, Given<const size_t> bytes,
                                              Given<const int32_t> attributes, size_t attribute_count,
                                              const void* p, size_t count) {
  return call([&](Context& c) {
    cuda::require(attribute_count != 0, Status::kInvalidValue, "no attributes");
    for (size_t i = 0; i < attribute_count; ++i) {
      range_attribute(c, out[i], bytes[i], attributes[i], p, count);
    }
  });
}
