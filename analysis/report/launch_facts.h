// What the reports say about a launch, computed from its record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/store/record.h"

namespace heddle::analysis {

struct StallShare {
  std::string_view reason;
  double percent = 0;  // of all warp-cycles, those that issued included
};

// The counters that a hit rate is made of. Of the L2, the sectors that SMs ask for:
// lts__t_sector_hit_rate.pct has hits that are no look-ups (memory barriers), and may be above 100 %.
struct LookUps {
  std::string_view sectors, hits;
};
inline constexpr LookUps kL1LookUps = {"l1tex__t_sectors.sum", "l1tex__t_sectors_lookup_hit.sum"};
inline constexpr LookUps kL2LookUps = {"lts__t_sectors_srcunit_tex.sum",
                                       "lts__t_sectors_srcunit_tex_lookup_hit.sum"};

struct LaunchFacts {
  double seconds = 0;  // simulated
  double ipc = 0;      // warp instructions per SM and active cycle
  double issue_pct = 0;
  double achieved_pct = 0;
  double theoretical_pct = 0;
  std::string limiter;  // "warps", "registers+shared", ...: what allows the fewest blocks on an SM
  uint64_t blocks_per_sm = 0;
  std::optional<double> l1_hit_pct;  // of kL1LookUps, 0 to 100; nothing without look-ups
  std::optional<double> l2_hit_pct;  // of kL2LookUps
  double dram_bytes = 0;
  double dram_bandwidth = 0;       // bytes per simulated second
  std::vector<StallShare> stalls;  // the largest first; no zeros; without `selected`
};

LaunchFacts facts(const LaunchRecord& launch);

}  // namespace heddle::analysis
