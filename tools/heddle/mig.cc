#include "tools/heddle/mig.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "sim/base/error.h"

namespace heddle::cli {
namespace {

// NVIDIA's MIG User Guide, "Supported MIG Profiles": of the memory and the L2 so many eighths, copy engines.
// How many SMs a profile has is what `nvidia-smi mig -lgip` lists for H100 and H200 cards of 132 SMs. Which
// TPCs of which GPCs these are is not public: as evenly as GPCs of 8 TPCs have them.
struct Profile {
  uint32_t compute;  // of seven
  uint32_t eighths;
  uint32_t sms;
  uint32_t copy_engines;
  const char* tpcs;  // of each GPC
};
constexpr Profile kProfiles[] = {
    {1, 1, 16, 1, "[8]"},          {2, 2, 32, 2, "[8, 8]"}, {3, 4, 60, 3, "[8, 8, 7, 7]"},
    {4, 4, 64, 4, "[8, 8, 8, 8]"}, {7, 8, 132, 8, ""},
};
// The memory in the profiles' names, in GB: by eighths.
struct Card {
  std::string_view name;
  uint32_t gb[9];
};
constexpr Card kCards[] = {{"h100", {0, 10, 20, 0, 40, 0, 0, 0, 80}},
                           {"h200", {0, 18, 35, 0, 71, 0, 0, 0, 141}}};

}  // namespace

std::vector<std::string> mig_overrides(const config::GpuConfig& gpu, const std::string& profile) {
  const auto card =
      std::find_if(std::begin(kCards), std::end(kCards), [&](const Card& c) { return c.name == gpu.name(); });
  if (card == std::end(kCards)) {
    throw Error(fmt::format("--mig {}: the profiles of {} are not known (legal: --gpu h100 or h200)", profile,
                            gpu.name()));
  }
  std::vector<std::string> names;
  for (const Profile& p : kProfiles) {
    names.push_back(fmt::format("{}g.{}gb", p.compute, card->gb[p.eighths]));
    if (names.back() != profile) {
      continue;
    }
    const auto share = [&](uint64_t all) { return all * p.eighths / 8; };
    // No part of a partition's L2 can be set aside (MU12).
    std::vector<std::string> out = {
        "l2.max_persisting_bytes=0",
        "host.l2.max_window_bytes=0",
        fmt::format("dram.total_bytes={}", share(gpu.dram().total_bytes())),
        fmt::format("dram.channels={}", share(gpu.dram().channels())),
        fmt::format("l2.total_bytes={}", share(gpu.l2().total_bytes())),
        fmt::format("l2.slices={}", share(gpu.l2().slices())),
        fmt::format("l2.max_dirty_bytes={}", share(gpu.l2().max_dirty_bytes())),
        fmt::format("host.copy.engines={}", std::min(p.copy_engines, gpu.host().copy().engines()))};
    if (p.compute != 7) {
      out.push_back(fmt::format("topology.sms={}", p.sms));
      out.push_back(fmt::format("topology.tpcs_per_gpc={}", p.tpcs));
      out.emplace_back("topology.singleton_tpcs=0");
    }
    return out;
  }
  throw Error(
      fmt::format("--mig {}: no profile of {} (legal: {})", profile, gpu.name(), fmt::join(names, ", ")));
}

}  // namespace heddle::cli
