// Compressors for tests of the decompressors.
#pragma once

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace heddle::accelsim::test {

inline std::string zstd(std::string_view data, int window_log = 0) {
  ZSTD_CCtx* c = ZSTD_createCCtx();
  if (window_log) {
    ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, window_log);
    ZSTD_CCtx_setParameter(c, ZSTD_c_contentSizeFlag, 0);
  }
  ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(data.size()), '\0');
  // Streaming, so that the frame has a window descriptor and not a single segment.
  ZSTD_inBuffer in = {data.data(), data.size(), 0};
  ZSTD_outBuffer o = {out.data(), out.size(), 0};
  size_t r = window_log ? ZSTD_compressStream2(c, &o, &in, ZSTD_e_flush) : 0;
  r = ZSTD_isError(r) ? r : ZSTD_compressStream2(c, &o, &in, ZSTD_e_end);
  ZSTD_freeCCtx(c);
  if (r != 0) {
    throw std::runtime_error("zstd");
  }
  out.resize(o.pos);
  return out;
}

inline std::string xz(std::string_view data) {
  std::string out(lzma_stream_buffer_bound(data.size()), '\0');
  size_t n = 0;
  if (lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const uint8_t*>(data.data()),
                              data.size(), reinterpret_cast<uint8_t*>(out.data()), &n,
                              out.size()) != LZMA_OK) {
    throw std::runtime_error("xz");
  }
  out.resize(n);
  return out;
}

inline std::string gzip(std::string_view data) {
  z_stream s{};
  if (deflateInit2(&s, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("gzip");
  }
  std::string out(deflateBound(&s, data.size()) + 64, '\0');
  s.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  s.avail_in = static_cast<uInt>(data.size());
  s.next_out = reinterpret_cast<Bytef*>(out.data());
  s.avail_out = static_cast<uInt>(out.size());
  const int r = deflate(&s, Z_FINISH);
  out.resize(s.total_out);
  deflateEnd(&s);
  if (r != Z_STREAM_END) {
    throw std::runtime_error("gzip");
  }
  return out;
}

}  // namespace heddle::accelsim::test
