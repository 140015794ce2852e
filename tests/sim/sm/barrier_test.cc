// Block barriers. The barrier unit takes an arrival every 2 cycles; the release comes 10 cycles after the
// last arrival has been taken, and the released warps issue a cycle later. BAR goes through the ADU, one a
// cycle for the whole SM. (Loads, branches, XU and barriers wait behind a barrier; plain arithmetic does not,
// so the tests use MUFU behind it.)
#include <catch2/catch.hpp>

#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

TEST_CASE("a lone warp passes its barrier after 2 + 10 + 1 cycles") {
  Kernel k{bar(), mufu()};
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 13});
}

TEST_CASE("all warps of a block leave together: 2 cycles for each arrival, 10 for the release") {
  for (uint32_t warps : {2u, 4u, 8u, 32u}) {
    Kernel k{bar(), mufu()};
    k.warps(warps);
    Outcome o = run(test_gpu(), k);
    Cycles c = o.cycles_of(1);
    CAPTURE(warps);
    CHECK(c.size() == warps);
    CHECK(c.front() == 2 * warps + 10 + 1);
    // Each sub-core lets its warps go 8 cycles apart (the XU).
    CHECK(c.back() == 2 * warps + 11 + 8 * ((warps - 1) / 4));
  }
}

TEST_CASE("a barrier behind work of the LSU is a shared-memory wavefront") {
  Kernel k{bar(), sts(4), bar(), bar()};
  k.warps(2);
  Outcome o = run(test_gpu(), k);
  CHECK(o[Counter::kSharedStWavefronts] == 2);
  CHECK(o[Counter::kSharedMiscWavefronts] == 1);
}

TEST_CASE("nobody passes before the last has come") {
  Kernel k;
  k.add(nop().stall(11), 10);
  k.add(bar());
  k.add(mufu());
  k.warps(2).order(0, {10, 11});
  Outcome o = run(test_gpu(), k);
  CHECK(o.cycles(0) == Cycles{0, 110 + 13});
  CHECK(o.cycles_of(11) == Cycles{110 + 13, 110 + 13});
}

TEST_CASE("a second barrier works like the first") {
  Kernel k{bar(), mufu(), bar(), mufu()};
  k.warps(4);
  Outcome o = run(test_gpu(), k);
  Cycles first = o.cycles_of(1), second = o.cycles_of(3);
  CHECK(first == Cycles(4, 19));
  CHECK(second.front() == second.back());
  // MUFU at 19, BAR from 20 on.
  CHECK(second.front() == 20 + 19);
}

TEST_CASE("plain arithmetic passes a barrier that is not complete") {
  Kernel k{bar(), imad(), imad(), mufu()};
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 1, 3, 13});
}

TEST_CASE("loads and branches wait at the barrier") {
  Kernel a{bar(), lds(1)};
  CHECK(run(test_gpu(), a).cycles(0) == Cycles{0, 13});
  Kernel b{bar(), bra()};
  CHECK(run(test_gpu(), b).cycles(0) == Cycles{0, 13});
}

TEST_CASE("named barriers are independent") {
  // Warps 0 and 1 meet at barrier 1, warps 2 and 3, later, at barrier 2.
  Kernel k{bar(1, 64), bar(2, 64), mufu(), nop().stall(11), nop().stall(11)};
  k.warps(4).order(0, {0, 2}).order(1, {0, 2}).order(2, {3, 4, 1, 2}).order(3, {3, 4, 1, 2});
  Outcome o = run(test_gpu(), k);
  CHECK(o.cycles(0).back() == 4 + 10 + 1);
  CHECK(o.cycles(1).back() == 15);
  CHECK(o.cycles(2).back() > 22);
  CHECK(o.cycles(2).back() == o.cycles(3).back());
}

TEST_CASE("BAR.ARV counts but does not wait") {
  Kernel k{nop().stall(11), nop().stall(11), nop().stall(11), bar_arrive(1, 64), mufu(), bar(1, 64), mufu()};
  k.warps(2).order(0, {0, 1, 2, 3, 4}).order(1, {5, 6});
  Outcome o = run(test_gpu(), k);
  CHECK(o.cycles(0) == Cycles{0, 11, 22, 33, 34});  // the producer goes on
  CHECK(o.cycles(1) == Cycles{0, 33 + 13});
}

TEST_CASE("a barrier with a thread count opens when that many warps have come, not the whole block") {
  Kernel k{bar(0, 64), mufu()};
  k.warps(4).order(2, {}).order(3, {});
  CHECK(run(test_gpu(), k).cycles_of(1) == Cycles{15, 15});
}

