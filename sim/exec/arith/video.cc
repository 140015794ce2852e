#include "sim/exec/arith/video.h"

#include <algorithm>

#include "sim/exec/arith/compare.h"
#include "sim/exec/arith/lanes.h"

namespace heddle::exec::arith {
namespace {

// A Video in a control word.
uint64_t encode(const Video& v) {
  const auto flag = [](bool b, unsigned at) { return (b ? uint64_t{1} : 0) << at; };
  return static_cast<uint64_t>(v.op) | static_cast<uint64_t>(v.second) << 4 | uint64_t{v.lanes} << 6 |
         flag(v.d_signed, 9) | flag(v.a_signed, 10) | flag(v.b_signed, 11) | flag(v.sat, 12) |
         flag(v.clamp, 13) | uint64_t{v.relations} << 14 | uint64_t{v.scale} << 17 | flag(v.plus_one, 21) |
         flag(v.negate_product, 22) | flag(v.negate_c, 23) | uint64_t{v.part_a} << 24 |
         uint64_t{v.part_b} << 40 | uint64_t{v.part_d} << 56;
}
Video decode(uint64_t x) {
  const auto flag = [&](unsigned at) { return (x >> at & 1) != 0; };
  Video v;
  v.op = static_cast<VideoOp>(x & 15);
  v.second = static_cast<Second>(x >> 4 & 3);
  v.lanes = x >> 6 & 7;
  v.d_signed = flag(9);
  v.a_signed = flag(10);
  v.b_signed = flag(11);
  v.sat = flag(12);
  v.clamp = flag(13);
  v.relations = x >> 14 & 7;
  v.scale = x >> 17 & 15;
  v.plus_one = flag(21);
  v.negate_product = flag(22);
  v.negate_c = flag(23);
  v.part_a = static_cast<uint16_t>(x >> 24);
  v.part_b = static_cast<uint16_t>(x >> 40);
  v.part_d = static_cast<uint8_t>(x >> 56);
  return v;
}

// The low `bits` of x, extended.
int64_t extended(uint64_t x, unsigned bits, bool sign) {
  const unsigned up = 64 - bits;
  return sign ? static_cast<int64_t>(x << up) >> up : static_cast<int64_t>(x << up >> up);
}
int64_t clamped(int64_t x, unsigned bits, bool sign) {
  const int64_t most = (int64_t{1} << (sign ? bits - 1 : bits)) - 1;
  return std::clamp(x, sign ? -most - 1 : 0, most);
}

struct Part {
  unsigned at, bits;
};
Part part(uint16_t selected) {
  return selected == 0   ? Part{0, 32}
         : selected <= 4 ? Part{8 * (selected - 1U), 8}
                         : Part{16 * (selected - 5U), 16};
}

int64_t combine(const Video& v, int64_t a, int64_t b) {
  switch (v.op) {
    case VideoOp::kAdd:
      return a + b;
    case VideoOp::kSub:
      return a - b;
    case VideoOp::kAbsdiff:
      return a < b ? b - a : a - b;
    case VideoOp::kMin:
      return std::min(a, b);
    case VideoOp::kMax:
      return std::max(a, b);
    case VideoOp::kAverage:  // halves go up, those of negative sums too
      return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case VideoOp::kSet:
      return ((a < b ? kLess : a == b ? kEqual : kGreater) & v.relations) != 0 ? 1 : 0;
    default: {  // a count that is unsigned
      const int64_t n = v.clamp ? std::min<int64_t>(b, 32) : b & 31;
      return v.op == VideoOp::kShl ? static_cast<int64_t>(static_cast<uint64_t>(a) << n) : a >> n;
    }
  }
}

// 32 bits of a and b count as signed whatever their types, as c does.
uint32_t multiply_add(const Video& v, int64_t a, int64_t b, uint32_t c) {
  const bool sign = v.a_signed || v.b_signed || v.negate_product || v.negate_c;
  const int64_t product = int64_t{static_cast<int32_t>(a)} * static_cast<int32_t>(b);
  const int64_t addend = static_cast<int32_t>(c);
  int64_t sum =
      (v.negate_product ? -product : product) + (v.negate_c ? -addend : addend) + (v.plus_one ? 1 : 0);
  sum = sign ? sum >> v.scale : static_cast<int64_t>(static_cast<uint64_t>(sum) >> v.scale);
  return static_cast<uint32_t>(v.sat ? clamped(sum, 32, sign) : sum);
}

bool is_shift(VideoOp op) { return op == VideoOp::kShl || op == VideoOp::kShr; }

int64_t saturated(const Video& v, unsigned part_bits, int64_t r) {
  if (is_shift(v.op)) {
    return clamped(extended(static_cast<uint64_t>(r), 34, true), 32, v.d_signed);
  }
  if (v.part_d != 0) {  // what is not a u32, be it negative, counts as the largest one
    const int64_t most = (int64_t{1} << (v.d_signed ? part_bits - 1 : part_bits)) - 1;
    return r >> 32 != 0 ? most : std::min(r, most);
  }
  if (!v.d_signed) {  // beyond the largest u32 its low 32 bits count
    return std::max<int64_t>(r, 0);
  }
  return clamped(r, 32, true);
}

// With c: signed d compares signed 64 bits, unsigned d unsigned ones; sums and differences are 32 bits whose
// sign is extended, and so are shifts that saturate.
uint32_t compared(const Video& v, int64_t r, uint32_t c) {
  const bool cut = v.op == VideoOp::kAdd || v.op == VideoOp::kSub || (v.sat && is_shift(v.op));
  const int64_t x = cut ? static_cast<int32_t>(r) : r;
  const int64_t y = extended(c, 32, v.d_signed);
  const bool less = v.d_signed ? x < y : static_cast<uint64_t>(x) < static_cast<uint64_t>(y);
  return static_cast<uint32_t>(less == (v.second == Second::kMin) ? x : y);
}

uint32_t one(const Video& v, uint32_t a, uint32_t b, uint32_t c) {
  const Part pa = part(v.part_a), pb = part(v.part_b), pd = part(v.part_d);
  const int64_t x = extended(a >> pa.at, pa.bits, v.a_signed), y = extended(b >> pb.at, pb.bits, v.b_signed);
  if (v.op == VideoOp::kMad) {
    return multiply_add(v, x, y, c);
  }
  int64_t r = combine(v, x, y);
  if (v.sat) {
    r = saturated(v, pd.bits, r);
  }
  if (v.part_d != 0) {
    const uint32_t mask = ((1U << pd.bits) - 1) << pd.at;
    const bool upper_half = pd.bits == 16 && pd.at != 0;  // takes the result's, not its lower one
    return (c & ~mask) | (static_cast<uint32_t>(r) << (upper_half ? 0 : pd.at) & mask);
  }
  switch (v.second) {
    case Second::kAdd:
      return static_cast<uint32_t>(r) + c;
    case Second::kMin:
    case Second::kMax:
      return compared(v, r, c);
    default:
      return static_cast<uint32_t>(r);
  }
}

uint32_t several(const Video& v, uint32_t a, uint32_t b, uint32_t c) {
  const unsigned width = 32U / v.lanes;
  const uint64_t both = uint64_t{b} << 32 | a;
  const uint32_t element = width == 16 ? 0xffff : 0xff;
  uint32_t out = v.second == Second::kAdd ? c : 0;
  for (unsigned i = 0; i < v.lanes; ++i) {
    const bool written = (v.part_d >> i & 1) != 0;
    const int64_t x = extended(both >> width * (v.part_a >> 4 * i & 15), width, v.a_signed);
    const int64_t y = extended(both >> width * (v.part_b >> 4 * i & 15), width, v.b_signed);
    int64_t r = combine(v, x, y);
    if (v.sat) {
      r = clamped(r, width, v.d_signed);
    }
    if (v.second == Second::kAdd) {
      out += written ? static_cast<uint32_t>(r) : 0;
    } else {
      out |= written ? (static_cast<uint32_t>(r) & element) << width * i : c & element << width * i;
    }
  }
  return out;
}

void video(const Arguments& a, uint32_t mask) {
  const Video v = decode((*a.s[kControlPlace])[0]);
  over_lanes(mask, [&](uint32_t l) {
    const auto x = get<uint32_t>((*a.s[0])[l]), y = get<uint32_t>((*a.s[1])[l]);
    const uint32_t z = a.s[2] != nullptr ? get<uint32_t>((*a.s[2])[l]) : 0;
    (*a.d[0])[l] = v.lanes == 1 ? one(v, x, y, z) : several(v, x, y, z);
  });
}

}  // namespace

Fn video_fn(const Video& v) { return {video, encode(v), true}; }

}  // namespace heddle::exec::arith
