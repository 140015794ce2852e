// What is to happen, by time; equal times in the order in which they were scheduled.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/host/program/time.h"

namespace heddle::host {

enum class Happening : uint8_t {
  kThread,
  kQueue,
  kDispatchCommand,
  kFlowStart,
  kFlowEnd,
  kGridStart,
  kBlocks,
  kBlockEnd,
  kKernelEnd,
  kTrigger,
  kDeviceCall,
  kNestedCall,
  kNestedReturn,
  kNestedJoin,
  kQueueTimeout,
  kComeBack,
  kPageFault,
  kFinish
};

struct DueEvent {
  Ps at;
  uint64_t order;
  uint32_t object;  // thread, queue, command, ...: by `what`
  uint32_t extra;
  uint64_t stamp;  // tells outdated events
  uint32_t step;   // what it follows (steps.h)
  Happening what;
};

class EventQueue {
 public:
  void push(Ps at, Happening what, uint32_t object, uint32_t extra = 0, uint64_t stamp = 0) {
    heap_.push_back({at, ++order_, object, extra, stamp, step, what});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  bool empty() const { return heap_.empty(); }
  Ps next_time() const { return heap_.empty() ? kNever : heap_.front().at; }
  DueEvent pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    DueEvent e = heap_.back();
    heap_.pop_back();
    step = e.step;
    return e;
  }

  uint32_t step = 0;  // what all that happens now follows

 private:
  static bool later(const DueEvent& a, const DueEvent& b) {
    return a.at != b.at ? a.at > b.at : a.order > b.order;
  }
  std::vector<DueEvent> heap_;
  uint64_t order_ = 0;
};

}  // namespace heddle::host
