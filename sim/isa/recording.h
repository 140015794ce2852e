// What a kernel's blocks executed, as it was recorded: the dynamic instruction streams that frontends read
// from traces. isa/recorded_program.h makes programs of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "sim/isa/kernel.h"
#include "sim/isa/program.h"

namespace heddle::isa {

// The addresses (or operand values) of one dynamic memory instruction.
struct MemRef {
  enum class Kind : uint8_t {
    kNone,    // not recorded
    kStride,  // k-th set lane: base + k * stride
    kDelta,   // first set lane: base; k-th further set lane: base + WarpTrace::deltas[list + k - 1]
    kFull,    // k-th set lane: WarpTrace::values[list + k]
    kValues,  // not addresses: `count` raw values at WarpTrace::values[list]: uniform registers of TMA, bulk
              // copies and GMMA
  };
  // LDGSTS has two references, global addresses first, then shared ones. SYNCS, STAS and REDAS have one,
  // kStride or kFull, and `count` > 0 data operands (of the latter two the addresses of their barrier
  // objects), one per set lane: at values[list + k], or, for kFull, at values[list + count + k].
  uint64_t base = 0;
  int32_t stride = 0;
  uint32_t list = 0;
  Kind kind = Kind::kNone;
  uint8_t count = 0;
};

// One warp's complete stream. Every dynamic instance of an instruction with Instr::mem_refs = n and a
// non-zero mask has n consecutive entries in `refs`, in stream order; an instance with mask 0 has none.
struct WarpTrace {
  uint32_t warp = 0;  // index within the block
  std::vector<Run> runs;
  std::vector<MemRef> refs;
  std::vector<int32_t> deltas;  // relative to MemRef::base
  std::vector<uint64_t> values;
  // The operands of each named barrier with some of them in a register (isa::in_register), executed with a
  // mask that is not 0, in stream order, where all of them are known; else empty.
  std::vector<BarrierOp> barriers;
  uint64_t instructions = 0;  // sum of run counts

  void clear() {
    runs.clear();
    refs.clear();
    deltas.clear();
    values.clear();
    barriers.clear();
    instructions = 0;
  }
};

struct BlockTrace {
  Dim3 index;           // blockIdx as recorded
  uint64_t linear = 0;  // position in launch order
  std::vector<WarpTrace> warps;
};

// Calls f(i) once for every i in [0, n), on several threads.
using ParallelFor = std::function<void(uint32_t n, const std::function<void(uint32_t)>& f)>;

// Produces the blocks of one kernel in launch order, one at a time; memory is bounded by what the caller
// keeps.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  virtual const KernelImage& image() const = 0;
  // Fills `out` (reusing its storage) with the next block. False when all blocks of the grid were produced.
  // Throws heddle::Error (sim/base/error.h) on malformed input.
  virtual bool next(BlockTrace& out) = 0;
  // The next blocks, some or all of `out`, in order; where a source can, on several threads. Returns how
  // many; 0 where next() says false. What next() would throw for one of them comes when it is asked for
  // first. Who asks for blocks like this does not call next() any more.
  virtual size_t next_batch(std::span<BlockTrace> out, const ParallelFor& parallel) {
    return next(out.front()) ? 1 : 0;
  }
  // The same for those who need only the runs: sources that save time by it leave out the memory references,
  // and do not look at their text.
  virtual bool next_runs(BlockTrace& out) { return next(out); }
  // Begins again before the first block. False: this source cannot.
  virtual bool start_over() { return false; }
  // Instead of next(): the same kernel as a program whose values are decided while it is simulated, where the
  // source can and it makes a difference; else null. The source outlives it.
  virtual std::unique_ptr<GridProgram> program(const Device& /*device*/) { return nullptr; }
  // Before the first block, for those who need only the references of some instructions: `wanted` is parallel
  // to the code. Sources that save time by it leave the others' kNone, and do not look at their text.
  virtual void want_refs_of(const std::vector<bool>& wanted) {}
};

BlockWork work_of(const WarpTrace& w);
BlockWork work_of(const BlockTrace& block);

// kNone when the reference records no addresses.
LaneAddresses addresses(const WarpTrace& w, const MemRef& r);
inline bool expand(const WarpTrace& w, const MemRef& r, uint32_t mask, uint64_t addr[32]) {
  return expand(addresses(w, r), mask, addr);
}

}  // namespace heddle::isa
