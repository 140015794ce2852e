#include "analysis/occupancy/residency.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/device/occupancy.h"

namespace heddle::analysis {
namespace {

constexpr uint32_t kClusteredBlocksPerSm = 8;

std::string limiters(const stats::Occupancy& o) {
  std::string names;
  const auto add = [&](const char* name, uint32_t blocks) {
    if (blocks == o.blocks_per_sm) {
      names += (names.empty() ? "" : "+") + std::string(name);
    }
  };
  add("warps", o.limit_warps);
  add("registers", o.limit_registers);
  add("shared", o.limit_shared);
  add("blocks", o.limit_blocks);
  return names;
}

// The largest amount that is a whole number of units and less than `value`; 0 if there is none.
uint32_t one_less(uint32_t value, uint32_t unit) { return value == 0 ? 0 : (value - 1) / unit * unit; }

// Smallest amount that means something.
uint32_t least(const config::GpuConfig& gpu, Resource r) {
  return r == Resource::kShared ? 0 : allocation_step(gpu, r);
}

uint32_t most(const config::GpuConfig& gpu, Resource r) {
  const config::Limits& l = gpu.limits();
  return r == Resource::kBlock       ? l.max_threads_per_block()
         : r == Resource::kRegisters ? l.max_registers_per_thread()
                                     : l.max_shared_bytes_per_block();
}

}  // namespace

isa::LaunchShape launch_shape(const BlockNeeds& needs) {
  isa::LaunchShape s;
  s.block = {needs.threads, 1, 1};
  s.grid = {needs.cluster, 1, 1};
  s.cluster = {needs.cluster, 1, 1};
  s.registers_per_thread = needs.registers;
  s.static_shared_bytes = needs.static_shared;
  s.dynamic_shared_bytes = needs.dynamic_shared;
  s.carveout_percent = needs.carveout_percent;
  return s;
}

uint32_t resident_blocks(const config::GpuConfig& gpu, const BlockNeeds& needs) {
  return residency(gpu, needs).blocks;
}

uint32_t value_of(const BlockNeeds& needs, Resource r) {
  return r == Resource::kBlock       ? needs.threads
         : r == Resource::kRegisters ? needs.registers
                                     : needs.static_shared + needs.dynamic_shared;
}

BlockNeeds with(BlockNeeds needs, Resource r, uint32_t value) {
  switch (r) {
    case Resource::kBlock:
      needs.threads = value;
      break;
    case Resource::kRegisters:
      needs.registers = value;
      break;
    case Resource::kShared:
      needs.static_shared = std::min(needs.static_shared, value);
      needs.dynamic_shared = value - needs.static_shared;
  }
  return needs;
}

uint32_t allocation_step(const config::GpuConfig& gpu, Resource r) {
  const config::Limits& l = gpu.limits();
  return r == Resource::kBlock       ? l.warp_size()
         : r == Resource::kRegisters ? std::max(1u, l.register_allocation_unit() / l.warp_size())
                                     : l.shared_allocation_unit();
}

Residency residency(const config::GpuConfig& gpu, const BlockNeeds& needs, Resource r) {
  Residency result;
  result.value = value_of(needs, r);
  try {
    const stats::Occupancy o = device::occupancy(gpu, launch_shape(needs));
    result.blocks = o.blocks_per_sm;
    result.warps = o.warps_per_sm;
    result.percent = o.theoretical_pct;
    result.limiter = limiters(o);
  } catch (const Error&) {
    // Refused: nothing is resident.
  }
  return result;
}

std::vector<LessOfResource> less_of_each(const config::GpuConfig& gpu, const BlockNeeds& needs) {
  const uint32_t now = device::occupancy(gpu, launch_shape(needs)).warps_per_sm;
  std::vector<LessOfResource> all;
  for (Resource r : {Resource::kRegisters, Resource::kShared, Resource::kBlock}) {
    LessOfResource l;
    l.resource = r;
    const uint32_t unit = allocation_step(gpu, r), floor = least(gpu, r), value = value_of(needs, r);
    uint32_t less = one_less(value, unit);
    l.possible = value > floor && less >= floor;
    if (l.possible) {
      l.step = residency(gpu, with(needs, r, less), r);
      for (; !l.gains; less -= unit) {
        l.gain = residency(gpu, with(needs, r, less), r);
        l.gains = l.gain.warps > now;
        if (less < floor + unit) {
          break;
        }
      }
    }
    all.push_back(l);
  }
  return all;
}

std::vector<Residency> curve(const config::GpuConfig& gpu, const BlockNeeds& needs, Resource r) {
  std::vector<Residency> points;
  const uint32_t unit = allocation_step(gpu, r), end = most(gpu, r);
  for (uint32_t v = least(gpu, r);; v += unit) {
    points.push_back(residency(gpu, with(needs, r, std::min(v, end)), r));
    if (v >= end) {
      return points;
    }
  }
}

std::vector<Residency> plateaus(const std::vector<Residency>& curve) {
  std::vector<Residency> out;
  for (const Residency& p : curve) {
    if (!out.empty() && out.back().blocks == p.blocks && out.back().warps == p.warps &&
        out.back().limiter == p.limiter) {
      out.pop_back();
    }
    out.push_back(p);
  }
  return out;
}

Residency best_block(const config::GpuConfig& gpu, const BlockNeeds& needs) {
  Residency best;
  for (const Residency& p : curve(gpu, needs, Resource::kBlock)) {
    if (p.blocks > 0 && p.warps >= best.warps) {
      best = p;
    }
  }
  if (best.blocks == 0) {
    device::occupancy(gpu, launch_shape(with(needs, Resource::kBlock, gpu.limits().warp_size())));
  }
  return best;
}

uint64_t active_clusters(const std::vector<uint32_t>& gpc_sms, uint32_t blocks, uint32_t cluster) {
  uint64_t n = 0;
  for (uint32_t sms : gpc_sms) {
    n += sms >= cluster ? uint64_t{sms} * std::min(blocks, kClusteredBlocksPerSm) / cluster : 0;
  }
  return n;
}

std::vector<uint32_t> gpc_sms(const config::GpuConfig& gpu) {
  std::vector<uint32_t> sms;
  for (uint32_t tpcs : gpu.topology().tpcs_per_gpc()) {
    sms.push_back(tpcs * gpu.topology().sms_per_tpc());
  }
  return sms;
}

}  // namespace heddle::analysis
