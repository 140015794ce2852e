// Residency without a simulation.
#include "analysis/occupancy/residency.h"

#include "analysis/python/binding/binding.h"
#include "configs/loader/draft.h"
#include "sim/device/occupancy.h"

namespace heddle::python {
namespace {

using analysis::BlockNeeds;
using analysis::Resource;

py::tuple point(const analysis::Residency& r) {
  return py::make_tuple(r.value, r.blocks, r.warps, r.percent, r.limiter);
}

py::dict occupancy(const config::Draft& draft, const BlockNeeds& needs) {
  const config::GpuConfig gpu = throwing<ConfigError>([&] { return draft.finish(); });
  const stats::Occupancy o = device::occupancy(gpu, analysis::launch_shape(needs));
  py::dict d;
  d["blocks"] = o.blocks_per_sm;
  d["warps"] = o.warps_per_sm;
  d["percent"] = o.theoretical_pct;
  d["limiter"] = analysis::residency(gpu, needs).limiter;
  d["limit_blocks"] = o.limit_blocks;
  d["limit_registers"] = o.limit_registers;
  d["limit_shared"] = o.limit_shared;
  d["limit_warps"] = o.limit_warps;
  d["shared_carveout"] = o.shared_carveout_bytes;
  d["l1"] = o.l1_bytes;
  d["shared_per_block"] = o.shared_bytes_per_block;
  d["clusters"] = needs.cluster > 1 ? py::object(py::int_(analysis::active_clusters(
                                          analysis::gpc_sms(gpu), o.blocks_per_sm, needs.cluster)))
                                    : py::object(py::none());
  return d;
}

py::list curve(const config::Draft& draft, const BlockNeeds& needs, const std::string& resource) {
  const config::GpuConfig gpu = throwing<ConfigError>([&] { return draft.finish(); });
  const Resource r = resource == "block"  ? Resource::kBlock
                     : resource == "regs" ? Resource::kRegisters
                                          : Resource::kShared;
  py::list out;
  for (const analysis::Residency& p : analysis::curve(gpu, needs, r)) {
    out.append(point(p));
  }
  return out;
}

py::tuple best_block(const config::Draft& draft, const BlockNeeds& needs) {
  const config::GpuConfig gpu = throwing<ConfigError>([&] { return draft.finish(); });
  return point(analysis::best_block(gpu, needs));
}

}  // namespace

void bind_occupancy(py::module_& m) {
  py::class_<BlockNeeds>(m, "BlockNeeds")
      .def(py::init<>())
      .def_readwrite("threads", &BlockNeeds::threads)
      .def_readwrite("registers", &BlockNeeds::registers)
      .def_readwrite("static_shared", &BlockNeeds::static_shared)
      .def_readwrite("dynamic_shared", &BlockNeeds::dynamic_shared)
      .def_readwrite("cluster", &BlockNeeds::cluster)
      .def_readwrite("carveout_percent", &BlockNeeds::carveout_percent);
  m.def("occupancy", occupancy);
  m.def("occupancy_curve", curve);
  m.def("best_block", best_block);
}

}  // namespace heddle::python
