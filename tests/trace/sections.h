// Sections of a .heddle file as the inputs of fuzz_sections: four letters and the contents of each, as long
// as they are, behind "%%". Lengths, checksums and compression are made here.
//
//   %%HEAD...%%CHNK...%%CHNK...%%PATH...%%INDX...
//
// Offsets in an index count sections from 0, so that a changed byte makes it point to another section.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/trace/section.h"
#include "frontends/trace/trace.pb.h"

namespace heddle::trace::test {

inline constexpr std::string_view kSectionMark = "%%";

struct SectionText {
  SectionKind kind = SectionKind::kHeader;
  std::string_view contents;
};

inline std::vector<SectionText> sections_of(std::string_view text) {
  constexpr SectionKind kKinds[] = {SectionKind::kHeader, SectionKind::kChunk, SectionKind::kPaths,
                                    SectionKind::kIndex};
  const auto starts = [&](size_t at, SectionKind& kind) {
    for (const SectionKind k : kKinds) {
      std::string mark(kSectionMark);
      for (int i = 0; i < 4; ++i) {
        mark.push_back(static_cast<char>(static_cast<uint32_t>(k) >> 8 * i));
      }
      if (text.substr(at).starts_with(mark)) {
        kind = k;
        return true;
      }
    }
    return false;
  };
  std::vector<SectionText> out;
  size_t begin = 0;
  for (size_t at = text.find(kSectionMark); at != std::string_view::npos;
       at = text.find(kSectionMark, at + 1)) {
    SectionKind kind = SectionKind::kHeader;
    if (starts(at, kind)) {
      if (!out.empty()) {
        out.back().contents = text.substr(begin, at - begin);
      }
      begin = at + kSectionMark.size() + 4;
      out.push_back({kind, text.substr(begin)});
    }
  }
  return out;
}

// An index that points to sections by number, as a file has it: by offset.
inline std::string placed(std::string_view contents, const std::vector<uint64_t>& offsets) {
  pb::Index index;
  if (!index.ParseFromArray(contents.data(), static_cast<int>(contents.size()))) {
    return std::string(contents);
  }
  const auto offset = [&](uint64_t n) { return n < offsets.size() ? offsets[n] : n; };
  for (pb::Index::Entry& e : *index.mutable_chunks()) {
    e.set_offset(offset(e.offset()));
  }
  index.set_paths_offset(offset(index.paths_offset()));
  return index.SerializeAsString();
}

// The trailer points to the last index.
inline std::string file_of_sections(std::string_view text) {
  std::string out = make_preamble();
  std::vector<uint64_t> offsets;
  uint64_t index = 0;
  for (const SectionText& s : sections_of(text)) {
    index = s.kind == SectionKind::kIndex ? out.size() : index;
    const bool is_index = s.kind == SectionKind::kIndex;
    const std::string message = is_index ? placed(s.contents, offsets) : std::string(s.contents);
    offsets.push_back(out.size());
    out += make_section(s.kind, message, 1);
  }
  return out + make_trailer(index, out.size() + kTrailerBytes);
}

// The text of a good file.
inline std::string text_of(const std::string& bytes) {
  const auto file = open_memory("f", bytes);
  const uint64_t end = bytes.size() - kTrailerBytes;
  std::string text, message;
  std::vector<uint64_t> offsets;
  for (uint64_t at = kPreambleBytes; at < end;) {
    char kind[4];
    file->read(at, kind, 4);
    uint32_t number = 0;
    for (int i = 0; i < 4; ++i) {
      number |= uint32_t{static_cast<uint8_t>(kind[i])} << 8 * i;
    }
    offsets.push_back(at);
    at = read_section(*file, at, static_cast<SectionKind>(number), message);
    pb::Index index;
    if (static_cast<SectionKind>(number) == SectionKind::kIndex && index.ParseFromString(message)) {
      const auto section = [&](uint64_t offset) {
        size_t n = 0;
        while (n < offsets.size() && offsets[n] != offset) {
          ++n;
        }
        return n;
      };
      for (pb::Index::Entry& e : *index.mutable_chunks()) {
        e.set_offset(section(e.offset()));
      }
      index.set_paths_offset(section(index.paths_offset()));
      message = index.SerializeAsString();
    }
    ((text += kSectionMark).append(kind, 4)) += message;
  }
  return text;
}

}  // namespace heddle::trace::test
