#include "frontends/cuda/board.h"

#include <algorithm>

namespace heddle::cuda {
namespace {

bool counts(const Board::Place& p) {
  return p.state == Board::State::kComing || p.state == Board::State::kThere;
}

}  // namespace

Board::Choice Board::choose() const {
  if (come < expected) {
    return {};
  }
  for (uint32_t i = 0; i < kPlaces; ++i) {
    const Place& p = places[i];
    if (p.state == State::kEnding) {
      return {};  // what its end does to others is seen before anybody goes on
    }
  }
  for (uint32_t i = 0; i < kPlaces; ++i) {
    const Place& p = places[i];
    if (p.state == State::kThere && p.waits && p.looked != acts) {
      return {i, true};
    }
  }
  Choice out;
  for (uint32_t i = 0; i < kPlaces; ++i) {
    const Place& p = places[i];
    if (counts(p) && p.next != host::kNever && (out.place == kNobody || p.next < places[out.place].next)) {
      out.place = i;
    }
  }
  return out;
}

host::Ps Board::limit(uint32_t place) const {
  host::Ps out = host::kNever;
  for (uint32_t i = 0; i < kPlaces; ++i) {
    const Place& p = places[i];
    if (i != place && counts(p) && p.next != host::kNever) {
      out = std::min(out, i < place && p.next > host::Ps() ? p.next - host::Ps(1) : p.next);
    }
  }
  const host::Slices::Turn& turn = slices.turn();
  return turn.context == place ? std::min(out, turn.until) : out;
}

void Board::may_happen(host::Ps at) {
  for (Place& p : places) {
    if (p.state == State::kThere) {
      p.next = std::min(p.next, at);
    }
  }
}

bool Board::all_wait() const {
  return come >= expected && std::none_of(places.begin(), places.end(), [](const Place& p) {
           return p.state == State::kEnding || (counts(p) && p.next != host::kNever);
         });
}

uint32_t Board::free_place() const {
  const auto it = std::find_if(places.begin() + expected, places.end(),
                               [](const Place& p) { return p.state == State::kFree; });
  return it == places.end() ? kNobody : static_cast<uint32_t>(it - places.begin());
}

}  // namespace heddle::cuda
