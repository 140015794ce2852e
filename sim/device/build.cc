#include "sim/device/build.h"

#include <algorithm>

namespace heddle::device {

std::unique_ptr<Machine> build(const spec::GpuConfig& config, WorkerPool& pool) {
  auto m = std::make_unique<Machine>();
  m->config = config;

  // SMs: sub-cores, LSU with L1 and shared memory, instruction and constant caches, TMA (sim/sm).
  m->sms.resize(config.topology().sms());
  pool.parallel_for(config.topology().sms(),
                    [&](uint32_t i) { m->sms[i] = std::make_unique<sm::Sm>(i, m->config); });

  // SM ports -> NoC -> TLBs -> L2 slices -> DRAM channels, and back (sim/memory).
  m->memory = std::make_unique<memory::MemorySystem>(m->config, &pool);
  for (auto& s : m->sms) {
    m->memory->connect(s->index(), s->outbox(), s->inbox(), s->payloads());
    s->connect(m->memory->code_lines(), m->memory->min_round_trip());
  }

  // Blocks -> SMs (sim/device).
  m->distributor = std::make_unique<WorkDistributor>(m->config, m->sms);

  // L2 -> several SMs of a cluster.
  for (uint32_t gpc = 0; gpc < m->memory->gpcs(); ++gpc) {
    m->memory->set_multicast(gpc, m->distributor->clusters(gpc));
  }

  // SM -> memory -> SM takes at least a NoC round trip and a look-up; block done -> next block goes through
  // the distributor.
  m->quantum = std::min(m->memory->min_round_trip(), m->distributor->least_turnaround());
  m->quantum = std::max<Cycle>(m->quantum, 1);
  return m;
}

}  // namespace heddle::device
