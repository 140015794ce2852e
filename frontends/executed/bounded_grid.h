// A launch whose values do not depend on time, executed ahead of its simulation, as the machine gets it: a
// block is executed whole when it is asked for, and is a recording from then on, as long as all recordings
// that are kept take no more than a bound. A block for which there is no room is executed in pieces.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>

#include "frontends/executed/executed_source.h"
#include "frontends/executed/pieces.h"
#include "sim/isa/program.h"
#include "sim/isa/recorded_program.h"

namespace heddle::executed {

class BoundedGrid final : public isa::GridProgram {
 public:
  // `source` outlives this. `most`: bytes of recordings (ExecutedSource::most_kept()).
  BoundedGrid(ExecutedSource& source, uint64_t most);
  ~BoundedGrid() override;

  const isa::KernelImage& image() const override { return source_.image(); }
  // Throws Error for what the program may not do, or when no block can go on.
  std::unique_ptr<isa::BlockProgram> next() override;
  // Once there are blocks in pieces: in another order, sums of floating-point atomics are others.
  bool in_order() const override { return pieces_ > 0; }
  void recycle(std::unique_ptr<isa::BlockProgram> block) override;
  std::string cannot_be_saved() const override { return ""; }

  // What is kept of recordings now, and was at most; blocks in pieces so far.
  uint64_t kept_bytes() const { return kept_; }
  uint64_t most_kept_bytes() const { return most_kept_; }
  uint64_t pieces() const { return pieces_; }
  uint64_t most_handed_out() const { return shared_.most_handed_out; }  // PieceShared's

 private:
  class Whole;
  struct Kept {
    uint64_t bytes = 0;
    bool whole = false;  // else in pieces
  };
  void keep(const isa::BlockProgram& block, Kept kept);

  ExecutedSource& source_;
  const uint64_t most_;
  PieceShared shared_;
  std::unique_ptr<Whole> whole_;  // what recordings_ reads
  isa::RecordedGrid recordings_;
  std::shared_ptr<PieceCluster> cluster_;  // of whose blocks the next one is
  uint32_t next_rank_ = 0;
  uint64_t first_bytes_ = 0;                                   // of each of its blocks, when it has begun
  std::unordered_map<const isa::BlockProgram*, Kept> blocks_;  // that the machine has
  uint64_t kept_ = 0, most_kept_ = 0, pieces_ = 0;
};

}  // namespace heddle::executed