TEST_CASE("a warp that has exited is not waited for") {
  SECTION("it exits before the others come") {
    Kernel k{exit_op(), nop().stall(11), bar(), mufu()};
    k.warps(2).order(0, {0}).order(1, {1, 2, 3});
    CHECK(run(test_gpu(), k).cycles(1) == Cycles{0, 11, 24});
  }
  SECTION("it exits while the others wait") {
    Kernel k{nop().stall(11), nop().stall(11), exit_op(), bar(), mufu()};
    k.warps(2).order(0, {0, 1, 2}).order(1, {3, 4});
    // EXIT at 22; the warp is gone at 23, the release comes 10 later.
    CHECK(run(test_gpu(), k).cycles(1) == Cycles{0, 34});
  }
}

TEST_CASE("no barrier of the block, whatever its number, waits for lanes that have exited") {
  for (int id = 0; id < 16; ++id) {
    CAPTURE(id);
    {
      // The others of warp 0 come at 11; these exit at 12, which counts at 14 and releases 10 later.
      Kernel k{nop().stall(11), bar(id), exit_op(), mufu()};
      k.warps(2).stream(0, {{0}, {1, 0x0000ffff}, {2, 0xffff0000}, {3, 0x0000ffff}}).order(1, {1, 3});
      Outcome o = run(test_gpu(), k);
      CHECK(o.cycles(0) == Cycles{0, 11, 12, 25});
      CHECK(o.cycles(1) == Cycles{0, 25});
    }
    {
      // They exit first; the others come at 1, which counts behind warp 1's arrival.
      Kernel k{exit_op(), bar(id), mufu()};
      k.warps(2).stream(0, {{0, 0xffff0000}, {1, 0x0000ffff}, {2, 0x0000ffff}}).order(1, {1, 2});
      Outcome o = run(test_gpu(), k);
      CHECK(o.cycles(0) == Cycles{0, 1, 15});
      CHECK(o.cycles(1) == Cycles{0, 15});
    }
  }
}

TEST_CASE("of a last warp that is not full a barrier waits for its threads, for all of them and no others") {
  for (uint32_t threads = 33; threads <= 64; ++threads) {
    CAPTURE(threads);
    const uint32_t lanes = ~0u >> (64 - threads), last = 1u << (threads - 33);
    // Warp 0 comes at 11 and counts at 13. Warp 1 comes at 0 but for its last thread, which comes at 12 and
    // counts at 15.
    Kernel k{bar(), nop().stall(11), bar(), mufu()};
    k.shape().block = {threads, 1, 1};
    k.order(0, {1, 2, 3}).stream(1, {{0, lanes & ~last}, {1, lanes}, {2, last}, {3, lanes}});
    CHECK(run(test_gpu(), k).cycles_of(3) == Cycles{26, 26});
  }
}

TEST_CASE("a barrier whose predicate is false is no barrier") {
  Kernel k{bar().predicated(), mufu()};
  k.warps(2).stream(0, {{0, 0}, {1}}).order(1, {1});
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 1});
}

TEST_CASE("blocks on one SM have barriers of their own") {
  Kernel k;
  k.add(nop().stall(11), 6);
  k.add(bar());
  k.add(mufu());
  k.blocks(2).warps(2).order(0, {6, 7}).order(1, {6, 7});
  k.stream_of_block(1, 1, {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}});
  Outcome o = run(test_gpu(), k);
  CHECK(o.cycles(0).back() < 20);  // block 0
  CHECK(o.cycles(1).back() < 20);
  CHECK(o.cycles(2).back() > 66);  // block 1
}

TEST_CASE("who arrives between the completion of a barrier and its release belongs to the next phase") {
  // Warps 0 and 1 complete the first phase at cycles 0 and 1: counted at 2 and 4, released at 14. Warp 2
  // comes at 6. Warp 1 comes again at 33, and completes the second phase: released at 33 + 2 + 10.
  SECTION("a warp that waits") {
    Kernel k{bar(1, 64), mufu(), bar_arrive(1, 64).stall(11), nop().stall(11), nop().stall(6)};
    k.warps(3).order(0, {0, 1}).order(1, {2, 3, 3, 2}).order(2, {4, 0, 1});
    Outcome o = run(test_gpu(), k);
    CHECK(o.cycles(0).back() == 15);
    CHECK(o.cycles(1).back() == 33);
    CHECK(o.cycles(2).back() == 46);
  }
  SECTION("a warp that only arrives") {
    Kernel k{bar(1, 64), mufu(), bar_arrive(1, 64).stall(11), nop().stall(11), nop().stall(6)};
    k.warps(3).order(0, {0, 1}).order(1, {0, 1, 3, 3, 0, 1}).order(2, {4, 2});
    Outcome o = run(test_gpu(), k);
    CHECK(o.cycles(0).back() == 15);
    CHECK(o.cycles(1).back() == o.cycles(1).at(4) + 13);
  }
}

