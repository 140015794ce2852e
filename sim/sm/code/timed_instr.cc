#include "sim/sm/code/timed_instr.h"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <map>
#include <optional>

#include "sim/base/error.h"
#include "sim/sm/code/code_lines.h"

namespace heddle::sm {
namespace {

using isa::OpClass;
using isa::Pipe;

struct OpEntry {
  Pipe pipe = Pipe::kNone;
  Pipe counted = Pipe::kNone;
  bool either_fma = false;
  uint16_t latency = 0;
  uint16_t interval = 1;
  uint8_t extra_stall = 0;
};

std::array<OpEntry, isa::kOpClassCount> op_table(const spec::Sm& sm) {
  std::array<uint16_t, isa::kPipeCount> pipe_interval;
  pipe_interval.fill(1);
  for (const spec::PipeTiming& p : sm.pipe()) {
    std::optional<Pipe> pipe = isa::pipe_from_name(p.pipe());
    if (!pipe) {
      throw Error("sm.pipe[" + p.pipe() + "]: no such pipe");
    }
    pipe_interval[static_cast<int>(*pipe)] = static_cast<uint16_t>(p.interval());
  }
  // The virtual pipe "fma" is a choice between two halves of one speed.
  pipe_interval[static_cast<int>(Pipe::kFma)] = pipe_interval[static_cast<int>(Pipe::kFmaHeavy)];
  std::array<OpEntry, isa::kOpClassCount> table;
  std::bitset<isa::kOpClassCount> given;
  for (const spec::OpTiming& o : sm.op()) {
    std::optional<OpClass> op = isa::op_class_from_name(o.op());
    std::optional<Pipe> pipe = isa::pipe_from_name(o.pipe());
    if (!op || !pipe) {
      throw Error("sm.op[" + o.op() + "]: no such " + (op ? "pipe " + o.pipe() : std::string("class")));
    }
    given.set(static_cast<size_t>(*op));
    OpEntry& e = table[static_cast<int>(*op)];
    e.pipe = e.counted = *pipe;
    if (o.has_counted_pipe()) {
      std::optional<Pipe> counted = isa::pipe_from_name(o.counted_pipe());
      if (!counted) {
        throw Error("sm.op[" + o.op() + "]: no such pipe " + o.counted_pipe());
      }
      e.counted = *counted;
    }
    e.either_fma = *pipe == Pipe::kFma;
    e.latency = static_cast<uint16_t>(o.latency());
    e.extra_stall = static_cast<uint8_t>(o.extra_stall());
    e.interval =
        static_cast<uint16_t>(o.has_interval() ? o.interval() : pipe_interval[static_cast<int>(*pipe)]);
  }
  if (!given[static_cast<size_t>(OpClass::kMufuExp)]) {
    table[static_cast<size_t>(OpClass::kMufuExp)] = table[static_cast<size_t>(OpClass::kMufu)];
  }
  // Two results of a lane for twice the time: as one in the half that is busy for two issues.
  if (!given[static_cast<size_t>(OpClass::kFp32x2)]) {
    OpEntry& pair = table[static_cast<size_t>(OpClass::kFp32x2)];
    pair = table[static_cast<size_t>(OpClass::kFp32)];
    if (pair.either_fma) {
      pair.either_fma = false;
      pair.pipe = pair.counted = Pipe::kFmaHeavy;
    } else {
      pair.interval = static_cast<uint16_t>(2 * pair.interval);
    }
  }
  return table;
}

Handler handler_of(OpClass op, Pipe pipe) {
  switch (op) {
    case OpClass::kNop:
    case OpClass::kErrbar:
      return Handler::kNop;
    case OpClass::kExit:
      return Handler::kExit;
    case OpClass::kBarrier:
      return Handler::kBarrier;
    case OpClass::kDepbar:
      return Handler::kDepbar;
    case OpClass::kLdgdepbar:
      return Handler::kLdgdepbar;
    case OpClass::kMembar:
      return Handler::kMembar;
    case OpClass::kNanosleep:
      return Handler::kNanosleep;
    case OpClass::kClusterBarrier:
    case OpClass::kClusterWait:
      return Handler::kClusterBarrier;
    case OpClass::kMbarrier:
      return Handler::kMbarrier;
    case OpClass::kBulkCopy:
      return Handler::kBulkCopy;
    case OpClass::kGmma:
      return Handler::kGmma;
    case OpClass::kWarpgroupArrive:
      return Handler::kWarpgroupArrive;
    case OpClass::kWarpgroupDepbar:
      return Handler::kWarpgroupDepbar;
    default:
      if (isa::uses_tensor_memory(op)) {
        return Handler::kTensorMemory;
      }
      return pipe == Pipe::kLsu || pipe == Pipe::kTex ? Handler::kMemory : Handler::kFixed;
  }
}

// Beyond the SM, or to the L1: such instructions wait in the LG queue (the others of the LSU in the MIO
// queue).
bool waits_in_lg_queue(OpClass op) {
  switch (op) {
    case OpClass::kLdGlobal:
    case OpClass::kStGlobal:
    case OpClass::kAtomGlobal:
    case OpClass::kRedGlobal:
    case OpClass::kLdLocal:
    case OpClass::kStLocal:
    case OpClass::kLdGeneric:
    case OpClass::kStGeneric:
    case OpClass::kAtomGeneric:
    case OpClass::kLdgsts:
    case OpClass::kCctl:
      return true;
    default:
      return false;
  }
}

// The queue of an instruction that goes through the LSU.
uint8_t lsu_port(OpClass op) {
  return op == OpClass::kTexture ? kPortTex : waits_in_lg_queue(op) ? kPortLg : kPortMio;
}

// A call is a taken branch; a jump to where a register says, RET above all, takes its class's latency and
// keeps the CBU busy (FINDINGS.md 43).
void call_timing(const isa::Instr& in, const OpEntry& branch, TimedInstr& t) {
  if (in.n_src == 0) {
    t.interval = branch.interval;
  } else {
    t.resume = static_cast<uint8_t>(std::min<uint32_t>(t.latency, UINT8_MAX));
  }
}

// Cycles in the tensor array, and result latency.
void tensor_timing(const isa::Instr& in, const spec::TensorCore& t, TimedInstr& out) {
  if (in.mma_work == 0) {
    return;
  }
  constexpr uint32_t kWideSum = 32;
  double products = static_cast<double>(in.mma_work) * std::max<uint32_t>(in.mma_bits, 1);
  if (in.op == OpClass::kHmma && in.mma_acc_bits == kWideSum) {
    products *= t.mma_f32_sum_factor();
  }
  double overhead = t.mma_overhead(), rate = t.mma_rate(), latency = t.mma_latency(),
         factor = t.mma_latency_factor();
  if (in.op == OpClass::kDmma) {
    overhead = t.dmma_overhead(), rate = t.dmma_rate(), latency = t.dmma_latency(),
    factor = t.dmma_latency_factor();
  } else if (in.op == OpClass::kGmma) {
    // A warp-group instruction's work is spread over the four warps that issue it.
    products /= 4;
    overhead = 0, rate = t.gmma_rate(), latency = t.gmma_latency(), factor = 1;
  }
  double busy = overhead + products / rate;
  if (in.op == OpClass::kGmma) {
    out.gmma_work = static_cast<uint16_t>(std::max(1.0, std::round(busy)));
    busy = std::max<double>(busy, t.gmma_min_interval());
  }
  out.interval = static_cast<uint16_t>(std::max(1.0, std::round(busy)));
  out.latency = static_cast<uint16_t>(std::round(latency + factor * products / rate));
}

// A row of an operand is K elements, 32 bytes whatever their type; A has 64 rows, B has N, eight of them a
// step.
void gmma_shape(const isa::Instr& in, TimedInstr& out) {
  constexpr uint32_t kRows = 64, kRowBits = 256, kRowsPerWavefront = 4, kRowsPerStep = 8;
  out.gmma_a_in_registers = std::any_of(in.src.begin(), in.src.begin() + in.n_src, [](const isa::Operand& o) {
    return o.file == isa::RegFile::kGpr && o.slot == 0;
  });
  const uint32_t n = in.mma_work * std::max<uint32_t>(in.mma_bits, 1) / (kRows * kRowBits);
  out.gmma_wavefronts =
      static_cast<uint16_t>((n + (out.gmma_a_in_registers ? 0 : kRows)) / kRowsPerWavefront);
  out.gmma_steps = static_cast<uint16_t>(std::clamp<uint32_t>(n / kRowsPerStep, 1, out.gmma_work));
}

// Cycles to the warp's next issue (tools/microbench/FINDINGS.md 1: the odd encodings).
uint8_t stall_cycles(const isa::Control& c, const spec::Issue& issue) {
  constexpr uint8_t kLongestPlain = 11;
  if (c.stall == 0) {
    return static_cast<uint8_t>(c.yield ? issue.stall_zero_cycles() : 2);
  }
  if (c.stall > kLongestPlain && !c.yield) {
    return 2;
  }
  return c.yield ? std::max<uint8_t>(c.stall, 2) : c.stall;
}

void operand_reads(const isa::Instr& in, TimedInstr& out) {
  for (int i = 0; i < in.n_src && out.n_reads < kMaxReads; ++i) {
    const isa::Operand& o = in.src[i];
    if (o.file == isa::RegFile::kGpr) {
      const auto end = out.reads.begin() + out.n_reads;
      const bool again =
          std::any_of(out.reads.begin(), end, [&o](const RegisterRead& r) { return r.reg == o.index; });
      *end = {o.index, o.slot, ((in.ctl.reuse >> o.slot) & 1) != 0, again};
      ++out.n_reads;
    }
  }
}

bool in_arithmetic_pipe(const TimedInstr& t) {
  return t.pipe == Pipe::kAlu || t.pipe == Pipe::kFma || t.pipe == Pipe::kFmaHeavy ||
         t.pipe == Pipe::kFmaLite || t.pipe == Pipe::kFp16;
}

// What may issue in the cycle of an instruction that leads a pair, and what leads one: as in the scheduler of
// the Maxwell assembler maxas (NervanaSystems, MaxAs.pm), whose control words the hardware obeys. They share
// no pipe.
bool leads_pair(const TimedInstr& t) {
  constexpr uint32_t kLongestInterval = 2;
  return t.handler == Handler::kFixed && in_arithmetic_pipe(t) && t.interval <= kLongestInterval;
}

bool follows_in_pair(const TimedInstr& t) {
  if (in_arithmetic_pipe(t)) {
    return false;
  }
  switch (t.op) {
    case OpClass::kMufu:
    case OpClass::kMufuExp:
    case OpClass::kConvert:
    case OpClass::kConvert64:
    case OpClass::kLdc:
      return true;
    case OpClass::kS2R:
    case OpClass::kS2RThread:
    case OpClass::kCctl:
      return false;
    default:
      return t.handler == Handler::kMemory;
  }
}

void mark_pairs(std::vector<TimedInstr>& code) {
  for (size_t i = 0; i + 1 < code.size(); ++i) {
    TimedInstr& t = code[i];
    const bool both_constant = (t.instr->flags & code[i + 1].instr->flags & isa::kFlagConstOperand) != 0;
    if (leads_pair(t) && follows_in_pair(code[i + 1]) && !both_constant) {
      t.flags |= kPairs;
    }
  }
}

uint8_t source_registers(const isa::Instr& in) {
  uint32_t n = 0;
  for (int i = 0; i < in.n_src; ++i) {
    n += in.src[i].file == isa::RegFile::kGpr ? in.src[i].count : 0;
  }
  return static_cast<uint8_t>(n);
}

}  // namespace

TimedKernel bind(const isa::KernelImage& image, const spec::Sm& sm) {
  TimedKernel k;
  k.image = &image;
  k.control_bits = image.has_control && sm.issue().dependences() == spec::Issue::CONTROL_BITS;
  std::array<OpEntry, isa::kOpClassCount> table = op_table(sm);
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> constants;
  CodeLines lines(sm.fetch());
  k.code.reserve(image.code.size());
  for (const isa::Instr& in : image.code) {
    const OpEntry& e = table[static_cast<int>(in.op)];
    TimedInstr t;
    t.instr = &in;
    t.index = static_cast<uint32_t>(k.code.size());
    t.op = in.op;
    t.pipe = e.pipe;
    t.counted = e.counted;
    t.handler = handler_of(in.op, e.pipe);
    t.port = static_cast<uint8_t>(e.pipe);
    if (t.handler == Handler::kMemory || (t.handler == Handler::kMbarrier && e.pipe == Pipe::kLsu)) {
      t.port = lsu_port(in.op);
    }
    t.interval = e.interval;
    t.latency = e.latency;
    t.line = lines.number(in.pc);
    t.hands_out = image.computed || in.mem_refs > 0 || in.op == OpClass::kBarrier;
    t.flags = static_cast<uint8_t>((e.either_fma ? kFmaEither : 0) |
                                   (in.flags & isa::kFlagUnknownOpcode ? kUnknownOp : 0) |
                                   (in.op == OpClass::kHalf ? kCountsAsHalf : 0));
    if (in.op == OpClass::kHmma || in.op == OpClass::kImma || in.op == OpClass::kDmma ||
        in.op == OpClass::kGmma) {
      tensor_timing(in, sm.tensor(), t);
      if (in.op == OpClass::kGmma) {
        gmma_shape(in, t);
      }
    }
    if (t.handler == Handler::kFixed) {
      operand_reads(in, t);
    } else if (t.handler == Handler::kMemory) {
      t.source_registers = source_registers(in);
    }
    if (in.flags & isa::kFlagReconverges) {
      t.resume = static_cast<uint8_t>(sm.issue().reconverge_cycles());
    }
    if (in.op == OpClass::kCall) {
      call_timing(in, table[static_cast<int>(OpClass::kBranch)], t);
    }
    // FINDINGS.md, the opening notes: fixed-latency instructions issue behind a deferred barrier; loads, XU,
    // branches and barriers wait.
    bool variable = in.ctl.write_barrier != kNoBarrier || e.pipe == Pipe::kXu || e.pipe == Pipe::kAdu ||
                    e.pipe == Pipe::kCbu || e.pipe == Pipe::kTensor;
    if (t.handler == Handler::kFixed && !variable) {
      t.flags |= kPassesBarrier;
    }
    if (k.control_bits) {
      t.stall = static_cast<uint8_t>(stall_cycles(in.ctl, sm.issue()) + e.extra_stall);
      t.wait_mask = in.ctl.wait_mask;
      t.write_barrier = in.ctl.write_barrier;
      t.read_barrier = in.ctl.read_barrier;
      t.flags |= in.ctl.yield ? kYields : 0;
    }
    bool loads_constant = in.op == OpClass::kLdc || in.op == OpClass::kUldc;
    if (loads_constant || (in.flags & isa::kFlagConstOperand)) {
      auto key = std::make_pair(uint32_t{in.const_bank}, in.const_offset / sm.constants().line_bytes());
      auto [it, fresh] = constants.try_emplace(key, static_cast<uint32_t>(constants.size()));
      t.constant = it->second;
      if (fresh) {
        const uint32_t parameters = image.parameter_base / sm.constants().line_bytes();
        k.constant_lines.push_back(in.const_bank != 0        ? ConstantLine::kOther
                                   : key.second < parameters ? ConstantLine::kShape
                                                             : ConstantLine::kParameter);
      }
      // ULDC has a fixed latency and no scoreboard counter: like an immediate operand it waits before it
      // issues.
      if (in.op != OpClass::kLdc) {
        t.flags |= kFixedLatencyConstant;
      }
    }
    k.code.push_back(t);
  }
  if (sm.issue().dual_issue() && !k.control_bits) {
    mark_pairs(k.code);
  }
  k.lines = lines.count();
  k.constants = static_cast<uint32_t>(constants.size());
  return k;
}

void number_lines(TimedKernel& k, uint32_t first_line, uint32_t first_constant) {
  for (TimedInstr& t : k.code) {
    t.line += first_line - k.first_line;
    if (t.constant != kNoConstant) {
      t.constant += first_constant - k.first_constant;
    }
  }
  k.first_line = first_line;
  k.first_constant = first_constant;
}

}  // namespace heddle::sm
