// The path of memory instructions out of the sub-cores, against the published measurement (Huerta et al.,
// Ampere; reference/microarchitecture.md 3.6): issue cycle of the k-th independent load of each active
// sub-core.
//
//   published                                        model, the first issue at 2
//   k      1      2          3            4          the same numbers, with a queue of 5 (4 entries and a
//   latch), 1-5    2,3,4,5,6 for all                         an instruction every 4 cycles from each
//   sub-core, every 2 into the 6      13     13/15      13/15/17     13/15/17/19    shared unit, and 11
//   cycles from issue to leaving the queue 7      17     17/19      19/21/23     21/23/25/27 8      21 21/23
//   25/27/29     29/31/33/35 >8     +4     +4         +6           +8
#include <catch2/catch.hpp>

#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

// Cycle of the k-th instruction (from 1) of each of `active` sub-cores, counted so that the first issue is
// at 2.
std::vector<Cycles> table(const Op& op, uint32_t active, const spec::GpuConfig& g, int n = 12) {
  Kernel k;
  k.add(op, n);
  k.warps(active);
  Outcome o = run(g, k);
  std::vector<Cycles> rows;
  for (int i = 0; i < n; ++i) {
    Cycles c = o.cycles_of(static_cast<uint32_t>(i));
    for (Cycle& x : c) {
      x += 2;
    }
    rows.push_back(c);
  }
  return rows;
}

spec::GpuConfig ampere() {
  spec::GpuConfig g = test_gpu();
  spec::MemoryPipeline* m = g.mutable_sm()->mutable_memory();
  m->set_queue_latency(11);
  g.mutable_sm()->mutable_shared()->set_wavefront_cycles(1);
  return g;
}

void check_published(const Op& op) {
  const std::vector<std::vector<Cycles>> published = {
      {{13}, {17}, {21}, {25}, {29}, {33}, {37}},
      {{13, 15}, {17, 19}, {21, 23}, {25, 27}, {29, 31}, {33, 35}, {37, 39}},
      {{13, 15, 17}, {19, 21, 23}, {25, 27, 29}, {31, 33, 35}, {37, 39, 41}, {43, 45, 47}, {49, 51, 53}},
      {{13, 15, 17, 19},
       {21, 23, 25, 27},
       {29, 31, 33, 35},
       {37, 39, 41, 43},
       {45, 47, 49, 51},
       {53, 55, 57, 59},
       {61, 63, 65, 67}}};
  for (uint32_t active = 1; active <= 4; ++active) {
    std::vector<Cycles> rows = table(op, active, ampere());
    for (uint32_t i = 0; i < 5; ++i) {
      CAPTURE(active, i + 1);
      CHECK(rows[i] == Cycles(active, 2 + i));
    }
    for (uint32_t i = 5; i < 12; ++i) {
      CAPTURE(active, i + 1);
      CHECK(rows[i] == published[active - 1][i - 5]);
    }
  }
}

TEST_CASE("global loads issue as published") { check_published(ldg(1).at(0, 0)); }
TEST_CASE("shared loads issue as published") { check_published(lds(1).at(0, 0)); }
TEST_CASE("shared stores issue as published") { check_published(sts().at(0, 0)); }
TEST_CASE("global stores to one sector issue as published") { check_published(stg().at(0, 0)); }

TEST_CASE("the two queues are apart: shared loads do not wait for room among global ones") {
  Kernel k;
  k.add(ldg(1).at(0, 0), 5);
  k.add(lds(2), 5);
  Cycles c = run(test_gpu(), k).cycles(0);
  CHECK(c == Cycles{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("a full queue holds memory instructions only") {
  Kernel k;
  k.add(ldg(1).at(0, 0), 5);
  k.add(alu());
  k.add(ldg(1).at(0, 0));
  CHECK(run(test_gpu(), k).cycles(0) == Cycles{0, 1, 2, 3, 4, 5, 10});
}

TEST_CASE("the depth of the queue is a parameter") {
  spec::GpuConfig g = test_gpu();
  g.mutable_sm()->mutable_memory()->set_lg_queue(2);
  Kernel k;
  k.add(ldg(1).at(0, 0), 5);
  // Two enter; the third when the first leaves at 10, the fourth when the second does. The third is ready
  // at 20.
  CHECK(run(g, k).cycles(0) == Cycles{0, 1, 10, 14, 20});
}

TEST_CASE("an instruction leaves its sub-core when its source registers have been read") {
  spec::GpuConfig g = ampere();
  g.mutable_sm()->mutable_memory()->set_subcore_interval(2);
  g.mutable_sm()->mutable_memory()->set_register_read_interval(2);
  CHECK(table(lds(1).at(0, 0), 1, g)[7] == Cycles{17});
  CHECK(table(make(OpClass::kShuffle, "SHFL", 1), 1, g)[7] == Cycles{17});
  Op two = sts().at(0, 0);
  two.in.n_src = 2;
  two.in.src[0] = {isa::RegFile::kGpr, 1};
  two.in.src[1] = {isa::RegFile::kGpr, 2};
  CHECK(table(two, 1, g)[7] == Cycles{21});
  two.in.src[1].count = 4;
  CHECK(table(two, 1, g)[7] == Cycles{33});
}

TEST_CASE("warps of a sub-core share its queue") {
  Kernel k;
  k.add(ldg(1).at(0, 0), 3);
  k.warps(5).order(1, {}).order(2, {}).order(3, {});
  Outcome o = run(test_gpu(), k);
  CHECK(o.cycles(0) == Cycles{0, 1, 2});
  CHECK(o.cycles(4) == Cycles{3, 4, 10});
  CHECK(o[Stall::kLgThrottle] == 5);
}

TEST_CASE("what has left the queues waits for the data array in places that all sub-cores share") {
  spec::GpuConfig g = test_gpu();
  g.mutable_sm()->mutable_memory()->set_mio_queue(1);
  g.mutable_sm()->mutable_memory()->set_mio_places(2);
  g.mutable_sm()->mutable_shared()->set_wavefront_cycles(1);
  // 32 cycles of the array each. The first leaves its queue at 10 and is served at once, the second (issued
  // at 10, it leaves at 20) at 42, the third (30) at 74; the fourth, issued at 30, leaves when the second's
  // turn has come, at 42, the fifth at 74, the sixth at 106.
  Kernel k;
  k.add(lds(1).at(0, 128), 7);
  CHECK(run(g, k).cycles(0) == Cycles{0, 10, 20, 30, 42, 74, 106});
}

}  // namespace
}  // namespace heddle::simtest
