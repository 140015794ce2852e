#include <cstddef>
#include <utility>

#include "frontends/ptx/check.h"
#include "frontends/ptx/resolver.h"

namespace heddle::ptx {

bool Resolver::wrong(uint32_t at, std::string what) {
  problem_at_ = at;
  problem_ = std::move(what);
  return false;
}

const std::pair<uint32_t, uint32_t>& Resolver::ops_of(const ast::Statement& s) {
  if (const Named* known = texts_.find(s.text); known != nullptr) {
    return candidates_[known->id];
  }
  Decoded decoded = decode(s.text, module_.target);
  std::string wrong;
  std::vector<Op> good;
  for (Op& op : decoded.candidates) {
    const std::string why = illegal_combination(op, module_.target);
    if (why.empty()) {
      good.push_back(op);
    } else if (wrong.empty()) {
      wrong = why;
    }
  }
  if (!decoded.error.empty() || good.empty()) {
    fail(s.at + decoded.error_at, decoded.error.empty() ? wrong : decoded.error);
  }
  texts_.add({s.text, Meaning::kText, static_cast<uint32_t>(candidates_.size())});
  candidates_.emplace_back(static_cast<uint32_t>(module_.ops.size()), static_cast<uint32_t>(good.size()));
  module_.ops.insert(module_.ops.end(), good.begin(), good.end());
  return candidates_.back();
}

void Resolver::guard(const ast::Statement& s, Instr& i) {
  const auto r = find_register(s.guard);
  if (!r) {
    fail(s.guard_at, unknown(s.guard));
  }
  if (r->type != Type::kPred) {
    fail(s.guard_at, quoted(s.guard) + " is of type ." + std::string(info(r->type).name) +
                         " (legal: a guard is a .pred register)");
  }
  i.guard = r->number;
  i.guard_negated = s.guard_negated;
}

void Resolver::instr(const ast::Item& item, const ast::Statement& s) {
  Instr i;
  i.at = s.at;
  if (!s.guard.empty()) {
    guard(s, i);
  }
  const auto [first, count] = ops_of(s);
  uint32_t best_at = 0;
  std::string best;
  size_t furthest = 0;
  const size_t mark = f_->operands.size();
  for (uint32_t c = 0; c < count; ++c) {
    direct_.clear();
    f_->operands.resize(mark);
    const Op& op = module_.ops[first + c];
    if (op.opcode == Opcode::kCall ? fill_call(item, s) : fill(item, s, op)) {
      i.op = first + c;
      i.operands = static_cast<uint32_t>(f_->operands.size());
      i.operand_count = static_cast<uint8_t>(direct_.size());
      f_->operands.insert(f_->operands.end(), direct_.begin(), direct_.end());
      f_->instrs.push_back(i);
      return;
    }
    if (c == 0 || direct_.size() > furthest) {
      furthest = direct_.size();
      best_at = problem_at_;
      best = problem_;
    }
  }
  fail(best_at, best);
}

// Where in the written operands the places of a form stand.
struct Resolver::Cursor {
  std::span<const ast::Operand> rest;    // behind the last one taken
  std::span<const ast::Operand> inside;  // of the bracket: the same
  const ast::Operand* pair = nullptr;    // whose second half is to come
  const ast::Operand* extra = nullptr;   // what has no place
};

// What is written for a place of the form; nullptr: nothing.
const ast::Operand* Resolver::written_for(const ast::Item& item, const Form& form, size_t place,
                                          Cursor& at) const {
  const auto next = [](std::span<const ast::Operand>& from) -> const ast::Operand* {
    if (from.empty()) {
      return nullptr;
    }
    const ast::Operand* a = &from.front();
    from = from.subspan(1);
    return a;
  };
  const OperandSpec& spec = form.operands[place];
  const OperandSpec* following = place + 1 < form.operands.size() ? &form.operands[place + 1] : nullptr;
  if (spec.second) {
    const ast::Operand* a = at.pair == nullptr ? nullptr : &item.operands[at.pair->children.first + 1];
    at.pair = nullptr;
    return a;
  }
  if (spec.in_bracket) {
    if (const ast::Operand* b = spec.bracket_opens ? next(at.rest) : nullptr) {
      at.inside =
          b->kind == ast::OperandKind::kBracket
              ? std::span<const ast::Operand>(item.operands.data() + b->children.first, b->children.count)
              : std::span<const ast::Operand>(b, 1);
    }
    const ast::Operand* a = next(at.inside);
    if ((following == nullptr || !following->in_bracket) && !at.inside.empty()) {
      at.extra = &at.inside.front();
    }
    return a;
  }
  const ast::Operand* a = next(at.rest);
  if (a != nullptr && a->kind == ast::OperandKind::kPair) {
    if (following == nullptr || !following->second) {
      at.extra = a;
      return a;
    }
    at.pair = a;
    a = &item.operands[a->children.first];
  }
  return a;
}

// The operands of `s` into direct_, one for each place of the form.
bool Resolver::fill(const ast::Item& item, const ast::Statement& s, const Op& op) {
  const Form& form = *op.form;
  Cursor at;
  at.rest = {item.operands.data() + s.range.first, s.range.count};
  const auto wrong_operands = [&](uint32_t where) {
    return wrong(where, "wrong operands of " + quoted(op.text) + " (legal: " + shape_of(form, op) + ")");
  };
  for (size_t p = 0; p < form.operands.size(); ++p) {
    const OperandSpec& spec = form.operands[p];
    Operand out;
    if (present(spec, op)) {
      const ast::Operand* a = written_for(item, form, p, at);
      if (at.extra != nullptr || (a == nullptr && !spec.optional)) {
        return wrong_operands(at.extra != nullptr ? at.extra->at : s.at);
      }
      if (a != nullptr && !place(item, spec, op, *a, out)) {
        return false;
      }
    }
    direct_.push_back(out);
  }
  return at.rest.empty() || wrong_operands(at.rest.front().at);
}

// call (returns), target, (arguments), list: four operands, a kVector, a function or register, a kVector, a
// kList or kNone.
bool Resolver::fill_call(const ast::Item& item, const ast::Statement& s) {
  std::span<const ast::Operand> rest(item.operands.data() + s.range.first, s.range.count);
  const auto take = [&](ast::OperandKind kind) -> const ast::Operand* {
    if (rest.empty() || rest.front().kind != kind) {
      return nullptr;
    }
    const ast::Operand* a = &rest.front();
    rest = rest.subspan(1);
    return a;
  };
  static const ast::Operand kEmpty;
  const ast::Operand* returns = take(ast::OperandKind::kList);
  const ast::Operand* name = take(ast::OperandKind::kName);
  const ast::Operand* given = take(ast::OperandKind::kList);
  const ast::Operand* list = take(ast::OperandKind::kName);
  if (name == nullptr || !rest.empty()) {
    return wrong(rest.empty() ? s.at : rest.front().at,
                 "wrong operands of call (legal: call (returns), function, (arguments), targets;)");
  }
  Operand target;
  Operand targets;
  const Signature* signature = nullptr;
  if (!callee(*name, list, target, targets, signature)) {
    return false;
  }
  static const Signature kNothing;
  const Signature& formal = signature == nullptr ? kNothing : *signature;
  Operand results;
  Operand actuals;
  if (!arguments(item, returns == nullptr ? kEmpty : *returns, formal.returns, true, results) ||
      !arguments(item, given == nullptr ? kEmpty : *given, formal.parameters, false, actuals)) {
    problem_at_ = problem_at_ == 0 ? s.at : problem_at_;
    return false;
  }
  direct_ = {results, target, actuals, targets};
  return true;
}

bool Resolver::callee(const ast::Operand& name, const ast::Operand* list, Operand& target, Operand& targets,
                      const Signature*& signature) {
  if (const auto r = find_register(name.name)) {
    target = {OperandKind::kRegister, Base::kAbsolute, false, false, r->number, 0};
    return indirect(name, list, targets, signature);
  }
  const Named* found = names_.find(name.name);
  if (found == nullptr || found->meaning != Meaning::kFunction) {
    return wrong(name.at, quoted(name.name) +
                              " is no function (legal: one declared before, or a register with its targets)");
  }
  target = {OperandKind::kFunction, Base::kAbsolute, false, false, found->id, 0};
  signature = &module_.functions[found->id].signature;
  return true;
}

// A call through a register: what it may reach.
bool Resolver::indirect(const ast::Operand& name, const ast::Operand* list, Operand& targets,
                        const Signature*& signature) {
  const std::string legal = " (legal: at the end the name of a .callprototype or .calltargets)";
  if (list == nullptr) {
    return wrong(name.at, "call through register " + quoted(name.name) + " without targets" + legal);
  }
  const Named* found = names_.find(list->name);
  if (found == nullptr ||
      (found->meaning != Meaning::kPrototype && found->meaning != Meaning::kCallTargets)) {
    return wrong(list->at, quoted(list->name) + " lists no targets" + legal);
  }
  targets.kind = OperandKind::kList;
  targets.negated = found->meaning == Meaning::kCallTargets;
  targets.id = found->id;
  if (!targets.negated) {
    signature = &f_->prototypes[found->id];
  } else if (!f_->call_targets[found->id].empty()) {
    signature = &module_.functions[f_->call_targets[found->id].front()].signature;
  }
  return true;
}

// Those in the parentheses of a call, against the parameters.
bool Resolver::arguments(const ast::Item& item, const ast::Operand& list,
                         const std::vector<Parameter>& formals, bool returned, Operand& out) {
  std::vector<Operand> found;
  for (uint32_t i = 0; i < list.children.count; ++i) {
    const ast::Operand& a = item.operands[list.children.first + i];
    const Type want = i < formals.size() && formals[i].is_register ? formals[i].type : Type::kNone;
    static const OperandSpec kSpec{.role = OperandRole::kMovSource};
    static const OperandSpec kUnwanted{.role = OperandRole::kDestinationOrSink};
    const bool sink = returned && a.kind == ast::OperandKind::kSink;
    Operand o;
    if (!one(sink ? kUnwanted : kSpec, Op{}, want, a, o)) {
      return false;
    }
    if (i < formals.size() && !formals[i].is_register && o.kind == OperandKind::kVariable &&
        formals[i].size != 0 && module_.variables[o.id].size != formals[i].size) {
      return wrong(a.at, quoted(a.name) + " has " + std::to_string(module_.variables[o.id].size) +
                             " bytes (legal: " + std::to_string(formals[i].size) +
                             ", as the function's parameter)");
    }
    found.push_back(o);
  }
  const bool open = !formals.empty() && !formals.back().is_register && formals.back().size == 0;
  if (open ? found.size() + 1 < formals.size() : found.size() != formals.size()) {
    return wrong(list.at, "call with " + std::to_string(found.size()) +
                              (returned ? " returned value" : " argument") + (found.size() == 1 ? "" : "s") +
                              " (legal: " + std::to_string(formals.size()) + ")");
  }
  out.kind = OperandKind::kVector;
  out.id = static_cast<uint32_t>(f_->operands.size());
  out.value = static_cast<int64_t>(found.size());
  f_->operands.insert(f_->operands.end(), found.begin(), found.end());
  return true;
}

}  // namespace heddle::ptx
