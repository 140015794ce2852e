// Blocks to the columns of a pb::Chunk.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontends/trace/list_coder.h"
#include "frontends/trace/path_table.h"
#include "frontends/trace/predictor.h"
#include "frontends/trace/run_coder.h"
#include "frontends/trace/shapes.h"
#include "frontends/trace/slots.h"
#include "frontends/trace/trace.pb.h"
#include "sim/isa/recording.h"

namespace heddle::trace {

// Bounds of the table of paths that all chunks share: it stays in memory.
inline constexpr size_t kMaxSharedPaths = 4096;
inline constexpr size_t kMaxSharedRuns = 65536;

class ChunkEncoder {
 public:
  explicit ChunkEncoder(const isa::KernelImage& image);

  // Throws std::logic_error when the block breaks the rules of sim/isa/kernel.h.
  void add(const isa::BlockTrace& block);
  uint32_t blocks() const { return blocks_; }
  // Size of the columns so far.
  size_t bytes() const;
  // The blocks added since the last call.
  pb::Chunk take();

  const PathTable& shared_paths() const { return shared_; }

 private:
  void put_path(const isa::WarpTrace& w);
  void put_reference(uint32_t slot, uint32_t mask, const isa::WarpTrace& w, const isa::MemRef& r);
  Shape shape_of(const isa::WarpTrace& w, const isa::MemRef& r, uint32_t mask);
  uint8_t put_shape(uint32_t slot, const Shape& s, uint32_t& number);
  void put_new_shape(uint32_t slot, const Shape& s);
  uint8_t put_base(uint32_t slot, uint64_t base);
  bool is(uint32_t number, const Shape& s) const;
  uint64_t hash(const Shape& s) const;

  const isa::KernelImage& image_;
  const Slots slots_;
  PathTable shared_, local_;
  RunCoder run_coder_;
  Predictor predictor_;
  ShapeTable shapes_;
  std::unordered_map<uint64_t, uint32_t> shape_numbers_;  // by hash
  std::vector<Guess> favourite_;                          // by slot: what was right last time
  std::vector<ShapeGuess> favourite_shape_;
  std::array<uint64_t, ShapeTable::kMaxElements> elements_{};  // of the shape at hand

  uint64_t first_block_ = 0;
  uint32_t blocks_ = 0;
  std::string indices_, paths_, runs_, masks_, symbols_, residuals_, shape_bytes_;
  std::array<std::string, kPlanes> planes_;
};

}  // namespace heddle::trace
