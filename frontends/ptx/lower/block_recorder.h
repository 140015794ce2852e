// What the warps of a cluster's blocks do, from the PTX instructions that they execute to runs of machine
// instructions.
#pragma once

#include <cstdint>
#include <vector>

#include "frontends/executed/recorder.h"
#include "frontends/ptx/lower/lower.h"
#include "sim/exec/block.h"
#include "sim/exec/observer.h"
#include "sim/isa/recording.h"

namespace heddle::ptx::lower {

class BlockRecorder final : public executed::Recorder {
 public:
  // `blocks` of a cluster, of so many warps.
  BlockRecorder(const Kernel& kernel, const std::vector<uint32_t>& origins, uint32_t blocks, uint32_t warps);

  void executed(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t active,
                uint32_t mask) override;
  void accessed(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t mask,
                const exec::Register& address, const exec::Register* to) override;
  void accessed_matrix(const exec::Block& block, uint32_t warp, uint32_t pc, uint64_t base,
                       uint64_t stride) override;
  void synchronised(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t mask,
                    exec::BarrierObjectOp::Kind kind, const exec::Register& object,
                    const exec::Register& operand) override;
  void transferred(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t lane,
                   const exec::Transfer& t) override;
  // The block of that rank has ended.
  std::vector<isa::WarpTrace> finish(uint32_t rank) override;

 private:
  // What one warp has done of the block that it is in.
  struct Seen {
    uint32_t turn = 0;  // valid if it is the warp's
    uint32_t active = 0, mask = 0;
    isa::MemRef refs[2];
    bool has_refs = false;
    uint64_t base = 0, stride = 0;       // of a matrix
    std::vector<isa::MemRef> transfers;  // of one lane after the other
  };
  struct Turn {
    uint32_t number = 0;
    uint32_t active = 0;     // lanes that have come to the block
    std::vector<Seen> seen;  // by PTX instruction
  };
  struct WarpState {
    isa::WarpTrace trace;
    uint32_t block = kNone;
    uint32_t numbers = 0;  // of turns
    uint32_t exited = 0;
    size_t turns = 0;  // of a loop that are not told yet, with the one that goes on
    std::vector<Turn> turn;
    Turn& now() { return turn[turns - 1]; }
  };

  WarpState& state(const exec::Block& block, uint32_t warp) {
    return warps_[block.rank() * warps_of_block_ + warp];
  }
  // What has been seen of the instruction, in the turn that goes on; null: nothing is told of it.
  Seen* seen(WarpState& w, uint32_t pc, uint32_t mask) const;
  void begin_turn(WarpState& w, uint32_t block);
  void flush(WarpState& w) const;
  // `several`: all turns at once, else the one.
  void tell(WarpState& w, uint32_t block, bool several, size_t turn) const;
  void references(WarpState& w, const Machine& m, const isa::Instr& in, const Seen& s) const;

  const Kernel& kernel_;
  const std::vector<uint32_t>& origins_;
  const uint32_t warps_of_block_;
  // By block of the lowered kernel: the block that does several turns of it, and how many; none: 1.
  std::vector<uint32_t> several_, turns_;
  std::vector<WarpState> warps_;
};

}  // namespace heddle::ptx::lower
