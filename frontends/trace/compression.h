// How the message of a section is stored: as a zstd frame, quick to write, or as raw LZMA2, which is shorter.
// Their first bytes tell them apart: 28 b5 2f fd, or 00, 01 or one from e0 on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::trace {

// From this level on LZMA2, below it zstd of that level.
inline constexpr int kLzmaLevel = 19;
inline constexpr const char* kLevelHelp = "compression: 1 to 18 zstd's levels, from 19 on LZMA";

// `level`: 1 to 22. `words`: most of the message are words of 16 bytes.
std::string compressed(std::string_view message, int level, bool words);

// The window of LZMA2, which is not stored: as long as the message, from 4 KiB to 64 MiB.
uint32_t lzma_window(uint64_t message_bytes);

// Makes `message`, of that many bytes. What is wrong with `payload`; empty: nothing. Memory is asked for only
// when the payload may hold so much.
std::string decompress(std::string_view payload, uint64_t message_bytes, std::string& message);

}  // namespace heddle::trace
