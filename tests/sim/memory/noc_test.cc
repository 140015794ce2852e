// Ports and transit times between SMs and L2. Times in ticks, written as cycles * 256.
#include "sim/memory/noc.h"

#include <catch2/catch.hpp>

#include "tests/sim/support/test_config.h"

namespace heddle::memory {
namespace {

// Four SMs in two TPCs of two GPCs; a packet header of 32 bytes and ports of different widths.
spec::GpuConfig gpu() {
  spec::GpuConfig g = simtest::test_gpu(4);
  spec::Noc* n = g.mutable_noc();
  n->set_packet_header_bytes(32);
  n->set_tpc_request_bytes(16);
  n->set_gpc_request_bytes(32);
  n->set_gpc_response_bytes(64);
  n->set_tpc_response_bytes(32);
  n->set_sm_response_bytes(16);
  return g;
}

TEST_CASE("consecutive SMs fill a TPC, consecutive TPCs a GPC") {
  spec::Topology t;
  t.set_sms(10);
  t.set_sms_per_tpc(2);
  for (uint32_t n : {2, 1, 2}) {
    t.add_tpcs_per_gpc(n);
  }
  CHECK(gpc_of_sm(t) == std::vector<uint32_t>{0, 0, 0, 0, 1, 1, 2, 2, 2, 2});
}

TEST_CASE("an unloaded packet takes its service in every port and the transit time") {
  Noc n(gpu());
  // Request without payload: 32 bytes / 16 + 32 / 32 + 100 = 103.
  CHECK(n.request(0, 0, to_ticks(1000)) == to_ticks(1103));
  // 128 bytes of store data: 160 / 16 + 160 / 32 + 100 = 115.
  CHECK(n.request(0, 128, to_ticks(2000)) == to_ticks(2115));
  // Response with a sector: 64 / 64 + 64 / 32 + 64 / 16 + 100 = 107.
  CHECK(n.response(0, 32, to_ticks(1000)) == to_ticks(1107));
  CHECK(n.min_round_trip() == 200);
  CHECK(n.response_latency() == 100);
}

TEST_CASE("the SMs of a TPC share its request port, other TPCs have their own") {
  Noc n(gpu());
  // 2 cycles each in the TPC port: packet i leaves it at 2 (i + 1), then 1 cycle in the GPC port and 100 of
  // transit.
  for (uint64_t i = 0; i < 20; ++i) {
    CHECK(n.request(i % 2, 0, Ticks(0)) == to_ticks(2 * (i + 1) + 101));
  }
  CHECK(n.request(2, 0, Ticks(0)) == to_ticks(103));
}

TEST_CASE("two TPCs of a GPC share its request port") {
  spec::GpuConfig g = gpu();
  g.mutable_topology()->clear_tpcs_per_gpc();
  g.mutable_topology()->add_tpcs_per_gpc(2);
  g.mutable_noc()->set_gpc_request_bytes(8);
  Noc n(g);
  // The GPC port takes 4 cycles a packet, more than the TPC ports' 2: packet i has left it at 2 + 4 (i + 1)
  // if the port first waits for the first packet; its bucket counts from 0, so the saturated end is 4 (i +
  // 1), later than 6 only.
  Ticks last{};
  for (uint64_t i = 0; i < 100; ++i) {
    last = n.request(i % 2 * 2, 0, Ticks(0));
  }
  CHECK(last == to_ticks(400 + 100));
}

TEST_CASE("an SM takes responses at the rate of its narrowest port") {
  Noc n(gpu());
  // 128 + 32 bytes: 10 cycles in the SM port; the wider ports before it do not add up.
  Ticks last{};
  for (int i = 0; i < 64; ++i) {
    last = n.response(1, 128, Ticks(0));
  }
  CHECK(last == to_ticks(640 + 100));
  // The other SM of the TPC waits for the shared TPC port (64 x 5 cycles), not for that SM's port.
  CHECK(n.response(0, 128, Ticks(0)) == to_ticks(325 + 10 + 100));
}

TEST_CASE("reset() empties the ports") {
  Noc n(gpu());
  for (int i = 0; i < 100; ++i) {
    n.request(0, 128, Ticks(0));
    n.response(0, 128, Ticks(0));
  }
  n.reset();
  CHECK(n.request(0, 0, Ticks(0)) == to_ticks(103));
  CHECK(n.response(0, 32, Ticks(0)) == to_ticks(107));
}

}  // namespace
}  // namespace heddle::memory
