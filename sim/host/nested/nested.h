// Kernels that kernels launch: dynamic parallelism (cuda-model A27). Each block of such a kernel makes its
// calls one after the other; each call takes its time and then has its effect. Children are commands like
// other kernels, ordered by the streams of the grid that launches them; a kernel is finished when everything
// below it is, by environments.h.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "sim/host/core/core.h"
#include "sim/host/core/refusal.h"
#include "sim/host/core/result.h"
#include "sim/host/nested/environments.h"
#include "sim/host/streams/ordering.h"

namespace heddle::host {

class Allocations;

inline constexpr uint32_t kDeepestGrid = 24;  // grids, by CDP1 (DP12)

// Why a kernel cannot be launched: how it and what it launches is compiled (DP08, DP16); nothing if it can.
std::optional<Refusal> refuse_device_code(const Program& p, uint32_t kernel, const Params& n);

class Nested : private Environments::Owner {
 public:
  Nested(Core& core, Ordering& ordering, Allocations& memory);
  // The program has more kernels than before.
  void grow();

  // ---- the host's calls
  std::optional<Refusal> set_limit(uint32_t device, Limit what, uint64_t value);
  uint64_t limit(uint32_t device, Limit what) const;

  // ---- the device
  // A kernel of the host's or of a graph, with calls, goes to its device.
  void begins(uint32_t slot);
  // A block will make its calls from `at` on.
  void block_calls(uint32_t slot, uint32_t block, Ps at, Ps time);
  // Events: the caller's next call begins; a call returns; a parent learns that a child is finished.
  void step(uint32_t caller);
  void returned(uint32_t caller, bool alone);
  void joined(uint32_t hold) { environments_.ended(hold); }
  // A kernel with `nested` set has ended: whether it is finished, too. If not it will be asked again.
  bool may_finish(uint32_t slot);
  // It is, and has failed, or a kernel below it: whether the host learns of it now (DP17).
  bool failed(uint32_t slot, bool itself);
  // The last to be asked of a finished kernel.
  void finished(uint32_t slot);

  void count(Result& result) const;

 private:
  struct Stream {
    CommandRef last;
    bool created = false, mark = false;  // `last` is no kernel
  };
  // A kernel that launches or is launched.
  struct NestedGrid {
    uint32_t slot = kNone;
    uint32_t parent = kNone;  // the grid that has launched it
    uint32_t root = kNone;
    uint32_t level = 0;
    uint32_t hold = kNone;    // the environment that says to its parent that it runs
    uint32_t inner = kNone;   // that its children are launched into
    uint32_t caller = kNone;  // the block that has launched it
    uint32_t tails_run = 0;
    Ps ended_at = kNever;
    bool is_tail = false, complete = false, failed = false;
    uint64_t queued = 0;  // of a root: children that had to wait for another
    std::map<uint64_t, Stream> streams;
    std::map<uint32_t, CommandRef> events;
    uint64_t events_held = 0;
    std::vector<uint32_t> deferred;  // starts of children (Rules::lazy_children)
  };
  struct Caller {
    uint32_t grid = kNone;
    uint32_t block = 0;
    Ps begin{}, end{};  // of its own time
    size_t call = 0;
    uint32_t left = 0, done = 0;  // threads of the call under way; how often it is over
    uint32_t children = 0;        // not finished
    bool synchronizes = false, over = false;
  };
  struct Tail {
    uint32_t grid = kNone;
    uint32_t call = 0;
  };
  struct Device {
    Ps free{};  // when the next call is taken
    uint32_t under_way = 0;
    uint64_t pending = 0, most_pending = 0;
    uint64_t events = 0;
    uint32_t limit = 0, sync_depth = 0;
    bool sync_memory = false;
  };
  using DeviceErrorKey = std::tuple<uint32_t, size_t, std::string>;

  template <class T>
  static uint32_t take(T& all, std::vector<uint32_t>& unused) {
    if (unused.empty()) {
      all.emplace_back();
      return static_cast<uint32_t>(all.size() - 1);
    }
    const uint32_t i = unused.back();
    unused.pop_back();
    all[i] = {};
    return i;
  }
  const KernelDesc& kernel(const NestedGrid& g) const {
    return core_.program.kernels[core_.commands[g.slot].object];
  }
  Device& device(const NestedGrid& g) { return devices_[core_.commands[g.slot].device]; }
  static uint64_t stream_key(const DeviceCall& c, const KernelDesc& k, uint32_t block);
  uint32_t add_grid(uint32_t slot, uint32_t parent);
  bool stream_busy(const NestedGrid& g, const DeviceCall& c, uint32_t block) const;
  Ps call_time(const NestedGrid& g, const DeviceCall& c, uint32_t block);
  void begin_call(uint32_t caller);
  // The effect of the caller's call.
  void launch(uint32_t caller, const DeviceCall& c);
  void event_call(uint32_t caller, const DeviceCall& c);
  bool take_events(NestedGrid& g, uint64_t n);
  void synchronize(uint32_t caller, const DeviceCall& c);
  bool level_allowed(uint32_t caller, uint32_t level, uint32_t most, const char* what);
  // A child's command, for the environment of its parent; `start`: when it may begin at the earliest.
  uint32_t add_child(uint32_t grid, const DeviceCall& c, uint32_t environment, Ps start);
  // Something in the stream that takes no time, behind `other` too.
  void mark(const NestedGrid& g, Stream& s, CommandRef other, Ps latency);
  void drop_caller(uint32_t caller);
  void fail(const NestedGrid& g, size_t call, const std::string& error, const std::string& why);
  void complete(uint32_t environment) override;
  void run_tail(uint32_t work, uint32_t environment) override;

  Core& core_;
  Ordering& ordering_;
  Allocations& memory_;
  Environments environments_{*this};
  std::vector<uint32_t> grid_of_;  // of an outer environment; kNone: of none
  std::deque<NestedGrid> grids_;   // references stay good when there are more
  std::vector<uint32_t> free_grids_;
  std::deque<Caller> callers_;
  std::vector<uint32_t> free_callers_;
  std::vector<Tail> tails_;
  std::vector<uint32_t> free_tails_;
  std::vector<Device> devices_;
  std::vector<uint32_t> name_;  // of each kernel
  std::vector<DeviceError> errors_;
  std::map<DeviceErrorKey, size_t> error_of_;
  uint64_t launches_ = 0, virtual_ = 0;
};

}  // namespace heddle::host
