// Between an L1's tag stage and the SM's port to the NoC: instructions that wait for the tags, packets that
// wait for the port, and the newest lines of stores, which further stores may still join (FINDINGS.md 45).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/access/coalesce.h"
#include "sim/engine/time.h"

namespace heddle::sm {

// Instructions that have left their sub-core's queue and whose turn at the tags or at the data array is
// booked and has not come. First in, first out.
class TurnQueue {
 public:
  explicit TurnQueue(uint32_t depth) : turns_(depth) {}

  void reset() { *this = TurnQueue(static_cast<uint32_t>(turns_.size())); }
  // From when on another one finds a place.
  Cycle room() const { return turns_[next_]; }
  // Its turn is at `begin`, no earlier than that of those before it.
  void add(Cycle begin) {
    turns_[next_] = begin;
    next_ = next_ + 1 < turns_.size() ? next_ + 1 : 0;
  }
  template <class A>
  void serialize(A& ar) {
    ar(turns_, next_);
  }

 private:
  std::vector<Cycle> turns_;  // when the newest ones began, round
  uint32_t next_ = 0;
};

// A line that one or more stores have written and whose packet still takes what others add.
struct OpenLine {
  static constexpr uint64_t kNoLine = ~uint64_t{0};

  uint64_t line = kNoLine;
  Cycle closes = 0;     // when the packet goes on to the port's queue
  uint32_t packet = 0;  // its number in the outbox
  uint32_t sender = 0;  // the first of those who wait for its acknowledgement
  uint8_t grid = 0;
  std::array<uint32_t, memory::kSectorsPerLine> bytes{};

  template <class A>
  void serialize(A& ar) {
    ar(line, closes, packet, sender, grid, bytes);
  }
};

class PacketQueue {
 public:
  explicit PacketQueue(const spec::L1Cache& c)
      : sent_(c.port_packets()),
        lines_(c.merge_lines()),
        interval_(Ticks::truncated(c.merge_interval() * static_cast<double>(kTicksPerCycle))) {}

  void reset() {
    std::fill(sent_.begin(), sent_.end(), Cycle{0});
    std::fill(lines_.begin(), lines_.end(), OpenLine{});
    next_ = next_line_ = 0;
    last_close_ = {};
  }
  // From when on another packet finds a place.
  Cycle room() const { return sent_[next_]; }
  // A packet that leaves the SM at `sent`.
  void add(Cycle sent) {
    sent_[next_] = sent;
    next_ = next_ + 1 < sent_.size() ? next_ + 1 : 0;
  }

  // The newest packet of a line, if it is a store's of that launch.
  OpenLine* find(uint64_t line, uint8_t grid) {
    for (OpenLine& l : lines_) {
      if (l.line == line) {
        return l.grid == grid ? &l : nullptr;
      }
    }
    return nullptr;
  }
  // A place for a line, the oldest's, whose packet (the last one added) may go on from `ready` on: in turn,
  // and not before the packets ahead have left room.
  OpenLine& open(uint64_t line, Cycle ready) {
    close(line);
    const auto behind = static_cast<uint32_t>(lines_.size());
    const Cycle ahead = sent_[(next_ + behind - 1) % sent_.size()];
    last_close_ = std::max({to_ticks(ready), last_close_ + interval_, to_ticks(ahead)});
    OpenLine& l = lines_[next_line_];
    next_line_ = next_line_ + 1 < lines_.size() ? next_line_ + 1 : 0;
    l = {};
    l.line = line;
    l.closes = to_cycles_up(last_close_);
    return l;
  }
  // A packet that was held has another number by now.
  void renumber(uint32_t from, uint32_t to) {
    for (OpenLine& l : lines_) {
      l.packet = l.packet == from ? to : l.packet;
    }
  }
  // How many packets behind the port's next one the lines are that still take something.
  uint32_t ahead() const {
    return static_cast<uint32_t>(sent_.size() - std::min(sent_.size(), lines_.size()));
  }
  bool merges() const { return !lines_.empty(); }
  // Whoever follows must not be seen before: nobody joins that line's packet any more.
  void close(uint64_t line) {
    for (OpenLine& l : lines_) {
      if (l.line == line) {
        l = {};
      }
    }
  }

  template <class A>
  void serialize(A& ar) {
    ar(sent_, lines_, next_, next_line_, last_close_);
  }

 private:
  std::vector<Cycle> sent_;      // by the newest packets, round
  std::vector<OpenLine> lines_;  // the newest, round
  uint32_t next_ = 0, next_line_ = 0;
  Ticks last_close_{};
  Ticks interval_;
};

}  // namespace heddle::sm
