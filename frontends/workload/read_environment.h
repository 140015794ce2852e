// CUDA's environment variables in a workload file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "frontends/workload/workload.pb.h"
#include "sim/host/core/params.h"

namespace heddle::workload {

// The devices that CUDA_VISIBLE_DEVICES leaves of `devices`, in its order.
std::vector<uint32_t> visible_devices(const std::string& list, uint32_t devices);

// `refuse` throws the reader's error.
host::Rules read_environment(const proto::Environment& e,
                             const std::function<void(const std::string&)>& refuse);

}  // namespace heddle::workload
