// What is saved of an SM's warps and blocks, and of what all its units share.
#include <optional>
#include <span>

#include "sim/base/error.h"
#include "sim/engine/archive.h"
#include "sim/sm/state/sm_state.h"

namespace heddle::sm {

void WarpStream::serialize(Archive& ar, isa::WarpProgram& program, const TimedKernel& kernel) {
  const std::optional<std::span<const isa::Run>> runs = program.serialize(ar);
  if (!runs) {
    throw Error(
        "a warp with loops that wait for others cannot be saved (legal: recordings without them, code that "
        "is executed when it issues)");
  }
  auto left = static_cast<uint64_t>(end_ - run_);
  ar(left, pos_);
  if (ar.reading()) {
    ar.check(left <= runs->size(), "more instructions than the warp has");
    program_ = &program;
    kernel_ = &kernel;
    end_ = runs->data() + runs->size();
    run_ = end_ - left;
    ar.check(left == 0 ? pos_ == 0 : pos_ < run_->count, "an instruction that the warp does not have");
  }
}

void SmState::serialize(Archive& ar, const TimedKernel& kernel, std::span<isa::BlockProgram* const> blocks) {
  ar.mark("blocks of an SM");
  for (uint32_t i = 0; i < blocks_.size(); ++i) {
    BlockSlot& b = blocks_[i];
    ar(b);
    if (ar.reading()) {
      ar.check(!b.active || blocks[i], "a block that the launch does not have");
      b.program = b.active ? blocks[i] : nullptr;
      b.kernel = &kernel;
    }
  }
  ar.mark("warps of an SM");
  places_used_ = ar.reading() ? warps() : places_used_;
  for (Warp& w : warps_) {
    ar(w);
    serialize_pointer(ar, w.next, kernel);
    if (w.active) {
      ar.check(w.block < blocks_.size() && blocks_[w.block].active, "a warp without a block");
      isa::BlockProgram& program = *blocks_[w.block].program;
      ar.check(w.index < program.warps(), "a warp that its block does not have");
      w.stream.serialize(ar, program.warp(w.index), kernel);
    }
  }
  ar.mark("state of an SM");
  ar.elements(active_mask_);
  ar.elements(profile_);
  ar(counters_, residencies_, events_, scoreboards_, outbox_, port_, openings_, resident_, now_,
     active_since_, active_cycles_, last_activity_);
  payloads_.serialize(ar, kernel.image->atomics);
}

}  // namespace heddle::sm
