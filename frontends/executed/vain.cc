#include "frontends/executed/vain.h"

#include <fmt/format.h>

#include "sim/exec/fault.h"

namespace heddle::executed {
namespace {

constexpr uint64_t kVainCycles = 2'000'000;  // and for so long

}  // namespace

void Vain::note(bool fruitful, const exec::Block& block, uint64_t cycle) {
  if (fruitful) {
    turns_ = 0;
    since_ = cycle;
  } else if (++turns_ > kVainTurns && cycle > since_ + kVainCycles) {
    const isa::Dim3 at = block.index();
    throw exec::WaitsInVain(*block.launch().code, "blocks",
                            fmt::format("block ({}, {}, {}): {}", at.x, at.y, at.z, block.waits()));
  }
}

}  // namespace heddle::executed
