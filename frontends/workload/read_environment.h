// CUDA's environment variables in a workload file.
#pragma once

#include <functional>
#include <string>

#include "frontends/workload/workload.pb.h"
#include "sim/host/params.h"

namespace heddle::workload {

// `refuse` throws the reader's error.
host::Rules read_environment(const proto::Environment& e,
                             const std::function<void(const std::string&)>& refuse);

}  // namespace heddle::workload
