#include "frontends/accelsim/byte_stream.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "frontends/accelsim/decompress.h"
#include "frontends/input/limits.h"
#include "frontends/input/regular_file.h"
#include "sim/base/error.h"

namespace heddle::accelsim {

namespace {

class FileBytes final : public ByteStream {
 public:
  explicit FileBytes(const std::filesystem::path& file) : ByteStream(file.string()), file_(file) {}

  size_t read(char* dst, size_t n) override {
    ssize_t r = 0;
    do {
      r = ::read(file_.fd(), dst, n);
    } while (r < 0 && errno == EINTR);
    if (r < 0) {
      throw Error(name() + ": byte " + std::to_string(offset_) + ": cannot read: " + std::strerror(errno));
    }
    offset_ += static_cast<uint64_t>(r);
    return static_cast<size_t>(r);
  }

 private:
  const input::RegularFile file_;
  uint64_t offset_ = 0;
};

class MemoryBytes final : public ByteStream {
 public:
  MemoryBytes(std::string name, std::string_view data) : ByteStream(std::move(name)), left_(data) {}

  size_t read(char* dst, size_t n) override {
    n = std::min(n, left_.size());
    if (n > 0) {
      std::memcpy(dst, left_.data(), n);
      left_.remove_prefix(n);
    }
    return n;
  }

 private:
  std::string_view left_;
};

// What a decompressor gives, as long as it stays in proportion to what it takes.
class BoundedExpansion final : public ByteStream {
 public:
  // `in` is what `decompressor` reads.
  BoundedExpansion(const ChunkedInput& in, std::unique_ptr<ByteStream> decompressor)
      : ByteStream(in.name()), in_(in), decompressor_(std::move(decompressor)) {}

  size_t read(char* dst, size_t n) override {
    n = decompressor_->read(dst, n);
    out_ += n;
    constexpr uint64_t kSmall = 1 << 14;  // a short file may well be one long repetition
    if (out_ / std::max<uint64_t>(limit_.value, 1) > in_.offset() + kSmall) {
      in_.fail("these bytes became " + std::to_string(out_) +
               ", which no trace does (legal, on average: " + limit_.legal() + ")");
    }
    return n;
  }

 private:
  const ChunkedInput& in_;
  std::unique_ptr<ByteStream> decompressor_;
  const input::Limit limit_ = input::limits().expansion;
  uint64_t out_ = 0;
};

using Decompressor = std::unique_ptr<ByteStream> (*)(std::unique_ptr<ChunkedInput>, int max_window_log);

std::unique_ptr<ByteStream> bounded(Decompressor make, std::unique_ptr<ChunkedInput> in,
                                    const StreamOptions& options) {
  const ChunkedInput& raw = *in;
  const uint64_t window = std::max<uint64_t>(input::limits().window_bytes.value, 1 << 10);
  const int log = std::min({options.max_window_log, static_cast<int>(std::bit_width(window)) - 1, 31});
  return std::make_unique<BoundedExpansion>(raw, make(std::move(in), log));
}

std::unique_ptr<ByteStream> decode(std::unique_ptr<ByteStream> raw, const StreamOptions& options) {
  auto in = std::make_unique<ChunkedInput>(std::move(raw));
  in->fill();
  const std::string_view name = in->name();
  const std::string_view head(in->data(), in->size());
  using namespace std::string_view_literals;
  // A zstd file may begin with a skippable frame (pzstd writes them), whose magic is 0x184d2a50..5f.
  const bool skippable =
      head.size() >= 4 && (head[0] & 0xf0) == 0x50 && head.substr(1, 3) == "\x2a\x4d\x18"sv;
  if (name.ends_with(".zst") || skippable || head.starts_with("\x28\xb5\x2f\xfd"sv)) {
    return bounded(zstd_stream, std::move(in), options);
  }
  if (name.ends_with(".xz") || head.starts_with("\xfd\x37\x7a\x58\x5a\x00"sv)) {
    return bounded(xz_stream, std::move(in), options);
  }
  if (name.ends_with(".gz") || head.starts_with("\x1f\x8b"sv)) {
    return bounded([](auto in, int) { return gzip_stream(std::move(in)); }, std::move(in), options);
  }
  return plain_stream(std::move(in));
}

}  // namespace

std::unique_ptr<ByteStream> open_bytes(const std::filesystem::path& file, const StreamOptions& options) {
  return decode(std::make_unique<FileBytes>(file), options);
}

std::unique_ptr<ByteStream> open_memory_bytes(std::string name, std::string_view data,
                                              const StreamOptions& options) {
  return decode(std::make_unique<MemoryBytes>(std::move(name), data), options);
}

}  // namespace heddle::accelsim
