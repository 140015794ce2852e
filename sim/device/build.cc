#include "sim/device/build.h"

#include <algorithm>

namespace heddle::device {

std::unique_ptr<Machine> build(const config::GpuConfig& config) {
  auto m = std::make_unique<Machine>();
  m->config = config;

  // SMs: sub-cores, LSU with L1 and shared memory, instruction and constant caches, TMA (sim/sm).
  for (uint32_t i = 0; i < config.topology().sms(); ++i) {
    m->sms.push_back(std::make_unique<sm::Sm>(i, m->config));
  }

  // SM ports -> NoC -> TLBs -> L2 slices -> DRAM channels, and back (sim/memory).
  m->memory = std::make_unique<memory::MemorySystem>(m->config);

  // Blocks -> SMs (sim/device).
  m->distributor = std::make_unique<WorkDistributor>(m->config, m->sms);

  // SM -> memory -> SM takes at least a NoC round trip; block done -> next block goes through the
  // distributor.
  const config::Launch& l = config.launch();
  m->quantum =
      std::min(m->memory->noc().min_round_trip(), Cycle{l.block_retire_latency()} + l.block_start_latency());
  m->quantum = std::max<Cycle>(m->quantum, 1);
  return m;
}

}  // namespace heddle::device
