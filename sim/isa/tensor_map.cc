#include "sim/isa/tensor_map.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace heddle::isa {
namespace {

constexpr uint64_t kStrideUnit = 16;

class Words {
 public:
  explicit Words(const TensorMapBytes& bytes) { std::memcpy(w_.data(), bytes.data(), bytes.size()); }
  uint64_t bits(int word, int low, int count) const { return w_[word] >> low & ((uint64_t{1} << count) - 1); }

 private:
  std::array<uint64_t, 16> w_{};
};

// By type, as the driver's enumeration counts.
constexpr std::array<uint8_t, 11> kElementBytes = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2};

int32_t extended(uint64_t value, int bits) {
  const auto sign = int64_t{1} << (bits - 1);
  return static_cast<int32_t>((static_cast<int64_t>(value) ^ sign) - sign);
}

void decode_corners(const Words& w, TensorMap& m) {
  const int spatial = m.rank - 2, bits = spatial == 1 ? 16 : spatial == 2 ? 8 : 5;
  for (int i = 0; i < spatial; ++i) {
    m.lower[i] = extended(w.bits(7, i * bits, bits), bits);
    m.upper[i] = extended(w.bits(7, 16 + i * bits, bits), bits);
  }
  m.channels = static_cast<uint32_t>(w.bits(6, 56, 8)) + 1;
  m.pixels = static_cast<uint32_t>(w.bits(7, 32, 10)) + 1;
}

}  // namespace

std::string decode(const TensorMapBytes& bytes, TensorMap& m) {
  const Words w(bytes);
  m = {};
  m.address = w.bits(0, 0, 63) | w.bits(0, 63, 1) << 63;
  m.im2col = w.bits(1, 0, 1) != 0;
  m.rank = static_cast<uint8_t>(w.bits(1, 4, 3) + 1);
  const uint64_t type = w.bits(1, 7, 4);
  if (m.rank > kMaxTensorRank) {
    return "a tensor map of " + std::to_string(m.rank) + " dimensions (legal: 1..5)";
  }
  if (type >= kElementBytes.size()) {
    return "element type " + std::to_string(type) + " of a tensor map (legal: 0..10)";
  }
  if (m.im2col && m.rank < 3) {
    return "an im2col tensor map of " + std::to_string(m.rank) + " dimensions (legal: 3..5)";
  }
  m.element_bytes = kElementBytes[type];
  m.type = static_cast<uint8_t>(type);
  m.tf32 = w.bits(1, 16, 1) != 0;
  m.nan_fill = w.bits(1, 15, 1) != 0;
  m.interleave = static_cast<uint8_t>(w.bits(1, 11, 2));
  m.swizzle = static_cast<uint8_t>(w.bits(1, 13, 2));
  m.promotion = static_cast<uint8_t>(w.bits(1, 17, 2));
  m.stride[0] = m.element_bytes;
  const std::array<uint64_t, 4> strides = {w.bits(1, 32, 32), w.bits(2, 0, 32), w.bits(2, 32, 32),
                                           w.bits(3, 0, 32)};
  for (uint32_t i = 1; i < m.rank; ++i) {
    m.stride[i] = (strides[i - 1] | w.bits(3, 32 + 4 * static_cast<int>(i - 1), 4) << 32) * kStrideUnit;
  }
  for (uint32_t i = 0; i < m.rank; ++i) {
    const auto n = static_cast<int>(i);
    const uint64_t size = w.bits(4 + n / 2, n % 2 * 32, 32) + 1;
    if (size > UINT32_MAX) {
      return "a tensor map with 2^32 elements in dimension " + std::to_string(i);
    }
    m.size[i] = static_cast<uint32_t>(size);
    m.step[i] = static_cast<uint32_t>(w.bits(6, 32 + 3 * n, 3)) + 1;
  }
  if (m.im2col) {
    decode_corners(w, m);
    return "";
  }
  m.box[0] = static_cast<uint32_t>(w.bits(6, 56, 8)) + 1;
  for (uint32_t i = 1; i < m.rank; ++i) {
    m.box[i] = static_cast<uint32_t>(w.bits(7, 8 * static_cast<int>(i - 1), 8)) + 1;
  }
  return "";
}

