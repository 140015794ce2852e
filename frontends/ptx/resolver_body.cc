#include <algorithm>
#include <bit>
#include <cstddef>

#include "frontends/ptx/resolver.h"

namespace heddle::ptx {
namespace {

constexpr uint64_t kMostRegisters = uint64_t{1} << 24;

}  // namespace

void Resolver::body(const ast::Item& item) {
  collect_labels(item);
  uint32_t scopes = 0;
  declare_labels(scopes);
  for (const ast::Statement& s : item.statements) {
    if (s.kind == ast::StatementKind::kOpen) {
      names_.open();
      declare_labels(++scopes);
    } else if (s.kind == ast::StatementKind::kClose) {
      names_.close();
    } else {
      statement(item, s);
    }
  }
  number_registers();
}

// Labels are known in all of their scope, also before they stand: each with the number of its scope, in the
// order in which scopes open.
void Resolver::collect_labels(const ast::Item& item) {
  labels_.clear();
  std::vector<uint32_t> open = {0};
  uint32_t scopes = 0;
  uint32_t instrs = 0;
  for (const ast::Statement& s : item.statements) {
    if (s.kind == ast::StatementKind::kOpen) {
      open.push_back(++scopes);
    } else if (s.kind == ast::StatementKind::kClose) {
      open.pop_back();
    } else if (s.kind == ast::StatementKind::kInstr) {
      ++instrs;
    } else if (s.kind == ast::StatementKind::kLabel) {
      labels_.push_back({open.back(), static_cast<uint32_t>(f_->labels.size()), s.at});
      f_->labels.push_back({s.text, instrs});
    }
  }
  f_->instrs.reserve(instrs);
  std::stable_sort(labels_.begin(), labels_.end(),
                   [](const ScopedLabel& a, const ScopedLabel& b) { return a.scope < b.scope; });
}

void Resolver::declare_labels(uint32_t scope) {
  auto it = std::lower_bound(labels_.begin(), labels_.end(), scope,
                             [](const ScopedLabel& l, uint32_t s) { return l.scope < s; });
  for (; it != labels_.end() && it->scope == scope; ++it) {
    declare({f_->labels[it->label].name, Meaning::kLabel, it->label}, it->at);
  }
}

void Resolver::statement(const ast::Item& item, const ast::Statement& s) {
  const auto next = static_cast<uint32_t>(f_->instrs.size());
  switch (s.kind) {
    case ast::StatementKind::kInstr:
      instr(item, s);
      return;
    case ast::StatementKind::kDeclaration:
      for (uint32_t i = 0; i < s.range.count; ++i) {
        const ast::Declaration& d = item.declarations[s.range.first + i];
        if (d.space == Space::kReg) {
          registers(d);
        } else {
          variable(item, d, function_);
        }
      }
      return;
    case ast::StatementKind::kLoc: {
      const ast::Loc& l = item.locs[s.range.first];
      f_->locs.push_back({next, l.file, l.line, l.column, l.function_name, l.function_offset, l.inlined,
                          l.inlined_file, l.inlined_line, l.inlined_column});
      return;
    }
    case ast::StatementKind::kPragma:
      f_->loop_pragmas.push_back({s.text, next});
      return;
    case ast::StatementKind::kBranchTargets:
    case ast::StatementKind::kCallTargets:
      list(item, s);
      return;
    case ast::StatementKind::kCallPrototype:
      declare({s.text, Meaning::kPrototype, static_cast<uint32_t>(f_->prototypes.size())}, s.at);
      f_->prototypes.push_back(signature(item, item.prototypes[s.range.first], false));
      return;
    case ast::StatementKind::kLabel:
    case ast::StatementKind::kOpen:
    case ast::StatementKind::kClose:
      return;
  }
}

// .branchtargets, .calltargets
void Resolver::list(const ast::Item& item, const ast::Statement& s) {
  const bool branch = s.kind == ast::StatementKind::kBranchTargets;
  std::vector<uint32_t> targets;
  for (uint32_t i = 0; i < s.range.count; ++i) {
    const ast::Operand& a = item.operands[s.range.first + i];
    const Named* found = a.kind == ast::OperandKind::kName ? names_.find(a.name) : nullptr;
    if (found == nullptr || found->meaning != (branch ? Meaning::kLabel : Meaning::kFunction)) {
      fail(a.at, quoted(a.name) + (branch ? " is no label (legal: labels of this scope or around it)"
                                          : " is no function (legal: functions declared before)"));
    }
    targets.push_back(branch ? f_->labels[found->id].instr : found->id);
  }
  auto& lists = branch ? f_->branch_targets : f_->call_targets;
  declare(
      {s.text, branch ? Meaning::kBranchTargets : Meaning::kCallTargets, static_cast<uint32_t>(lists.size())},
      s.at);
  lists.push_back(std::move(targets));
}

// .reg: one name, or name<N>.
void Resolver::registers(const ast::Declaration& d) {
  if (d.array || d.initialised) {
    fail(d.at, "register " + quoted(d.name) + (d.array ? " with dimensions" : " with an initialiser") +
                   " (legal: .reg .type name, or name<N> for N of them)");
  }
  if (info(d.type).kind == TypeKind::kOpaque || (bits(d.type) < 8 && d.type != Type::kPred) ||
      d.type == Type::kB1024) {
    fail(d.at, "register of type ." + std::string(info(d.type).name) +
                   " (legal: .pred, .b8 to .b128, .u8 to .u64, .s8 to .s64, .f16, .f16x2, .f32, .f64)");
  }
  RegisterRange range;
  range.name = d.name;
  range.type = d.type;
  range.vector = d.vector;
  range.numbered = d.range != 0;
  range.first = static_cast<uint32_t>(f_->declared_registers);
  const uint64_t count = uint64_t{std::max<uint32_t>(d.range, 1)} * d.vector;
  if (count > kMostRegisters - f_->declared_registers) {
    fail(d.at, "too many registers with " + quoted(d.name) + " (legal: up to " +
                   std::to_string(kMostRegisters) + " in a function)");
  }
  range.count = static_cast<uint32_t>(count);
  f_->declared_registers += count;
  const auto id = static_cast<uint32_t>(f_->ranges.size());
  f_->ranges.push_back(range);
  if (d.name == "_" || d.name.empty()) {
    return;
  }
  declare({d.name, range.numbered ? Meaning::kRegisters : Meaning::kRegister, id}, d.at, range.numbered);
  if (!range.numbered && d.name.back() >= '0' && d.name.back() <= '9') {
    ++plain_registers_;
  }
}

// From declared numbers to those that occur, without gaps.
void Resolver::number_registers() {
  std::vector<uint64_t> used((f_->declared_registers + 63) / 64, 0);
  const auto each = [&](const auto& visit) {
    for (Operand& o : f_->operands) {
      if (o.kind == OperandKind::kRegister ||
          (o.kind == OperandKind::kAddress && o.base == Base::kRegister)) {
        visit(o.id);
      }
    }
    for (Instr& i : f_->instrs) {
      if (i.guard != kNone) {
        visit(i.guard);
      }
    }
    for (auto* list : {&f_->signature.returns, &f_->signature.parameters}) {
      for (Parameter& p : *list) {
        if (p.is_register) {
          visit(p.id);
        }
      }
    }
  };
  each([&](uint32_t& id) { used[id / 64] |= uint64_t{1} << (id % 64); });
  std::vector<uint32_t> before(used.size(), 0);  // ids of the words before
  uint32_t range = 0;
  for (size_t w = 0; w < used.size(); ++w) {
    before[w] = static_cast<uint32_t>(f_->register_numbers.size());
    for (uint64_t rest = used[w]; rest != 0; rest &= rest - 1) {
      const auto number = static_cast<uint32_t>(w * 64 + static_cast<size_t>(std::countr_zero(rest)));
      while (number >= f_->ranges[range].first + f_->ranges[range].count) {
        ++range;
      }
      f_->register_numbers.push_back(number);
      f_->register_types.push_back(f_->ranges[range].type);
    }
  }
  each([&](uint32_t& id) {
    const uint64_t lower = used[id / 64] & ((uint64_t{1} << (id % 64)) - 1);
    id = before[id / 64] + static_cast<uint32_t>(std::popcount(lower));
  });
}

}  // namespace heddle::ptx
