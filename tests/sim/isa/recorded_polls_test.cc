// Loops that poll global memory in a recording: they end when the flag has been written, not when the
// recorder had seen it.
#include "sim/isa/recorded_polls.h"

#include <catch2/catch.hpp>
#include <utility>

#include "tests/sim/support/kernel_builder.h"
#include "tests/sim/support/test_config.h"

namespace heddle::simtest {
namespace {

constexpr uint64_t kFlag = 0x4000, kWord = kFlag / isa::kFlagBytes;

Op poll(uint64_t at = kFlag) {
  return ldg(1).at(at).flags(isa::kFlagStrong | isa::kFlagBypassL1).writes_barrier(0);
}
Op back_to(uint32_t index) {
  Op b = bra();
  b.in.target = index * 16;
  return b.waits(0b1);
}

// Instruction 0: what a block does first; 1: the poll, 2: the branch back to it; 3: behind the loop;
// 4: the store to the flag.
Kernel waiting(uint32_t turns, uint32_t work) {
  Kernel k{nop(), poll(), back_to(1), nop(), stg().at(kFlag)};
  k.blocks(2);
  std::vector<Kernel::Step> writer(work, Kernel::Step{0}), reader{{0}};
  writer.push_back({4});
  for (uint32_t i = 0; i < turns; ++i) {
    reader.push_back({1});
    reader.push_back({2});
  }
  reader.push_back({3});
  k.stream_of_block(0, 0, std::move(writer)).stream_of_block(1, 0, std::move(reader));
  return k;
}

std::vector<uint32_t> codes(const isa::WarpTrace& w, size_t from, size_t to) {
  std::vector<uint32_t> c;
  for (size_t i = from; i < to; ++i) {
    for (uint32_t n = 0; n < w.runs[i].count; ++n) {
      c.push_back(w.runs[i].first + n);
    }
  }
  return c;
}

TEST_CASE("a loop that polls is one turn, one more, and what follows") {
  Kernel k = waiting(5, 7);
  const isa::RecordedFlags flags(k);
  REQUIRE(flags.any());
  CHECK(flags.is_flag(kWord));
  CHECK(flags.writes(4));
  CHECK_FALSE(flags.writes(3));
  isa::BlockTrace block;
  REQUIRE(k.next(block));  // which it has begun again
  CHECK(block.linear == 0);
  REQUIRE(k.next(block));
  const isa::RecorderClock clock(k.image(), block);
  isa::WarpTrace& w = block.warps.at(0);
  const std::vector<isa::Spin> spins = isa::make_spins(flags, clock, 1, 0, w);
  REQUIRE(spins.size() == 1);
  const isa::Spin& s = spins[0];
  CHECK(codes(w, 0, s.turn) == std::vector<uint32_t>{0, 1, 2});
  CHECK(codes(w, s.turn, s.behind) == std::vector<uint32_t>{1, 2});
  CHECK(codes(w, s.behind, w.runs.size()) == std::vector<uint32_t>{3});
  CHECK(s.most == 4);
  CHECK(s.work.instructions == 2);
  CHECK(s.turn_reference == 1);
  CHECK(s.behind_reference == 2);
  REQUIRE(s.flags.size() == 1);
  CHECK(s.flags[0].word == kWord);
  CHECK(s.flags[0].needed == 1);
}

TEST_CASE("a poll is over when the flag has been written, however often it was recorded") {
  Kernel few = waiting(20, 300), many = waiting(400, 300);
  const Outcome a = run(test_gpu(4), few), b = run(test_gpu(4), many);
  CHECK(a.result.cycles == b.result.cycles);
  // Of the writer 300 and its store; of the other block as many turns as there was time for.
  const uint64_t turns = b.cycles_of(1).size();
  CHECK(turns == a.cycles_of(1).size());
  CHECK(turns > 2);
  CHECK(turns < 20);
  CHECK(b[Counter::kInstExecuted] == 301 + 2 + 2 * turns);
  CHECK(b[Counter::kSpinsLeftOut] == 2 * (400 - turns));
  // It goes on behind the first poll that is not before the store.
  const Cycle stored = b.cycles_of(4).at(0), behind = b.cycles_of(3).at(0);
  CHECK(b.cycles_of(1).back() >= stored);
  CHECK(b.cycles_of(1)[turns - 2] < stored);
  CHECK(behind > b.cycles_of(1).back());
}

TEST_CASE("a loop that finds its flag at once goes on with what is behind it") {
  Kernel k = waiting(5, 0);  // the store is the writer's first instruction
  const uint32_t behind = k.add(ldg(3).at(0x80000, 128).writes_barrier(1));
  std::vector<Kernel::Step> reader(600, Kernel::Step{0});
  for (int i = 0; i < 5; ++i) {
    reader.push_back({1});
    reader.push_back({2});
  }
  reader.push_back({behind});
  k.stream_of_block(1, 0, std::move(reader));
  device::RunOptions o;
  o.profile.instructions = true;
  const Outcome all = run(test_gpu(4), k, o);
  CHECK(all.cycles_of(1).size() == 1);
  const auto& counts = all.result.profile.instructions;
  CHECK(counts.at(1).counts.sectors == 1);
  CHECK(counts.at(behind).counts.sectors == 32);  // its own addresses, not the poll's
}

TEST_CASE("a loop may poll at several places: it waits for what they all saw in its last turn") {
  constexpr uint64_t kOther = 0x6000;
  Kernel k{nop(), poll(), poll(kOther), back_to(1), nop(), stg().at(kFlag), stg().at(kOther)};
  k.blocks(2);
  std::vector<Kernel::Step> reader{{0}};
  for (int i = 0; i < 5; ++i) {
    for (const uint32_t code : {1, 2, 3}) {
      reader.push_back({code});
    }
  }
  reader.push_back({4});
  k.stream_of_block(0, 0, {{0}, {5}, {6}}).stream_of_block(1, 0, std::move(reader));
  const isa::RecordedFlags flags(k);
  REQUIRE(flags.any());
  isa::BlockTrace block;
  REQUIRE(k.next(block));
  REQUIRE(k.next(block));
  std::vector<isa::Poll> polls;
  isa::for_each_poll(isa::PollingLoads(k.image()), block.warps.at(0),
                     [&](const isa::Poll& p) { polls.push_back(p); });
  REQUIRE(polls.size() == 1);
  CHECK(polls[0].code == 1);
  CHECK(polls[0].turns == 5);
  CHECK(polls[0].same == 3);
  CHECK(polls[0].words == std::vector<uint64_t>{kWord, kOther / isa::kFlagBytes});
  CHECK(polls[0].times == std::vector<uint32_t>{1, 1});
  const isa::RecorderClock clock(k.image(), block);
  const std::vector<isa::Spin> spins = isa::make_spins(flags, clock, 1, 0, block.warps.at(0));
  REQUIRE(spins.size() == 1);
  CHECK(spins[0].flags.size() == 2);
  CHECK(spins[0].work.instructions == 3);
}

TEST_CASE("a poll ends at the latest when the recorded one did") {
  Kernel k = waiting(2, 3000);
  CHECK(run(test_gpu(4), k).cycles_of(1).size() == 2);
}

TEST_CASE("a poll that nobody answers is replayed as it was") {
  Kernel k{nop(), poll(), back_to(1), nop()};
  k.order(0, {0, 1, 2, 1, 2, 1, 2, 3});
  CHECK_FALSE(isa::RecordedFlags(k).any());
  CHECK(run(test_gpu(4), k).cycles_of(1).size() == 3);
}

TEST_CASE("what does more than poll is no poll") {
  // A store in the loop, a load that is not strong, a branch that does not need the value.
  for (const int what : {0, 1, 2}) {
    Kernel k{nop(), what == 1 ? ldg(1).at(kFlag).writes_barrier(0) : poll(),
             what == 0 ? stg().at(0x8000) : nop(), what == 2 ? back_to(1).waits(0) : back_to(1),
             stg().at(kFlag)};
    k.blocks(2);
    k.stream_of_block(0, 0, {{0}, {4}})
        .stream_of_block(1, 0, {{0}, {1}, {2}, {3}, {1}, {2}, {3}, {1}, {2}, {3}});
    CAPTURE(what);
    CHECK_FALSE(isa::RecordedFlags(k).any());
  }
}

TEST_CASE("warps that meet at a barrier are equally far") {
  Kernel k{nop(), bar(), nop()};
  k.warps(2);
  k.order(0, {0, 0, 0, 1, 2}).order(1, {1, 2, 2});
  isa::BlockTrace block;
  REQUIRE(k.next(block));
  const isa::RecorderClock clock(k.image(), block);
  CHECK(clock.time(0, 2) == 2);
  CHECK(clock.time(1, 0) == 0);
  CHECK(clock.time(0, 4) == 4);  // 3 before the barrier, and 1
  CHECK(clock.time(1, 2) == 5);  // 3, and 2
}

// Block 3 waits on its n-th visit for the n-th of three blocks that raise a counter one after the other.
TEST_CASE("of a counter, each visit needs one write more") {
  Kernel k{nop(), poll(), back_to(1), nop(), atom(2).at(kFlag)};
  k.blocks(4);
  for (uint32_t b = 0; b < 3; ++b) {
    std::vector<Kernel::Step> s(10 * (b + 1), Kernel::Step{0});
    s.push_back({4});
    k.stream_of_block(b, 0, std::move(s));
  }
  std::vector<Kernel::Step> reader;
  for (int visit = 0; visit < 3; ++visit) {
    for (int i = 0; i < 5; ++i) {
      reader.push_back({1});
      reader.push_back({2});
    }
    reader.push_back({4});  // no poll
  }
  k.stream_of_block(3, 0, reader);
  isa::RecordedFlags flags(k);
  REQUIRE(flags.any());
  // By the recorder's time 10, 20, 30; and its own at 10, 21, 32.
  CHECK(flags.needed(kWord, 3, 1, 10) == 1);  // nobody had, but somebody will
  CHECK(flags.needed(kWord, 3, 1, 11) == 2);
  CHECK(flags.needed(kWord, 3, 2, 23) == 4);
  CHECK(flags.needed(kWord, 3, 1, 100) == 4);  // of each block one
  CHECK(flags.needed(kWord + 1, 3, 1, 100) == 0);
}

TEST_CASE("the board counts what was written until a cycle") {
  isa::FlagBoard board;
  board.written(7, 100);
  board.written(7, 50);
  board.written(8, 10);
  CHECK(board.count(7, 49) == 0);
  CHECK(board.count(7, 50) == 1);
  CHECK(board.count(7, 1000) == 2);
  CHECK(board.count(9, 1000) == 0);
}

TEST_CASE("replayed polls do not depend on the threads or the quantum") {
  Kernel k = waiting(400, 300);
  const Outcome one = run(test_gpu(4), k);
  for (const int threads : {2, 3}) {
    device::RunOptions o;
    o.threads = threads;
    const Outcome more = run(test_gpu(4), k, o);
    CHECK(more.result.cycles == one.result.cycles);
    CHECK(more[Counter::kInstExecuted] == one[Counter::kInstExecuted]);
  }
}

}  // namespace
}  // namespace heddle::simtest
