// Who looks on while warps execute: tracing, timing.
#pragma once

#include <cstdint>

#include "sim/exec/async/ops.h"
#include "sim/exec/tensor_memory/ops.h"
#include "sim/exec/warp_fn.h"

namespace heddle::exec {

class Block;
struct Transfer;  // async/transfer.h

// Of synchronised(): a bit of a wait's operand, that it did not wait and its phase is not complete.
inline constexpr uint64_t kInVain = 2;

// Called by the thread that runs the block, in the order in which its warps execute.
class Observer {
 public:
  virtual ~Observer() = default;
  // An instruction that counts (Inst::counted), before it does anything. `active`: the lanes that come to it;
  // `mask`: those whose guard holds.
  virtual void executed(const Block& block, uint32_t warp, uint32_t pc, uint32_t active, uint32_t mask) = 0;
  // Addresses of a memory instruction, by lane; of a copy also where to, in shared memory; of an asynchronous
  // store its barrier object's.
  virtual void accessed(const Block& block, uint32_t warp, uint32_t pc, uint32_t mask,
                        const Register& address, const Register* to) = 0;
  // wmma: where the matrix begins, and bytes from one row in memory to the next.
  virtual void accessed_matrix(const Block& block, uint32_t warp, uint32_t pc, uint64_t base,
                               uint64_t stride) = 0;
  // An instruction on barrier objects. `object`: offset in shared memory and, from bit 24 on, the block's
  // rank; `operand`: arrivals, bytes, of a wait the parity of the phase it waits for, and kInVain.
  virtual void synchronised(const Block& block, uint32_t warp, uint32_t pc, uint32_t mask,
                            BarrierObjectOp::Kind kind, const Register& object, const Register& operand) = 0;
  // A warp, or some of its lanes, has come to a barrier. `threads`: that it is for; 0: all of the block.
  virtual void arrived(const Block& block, uint32_t warp, uint32_t number, uint32_t threads) = 0;
  // A bulk or tensor copy that a lane has started.
  virtual void transferred(const Block& block, uint32_t warp, uint32_t pc, uint32_t lane,
                           const Transfer& t) = 0;
  // An instruction on tensor memory that a lane has executed, or the warp (`lane` 0).
  virtual void used_tensor_memory(const Block& block, uint32_t warp, uint32_t pc, uint32_t lane,
                                  const TensorMemoryOp& op, const TensorUse& use) = 0;
};

}  // namespace heddle::exec
