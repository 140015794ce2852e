// What the warps of a cluster's blocks do, as the streams of a recording.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sim/exec/block.h"
#include "sim/exec/observer.h"
#include "sim/isa/recording.h"

namespace heddle::executed {

class Recorder : public exec::Observer {
 public:
  // `blocks` of a cluster, of so many warps.
  Recorder(uint32_t blocks, uint32_t warps);

  // The block of that rank has ended.
  std::vector<isa::WarpTrace> finish(uint32_t rank);
  // What the warp has done since it was last asked, as far as it can be told: of a block of code in which it
  // still is only if it `stands`, at the end of the block or of the warp. The storage of `out` is used again.
  void take(uint32_t rank, uint32_t warp, bool stands, isa::WarpTrace& out);
  // What is kept of what warps have done and nobody has taken: storage, in bytes.
  uint64_t kept_bytes() const;
  // Instructions of a warp that have not been taken.
  uint64_t untaken(uint32_t rank, uint32_t warp) const { return traces_[place(rank, warp)].instructions; }
  // Barriers that warps come to are noted, for take_barrier().
  void note_barriers() { barriers_.resize(traces_.size()); }
  // The first of the warp's that has not been taken; nothing: there is none.
  std::optional<isa::BarrierOp> take_barrier(uint32_t rank, uint32_t warp);

  void arrived(const exec::Block& block, uint32_t warp, uint32_t number, uint32_t threads) override;

 protected:
  size_t place(uint32_t rank, uint32_t warp) const { return size_t{rank} * warps_of_block_ + warp; }
  size_t places() const { return traces_.size(); }
  isa::WarpTrace& trace(size_t place) { return traces_[place]; }
  // What is not told yet is put into the trace, whatever comes behind it.
  virtual void flush(size_t /*place*/) {}

 private:
  const uint32_t warps_of_block_;
  std::vector<isa::WarpTrace> traces_;
  std::vector<std::deque<isa::BarrierOp>> barriers_;
};

// For the blocks of a cluster, so many with so many warps each.
using MakeRecorder = std::function<std::unique_ptr<Recorder>(uint32_t blocks, uint32_t warps)>;

uint64_t storage_bytes(const isa::WarpTrace& t);

// Puts an instance of the instruction number `instr` behind the others.
void add_run(isa::WarpTrace& t, uint32_t instr, uint32_t mask);

// Lanes' addresses, their values put into `t` where they need it.
isa::MemRef reference(isa::WarpTrace& t, uint32_t mask, const exec::Register& address);

// The operands of an instruction on barrier objects as the machine has them (tools/tracer/OPERANDS.md).
isa::MemRef reference(isa::WarpTrace& t, uint32_t mask, exec::BarrierObjectOp::Kind kind,
                      const exec::Register& object, const exec::Register& operand);

// Of an instruction on tensor memory.
isa::MemRef reference(isa::WarpTrace& t, const exec::TensorMemoryOp& op, const exec::TensorUse& use);

// Of a bulk or tensor copy.
isa::MemRef reference(isa::WarpTrace& t, const exec::Transfer& transfer);

}  // namespace heddle::executed