TensorMapBytes encode(const TensorMap& m) {
  std::array<uint64_t, 16> w{};
  const auto put = [&](int word, int low, int count, uint64_t v) {
    w[word] |= (v & ((uint64_t{1} << count) - 1)) << low;
  };
  const auto type =
      m.type != kAnyTensorType
          ? std::ptrdiff_t{m.type}
          : std::find(kElementBytes.begin(), kElementBytes.end(), m.element_bytes) - kElementBytes.begin();
  w[0] = m.address;
  put(1, 0, 1, m.im2col);
  put(1, 4, 3, m.rank - 1u);
  put(1, 7, 4, static_cast<uint64_t>(type));
  put(1, 11, 2, m.interleave);
  put(1, 13, 2, m.swizzle);
  put(1, 15, 1, m.nan_fill);
  put(1, 16, 1, m.tf32);
  put(1, 17, 2, m.promotion);
  const std::array<std::pair<int, int>, 4> strides = {{{1, 32}, {2, 0}, {2, 32}, {3, 0}}};
  for (int i = 1; i < m.rank; ++i) {
    const uint64_t units = m.stride[i] / kStrideUnit;
    put(strides[i - 1].first, strides[i - 1].second, 32, units);
    put(3, 32 + 4 * (i - 1), 4, units >> 32);
  }
  for (int i = 0; i < m.rank; ++i) {
    put(4 + i / 2, i % 2 * 32, 32, m.size[i] - 1u);
    put(6, 32 + 3 * i, 3, m.step[i] - 1u);
  }
  put(6, 56, 8, (m.im2col ? m.channels : m.box[0]) - 1u);
  const int spatial = m.rank - 2, bits = spatial == 1 ? 16 : spatial == 2 ? 8 : 5;
  for (int i = 0; m.im2col && i < spatial; ++i) {
    put(7, i * bits, bits, static_cast<uint32_t>(m.lower[i]));
    put(7, 16 + i * bits, bits, static_cast<uint32_t>(m.upper[i]));
  }
  for (int i = 1; !m.im2col && i < m.rank; ++i) {
    put(7, 8 * (i - 1), 8, m.box[i] - 1u);
  }
  if (m.im2col) {
    put(7, 32, 10, m.pixels - 1u);
  }
  TensorMapBytes bytes;
  std::memcpy(bytes.data(), w.data(), bytes.size());
  return bytes;
}

namespace {

// Dimension 0: which of its bytes are inside the tensor, and how many it takes in shared memory.
void set_rows(const TensorMap& m, int64_t at, uint32_t elements, uint32_t step, TensorTile& t) {
  const int64_t from = std::max<int64_t>(at, 0);
  const int64_t to = std::min<int64_t>(at + elements, m.size[0]);
  t.row_bytes = (elements + step - 1) / step * m.element_bytes;
  t.inside_bytes = static_cast<uint32_t>(std::max<int64_t>(to - from, 0)) * m.element_bytes;
  t.base = m.address + static_cast<uint64_t>(from) * m.element_bytes;
}

}  // namespace

TensorTile tiled(const TensorMap& m, const TensorCoordinates& at) {
  TensorTile t;
  set_rows(m, at[0], m.box[0], m.step[0], t);
  uint64_t rows = 1;
  t.dims = static_cast<uint8_t>(m.rank - 1);
  for (uint32_t i = 1; i < m.rank; ++i) {
    TensorTile::Axis& a = t.axis[i - 1];
    a.first = at[i];
    a.size = m.size[i];
    a.step = m.step[i];
    a.count = (m.box[i] + m.step[i] - 1) / m.step[i];
    a.stride = m.stride[i];
    rows *= a.count;
  }
  t.rows = static_cast<uint32_t>(std::min<uint64_t>(rows, UINT32_MAX));
  return t;
}

// Pixels move through the bounding box of all images, dimension 1 first; the last dimension is the images'.
TensorTile im2col(const TensorMap& m, const TensorCoordinates& at, const std::array<uint16_t, 3>& offsets) {
  TensorTile t;
  t.im2col = true;
  set_rows(m, at[0], m.channels, 1, t);
  t.rows = m.pixels;
  t.dims = static_cast<uint8_t>(m.rank - 1);
  for (uint32_t i = 1; i < m.rank; ++i) {
    TensorTile::Axis& a = t.axis[i - 1];
    const bool image = i + 1 == m.rank;
    a.first = at[i];
    a.size = m.size[i];
    a.step = image ? 1 : m.step[i];
    a.stride = m.stride[i];
    a.low = image ? 0 : m.lower[i - 1];
    a.high = image ? m.size[i] : int64_t{m.size[i]} + m.upper[i - 1];
    a.offset = image ? 0 : offsets[i - 1];
  }
  return t;
}

TensorTile::Row TensorTile::row(uint32_t i) const {
  Row r{base, inside_bytes};
  uint64_t rest = i;
  for (uint32_t d = 0; d < dims; ++d) {
    const Axis& a = axis[d];
    int64_t at = a.first;
    if (im2col) {
      // As many steps as fit before the box's end; the rest goes on in the next dimension.
      const int64_t span = std::max<int64_t>(1, (a.high - a.low + a.step - 1) / a.step);
      const bool last = d + 1 == dims;
      const auto n = static_cast<int64_t>(rest) + (last ? 0 : (a.first - a.low) / a.step);
      at = last ? a.first + n : a.low + n % span * a.step;
      rest = last ? 0 : static_cast<uint64_t>(n / span);
    } else {
      at = a.first + static_cast<int64_t>(rest % a.count) * a.step;
      rest /= a.count;
    }
    at += a.offset;
    if (at < 0 || at >= a.size) {
      r.bytes = 0;
    }
    r.address += static_cast<uint64_t>(at) * a.stride;
  }
  return r;
}

}  // namespace heddle::isa
