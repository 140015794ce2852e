// Machine code whose lanes part and meet: in which order its groups run, with code that is put together by
// hand.
#include <algorithm>
#include <catch2/catch.hpp>
#include <initializer_list>
#include <utility>
#include <vector>

#include "sim/exec/execute.h"
#include "tests/exec/onlooker.h"

namespace heddle::exec::test {

constexpr uint32_t kAll = ~0U;
using Steps = std::vector<std::pair<uint32_t, uint32_t>>;  // instruction, lanes that come to it

class Notes : public Onlooker {
 public:
  Steps steps;

 private:
  void executed(const Block& /*b*/, uint32_t /*warp*/, uint32_t pc, uint32_t active,
                uint32_t /*mask*/) override {
    steps.emplace_back(pc, active);
  }
};

constexpr Slot kAgain = slot(Bank::kFrame, kFirstSlot + 2), kTurns = slot(Bank::kFrame, kFirstSlot + 3);

// One warp's code, an instruction after the other.
class Program {
 public:
  Program& bssy(uint32_t barrier = 0) {
    add(Kind::kBarrierSet).d[0] = slot(Bank::kFrame, kFirstSlot + barrier);
    return *this;
  }
  Program& bsync(uint32_t barrier = 0) { return with(Kind::kConverge, barrier); }
  Program& leave(uint32_t barrier = 0) { return with(Kind::kBreak, barrier); }
  Program& nop() {
    add(Kind::kFence);
    return *this;
  }
  Program& exit() {
    add(Kind::kExit);
    return *this;
  }
  // These lanes jump.
  Program& bra(uint32_t target, uint32_t lanes = kAll) {
    Inst& in = add(Kind::kBranch);
    in.target = target;
    if (lanes != kAll) {
      in.s[0] = slot(Bank::kConstants, static_cast<uint32_t>(code_.constants.size()));
      Register& condition = code_.constants.emplace_back();
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        condition[lane] = lanes >> lane & 1;
      }
    }
    return *this;
  }

  // Counts a lane's turns; by turn, how many lanes have no further one. bra_again() takes the others to
  // `target`.
  Program& turn(std::initializer_list<uint32_t> ends) {
    Inst& in = add(Kind::kCompute);
    in.d[0] = kAgain;
    in.d[1] = kTurns;
    in.s[0] = slot(Bank::kConstants, static_cast<uint32_t>(code_.constants.size()));
    in.fn = [](const Arguments& a, uint32_t mask) {
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        if ((mask >> lane & 1) != 0) {
          (*a.d[0])[lane] = ++(*a.d[1])[lane] < (*a.s[0])[lane] ? 1 : 0;
        }
      }
    };
    Register& most = code_.constants.emplace_back();
    uint32_t lane = 0, number = 0;
    for (const uint32_t count : ends) {
      ++number;
      for (const uint32_t end = lane + count; lane < end; ++lane) {
        most[lane] = number;
      }
    }
    return *this;
  }
  Program& bra_again(uint32_t target) {
    Inst& in = add(Kind::kBranch);
    in.target = target;
    in.s[0] = kAgain;
    return *this;
  }

  Steps run(bool machine = true) {
    code_.kernel = "k";
    code_.file = "t";
    code_.lines.assign(code_.insts.size(), 1);
    FunctionInfo f;
    f.name = "k";
    f.first = 0;
    f.end = static_cast<uint32_t>(code_.insts.size());
    f.registers = kFirstSlot + 4;  // two barriers, kAgain, kTurns
    code_.functions = {f};
    code_.dynamic_shared_at = kSharedReserve;
    code_.explicit_convergence = machine;
    Memory memory;
    Notes notes;
    Launch launch;
    launch.code = &code_;
    launch.memory = &memory;
    launch.grid = {1, 1, 1};
    launch.block = {32, 1, 1};
    launch.observer = &notes;
    execute(launch, {});
    return notes.steps;
  }

 private:
  Inst& add(Kind kind) {
    Inst& in = code_.insts.emplace_back();
    in.kind = kind;
    return in;
  }
  Program& with(Kind kind, uint32_t barrier) {
    add(kind).s[0] = slot(Bank::kFrame, kFirstSlot + barrier);
    return *this;
  }
  Code code_;
};

TEST_CASE("the fewer lanes go first, of as many those who do not jump") {
  const auto parts = [](uint32_t jump) {
    return Program().bssy().bra(4, jump).nop().bra(5).nop().bsync().exit().run();
  };
  CHECK(parts(0xff) == Steps{{0, kAll},
                             {1, kAll},
                             {4, 0xff},
                             {5, 0xff},
                             {2, 0xffffff00},
                             {3, 0xffffff00},
                             {5, 0xffffff00},
                             {6, kAll}});
  CHECK(parts(0xffffff) == Steps{{0, kAll},
                                 {1, kAll},
                                 {2, 0xff000000},
                                 {3, 0xff000000},
                                 {5, 0xff000000},
                                 {4, 0xffffff},
                                 {5, 0xffffff},
                                 {6, kAll}});
  CHECK(parts(0xffff) == Steps{{0, kAll},
                               {1, kAll},
                               {2, 0xffff0000},
                               {3, 0xffff0000},
                               {5, 0xffff0000},
                               {4, 0xffff},
                               {5, 0xffff},
                               {6, kAll}});
}

