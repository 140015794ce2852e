// The network of a GPC, alone: TPCs of two SMs, three CPCs; a slice takes 1 cycle for a packet, two slices
// share a way in, an answer takes half a cycle.
#include "sim/device/gpc_network.h"

#include <catch2/catch.hpp>

#include "sim/sm/dsm/cluster_message.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

constexpr uint64_t kLine = 0, kNextSlice = 2, kOtherWay = 8;  // lines: of slices 0, 1 and 2
constexpr uint32_t kPacket = sm::ClusterMessage::kPacket;
constexpr Ticks kStart = to_ticks(100);

struct Network {
  explicit Network(const spec::GpuConfig& g = test_gpu(2)) : n(g) {}
  // From the first SM of one TPC to that of another; the cycle in which the last packet has left.
  Cycle ask(uint32_t from, uint32_t to, uint64_t line, uint32_t packets = 1) {
    return to_cycles_up(n.ask(2 * from, 2 * to, line, packets, kStart));
  }
  Cycle answer(uint32_t tpc, uint32_t packets) {
    return to_cycles_up(n.answer(2 * tpc, packets * kPacket, kStart));
  }
  device::GpcNetwork n;
};

TEST_CASE("the SMs of a CPC share its slices, a packet a cycle; every third TPC is of the same CPC") {
  Network n;
  CHECK(n.ask(0, 0, kLine, 4) == 104);
  CHECK(n.ask(3, 3, kLine, 4) == 108);
  CHECK(n.ask(1, 1, kLine, 4) == 104);
  CHECK(n.ask(2, 2, kLine, 4) == 104);
  CHECK(n.ask(6, 6, kLine, 1) == 109);
}

TEST_CASE("lines that differ in bit 1 or 3 leave by other slices, in bit 0, 2 or 5 by the same") {
  Network n;
  CHECK(n.ask(0, 0, kLine) == 101);
  CHECK(n.ask(0, 0, kNextSlice) == 101);
  CHECK(n.ask(0, 0, kOtherWay) == 101);
  CHECK(n.ask(0, 0, kOtherWay + kNextSlice) == 101);
  CHECK(n.ask(0, 0, kLine + 1) == 102);
  CHECK(n.ask(0, 0, kLine + 4) == 103);
  CHECK(n.ask(0, 0, kLine + 32) == 104);
}

TEST_CASE("two slices share a way into a CPC, which takes two packets a cycle") {
  Network n;
  CHECK(n.ask(0, 2, kLine) == 101);
  CHECK(n.ask(0, 2, kNextSlice) == 101);
  CHECK(n.ask(1, 2, kLine) == 102);  // the way is taken in the first cycle
  CHECK(n.ask(1, 2, kNextSlice) == 102);
  CHECK(n.ask(1, 2, kOtherWay) == 101);
}

TEST_CASE("what waits for a way in holds back what is behind it in its slice") {
  Network n;
  n.ask(0, 2, kLine);
  n.ask(0, 2, kNextSlice);
  CHECK(n.ask(1, 2, kLine) == 102);
  CHECK(n.ask(1, 1, kLine) == 103);  // into another CPC, whose way is free
}

TEST_CASE("a slice that is late leaves earlier places of a way to others") {
  Network n;
  CHECK(n.ask(0, 2, kLine, 10) == 110);
  CHECK(n.ask(0, 2, kNextSlice, 3) == 103);
  CHECK(n.ask(1, 2, kLine) == 104);  // the first with one packet only
}

TEST_CASE("answers wait for answers, and take time of all slices") {
  Network n;
  CHECK(n.ask(0, 0, kLine, 8) == 108);
  CHECK(n.answer(0, 8) == 104);
  CHECK(n.answer(3, 8) == 108);
  CHECK(n.answer(1, 2) == 101);
  CHECK(n.ask(0, 0, kLine) == 108 + 8 + 1);
  CHECK(n.ask(0, 0, kOtherWay) == 100 + 8 + 1);
}

TEST_CASE("without times nothing is held up; a reset forgets") {
  spec::GpuConfig g = test_gpu(2);
  g.mutable_sm()->mutable_async_copy()->set_dsm_slice_cycles(0);
  g.mutable_sm()->mutable_async_copy()->set_dsm_answer_cycles(0);
  Network free(g);
  CHECK(free.ask(0, 1, kLine, 1000) == 100);
  CHECK(free.answer(0, 1000) == 100);
  Network n;
  n.ask(0, 1, kLine, 50);
  n.answer(0, 50);
  n.n.reset();
  CHECK(n.ask(0, 1, kLine) == 101);
  CHECK(n.answer(0, 2) == 101);
}

}  // namespace
}  // namespace heddle::simtest
