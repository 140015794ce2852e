// Basic blocks of a function, made larger as ptxas does: short stretches that a branch leaves out become
// conditional, and a branch to the end becomes a conditional EXIT (ptx.md 6.1).
#pragma once

#include "frontends/ptx/lower/machine.h"

namespace heddle::ptx::lower {

// Fills blocks, their stretches and successors, and block_of. `cuts`: by instruction, whether a block ends
// behind it. Stretches of up to `conditional` instructions become conditional.
void find_blocks(const Module& module, const std::vector<bool>& cuts, uint32_t conditional, Lowered& f);

// Whether the branch that ends a stretch is left out: what it leaves out is conditional, or it is an EXIT.
bool is_exit(const Module& module, const Function& f, uint32_t instr);
bool ends_thread(const Module& module, const Function& f, uint32_t target);

// bar and barrier.
bool is_barrier(Opcode o);
// These, barrier objects and fences of memory.
bool orders_others(Opcode o);

}  // namespace heddle::ptx::lower
