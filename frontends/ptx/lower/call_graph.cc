#include "frontends/ptx/lower/call_graph.h"

#include <map>
#include <set>

namespace heddle::ptx::lower {
namespace {

constexpr size_t kTarget = 1;  // of a call's operands

class Walk {
 public:
  explicit Walk(const Module& m) : m_(m) {
    for (const Initial& i : m.initials) {
      for (const Relocation& r : i.relocations) {
        if (r.function && !m.functions[r.id].entry) {
          in_variables_.push_back(resolved(m, r.id));
        }
      }
    }
  }

  std::vector<Reached> run(uint32_t kernel) {
    visit(kernel);
    named_.insert(in_variables_.begin(), in_variables_.end());
    for (Reached& r : out_) {
      r.standard = named_.contains(r.function) || reaches_itself(r.function);
    }
    return std::move(out_);
  }

 private:
  void visit(uint32_t id) {  // NOLINT(misc-no-recursion): as deep as there are functions
    const Function& f = m_.functions[id];
    if (!f.defined || calls_.contains(id)) {
      return;
    }
    calls_[id];
    for (const Instr& in : f.instrs) {
      const auto x = f.operands_of(in);
      const bool call = m_.ops[in.op].opcode == Opcode::kCall;
      for (size_t k = 0; k < x.size(); ++k) {
        if (x[k].kind == OperandKind::kFunction && !m_.functions[x[k].id].entry) {  // kernels are launched
          to(id, resolved(m_, x[k].id), !call || k != kTarget);
        }
      }
      if (call && x[kTarget].kind == OperandKind::kRegister) {
        through_pointer(id);
      }
    }
    out_.push_back({id, false});
  }

  void to(uint32_t from, uint32_t function, bool named) {  // NOLINT(misc-no-recursion): visit
    if (named) {
      named_.insert(function);
    }
    calls_[from].insert(function);
    visit(function);
  }

  // Whom a pointer may mean: all whose address a variable holds.
  void through_pointer(uint32_t from) {  // NOLINT(misc-no-recursion): visit
    for (const uint32_t function : in_variables_) {
      to(from, function, false);
    }
  }

  bool reaches_itself(uint32_t function) const {
    std::set<uint32_t> seen;
    std::vector<uint32_t> work{function};
    while (!work.empty()) {
      const auto c = calls_.find(work.back());
      work.pop_back();
      if (c == calls_.end()) {
        continue;
      }
      for (const uint32_t to : c->second) {
        if (to == function) {
          return true;
        }
        if (seen.insert(to).second) {
          work.push_back(to);
        }
      }
    }
    return false;
  }

  const Module& m_;
  std::map<uint32_t, std::set<uint32_t>> calls_;
  std::vector<uint32_t> in_variables_;  // whose address a variable holds, in the variables' order
  std::set<uint32_t> named_;            // or somebody takes
  std::vector<Reached> out_;
};

}  // namespace

uint32_t resolved(const Module& module, uint32_t function) {
  while (module.functions[function].alias_of != kNone) {
    function = module.functions[function].alias_of;
  }
  return function;
}

std::vector<Reached> reached_functions(const Module& module, uint32_t kernel) {
  return Walk(module).run(kernel);
}

}  // namespace heddle::ptx::lower
