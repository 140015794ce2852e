// Writes a .heddle file, block by block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "frontends/output/place.h"
#include "frontends/trace/compression.h"
#include "frontends/trace/header.h"
#include "sim/isa/recording.h"

namespace heddle::trace {

struct WriterOptions {
  output::Replace replace = output::Replace::kSameKind;  // what may be at the file's place
  int level = kLzmaLevel;                                // 1..22: compression.h
  // A chunk ends with the block that makes its columns this long: more compress better, and reading one block
  // costs more.
  size_t chunk_bytes = size_t{1} << 20;
};

struct WriterTotals {
  uint64_t blocks = 0;
  uint64_t warps = 0;
  uint64_t warp_instructions = 0;
  uint64_t memory_references = 0;
  uint64_t chunks = 0;
  uint64_t bytes = 0;  // of the file
};

// Memory: one chunk, the largest block, and 16 bytes per chunk written.
class Writer {
 public:
  // `image` outlives the writer. Writes to a temporary file, which finish() renames and the destructor
  // removes. Throws heddle::Error when that cannot be written; so do all others.
  Writer(const std::filesystem::path& file, const isa::KernelImage& image, const accelsim::Listing& code,
         const Origin& origin, const WriterOptions& options = {});
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Blocks come in launch order.
  void add(const isa::BlockTrace& block);
  // After the last block of the grid.
  WriterTotals finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::trace
