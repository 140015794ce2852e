// What single instructions do to the state of a warp: no block, no launch, no program.
#include <catch2/catch.hpp>

#include <bit>
#include <cstring>

#include "sim/engine/archive.h"
#include "sim/exec/handlers/handlers.h"
#include "sim/exec/handlers/waiting.h"
#include "sim/exec/layout.h"
#include "sim/exec/slots.h"

namespace heddle::exec {
namespace {

constexpr Slot frame(uint32_t i) { return slot(Bank::kFrame, kFirstSlot + i); }

// A warp of 32 lanes before the instruction at pc 0; registers hold 100 * their number + the lane.
struct Alone {
  explicit Alone(const Convergence& model = meeting_at_joins()) : w(code, model, reach, scratch) {
    reach.memory = &memory;
    code.kernel = "k";
    code.file = "t";
    code.insts.resize(32);
    code.lines.assign(32, 7);
    w.alive = w.groups[0].mask = ~0U;
    w.warp_registers.resize(kFirstSpecial);
    w.registers.resize(kFirstSlot + 8);
    for (uint32_t r = 0; r < 8; ++r) {
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        at(r)[lane] = 100 * r + lane;
      }
    }
  }
  Register& at(uint32_t r) { return w.registers[kFirstSlot + r]; }
  Group& g() { return w.groups[0]; }
  // The instruction stands at the group's pc, where waits look for it.
  bool execute(const Inst& in, uint32_t mask) { return execute(w.groups[0], in, mask); }
  bool execute(Group& group, const Inst& in, uint32_t mask) {
    code.insts[group.pc] = in;
    return kHandlers[static_cast<size_t>(in.kind)](w, group, code.insts[group.pc], mask);
  }

