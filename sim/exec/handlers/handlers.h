// What the instructions of a warp do that are not calculated by a WarpFn: one function for each Kind, in a
// file with those of its sort.
#pragma once

#include <array>
#include <cstdint>

#include "sim/exec/warp/core.h"

namespace heddle::exec {

// Executes g's instruction in the lanes of the mask, which is not empty, and moves g's pc. False: what is g
// now does not go on, others get their turn. Throws ThreadFault for what the program may not do.
using Handler = bool (*)(WarpCore& w, Group& g, const Inst& in, uint32_t mask);

// clang-format off
bool branch(WarpCore& w, Group& g, const Inst& in, uint32_t mask);            // branch.cc
bool branch_index(WarpCore& w, Group& g, const Inst& in, uint32_t mask);
bool exit_or_return(WarpCore& w, Group& g, const Inst& in, uint32_t mask);    // exit.cc
bool trap(WarpCore& w, Group& g, const Inst& in, uint32_t mask);
bool call(WarpCore& w, Group& g, const Inst& in, uint32_t mask);              // call.cc
bool return_to_caller(WarpCore& w, Group& g, const Inst& in, uint32_t mask);
bool take_stack(WarpCore& w, Group& g, const Inst& in, uint32_t mask);        // alloca
bool memory(WarpCore& w, Group& g, const Inst& in, uint32_t mask);            // memory.cc
bool fence(WarpCore& w, Group& g, const Inst& in, uint32_t mask);
bool sleep(WarpCore& w, Group& g, const Inst& in, uint32_t mask);             // own.cc
bool active_mask(WarpCore& w, Group& g, const Inst& in, uint32_t mask);
bool clock(WarpCore& w, Group& g, const Inst& in, uint32_t mask);
bool local_address(WarpCore& w, Group& g, const Inst& in, uint32_t mask);
bool execute_matrix(WarpCore& w, Group& g, const Inst& in, uint32_t mask);            // matrix.cc
bool tensor_memory(WarpCore& w, Group& g, const Inst& in, uint32_t mask);     // tensor_memory.cc
bool sync(WarpCore& w, Group& g, const Inst& in, uint32_t mask);              // sync.cc
bool barrier(WarpCore& w, Group& g, const Inst& in, uint32_t mask);           // barrier.cc
bool cluster_barrier(WarpCore& w, Group& g, const Inst& in, uint32_t mask);
bool barrier_object(WarpCore& w, Group& g, const Inst& in, uint32_t mask);    // async.cc
bool transfer(WarpCore& w, Group& g, const Inst& in, uint32_t mask);
bool map_field(WarpCore& w, Group& g, const Inst& in, uint32_t mask);
bool execute_texture(WarpCore& w, Group& g, const Inst& in, uint32_t mask);           // texture.cc
bool set_meeting_barrier(WarpCore& w, Group& g, const Inst& in, uint32_t mask);  // meeting_barrier.cc
bool converge(WarpCore& w, Group& g, const Inst& in, uint32_t mask);
bool leave_meeting_barrier(WarpCore& w, Group& g, const Inst& in, uint32_t mask);
// clang-format on

// By Kind; null of kCompute, which the loop over instructions does itself.
extern const std::array<Handler, kKinds> kHandlers;

}  // namespace heddle::exec
