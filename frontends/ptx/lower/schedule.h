// Order, registers and control bits of machine code in the making (ptx.md 6.3; distances as in the SASS of
// the suites' kernels, hw/h200).
#pragma once

#include <vector>

#include "frontends/ptx/lower/machine.h"

namespace heddle::ptx::lower {

// What an instruction reads and writes.
std::vector<Value> reads(const Machine& m);
std::vector<Value> writes(const Machine& m);

// Whether its result comes after a time that the compiler does not know: it is waited for by a counter.
bool is_variable(const Machine& m);
// Cycles from the issue of one to that of another that reads its result. `guard`: as its condition.
uint32_t distance(const Machine& from, const Machine& to, bool guard);
// Cycles of a result that is waited for when all goes well, else 0: for the order only
// (microbench/FINDINGS.md 3 to 6).
uint32_t usual(const Machine& m);

// Leaves out what nobody reads.
void remove_dead(Lowered& f);
// Gives blocks registers of their own for what is alive in one block only.
void split_by_block(Lowered& f);
// By block and register: whether it is read before it is written, there or behind it.
std::vector<std::vector<bool>> live_at_entry(const Lowered& f);
// Orders each block's instructions: whoever has the longest way to the end of the block first, of so many
// that come next, as long as there are registers.
void schedule(Lowered& f, uint32_t window, uint32_t registers);
// Numbers for all registers; sets vector_registers.
void allocate(Lowered& f);
// Stall counts, counters to wait for, reuse bits.
void set_control(Lowered& f);
// All three, in the order that is fastest with few registers.
void choose_order(Lowered& f);

}  // namespace heddle::ptx::lower
