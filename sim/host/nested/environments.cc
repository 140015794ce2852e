#include "sim/host/nested/environments.h"

#include <utility>

namespace heddle::host {

uint32_t Environments::add() {
  if (free_.empty()) {
    all_.emplace_back();
    return static_cast<uint32_t>(all_.size() - 1);
  }
  const uint32_t e = free_.back();
  free_.pop_back();
  all_[e] = Environment();
  return e;
}

uint32_t Environments::open(uint32_t parent) {
  const uint32_t e = add();
  all_[e].parent = parent;
  if (parent != kNone) {
    ++all_[parent].children;
  }
  return e;
}

void Environments::ended(uint32_t environment) {
  all_[environment].ended = true;
  look(environment);
}

// From the environment up to the first that is not complete.
void Environments::look(uint32_t e) {
  while (e != kNone && all_[e].ended && all_[e].children == 0) {
    e = leave(e);
  }
}

// It is complete. Returns the one that need wait for it no longer; kNone: a tail has its place.
uint32_t Environments::leave(uint32_t e) {
  owner_.complete(e);
  std::deque<uint32_t> rest = std::move(all_[e].tails);
  rest.insert(rest.end(), all_[e].inherited.begin(), all_[e].inherited.end());
  const uint32_t parent = all_[e].parent;
  free_.push_back(e);
  if (!rest.empty()) {
    const uint32_t work = rest.front();
    rest.pop_front();
    const uint32_t next = add();  // the parent goes on waiting, for this one
    all_[next].parent = parent;
    all_[next].inherited = std::move(rest);
    owner_.run_tail(work, next);
    return kNone;
  }
  if (parent != kNone) {
    --all_[parent].children;
  }
  return parent;
}

}  // namespace heddle::host
