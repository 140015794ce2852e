#include "frontends/accelsim/decompress.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "sim/base/error.h"

namespace heddle::accelsim {

namespace {

constexpr size_t kInputChunk = size_t{1} << 17;

std::string window_too_large(int max_window_log) {
  return "its window is too large (legal: up to " + std::to_string(uint64_t{1} << max_window_log) +
         " bytes; HEDDLE_LIMITS=window_bytes=N changes that)";
}

class PlainStream final : public ByteStream {
 public:
  explicit PlainStream(std::unique_ptr<ChunkedInput> in) : ByteStream(in->name()), in_(std::move(in)) {}

  size_t read(char* dst, size_t n) override {
    if (in_->size() == 0) {
      return in_->read_through(dst, n);
    }
    n = std::min(n, in_->size());
    std::memcpy(dst, in_->data(), n);
    in_->consume(n);
    return n;
  }

 private:
  std::unique_ptr<ChunkedInput> in_;
};

class ZstdStream final : public ByteStream {
 public:
  ZstdStream(std::unique_ptr<ChunkedInput> in, int max_window_log)
      : ByteStream(in->name()), in_(std::move(in)), dctx_(ZSTD_createDCtx()), window_log_(max_window_log) {
    if (!dctx_) {
      in_->fail("out of memory for the zstd decompressor");
    }
    ZSTD_DCtx_setParameter(dctx_.get(), ZSTD_d_windowLogMax, max_window_log);
  }

  size_t read(char* dst, size_t n) override {
    ZSTD_outBuffer out = {dst, n, 0};
    while (out.pos == 0 && n > 0) {
      const bool more = in_->fill();
      if (!more && between_frames_) {
        if (in_->offset() == 0) {
          in_->fail_truncated("zstd");
        }
        return 0;
      }
      // Without further input the decoder may still hold output that did not fit into the last call's buffer.
      ZSTD_inBuffer in = {in_->data(), in_->size(), 0};
      const size_t r = ZSTD_decompressStream(dctx_.get(), &out, &in);
      in_->consume(in.pos);
      if (ZSTD_isError(r)) {
        fail(ZSTD_getErrorCode(r), ZSTD_getErrorName(r));
      }
      between_frames_ = r == 0;
      if (!more && out.pos == 0 && !between_frames_) {
        in_->fail_truncated("zstd");
      }
    }
    return out.pos;
  }

 private:
  [[noreturn]] void fail(ZSTD_ErrorCode code, const char* text) const {
    if (code == ZSTD_error_frameParameter_windowTooLarge) {
      in_->fail(window_too_large(window_log_));
    }
    in_->fail(code == ZSTD_error_memory_allocation ? "out of memory for the zstd window"
                                                   : std::string("corrupt zstd data: ") + text);
  }

  struct Free {
    void operator()(ZSTD_DCtx* d) const { ZSTD_freeDCtx(d); }
  };
  std::unique_ptr<ChunkedInput> in_;
  std::unique_ptr<ZSTD_DCtx, Free> dctx_;
  const int window_log_;
  bool between_frames_ = true;
};

std::string describe(lzma_ret r, int max_window_log) {
  switch (r) {
    case LZMA_FORMAT_ERROR:
      return "not in xz format";
    case LZMA_OPTIONS_ERROR:
      return "options this xz library does not know";
    case LZMA_MEMLIMIT_ERROR:
      return window_too_large(max_window_log);
    case LZMA_MEM_ERROR:
      return "out of memory";
    default:
      return "data error";
  }
}

class XzStream final : public ByteStream {
 public:
  XzStream(std::unique_ptr<ChunkedInput> in, int max_window_log)
      : ByteStream(in->name()), in_(std::move(in)), window_log_(max_window_log) {
    constexpr uint64_t kBesidesWindow = uint64_t{1} << 24;
    const uint64_t limit = (uint64_t{1} << max_window_log) + kBesidesWindow;
    if (lzma_stream_decoder(&s_, limit, LZMA_CONCATENATED) != LZMA_OK) {
      in_->fail("out of memory for the xz decompressor");
    }
  }
  ~XzStream() override { lzma_end(&s_); }

