#include "frontends/ptx/lower/issue.h"

#include <algorithm>
#include <map>

#include "frontends/ptx/execute/translate.h"
#include "frontends/ptx/lower/block_order.h"
#include "frontends/ptx/lower/share_slots.h"
#include "sim/exec/control_flow.h"

namespace heddle::ptx::lower {
namespace {

class Issuer {
 public:
  Issuer(const Module& module, const Kernel& kernel, const Placement& placement)
      : module_(module), kernel_(kernel) {
    Bodies bodies;
    for (const auto& part : kernel.parts) {
      asked_.push_back(ask_for_turns(module, part->source));
    }
    for (size_t i = 0; i < asked_.size(); ++i) {
      bodies[kernel.parts[i]->function] = &asked_[i].function;
    }
    from_ = translate(module, module.functions[kernel.parts.front()->function], placement, bodies);
    out_.code = from_.code;
    out_.code.insts.clear();
    out_.code.lines.clear();
  }

  Issued run() {
    for (size_t i = 0; i < kernel_.parts.size(); ++i) {
      part(*kernel_.parts[i], asked_[i]);
    }
    out_.tellings.of.resize(out_.code.insts.size());
    out_.tellings.slots = executed::slots_of_records(out_.code, out_.origins);
    return std::move(out_);
  }

 private:
  void part(const Part& p, const Asked& asked) {
    exec::FunctionInfo& info = out_.code.functions[p.function];
    const exec::FunctionInfo& was = from_.code.functions[p.function];
    const auto first = size();
    OrderedPart of(module_, p, asked, from_, out_, kernel_.image);
    of.run();
    // Where the translation's records lead to.
    std::map<uint32_t, uint32_t> starts;  // by its records
    for (uint32_t b = 0; b < p.code.blocks.size(); ++b) {
      starts[of.first_record(b)] = of.starts()[b];
    }
    const uint32_t end = size();
    starts[was.end - 1] = end;
    add_end(p.function);
    for (uint32_t pc = first; pc < end; ++pc) {
      exec::Inst& in = out_.code.insts[pc];
      if (in.kind == exec::Kind::kBranch) {
        in.target = starts.at(in.target);
      } else if (in.kind == exec::Kind::kBranchIndex) {
        for (uint32_t& t : out_.code.targets[in.target]) {
          t = starts.at(t);
        }
      }
    }
    info.first = first;
    info.end = size();
    info.registers = of.registers();
    std::vector<uint32_t> starts_of_blocks = of.starts();
    starts_of_blocks.push_back(end);
    share_slots(out_.code, info, starts_of_blocks, pairs(asked.function, from_.registers[p.function]));
    for (uint32_t pc = first; pc < end; ++pc) {
      const exec::Inst& in = out_.code.insts[pc];
      if (in.kind == exec::Kind::kCall) {
        out_.code.calls[in.target].frame_registers = info.registers;
      }
    }
    exec::find_reconvergence(out_.code, first, info.end);
  }

  // Registers of 128 bits, which are two.
  static std::vector<bool> pairs(const Function& f, const std::vector<exec::Slot>& slots) {
    std::vector<bool> out;
    for (size_t r = 0; r < slots.size(); ++r) {
      const uint32_t at = slots[r] & exec::kSlotIndex;
      out.resize(std::max<size_t>(out.size(), at + 2));
      if (bits(f.register_types[r]) == 128) {
        out[at] = out[at + 1] = true;
      }
    }
    return out;
  }

  uint32_t size() const { return static_cast<uint32_t>(out_.code.insts.size()); }

  void add_end(uint32_t function) {
    exec::Inst end;
    end.kind = exec::Kind::kReturn;
    end.target = function;
    end.counted = false;
    out_.code.insts.push_back(end);
    out_.code.lines.push_back(out_.code.lines.empty() ? 0 : out_.code.lines.back());
    out_.origins.push_back(static_cast<uint32_t>(kernel_.image.code.size()));
  }

  const Module& module_;
  const Kernel& kernel_;
  std::vector<Asked> asked_;
  Translation from_;
  Issued out_;
};

}  // namespace

Issued issued(const Module& module, const Kernel& kernel, const Placement& placement) {
  return Issuer(module, kernel, placement).run();
}

std::shared_ptr<const Ordered> in_order(const Module& module, const Function& kernel,
                                        const Placement& placement) {
  auto out = std::make_shared<Ordered>();
  out->kernel = lower(module, kernel);
  try {
    out->issued = issued(module, *out->kernel, placement);
  } catch (const NotOrdered&) {
    out->kernel = lower(module, kernel, Blocks::kOfOne);
    out->issued = issued(module, *out->kernel, placement);
  }
  return out;
}

}  // namespace heddle::ptx::lower
