// A kernel as the machine sees it: static code and launch shape. What its blocks execute is isa/program.h.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/isa/atomic.h"
#include "sim/isa/instr.h"

namespace heddle::isa {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(x, y, z);
  }
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

// A tensor map as the driver encodes it; isa/tensor_map.h reads it.
using TensorMapBytes = std::array<uint8_t, 128>;
struct RecordedMap {
  uint64_t address = 0;  // generic, of the descriptor; 0: not known
  TensorMapBytes bytes{};
  bool assumed = false;  // not recorded, but put together from what was
};

// The 128 bits of an instruction.
struct Encoding {
  uint64_t low = 0, high = 0;
};

// Everything about a kernel that does not change from block to block.
struct KernelImage {
  std::string name;                 // mangled, as in the trace
  uint64_t id = 0;                  // launch number in the capture
  uint32_t compute_capability = 0;  // 90 for sm_90; 0 = unknown
  LaunchShape shape;
  std::vector<Instr> code;           // sorted by pc
  std::vector<std::string> opcodes;  // full opcode text, e.g. "LDG.E.128"; indexed by Instr::opcode
  std::vector<std::string> text;     // SASS line per instruction, parallel to `code`; may be empty
  std::vector<Encoding> encodings;   // parallel to `code`; empty: not all are known
  // Null where the trace has no line information. Some traces tell an instruction's line only where it is
  // executed: then it is complete behind the last block, in copies of the image too.
  std::shared_ptr<const SourceMap> source;
  bool has_control = false;  // every instruction carries control fields
  bool computed = false;     // by a program that computes, not replayed
  // And what bulk copies bring, and whether waits for barrier objects are over, the machine tells it; else it
  // does both itself when they issue, and the machine gives them their time.
  bool delivered = false;
  // Of a program that computes: what its atomics may be.
  std::vector<AtomicOp::Function> atomics;
  // The launch's parameters, as they lie in constant bank 0 from byte `parameter_base` on; empty: not
  // recorded.
  std::vector<uint8_t> parameters;
  uint32_t parameter_base = 0;
  // Tensor maps that its copies have used. A copy names one by its place here (isa/async_op.h), else it is
  // found by its descriptor's address, else among the parameters.
  std::vector<RecordedMap> tensor_maps;
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

}  // namespace heddle::isa
