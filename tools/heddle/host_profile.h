// Profiles of PyTorch as host programs. The Python package reads them (heddle.Workload.from_profile).
#pragma once

#include <filesystem>

#include "frontends/workload/reader.h"

namespace heddle::cli {

// The workload of a file of torch.profiler's export_chrome_trace(), or of a .gz or .xz of one; what it leaves
// out is said on stderr. Throws Error "FILE: why", also where the Python package is not there.
workload::Workload read_profile(const std::filesystem::path& file);

}  // namespace heddle::cli
