#include "frontends/trace/compression.h"

#include <fmt/format.h>
#include <lzma.h>
#include <zstd.h>

#include <algorithm>
#include <array>

#include "sim/base/error.h"

namespace heddle::trace {

namespace {

constexpr std::string_view kZstd = "\x28\xb5\x2f\xfd";

const uint8_t* bytes(std::string_view s) { return reinterpret_cast<const uint8_t*>(s.data()); }

std::string zstd(std::string_view message, int level) {
  std::string out(ZSTD_compressBound(message.size()), '\0');
  const size_t n = ZSTD_compress(out.data(), out.size(), message.data(), message.size(), level);
  if (ZSTD_isError(n)) {
    throw Error(std::string("zstd: ") + ZSTD_getErrorName(n));
  }
  out.resize(n);
  return out;
}

using Filters = std::array<lzma_filter, 2>;

Filters filters(lzma_options_lzma& options) {
  return {{{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, nullptr}}};
}

std::string lzma(std::string_view message, bool words) {
  lzma_options_lzma options{};
  lzma_lzma_preset(&options, 9 | LZMA_PRESET_EXTREME);
  options.dict_size = lzma_window(message.size());
  if (words) {
    options.lc = 0;
    options.pb = 4;
  }
  const Filters f = filters(options);
  std::string out(lzma_stream_buffer_bound(message.size()), '\0');
  size_t n = 0;
  if (const lzma_ret r = lzma_raw_buffer_encode(f.data(), nullptr, bytes(message), message.size(),
                                                reinterpret_cast<uint8_t*>(out.data()), &n, out.size());
      r != LZMA_OK) {
    throw Error("lzma: " + std::string(r == LZMA_MEM_ERROR ? "not enough memory" : "cannot compress"));
  }
  out.resize(n);
  return out;
}

// Neither shrinks by more than that, so a short payload asks for no more memory.
bool may_hold(std::string_view payload, uint64_t message_bytes) {
  return message_bytes >> 16 <= payload.size();
}

}  // namespace

uint32_t lzma_window(uint64_t message_bytes) {
  return static_cast<uint32_t>(std::clamp<uint64_t>(message_bytes, LZMA_DICT_SIZE_MIN, 64U << 20));
}

std::string compressed(std::string_view message, int level, bool words) {
  return level < kLzmaLevel ? zstd(message, level) : lzma(message, words);
}

std::string decompress(std::string_view payload, uint64_t message_bytes, std::string& message) {
  const std::string other_size = fmt::format("of {} bytes that it should be", message_bytes);
  if (payload.starts_with(kZstd)) {
    // The frame states its size too.
    if (ZSTD_getFrameContentSize(payload.data(), payload.size()) != message_bytes ||
        !may_hold(payload, message_bytes)) {
      return "is not the zstd frame " + other_size;
    }
    message.resize(message_bytes);
    const size_t n = ZSTD_decompress(message.data(), message.size(), payload.data(), payload.size());
    if (ZSTD_isError(n) || n != message_bytes) {
      return "does not decompress" + (ZSTD_isError(n) ? std::string(": ") + ZSTD_getErrorName(n) : "");
    }
    return "";
  }
  if (!may_hold(payload, message_bytes)) {
    return "is not the zstd frame or LZMA2 " + other_size;
  }
  lzma_options_lzma options{};
  options.dict_size = lzma_window(message_bytes);
  const Filters f = filters(options);
  message.resize(message_bytes);
  size_t in = 0, out = 0;
  switch (lzma_raw_buffer_decode(f.data(), nullptr, bytes(payload), &in, payload.size(),
                                 reinterpret_cast<uint8_t*>(message.data()), &out, message.size())) {
    case LZMA_OK:
      break;
    case LZMA_MEM_ERROR:
      return "does not decompress: not enough memory";
    case LZMA_BUF_ERROR:
      return "is not the zstd frame or LZMA2 " + other_size;
    default:
      return "does not decompress: neither a zstd frame nor LZMA2";
  }
  return in == payload.size() && out == message_bytes ? "" : "is not the LZMA2 " + other_size;
}

}  // namespace heddle::trace
