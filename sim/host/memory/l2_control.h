// CUDA's control of what stays in the L2 (cuda-model L203-L222): the set-aside, windows of streams, launches
// and graph nodes, the resets. What a policy does to a kernel's time is the device model's: whoever runs the
// program can give its answer (KernelTime). Here is kept, from what kernels say that they access, which bytes
// persist.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "sim/host/core/core.h"
#include "sim/host/core/refusal.h"
#include "sim/host/core/result.h"
#include "sim/memory/access_policy.h"

namespace heddle::host {

// The duration of a kernel that comes from a trace, under a policy in the trace's addresses.
using KernelTime = std::function<Ps(uint32_t kernel, const memory::L2Policy& policy)>;

// Why a stream, launch or node cannot have the window; nothing if it can.
std::optional<Refusal> refuse_window(const Core& core, uint32_t window);

class L2Control {
 public:
  L2Control(const Core& core, KernelTime time);

  // The program has more streams than before.
  void grow() { windows_.resize(core_.program.streams.size(), kNone); }

  // Whether the program asks for any of it. If not, nothing else here is called.
  bool used() const { return used_; }

  // ---- calls; each gives CUDA's error or nothing
  std::optional<Refusal> set_limit(uint32_t device, uint64_t bytes);
  uint64_t limit(uint32_t device) const { return devices_[device].limit; }
  std::optional<Refusal> set_window(uint32_t stream, uint32_t window);
  uint32_t window_of(uint32_t stream) const { return windows_[stream]; }
  void reset(uint32_t device);

  // A kernel starts now under `window` (kNone: none): its duration, 0 if that is as the kernel has it.
  Ps kernel(uint32_t kernel, uint32_t device, uint32_t window, const std::vector<Access>& accesses);

  void count(Result& result) const;

 private:
  // Lines of a buffer that persist: of [begin, end), those whose draw is in [low, high). A line's draw is a
  // number from 0 to 1 that is always the same; of a window the lines with a draw below its hit ratio have
  // the hit property (L211).
  struct Piece {
    uint32_t buffer;
    uint64_t begin, end;
    double low, high;
    Ps touched;
    uint64_t bytes() const { return static_cast<uint64_t>(static_cast<double>(end - begin) * (high - low)); }
  };
  struct Device {
    uint64_t limit = 0;
    bool limited = false;       // by a call
    std::vector<Piece> pieces;  // the least recently used first
    uint64_t persisting = 0, peak = 0;
    uint64_t hit = 0, accessed = 0, evicted = 0, refused = 0;  // bytes
  };
  Ps time_of(uint32_t kernel, const Device& d, uint32_t window);
  void access(Device& d, const Access& a, uint32_t window);
  void persist(Device& d, uint32_t buffer, uint64_t begin, uint64_t end, double high);
  void age(Device& d);

  const Core& core_;
  const KernelTime time_;
  const bool keep_;  // a full set-aside keeps what it has
  bool used_;
  std::vector<Device> devices_;
  std::vector<uint32_t> windows_;  // of streams
  std::map<std::tuple<uint32_t, uint64_t, uint32_t>, Ps> times_;
};

}  // namespace heddle::host
