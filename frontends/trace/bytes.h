// Byte columns: little-endian base-128 numbers, as in protobuf.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::trace {

inline uint64_t zigzag(uint64_t v) { return v << 1 ^ (0 - (v >> 63)); }
inline uint64_t unzigzag(uint64_t v) { return v >> 1 ^ (0 - (v & 1)); }

inline void put_varint(std::string& out, uint64_t v) {
  while (v >= 0x80) {
    out.push_back(static_cast<char>(v | 0x80));
    v >>= 7;
  }
  out.push_back(static_cast<char>(v));
}

// Reads a column. Past its end everything is 0 and `good()` is false from then on, so that the caller may
// check after several reads.
class ColumnReader {
 public:
  ColumnReader() = default;
  explicit ColumnReader(std::string_view bytes)
      : p_(reinterpret_cast<const uint8_t*>(bytes.data())), end_(p_ + bytes.size()) {}

  uint8_t byte() {
    if (p_ == end_) {
      good_ = false;
      return 0;
    }
    return *p_++;
  }

  // The next `n` bytes; null when there are not so many.
  const uint8_t* take(size_t n) {
    if (n > static_cast<size_t>(end_ - p_)) {
      good_ = false;
      return nullptr;
    }
    p_ += n;
    return p_ - n;
  }

  uint64_t varint() {
    uint64_t v = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint8_t b = byte();
      v |= uint64_t{b & 0x7fu} << shift;
      if (!(b & 0x80)) {
        return v;
      }
    }
    good_ = false;
    return 0;
  }

  uint64_t signed_varint() { return unzigzag(varint()); }

  bool good() const { return good_; }
  bool at_end() const { return p_ == end_; }

 private:
  const uint8_t* p_ = nullptr;
  const uint8_t* end_ = nullptr;
  bool good_ = true;
};

}  // namespace heddle::trace
