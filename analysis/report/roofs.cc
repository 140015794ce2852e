#include "analysis/report/roofs.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "analysis/store/config_text.h"
#include "configs/proto_text/proto_text.h"

namespace heddle::analysis {
namespace {

constexpr double kSectorBytes = 32;
constexpr double kWarpThreads = 32;

// Cycles per warp instruction in a pipe of a sub-core (shared: of the SM); 0 where there is none.
struct PipeRate {
  double interval = 0;
  bool shared = false;
};
PipeRate rate(const config::GpuConfig& g, std::string_view pipe) {
  for (const config::PipeTiming& p : g.sm().pipe()) {
    if (p.pipe() == pipe) {
      return {static_cast<double>(p.interval()), p.shared_by_sm()};
    }
  }
  return {};
}

double l2_bytes_per_core_cycle(const config::GpuConfig& g) {
  return static_cast<double>(g.l2().slices()) * g.l2().slice_bytes_per_cycle() * g.clocks().l2_mhz() /
         g.clocks().core_mhz();
}

// L1s of an SM, each with stages of its own.
double l1_units(const config::GpuConfig& g) {
  const config::Sm& sm = g.sm();
  return sm.l1().has_subcores_per_unit() ? sm.subcores() / sm.l1().subcores_per_unit() : 1;
}

double dram_bytes_per_core_cycle(const config::GpuConfig& g) {
  return g.dram().channels() * g.dram().bytes_per_cycle() * g.clocks().dram_mhz() / g.clocks().core_mhz();
}

}  // namespace

std::optional<config::GpuConfig> configuration(const RunRecord& run) {
  if (base_of(run.config_text)) {
    throw std::logic_error(
        fmt::format("run {} has only what changes in another run's configuration", run.id));
  }
  config::GpuConfig g;
  // A record that cannot be read has no configuration.
  if (config::parse_proto_text(run.config_text, g) || g.clocks().core_mhz() <= 0 || g.topology().sms() == 0) {
    return std::nullopt;
  }
  return g;
}

std::vector<Roof> roofs(const LaunchRecord& l, const std::optional<config::GpuConfig>& gpu) {
  std::vector<Roof> out;
  if (!gpu || l.cycles == 0) {
    return out;
  }
  const config::GpuConfig& g = *gpu;
  const double cycles = static_cast<double>(l.cycles), sms = g.topology().sms(),
               subcores = sms * g.sm().subcores();
  const auto add = [&](std::string_view name, double busy, double peak) {
    if (peak > 0) {
      out.push_back({name, 100 * busy / (peak * cycles)});
    }
  };
  const auto count = [&](std::string_view metric) { return l.metric_or_zero(metric); };
  const auto pipe = [&](std::string_view name, std::string_view of, double instructions) {
    const PipeRate r = rate(g, of);
    add(name, instructions * r.interval, r.interval > 0 ? (r.shared ? sms : subcores) : 0);
  };
  add("issue slots", count("smsp__issue_active.sum"), subcores);
  pipe("ALU", "alu", count("sm__inst_executed_pipe_alu.sum"));
  // Some instructions go to one half only: the fuller half is the limit.
  pipe("FMA", "fmaheavy",
       std::max(count("sm__inst_executed_pipe_fmaheavy.sum"), count("sm__inst_executed_pipe_fmalite.sum")));
  pipe("FP64", "fp64", count("sm__inst_executed_pipe_fp64.sum"));
  pipe("XU", "xu", count("sm__inst_executed_pipe_xu.sum"));
  pipe("uniform", "uniform", count("sm__inst_executed_pipe_uniform.sum"));
  pipe("ADU", "adu", count("sm__inst_executed_pipe_adu.sum"));
  add("tensor", count("heddle__tensor_busy_cycles.sum"), subcores);
  add("LSU", count("sm__inst_executed_pipe_lsu.sum") * g.sm().memory().shared_interval(), sms * l1_units(g));
  add("shared memory",
      count("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum") * g.sm().shared().wavefront_cycles(), sms);
  add("L1", count("l1tex__t_sectors.sum") * kSectorBytes,
      sms * l1_units(g) * g.sm().l1().data_bytes_per_cycle());
  add("L2", count("lts__t_sectors.sum") * kSectorBytes, l2_bytes_per_core_cycle(g));
  add("DRAM", count("dram__bytes_read.sum") + count("dram__bytes_write.sum"), dram_bytes_per_core_cycle(g));
  std::stable_sort(out.begin(), out.end(),
                   [](const Roof& a, const Roof& b) { return a.percent > b.percent; });
  return out;
}

std::string bottleneck(const std::vector<Roof>& roofs) {
  if (roofs.empty()) {
    return "";
  }
  const std::string first = fmt::format("{} {:.0f} %", roofs[0].name, roofs[0].percent);
  return roofs[0].percent > kBoundPct ? first : fmt::format("latency ({})", first);
}

Peaks peaks(const config::GpuConfig& g) {
  const double hz = g.clocks().core_mhz() * 1e6, sms = g.topology().sms();
  const double subcores = sms * g.sm().subcores();
  // Fused multiply-adds of all threads of a warp, every `interval` cycles.
  const auto fma = [&](std::string_view pipe) {
    const PipeRate r = rate(g, pipe);
    return r.interval > 0 ? 2 * kWarpThreads / r.interval * (r.shared ? sms : subcores) * hz : 0;
  };
  Peaks p;
  p.fp64 = fma("fp64");
  p.fp32 = fma("fmaheavy") + fma("fmalite");
  p.fp16 = 2 * fma("fp16");
  constexpr double kElementBits = 16;
  p.tensor =
      2 * std::max(g.sm().tensor().mma_rate(), g.sm().tensor().gmma_rate()) / kElementBits * subcores * hz;
  p.l1 = sms * l1_units(g) * g.sm().l1().data_bytes_per_cycle() * hz;
  p.l2 = l2_bytes_per_core_cycle(g) * hz;
  p.dram = dram_bytes_per_core_cycle(g) * hz;
  return p;
}

}  // namespace heddle::analysis
