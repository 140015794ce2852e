// A kernel's static instructions bound to one configuration: what the issue stage needs, packed for the hot
// loop. Built once per launch and shared, read-only, by all SMs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/isa/kernel.h"

namespace heddle::sm {

// What the SM does with an instruction when it issues.
enum class Handler : uint8_t {
  kFixed,   // executes in a pipe of the sub-core; result after `latency`
  kMemory,  // goes through the LG or MIO queue to the SM's LSU
  kNop,
  kExit,
  kBarrier,
  kDepbar,
  kLdgdepbar,
  kMembar,
  kNanosleep,
  kClusterBarrier,
  kMbarrier,
  kBulkCopy,
  kGmma,
  kWarpgroupArrive,
  kWarpgroupDepbar,
  kTensorMemory,
};
inline constexpr size_t kHandlers = static_cast<size_t>(Handler::kTensorMemory) + 1;

// Where an instruction waits for room: a pipe, or one of the two queues to the LSU. Ports 0..kPipeCount-1 are
// pipes. Texture instructions share the LG queue; their wait for it has a name of its own.
inline constexpr uint8_t kPortMio = static_cast<uint8_t>(isa::kPipeCount);
inline constexpr uint8_t kPortLg = kPortMio + 1;
inline constexpr uint8_t kPortTex = kPortLg + 1;
inline constexpr int kPortCount = kPortTex + 1;
inline bool uses_lg_queue(uint8_t port) { return port == kPortLg || port == kPortTex; }

// A pipe's queue (spec::PipeTiming).
inline constexpr uint32_t kMaxPipeQueue = 16;

inline constexpr uint8_t kNoBarrier = 7;
inline constexpr uint32_t kNoConstant = ~0u;
inline constexpr int kMaxReads = 3;  // GPR source operands with a read port of their own

enum TimedFlag : uint8_t {
  kFixedLatencyConstant = 2,  // waits for its immediate constant before it issues
  kUnknownOp = 4,
  kFmaEither = 8,       // may use either half of the FMA pipe
  kCountsAsHalf = 16,   // packed half arithmetic on the FMA pipe
  kPassesBarrier = 32,  // may issue while its warp waits at BAR.SYNC.DEFER_BLOCKING
  kPairs = 64,          // the next one in the code may issue in the same cycle
  kYields = 128,        // its warp goes behind others
};

struct RegisterRead {
  uint8_t reg;
  uint8_t slot;
  bool reuse;
  bool again;  // an earlier source of the instruction is the same register
};

struct TimedInstr {
  Handler handler = Handler::kNop;
  uint8_t port = 0;  // kPort*; the pipe's number for everything but queued memory instructions
  isa::Pipe pipe = isa::Pipe::kNone;
  isa::Pipe counted = isa::Pipe::kNone;  // pipe whose counter has it
  uint8_t stall = 1;                     // cycles to the warp's next issue; already decoded (stall 0, yield)
  uint8_t wait_mask = 0;
  uint8_t write_barrier = kNoBarrier;
  uint8_t read_barrier = kNoBarrier;
  uint8_t flags = 0;
  uint16_t interval = 1;            // cycles the pipe is busy
  uint16_t latency = 0;             // issue to result
  uint32_t line = 0;                // instruction-cache line
  uint32_t constant = kNoConstant;  // dense number of the constant-cache line it reads
  uint16_t gmma_wavefronts = 0;     // operands that a warp group reads from shared memory
  uint16_t gmma_work = 1;           // cycles of the array's for it alone,
  uint16_t gmma_steps = 1;          // in so many steps
  bool gmma_a_in_registers = false;
  uint8_t n_reads = 0;
  std::array<RegisterRead, kMaxReads> reads{};
  bool hands_out = false;        // its program hands out operands when it issues with a mask that is not 0
  uint8_t source_registers = 0;  // 32-bit registers that a memory instruction reads
  uint8_t resume = 0;            // BSYNC, RET: least cycles to the warp's next issue
  isa::OpClass op = isa::OpClass::kUnknown;
  uint32_t index = 0;  // in the kernel's code, as events carry it
  const isa::Instr* instr = nullptr;
};

// What is in a line of constants: bank 0 comes with the launch, the block's and grid's shape below the
// parameters.
enum class ConstantLine : uint8_t { kOther, kShape, kParameter };

struct TimedKernel {
  std::vector<TimedInstr> code;  // parallel to KernelImage::code
  const isa::KernelImage* image = nullptr;
  bool control_bits = true;     // false: dependences by register scoreboard
  uint32_t first_line = 0;      // its instruction-cache lines are numbered from here on,
  uint32_t lines = 0;           // so many
  uint32_t first_constant = 0;  // and its constant-cache lines
  uint32_t constants = 0;
  std::vector<ConstantLine> constant_lines;  // of each of them
  uint64_t address_offset = 0;               // added to addresses of global and local memory
};

// A pointer to an instruction of the kernel, or null, is saved as its number.
template <class Archive>
void serialize_pointer(Archive& ar, const TimedInstr*& t, const TimedKernel& kernel) {
  uint32_t number = t ? t->index + 1 : 0;
  ar(number);
  ar.check(number <= kernel.code.size(), "an instruction that the kernel does not have");
  t = number ? &kernel.code[number - 1] : nullptr;
}

// Lines are numbered from 0.
TimedKernel bind(const isa::KernelImage& image, const spec::Sm& sm);
// Numbers its lines anew: kernels that are on the machine together have lines with different numbers.
void number_lines(TimedKernel& kernel, uint32_t first_line, uint32_t first_constant);

}  // namespace heddle::sm
