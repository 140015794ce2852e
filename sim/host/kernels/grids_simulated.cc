// Kernels that the kernel model runs: here they take a place among the resident grids, and nothing else.
#include <algorithm>

#include "sim/host/core/kernel_model.h"
#include "sim/host/kernels/grids.h"

namespace heddle::host {

bool Grids::is_simulated(uint32_t kernel) const {
  return core_.kernels && core_.program.kernels[kernel].trace != kNone;
}

// A trace does not say where its blocks would wait for the kernels before: the launch waits as a whole
// (PD04).
void Grids::simulate(uint32_t g) {
  ResidentGrid& grid = grids_[g];
  if (core_.commands[grid.slot].primaries > 0) {
    grid.behind_primaries = true;
    return;
  }
  ++core_.simulated;
  core_.kernels->launch({device_, &core_.program.kernels[grid.kernel], grid.priority, g, core_.now,
                         core_.commands[grid.slot].values});
}

// Who waits for all its blocks to have started goes on now, too (PD03): there is no earlier time to be had.
void Grids::simulated_end(uint32_t g, Ps start) {
  ResidentGrid& grid = grids_[g];
  --core_.simulated;
  grid.started = start;
  grid.last_start = core_.now;
  blocks_run_ += core_.program.kernels[grid.kernel].grid.count();
  all_started(g);
  grid_done(g);
  hand_out();
}

}  // namespace heddle::host
