// The columns of a pb::Chunk to blocks.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "frontends/trace/list_coder.h"
#include "frontends/trace/path_table.h"
#include "frontends/trace/predictor.h"
#include "frontends/trace/run_coder.h"
#include "frontends/trace/shapes.h"
#include "frontends/trace/slots.h"
#include "frontends/trace/trace.pb.h"
#include "sim/isa/kernel.h"

namespace heddle::trace {

// What is wrong with a chunk; the reader adds the file and the offset.
struct ChunkError {
  std::string what;
};

class ChunkDecoder {
 public:
  // Both outlive the decoder.
  ChunkDecoder(const isa::KernelImage& image, const std::vector<Path>& shared_paths);

  // `chunk` stays as it is until the last block has been read.
  void begin(const pb::Chunk& chunk);
  // Blocks left in the chunk.
  uint32_t left() const { return left_; }
  // Throws ChunkError. `left()` > 0.
  void next(isa::BlockTrace& out);

 private:
  struct Shared {
    uint64_t warp = 0;  // the warp whose lists hold this shape's elements, counted from 1
    uint32_t list = 0;  // where
  };

  isa::Dim3 next_index();
  const Path& next_path();
  void next_reference(uint32_t slot, uint32_t mask, isa::WarpTrace& w);
  uint32_t next_shape(uint32_t slot, uint8_t symbol, uint32_t mask);
  uint32_t new_shape(uint32_t slot, uint32_t mask);
  void put_lists(uint32_t shape, isa::MemRef& r, isa::WarpTrace& w);
  void finish_chunk() const;

  const isa::KernelImage& image_;
  const Slots slots_;
  const std::vector<Path>& shared_paths_;
  std::vector<Path> local_paths_;
  RunCoder run_coder_;
  Predictor predictor_;
  ShapeTable shapes_;
  std::vector<Shared> in_warp_;  // by shape
  uint64_t warp_ = 0;            // decoded so far

  uint64_t block_ = 0;
  uint32_t left_ = 0;
  ColumnReader indices_, paths_, runs_, masks_, symbols_, residuals_, shape_bytes_;
  std::array<ColumnReader, kPlanes> planes_;
};

}  // namespace heddle::trace
