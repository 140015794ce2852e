// Copies of global to shared memory (LDGSTS) that a warp has under way, and its arrivals that wait for them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/exec/async/reach.h"
#include "sim/exec/warp/core.h"
#include "sim/isa/program.h"

namespace heddle {
class Archive;  // sim/engine/archive.h
}

namespace heddle::executed {

struct CopyUnderWay {
  uint32_t ticket = 0, mask = 0;
  uint32_t size = 0;                          // bytes that a lane writes
  std::array<uint8_t*, exec::kLanes> to;      // by lane: where in shared memory
  std::array<uint8_t, exec::kLanes> bytes{};  // by lane: that are copied, the rest is zero
};

class Copies {
 public:
  bool under_way() const { return !copies_.empty(); }
  void add(const CopyUnderWay& c) { copies_.push_back(c); }
  // Each of these lanes does what `in` says to its barrier object when all that is under way now has come.
  void arrive(exec::WarpCore& w, const exec::Group& g, const exec::Inst& in, uint32_t mask);
  // Data of the copy with that ticket have come, for lanes of `mask`; false: there is none. Throws Error.
  bool landed(exec::WarpCore& w, uint32_t ticket, uint32_t mask, const isa::LaneValues& values);
  // `spaces`: of the warp.
  void serialize(Archive& ar, const exec::Spaces& spaces);

 private:
  struct Arrival {
    exec::Group group;  // that arrived; for messages
    uint32_t mask = 0;
    exec::BarrierObjectOp::Kind kind = exec::BarrierObjectOp::Kind::kArrive;
    std::array<exec::At, exec::kLanes> objects;
    std::vector<uint32_t> tickets;  // that it waits for

    template <class A>
    void serialize(A& ar) {
      ar(group, mask, kind, objects, tickets);
    }
  };

  std::vector<CopyUnderWay> copies_;
  std::vector<Arrival> arrivals_;
};

}  // namespace heddle::executed
