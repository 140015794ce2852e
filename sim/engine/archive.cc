#include "sim/engine/archive.h"

#include <algorithm>
#include <cstring>

#include "sim/base/error.h"

namespace heddle {
namespace {

constexpr size_t kPageBytes = 512;

bool is_zero(std::span<const uint8_t> b) {
  return b.empty() || (b[0] == 0 && std::memcmp(b.data(), b.data() + 1, b.size() - 1) == 0);
}

}  // namespace

void Archive::fail(std::string_view what) const {
  throw Error("saved state, byte " + std::to_string(at_) +
              (part_.empty() ? "" : ", in '" + std::string(part_) + "'") + ": " + std::string(what));
}

uint8_t Archive::byte() {
  check(left() > 0, "it ends too early");
  return in_[at_++];
}

void Archive::number(uint64_t& v) {
  if (!reading_) {
    uint64_t rest = v;
    for (; rest >= 0x80; rest >>= 7) {
      out_.push_back(static_cast<uint8_t>(rest | 0x80));
    }
    out_.push_back(static_cast<uint8_t>(rest));
    return;
  }
  v = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const uint8_t b = byte();
    v |= uint64_t{b & 0x7fu} << shift;
    if (!(b & 0x80)) {
      return;
    }
  }
  fail("a number does not end");
}

void Archive::bytes(std::span<uint8_t> b) {
  if (!reading_) {
    out_.insert(out_.end(), b.begin(), b.end());
    return;
  }
  check(b.size() <= left(), "it ends too early");
  std::copy_n(in_.begin() + static_cast<std::ptrdiff_t>(at_), b.size(), b.begin());
  at_ += b.size();
}

// 1 + the number of each page, and 0 behind the last one. A page that is 0 anyway is not touched: the host
// may have no room for it yet.
void Archive::pages(std::span<uint8_t> b) {
  const uint64_t count = (b.size() + kPageBytes - 1) / kPageBytes;
  const auto page = [&](uint64_t i) {
    return b.subspan(i * kPageBytes, std::min(kPageBytes, b.size() - i * kPageBytes));
  };
  for (uint64_t i = 0;;) {
    while (!reading_ && i < count && is_zero(page(i))) {
      ++i;
    }
    uint64_t next = i < count ? i + 1 : 0;
    number(next);
    check(next == 0 || (next > i && next <= count), "a page that there is not");
    for (const uint64_t end = next == 0 ? count : next - 1; reading_ && i < end; ++i) {
      if (!is_zero(page(i))) {
        std::ranges::fill(page(i), uint8_t{0});
      }
    }
    if (next == 0) {
      return;
    }
    bytes(page(next - 1));
    i = next;
  }
}

// Every element takes a byte at least, so that damaged sizes do not ask for memory.
size_t Archive::size(size_t n) {
  uint64_t v = n;
  number(v);
  check(!reading_ || v <= left(), "there are fewer elements than it says");
  return static_cast<size_t>(v);
}

void Archive::expect(std::string_view what, uint64_t value) {
  uint64_t v = value;
  number(v);
  check(v == value, std::to_string(v) + " " + std::string(what) + ", not " + std::to_string(value) +
                        " as this machine has");
}

void Archive::mark(std::string_view name) {
  std::string found(name);
  one(found);
  check(found == name, "'" + std::string(name) + "' should begin here");
  part_ = name;
}

void Archive::one(std::vector<bool>& v) {
  uint64_t n = v.size();
  number(n);
  if (reading_) {
    check(n / 8 <= left(), "there are fewer elements than it says");
    v.assign(n, false);
  }
  for (size_t i = 0; i < v.size(); i += 8) {
    const size_t end = std::min(v.size(), i + 8);
    uint8_t bits = reading_ ? byte() : 0;
    for (size_t k = i; k < end; ++k) {
      if (reading_) {
        v[k] = (bits >> (k - i) & 1) != 0;
      } else {
        bits = static_cast<uint8_t>(bits | v[k] << (k - i));
      }
    }
    if (!reading_) {
      out_.push_back(bits);
    }
  }
}

void Archive::one(std::string& s) {
  s.resize(size(s.size()));
  bytes({reinterpret_cast<uint8_t*>(s.data()), s.size()});
}

}  // namespace heddle
