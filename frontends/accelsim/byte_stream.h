// Bytes of a file, decompressed while they are read: plain, zstd, xz, gzip.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace heddle::accelsim {

// A forward-only stream. Memory use does not depend on the length of the data: one input chunk plus the
// decompressor's window (zstd --long=27: 128 MiB).
class ByteStream {
 public:
  explicit ByteStream(std::string name) : name_(std::move(name)) {}
  virtual ~ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  // Writes up to `n` bytes to `dst` and returns how many; 0 (for n > 0) only at the end of the data. Throws
  // heddle::Error "FILE: byte OFFSET: what" when the file is corrupt or ends early; OFFSET counts bytes of
  // the file as it lies on disk.
  virtual size_t read(char* dst, size_t n) = 0;

  // The file as it is named in messages.
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

struct StreamOptions {
  // Largest zstd or xz window accepted, as a power of two (10..31), if input::limits() does not say less. A
  // window costs that much memory.
  int max_window_log = 31;
};

// Opens a file. The suffix (.zst, .xz, .gz) says what it must contain; without one of these, the first bytes
// decide. Files of several concatenated frames or members are read to the end.
std::unique_ptr<ByteStream> open_bytes(const std::filesystem::path& file, const StreamOptions& options = {});

// The same over memory, which must outlive the stream. The suffix of `name` counts as above.
std::unique_ptr<ByteStream> open_memory_bytes(std::string name, std::string_view data,
                                              const StreamOptions& options = {});

}  // namespace heddle::accelsim
