#include <cstddef>

#include "sim/exec/handlers/handlers.h"

namespace heddle::exec {
namespace {

constexpr std::array<Handler, kKinds> table() {
  std::array<Handler, kKinds> out{};
  const auto set = [&](Kind k, Handler h) { out[static_cast<size_t>(k)] = h; };
  set(Kind::kBranch, branch);
  set(Kind::kBranchIndex, branch_index);
  set(Kind::kCall, call);
  set(Kind::kReturn, exit_or_return);
  set(Kind::kExit, exit_or_return);
  set(Kind::kTrap, trap);
  set(Kind::kMemory, memory);
  set(Kind::kMatrix, execute_matrix);
  set(Kind::kSync, sync);
  set(Kind::kBarrier, barrier);
  set(Kind::kActivemask, active_mask);
  set(Kind::kFence, fence);
  set(Kind::kClock, clock);
  set(Kind::kLocalAddress, local_address);
  set(Kind::kAlloca, take_stack);
  set(Kind::kSleep, sleep);
  set(Kind::kClusterBarrier, cluster_barrier);
  set(Kind::kBarrierObject, barrier_object);
  set(Kind::kTransfer, transfer);
  set(Kind::kMapField, map_field);
  set(Kind::kTexture, execute_texture);
  set(Kind::kTensorMemory, tensor_memory);
  set(Kind::kBarrierSet, set_meeting_barrier);
  set(Kind::kConverge, converge);
  set(Kind::kBreak, leave_meeting_barrier);
  return out;
}

constexpr bool complete(const std::array<Handler, kKinds>& all) {
  for (size_t k = 0; k < all.size(); ++k) {
    if ((all[k] == nullptr) != (static_cast<Kind>(k) == Kind::kCompute)) {
      return false;
    }
  }
  return true;
}
static_assert(complete(table()), "each Kind but kCompute has a handler");

}  // namespace

constexpr std::array<Handler, kKinds> kHandlers = table();

}  // namespace heddle::exec
