// Kernels of a workload file.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "frontends/modules/described_launch.h"
#include "frontends/workload/graph_reader.h"
#include "frontends/workload/read_memory.h"
#include "frontends/workload/workload.pb.h"

namespace heddle::workload {

// Without what its trace or module says.
host::KernelDesc read_kernel(const proto::Kernel& k, const Names& names, const MemoryNames& memory);
// The kernel with what the launch says instead of it: grid, block, time. Nothing: as it is.
std::optional<host::KernelDesc> kernel_of_launch(const host::KernelDesc& k, const proto::Launch& l,
                                                 const Names& names);
// The same for launches of one kernel that get the same of kernel_of_launch().
std::string key_of_launch(const proto::Launch& l);
// Of a kernel that has a module. No file is opened.
modules::LaunchDescription read_module(const proto::Kernel& k, const Names& names,
                                       const std::filesystem::path& folder);
// Launch attributes.
LaunchAttributes read_attributes(const proto::Launch& l, const Names& names, const MemoryNames& memory);
host::SyncDomain read_domain(const proto::SyncDomain& d, const Names& names);
// What kernels call themselves, after all have been named. `at(i)`: the reader is at kernel i now.
void read_device_calls(const proto::Workload& all, Builder& w, const Names& names,
                       const std::function<void(int)>& at);

}  // namespace heddle::workload
