#include "frontends/cubin/execute/translate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "frontends/cubin/execute/calls.h"
#include "frontends/cubin/execute/translator.h"
#include "frontends/cubin/record.h"
#include "sim/base/align.h"
#include "sim/base/error.h"
#include "sim/exec/slots.h"

namespace heddle::cubin {
namespace {

constexpr uint32_t kFirstArgument = 4;   // R4, of the ABI
constexpr uint32_t kCallRegisters = 22;  // system functions take arguments from R4 on, and return to R20

// Words of the largest operand that an instruction of this name can have.
uint32_t operand_words(Mnemonic name) {
  return text(name).ends_with("GMMA") ? 128 : text(name).ends_with("MMA") ? 16 : 4;
}

// The code with its relocations applied. Throws Error for what cannot be.
std::vector<Word> relocated(const Object& object, const Placement& placement, const Function& f) {
  std::vector<Word> out = f.code;
  for (const Fixup& fixup : f.fixups) {
    const uint64_t at = fixup.at / kInstructionBytes;
    if ((fixup.kind != Fixup::Kind::kFieldLow && fixup.kind != Fixup::Kind::kFieldHigh &&
         fixup.kind != Fixup::Kind::kCall) ||
        at >= out.size()) {
      throw Error(
          fmt::format("{}: {}+0x{:x}: relocation of type {} of {} (legal: 55 to 57, 75, 112, 113; linked "
                      "cubins have no others)",
                      object.file, f.name, fixup.at, fixup.type, fixup.symbol));
    }
    const std::vector<std::string>& none = placement.undefined;
    if (std::find(none.begin(), none.end(), fixup.symbol) != none.end()) {
      throw Error(
          fmt::format("{}: {}+0x{:x}: {}", object.file, f.name, fixup.at, nothing_defines(fixup.symbol)));
    }
    const uint64_t value = fixed_up(object, placement, fixup, f.name);
    if (fixup.kind == Fixup::Kind::kCall) {
      constexpr uint64_t kHighBits = (1 << 17) - 1;
      out[at].high = (out[at].high & ~kHighBits) | (value >> 32 & kHighBits);
    }
    const uint64_t half = fixup.kind == Fixup::Kind::kFieldHigh ? value >> 32 : value & 0xffffffff;
    out[at].low = (out[at].low & 0xffffffff) | half << 32;
  }
  return out;
}

}  // namespace

void Translator::missing(std::string_view why) {
  if (!std::exchange(missing_, true) && needed_[f_number_]) {
    out_.missing.push_back(fmt::format(
        "{}: {}+0x{:x}: {}{}{}", object_.file, f_->name, at_ * kInstructionBytes,
        d_.name == Mnemonic::kNone ? fmt::format("0x{:016x}_{:016x}", word_.high, word_.low) : text(d_),
        why.empty() ? "" : ": ", why));
  }
}

// The kernel, and all other functions if it calls through registers.
void Translator::find_functions(uint32_t kernel) {
  out_.functions = {kernel};
  bool calls = false;
  for (const Word& w : object_.functions[kernel].code) {
    calls = calls || w.opcode() == 0x143 || (w.opcode() == 0x144 && w.form() == 1);
  }
  for (uint32_t i = 0; calls && i < object_.functions.size(); ++i) {
    if (!object_.functions[i].kernel && i != kernel && !is_system_function(object_.functions[i].name)) {
      out_.functions.push_back(i);
    }
  }
  find_needed(kernel);
}

// Also what lies within another function's code, and the system's functions.
bool Translator::defined(const std::string& name) const {
  const std::vector<std::string>& none = placement_.undefined;
  return name.starts_with(kSystemCalls) ||
         (placement_.addresses.contains(name) && std::find(none.begin(), none.end(), name) == none.end());
}

// Which functions the kernel may call, as the file says. Of the others nothing has to be known: where they
// have something that cannot be executed there is a trap.
void Translator::find_needed(uint32_t kernel) {
  needed_.assign(object_.functions.size(), !object_.call_graph);
  std::vector<uint32_t> work = {kernel};
  while (!work.empty()) {
    const Function& f = object_.functions[work.back()];
    needed_[work.back()] = true;
    work.pop_back();
    for (const std::string& name : f.calls) {
      const auto to = std::find_if(object_.functions.begin(), object_.functions.end(),
                                   [&](const Function& x) { return x.name == name; });
      if (to != object_.functions.end()) {
        const auto i = static_cast<uint32_t>(to - object_.functions.begin());
        if (!needed_[i]) {
          needed_[i] = true;
          work.push_back(i);
        }
      } else if (!defined(name)) {
        out_.missing.push_back(fmt::format("{}: {}: {}", object_.file, f.name, nothing_defines(name)));
      }
    }
  }
}

// How many registers there are is known when all operands have been seen.
void Translator::find_registers() {
  for (const uint32_t number : out_.functions) {
    const Function& f = object_.functions[number];
    registers_ = std::max({registers_, std::min(kZeroRegister, f.registers), kCallRegisters});
    for (size_t i = 0; i < f.code.size(); ++i) {
      const std::optional<Decoded> d = decode(f.code[i], i * kInstructionBytes, object_.capability);
      for (size_t k = 0; d && k < d->count; ++k) {
        find_registers(d->operands[k], operand_words(d->name));
      }
      if (d && (d->guard_uniform || d->name == Mnemonic::kUP2UR)) {  // UP2UR reads them without naming one
        uniform_predicates_ = kTruePredicate;
      }
    }
  }
}

void Translator::find_registers(const Operand& o, uint32_t words) {
  if (o.is(Kind::kUniform) && o.index != kZeroUniform) {
    uniforms_ = std::max(uniforms_, std::min(most_uniforms(), o.index + 8));
  } else if (o.is(Kind::kBarrier)) {
    barriers_ = std::max<uint32_t>(barriers_, o.index % kMostBarriers + 1);
  } else if (o.is(Kind::kUniformPredicate) && o.index != kTruePredicate) {
    uniform_predicates_ = kTruePredicate;
  } else if (o.is(Kind::kRegister) && o.index != kZeroRegister) {
    registers_ = std::max(registers_, std::min(kZeroRegister, o.index + words));
  }
  if (o.has_ubase()) {
    uniforms_ = std::max(uniforms_, std::min(most_uniforms(), o.ubase + 8));
  }
  if (o.has_base()) {
    registers_ = std::max(registers_, std::min(kZeroRegister, o.base + 2));
  }
}

void Translator::instruction() {
  temporaries_ = 0;
  missing_ = false;
  const std::optional<Decoded> d = decode(word_, at_ * kInstructionBytes, object_.capability);
  if (!d) {
    d_ = {};
    uniform_ = false;
    missing("no instruction that is known");
    emit(needed_[f_number_] ? exec::Kind::kFence
                            : exec::Kind::kTrap);  // nothing, or what must not be come to
    return;
  }
  d_ = *d;
  const size_t before = out_.code.insts.size();
  handle();
  if (missing_ && !needed_[f_number_]) {
    out_.code.insts.resize(before);
    out_.code.lines.resize(before);
    out_.origins.resize(before);
    d_.guarded = false;
    emit(exec::Kind::kTrap);
  }
  if (out_.code.insts.size() == before) {
    nothing();
  }
}

void Translator::function(uint32_t number) {
  f_ = &object_.functions[number];
  f_number_ = number;
  std::vector<Word> code;
  try {
    code = relocated(object_, placement_, *f_);
  } catch (const Error& e) {
    if (needed_[number]) {
      out_.missing.emplace_back(e.what());
      needed_[number] = false;  // nothing more has to be said of it
    }
    code.resize(f_->code.size());  // no instructions
  }
  for (const Fixup& fixup : f_->fixups) {
    out_.code.calls_system |= fixup.kind == Fixup::Kind::kCall && is_system_function(fixup.symbol);
  }
  flat_of_.push_back(flat_);
  out_.code.stretches.emplace_back(static_cast<uint32_t>(out_.code.insts.size()), f_->name);
  collective_ = false;
  for (at_ = 0; at_ < code.size(); ++at_, ++flat_) {
    word_ = code[at_];
    starts_.push_back(static_cast<uint32_t>(out_.code.insts.size()));
    instruction();
  }
}

// What a call of a system function gets to: arguments from the registers of the ABI, the result into them,
// back.
void Translator::system_functions() {
  exec::Code& c = out_.code;
  d_ = {};
  uniform_ = false;
  const auto value = [](Slot s) { return exec::ValuePlace{true, s, 0, 8}; };
  for (const SystemFunction& f : kSystemFunctions) {
    temporaries_ = 0;
    exec::FunctionInfo info;
    info.name = f.name;
    info.builtin = f.builtin;
    info.runtime = exec::runtime_function(f.name);
    starts_.push_back(static_cast<uint32_t>(c.insts.size()));
    c.stretches.emplace_back(static_cast<uint32_t>(c.insts.size()), f.name);
    if (f.builtin == exec::Builtin::kNone) {
      emit(exec::Kind::kTrap).counted = false;
      continue;
    }
    exec::CallOp call;
    call.function = static_cast<uint32_t>(c.functions.size());
    const auto two = [&](uint32_t first) {
      const Slot t = temporary();
      compute(WordOp::kJoin, t, exec::kNoSlot, {reg(first), reg(first + 1)}, 0, Role::kBefore);
      return t;
    };
    uint32_t next = kFirstArgument;
    for (const char kind : f.arguments) {
      next += kind == 'w' ? next % 2 : 0;
      call.arguments.push_back(value(kind == 'w' ? two(next) : reg(next)));
      next += kind == 'w' ? 2 : kind == 'd' ? 3 : 1;
    }
    const Slot result = temporary();
    call.returns.push_back(value(result));
    exec::Inst& in = emit(exec::Kind::kCall, Role::kBefore);
    in.target = static_cast<uint32_t>(c.calls.size());
    c.calls.push_back(std::move(call));
    c.functions.push_back(std::move(info));
    if (f.result == 'i') {
      compute(WordOp::kCopy, reg(kFirstArgument), exec::kNoSlot, {result}, 0, Role::kBefore);
    } else if (f.result == 'w') {
      compute(WordOp::kSplit, reg(kFirstArgument), reg(kFirstArgument + 1), {result}, 0, Role::kBefore);
    }
    jump(two(20), true, 0);
    c.insts.back().counted = false;
  }
  for (const std::string& name : placement_.undefined) {
    starts_.push_back(static_cast<uint32_t>(c.insts.size()));
    c.stretches.emplace_back(static_cast<uint32_t>(c.insts.size()), name);
    emit(exec::Kind::kTrap).counted = false;
  }
}

// Targets of branches are known now.
void Translator::finish() {
  exec::Code& c = out_.code;
  const uint32_t registers = exec::pack_frame(c);
  c.functions[c.entry].registers = registers;
  for (exec::CallOp& call : c.calls) {
    call.frame_registers = registers;
  }
  for (exec::Inst& in : c.insts) {
    if (in.kind == exec::Kind::kBranch) {
      in.target = starts_[in.target];
    }
  }
  // Where addresses lead to: of the module's code, then by function.
  std::vector<uint32_t> all((placement_.code_end - kSystemCode) / kInstructionBytes, exec::kNoPc);
  for (size_t i = 0; i < std::size(kSystemFunctions); ++i) {
    all[i] = starts_[flat_ + i];
  }
  const size_t undefined = flat_ + std::size(kSystemFunctions);
  for (size_t i = 0; undefined + i < starts_.size(); ++i) {
    const uint64_t at = placement_.addresses.find(placement_.undefined[i])->second;
    all[(at - kSystemCode) / kInstructionBytes] = starts_[undefined + i];
  }
  for (size_t i = 0; i < out_.functions.size(); ++i) {
    const uint64_t first = (placement_.code_at[out_.functions[i]] - kSystemCode) / kInstructionBytes;
    for (size_t k = 0; k < object_.functions[out_.functions[i]].code.size(); ++k) {
      all[first + k] = starts_[flat_of_[i] + k];
    }
  }
  c.targets = {std::move(all)};
}

Translation Translator::run(uint32_t kernel) {
  exec::Code& c = out_.code;
  const Function& k = object_.functions[kernel];
  c.kernel = k.name;
  c.file = object_.file;
  c.explicit_convergence = true;
  find_functions(kernel);
  find_registers();
  exec::FunctionInfo info;
  info.name = k.name;
  const bool calls =
      out_.functions.size() > 1 ||
      std::any_of(k.code.begin(), k.code.end(), [](const Word& w) { return w.opcode() == 0x143; });
  info.local_bytes =
      static_cast<uint32_t>(std::min<uint64_t>(exec::kMostLocalBytes, round_up(uint64_t{k.stack_bytes}, 16)));
  c.stack_by_limit = calls || calls_itself(k.code, object_.capability);
  c.functions.push_back(info);
  // Bank 2 of a function lies behind what all have; `bank2_` is its place.
  const_data_ = placement_.constants;
  for (const uint32_t f : out_.functions) {
    const std::vector<uint8_t> own = patched(object_, placement_, object_.functions[f].constant2,
                                             ".nv.constant2." + object_.functions[f].name);
    const_data_.resize(round_up(const_data_.size(), size_t{16}));
    bank2_ = static_cast<uint32_t>(const_data_.size());
    const_data_.insert(const_data_.end(), own.begin(), own.end());
    function(f);
  }
  if (calls) {
    system_functions();
  } else {
    starts_.insert(starts_.end(), std::size(kSystemFunctions), exec::kNoPc);
  }
  // Behind the last instruction.
  f_ = &k;
  exec::Inst end;
  end.kind = exec::Kind::kTrap;
  end.counted = false;
  c.insts.push_back(end);
  out_.origins.push_back(flat_);
  c.lines.push_back(0);
  finish();
  c.functions.front().first = 0;
  c.functions.front().end = static_cast<uint32_t>(c.insts.size());
  c.const_data = std::move(const_data_);
  c.static_shared = k.static_shared;
  c.dynamic_shared_at =
      exec::kSharedReserve + round_up(k.static_shared, std::max<uint32_t>(k.shared_align, 16));
  c.system_shared = true;
  c.parameter_bytes = k.parameter_bytes;
  c.parameter_at = k.parameter_offset;
  const isa::Dim3 t = k.required_threads, b = k.required_cluster;
  const uint32_t threads[3] = {t.x, t.y, t.z}, blocks[3] = {b.x, b.y, b.z};
  std::copy(std::begin(threads), std::end(threads), c.required_threads);
  std::copy(std::begin(blocks), std::end(blocks), c.required_cluster);
  c.most_threads = k.most_threads != 0 ? k.most_threads : c.most_threads;
  c.most_cluster_blocks = k.most_cluster_blocks;
  c.explicit_cluster = k.explicit_cluster;
  return std::move(out_);
}

Translation translate(const Object& object, uint32_t kernel, const Placement& placement) {
  return Translator(object, placement).run(kernel);
}

}  // namespace heddle::cubin
