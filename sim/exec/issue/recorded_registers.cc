#include "sim/exec/issue/recorded_registers.h"

#include "sim/exec/layout.h"
#include "sim/isa/recorded_copy.h"

namespace heddle::executed {
namespace {

using exec::TransferOp;

constexpr uint64_t kWord = 0xffffffff;
constexpr uint64_t kBank = uint64_t{1} << 16;  // of constants: its generic address is a multiple of that
constexpr size_t kMap = 7, kBehindMap = 9;
constexpr int kMulticastAt = 16;

uint64_t in_cluster(const exec::At& at) { return at.address % exec::kSharedWindows; }

uint64_t map_address(uint64_t generic) {
  if (generic - exec::kBankWindow < kBank) {
    return exec::kParamWindow / kBank * kBank + (generic - exec::kBankWindow);
  }
  const uint64_t offset = generic - exec::kParamWindow;
  return offset < kBank ? exec::kParamWindow / kBank * kBank + kParameterBase + offset : generic;
}

// The offsets of im2col: 16 bits of one, 8 of each of two, 5 of each of three.
uint64_t packed(const exec::Transfer& t) {
  if (t.op->offsets[0] == exec::kNoSlot) {
    return 0;
  }
  const int spatial = t.op->dimensions - 2;
  const int bits = spatial == 1 ? 16 : spatial == 2 ? 8 : 5;
  uint64_t out = 0;
  for (int i = 0; i < spatial; ++i) {
    out |= uint64_t{t.offsets[static_cast<size_t>(i)]} << (i * bits);
  }
  return out;
}

}  // namespace

std::array<uint64_t, isa::kRecordedRegisters> recorded_registers(const exec::Transfer& t) {
  using Kind = TransferOp::Kind;
  std::array<uint64_t, isa::kRecordedRegisters> v{};
  const auto pair = [&](size_t at, uint64_t address) {
    v[at] = address & kWord;
    v[at + 1] = address >> 32;
  };
  const Kind kind = t.op->kind;
  if (kind == Kind::kBulk || kind == Kind::kBulkPrefetch) {
    const uint64_t units = t.bytes / isa::kBulkUnit | uint64_t{t.blocks} << kMulticastAt;
    if (kind == Kind::kBulkPrefetch) {
      pair(0, t.from.address);
      v[2] = units;
    } else if (t.op->signals) {  // into shared memory, from global or shared
      v[0] = in_cluster(t.to);
      v[1] = in_cluster(t.barrier);
      pair(2, t.from.address);
      v[4] = units;
    } else {
      pair(0, t.to.address);
      v[2] = in_cluster(t.from);
      v[4] = units;
    }
    return v;
  }
  size_t first = 0;
  if (kind == Kind::kTensorLoad) {
    v[first++] = in_cluster(t.to);
    v[first++] = in_cluster(t.barrier);
  } else if (kind == Kind::kTensorStore) {
    v[first++] = in_cluster(t.from);
  }
  for (size_t k = 0; k < t.op->dimensions; ++k) {
    v[first + k] = static_cast<uint32_t>(t.coordinates[k]);
  }
  pair(kMap, map_address(t.map));
  v[kBehindMap] = packed(t) | uint64_t{t.blocks} << kMulticastAt;
  return v;
}

}  // namespace heddle::executed
