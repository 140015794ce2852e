#include "frontends/executed/vain.h"

#include <fmt/format.h>

namespace heddle::executed {
namespace {

constexpr uint64_t kVainCycles = 2'000'000;  // and for so long

}  // namespace

exec::WaitsInVain waits_in_vain(const exec::Code& code, const std::string& blocks, const std::string& waits) {
  return exec::WaitsInVain(
      fmt::format("{}: kernel {}: all {} that have begun wait in loops for something that does not come; {}",
                  code.file, code.kernel, blocks, waits));
}

void Vain::note(bool fruitful, const exec::Block& block, uint64_t cycle) {
  if (fruitful) {
    turns_ = 0;
    since_ = cycle;
  } else if (++turns_ > kVainTurns && cycle > since_ + kVainCycles) {
    const isa::Dim3 at = block.index();
    throw waits_in_vain(*block.launch().code, "blocks",
                        fmt::format("block ({}, {}, {}): {}", at.x, at.y, at.z, block.waits()));
  }
}

}  // namespace heddle::executed
