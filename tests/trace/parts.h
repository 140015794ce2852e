// The messages of a .heddle file without lengths and checksums, so that a changed byte gets past them:
// the header, "%%chunk\n" and a chunk for each chunk, "%%paths\n" and the paths.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontends/trace/section.h"
#include "frontends/trace/trace.pb.h"

namespace heddle::trace::test {

inline constexpr std::string_view kChunkMark = "%%chunk\n", kPathsMark = "%%paths\n";

inline std::string cut_tail(std::string& text, std::string_view mark) {
  const size_t at = text.find(mark);
  if (at == std::string::npos) {
    return "";
  }
  std::string tail = text.substr(at + mark.size());
  text.resize(at);
  return tail;
}

inline std::string parts_of(const std::string& bytes) {
  const auto file = open_memory("f", bytes);
  std::string parts, message;
  uint64_t at = read_section(*file, kPreambleBytes, SectionKind::kHeader, parts);
  for (char kind[4]; file->read(at, kind, 4), kind[0] == 'C';) {
    at = read_section(*file, at, SectionKind::kChunk, message);
    (parts += kChunkMark) += message;
  }
  read_section(*file, at, SectionKind::kPaths, message);
  return (parts += kPathsMark) += message;
}

// A file of these messages, and an index that fits as far as they make sense.
inline std::string file_of(std::string parts) {
  const std::string paths = cut_tail(parts, kPathsMark);
  std::string chunks = cut_tail(parts, kChunkMark);
  std::string out = make_preamble() + make_section(SectionKind::kHeader, parts, 1);
  pb::Index index;
  pb::Header header;
  if (header.ParseFromString(parts)) {
    const pb::Dim3& g = header.kernel().grid();
    index.set_blocks(uint64_t{g.x()} * g.y() * g.z());
  }
  while (!chunks.empty()) {
    std::string next = cut_tail(chunks, kChunkMark);
    pb::Chunk chunk;
    pb::Index::Entry& e = *index.add_chunks();
    e.set_offset(out.size());
    e.set_first_block(chunk.ParseFromString(chunks) ? chunk.first_block() : 0);
    out += make_section(SectionKind::kChunk, chunks, 1);
    chunks = std::move(next);
  }
  index.set_paths_offset(out.size());
  out += make_section(SectionKind::kPaths, paths, 1);
  const uint64_t at = out.size();
  out += make_section(SectionKind::kIndex, index.SerializeAsString(), 1);
  return out + make_trailer(at, out.size() + kTrailerBytes);
}

}  // namespace heddle::trace::test
