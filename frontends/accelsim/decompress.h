// The decompressors behind byte_stream.h, and the chunked input they share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/accelsim/byte_stream.h"

namespace heddle::accelsim {

// A raw stream read in chunks, with the position that error messages name.
class ChunkedInput {
 public:
  explicit ChunkedInput(std::unique_ptr<ByteStream> raw);

  // True when bytes are available; reads the next chunk when the current one is used up.
  bool fill();
  const char* data() const { return chunk_.data() + pos_; }
  size_t size() const { return size_ - pos_; }
  void consume(size_t n) { pos_ += n; }
  // Reads past the chunk, for data that needs no decoding. Only when size() is 0.
  size_t read_through(char* dst, size_t n);

  uint64_t offset() const { return base_ + pos_; }  // of data() in the file
  const std::string& name() const { return raw_->name(); }
  [[noreturn]] void fail(std::string_view what) const;  // "FILE: byte OFFSET: what"
  [[noreturn]] void fail_truncated(std::string_view format) const;

 private:
  std::unique_ptr<ByteStream> raw_;
  std::vector<char> chunk_;
  size_t pos_ = 0;
  size_t size_ = 0;
  uint64_t base_ = 0;
};

std::unique_ptr<ByteStream> plain_stream(std::unique_ptr<ChunkedInput> in);
std::unique_ptr<ByteStream> zstd_stream(std::unique_ptr<ChunkedInput> in, int max_window_log);
std::unique_ptr<ByteStream> xz_stream(std::unique_ptr<ChunkedInput> in, int max_window_log);
std::unique_ptr<ByteStream> gzip_stream(std::unique_ptr<ChunkedInput> in);

}  // namespace heddle::accelsim