TEST_CASE("barriers whose number is in a register are matched by the order of arrivals") {
  // Warp 0 hands over to warp 1 through two barriers; the numbers of one are constants, of the other unknown.
  auto named = [](uint8_t id, uint16_t flags = 0) {
    Op b = bar();
    b.in.barrier_id = id;
    b.in.barrier_threads = 64;
    b.in.flags = flags;
    return b;
  };
  Kernel k{named(1, isa::kFlagBarrierArrive), named(2, isa::kFlagBarrierArrive),
           named(isa::kBarrierInRegister), named(isa::kBarrierInRegister), mufu()};
  k.warps(2).order(0, {0, 1, 4}).order(1, {2, 3, 4});
  Outcome o = run(test_gpu(), k);
  CHECK(o[Counter::kBarriersByOrder] == 4);
  CHECK(o.cycles(0).size() == 3);
  CHECK(o.cycles(1).size() == 3);
}

TEST_CASE(
    "where they were not meant so, the first of a block that is waited for opens when nothing goes on") {
  // Warp 0 meets warp 1, then warp 2. By the order of arrivals warp 2 comes to the first barrier, too, where
  // it stays alone, and warp 0 to the second. When warp 2 has gone on and ended, nobody is left but warp 0.
  Op unknown = bar();
  unknown.in.barrier_id = isa::kBarrierInRegister;
  unknown.in.barrier_threads = 64;
  unknown.in.flags = 0;
  Kernel k{unknown, mufu(), nop().stall(11), nop().stall(11), nop().stall(11)};
  k.warps(3).blocks(2).order(0, {0, 1, 0, 1}).order(1, {0, 1}).order(2, {2, 3, 4, 0, 1});
  Outcome o = run(test_gpu(), k);
  CHECK(o[Counter::kBarriersByOrder] == 2 * 4);
  CHECK(o[Counter::kMbarrierForced] == 2);
  CHECK(o.cycles_of(1).size() == 2 * 4);
  for (const uint32_t first : {0u, 3u}) {  // of the blocks' warps
    const Cycle came = o.cycles(first + 2).at(3), forced = o.cycles(first + 2).back();
    CHECK(forced > came + 13);  // with nobody to wait for
    CHECK(o.cycles(first).at(1) < came);
    CHECK(o.cycles(first + 1).back() < came);
    // MUFU at `forced`; the warp has gone a cycle later, the release comes 10 later, and MUFU the cycle
    // after.
    CHECK(o.cycles(first).back() == forced + 1 + 10 + 1);
  }
}

TEST_CASE("warp groups of as many warps as their barriers have meet by themselves") {
  // Warps 0 and 1, and 2 and 3, meet twice at barriers of 64 threads; warp 1 comes late. By the order of
  // arrivals warp 0 would meet one of the others.
  Op group = bar();
  group.in.barrier_id = isa::kBarrierInRegister;
  group.in.barrier_threads = 64;
  group.in.flags = 0;
  Kernel k{group, nop(), mufu()};
  k.warps(4).order(0, {0, 0, 2}).order(2, {0, 0, 2}).order(3, {0, 0, 2});
  std::vector<Kernel::Step> late(200, Kernel::Step{1});
  late.insert(late.end(), {{0}, {0}, {2}});
  k.stream(1, late);
  Outcome o = run(test_gpu(), k);
  CHECK(o[Counter::kBarriersByOrder] == 0);
  const Cycle came = o.cycles(1).at(200);
  CHECK(o.cycles(0).at(1) > came);
  CHECK(o.cycles(2).back() < came);
  CHECK(o.cycles(3).back() < came);
}

TEST_CASE("warps that do not come equally often are matched by order") {
  Op group = bar();
  group.in.barrier_id = isa::kBarrierInRegister;
  group.in.barrier_threads = 64;
  group.in.flags = 0;
  Kernel k{group, mufu()};
  k.warps(4).order(0, {0, 1}).order(1, {1}).order(2, {0, 1}).order(3, {1});
  Outcome o = run(test_gpu(), k);
  CHECK(o[Counter::kBarriersByOrder] == 2);
  CHECK(o.cycles_of(1).size() == 4);
}

