// kernelslist.g: the kernels of a capture, with the copies to the device between them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::accelsim {

struct Memcpy {
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint32_t line = 0;  // in the list file
};

struct ListEntry {
  enum class Kind : uint8_t { kMemcpyHtoD, kKernel };
  Kind kind = Kind::kKernel;
  Memcpy copy;                  // kMemcpyHtoD
  std::filesystem::path trace;  // kKernel: the existing file, with the suffix it has on disk
  uint32_t line = 0;
};

struct KernelsList {
  std::filesystem::path file;
  std::vector<ListEntry> entries;  // in file order
  uint64_t ignored_lines = 0;      // neither a kernel, nor a copy to the device, nor empty or a '#' comment
  std::vector<std::string> warnings;  // "FILE:LINE: what"; the first 20 ignored lines
};

// Reads the list. A kernel line names a file in the list's directory; if it does not exist as written, the
// name with another of the suffixes "", .zst, .xz, .gz is taken. Throws heddle::Error "FILE:LINE: what" for a
// kernel without a file and for a malformed copy.
KernelsList read_kernelslist(const std::filesystem::path& file);

// The list's text without looking for files: `trace` is the name as written. `name` stands for the file in
// messages.
KernelsList parse_kernelslist(std::string_view text, std::string_view name);

// `file` as it is, or with a compression suffix added, removed or exchanged; empty if none of them exists.
std::filesystem::path find_compressed_variant(const std::filesystem::path& file);

}  // namespace heddle::accelsim
