#include "frontends/executed/vain.h"

#include <fmt/format.h>

#include "sim/exec/fault.h"

namespace heddle::executed {
namespace {

// An error: in so many turns, and for so long, all warps only looked for something.
constexpr uint64_t kVainTurns = 20000;
constexpr uint64_t kVainCycles = 2'000'000;

}  // namespace

void Vain::note(bool fruitful, const exec::Block& block, uint64_t cycle) {
  if (fruitful) {
    turns_ = 0;
    since_ = cycle;
  } else if (++turns_ > kVainTurns && cycle > since_ + kVainCycles) {
    const exec::Code& code = *block.launch().code;
    throw exec::WaitsInVain(fmt::format(
        "{}: kernel {}: all blocks that have begun wait in loops for something that does not "
        "come; block ({}, {}, {}): {}",
        code.file, code.kernel, block.index().x, block.index().y, block.index().z, block.waits()));
  }
}

}  // namespace heddle::executed
