#include "tests/configs/effect/kernel_probe.h"

namespace heddle::config::effect {

std::string told(const simtest::Outcome& o) {
  const stats::KernelResult& r = o.result;
  std::string out;
  const auto say = [&](auto value) {
    out += std::to_string(value);
    out += ' ';
  };
  say(r.cycles);
  say(r.seconds());
  say(r.sm_active_cycles_max);
  say(r.sm_active_cycles_sum);
  for (uint64_t n : r.totals.count) {
    say(n);
  }
  for (uint64_t n : r.totals.stall) {
    say(n);
  }
  const stats::Occupancy& a = r.occupancy;
  for (uint64_t n : {a.limit_blocks, a.limit_registers, a.limit_shared, a.limit_warps, a.warps_per_sm,
                     a.shared_carveout_bytes, a.l1_bytes, a.shared_bytes_per_block, a.registers_per_block,
                     a.carveout_min_bytes, a.carveout_max_bytes}) {
    say(n);
  }
  for (const simtest::Issue& i : o.issues) {
    say(i.sm);
    say(i.cycle);
  }
  return out;
}

Probe kernel_probe(std::string name, std::function<simtest::Kernel()> make, std::vector<std::string> setup,
                   device::RunOptions options) {
  return {std::move(name), std::move(setup),
          [make = std::move(make), options = std::move(options)](const GpuConfig& gpu) {
            simtest::Kernel k = make();
            return told(simtest::run(gpu, k, options));
          }};
}

}  // namespace heddle::config::effect
