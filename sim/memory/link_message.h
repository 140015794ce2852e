// What devices send each other over links, and those that have come, in the order of their turns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/engine/time.h"
#include "sim/memory/message.h"
#include "sim/memory/payload.h"

namespace heddle::memory {

struct LinkMessage {
  Cycle key = 0;      // its turn (link_port.h)
  Ticks at{};         // it arrives
  Ticks performed{};  // of an answer: at L2
  Request request;
  Payload* values = nullptr;  // of the device that asked
  uint8_t from = 0, to = 0;   // devices
  bool answer = false;
};

// By key; what comes in one cycle, by device and then in the order of sending.
class LinkQueue {
 public:
  void insert(const LinkMessage& m) {
    waiting_.insert(std::upper_bound(waiting_.begin(), waiting_.end(), m,
                                     [](const LinkMessage& a, const LinkMessage& b) {
                                       return std::pair(a.key, a.from) < std::pair(b.key, b.from);
                                     }),
                    m);
  }
  // Hands over those whose turn is before `horizon`.
  template <class Take>
  void take(Cycle horizon, Take&& take) {
    auto m = waiting_.begin();
    for (; m != waiting_.end() && m->key < horizon; ++m) {
      take(*m);
    }
    waiting_.erase(waiting_.begin(), m);
  }
  // The first turn; kNever: none is waiting.
  Cycle next() const { return waiting_.empty() ? kNever : waiting_.front().key; }
  void clear() { waiting_.clear(); }

 private:
  std::vector<LinkMessage> waiting_;
};

}  // namespace heddle::memory
