// The columns of a pb::Chunk to blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frontends/input/limits.h"
#include "frontends/trace/list_coder.h"
#include "frontends/trace/packed.h"
#include "frontends/trace/path_table.h"
#include "frontends/trace/predictor.h"
#include "frontends/trace/run_coder.h"
#include "frontends/trace/shapes.h"
#include "frontends/trace/slots.h"
#include "frontends/trace/trace.pb.h"
#include "sim/isa/recording.h"

namespace heddle::trace {

// What is wrong with a chunk; the reader adds the file and the offset.
struct ChunkError {
  std::string what;
};

// A block whose references have been decoded, and not yet written as a block's. Its storage is reused.
struct HeldBlock {
  struct Warp {
    std::span<const isa::Run> runs;
    size_t begin = 0, end = 0;  // of `references`
    uint64_t number = 0;        // of all warps decoded
  };
  struct Shared {
    uint64_t warp = 0;  // the warp whose lists hold this shape's elements, counted from 1
    uint32_t list = 0;  // where
  };
  isa::Dim3 index;
  uint64_t linear = 0;
  std::vector<Warp> warps;
  std::vector<Reference> references;
  std::vector<Shared> in_warp;  // by shape
};

class ChunkDecoder {
 public:
  // Both outlive the decoder.
  // `whole_grid`: what the blocks' indices are in; the image's grid unless the file has a part of it.
  ChunkDecoder(const isa::KernelImage& image, const isa::Dim3& whole_grid,
               const std::vector<Path>& shared_paths);

  // `chunk` stays as it is until the last block has been read. Throws ChunkError when its blocks may need
  // more memory than input::limits() grant.
  void begin(const pb::Chunk& chunk);
  // Blocks left in the chunk.
  uint32_t left() const { return left_; }
  // Both throw ChunkError. `left()` > 0. What a packed block points to holds until the next call.
  void next(isa::BlockTrace& out);
  // next() in two steps: the first is for one block after the other, the second may be done for several at a
  // time, as long as nothing else is called here.
  void hold(HeldBlock& out);
  void write(HeldBlock& held, isa::BlockTrace& out) const;
  void next_packed(PackedBlock& out);

 private:
  using Shared = HeldBlock::Shared;

  isa::Dim3 begin_block(size_t warps);
  isa::Dim3 next_index();
  const Path& next_warp(size_t w);
  const Path& next_path(uint64_t& number);
  void take(uint64_t bytes, uint64_t& taken) const;
  void one_by_one(const Path& path);
  template <bool kAbove, bool kBefore>
  void aligned(const Path& path);
  uint64_t residual(uint8_t symbol);
  uint32_t coded_shape(uint32_t slot, ShapeGuess how, uint32_t lanes);
  uint32_t new_shape(uint32_t slot, uint32_t lanes);
  void check_shape(uint32_t number, uint32_t lanes) const;
  // What writing a warp needs of its block.
  struct Writing {
    std::vector<Shared>& in_warp;
    uint64_t taken = 0;  // bytes of the block's streams so far
  };
  void write_warp(std::span<const isa::Run> runs, std::span<const Reference> references, uint64_t number,
                  isa::WarpTrace& w, Writing& block) const;
  void put_lists(uint32_t shape, isa::MemRef& r, uint64_t number, isa::WarpTrace& w, Writing& block) const;
  void end_block();
  void finish_chunk() const;

  const isa::KernelImage& image_;
  const isa::Dim3 whole_grid_;
  const Slots slots_;
  const std::vector<Path>& shared_paths_;
  std::vector<Path> local_paths_;
  RunCoder run_coder_;
  Predictor predictor_;
  ShapeTable shapes_;
  std::vector<uint8_t> lanes_;   // by shape: how many it is for; 0: any number
  std::vector<Shared> in_warp_;  // by shape
  uint64_t warp_ = 0;            // decoded so far
  uint64_t chunk_ = 0;

  const input::Limit warp_limit_ = input::limits().warp_instructions;
  const input::Limit block_limit_ = input::limits().block_bytes;
  uint64_t block_ = 0;
  uint32_t left_ = 0;
  ColumnReader indices_, paths_, runs_, masks_, symbols_, residuals_, shape_bytes_;
  std::array<ColumnReader, kPlanes> planes_;
};

}  // namespace heddle::trace
