// What the driver puts into constant bank 0 before the parameters.
#include <fmt/format.h>

#include <optional>
#include <span>

#include "frontends/cubin/execute/translator.h"
#include "sim/exec/layout.h"
#include "sim/exec/special.h"

namespace heddle::cubin {
namespace {

using exec::Special;
using exec::arith::WordOp;

// Words that the driver puts into constant bank 0, by what ptxas makes of PTX's special registers; those from
// 0x10c on of compute capability 9.0.
struct SystemWord {
  uint32_t at;
  Special what;
};
constexpr SystemWord kSystemWords[] = {{0x00, Special::kNtidX},
                                       {0x04, Special::kNtidY},
                                       {0x08, Special::kNtidZ},
                                       {0x0c, Special::kNctaidX},
                                       {0x10, Special::kNctaidY},
                                       {0x14, Special::kNctaidZ},
                                       {0x2c, Special::kDynamicShared},
                                       {0x30, Special::kGridid},
                                       {0x34, Special::kZero},
                                       {0x10c, Special::kNsmid},
                                       {0x13c, Special::kAggregateShared},
                                       {0x140, Special::kIsExplicitCluster},
                                       {0x144, Special::kClusterNctaidX},
                                       {0x148, Special::kClusterNctaidY},
                                       {0x14c, Special::kClusterNctaidZ},
                                       {0x150, Special::kClusterPartX},
                                       {0x154, Special::kClusterPartY},
                                       {0x158, Special::kClusterPartZ},
                                       {0x15c, Special::kNclusteridX},
                                       {0x160, Special::kNclusteridY},
                                       {0x164, Special::kNclusteridZ},
                                       {0x188, Special::kClusterNctarank}};

// Of 10.0 and 12.0, found in the same way, and those that are read at an offset that SR_CgaSize says.
constexpr SystemWord kBlackwellWords[] = {{0x140, Special::kGridid},
                                          {0x144, Special::kZero},
                                          {0x2d0, Special::kNsmid},
                                          {0x360, Special::kNtidX},
                                          {0x364, Special::kNtidY},
                                          {0x368, Special::kNtidZ},
                                          {0x36c, Special::kIsExplicitCluster},
                                          {0x370, Special::kNctaidX},
                                          {0x374, Special::kNctaidY},
                                          {0x378, Special::kNctaidZ},
                                          {0x2e8, Special::kZero},  // the graph that is executed
                                          {0x2ec, Special::kZero}};
constexpr SystemWord kClusterWords[] = {
    {0x2a0, Special::kClusterNctaidX}, {0x2a4, Special::kClusterNctaidY},
    {0x2a8, Special::kClusterNctaidZ}, {0x2ac, Special::kDynamicShared},
    {0x2b0, Special::kClusterPartX},   {0x2b4, Special::kClusterPartY},
    {0x2b8, Special::kClusterPartZ},   {0x2bc, Special::kAggregateShared},
    {0x2c0, Special::kNclusteridX},    {0x2c4, Special::kNclusteridY},
    {0x2c8, Special::kNclusteridZ},    {0x2cc, Special::kClusterNctarank}};

// Where PTX's %envreg0 to 31 are: before 9.0; of 9.0; of Blackwell the first 16, which are read at an offset,
// and the others.
constexpr uint32_t kEnvironment = 32, kNearEnvironment = 16;
constexpr uint32_t kOldEnvironment = 0x88, kHopperEnvironment = 0x40, kFirstEnvironment = 0x250,
                   kLaterEnvironment = 0xd0;

std::optional<Special> found(std::span<const SystemWord> words, uint64_t offset) {
  for (const auto& [at, what] : words) {
    if (at == offset) {
      return what;
    }
  }
  return std::nullopt;
}

}  // namespace

// Where the stack begins, which grows downwards: the end of a thread's local memory.
Slot Translator::stack_top() {
  const exec::Code& c = out_.code;
  return c.stack_by_limit ? special(Special::kStackTop) : constant(c.functions.front().local_bytes);
}

// Before 10.0.
Slot Translator::system_word(uint32_t offset) {
  const Function& kernel = object_.functions[out_.functions.front()];
  if (const auto what = found(kSystemWords, offset)) {
    return special(*what);
  }
  const bool hopper = object_.capability >= 90;
  const uint32_t environment = hopper ? kHopperEnvironment : kOldEnvironment;
  if (const uint32_t i = (offset - environment) / 4; offset % 4 == 0 && i < kEnvironment) {
    return special(exec::environment(i));
  }
  // %current_graph_exec: no graph.
  if (const uint32_t graph = hopper                     ? 0x190
                             : object_.capability >= 80 ? 0x130
                                                        : 0x120;
      offset == graph || offset == graph + 4) {
    return constant(0);
  }
  switch (offset) {
    case 0x20:
      return constant(exec::kLocalWindow & 0xffffffff);
    case 0x24:
      return constant(exec::kLocalWindow >> 32);
    case 0x28:
      return stack_top();
    case 0xc0:  // where the bank itself lies, so that parameters have addresses
      return constant(exec::kBankWindow & 0xffffffff);
    case 0xc4:
      return constant(exec::kBankWindow >> 32);
    case 0x198:  // where the parameters begin, for tensor maps, and end: asked of an H200
      return constant((exec::kBankWindow & 0xffffffff) + kernel.parameter_offset);
    case 0x1a0:
      return constant((exec::kBankWindow & 0xffffffff) + kernel.parameter_offset + kernel.parameter_bytes);
    case 0x19c:
    case 0x1a4:
      return constant(exec::kBankWindow >> 32);
    case 0x114:
      return constant(exec::kSharedReserve);
    case 0xd0:  // the same of bank 3: __constant__ variables
      return constant(exec::kConstWindow & 0xffffffff);
    case 0xd4:
      return constant(exec::kConstWindow >> 32);
    default:
      // The descriptor of global memory, which says nothing here.
      if (offset >= 0x200 && offset < 0x210 && object_.capability >= 90) {
        return constant(0);
      }
      if ((offset == 0x118 || offset == 0x11c) && object_.capability >= 80) {
        return constant(0);
      }
      missing(fmt::format("word 0x{:x} of constant bank 0", offset));
      return constant(0);
  }
}

// What the driver puts into constant bank 0 of Blackwell.
Slot Translator::blackwell_word(uint32_t offset) {
  const Function& kernel = object_.functions[out_.functions.front()];
  const auto half = [&](uint64_t address, bool high) {
    return constant(high ? address >> 32 : address & UINT32_MAX);
  };
  if (const auto what = found(kBlackwellWords, offset)) {
    return special(*what);
  }
  if (const uint32_t i = (offset - kLaterEnvironment) / 4 + kNearEnvironment;
      i < kEnvironment && i >= kNearEnvironment) {
    return special(exec::environment(i));
  }
  switch (offset) {
    case 0x120:  // bank 3
    case 0x124:
      return half(exec::kConstWindow, offset == 0x124);
    case 0x16c:
      return constant(exec::kSharedReserve);
    case 0x2f8:
    case 0x2fc:
      return half(exec::kLocalWindow, offset == 0x2fc);
    case 0x348:  // the parameters, for tensor maps
    case 0x34c:
      return half(exec::kBankWindow + kernel.parameter_offset, offset == 0x34c);
    case 0x358:  // the descriptor of global memory
    case 0x35c:
      return constant(0);
    case 0x37c:
      return stack_top();
    default:
      missing(fmt::format("word 0x{:x} of constant bank 0", offset));
      return constant(0);
  }
}

// A word of those that code reads at an offset by SR_CgaSize, which is 0 here: with another one it is a trap.
Slot Translator::cluster_word(const Operand& o) {
  auto what = found(kClusterWords, static_cast<uint64_t>(o.offset));
  if (const uint64_t i = (static_cast<uint64_t>(o.offset) - kFirstEnvironment) / 4; i < kNearEnvironment) {
    what = exec::environment(static_cast<uint32_t>(i));
  }
  if (!what) {
    missing(fmt::format("word 0x{:x} of constant bank 0, at an offset", o.offset));
    return constant(0);
  }
  const bool uniform = o.has_ubase();
  const Slot index = uniform ? ureg(o.ubase) : reg(o.base), other = temporary();
  compute(WordOp::kNotEqual, other, exec::kNoSlot, {index}, 0, Role::kBefore);
  const Slot guard = guarded_by(other);
  exec::Inst& in = emit(exec::Kind::kTrap, Role::kBefore);
  in.guard = guard;
  return special(*what);
}

}  // namespace heddle::cubin
