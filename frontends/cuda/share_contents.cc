// What processes have on the device that they share: contexts, memory, events.
#include <algorithm>

#include "frontends/cuda/share.h"

namespace heddle::cuda {

bool Share::makes_context(bool exclusive) {
  const Lock lock(*this);
  for (uint32_t i = 0; exclusive && i < Board::kPlaces; ++i) {
    const Board::Place& p = board_.places[i];
    if (i != place_ && p.context && p.state != Board::State::kFree && p.state != Board::State::kEnding &&
        !is_dead(p.pid)) {
      return false;
    }
  }
  board_.places[place_].context = true;
  return true;
}

void Share::drops_context() {
  const Lock lock(*this);
  board_.places[place_].context = false;
  board_.places[place_].used_bytes = 0;
}

void Share::uses(uint64_t bytes) {
  const Lock lock(*this);
  board_.places[place_].used_bytes = bytes;
}

uint64_t Share::others_use() {
  const Lock lock(*this);
  uint64_t out = 0;
  for (uint32_t i = 0; i < Board::kPlaces; ++i) {
    out += i == place_ ? 0 : board_.places[i].used_bytes;
  }
  return out;
}

std::optional<uint32_t> Share::make_event() {
  const Lock lock(*this);
  for (uint32_t i = 0; i < Board::kEvents; ++i) {
    if (board_.events[i].users == 0) {
      board_.events[i] = {.users = 1};
      return i;
    }
  }
  return std::nullopt;
}

bool Share::open_event(uint32_t event) {
  const Lock lock(*this);
  if (event >= Board::kEvents || board_.events[event].users == 0) {
    return false;
  }
  ++board_.events[event].users;
  return true;
}

void Share::close_event(uint32_t event) {
  const Lock lock(*this);
  --board_.events[event].users;
}

uint64_t Share::record(uint32_t event) {
  const Lock lock(*this);
  Board::SharedEvent& e = board_.events[event];
  e.recorder = place_;
  return ++e.recorded;
}

void Share::recorded(uint32_t event, uint64_t record, host::Ps at) {
  const Lock lock(*this);
  Board::SharedEvent& e = board_.events[event];
  if (record > e.done) {
    e.done = record;
    e.done_at = at;
  }
  ++board_.acts;  // threads may wait for it
  board_.acted_at = std::max(board_.acted_at, at);
  board_.may_happen(at);
  stop(at);
}

Share::Record Share::last_record(uint32_t event) {
  const Lock lock(*this);
  const Board::SharedEvent& e = board_.events[event];
  return {e.recorder == place_, e.recorded, e.done >= e.recorded, e.done_at};
}

std::optional<host::Ps> Share::done(uint32_t event, uint64_t record) {
  const Lock lock(*this);
  const Board::SharedEvent& e = board_.events[event];
  return e.done >= record ? std::optional(e.done_at) : std::nullopt;
}

}  // namespace heddle::cuda
