#include "frontends/workload/read_data.h"

#include <fmt/format.h>

#include "frontends/modules/arguments.h"
#include "frontends/npy/npy.h"

namespace heddle::workload {

host::Memory memory_of(const proto::Buffer& b) {
  return b.memory() == proto::Buffer::PINNED           ? host::Memory::kPinned
         : b.memory() == proto::Buffer::PAGEABLE       ? host::Memory::kPageable
         : b.memory() == proto::Buffer::WRITE_COMBINED ? host::Memory::kWriteCombined
         : b.memory() == proto::Buffer::MANAGED        ? host::Memory::kManaged
         : b.memory() == proto::Buffer::MAPPED         ? host::Memory::kMapped
                                                       : host::Memory::kDevice;
}

std::pair<uint64_t, std::optional<BufferData>> read_data(const proto::Buffer& b,
                                                         const std::filesystem::path& folder,
                                                         const Names& names) {
  const std::string buffer = "buffer \"" + b.name() + "\"";
  if (!b.has_bytes() && !b.has_data()) {
    names.refuse(buffer + " needs `bytes`");
  }
  if (!b.has_data() && !b.has_result()) {
    return {b.bytes(), std::nullopt};
  }
  BufferData out{{"|u1", false, {b.bytes()}, {}}, {}};
  uint64_t bytes = b.bytes();
  if (b.has_data()) {
    if (auto array =
            modules::array_of(b.data().ends_with(".npy") ? (folder / b.data()).string() : b.data())) {
      out.data = std::move(*array);
    } else {
      names.refuse(buffer + ": `data` is FILE.npy, zeros:TYPE:COUNT, ones:TYPE:COUNT or arange:TYPE:COUNT");
    }
    const uint64_t holds = out.data.elements() * npy::element_bytes(out.data.type);
    bytes = b.has_bytes() ? bytes : holds;
    if (holds > bytes) {
      names.refuse(fmt::format("{} has {} bytes, and `data` {}", buffer, bytes, holds));
    }
  }
  if (b.has_result()) {
    if (!b.result().ends_with(".npy")) {
      names.refuse(buffer + ": `result` is FILE.npy");
    }
    out.result = folder / b.result();
  }
  return {bytes, out};
}

std::map<size_t, uint32_t> buffer_arguments(const proto::Module& m, const Names& names) {
  std::map<size_t, uint32_t> out;
  for (int i = 0; i < m.arg_size(); ++i) {
    if (m.arg(i).starts_with('&')) {
      out[static_cast<size_t>(i)] = names.buffer(m.arg(i).substr(1)).id;
    }
  }
  return out;
}

}  // namespace heddle::workload
