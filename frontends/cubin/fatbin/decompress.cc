#include "frontends/cubin/fatbin/decompress.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "frontends/input/limits.h"
#include "sim/base/error.h"

namespace heddle::cubin {
namespace {

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw Error(where + ": " + what);
}

// One block of LZ4: a token (4 bits each of literals and of the match's length), literals, a distance of 16
// bits; the last sequence is of literals only.
class Lz4Block {
 public:
  Lz4Block(std::span<const uint8_t> in, std::vector<uint8_t>& out, const std::string& where)
      : in_(in), out_(out), where_(where) {}

  void decode() {
    while (true) {
      const uint8_t token = next();
      literals(length(token >> 4));
      if (at_ == in_.size()) {
        break;
      }
      const uint64_t low = next();
      const uint64_t distance = low | static_cast<uint64_t>(next()) << 8;
      match(distance, length(token & kMore) + kShortestMatch);
    }
    if (have_ != out_.size()) {
      fail(where_, fmt::format("{} bytes come out of LZ4 data (legal: {})", have_, out_.size()));
    }
  }

 private:
  static constexpr uint64_t kMore = 15, kShortestMatch = 4;

  uint8_t next() {
    if (at_ == in_.size()) {
      fail(where_, fmt::format("LZ4 data end at byte {} of them, in a sequence", at_));
    }
    return in_[at_++];
  }

  // 15: bytes follow that are added, up to one that is not 255.
  uint64_t length(uint64_t nibble) {
    for (uint64_t more = nibble == kMore ? 255 : 0; more == 255;) {
      more = next();
      nibble += more;
    }
    return nibble;
  }

  void room_for(uint64_t n) const {
    if (n > out_.size() - have_) {
      fail(where_, fmt::format("byte {} of LZ4 data: more than {} bytes come out", at_, out_.size()));
    }
  }

  void literals(uint64_t n) {
    if (n > in_.size() - at_) {
      fail(where_, fmt::format("LZ4 data have {} literals at byte {} of {}", n, at_, in_.size()));
    }
    room_for(n);
    std::copy_n(in_.begin() + static_cast<std::ptrdiff_t>(at_), n,
                out_.begin() + static_cast<std::ptrdiff_t>(have_));
    at_ += n;
    have_ += n;
  }

  void match(uint64_t distance, uint64_t n) {
    if (distance == 0 || distance > have_) {
      fail(where_,
           fmt::format("byte {} of LZ4 data: a match {} bytes back (legal: 1 to {})", at_, distance, have_));
    }
    room_for(n);
    for (const uint64_t end = have_ + n; have_ < end; ++have_) {  // byte by byte: it may overlap itself
      out_[have_] = out_[have_ - distance];
    }
  }

  std::span<const uint8_t> in_;
  std::vector<uint8_t>& out_;
  const std::string& where_;
  size_t at_ = 0, have_ = 0;
};

void decode_zstd(std::span<const uint8_t> in, std::vector<uint8_t>& out, const std::string& where) {
  const size_t n = ZSTD_decompress(out.data(), out.size(), in.data(), in.size());
  if (ZSTD_isError(n)) {
    fail(where, fmt::format("corrupt zstd data: {}", ZSTD_getErrorName(n)));
  }
  if (n != out.size()) {
    fail(where, fmt::format("{} bytes come out of zstd data (legal: {})", n, out.size()));
  }
}

}  // namespace

std::vector<uint8_t> decompressed(Compression how, std::span<const uint8_t> in, uint64_t bytes,
                                  const std::string& where) {
  if (how == Compression::kNone) {
    return {in.begin(), in.end()};
  }
  const input::Limits& most = input::limits();
  if (bytes > most.section_bytes.value) {
    fail(where, fmt::format("an image of {} bytes (legal: {})", bytes, most.section_bytes.legal()));
  }
  if (bytes / std::max<uint64_t>(1, most.expansion.value) > in.size()) {
    fail(where,
         fmt::format("{} bytes become {} (legal: each byte {})", in.size(), bytes, most.expansion.legal()));
  }
  std::vector<uint8_t> out(bytes);
  if (how == Compression::kLz4) {
    Lz4Block(in, out, where).decode();
  } else {
    decode_zstd(in, out, where);
  }
  return out;
}

}  // namespace heddle::cubin
