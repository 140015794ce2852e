#include "sim/isa/recorded_copy.h"

#include <algorithm>
#include <optional>

#include "sim/base/text.h"

namespace heddle::isa {
namespace {

using Values = std::span<const uint64_t>;

uint64_t pair(Values v, size_t i) { return v[i] | v[i + 1] << 32; }

// Where the registers of a bulk copy's operands are among the values.
struct BulkPlaces {
  size_t needed, global, shared, size;
};
BulkPlaces places(AsyncKind k) {
  return k == AsyncKind::kBulkLoad       ? BulkPlaces{5, 2, 0, 4}
         : k == AsyncKind::kBulkPrefetch ? BulkPlaces{3, 0, 0, 2}
                                         : BulkPlaces{5, 0, 2, 4};
}
constexpr size_t kBarrier = 1;
// Of tensor copies: behind the destination (or source) and, of loads, the barrier; the descriptor's address,
// and then the blocks of a multicast or the offsets of im2col.
constexpr size_t kDescriptor = 7, kBehindDescriptor = 9;
constexpr uint64_t kLowerHalf =
    0xffff;                       // of the size of a bulk copy, where the upper half has a multicast's blocks
constexpr int kMulticastAt = 16;  // in a register whose lower half has the offsets
constexpr uint64_t kMostTile = uint64_t{1} << 18;        // bytes: more than any shared memory has
constexpr uint64_t kConstantWindow = uint64_t{1} << 16;  // of generic addresses, for a constant bank

std::string too_much(const std::string& what, const KernelImage& image, uint64_t most, uint64_t unit) {
  return what + ", but the block has " + std::to_string(image.shape.shared_bytes()) +
         " bytes of shared memory (legal: up to " + hex(most / unit) + (unit == 1 ? " bytes)" : " units)");
}

// A multicast to none of the blocks moves nothing (FINDINGS.md 55).
void choose_blocks(uint64_t operand, RecordedCopy& out) {
  out.op.multicast = static_cast<uint16_t>(operand >> kMulticastAt);
  out.op.bytes = out.op.multicast == 0 ? 0 : out.op.bytes;
}

std::string read_bulk(const KernelImage& image, const Instr& in, Values v, uint64_t most, RecordedCopy& out) {
  const BulkPlaces p = places(in.async.kind);
  if (v.size() < p.needed) {
    return "a bulk copy with " + std::to_string(v.size()) +
           " register values (legal: destination, barrier, source (low, high word), size in units of 16 "
           "bytes)";
  }
  BulkOp& c = out.op;
  c.source = pair(v, p.global);
  const uint64_t units = in.async.multicast ? v[p.size] & kLowerHalf : v[p.size];
  c.bytes = units * kBulkUnit;
  c.destination = v[p.shared] & kSharedOffset;
  c.barrier = v[kBarrier] & kSharedOffset;
  out.known = true;
  if (in.async.kind != AsyncKind::kBulkPrefetch && c.bytes > most) {
    return too_much("a bulk copy of " + hex(units) + " units of 16 bytes", image, most, kBulkUnit);
  }
  if (c.bytes > UINT64_MAX - c.source) {
    return "a bulk copy of " + std::to_string(c.bytes) + " bytes from " + hex(c.source) +
           " (legal: within 64 bits of address)";
  }
  if (in.async.multicast) {
    choose_blocks(v[p.size], out);
  }
  return "";
}

bool is_map_of(const TensorMap& m, const AsyncOp& op) {
  return m.im2col == op.im2col && (op.dimensions == 0 || m.rank == op.dimensions);
}

// Of a tensor map among the parameters: constant bank 0 has a generic address that is a multiple of its size
// (FINDINGS.md 24). Half of a map suffices: what follows can be told from it, and some libraries pass no
// more.
constexpr size_t kHalfMap = 64;
std::optional<size_t> parameter_offset(const KernelImage& image, uint64_t address) {
  const uint64_t offset = address % kConstantWindow - image.parameter_base;
  const bool inside = image.parameters.size() >= kHalfMap && offset <= image.parameters.size() - kHalfMap;
  return inside ? std::optional<size_t>(offset) : std::nullopt;
}

// By its place, by its descriptor's address, or as a parameter. What is no map of such a copy is something
// else there.
std::optional<TensorMap> find_map(const KernelImage& image, const AsyncOp& op, Values v, bool& assumed) {
  TensorMap m;
  if (v.size() > kRecordedRegisters && v[kRecordedRegisters] < image.tensor_maps.size()) {
    const bool is = decode(image.tensor_maps[v[kRecordedRegisters]].bytes, m).empty() && is_map_of(m, op);
    return is ? std::optional(m) : std::nullopt;
  }
  const uint64_t address = pair(v, kDescriptor);
  for (const RecordedMap& r : image.tensor_maps) {
    if (r.address == address && decode(r.bytes, m).empty() && is_map_of(m, op)) {
      assumed = r.assumed;
      return m;
    }
  }
  const std::optional<size_t> offset = parameter_offset(image, address);
  if (!offset) {
    return std::nullopt;
  }
  TensorMapBytes bytes{};
  std::copy_n(image.parameters.begin() + static_cast<ptrdiff_t>(*offset),
              std::min(bytes.size(), image.parameters.size() - *offset), bytes.begin());
  return decode(bytes, m).empty() && is_map_of(m, op) ? std::optional(m) : std::nullopt;
}

std::string read_tensor(const KernelImage& image, const Instr& in, Values v, uint64_t most,
                        RecordedCopy& out) {
  if (v.size() < kRecordedRegisters) {
    return "a tensor copy with " + std::to_string(v.size()) +
           " register values (legal: 12, 7 from the first register named on, then 2 from each further one)";
  }
  const bool load = in.async.kind == AsyncKind::kTensorLoad;
  const std::optional<TensorMap> map = find_map(image, in.async, v, out.assumed);
  out.descriptor = pair(v, kDescriptor);
  out.parameter = parameter_offset(image, out.descriptor).has_value();
  out.op.destination = v[0] & kSharedOffset;
  out.op.barrier = load ? v[kBarrier] & kSharedOffset : 0;
  if (!map) {
    return "";
  }
  const size_t first = in.async.kind == AsyncKind::kTensorPrefetch ? 0 : load ? 2 : 1;
  TensorCoordinates at{};
  for (uint32_t i = 0; i < map->rank; ++i) {
    at[i] = static_cast<int32_t>(static_cast<uint32_t>(v[first + i]));
  }
  if (map->im2col) {
    // A register holds the offsets: 16 bits of one, 8 of each of two, 5 of each of three.
    const int spatial = map->rank - 2, bits = spatial == 1 ? 16 : spatial == 2 ? 8 : 5;
    std::array<uint16_t, 3> offsets{};
    for (int i = 0; i < spatial; ++i) {
      offsets[i] = static_cast<uint16_t>(v[kBehindDescriptor] >> (i * bits) & ((1u << bits) - 1));
    }
    out.tile = im2col(*map, at, offsets);
  } else {
    out.tile = tiled(*map, at);
  }
  out.op.bytes = out.tile.bytes();
  if (in.async.kind == AsyncKind::kTensorPrefetch && out.op.bytes > kMostTile) {
    return "a tensor prefetch of " + std::to_string(out.op.bytes) + " bytes (legal: up to " +
           std::to_string(kMostTile) + ", no tile has more)";
  }
  if (in.async.kind != AsyncKind::kTensorPrefetch && out.op.bytes > most) {
    return too_much("a tensor copy of " + std::to_string(out.op.bytes) + " bytes", image, most, 1);
  }
  out.known = true;
  if (load && in.async.multicast) {
    choose_blocks(v[kBehindDescriptor], out);
  }
  return "";
}

}  // namespace

std::string read_copy(const KernelImage& image, const Instr& in, Values values, uint64_t most,
                      RecordedCopy& out) {
  out = {};
  out.op.kind = in.async.kind;
  const bool tensor = is_tensor_copy(in.async.kind);
  if (!tensor && !is_load(in.async.kind) && !is_store(in.async.kind) &&
      in.async.kind != AsyncKind::kBulkPrefetch) {
    return "";
  }
  for (size_t i = 0; i < std::min(values.size(), kRecordedRegisters); ++i) {
    if (values[i] > UINT32_MAX) {
      return "register value " + hex(values[i]) + " of a bulk copy (legal: 32 bits)";
    }
  }
  return tensor ? read_tensor(image, in, values, most, out) : read_bulk(image, in, values, most, out);
}

}  // namespace heddle::isa
