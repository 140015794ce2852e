// Buffers of a workload file that hold data, and kernels of modules that work on them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "frontends/workload/read_arguments.h"
#include "frontends/workload/reader.h"
#include "frontends/workload/workload.pb.h"

namespace heddle::workload {

host::Memory memory_of(const proto::Buffer& b);

// A buffer's size, and what it holds, if the file says so. Paths are looked for in `folder`.
std::pair<uint64_t, std::optional<BufferData>> read_data(const proto::Buffer& b,
                                                         const std::filesystem::path& folder,
                                                         const Names& names);

// `&NAME` among the arguments of a module's kernel.
std::map<size_t, uint32_t> buffer_arguments(const proto::Module& m, const Names& names);

}  // namespace heddle::workload
