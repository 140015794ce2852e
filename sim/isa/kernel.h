// A kernel as the machine sees it: static code and launch shape, plus the dynamic instruction streams of its
// blocks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/isa/instr.h"

namespace heddle::isa {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

struct LaunchShape {
  Dim3 grid, block, cluster;
  uint32_t registers_per_thread = 0;  // as the compiler reports them, before allocation rounding
  uint32_t static_shared_bytes = 0;
  uint32_t dynamic_shared_bytes = 0;
  uint32_t local_bytes_per_thread = 0;
  int32_t carveout_percent = -1;  // cudaFuncAttributePreferredSharedMemoryCarveout; -1 = driver's choice
  bool cooperative = false;
  uint64_t shared_base = 0;  // generic-address window of shared memory; 0 = unknown
  uint64_t local_base = 0;   // generic-address window of local memory; 0 = unknown
  uint64_t stream = 0;

  uint32_t shared_bytes() const { return static_shared_bytes + dynamic_shared_bytes; }
  uint32_t threads() const { return static_cast<uint32_t>(block.count()); }
  uint32_t warps() const { return (threads() + 31) / 32; }
};

// A line of the program's source; 0: not known.
struct SourceLine {
  uint32_t file = 0;  // index into SourceMap::files
  uint32_t line = 0;
  bool operator==(const SourceLine&) const = default;
};
struct SourceMap {
  std::vector<SourceLine> lines;          // parallel to KernelImage::code
  std::vector<std::string> files = {""};  // the first is the one without a name

  // Index of the file, added if it is new.
  uint32_t file(std::string_view name);
};

// "saxpy.cu:12", the file without its folders; "line 12" when no file is named; empty when the line is 0.
std::string source_text(std::string_view file, uint32_t line);

// Everything about a kernel that does not change from block to block.
struct KernelImage {
  std::string name;                 // mangled, as in the trace
  uint64_t id = 0;                  // launch number in the capture
  uint32_t compute_capability = 0;  // 90 for sm_90; 0 = unknown
  LaunchShape shape;
  std::vector<Instr> code;           // sorted by pc
  std::vector<std::string> opcodes;  // full opcode text, e.g. "LDG.E.128"; indexed by Instr::opcode
  std::vector<std::string> text;     // SASS line per instruction, parallel to `code`; may be empty
  // Null where the trace has no line information. Some traces tell an instruction's line only where it is
  // executed: then it is complete behind the last block, in copies of the image too.
  std::shared_ptr<const SourceMap> source;
  bool has_control = false;                         // every instruction carries control fields
  std::map<std::string, uint64_t> unknown_opcodes;  // text -> static occurrences

  // Of the n-th instruction; line 0 when nothing is known.
  SourceLine source_line(size_t n) const {
    return source && n < source->lines.size() ? source->lines[n] : SourceLine{};
  }
  std::string source_text(size_t n) const;  // the same as text

  // Index into `code`, or -1 when no instruction lies at `pc`.
  int64_t index_of(uint32_t pc) const {
    size_t lo = 0, hi = code.size();
    while (lo < hi) {
      size_t mid = (lo + hi) / 2;
      (code[mid].pc < pc ? lo = mid + 1 : hi = mid);
    }
    return lo < code.size() && code[lo].pc == pc ? static_cast<int64_t>(lo) : -1;
  }
};

// ---- dynamic side
// -------------------------------------------------------------------------------------------------

// A run of consecutive static instructions executed with one active mask.
struct Run {
  uint32_t first;  // index into KernelImage::code
  uint32_t count;  // instructions first, first+1, ..., first+count-1
  uint32_t mask;   // active AND predicate; 0 for predicated-off instructions (they still take an issue slot)
};

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
  // LDGSTS has two references, global addresses first, then shared ones. SYNCS has one, kStride or kFull, and
  // `count` > 0 data operands, one per set lane: at values[list + k], or, for kFull, at values[list + count +
  // k].
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
  uint64_t instructions = 0;  // sum of run counts

  void clear() {
    runs.clear();
    refs.clear();
    deltas.clear();
    values.clear();
    instructions = 0;
  }
};

struct BlockTrace {
  Dim3 index;           // blockIdx as recorded
  uint64_t linear = 0;  // position in launch order
  std::vector<WarpTrace> warps;
};

// Produces the blocks of one kernel in launch order, one at a time; memory is bounded by what the caller
// keeps.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  virtual const KernelImage& image() const = 0;
  // Fills `out` (reusing its storage) with the next block. False when all blocks of the grid were produced.
  // Throws heddle::Error (sim/engine/error.h) on malformed input.
  virtual bool next(BlockTrace& out) = 0;
  // The same for those who need only the runs: sources that save time by it leave out the memory references,
  // and do not look at their text.
  virtual bool next_runs(BlockTrace& out) { return next(out); }
  // Before the first block, for those who need only the references of some instructions: `wanted` is parallel
  // to the code. Sources that save time by it leave the others' kNone, and do not look at their text.
  virtual void want_refs_of(const std::vector<bool>& wanted) {}
};

// What a block executes.
struct BlockWork {
  uint64_t instructions = 0;    // warp instructions
  uint64_t thread_pred_on = 0;  // thread instructions with a true predicate
  BlockWork& operator+=(const BlockWork& o) {
    instructions += o.instructions;
    thread_pred_on += o.thread_pred_on;
    return *this;
  }
};
BlockWork work_of(const BlockTrace& block);

// Writes the addresses of the set lanes of `mask` to addr[lane] for lanes in the mask. Returns false when the
// reference records no addresses (kNone, kValues).
bool expand(const WarpTrace& w, const MemRef& r, uint32_t mask, uint64_t addr[32]);

}  // namespace heddle::isa
