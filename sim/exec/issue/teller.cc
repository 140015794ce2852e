#include "sim/exec/issue/teller.h"

#include <bit>

namespace heddle::executed {
namespace {

// R1 of a kernel, in a lane's local memory: above what its variables need, far enough for deep recursion.
constexpr uint32_t kStackTop = 1U << 20;

}  // namespace

Teller::Teller(const Tellings* all) : all_(all) {
  if (all_ != nullptr) {
    kept_.resize(all_->kept);
    stack_.fill(kStackTop);
  }
}

uint32_t Teller::begin(const isa::Instr& in, uint32_t pc, uint32_t active, uint32_t mask) {
  if (all_ == nullptr) {
    // A branch that has no guard is executed by all, whether they go there or not.
    return (in.flags & isa::kFlagPredicated) == 0 ? active : mask;
  }
  now_ = all_->of[pc];
  const uint32_t lanes = now_.first_lane ? mask & -mask : mask;
  if (now_.stack_step != 0) {
    for (uint32_t m = lanes; m != 0; m &= m - 1) {
      stack_[static_cast<size_t>(std::countr_zero(m))] += static_cast<uint32_t>(now_.stack_step);
    }
  }
  return lanes;
}

exec::Register Teller::places() const {
  if (now_.places == Telling::Places::kKept) {
    return now_.kept != kNothing ? kept_[now_.kept] : exec::Register{};
  }
  exec::Register at{};
  for (uint32_t lane = 0; lane < exec::kLanes; ++lane) {
    if (now_.places == Telling::Places::kStack) {
      at[lane] = stack_[lane] + static_cast<uint64_t>(now_.stack_offset);
    } else {
      const TileLanes& tile = all_->tiles[now_.tile];
      const exec::Register& matrix = kept_[now_.kept];
      at[lane] = matrix[0] + tile.row[lane] * matrix[1] + tile.bytes[lane];
    }
  }
  return at;
}

void Teller::keep(const exec::Register& addresses, uint32_t mask) {
  if (now_.kept == kNothing || knows()) {
    return;
  }
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(mask));
    kept_[now_.kept][lane] = addresses[lane];
  }
}

bool Teller::keep_matrix(uint64_t base, uint64_t stride) {
  if (now_.kept == kNothing) {
    return false;
  }
  kept_[now_.kept][0] = base;
  kept_[now_.kept][1] = stride;
  return now_.places == Telling::Places::kMatrix;
}

}  // namespace heddle::executed
