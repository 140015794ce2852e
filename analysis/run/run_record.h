// The row of a run: what follows from the configuration and the program.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/store/record.h"
#include "configs/schema/gpu.pb.h"

namespace heddle::analysis {

// `gpu` was made with `fidelity` and `overrides` ("path=value"). `text`: with the configuration's, which
// takes as long to write as a short launch takes to simulate; only what is stored needs it.
RunRecord run_record(const config::GpuConfig& gpu, const std::string& fidelity,
                     const std::vector<std::string>& overrides, size_t launches, bool text = true);

}  // namespace heddle::analysis
