#include "sim/exec/warp/core.h"

#include <fmt/format.h>

#include <span>
#include <string_view>

#include "sim/base/fnv.h"
#include "sim/engine/archive.h"
#include "sim/exec/block.h"

namespace heddle::exec {

void WarpCore::refuse(const Group& g, const Access& a, const Refused& r) {
  constexpr const char* kKinds[] = {"load", "store", "atomic operation"};
  const uint64_t bytes = uint64_t{a.op->bytes} * a.op->elements;
  fail(g.pc, r.lane,
       refusal(spaces(), kKinds[static_cast<int>(a.op->kind)], a.address[r.lane], bytes, bytes, r),
       r.why == Refusal::kMisaligned ? FaultKind::kMisaligned : FaultKind::kAddress);
}

uint64_t WarpCore::hash() const {
  Archive ar;
  for (const Group& g : groups) {
    Group same = g;  // but for what only counts
    same.turn = same.born = 0;
    same.yields = 0;
    ar(same);
  }
  auto& w = const_cast<WarpCore&>(*this);  // an archive that writes changes nothing
  ar(w.joins, w.warp_registers, w.registers, w.local, w.stack);
  const std::vector<uint8_t> bytes = ar.take();
  const auto text = [](std::span<const uint8_t> b) {
    return std::string_view(reinterpret_cast<const char*>(b.data()), b.size());
  };
  Fnv hash;
  hash.add(text(bytes));
  if (block != nullptr) {
    hash.add(text(block->shared()));
  }
  return hash.value();
}

void WarpCore::fail(uint32_t pc, uint32_t lane, const std::string& what, FaultKind kind) const {
  const uint32_t thread = index * kLanes + lane;
  throw ThreadFault(
      kind, fmt::format("{}: {}; kernel {}, thread ({}, {}, {}) of block ({}, {}, {})", code.place(pc), what,
                        code.kernel, thread % block_size.x, thread / block_size.x % block_size.y,
                        thread / block_size.x / block_size.y, block_at.x, block_at.y, block_at.z));
}

}  // namespace heddle::exec
