// The buffer on the device and the way of what is in it to the host. Driver calls only: none of it is managed
// memory.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "nvbit.h"
#include "tools/tracer/buffer.h"
#include "tools/tracer/connection.h"

namespace heddle::capture {

class DeviceBuffer {
 public:
  // `wanted` bytes; 0: 8 GiB, a quarter of what is free if that is less. Returns what went wrong.
  std::string make(uint64_t wanted) {
    size_t free = 0, total = 0;
    cuMemGetInfo_v2(&free, &total);
    constexpr uint64_t kMost = uint64_t{8} << 30;
    host_.capacity = wanted ? wanted : std::min<uint64_t>(kMost, free / 4);
    CUdeviceptr control = 0, bytes = 0;
    if (cuMemAlloc_v2(&control, sizeof host_ + kMostTargets * sizeof(Target)) != CUDA_SUCCESS ||
        cuMemAlloc_v2(&bytes, host_.capacity) != CUDA_SUCCESS ||
        cuMemAllocHost_v2(&staging_, kStaging) != CUDA_SUCCESS) {
      return "no room on the GPU for a buffer of " + std::to_string(host_.capacity >> 20) +
             " MiB, of which " + std::to_string(free >> 20) + " MiB are free; --memory asks for less";
    }
    control_ = control;
    host_.bytes = reinterpret_cast<unsigned char*>(bytes);
    host_.targets = reinterpret_cast<const Target*>(control + sizeof host_);
    return "";  // nothing is written yet: a stream may be being captured
  }

  uint64_t address() const { return control_; }
  uint64_t capacity() const { return host_.capacity; }

  static constexpr size_t kMostTargets = UINT16_MAX;  // as Record::node counts

  // Empties it for the launches to come; for none of them it takes nothing.
  bool open(const std::vector<Target>& targets) {
    host_.head = host_.astray = host_.stray = 0;
    host_.count = static_cast<uint32_t>(targets.size());
    open_ = !targets.empty();
    known_ = cuMemcpyHtoD_v2(control_, &host_, sizeof host_) == CUDA_SUCCESS &&
             (!open_ || cuMemcpyHtoD_v2(reinterpret_cast<CUdeviceptr>(host_.targets), targets.data(),
                                        targets.size() * sizeof(Target)) == CUDA_SUCCESS);
    return known_;
  }
  // So that code which is instrumented, but not recorded, writes nothing.
  void close() {
    if (open_ || !known_) {
      open({});
    }
  }
  // What the launches have left of it. False: the GPU is gone.
  bool read(Buffer& now) const { return cuMemcpyDtoH_v2(&now, control_, sizeof now) == CUDA_SUCCESS; }
  bool send(uint64_t bytes, Connection& to) const {
    for (uint64_t at = 0; at < bytes; at += kStaging) {
      const size_t n = std::min<uint64_t>(kStaging, bytes - at);
      if (cuMemcpyDtoH_v2(staging_, reinterpret_cast<CUdeviceptr>(host_.bytes) + at, n) != CUDA_SUCCESS) {
        return false;
      }
      to.send(kRecords, staging_, n);
    }
    return true;
  }

 private:
  static constexpr uint64_t kStaging = uint64_t{16} << 20;
  Buffer host_ = {};
  CUdeviceptr control_ = 0;
  void* staging_ = nullptr;
  bool open_ = false, known_ = false;  // known: the GPU's copy is as here
};

}  // namespace heddle::capture
