// The engine of asynchronous copies alone.
#pragma once

#include "sim/sm/tma/tma.h"
#include "tests/sim/support/unit_bench.h"

namespace heddle::simtest {

struct QuietMemory : sm::Unit, sm::ClusterMemory {
  void reset(Cycle) override {}
  Cycle start(const sm::Issued&) override { return 0; }
  void event(const sm::UnitEvent&, Cycle) override {}
  Cycle visit(const sm::ClusterMessage&, Cycle now) override { return now; }
  void acknowledged(uint32_t, Cycle) override {}
  void finish_remote(const sm::ClusterAccess&, Cycle) override {}
};

struct TmaBench : UnitBench {
  explicit TmaBench(Kernel& k, const spec::GpuConfig& gpu = test_gpu(), uint64_t address_offset = 0)
      : UnitBench(k, gpu, address_offset),
        fences(state),
        port(state),
        barriers(state, fences, port, quiet),
        tma(state, fences, port, barriers) {
    port.connect(quiet, barriers);
    attach(tma, {Kind::kTma});
  }
  QuietMemory quiet;
  sm::Fences fences;
  sm::ClusterPort port;
  sm::Barriers barriers;
  sm::Tma tma;
};

}  // namespace heddle::simtest
