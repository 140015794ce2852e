// Which order of the instructions: several are tried, and judged by their registers and by how long a warp
// takes.
#include <algorithm>
#include <array>
#include <cmath>

#include "frontends/ptx/lower/frame.h"
#include "frontends/ptx/lower/schedule.h"

namespace heddle::ptx::lower {
namespace {

// How often a block is executed, for all that is known.
double turns(const Block& b) { return std::pow(8, std::min(b.loop_depth, 4U)); }

// Of a warp that is alone, by its control bits.
double cycles(const Lowered& f) {
  constexpr uint32_t kOperandsRead = 12, kNoCounter = 7;
  double out = 0;
  for (const Block& b : f.blocks) {
    std::array<uint32_t, 8> ready{};
    uint32_t now = 0;
    for (const Machine& m : b.code) {
      for (uint32_t c = 0; c < kNoCounter; ++c) {
        now = (m.control.wait_mask >> c & 1) != 0 ? std::max(now, ready[c]) : now;
      }
      ready[m.control.write_barrier] = std::max(ready[m.control.write_barrier], now + usual(m));
      ready[m.control.read_barrier] = std::max(ready[m.control.read_barrier], now + kOperandsRead);
      now += m.control.stall;
    }
    out += turns(b) * now;
  }
  return out;
}

}  // namespace

// Of the suite of 57, 14 kernels have exactly 32 registers, with which an SM holds all of its warps; with
// more than that ptxas is as sparing: the fastest of those that need not many more than there have to be.
void choose_order(Lowered& f) {
  constexpr uint32_t kMostWarps = 32, kUnit = 8, kAll = 1U << 20;
  constexpr std::array kWindows = {kAll, 256U, 128U, 96U, 64U, 48U, 40U, 32U,
                                   28U,  24U,  20U,  16U, 12U, 8U,  4U,  1U};
  constexpr std::array kRegisters = {kAll, 26U, 29U, 32U, 36U, 40U, 48U, 56U, 64U, 80U, 96U, 128U};
  struct Attempt {
    uint32_t window, limit, registers;
    double cycles;
  };
  std::vector<Attempt> all;
  Lowered made;
  const auto attempt = [&](uint32_t window, uint32_t limit) {
    made = f;
    schedule(made, window, limit);
    allocate(made);
    add_frame(made);
    set_control(made);
    all.push_back({window, limit, made.vector_registers, cycles(made)});
  };
  for (const uint32_t window : kWindows) {
    for (const uint32_t limit : kRegisters) {
      attempt(window, limit);
    }
  }
  const uint32_t fewest = std::ranges::min(all, {}, &Attempt::registers).registers;
  const uint32_t most = std::max(kMostWarps, (fewest + fewest / 8) / kUnit * kUnit + kUnit);
  std::erase_if(all, [&](const Attempt& a) { return a.registers > most; });
  const Attempt best = std::ranges::min(all, {}, &Attempt::cycles);
  attempt(best.window, best.limit);
  f = std::move(made);
}

}  // namespace heddle::ptx::lower