TEST_CASE("without a thread count such a barrier is taken for barrier 0") {
  Op unknown = bar();
  unknown.in.barrier_id = isa::kBarrierInRegister;
  Kernel k{bar(), unknown, mufu()};
  k.warps(2).order(0, {0, 2}).order(1, {1, 2});
  Outcome o = run(test_gpu(), k);
  CHECK(o.cycles(0).back() == 2 * 2 + 10 + 1);
  CHECK(o[Counter::kBarriersByOrder] == 0);
}

// A barrier whose thread count is in a register.
Op counted(uint8_t id, uint16_t flags = 0) {
  Op b = bar(id);
  b.in.flags = flags;
  return b;
}

TEST_CASE("a thread count in a register: as many warps as come to the barrier, not the whole block") {
  Kernel k{counted(1), mufu(), nop().stall(11), nop().stall(11), nop().stall(11), exit_op()};
  k.warps(4).order(0, {0, 1, 5}).order(1, {0, 1, 5}).order(2, {2, 3, 4, 5}).order(3, {2, 3, 4, 5});
  CHECK(run(test_gpu(), k).cycles_of(1) == Cycles{15, 15});
}

TEST_CASE("producers and consumers whose counts are in registers") {
  // Warp 0 fills and warps 1 and 2 empty, five times; warp 3 waits for all of them at __syncthreads.
  Kernel k;
  const uint32_t full_arrive = k.add(counted(1, isa::kFlagBarrierArrive)), full_wait = k.add(counted(1));
  const uint32_t empty_arrive = k.add(counted(2, isa::kFlagBarrierArrive)), empty_wait = k.add(counted(2));
  const uint32_t work = k.add(nop().stall(11)), all = k.add(bar()), last = k.add(mufu());
  std::vector<Kernel::Step> producer, consumer;
  for (int i = 0; i < 5; ++i) {
    producer.insert(producer.end(), {{work}, {full_arrive}, {empty_wait}});
    consumer.insert(consumer.end(), {{full_wait}, {work}, {empty_arrive}});
  }
  for (std::vector<Kernel::Step>* s : {&producer, &consumer}) {
    s->insert(s->end(), {{all}, {last}});
  }
  k.warps(4).stream(0, producer).stream(1, consumer).stream(2, consumer).order(3, {all, last});
  Outcome o = run(test_gpu(), k);
  Cycles c = o.cycles(0);
  REQUIRE(c.size() == 17);
  // Each hand-over: both have worked for 11 cycles, and two barriers have opened.
  for (size_t i = 3; i < 15; i += 3) {
    CHECK(c[i] - c[i - 3] >= 2 * 11 + 2 * 10);
  }
  CHECK(o.cycles_of(last).size() == 4);
}

TEST_CASE("one warp of two in turn at a counted barrier") {
  // Warp 0 meets warp 1, then warp 2: six arrivals in three phases, two warps each.
  Kernel k{counted(1), mufu(), nop().stall(11), nop().stall(11), nop().stall(11)};
  k.warps(4)
      .order(0, {0, 1, 0, 1, 0, 1})
      .order(1, {0, 1, 2, 2, 2, 2, 0, 1})
      .order(2, {2, 2, 0, 1})
      .order(3, {});
  Outcome o = run(test_gpu(), k);
  CHECK(o.cycles_of(1).size() == 6);
  CHECK(o.cycles(1).at(1) == 15);
}

TEST_CASE("warps that stop coming to a counted barrier are not waited for") {
  // Five arrivals of two warps cannot be divided: both at the first two phases, warp 0 alone at the third.
  Kernel k{counted(1), mufu(), nop().stall(11)};
  k.warps(3).order(0, {0, 1, 0, 1, 0, 1}).order(1, {0, 1, 0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2});
  k.stream(2, std::vector<Kernel::Step>(40, {2}));
  Outcome o = run(test_gpu(), k);
  CHECK(o.cycles_of(1).size() == 5);
  CHECK(o.cycles(0).back() < 100);
}

TEST_CASE("number and count in registers: matched by order, counted by arrivals") {
  Op both = counted(isa::kBarrierInRegister),
     both_arrive = counted(isa::kBarrierInRegister, isa::kFlagBarrierArrive);
  Kernel k{both, both_arrive, mufu(), bar(), nop().stall(11)};
  k.warps(4).order(0, {1, 0, 2, 3}).order(1, {0, 1, 2, 3}).order(2, {4, 3}).order(3, {4, 3});
  Outcome o = run(test_gpu(), k);
  CHECK(o[Counter::kBarriersByOrder] == 4);
  CHECK(o.cycles_of(2).size() == 2);
}

}  // namespace
}  // namespace heddle::simtest
