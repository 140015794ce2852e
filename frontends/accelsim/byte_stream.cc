#include "frontends/accelsim/byte_stream.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "frontends/accelsim/decompress.h"
#include "sim/engine/error.h"

namespace heddle::accelsim {

namespace {

class FileBytes final : public ByteStream {
 public:
  explicit FileBytes(const std::filesystem::path& file)
      : ByteStream(file.string()), fd_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) {
      throw Error(name() + ": cannot open: " + std::strerror(errno));
    }
  }
  ~FileBytes() override { ::close(fd_); }

  size_t read(char* dst, size_t n) override {
    ssize_t r = 0;
    do {
      r = ::read(fd_, dst, n);
    } while (r < 0 && errno == EINTR);
    if (r < 0) {
      throw Error(name() + ": byte " + std::to_string(offset_) + ": cannot read: " + std::strerror(errno));
    }
    offset_ += static_cast<uint64_t>(r);
    return static_cast<size_t>(r);
  }

 private:
  int fd_;
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
    return zstd_stream(std::move(in), options.max_window_log);
  }
  if (name.ends_with(".xz") || head.starts_with("\xfd\x37\x7a\x58\x5a\x00"sv)) {
    return xz_stream(std::move(in), options.max_window_log);
  }
  if (name.ends_with(".gz") || head.starts_with("\x1f\x8b"sv)) {
    return gzip_stream(std::move(in));
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
