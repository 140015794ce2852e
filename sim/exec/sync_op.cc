#include "sim/exec/sync_op.h"

#include <algorithm>
#include <bit>

namespace heddle::exec {
namespace {

uint32_t first_of(uint32_t mask) { return static_cast<uint32_t>(std::countr_zero(mask)); }

template <class F>
void for_lanes(uint32_t mask, F f) {
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    f(first_of(m));
  }
}

void shuffle(SyncKind kind, SyncValues& v, uint32_t mask) {
  for_lanes(mask, [&](uint32_t lane) {
    const auto b = static_cast<int>(v.s[1][lane] & 31);
    const auto clamp = static_cast<int>(v.s[2][lane] & 31);
    const auto segment = static_cast<int>(v.s[2][lane] >> 8 & 31);
    const int self = static_cast<int>(lane);
    const int bound = (self & segment) | (clamp & ~segment);
    int source = self;
    bool in_range = false;
    switch (kind) {
      case SyncKind::kShflUp:
        source = self - b;
        in_range = source >= bound;
        break;
      case SyncKind::kShflDown:
        source = self + b;
        in_range = source <= bound;
        break;
      case SyncKind::kShflBfly:
        source = self ^ b;
        in_range = source <= bound;
        break;
      default:
        source = (self & segment) | (b & ~segment);
        in_range = source <= bound;
    }
    // The value of a lane that takes no part is undefined; an H200 gives 0 (tests/exec/oracle).
    const bool there = !in_range || (mask >> source & 1) != 0;
    v.d[0][lane] = there ? v.s[0][in_range ? static_cast<uint32_t>(source) : lane] : 0;
    v.d[1][lane] = in_range ? 1 : 0;
  });
}

uint32_t reduced(SyncKind kind, const Register& value, uint32_t mask) {
  auto out = static_cast<uint32_t>(value[first_of(mask)]);
  for_lanes(mask & (mask - 1), [&](uint32_t lane) {
    const auto x = static_cast<uint32_t>(value[lane]);
    switch (kind) {
      case SyncKind::kAddU32:
        out += x;
        break;
      case SyncKind::kMinU32:
        out = std::min(out, x);
        break;
      case SyncKind::kMaxU32:
        out = std::max(out, x);
        break;
      case SyncKind::kMinS32:
        out = static_cast<uint32_t>(std::min(static_cast<int32_t>(out), static_cast<int32_t>(x)));
        break;
      case SyncKind::kMaxS32:
        out = static_cast<uint32_t>(std::max(static_cast<int32_t>(out), static_cast<int32_t>(x)));
        break;
      case SyncKind::kAnd:
        out &= x;
        break;
      case SyncKind::kOr:
        out |= x;
        break;
      default:
        out ^= x;
    }
  });
  return out;
}

// The lanes with this value.
uint32_t equal_to(const Register& values, uint64_t value, uint32_t mask) {
  uint32_t out = 0;
  for_lanes(mask, [&](uint32_t lane) { out |= uint32_t{values[lane] == value} << lane; });
  return out;
}

}  // namespace

void sync_op(SyncKind kind, SyncValues& v, uint32_t mask) {
  if (kind <= SyncKind::kShflIdx) {
    shuffle(kind, v, mask);
    return;
  }
  if (kind == SyncKind::kMatchAny) {
    for_lanes(mask, [&](uint32_t lane) { v.d[0][lane] = equal_to(v.s[0], v.s[0][lane], mask); });
    return;
  }
  const uint32_t first = first_of(mask);
  uint32_t result = 0;
  switch (kind) {
    case SyncKind::kVoteAll:
      result = equal_to(v.s[0], 1, mask) == mask ? 1 : 0;
      break;
    case SyncKind::kVoteAny:
      result = equal_to(v.s[0], 1, mask) != 0 ? 1 : 0;
      break;
    case SyncKind::kVoteUni:
      result = equal_to(v.s[0], v.s[0][first], mask) == mask ? 1 : 0;
      break;
    case SyncKind::kVoteBallot:
      result = equal_to(v.s[0], 1, mask);
      break;
    case SyncKind::kMatchAll:
      result = equal_to(v.s[0], v.s[0][first], mask) == mask ? mask : 0;
      break;
    case SyncKind::kElect:
      result = first;
      break;
    case SyncKind::kWarpBarrier:
      break;
    default:
      result = reduced(kind, v.s[0], mask);
  }
  for_lanes(mask, [&](uint32_t lane) {
    v.d[0][lane] = result;
    v.d[1][lane] = kind == SyncKind::kElect ? uint64_t{lane == first} : uint64_t{result != 0};
  });
}

}  // namespace heddle::exec
