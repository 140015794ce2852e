#include "sim/exec/device_runtime.h"

#include <algorithm>
#include <iterator>

#include "sim/exec/warp_fn.h"

namespace heddle::exec {

RuntimeFunction runtime_function(std::string_view name) {
  using F = RuntimeFunction;
  constexpr std::pair<std::string_view, F> kNames[] = {{"GetParameterBuffer", F::kGetParameterBuffer},
                                                       {"GetParameterBufferV2", F::kGetParameterBufferV2},
                                                       {"LaunchDevice", F::kLaunchDevice},
                                                       {"LaunchDeviceV2", F::kLaunchDeviceV2},
                                                       {"StreamCreateWithFlags", F::kStreamCreate},
                                                       {"StreamDestroy", F::kStreamDestroy},
                                                       {"StreamWaitEvent", F::kStreamWaitEvent},
                                                       {"EventCreateWithFlags", F::kEventCreate},
                                                       {"EventRecord", F::kEventRecord},
                                                       {"EventRecordWithFlags", F::kEventRecord},
                                                       {"EventDestroy", F::kEventDestroy},
                                                       {"GetLastError", F::kGetLastError},
                                                       {"PeekAtLastError", F::kPeekAtLastError},
                                                       {"GetDevice", F::kGetDevice},
                                                       {"GetDeviceCount", F::kGetDeviceCount},
                                                       {"Malloc", F::kMalloc},
                                                       {"Free", F::kFree}};
  constexpr std::string_view kPrefixes[] = {"__cudaCDP2", "cuda"}, kPerThread = "_ptsz";
  const auto* const prefix =
      std::find_if(std::begin(kPrefixes), std::end(kPrefixes), [&](auto p) { return name.starts_with(p); });
  if (prefix == std::end(kPrefixes)) {
    return F::kNone;
  }
  name.remove_prefix(prefix->size());
  if (name.ends_with(kPerThread)) {
    name.remove_suffix(kPerThread.size());
  }
  const auto* const found =
      std::find_if(std::begin(kNames), std::end(kNames), [&](const auto& n) { return n.first == name; });
  return found == std::end(kNames) ? F::kNone : found->second;
}

const DeviceRuntime::Kernel* DeviceRuntime::kernel(uint64_t address) const {
  const auto it = kernels_.find(address);
  return it == kernels_.end() ? nullptr : &it->second;
}

void DeviceRuntime::prepare(uint64_t buffer, DeviceOp launch) {
  const std::lock_guard lock(mutex_);
  prepared_[buffer] = std::move(launch);
}

DeviceOp DeviceRuntime::take_prepared(uint64_t buffer) {
  const std::lock_guard lock(mutex_);
  const auto it = prepared_.find(buffer);
  return it == prepared_.end() ? DeviceOp{} : std::move(prepared_.extract(it).mapped());
}

void DeviceRuntime::add(const Caller& by, DeviceOp op) {
  op.by_block = by.block;
  op.by_thread = by.thread;
  op.after = static_cast<double>(by.instructions);
  const std::lock_guard lock(mutex_);
  by_block_[by.block].push_back(std::move(op));
}

uint64_t DeviceRuntime::make_stream() {
  const std::lock_guard lock(mutex_);
  return streams_++;
}

bool DeviceRuntime::has_stream(uint64_t stream) const {
  const std::lock_guard lock(mutex_);
  return stream < streams_;
}

uint64_t DeviceRuntime::make_event() {
  const std::lock_guard lock(mutex_);
  return events_++;
}

void DeviceRuntime::set_error(const Caller& by, uint32_t error) {
  const std::lock_guard lock(mutex_);
  errors_[{by.block, by.thread}] = error;
}

uint32_t DeviceRuntime::error(const Caller& by, bool clear) {
  const std::lock_guard lock(mutex_);
  const auto it = errors_.find({by.block, by.thread});
  if (it == errors_.end()) {
    return 0;
  }
  const uint32_t out = it->second;
  if (clear) {
    errors_.erase(it);
  }
  return out;
}

// Till then an operation has a number of instructions where it is to have a share.
void DeviceRuntime::warp_ended(uint64_t block, uint32_t first_thread, uint64_t instructions) {
  const std::lock_guard lock(mutex_);
  const auto it = by_block_.find(block);
  if (it == by_block_.end()) {
    return;
  }
  for (DeviceOp& op : it->second) {
    if (op.by_thread / kLanes == first_thread / kLanes) {
      op.after /= static_cast<double>(std::max<uint64_t>(instructions, 1));
    }
  }
}

std::vector<DeviceOp> DeviceRuntime::taken() {
  const std::lock_guard lock(mutex_);
  std::vector<DeviceOp> out;
  for (auto& [block, ops] : by_block_) {
    std::move(ops.begin(), ops.end(), std::back_inserter(out));
  }
  by_block_.clear();
  prepared_.clear();
  return out;
}

bool DeviceRuntime::empty() const {
  const std::lock_guard lock(mutex_);
  return by_block_.empty();
}

}  // namespace heddle::exec
