#include "sim/memory/fabric.h"

namespace heddle::memory {

void Fabric::book(uint32_t direction, const std::vector<std::vector<Transfer>*>& slices) {
  Lane& lane = lanes_[direction];
  lane.turns.clear();
  for (std::vector<Transfer>* s : slices) {
    for (Transfer& t : *s) {
      if (t.direction == direction) {
        lane.turns.push_back(&t);
      }
    }
  }
  lane.order.sort(lane.turns, [](const Transfer* t) { return t->sent; });
  for (Transfer* t : lane.turns) {
    t->end = lane.rate.reserve(t->at, service(t->bytes)) + t->latency;
  }
}

}  // namespace heddle::memory
