// The network between the SMs of a GPC, as far as it can be full: its SMs' way out and in. The TPCs are dealt
// to CPCs in turn; what leaves a CPC goes through slices by line address, and comes into another CPC by ways
// that several slices share. What finds its way in taken holds back what is behind it in its slice
// (FINDINGS.md 52).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/engine/time.h"

namespace heddle::device {

class GpcNetwork {
 public:
  // Numbers of SMs count from the first of the GPC.
  explicit GpcNetwork(const spec::GpuConfig& gpu);

  void reset();
  // When `packets` that ask for the shared memory of `to`, line `line`, and come to their slice from `at` on,
  // have left it.
  Ticks ask(uint32_t from, uint32_t to, uint64_t line, uint32_t packets, Ticks at);
  // The same of answers, in parts of a packet (ClusterMessage::kPacket): they leave by all slices, and wait
  // for answers only.
  Ticks answer(uint32_t from, uint32_t parts, Ticks at);

  template <class Archive>
  void serialize(Archive& ar) {
    for (Cpc& c : cpcs_) {
      ar.elements(c.slices);
      ar(c.answers);
      ar.elements(c.ways_in);
    }
  }

 private:
  // Packets that have a place, by slots: of the time that a slice takes for a packet.
  class WayIn {
   public:
    // The first slot from `slot` on that has less than `room` packets; it gets one more.
    uint64_t take(uint64_t slot, uint32_t room);
    void reset();
    template <class Archive>
    void serialize(Archive& ar) {
      ar(first_, taken_);
    }

   private:
    uint64_t first_ = 0;
    std::deque<uint8_t> taken_;  // of slot first_ and those behind it
  };
  struct Cpc {
    std::vector<Server> slices;
    Server answers;
    std::vector<WayIn> ways_in;
  };

  Cpc& cpc(uint32_t sm) { return cpcs_[sm / sms_per_tpc_ % cpcs_.size()]; }

  const uint32_t sms_per_tpc_;
  const uint64_t slot_ticks_;    // 0: no limit
  const double answer_ticks_;    // a packet's part
  const uint32_t slices_a_way_;  // share a way in, and a slot of it has room for so many
  std::vector<Cpc> cpcs_;
};

}  // namespace heddle::device