  size_t read(char* dst, size_t n) override {
    s_.next_out = reinterpret_cast<uint8_t*>(dst);
    s_.avail_out = n;
    while (s_.avail_out == n && n > 0 && !ended_) {
      const bool more = in_->fill();
      s_.next_in = reinterpret_cast<const uint8_t*>(in_->data());
      s_.avail_in = in_->size();
      const lzma_ret r = lzma_code(&s_, more ? LZMA_RUN : LZMA_FINISH);
      in_->consume(in_->size() - s_.avail_in);
      if (r == LZMA_STREAM_END) {
        ended_ = true;
      } else if (r == LZMA_BUF_ERROR) {
        in_->fail_truncated("xz");
      } else if (r != LZMA_OK) {
        in_->fail(std::string("corrupt xz data: ") + describe(r, window_log_));
      }
    }
    return n - s_.avail_out;
  }

 private:
  std::unique_ptr<ChunkedInput> in_;
  const int window_log_;
  lzma_stream s_ = LZMA_STREAM_INIT;
  bool ended_ = false;
};

class GzipStream final : public ByteStream {
 public:
  explicit GzipStream(std::unique_ptr<ChunkedInput> in) : ByteStream(in->name()), in_(std::move(in)) {
    constexpr int kGzipOnly = 16;  // added to the window bits: no zlib header
    if (inflateInit2(&s_, MAX_WBITS + kGzipOnly) != Z_OK) {
      in_->fail("out of memory for the gzip decompressor");
    }
  }
  ~GzipStream() override { inflateEnd(&s_); }

  size_t read(char* dst, size_t n) override {
    n = std::min(n, size_t{1} << 30);  // zlib counts in unsigned int
    s_.next_out = reinterpret_cast<Bytef*>(dst);
    s_.avail_out = static_cast<uInt>(n);
    while (s_.avail_out == n && n > 0) {
      const bool more = in_->fill();
      if (between_members_) {
        if (!more) {
          if (in_->offset() == 0) {
            in_->fail_truncated("gzip");
          }
          return 0;
        }
        // Tapes and some servers pad the last member with zeros.
        if (in_->offset() > 0 && *in_->data() == 0) {
          in_->consume(1);
          continue;
        }
        inflateReset(&s_);
        between_members_ = false;
      }
      s_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in_->data()));
      s_.avail_in = static_cast<uInt>(in_->size());
      const int r = inflate(&s_, Z_NO_FLUSH);
      in_->consume(in_->size() - s_.avail_in);
      if (r == Z_STREAM_END) {
        between_members_ = true;
      } else if (r == Z_BUF_ERROR || (r == Z_OK && !more && s_.avail_out == n)) {
        in_->fail_truncated("gzip");
      } else if (r != Z_OK) {
        in_->fail(std::string("corrupt gzip data: ") + (s_.msg ? s_.msg : "data error"));
      }
    }
    return n - s_.avail_out;
  }

 private:
  std::unique_ptr<ChunkedInput> in_;
  z_stream s_{};
  bool between_members_ = true;
};

}  // namespace

ChunkedInput::ChunkedInput(std::unique_ptr<ByteStream> raw) : raw_(std::move(raw)), chunk_(kInputChunk) {}

bool ChunkedInput::fill() {
  if (pos_ == size_) {
    base_ += size_;
    pos_ = 0;
    size_ = 0;
    size_ = raw_->read(chunk_.data(), chunk_.size());
  }
  return pos_ != size_;
}

size_t ChunkedInput::read_through(char* dst, size_t n) {
  base_ += size_;
  pos_ = size_ = 0;
  n = raw_->read(dst, n);
  base_ += n;
  return n;
}

void ChunkedInput::fail(std::string_view what) const {
  throw Error(name() + ": byte " + std::to_string(offset()) + ": " + std::string(what));
}

void ChunkedInput::fail_truncated(std::string_view format) const {
  fail("file ends inside the " + std::string(format) + " data (incomplete copy?)");
}

std::unique_ptr<ByteStream> plain_stream(std::unique_ptr<ChunkedInput> in) {
  return std::make_unique<PlainStream>(std::move(in));
}
std::unique_ptr<ByteStream> zstd_stream(std::unique_ptr<ChunkedInput> in, int max_window_log) {
  return std::make_unique<ZstdStream>(std::move(in), max_window_log);
}
std::unique_ptr<ByteStream> xz_stream(std::unique_ptr<ChunkedInput> in, int max_window_log) {
  return std::make_unique<XzStream>(std::move(in), max_window_log);
}
std::unique_ptr<ByteStream> gzip_stream(std::unique_ptr<ChunkedInput> in) {
  return std::make_unique<GzipStream>(std::move(in));
}

}  // namespace heddle::accelsim
