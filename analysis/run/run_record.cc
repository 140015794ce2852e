#include "analysis/run/run_record.h"

#include "analysis/run/host.h"
#include "configs/loader/config.h"

namespace heddle::analysis {

RunRecord run_record(const config::GpuConfig& gpu, const std::string& fidelity,
                     const std::vector<std::string>& overrides, size_t launches, bool text) {
  RunRecord r;
  r.gpu = gpu.name();
  r.product = gpu.product();
  r.config_hash = config::hash(gpu);
  if (text) {
    r.config_text = config::to_text(gpu);
  }
  r.fidelity = fidelity;
  for (const std::string& o : overrides) {
    r.overrides += o + '\n';
  }
  r.seed = gpu.seed();
  r.revision = revision();
  r.launches_planned = launches;
  return r;
}

}  // namespace heddle::analysis
