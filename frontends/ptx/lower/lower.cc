#include "frontends/ptx/lower/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "frontends/ptx/lower/call_graph.h"
#include "frontends/ptx/lower/convention.h"
#include "frontends/ptx/lower/flow.h"
#include "frontends/ptx/lower/record.h"
#include "frontends/ptx/lower/schedule.h"
#include "frontends/ptx/lower/select.h"
#include "frontends/ptx/lower/timed.h"
#include "frontends/sass/record/text.h"
#include "frontends/sass/timed.h"

namespace heddle::ptx::lower {
namespace {

constexpr uint32_t kCodeAlign = 128;  // of the code, filled with NOP
// So many PTX instructions, of which some need none of the machine's, become conditional (ptx.md 6.1: 4 to 7
// of the machine's; traces/h200/forms: a dozen).
constexpr uint32_t kMostConditional = 16, kFewConditional = 8;
constexpr uint32_t kManyRegisters = 64;
constexpr uint32_t kFewestRegisters = 16;  // of a thread, as the suites' kernels have

bool reads_ports(const isa::Instr& i) {
  switch (i.op) {
    case isa::OpClass::kAlu:
    case isa::OpClass::kAluPredicate:
    case isa::OpClass::kFp32:
    case isa::OpClass::kImad:
    case isa::OpClass::kImadWide:
    case isa::OpClass::kFp64:
    case isa::OpClass::kHalf:
    case isa::OpClass::kHmma:
    case isa::OpClass::kImma:
      return true;
    default:
      return false;
  }
}

// An operand that the next instruction reads in the same place is kept for it.
void set_reuse(Kernel& k) {
  std::vector<isa::Instr>& code = k.image.code;
  for (size_t i = 0; i + 1 < code.size(); ++i) {
    if (!reads_ports(code[i]) || !reads_ports(code[i + 1])) {
      continue;
    }
    for (uint8_t a = 0; a < code[i].n_src; ++a) {
      const isa::Operand& x = code[i].src[a];
      for (uint8_t b = 0; b < code[i + 1].n_src; ++b) {
        const isa::Operand& y = code[i + 1].src[b];
        if (x.file == isa::RegFile::kGpr && y.file == x.file && x.index == y.index && x.slot == y.slot) {
          code[i].ctl.reuse |= static_cast<uint8_t>(1U << x.slot);
        }
      }
    }
  }
}

void write(Kernel& k) {
  uint32_t at = 0;
  std::map<uint32_t, uint32_t> begins;  // by function of the module
  for (const auto& part : k.parts) {
    begins[part->function] = at * kInstructionBytes;
    for (Block& b : part->code.blocks) {
      b.first = at;
      at += static_cast<uint32_t>(b.code.size());
    }
  }
  sass::OpcodePool pool;
  const auto add = [&](const sass::Decoded& d, const isa::Control& control, uint32_t target) {
    const auto pc = static_cast<uint32_t>(k.image.code.size()) * kInstructionBytes;
    isa::Instr in = sass::timed(pc, d, pool);
    in.ctl = control;
    in.flags |= isa::kFlagHasControl;
    in.target = target;
    k.image.code.push_back(in);
    k.image.text.push_back(text(d));
  };
  for (const auto& part : k.parts) {
    for (const Block& b : part->code.blocks) {
      for (const Machine& m : b.code) {
        const uint32_t target = m.callee != kNone   ? begins.at(m.callee)
                                : m.target != kNone ? part->code.blocks[m.target].first * kInstructionBytes
                                                    : 0;
        add(record(part->code, m, target), m.control, target);
      }
    }
  }
  set_reuse(k);
  // Behind the end: a branch to itself, and what fills a line.
  sass::Decoded end("BRA");
  end.add(immediate(static_cast<int64_t>(k.image.code.size() * kInstructionBytes)));
  add(end, {}, 0);
  while (k.image.code.size() * kInstructionBytes % kCodeAlign != 0) {
    add(sass::Decoded("NOP"), {}, 0);
  }
  k.image.opcodes = pool.opcodes();
  k.image.unknown_opcodes = pool.unknown();
}

void go_around(const Unrolled& u, Lowered& f) {
  for (const Unrolled::Loop& l : u.loops) {
    const uint32_t several = f.block_of[l.several], one = f.block_of[l.one];
    for (uint32_t b = 0; b < f.blocks.size(); ++b) {
      const std::vector<uint32_t>& next = f.blocks[b].next;
      if (b != several && std::find(next.begin(), next.end(), several) != next.end()) {
        f.around.emplace_back(b, one);
      }
    }
  }
}

// `cuts`: by PTX instruction.
void mark_cuts(const std::vector<bool>& cuts, Lowered& f) {
  for (Block& b : f.blocks) {
    for (Machine& m : b.code) {
      m.cuts = m.origin < cuts.size() && cuts[m.origin] && (m.ordered || m.loads || m.stores);
    }
  }
}

}  // namespace

std::unique_ptr<const Kernel> lower(const Module& module, const Function& kernel, Blocks blocks) {
  auto made = std::make_unique<Kernel>();
  Kernel& out = *made;
  std::vector<std::string> missing;
  Callees callees;
  uint32_t registers = kFewestRegisters;
  const std::vector<Reached> reached =
      reached_functions(module, static_cast<uint32_t>(&kernel - module.functions.data()));
  const bool by_time = std::any_of(reached.begin(), reached.end(), [&](const Reached& r) {
    return depends_on_time(module, module.functions[r.function]);
  });
  for (const Reached& r : reached) {
    const Function& function = module.functions[r.function];
    const auto cuts_of = [&](const Function& x) {
      return by_time && blocks == Blocks::kWhole
                 ? cuts(module, x)
                 : std::vector<bool>(x.instrs.size(), blocks == Blocks::kOfOne);
    };
    const auto make = [&](uint32_t conditional) {
      auto part = std::make_unique<Part>();
      Lowered& f = part->code;
      part->function = r.function;
      part->source = unroll(module, cuts_of(function), function);
      f.function = &part->source.function;
      f.standard = r.standard;
      const std::vector<bool> cut = cuts_of(*f.function);
      find_blocks(module, cut, conditional, f);
      go_around(part->source, f);
      Select(module, callees, f).run();
      mark_cuts(cut, f);
      if (missing.empty() && f.missing.empty()) {
        remove_dead(f);
        split_by_block(f);
        choose_order(f);
      }
      return part;
    };
    std::unique_ptr<Part> part = make(kMostConditional);
    if (part->code.vector_registers > kManyRegisters) {
      // Large blocks can need many more registers than several small ones.
      std::unique_ptr<Part> other = make(kFewConditional);
      if (other->code.vector_registers * 5 < part->code.vector_registers * 4) {
        part = std::move(other);
      }
    }
    Lowered& f = part->code;
    missing.insert(missing.end(), f.missing.begin(), f.missing.end());
    if (missing.empty()) {
      registers = std::max({registers, f.vector_registers, f.calls_by_abi ? kAbiRegisters : 0});
    }
    callees[r.function] = {r.standard, r.standard        ? clobbered_by_abi()
                                       : missing.empty() ? clobbered(f)
                                                         : Clobbered{}};
    out.parts.insert(out.parts.begin(), std::move(part));
  }
  if (!missing.empty()) {
    throw NotLowered(
        fmt::format("kernel {} has {} instructions that have no time yet", kernel.name, missing.size()),
        missing);
  }
  isa::KernelImage& image = out.image;
  image.name = kernel.name;
  // The rules are always sm_90's, but what is for one later capability alone (sm_100a) runs on that one
  // alone, and what is for a family (sm_100f) on several.
  constexpr uint16_t kRules = 90;
  const Target& target = module.target;
  image.compute_capability = target.sm <= kRules || target.suffix == '\0' ? kRules
                             : target.suffix == 'a'                       ? target.sm
                                                                          : 0;
  image.has_control = true;
  image.shape.registers_per_thread = registers;
  write(out);
  return made;
}

}  // namespace heddle::ptx::lower
