#include "sim/exec/checks/flow.h"

#include <algorithm>
#include <iterator>

namespace heddle::exec {
namespace {

// A loop that only looks, and the two halves of an atomic operation, are no longer (instructions).
constexpr uint32_t kLongestWait = 64, kLongestAtomic = 24;

// From its first instruction to the one behind its last.
std::pair<uint32_t, uint32_t> bounds(const Code& code, uint32_t pc) {
  if (code.explicit_convergence && !code.stretches.empty()) {
    const auto next = std::upper_bound(code.stretches.begin(), code.stretches.end(), pc,
                                       [](uint32_t at, const auto& s) { return at < s.first; });
    if (next == code.stretches.begin()) {
      return {kNoPc, kNoPc};
    }
    const auto size = static_cast<uint32_t>(code.insts.size());
    return {std::prev(next)->first, next == code.stretches.end() ? size : next->first};
  }
  for (const FunctionInfo& f : code.functions) {
    if (f.first != kNoPc && f.first <= pc && pc < f.end) {
      return {f.first, f.end};
    }
  }
  return {kNoPc, kNoPc};
}

// Nothing of the memory is changed, and nobody waited for.
bool only_looks(const Code& code, const Inst& in) {
  switch (in.kind) {
    case Kind::kCompute:
    case Kind::kBranch:
    case Kind::kFence:
    case Kind::kClock:
    case Kind::kSleep:
    case Kind::kActivemask:
    case Kind::kBarrierSet:
    case Kind::kConverge:
    case Kind::kBreak:
    case Kind::kSync:
      return true;
    case Kind::kMemory:
      return code.memory[in.target].kind == MemoryOp::Kind::kLoad;
    default:
      return false;
  }
}

bool writes(const Inst& in, const Code& code, Slot slot) {
  if (slot == kNoSlot) {
    return false;
  }
  const MemoryOp* m = in.kind == Kind::kMemory ? &code.memory[in.target] : nullptr;
  return in.d[0] == slot || in.d[1] == slot ||
         (m != nullptr && m->kind != MemoryOp::Kind::kStore &&
          std::find(std::begin(m->values), std::end(m->values), slot) != std::end(m->values));
}

// Whether a compare-and-swap behind the load compares with what it gave, or with what was calculated of that.
bool feeds_compare(const Code& code, uint32_t pc) {
  const MemoryOp& load = code.memory[code.insts[pc].target];
  std::vector<Slot> values;
  const auto of_load = [&](Slot s) {
    return s != kNoSlot && std::find(values.begin(), values.end(), s) != values.end();
  };
  std::copy_if(std::begin(load.values), std::end(load.values), std::back_inserter(values),
               [](Slot s) { return s != kNoSlot; });
  const auto end = std::min(static_cast<uint32_t>(code.insts.size()), pc + 1 + kLongestAtomic);
  for (uint32_t i = pc + 1; i < end; ++i) {
    const Inst& in = code.insts[i];
    if (in.kind == Kind::kMemory && of_load(code.memory[in.target].compare[0])) {
      return true;
    }
    if (in.kind == Kind::kCompute && std::any_of(std::begin(in.s), std::end(in.s), of_load)) {
      std::copy_if(std::begin(in.d), std::end(in.d), std::back_inserter(values),
                   [](Slot s) { return s != kNoSlot; });
    } else if (in.kind != Kind::kCompute && in.kind != Kind::kMemory && !only_looks(code, in)) {
      return false;
    }
  }
  return false;
}

}  // namespace

Flow::Function::Function(const Code& code, uint32_t begin, uint32_t behind)
    : first(begin),
      end(behind),
      blocks(code, begin, behind),
      predecessors(reversed(blocks.successors())),
      after(blocks.post_dominators()),
      before(dominators(blocks.successors(), 0)) {}

Flow::Function* Flow::function(uint32_t pc) {
  const auto known = functions_.upper_bound(pc);
  if (known != functions_.begin() && pc < std::prev(known)->second.end) {
    return &std::prev(known)->second;
  }
  const auto [first, end] = bounds(code_, pc);
  return first == kNoPc ? nullptr : &functions_.try_emplace(first, code_, first, end).first->second;
}

Flow::Function* Flow::common(uint32_t a, uint32_t b) {
  Function* f = function(a);
  return f != nullptr && f->first <= b && b < f->end ? f : nullptr;
}

bool Flow::always_follows(uint32_t pc, uint32_t from) {
  const Function* f = common(pc, from);
  if (f == nullptr || pc == from) {
    return false;
  }
  const uint32_t to = f->blocks.of(pc);
  uint32_t b = f->blocks.of(from);
  if (b == to && pc > from) {
    return true;
  }
  while (b != f->blocks.exit() && f->after[b] != kNoNode) {
    b = f->after[b];
    if (b == to) {
      return true;
    }
  }
  return false;
}

bool Flow::reaches(uint32_t from, uint32_t pc) {
  const Function* f = common(from, pc);
  if (f == nullptr) {
    return false;
  }
  const uint32_t to = f->blocks.of(pc), start = f->blocks.of(from);
  if (start == to && pc > from) {
    return true;
  }
  std::vector<bool> seen(f->blocks.blocks());
  std::vector<uint32_t> next = f->blocks.successors()[start];
  while (!next.empty()) {
    const uint32_t b = next.back();
    next.pop_back();
    if (b == to) {
      return true;
    }
    if (!seen[b]) {
      seen[b] = true;
      const std::vector<uint32_t>& more = f->blocks.successors()[b];
      next.insert(next.end(), more.begin(), more.end());
    }
  }
  return false;
}

bool Flow::in_loop(uint32_t branch, uint32_t pc) {
  const Function* f = common(branch, pc);
  const Inst& in = code_.insts[branch];
  if (f == nullptr || in.kind != Kind::kBranch || in.target > branch) {
    return false;
  }
  const uint32_t head = f->blocks.of(in.target), end = f->blocks.of(branch);
  for (uint32_t b = end; b != head; b = f->before[b]) {
    if (b == kNoNode || f->before[b] == b) {
      return false;  // one may come to its end without its beginning
    }
  }
  std::vector<bool> inside(f->blocks.blocks());
  inside[head] = true;
  for (std::vector<uint32_t> next = {end}; !next.empty();) {
    const uint32_t b = next.back();
    next.pop_back();
    if (!inside[b]) {
      inside[b] = true;
      next.insert(next.end(), f->predecessors[b].begin(), f->predecessors[b].end());
    }
  }
  return inside[f->blocks.of(pc)];
}

LoadUse load_use(const Code& code, uint32_t pc) {
  const Inst& load = code.insts[pc];
  const MemoryOp& op = code.memory[load.target];
  const auto size = static_cast<uint32_t>(code.insts.size());
  if (feeds_compare(code, pc)) {
    return LoadUse::kOfAtomic;
  }
  for (uint32_t i = pc; i < std::min(size, pc + kLongestWait) && only_looks(code, code.insts[i]); ++i) {
    const Inst& in = code.insts[i];
    if (in.kind != Kind::kBranch || in.target > pc || in.target == kNoPc) {
      continue;
    }
    const auto first = code.insts.begin() + in.target, last = code.insts.begin() + i + 1;
    const bool waits = std::all_of(first, last, [&](const Inst& x) {
      return only_looks(code, x) && !writes(x, code, load.s[0]) && !writes(x, code, op.addend);
    });
    return waits ? LoadUse::kPolls : LoadUse::kPlain;
  }
  return LoadUse::kPlain;
}

}  // namespace heddle::exec
