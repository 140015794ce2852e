// How the lanes of a warp part and meet again: one of three models (../README.md, Lanes).
#pragma once

#include <cstdint>
#include <string>

#include "sim/exec/warp/state.h"

namespace heddle::exec {

struct WarpCore;

class Convergence {
 public:
  virtual ~Convergence() = default;

  // The group whose turn it is; null: all wait.
  virtual Group* choose(WarpCore& w) const = 0;
  // Lanes of `like`, taken out of it by the caller, go on at `pc`.
  virtual Group& add(WarpCore& w, const Group& like, uint32_t mask, uint32_t pc) const;
  // The lanes `jump` of g, not all of them, go to the branch's target and the others on. False: others than
  // those that are g now go first.
  virtual bool part(WarpCore& w, Group& g, uint32_t jump, const Inst& in) const;
  // Groups at the same place become one.
  virtual void merge(WarpCore&) const {}
  // Whoever waits to meet others goes on alone: meeting is never part of what a program means. False: nobody
  // does.
  virtual bool release(WarpCore& w) const = 0;
  // Lanes that parted make progress whatever the others wait for (compute capability 7.0 on).
  virtual bool independent() const { return true; }
  // Lanes that have executed one `.sync` at different places go on together if that is at one place.
  virtual bool meet_after_sync() const { return false; }
  // For messages: who cannot go on, and why.
  virtual std::string waits(const WarpCore&) const { return ""; }
};

// By Code::explicit_convergence and Code's or Launch's reconvergence_stack.
const Convergence& meeting_at_joins();
const Convergence& explicit_convergence();
const Convergence& reconvergence_stack();

// Joins, of the first and the last.
// Where lanes of g that part now are to meet; they may be on their way there already.
int join_at(WarpCore& w, const Group& g, uint32_t pc);
// g stands where its join is. False when it waits there for others.
bool arrive_at_join(WarpCore& w, Group& g);
// Those who have come to the join go on, and nobody waits for them any more.
void finish_join(WarpCore& w, int join);

}  // namespace heddle::exec
