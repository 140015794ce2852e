// What the warps of a cluster's blocks do, from the PTX instructions that they execute to runs of machine
// instructions.
#pragma once

#include <array>
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
  // `code`: what the kernel is executed as, `origins`: of its translation. `blocks` of a cluster, of so many
  // warps.
  BlockRecorder(const Kernel& kernel, const exec::Code& code, const std::vector<uint32_t>& origins,
                uint32_t blocks, uint32_t warps);

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
  void used_tensor_memory(const exec::Block& block, uint32_t warp, uint32_t pc, uint32_t lane,
                          const exec::TensorMemoryOp& op, const exec::TensorUse& use) override;

 private:
  // A reference, with its values among those of WarpState::values.
  struct Reference {
    isa::MemRef ref;
    size_t count = 0;
  };
  // What one warp has done of the block that it is in.
  struct Seen {
    uint32_t turn = 0;  // valid if it is the warp's
    uint32_t active = 0, mask = 0;
    Reference refs[2];
    bool has_refs = false;
    uint64_t base = 0, stride = 0;     // of a matrix
    std::vector<Reference> transfers;  // of one lane after the other
  };
  struct Turn {
    uint32_t number = 0;
    uint32_t active = 0;     // lanes that have come to the block
    std::vector<Seen> seen;  // by PTX instruction, of all parts
  };
  struct WarpState {
    isa::WarpTrace values;  // of references that are not told yet
    uint32_t block = kNone;
    uint32_t numbers = 0;  // of turns
    uint32_t exited = 0;
    size_t turns = 0;                // of a loop that are not told yet, with the one that goes on
    std::array<uint32_t, 32> stack;  // R1 of each lane
    std::vector<Turn> turn;
    Turn& now() { return turn[turns - 1]; }
  };

  // Of the blocks of all parts, one behind the other: of which part, and which of its blocks.
  struct PartBlock {
    const Part* part = nullptr;
    uint32_t index = 0;
    uint32_t seen = 0;  // where the part's instructions begin in Turn::seen
    // The block that does several turns of it, and how many; none: 1.
    uint32_t several = kNone, turns = 1;
  };
  // By instruction that is executed: kNone if nothing is told of it.
  struct Place {
    uint32_t block = kNone, seen = kNone;
    bool begins = false;  // a block
    bool stores = false;  // asynchronously
  };

  WarpState& state(const exec::Block& block, uint32_t warp) { return warps_[place(block.rank(), warp)]; }
  void find_places(const exec::Code& code, const std::vector<uint32_t>& origins);
  // What has been seen of the instruction, in the turn that goes on; null: nothing is told of it.
  Seen* seen(WarpState& w, uint32_t pc, uint32_t mask) const;
  void begin_turn(WarpState& w, uint32_t block);
  void flush(size_t place) override { flush(warps_[place]); }
  void flush(WarpState& w);
  // As `block` of the part: the one itself, of which it is a turn, or the one that does all turns at once.
  void tell(WarpState& w, const PartBlock& of, uint32_t block, size_t turn);
  // `mask`: the lanes.
  void references(WarpState& w, const Machine& m, const isa::Instr& in, const Seen& s, uint32_t mask);
  isa::WarpTrace& trace_of(const WarpState& w) { return trace(static_cast<size_t>(&w - warps_.data())); }
  // make(values): a reference whose values it puts there.
  template <class F>
  static Reference seen_reference(WarpState& w, F make) {
    const size_t before = w.values.values.size();
    const isa::MemRef r = make(w.values);
    return {r, w.values.values.size() - before};
  }
  void tell(WarpState& w, const Reference& r);

  const Kernel& kernel_;
  std::vector<PartBlock> blocks_;
  std::vector<Place> places_;
  std::vector<WarpState> warps_;
};

}  // namespace heddle::ptx::lower
