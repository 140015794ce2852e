// The messages of a small .heddle file, to be changed, with all lengths and checksums right again afterwards.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "frontends/trace/section.h"
#include "frontends/trace/trace.pb.h"
#include "tests/trace/native.h"

namespace heddle::trace::test {

inline std::string message_for(const std::string& bytes) {
  return error_of([&] { read_all(*open("f", bytes)); });
}

inline std::string three_chunks() {
  WriterOptions options;
  options.chunk_bytes = 1;
  return pack(sample(), options);
}

// A file of any messages, with all lengths and checksums right.
struct Parts {
  pb::Header header;
  std::vector<pb::Chunk> chunks;
  pb::Paths paths;
  pb::Index index;

  Parts() {
    const std::string good = three_chunks();
    const auto file = open_memory("f", good);
    std::string bytes;
    uint64_t at = read_section(*file, kPreambleBytes, SectionKind::kHeader, bytes);
    REQUIRE(header.ParseFromString(bytes));
    for (int i = 0; i < 3; ++i) {
      at = read_section(*file, at, SectionKind::kChunk, bytes);
      REQUIRE(chunks.emplace_back().ParseFromString(bytes));
    }
    at = read_section(*file, at, SectionKind::kPaths, bytes);
    REQUIRE(paths.ParseFromString(bytes));
    read_section(*file, at, SectionKind::kIndex, bytes);
    REQUIRE(index.ParseFromString(bytes));
  }

  std::string file() {
    std::string out = make_preamble() + make_section(SectionKind::kHeader, header.SerializeAsString(), 1);
    for (size_t i = 0; i < chunks.size(); ++i) {
      if (static_cast<int>(i) < index.chunks_size()) {
        index.mutable_chunks(static_cast<int>(i))->set_offset(out.size());
      }
      out += make_section(SectionKind::kChunk, chunks[i].SerializeAsString(), 1);
    }
    index.set_paths_offset(out.size());
    out += make_section(SectionKind::kPaths, paths.SerializeAsString(), 1);
    const uint64_t at = out.size();
    out += make_section(SectionKind::kIndex, index.SerializeAsString(), 1);
    return out + make_trailer(at, out.size() + kTrailerBytes);
  }
};

}  // namespace heddle::trace::test
