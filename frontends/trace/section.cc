#include "frontends/trace/section.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "frontends/input/limits.h"
#include "frontends/trace/compression.h"
#include "sim/base/error.h"

namespace heddle::trace {

namespace {

uint32_t crc(std::string_view bytes, uint32_t seed = 0) {
  return static_cast<uint32_t>(crc32_z(seed, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

template <typename T>
void put(std::string& out, T v) {
  for (size_t i = 0; i < sizeof v; ++i) {
    out.push_back(static_cast<char>(v >> 8 * i));
  }
}

template <typename T>
T get(const char* p) {
  T v = 0;
  for (size_t i = 0; i < sizeof v; ++i) {
    v |= static_cast<T>(static_cast<T>(static_cast<uint8_t>(p[i])) << 8 * i);
  }
  return v;
}

// kind, CRC of the rest of the header and the payload, stored bytes, bytes of the message
struct SectionHeader {
  uint32_t kind = 0;
  uint32_t check = 0;
  uint64_t stored = 0;
  uint64_t bytes = 0;
};

std::string printable(uint32_t kind) {
  std::string s;
  put(s, kind);
  for (char& c : s) {
    c = c < ' ' || c > '~' ? '?' : c;
  }
  return s;
}

// Also checks that the payload is in the file.
SectionHeader read_header(const FileBytes& file, uint64_t offset, char raw[kSectionHeaderBytes]) {
  if (offset > file.size() || file.size() - offset < kSectionHeaderBytes) {
    file.fail(offset, "truncated: the file ends after " + std::to_string(file.size()) +
                          " bytes, where a section should begin");
  }
  file.read(offset, raw, kSectionHeaderBytes);
  const SectionHeader h = {get<uint32_t>(raw), get<uint32_t>(raw + 4), get<uint64_t>(raw + 8),
                           get<uint64_t>(raw + 16)};
  const auto kind = static_cast<SectionKind>(h.kind);
  if (name(kind).empty()) {
    file.fail(offset, "damaged: no section begins here, but '" + printable(h.kind) + "'");
  }
  check_section_bytes(kind, std::max(h.stored, h.bytes), file.name() + ": byte " + std::to_string(offset));
  if (h.stored > file.size() - offset - kSectionHeaderBytes) {
    file.fail(offset, "truncated: the " + std::string(name(kind)) + " that begins here needs " +
                          std::to_string(kSectionHeaderBytes + h.stored) + " bytes, the file ends after " +
                          std::to_string(file.size() - offset));
  }
  return h;
}

}  // namespace

std::string_view name(SectionKind kind) {
  switch (kind) {
    case SectionKind::kHeader:
      return "header";
    case SectionKind::kChunk:
      return "chunk";
    case SectionKind::kPaths:
      return "table of paths";
    case SectionKind::kIndex:
      return "index";
    case SectionKind::kLaunch:
      return "description of the launch";
    case SectionKind::kState:
      return "state";
  }
  return "";
}

void check_section_bytes(SectionKind kind, uint64_t bytes, const std::string& where) {
  constexpr uint64_t kProtobuf = (uint64_t{1} << 31) - 1;
  const input::Limits& l = input::limits();
  const uint64_t code = kind == SectionKind::kHeader ? l.code_bytes.value : 0;
  if (bytes > kProtobuf || bytes > l.section_bytes.value + code) {
    throw Error(where + ": the " + std::string(name(kind)) + " has " + std::to_string(bytes) +
                " bytes (legal: " + l.section_bytes.legal() + (code ? ", besides the code" : "") +
                "; less than 2 GiB)");
  }
}

std::string make_preamble(const FileFormat& format) {
  std::string s(format.magic);
  put(s, format.version);
  put(s, crc(s));
  return s;
}

void check_preamble(const FileBytes& file, const FileFormat& format) {
  char raw[kPreambleBytes] = {};
  const auto have = static_cast<size_t>(std::min<uint64_t>(file.size(), kPreambleBytes));
  file.read(0, raw, have);
  const std::string_view magic(raw, std::min(have, format.magic.size()));
  const std::string what(format.what);
  if (have == 0) {
    file.fail(0, "empty file (legal: " + what + ")");
  }
  if (magic != format.magic.substr(0, magic.size())) {
    file.fail(0, "not " + what + ": it begins with other bytes (legal: " + std::string(format.shown) + ")");
  }
  if (have < kPreambleBytes) {
    file.fail(have, "truncated: the file ends within its first " + std::to_string(kPreambleBytes) + " bytes");
  }
  if (crc({raw, 12}) != get<uint32_t>(raw + 12)) {
    file.fail(format.magic.size(), "damaged: wrong checksum of the version");
  }
  const auto version = get<uint32_t>(raw + format.magic.size());
  if (version < format.oldest_version || version > format.version) {
    std::string understood;
    for (uint32_t v = format.oldest_version; v <= format.version; ++v) {
      understood += (v == format.oldest_version ? "" : ", ") + std::to_string(v);
    }
    file.fail(format.magic.size(),
              "format version " + std::to_string(version) + " (understood: " + understood + ")");
  }
}

std::string make_section(SectionKind kind, std::string_view message, int level) {
  const std::string payload = compressed(message, level, kind == SectionKind::kHeader);
  std::string sizes;
  put(sizes, uint64_t{payload.size()});
  put(sizes, uint64_t{message.size()});
  std::string out;
  out.reserve(kSectionHeaderBytes + payload.size());
  put(out, static_cast<uint32_t>(kind));
  put(out, crc(payload, crc(sizes)));
  out += sizes;
  return out += payload;
}

uint64_t read_section(const FileBytes& file, uint64_t offset, SectionKind kind, std::string& message) {
  char raw[kSectionHeaderBytes];
  const SectionHeader h = read_header(file, offset, raw);
  const std::string what(name(kind));
  if (h.kind != static_cast<uint32_t>(kind)) {
    file.fail(offset, "damaged: a " + std::string(name(static_cast<SectionKind>(h.kind))) +
                          " begins here, not the " + what);
  }
  std::string payload(h.stored, '\0');
  file.read(offset + kSectionHeaderBytes, payload.data(), payload.size());
  if (crc(payload, crc({raw + 8, 16})) != h.check) {
    file.fail(offset, "damaged: wrong checksum of the " + what + " that begins here, " +
                          std::to_string(kSectionHeaderBytes + h.stored) + " bytes");
  }
  if (const std::string fault = decompress(payload, h.bytes, message); !fault.empty()) {
    file.fail(offset, "damaged: the " + what + " " + fault);
  }
  return offset + kSectionHeaderBytes + h.stored;
}

std::string make_trailer(uint64_t index_offset, uint64_t file_bytes) {
  std::string s;
  put(s, index_offset);
  put(s, file_bytes);
  put(s, uint32_t{0});
  put(s, crc(s));
  return s += kEndMagic;
}

uint64_t read_trailer(const FileBytes& file) {
  char raw[kTrailerBytes] = {};
  if (file.size() >= kPreambleBytes + kTrailerBytes) {
    const uint64_t at = file.size() - kTrailerBytes;
    file.read(at, raw, kTrailerBytes);
    if (std::string_view(raw + 24, 8) == kEndMagic) {
      if (crc({raw, 20}) != get<uint32_t>(raw + 20)) {
        file.fail(at, "damaged: wrong checksum of the trailer");
      }
      if (get<uint64_t>(raw + 8) != file.size()) {
        file.fail(at, "damaged: the file has " + std::to_string(file.size()) + " bytes, its trailer says " +
                          std::to_string(get<uint64_t>(raw + 8)));
      }
      return get<uint64_t>(raw);
    }
  }
  // From section to section, to where it breaks off.
  uint64_t offset = kPreambleBytes;
  for (SectionHeader h; offset < file.size(); offset += kSectionHeaderBytes + h.stored) {
    h = read_header(file, offset, raw);
    if (h.kind == static_cast<uint32_t>(SectionKind::kIndex)) {
      offset += kSectionHeaderBytes + h.stored;
      file.fail(offset, "truncated or damaged: the trailer should be here, in the last " +
                            std::to_string(kTrailerBytes) + " bytes");
    }
  }
  file.fail(offset, "truncated: the file ends without its index and trailer");
}

}  // namespace heddle::trace
