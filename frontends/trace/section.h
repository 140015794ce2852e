// The outermost layer of a .heddle file: preamble, sections, trailer. README.md has the layout. Other files
// of Heddle's own (analysis/run/checkpoint_file.h) begin with another preamble and have sections of the same
// make.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "frontends/trace/file_bytes.h"

namespace heddle::trace {

inline constexpr std::string_view kMagic = "\x89HEDDLE\n";
inline constexpr std::string_view kEndMagic = "HEDDLEND";
inline constexpr uint32_t kVersion = 2;  // what is written

// How files of a kind begin; 8 bytes and a version.
struct FileFormat {
  std::string_view magic, shown;  // shown: for messages
  uint32_t version = 1;
  std::string_view what;        // "a .heddle trace"
  uint32_t oldest_version = 1;  // that is understood
};
inline constexpr FileFormat kTraceFormat = {kMagic, "89 'HEDDLE' 0a", kVersion, "a .heddle trace"};

inline constexpr uint64_t kPreambleBytes = 16;
inline constexpr uint64_t kSectionHeaderBytes = 24;
inline constexpr uint64_t kTrailerBytes = 32;

// Four characters.
enum class SectionKind : uint32_t {
  kHeader = 0x44414548,  // "HEAD"
  kChunk = 0x4b4e4843,   // "CHNK"
  kPaths = 0x48544150,   // "PATH"
  kIndex = 0x58444e49,   // "INDX"
  // Of checkpoints.
  kLaunch = 0x48434e4c,  // "LNCH"
  kState = 0x54415453,   // "STAT"
};
std::string_view name(SectionKind kind);

// Throws heddle::Error, which begins with `where`, when a section's message of so many bytes is larger than
// input::limits() say, or than protobuf can do. The header may hold input::Limits::code_bytes of code
// besides.
void check_section_bytes(SectionKind kind, uint64_t bytes, const std::string& where);

std::string make_preamble(const FileFormat& format = kTraceFormat);
// Throws heddle::Error unless the file begins as one of that format and of a version that is understood.
void check_preamble(const FileBytes& file, const FileFormat& format = kTraceFormat);

// `message`, compressed, as a section. `level`: compression.h.
std::string make_section(SectionKind kind, std::string_view message, int level);

// Reads the section at `offset`, of that kind, into `message`; returns the offset behind it. Throws
// heddle::Error naming the offset when it is cut off, damaged or something else.
uint64_t read_section(const FileBytes& file, uint64_t offset, SectionKind kind, std::string& message);

std::string make_trailer(uint64_t index_offset, uint64_t file_bytes);
// The offset of the index. When the trailer is missing, the error says where the file breaks off.
uint64_t read_trailer(const FileBytes& file);

}  // namespace heddle::trace