  Code code;
  Memory memory;
  Spaces reach;
  Scratch scratch;
  WarpCore w;
};

Inst of(Kind kind) {
  Inst in;
  in.kind = kind;
  return in;
}

TEST_CASE("a load fills the lanes of its mask and moves the pc") {
  Alone a;
  const uint64_t buffer = a.memory.allocate(kLanes * 4);
  std::array<uint32_t, kLanes> words{};
  for (uint32_t i = 0; i < kLanes; ++i) {
    words.at(i) = 7000 + i;
    a.at(0)[i] = buffer + 4 * (kLanes - 1 - i);
  }
  a.memory.write(buffer, {reinterpret_cast<const uint8_t*>(words.data()), sizeof words});
  MemoryOp op;
  op.space = Space::kGlobal;
  op.values[0] = frame(1);
  a.code.memory.push_back(op);
  Inst in = of(Kind::kMemory);
  in.s[0] = frame(0);
  in.target = 0;

  CHECK(a.execute(in, 0xff));
  CHECK(a.g().pc == 1);
  CHECK(a.at(1)[0] == 7031);
  CHECK(a.at(1)[7] == 7024);
  CHECK(a.at(1)[8] == 108);  // not in the mask
  CHECK(a.w.polls == 1);
  CHECK(a.w.writes == 0);

  a.at(0)[3] = buffer + kLanes * 4;
  CHECK_THROWS_WITH(a.execute(in, 0xff),
                    Catch::Contains("out of bounds") && Catch::Contains("thread (3, 0, 0)"));
}

TEST_CASE("lanes part in each of the three ways") {
  Inst in = of(Kind::kBranch);
  in.target = 20;
  constexpr uint32_t kJump = 0x7;  // three of 32

  SECTION("to meet at a join: those that do not jump go on first") {
    Alone a(meeting_at_joins());
    in.reconverge = 30;
    CHECK(a.execute(in, kJump));
    CHECK(a.g().mask == ~kJump);
    CHECK(a.g().pc == 1);
    CHECK(a.w.groups[1].mask == kJump);
    CHECK(a.w.groups[1].pc == 20);
    REQUIRE(a.g().join == 0);
    CHECK(a.w.groups[1].join == 0);
    CHECK(a.w.joins[0].pc == 30);
    CHECK(a.w.joins[0].expected == ~0U);
    CHECK(a.w.flow.choose(a.w) == &a.g());  // it is behind

    a.g().pc = a.w.groups[1].pc = 30;
    CHECK_FALSE(arrive_at_join(a.w, a.g()));
    CHECK(a.g().mask == 0);
    CHECK(arrive_at_join(a.w, a.w.groups[1]));
    CHECK(a.w.groups[1].mask == ~0U);
    CHECK(a.w.groups[1].join == -1);
  }
  SECTION("as machine code does: the fewer go first") {
    Alone a(explicit_convergence());
    CHECK(a.execute(in, kJump));
    CHECK(a.g().mask == kJump);
    CHECK(a.g().pc == 20);
    CHECK(a.w.groups[1].mask == ~kJump);
    CHECK(a.w.groups[1].pc == 1);
    // Of as many, those who do not jump.
    Alone b(explicit_convergence());
    CHECK(b.execute(in, 0xffff0000));
    CHECK(b.g().mask == 0xffff);
    CHECK(b.g().pc == 1);
  }
  SECTION("on a stack: those that jump are on top") {
    Alone a(reconvergence_stack());
    in.reconverge = 30;
    CHECK_FALSE(a.execute(in, kJump));
    const Group* top = a.w.flow.choose(a.w);
    REQUIRE(top != nullptr);
    CHECK(top->mask == kJump);
    CHECK(top->pc == 20);
    CHECK_FALSE(a.w.flow.release(a.w));
  }
  SECTION("all jump: nobody parts") {
    Alone a;
    CHECK(a.execute(in, ~0U));
    CHECK(a.g().pc == 20);
    CHECK(a.g().mask == ~0U);
    CHECK(a.g().join == -1);
  }
}

TEST_CASE("a shuffle of those that are here gives each its neighbour's word") {
  Alone a;
  Inst in = of(Kind::kSync);
  in.sub = static_cast<uint8_t>(SyncKind::kShflBfly);
  in.s[0] = frame(0);
  in.s[1] = frame(1);
  in.s[2] = frame(2);
  in.d[0] = frame(3);
  a.at(1).fill(1);
  a.at(2).fill(0x1f);
  CHECK(a.execute(in, ~0U));
  CHECK(a.at(3)[0] == 1);
  CHECK(a.at(3)[1] == 0);
  CHECK(a.at(3)[30] == 31);
}

TEST_CASE("a vote waits for the lanes of its mask, from wherever they come") {
  Alone a;
  Inst in = of(Kind::kSync);
  in.sub = static_cast<uint8_t>(SyncKind::kVoteBallot);
  in.s[0] = frame(0);
  in.s[4] = frame(1);
  in.d[0] = frame(2);
  a.at(0).fill(1);
  a.at(1).fill(0xff);
  a.w.alive = 0xff;
  a.g().mask = 0x0f;
  Group& other = a.w.flow.add(a.w, a.g(), 0xf0, 5);

  CHECK_FALSE(a.execute(in, 0x0f));
  CHECK(a.g().state == Group::State::kAtSync);
  CHECK(a.at(2)[0] == 200);  // nothing yet
  a.execute(other, in, 0xf0);
  CHECK(a.g().state == Group::State::kRunnable);
  CHECK(a.g().pc == 1);
  CHECK(other.pc == 6);
  CHECK(a.at(2)[0] == 0xff);
  CHECK(a.at(2)[7] == 0xff);
}

TEST_CASE("BSYNC lets go on who was there at BSSY") {
  Alone a(explicit_convergence());
  Inst set = of(Kind::kBarrierSet);
  set.d[0] = frame(0);
  CHECK(a.execute(set, ~0U));
  CHECK(a.at(0)[5] == ~0U);
  a.g().mask = 0xffff;
  Group& other = a.w.flow.Convergence::add(a.w, a.g(), 0xffff0000, 9);
  Inst meet = of(Kind::kConverge);
  meet.s[0] = frame(0);
  CHECK_FALSE(a.execute(meet, a.g().mask));
  CHECK(a.g().state == Group::State::kAtConverge);
  other.pc = a.g().pc;
  a.execute(other, meet, other.mask);
  uint32_t running = 0;
  for (const Group& g : a.w.groups) {
    running |= g.runs() ? g.mask : 0;
    CHECK((g.mask == 0 || g.pc == 2));
  }
  CHECK(running == ~0U);
}

TEST_CASE("BREAK: those who leave are no longer waited for") {
  Alone a(explicit_convergence());
  a.at(0).fill(~0U);
  a.g().mask = 0xff;
  Inst leave = of(Kind::kBreak);
  leave.s[0] = frame(0);
  CHECK(a.execute(leave, 0xff));
  CHECK(a.at(0)[20] == 0xffffff00);
}

TEST_CASE("a call makes a frame behind the caller's, a return leaves it") {
  Alone a;
  FunctionInfo f;
  f.name = "f";
  f.first = 12;
  f.registers = kFirstSlot + 2;
  f.parameters = {{true, frame(0), 0, 4}};
  f.returns = {{true, frame(1), 0, 4}};
  a.code.functions = {f};
  CallOp op;
  op.function = 0;
  op.frame_registers = kFirstSlot + 8;
  op.arguments = {{true, frame(4), 0, 4}};
  op.returns = {{true, frame(5), 0, 4}};
  a.code.calls = {op};
  Inst in = of(Kind::kCall);
  in.target = 0;
  a.code.insts[0] = in;
  CHECK(a.execute(in, ~0U));
  CHECK(a.g().pc == 12);
  CHECK(a.g().base == kFirstSlot + 8);
  CHECK((*a.w.banks(a.g()).at(frame(0)))[9] == 409);

  (*a.w.banks(a.g()).at(frame(1)))[9] = 77;
  Inst back = of(Kind::kReturn);
  back.target = 0;
  CHECK(a.execute(back, ~0U));
  CHECK(a.g().pc == 1);
  CHECK(a.g().base == 0);
  CHECK(a.at(5)[9] == 77);
}

TEST_CASE("frames have all registers that a warp may have, and none more") {
  for (const uint32_t more : {0U, 1U}) {
    Alone a;
    CallOp op;
    op.function = 0;
    op.frame_registers = kFirstSlot + 8;
    a.code.calls = {op};
    Inst in = of(Kind::kCall);
    in.target = 0;
    FunctionInfo f;
    f.name = "f";
    f.first = 12;
    f.registers = kMostRegisters - op.frame_registers + more;
    a.code.functions = {f};
    if (more == 0) {
      CHECK(a.execute(in, ~0U));
      CHECK(a.w.registers.size() == 262144);
    } else {
      CHECK_THROWS_WITH(
          a.execute(in, ~0U),
          Catch::Contains("stack overflow in the call of f (262145 registers of the frames, legal: 262144"));
    }
  }
}

TEST_CASE("who goes on from a join before the others does so in the join's frame") {
  Alone a;
  a.g().mask = 0xfffffff0;
  a.w.joins.resize(3);
  a.w.joins[2] = {30, 5, 16, 0xf, 0x3, 1};
  finish_join(a.w, 2);
  const Group& on = a.w.groups[1];
  CHECK(on.mask == 0x3);
  CHECK(on.pc == 30);
  CHECK(on.base == 5);
  CHECK(on.local == 16);
  CHECK(on.join == 1);
  CHECK(a.w.joins[2].expected == 0xc);
  CHECK(a.w.joins[2].arrived == 0);
}

TEST_CASE("lanes that end are no longer waited for at a join") {
  Alone a;
  Inst in = of(Kind::kBranch);
  in.target = 20;
  in.reconverge = 30;
  a.execute(in, 0x1);
  a.g().pc = 30;
  CHECK_FALSE(arrive_at_join(a.w, a.g()));
  Group* rest = a.w.flow.choose(a.w);
  REQUIRE(rest->mask == 0x1);
  a.execute(*rest, of(Kind::kExit), 0x1);
  CHECK(a.w.alive == ~0x1U);
  const Group* on = a.w.flow.choose(a.w);
  REQUIRE(on != nullptr);
  CHECK(on->mask == ~0x1U);
  CHECK(on->pc == 30);
}

TEST_CASE("what a warp knows of itself") {
  Alone a;
  a.w.executed = 41;
  Inst in = of(Kind::kActivemask);
  in.d[0] = frame(0);
  CHECK(a.execute(in, 0xf0));
  CHECK(a.at(0)[4] == 0xf0);
  CHECK(a.at(0)[3] == 3);
  in = of(Kind::kClock);
  in.d[0] = frame(1);
  in.offset = -1;
  CHECK(a.execute(in, ~0U));
  CHECK(a.at(1)[31] == 41);  // without time: instructions
  const SimulatedTime time{1000, 0.5};
  a.w.time = &time;
  CHECK(a.execute(in, ~0U));
  CHECK(a.at(1)[0] == 1000);
  in.sub = kOfNs;
  CHECK(a.execute(in, ~0U));
  CHECK(a.at(1)[0] == 500);
}

TEST_CASE("a state is saved and restored whole") {
  Alone a;
  Inst in = of(Kind::kBranch);
  in.target = 20;
  in.reconverge = 30;
  a.execute(in, 0x7);
  a.w.local = {1, 2, 3};
  a.w.stack = {4};
  uint64_t n = 1;
  for (uint64_t* x :
       {&a.w.progress, &a.w.writes, &a.w.slept, &a.w.executed, &a.w.thread_executed, &a.w.turns}) {
    *x = ++n;
  }
  for (uint32_t* x : {&a.w.local_bytes, &a.w.stack_bytes, &a.w.polls, &a.w.strong_polls, &a.w.at_cluster,
                      &a.w.passed_cluster, &a.w.counted}) {
    *x = static_cast<uint32_t>(++n);
  }
  a.w.yields = a.w.told = true;
  Archive out;
  a.w.serialize(out);
  const std::vector<uint8_t> bytes = out.take();

  WarpState again;
  Archive from(bytes);
  again.serialize(from);
  Archive twice;
  again.serialize(twice);
  CHECK(twice.take() == bytes);
  CHECK(again.groups[1].mask == 0x7);
  CHECK(again.groups[1].pc == 20);
  CHECK(again.joins[0].pc == 30);
  CHECK(again.registers[kFirstSlot + 2][5] == 205);
  CHECK(again.counted == a.w.counted);
  CHECK(again.told);
}

TEST_CASE(
    "registers of a frame that no instruction names are left out, an operand of two instructions once") {
  Code code;
  MemoryOp load;
  load.values[0] = frame(9);
  load.addend = frame(4);
  code.memory.push_back(load);
  for (const uint32_t address : {7U, 12U}) {
    Inst in = of(Kind::kMemory);
    in.target = 0;
    in.s[0] = frame(address);
    in.guard = frame(2);
    code.insts.push_back(in);
  }
  code.memory[0].pair_base = true;  // 8 and 13, too
  Inst tiles = of(Kind::kMatrix);
  tiles.target = 0;
  code.matrix.emplace_back().memory.addend = frame(20);
  code.insts.push_back(tiles);
  Inst add = of(Kind::kCompute);
  add.d[0] = slot(Bank::kConstants, 5);  // not of the frame
  add.s[0] = frame(9);
  code.insts.push_back(add);
  // 2, 4, 7 to 9, 12, 13 and 20 are named: they are 0 to 7 now, behind the three that calls keep.
  CHECK(pack_frame(code) == kFirstSlot + 8);
  CHECK(code.memory[0].addend == frame(1));
  CHECK(code.memory[0].values[0] == frame(4));
  CHECK(code.insts[0].s[0] == frame(2));
  CHECK(code.insts[0].guard == frame(0));
  CHECK(code.insts[1].s[0] == frame(5));
  CHECK(code.matrix[0].memory.addend == frame(7));
  CHECK(code.insts[3].s[0] == frame(4));
  CHECK(code.insts[3].d[0] == slot(Bank::kConstants, 5));
}

}  // namespace
}  // namespace heddle::exec
