// How much an input file may ask for: damaged or hostile files end with an error instead of taking the
// machine. README.md has the table.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::input {

struct Limit {
  const char* name;
  uint64_t value;

  // "up to 65536; HEDDLE_LIMITS=name_bytes=N changes that": behind "legal: " in a message.
  std::string legal() const;
};

// Far above what captures of real programs have.
struct Limits {
  Limit name_bytes = {"name_bytes", uint64_t{64} << 10};         // of a kernel, a function, a file
  Limit opcode_bytes = {"opcode_bytes", 256};                    // of an opcode with its modifiers
  Limit line_bytes = {"line_bytes", uint64_t{1} << 20};          // of a line of text
  Limit blank_bytes = {"blank_bytes", uint64_t{16} << 20};       // of blank lines and comments in a row
  Limit header_bytes = {"header_bytes", uint64_t{1} << 20};      // of the header of a text trace
  Limit code_bytes = {"code_bytes", uint64_t{128} << 20};        // of a side file, decompressed
  Limit instructions = {"instructions", uint64_t{2} << 20};      // static ones of a kernel
  Limit list_bytes = {"list_bytes", uint64_t{64} << 20};         // of a kernelslist.g, decompressed
  Limit list_entries = {"list_entries", 1'000'000};              // kernels and copies
  Limit warp_instructions = {"warp_instructions", 100'000'000};  // executed by one warp
  Limit block_bytes = {"block_bytes", uint64_t{1} << 30};        // memory of one block's streams
  Limit text_bytes = {"text_bytes", uint64_t{256} << 20};        // of a host program, a table
  Limit section_bytes = {"section_bytes", uint64_t{256} << 20};  // of a .heddle's section, decompressed
  Limit elements = {"elements", uint64_t{4} << 20};  // of the lists in such a section: chunks, columns
  Limit window_bytes = {"window_bytes", uint64_t{1} << 29};  // of a zstd or xz decompressor
  Limit expansion = {"expansion", 20'000};  // bytes that a byte of a compressed file becomes, on average

  std::array<Limit*, 16> all();
};

// Those of the process: the defaults, changed by the environment variable HEDDLE_LIMITS when this is called
// first: "block_bytes=4G,list_entries=5000000", with K, M, G, T for powers of 1024. Throws heddle::Error when
// that cannot be read.
const Limits& limits();

// Other limits while this lives, written as in HEDDLE_LIMITS; in one thread, before files are opened. For
// tests and programs that embed the readers.
class ScopedLimits {
 public:
  explicit ScopedLimits(std::string_view settings);
  ~ScopedLimits();
  ScopedLimits(const ScopedLimits&) = delete;
  ScopedLimits& operator=(const ScopedLimits&) = delete;

 private:
  const Limits before_;
};

}  // namespace heddle::input
