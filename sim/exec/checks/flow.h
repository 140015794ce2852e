// Questions about a program's control flow that checks ask: what lies behind what, and which loops there are.
// Asked seldom, so what is needed of a function is found when it is first asked for.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/exec/code.h"
#include "sim/exec/control_flow.h"

namespace heddle::exec {

class Flow {
 public:
  explicit Flow(const Code& code) : code_(code) {}

  // Whether all ways from `from` on go through `pc`, another instruction of its function.
  bool always_follows(uint32_t pc, uint32_t from);
  // Whether a way leads from `from` to `pc`, of one function.
  bool reaches(uint32_t from, uint32_t pc);
  // Whether `pc` is in the loop whose turns end with this branch back.
  bool in_loop(uint32_t branch, uint32_t pc);

 private:
  struct Function {
    Function(const Code& code, uint32_t begin, uint32_t behind);
    uint32_t first, end;
    Blocks blocks;
    Graph predecessors;
    std::vector<uint32_t> after, before;  // by block: its immediate post-dominator, its dominator
  };
  Function* function(uint32_t pc);  // null: of none
  Function* common(uint32_t a, uint32_t b);

  const Code& code_;
  std::map<uint32_t, Function> functions_;  // by first instruction
};

// How a load of shared memory in machine code is meant, which does not say there whether it is a strong one.
enum class LoadUse : uint8_t {
  kPlain,
  kPolls,     // a loop of nothing else repeats it until what it gives changes: a flag
  kOfAtomic,  // a compare-and-swap takes what it gives: the first half of an atomic operation
};
LoadUse load_use(const Code& code, uint32_t pc);

}  // namespace heddle::exec
