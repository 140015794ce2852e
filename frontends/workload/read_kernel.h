// Kernels of a workload file.
#pragma once

#include "frontends/workload/graph_reader.h"
#include "frontends/workload/read_memory.h"
#include "frontends/workload/workload.pb.h"

namespace heddle::workload {

// Without what its trace says.
host::KernelDesc read_kernel(const proto::Kernel& k, const Names& names, const MemoryNames& memory);
// Launch attributes.
LaunchAttributes read_attributes(const proto::Launch& l, const Names& names, const MemoryNames& memory);
host::SyncDomain read_domain(const proto::SyncDomain& d, const Names& names);

}  // namespace heddle::workload
