// A part of a GPU as a device of its own (MIG, multi-instance GPU).
#pragma once

#include <string>
#include <vector>

#include "configs/schema/gpu.pb.h"

namespace heddle::cli {

// What of the GPU's configuration is another value in an instance of that profile ("3g.71gb"), as overrides:
// SMs, GPCs, L2, memory, copy engines. Throws Error, with the profiles that the GPU has.
std::vector<std::string> mig_overrides(const config::GpuConfig& gpu, const std::string& profile);

}  // namespace heddle::cli
