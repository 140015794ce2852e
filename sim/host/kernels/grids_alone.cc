// A grid that has the device to itself runs as the same kernel did before: its blocks need not be handed out
// one by one again. When another grid starts meanwhile, they are after all, from the grid's start on.
#include <algorithm>

#include "sim/host/kernels/grids.h"

namespace heddle::host {

bool Grids::runs_by_itself(const ResidentGrid& g) const {
  const KernelDesc& k = core_.program.kernels[g.kernel];
  const Command& c = core_.commands[g.slot];
  return k.until_flag == kNone && !k.grid_barrier && k.trigger_after == kNever && k.wait_after == kNever &&
         k.calls.empty() && k.launches.empty() && g.cluster == 1 && !c.beside && c.primaries == 0 &&
         c.first_trigger_edge == kNone;
}

// True: it runs by what is known, and nothing else is to be done.
bool Grids::starts_alone(uint32_t g) {
  ResidentGrid& grid = grids_[g];
  if (behind_ == g) {  // behind what ends now
    behind_ = kNone;
    core_.events.push(core_.now, Happening::kGridStart, g, device_);
    return true;
  }
  if (watched_ != kNone && watched_ != g) {
    if (by_known_time_) {
      another_starts(g);
      return true;
    }
    watched_ = kNone;
  }
  const bool again = watched_ == g;  // its blocks are handed out after all
  started_ += again ? 0 : 1;
  if (again || started_ > 1 || !runs_by_itself(grid) || distributor_free_ > core_.now || wake_ != kNever ||
      !std::all_of(sms_.begin(), sms_.end(), [&](const Sm& s) { return s.next <= core_.now; })) {
    watched_ = kNone;
    return false;
  }
  watched_ = g;
  alone_since_ = core_.now;
  cursor_before_ = cursor_;
  const auto known = known_.find({grid.kernel, grid.block_time});
  if (known == known_.end()) {
    return false;
  }
  by_known_time_ = true;
  const Alone& a = known->second;
  grid.started = core_.now + a.first_start;
  grid.last_start = core_.now + a.last_start;
  core_.commands[grid.slot].all_started_at = grid.last_start;
  core_.events.push(core_.now + a.end, Happening::kBlockEnd, g, ++alone_runs_, device_);
  return true;
}

// The grid that is alone starts again, at its time: its events up to now come before the other's start.
void Grids::another_starts(uint32_t other) {
  by_known_time_ = false;
  ++alone_runs_;
  ResidentGrid& grid = grids_[watched_];
  grid.started = kNever;
  grid.last_start = Ps();
  core_.commands[grid.slot].all_started_at = kNever;
  core_.events.push(alone_since_, Happening::kGridStart, watched_, device_);
  core_.events.push(core_.now, Happening::kGridStart, other, device_);
  behind_ = other;
}

void Grids::known_end(uint32_t g) {
  ResidentGrid& grid = grids_[g];
  const Alone& a = known_.at({grid.kernel, grid.block_time});
  const auto sms = static_cast<uint32_t>(sms_.size());
  cursor_ = (cursor_before_ + a.turn) % sms;
  look_everywhere_ = true;
  blocks_run_ += grid.left;
  grid.left = 0;
  grid.all_started = true;
  grid_done(g);
  hand_out();
}

// The grid has ended: if it was alone all the time, the next one like it is known.
void Grids::ended_alone(uint32_t g) {
  --started_;
  if (watched_ != g) {
    return;
  }
  watched_ = kNone;
  if (std::exchange(by_known_time_, false)) {
    return;
  }
  const ResidentGrid& grid = grids_[g];
  const bool settled =
      distributor_free_ <= core_.now && wake_ == kNever &&
      std::all_of(sms_.begin(), sms_.end(), [&](const Sm& s) { return s.next <= core_.now; });
  if (settled) {
    const auto sms = static_cast<uint32_t>(sms_.size());
    known_[{grid.kernel, grid.block_time}] = {core_.now - alone_since_, grid.started - alone_since_,
                                              grid.last_start - alone_since_,
                                              (cursor_ + sms - cursor_before_) % sms};
  }
}

}  // namespace heddle::host