TEST_CASE("who has parted last is next") {
  // 4 of 12 lanes part from the other 8 while 20 wait for their turn.
  const Steps steps =
      Program().bssy().bra(4, 0xfff).nop().bra(7).bra(6, 0xf).bra(7).nop().bsync().exit().run();
  CHECK(steps == Steps{{0, kAll},
                       {1, kAll},
                       {4, 0xfff},
                       {6, 0xf},
                       {7, 0xf},
                       {5, 0xff0},
                       {7, 0xff0},
                       {2, 0xfffff000},
                       {3, 0xfffff000},
                       {7, 0xfffff000},
                       {8, kAll}});
}

TEST_CASE("lanes that leave a loop at the same branch meet there") {
  // 20 lanes leave behind the first turn, 3 behind the second, 5 behind the third, 4 behind the fourth. The
  // fewer go first: the 3 do not see the 20 any more, the 5 do.
  const Steps steps = Program().bssy().turn({20, 3, 5, 4}).bra_again(1).bsync().exit().run();
  CHECK(steps == Steps{{0, kAll},
                       {1, kAll},
                       {2, kAll},
                       {1, 0xfff00000},
                       {2, 0xfff00000},
                       {3, 0x00700000},
                       {1, 0xff800000},
                       {2, 0xff800000},
                       {1, 0xf0000000},
                       {2, 0xf0000000},
                       {3, 0xf0000000},
                       {3, 0x0f8fffff},
                       {4, kAll}});
}

TEST_CASE("lanes that come to the same place from different branches do not") {
  // 20 lanes stay at 2; of the 12 that go on, 8 come back there.
  const Steps steps = Program().bssy().bra(3, 0xfff).bra(5).bra(2, 0xff0).nop().bsync().exit().run();
  CHECK(steps == Steps{{0, kAll},
                       {1, kAll},
                       {3, 0xfff},
                       {4, 0xf},
                       {5, 0xf},
                       {2, 0xff0},
                       {5, 0xff0},
                       {2, 0xfffff000},
                       {5, 0xfffff000},
                       {6, kAll}});
}

TEST_CASE("lanes that have ended are not waited for") {
  const auto ends = [](uint32_t lanes) {
    return Program().bssy().bra(4, lanes).nop().bra(5).exit().bsync().nop().exit().run();
  };
  // Before the others come, and while they wait
  CHECK(ends(0xff) == Steps{{0, kAll},
                            {1, kAll},
                            {4, 0xff},
                            {2, 0xffffff00},
                            {3, 0xffffff00},
                            {5, 0xffffff00},
                            {6, 0xffffff00},
                            {7, 0xffffff00}});
  CHECK(ends(0xffffff) == Steps{{0, kAll},
                                {1, kAll},
                                {2, 0xff000000},
                                {3, 0xff000000},
                                {5, 0xff000000},
                                {4, 0xffffff},
                                {6, 0xff000000},
                                {7, 0xff000000}});
}

TEST_CASE("BREAK: who leaves a barrier is not waited for there") {
  const Steps steps =
      Program().bssy(0).bssy(1).bra(6, 0xffffff).nop().bsync(0).bra(8).leave(0).nop().bsync(1).exit().run();
  CHECK(steps == Steps{{0, kAll},
                       {1, kAll},
                       {2, kAll},
                       {3, 0xff000000},
                       {4, 0xff000000},
                       {6, 0xffffff},
                       {7, 0xffffff},
                       {8, 0xffffff},
                       {5, 0xff000000},
                       {8, 0xff000000},
                       {9, kAll}});
}

TEST_CASE("lanes that wait for each other at two barriers go on") {
  // The same without BREAK. Each side goes on alone, the one that parted last first.
  const Steps steps =
      Program().bssy(0).bssy(1).bra(6, 0xffffff).nop().bsync(0).bra(8).nop().nop().bsync(1).exit().run();
  CHECK(steps == Steps{{0, kAll},
                       {1, kAll},
                       {2, kAll},
                       {3, 0xff000000},
                       {4, 0xff000000},
                       {6, 0xffffff},
                       {7, 0xffffff},
                       {8, 0xffffff},
                       {9, 0xffffff},
                       {5, 0xff000000},
                       {8, 0xff000000},
                       {9, 0xff000000}});
}

TEST_CASE("of other code who does not jump goes first, and lanes at the same place go on together") {
  const Steps steps = Program().nop().bra(3, 0xff).nop().nop().exit().run(false);
  CHECK(steps ==
        Steps{{0, kAll}, {1, kAll}, {2, 0xffffff00}, {3, 0xffffff00}, {4, 0xffffff00}, {3, 0xff}, {4, 0xff}});
}

}  // namespace heddle::exec::test
