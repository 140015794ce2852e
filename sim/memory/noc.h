// The crossbar between SMs and L2 slices: ports of SM, TPC and GPC in each direction, and a fixed transit
// time.
#pragma once

#include <cstdint>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/engine/bandwidth.h"
#include "sim/engine/time.h"

namespace heddle::memory {

class Noc {
 public:
  explicit Noc(const spec::GpuConfig& gpu);

  // Nothing is under way; time counts from `origin`.
  void reset(Ticks origin = {});

  // A packet of `payload` bytes that has left `sm` at `at`; returns its arrival at L2.
  Ticks request(uint32_t sm, uint32_t payload, Ticks at);
  // A packet that leaves L2 at `at`; returns the arrival of its last byte at `sm`.
  Ticks response(uint32_t sm, uint32_t payload, Ticks at) {
    return to_sm(sm, payload, to_gpc(gpc_of_sm_[sm], payload, at));
  }
  // The same in two steps, for one that goes to several SMs of a GPC: it passes the GPC's port once.
  Ticks to_gpc(uint32_t gpc, uint32_t payload, Ticks at) { return gpc_out_.pass(gpc, payload + header_, at); }
  Ticks to_sm(uint32_t sm, uint32_t payload, Ticks at);
  // A hint that response() will be called with that.
  void prefetch_response(uint32_t sm, Ticks at) const {
    gpc_out_.servers[gpc_of_sm_[sm]].prefetch(at);
    tpc_out_.servers[tpc_of_sm_[sm]].prefetch(at);
    sm_out_.servers[sm].prefetch(at);
  }

  const std::vector<uint32_t>& gpc_of_sm() const { return gpc_of_sm_; }
  Cycle response_latency() const { return to_cycles_down(response_latency_); }
  // Shortest time from a packet leaving an SM to any consequence reaching an SM: the executor's quantum.
  Cycle min_round_trip() const { return min_round_trip_; }

  template <class Archive>
  void serialize(Archive& ar) {
    for (Port* p : {&tpc_in_, &gpc_in_, &gpc_out_, &tpc_out_, &sm_out_}) {
      ar.elements(p->servers);
    }
  }

 private:
  struct Port {
    std::vector<Bandwidth> servers;
    double ticks_per_byte = 0;
    Ticks pass(uint32_t i, uint32_t bytes, Ticks at) {
      return servers[i].reserve(at, Ticks::truncated(bytes * ticks_per_byte));
    }
  };

  const uint32_t header_;
  const Ticks request_latency_, response_latency_;
  const Cycle min_round_trip_;
  std::vector<uint32_t> gpc_of_sm_, tpc_of_sm_;
  Port tpc_in_, gpc_in_;             // towards L2
  Port gpc_out_, tpc_out_, sm_out_;  // towards the SM
};

// The group of each SM: `size` consecutive SMs of one GPC make one.
std::vector<uint32_t> sm_groups(const std::vector<uint32_t>& gpc_of_sm, uint32_t size);

// The first SM of each GPC, and the number of SMs.
std::vector<uint32_t> first_sms(const std::vector<uint32_t>& gpc_of_sm);

// GPC of each SM: consecutive SMs fill a TPC, consecutive TPCs a GPC.
std::vector<uint32_t> gpc_of_sm(const spec::Topology& t);

}  // namespace heddle::memory
