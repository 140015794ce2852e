// Kernels of a workload file.
#pragma once

#include <functional>

#include "frontends/workload/graph_reader.h"
#include "frontends/workload/read_memory.h"
#include "frontends/workload/workload.pb.h"

namespace heddle::workload {

// Without what its trace says.
host::KernelDesc read_kernel(const proto::Kernel& k, const Names& names, const MemoryNames& memory);
// Launch attributes.
LaunchAttributes read_attributes(const proto::Launch& l, const Names& names, const MemoryNames& memory);
host::SyncDomain read_domain(const proto::SyncDomain& d, const Names& names);
// What kernels call themselves, after all have been named. `at(i)`: the reader is at kernel i now.
void read_device_calls(const proto::Workload& all, Builder& w, const Names& names,
                       const std::function<void(int)>& at);

}  // namespace heddle::workload
