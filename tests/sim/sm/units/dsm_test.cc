// An SM's port to the network between SMs, alone.
#include "sim/sm/dsm/cluster_port.h"

#include <catch2/catch.hpp>

#include "tests/sim/support/unit_bench.h"

namespace heddle::simtest {
namespace {

using Message = sm::ClusterMessage;

struct Side : sm::ClusterMemory, sm::ClusterBarriers {
  Cycle visit(const Message&, Cycle now) override { return now + 7; }
  void acknowledged(uint32_t posted, Cycle now) override { acknowledgements.push_back({posted, now}); }
  void finish_remote(const sm::ClusterAccess& a, Cycle now) override { finished.push_back({a.warp, now}); }
  void open_cluster_barrier(uint32_t slot, Cycle now) override { opened.push_back({slot, now}); }
  void change_mbarrier(uint32_t slot, const isa::MbarrierOp&, Cycle now) override {
    changed.push_back({slot, now});
  }
  void bulk_arrived(uint32_t slot, uint64_t, uint64_t bytes, Cycle now) override {
    arrived.push_back({slot, now});
    bytes_arrived += bytes;
  }
  uint64_t bytes_arrived = 0;
  Ats acknowledgements, arrived, finished, opened, changed;
};

struct DsmBench : UnitBench {
  explicit DsmBench(Kernel& k) : UnitBench(k), port(state) {
    port.connect(side, side);
    state.block(0).cluster = 5;
  }
  Message message(Message::Kind kind) {
    Message m;
    m.kind = kind;
    m.cluster = 5;
    return m;
  }
  void deliver(Message m, Cycle at) {
    m.time = at;
    port.deliver(m);
    REQUIRE(port.next() == at);
    port.run(at);
  }
  Side side;
  sm::ClusterPort port;
};

TEST_CASE("packets leave through the port at 2 cycles each, one message after the other") {
  Kernel k{nop()};
  DsmBench b(k);
  Message four = b.message(Message::Kind::kWrite);
  four.parts = 4 * Message::kPacket;
  CHECK(b.port.send(four, 100) == 108);
  CHECK(b.port.send(b.message(Message::Kind::kWrite), 100) == 110);
  CHECK(b.port.next_departure() == 108);
  REQUIRE(b.port.outbox().size() == 2);
}

TEST_CASE("what comes for a block here is served, and answered through the port") {
  Kernel k{nop()};
  DsmBench b(k);
  Message m = b.message(Message::Kind::kRead);
  m.sm = 3;
  m.answer_parts = 2 * Message::kPacket;
  b.deliver(m, 500);
  REQUIRE(b.port.outbox().size() == 1);
  const Message& a = b.port.outbox()[0];
  CHECK(a.kind == Message::Kind::kAnswer);
  CHECK(a.to == 3);
  CHECK(a.parts == 2 * Message::kPacket);
  CHECK(a.time == 500 + 7 + 2 * 2);  // the visit begins 7 cycles later
}

TEST_CASE("the port does not stand still for an answer that is ready later; acknowledgements do not wait") {
  Kernel k{nop()};
  DsmBench b(k);
  Message m = b.message(Message::Kind::kRead);
  m.answer_parts = 2 * Message::kPacket;
  b.deliver(m, 500);  // in the port from 500 to 504; its data come at 507
  CHECK(b.port.send(b.message(Message::Kind::kRead), 501) == 506);
  m = b.message(Message::Kind::kWrite);
  m.answer_parts = Message::kPacket / 2;
  b.port.send(b.message(Message::Kind::kRead), 502);  // until 508
  b.deliver(m, 503);
  CHECK(b.port.outbox().back().time == 503 + 7 + 1);
  CHECK(b.port.send(b.message(Message::Kind::kRead), 503) == 508 + 1 + 2);
}

TEST_CASE("an access ends with its last answer") {
  Kernel k{nop()};
  DsmBench b(k);
  Message m = b.message(Message::Kind::kRead);
  m.id = b.port.open({.warp = 9});
  b.port.send(m, 100);
  b.port.send(m, 100);
  m.kind = Message::Kind::kAnswer;
  b.deliver(m, 400);
  CHECK(b.side.finished.empty());
  b.deliver(m, 410);
  CHECK(b.side.finished == Ats{{9, 410}});
}

TEST_CASE("acknowledgements, openings and operations on barrier objects go where they belong") {
  Kernel k{nop()};
  DsmBench b(k);
  Message ack = b.message(Message::Kind::kAnswer);
  ack.posted = 77;
  b.deliver(ack, 200);
  CHECK(b.side.acknowledgements == Ats{{77, 200}});
  b.deliver(b.message(Message::Kind::kOpen), 210);
  CHECK(b.side.opened == Ats{{0, 210}});
  Message arrive = b.message(Message::Kind::kMbarrier);
  arrive.mbarrier.kind = isa::MbarrierOp::Kind::kArrive;
  b.deliver(arrive, 220);
  CHECK(b.side.changed == Ats{{0, 220}});
  CHECK(b.port.outbox().empty());
}

TEST_CASE("the bytes of another block's copy count at the barrier object here") {
  Kernel k{nop()};
  DsmBench b(k);
  Message m = b.message(Message::Kind::kBulk);
  m.bulk.bytes = 96;
  b.deliver(m, 300);
  CHECK(b.side.arrived == Ats{{0, 300}});
  CHECK(b.side.bytes_arrived == 96);
  m.cluster = 6;
  b.deliver(m, 400);
  CHECK(b.side.bytes_arrived == 96);
}

TEST_CASE("an opening for a block that has gone meanwhile is nobody's; nor is a message of another cluster") {
  Kernel k{nop()};
  DsmBench b(k);
  Message open = b.message(Message::Kind::kOpen);
  open.time = 300;
  b.port.deliver(open);
  ++b.state.block(0).generation;
  b.port.run(300);
  CHECK(b.side.opened.empty());
  Message arrive = b.message(Message::Kind::kMbarrier);
  arrive.mbarrier.kind = isa::MbarrierOp::Kind::kArrive;
  arrive.cluster = 6;
  b.deliver(arrive, 400);
  CHECK(b.side.changed.empty());
}

}  // namespace
}  // namespace heddle::simtest
