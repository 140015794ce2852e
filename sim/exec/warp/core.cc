#include "sim/exec/warp/core.h"

#include <fmt/format.h>

namespace heddle::exec {

void WarpCore::refuse(const Group& g, const Access& a, const Refused& r) {
  constexpr const char* kKinds[] = {"load", "store", "atomic operation"};
  const uint64_t bytes = uint64_t{a.op->bytes} * a.op->elements;
  fail(g.pc, r.lane,
       refusal(spaces(), kKinds[static_cast<int>(a.op->kind)], a.address[r.lane], bytes, bytes, r),
       r.why == Refusal::kMisaligned ? FaultKind::kMisaligned : FaultKind::kAddress);
}

void WarpCore::fail(uint32_t pc, uint32_t lane, const std::string& what, FaultKind kind) const {
  const uint32_t thread = index * kLanes + lane;
  throw ThreadFault(
      kind, fmt::format("{}: {}; kernel {}, thread ({}, {}, {}) of block ({}, {}, {})", code.place(pc), what,
                        code.kernel, thread % block_size.x, thread / block_size.x % block_size.y,
                        thread / block_size.x / block_size.y, block_at.x, block_at.y, block_at.z));
}

}  // namespace heddle::exec
