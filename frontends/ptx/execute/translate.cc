#include "frontends/ptx/execute/translate.h"

#include <algorithm>

#include "frontends/ptx/execute/arith_handler.h"
#include "frontends/ptx/execute/translator.h"
#include "sim/base/align.h"
#include "sim/exec/control_flow.h"
#include "sim/exec/launch.h"
#include "sim/exec/layout.h"

namespace heddle::ptx {
namespace {

constexpr uint32_t kFrameAlign = 16;

exec::Builtin builtin_named(std::string_view name) {
  return name == "vprintf"                                              ? exec::Builtin::kPrintf
         : name == "malloc"                                             ? exec::Builtin::kMalloc
         : name == "free"                                               ? exec::Builtin::kFree
         : name == "__assertfail"                                       ? exec::Builtin::kAssertFail
         : name == "cudaGraphSetConditional"                            ? exec::Builtin::kSetConditional
         : exec::runtime_function(name) != exec::RuntimeFunction::kNone ? exec::Builtin::kRuntime
                                                                        : exec::Builtin::kNone;
}

}  // namespace

Translation translate(const Module& module, const Function& kernel, const Placement& placement,
                      const Bodies& bodies) {
  return Translator(module, placement, bodies).run(kernel);
}

Translation Translator::run(const Function& kernel) {
  const auto id = static_cast<uint32_t>(&kernel - module_.functions.data());
  exec::Code& code = out_.code;
  code.kernel = kernel.name;
  code.file = module_.source.name();
  code.reconvergence_stack = exec::reconverges_by_stack(module_.target.sm);
  code.entry = id;
  code.const_data = placement_.const_data;
  code.parameter_bytes = static_cast<uint32_t>(kernel.parameter_bytes);
  std::copy_n(kernel.bounds.required_threads, 3, code.required_threads);
  const uint32_t* most = kernel.bounds.max_threads;
  if (most[0] != 0) {
    code.most_threads = std::min<uint32_t>(1024, most[0] * std::max(1U, most[1]) * std::max(1U, most[2]));
  }
  std::copy_n(kernel.bounds.required_cluster, 3, code.required_cluster);
  code.most_cluster_blocks = kernel.bounds.max_cluster_rank;
  code.explicit_cluster = kernel.bounds.explicit_cluster;
  code.grid_in_clusters = kernel.bounds.blocks_are_clusters;
  line_starts_ = module_.source.line_starts();
  shared_.assign(module_.variables.size(), kNowhere);
  local_.assign(module_.variables.size(), kNowhere);
  layouts_.resize(module_.functions.size());
  code.functions.resize(module_.functions.size());
  find_functions(id);
  lay_out_shared();
  for (const uint32_t f : functions_) {
    lay_out(f);
  }
  for (const uint32_t f : functions_) {
    function(f);
  }
  for (Layout& l : layouts_) {
    out_.registers.push_back(std::move(l.registers));
  }
  return std::move(out_);
}

void Translator::add_function(uint32_t id) {
  const uint32_t alias = module_.functions[id].alias_of;
  if (alias != kNone) {
    add_function(alias);
  }
  if (std::find(functions_.begin(), functions_.end(), id) == functions_.end()) {
    functions_.push_back(id);
  }
}

// Those that are called or whose address is taken, by code or by variables. Who takes the address of a kernel
// launches it.
void Translator::find_functions(uint32_t kernel) {
  add_function(kernel);
  bool indirect = false;
  for (size_t i = 0; i < functions_.size(); ++i) {
    const Function& f = body(functions_[i]);
    for (const Operand& o : f.operands) {
      if (o.kind == OperandKind::kFunction && !module_.functions[o.id].entry) {
        add_function(o.id);
      }
    }
    for (const Instr& in : f.instrs) {
      if (!indirect && module_.ops[in.op].opcode == Opcode::kCall &&
          f.operands[in.operands + 1].kind == OperandKind::kRegister) {
        indirect = true;
        for (const Initial& initial : module_.initials) {
          for (const Relocation& r : initial.relocations) {
            if (r.function && !module_.functions[r.id].entry) {
              add_function(r.id);
            }
          }
        }
      }
    }
  }
}

// Variables of shared memory, of the module and of the functions, one behind the other; all that have no
// size begin behind them.
void Translator::lay_out_shared() {
  uint64_t at = exec::kSharedReserve;
  uint64_t align = 16;
  for (size_t i = 0; i < module_.variables.size(); ++i) {
    const Variable& v = module_.variables[i];
    const bool used = v.function == kNone ||
                      std::find(functions_.begin(), functions_.end(), v.function) != functions_.end();
    if (v.space != Space::kShared || !used) {
      continue;
    }
    if (v.unsized) {
      align = std::max<uint64_t>(align, v.align);
      continue;
    }
    at = round_up(at, uint64_t{v.align});
    shared_[i] = at;
    at += v.size;
  }
  out_.code.static_shared = static_cast<uint32_t>(at - exec::kSharedReserve);
  out_.code.dynamic_shared_at = static_cast<uint32_t>(round_up(at, align));
  for (size_t i = 0; i < module_.variables.size(); ++i) {
    if (module_.variables[i].space == Space::kShared && module_.variables[i].unsized) {
      shared_[i] = out_.code.dynamic_shared_at;
    }
  }
}

// Registers and local memory of a function's frame, and where its parameters are.
void Translator::lay_out(uint32_t id) {
  const Function& f = module_.functions[id];
  const Function& body = this->body(f.alias_of == kNone ? id : f.alias_of);
  Layout& layout = layouts_[id];
  layout.next = exec::kFirstSlot;
  for (const Type t : body.register_types) {
    layout.registers.push_back(exec::slot(exec::Bank::kFrame, layout.next));
    layout.next += bits(t) == 128 ? 2 : 1;
  }
  uint64_t at = 0;
  for (const uint32_t v : body.variables) {
    const Variable& variable = module_.variables[v];
    if (in_frame(variable)) {
      at = round_up(at, uint64_t{variable.align});
      local_[v] = at;
      at += variable.size;
    }
  }
  exec::FunctionInfo& info = out_.code.functions[id];
  info.name = f.name;
  info.local_bytes = static_cast<uint32_t>(round_up(at, uint64_t{kFrameAlign}));
  info.builtin = body.defined ? exec::Builtin::kNone : builtin_named(f.name);
  out_.code.calls_system |= info.builtin != exec::Builtin::kNone;
  info.runtime = body.defined ? exec::RuntimeFunction::kNone : exec::runtime_function(f.name);
  if (!body.defined || body.entry) {
    return;
  }
  const auto places = [&](const std::vector<Parameter>& from, std::vector<exec::ValuePlace>& to) {
    for (const Parameter& p : from) {
      const auto bytes = static_cast<uint32_t>(p.is_register ? (bits(p.type) + 7) / 8 : p.size);
      to.push_back({p.is_register, p.is_register ? layout.registers[p.id] : exec::kNoSlot,
                    p.is_register ? 0 : static_cast<uint32_t>(local_[p.id]), bytes});
    }
  };
  places(body.signature.parameters, info.parameters);
  places(body.signature.returns, info.returns);
}

void Translator::function(uint32_t id) {
  const Function& f = body(id);
  exec::Code& code = out_.code;
  if (f.alias_of != kNone) {
    const exec::FunctionInfo& target = code.functions[f.alias_of];
    code.functions[id] = target;
    return;
  }
  if (!f.defined) {
    return;
  }
  f_ = &f;
  id_ = id;
  contractions_ = contractions(module_, f);
  most_temporaries_ = 0;
  const auto first = static_cast<uint32_t>(code.insts.size());
  std::vector<uint32_t> starts;  // by instruction
  for (const Instr& instr : f.instrs) {
    starts.push_back(static_cast<uint32_t>(code.insts.size()));
    instruction(instr);
  }
  starts.push_back(static_cast<uint32_t>(code.insts.size()));
  exec::Inst end;  // a body may end without ret
  end.kind = exec::Kind::kReturn;
  end.target = id;
  end.counted = false;
  code.insts.push_back(end);
  code.lines.push_back(code.lines.empty() ? 0 : code.lines.back());
  out_.origins.push_back(static_cast<uint32_t>(f.instrs.size()));
  for (size_t pc = first; pc < code.insts.size(); ++pc) {
    exec::Inst& in = code.insts[pc];
    if (in.kind == exec::Kind::kBranch) {
      in.target = starts[in.target];
    } else if (in.kind == exec::Kind::kBranchIndex) {
      for (uint32_t& target : code.targets[in.target]) {
        target = starts[target];
      }
    }
  }
  exec::FunctionInfo& info = code.functions[id];
  info.first = first;
  info.end = static_cast<uint32_t>(code.insts.size());
  info.registers = layouts_[id].next + most_temporaries_;
  for (exec::CallOp& c : code.calls) {  // of this function: their frames are known now
    if (c.frame_registers == 0) {
      c.frame_registers = info.registers;
      c.frame_bytes = info.local_bytes;
    }
  }
  exec::find_reconvergence(code, first, info.end);
}

void Translator::instruction(const Instr& instr) {
  const Op& op = module_.ops[instr.op];
  exec::Code& code = out_.code;
  const size_t before = code.insts.size();
  instr_ = &instr;
  temporaries_ = 0;
  missing_ = false;
  switch (op.opcode) {
    case Opcode::kMov:
      mov(instr, op);
      break;
    case Opcode::kCvta:
      convert_address(instr, op);
      break;
    case Opcode::kIsspacep:
      is_space(instr, op);
      break;
    case Opcode::kLd:
    case Opcode::kLdu:
    case Opcode::kSt:
      load_store(instr, op);
      break;
    case Opcode::kAtom:
    case Opcode::kRed:
      atomic(instr, op);
      break;
    default:
      if (!control(instr, op) && !async(instr, op) && !stack_or_cluster(instr, op) && !matrix(instr, op) &&
          !tcgen05(instr, op) && !texture(instr, op)) {
        arithmetic(instr, op);
      }
  }
  if (code.insts.size() == before) {
    emit(exec::Kind::kFence);
  }
  const auto line = static_cast<uint32_t>(
      std::upper_bound(line_starts_.begin(), line_starts_.end(), instr.at) - line_starts_.begin());
  code.lines.resize(code.insts.size(), line);
  out_.origins.resize(code.insts.size(), static_cast<uint32_t>(&instr - f_->instrs.data()));
  // The first that an observer is told of counts, or else the last one.
  size_t counted = code.insts.size() - 1;
  for (size_t i = code.insts.size(); i-- > before;) {
    code.insts[i].counted = false;
    counted = code.insts[i].kind != exec::Kind::kCompute ? i : counted;
  }
  code.insts[counted].counted = true;
  most_temporaries_ = std::max(most_temporaries_, temporaries_);
}

// A sum that a product is a part of. The product itself is calculated, too, for nobody.
bool Translator::contracted(const Instr& instr, const Op& op) {
  const auto found = contractions_.find(static_cast<uint32_t>(&instr - f_->instrs.data()));
  if (found == contractions_.end()) {
    return false;
  }
  const auto [product, place] = found->second;
  const Instr& factors = f_->instrs[product];
  const size_t other = place == 1 ? 2 : 1;
  const exec::Slot a = source(operand(factors, 1), bits_of(factors, 1));
  const exec::Slot b = source(operand(factors, 2), bits_of(factors, 2));
  const exec::Slot c = source(operand(instr, other), bits_of(instr, other));
  const exec::arith::Fn fn = contracted_handler(op, place == 1);
  exec::Inst& in = emit(exec::Kind::kCompute);
  in.fn = fn.fn;
  in.d[0] = destination(operand(instr, 0));
  const exec::Slot s[] = {a, b, c};
  std::copy_n(s, 3, in.s);
  if (fn.controlled) {
    in.s[exec::arith::kControlPlace] = constant(fn.control);
  }
  return true;
}

// From registers to registers.
void Translator::arithmetic(const Instr& instr, const Op& op) {
  if (contracted(instr, op) || float_pairs(instr, op)) {
    return;
  }
  // The function of a video instruction takes whole registers and knows of their parts and signs.
  const bool parts = is_video(op);
  ArithOperands how;
  exec::Slot d[2] = {exec::kNoSlot, exec::kNoSlot};
  exec::Slot s[5] = {exec::kNoSlot, exec::kNoSlot, exec::kNoSlot, exec::kNoSlot, exec::kNoSlot};
  size_t results = 0, operands = 0;
  for (size_t i = 0; i < instr.operand_count; ++i) {
    const OperandRole role = op.form->operands[i].role;
    const Operand& written = operand(instr, i);
    Operand o = written;
    if (parts) {
      o.selected = o.negated = false;
    }
    if (role == OperandRole::kDestination || role == OperandRole::kDestinationOrSink) {
      if (results == 0) {
        how.d = &written;
        how.register_bits = o.kind == OperandKind::kRegister ? bits(f_->register_types[o.id]) : 32;
      } else {
        how.second = o.kind == OperandKind::kRegister;
      }
      if (results < 2) {
        d[results++] = destination(o);
      }
    } else if (operands < 5) {
      if (operands < 3) {
        how.s[operands] = &written;
      }
      s[operands++] = source(o, bits_of(instr, i));
    }
  }
  const exec::arith::Fn fn = arith_handler(op, how);
  if (fn.fn == nullptr) {
    missing();
    return;
  }
  if (fn.controlled) {
    s[exec::arith::kControlPlace] = constant(fn.control);
  }
  exec::Inst& in = emit(exec::Kind::kCompute);
  in.fn = fn.fn;
  std::copy_n(d, 2, in.d);
  std::copy_n(s, 5, in.s);
}

void Translator::missing(std::string_view why) {
  if (missing_) {
    return;
  }
  missing_ = true;
  const Op& op = module_.ops[instr_->op];
  std::string what = "'" + std::string(op.text) + "' cannot be executed yet";
  if (!why.empty()) {
    what += ": " + std::string(why);
  }
  out_.missing.push_back(module_.source.message(instr_->at, what));
}

exec::Inst& Translator::emit(exec::Kind kind) {
  exec::Inst in;
  in.kind = kind;
  if (instr_->guard != kNone) {
    in.guard = layouts_[id_].registers[instr_->guard];
    in.guard_negated = instr_->guard_negated;
  }
  out_.code.insts.push_back(in);
  return out_.code.insts.back();
}

void Translator::compute(exec::WarpFn fn, exec::Slot d, exec::Slot s0, exec::Slot s1, exec::Slot s2,
                         exec::Slot s3) {
  exec::Inst& in = emit(exec::Kind::kCompute);
  in.fn = fn;
  in.d[0] = d;
  in.s[0] = s0;
  in.s[1] = s1;
  in.s[2] = s2;
  in.s[3] = s3;
}

}  // namespace heddle::ptx
