// Register ports and the scoreboard by registers alone.
#include "sim/sm/registers/register_ports.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <iterator>

#include "sim/sm/registers/register_scoreboard.h"
#include "tests/sim/support/unit_bench.h"

namespace heddle::simtest {
namespace {

sm::TimedInstr reads(std::initializer_list<uint8_t> registers) {
  sm::TimedInstr t;
  for (uint8_t r : registers) {
    t.reads[t.n_reads] = {r, t.n_reads, false, false};
    ++t.n_reads;
  }
  return t;
}

TEST_CASE("a bank serves one read a cycle within the window of three; a fourth holds back the next issue") {
  spec::RegisterFile c = test_gpu().sm().registers();
  c.set_model(spec::RegisterFile::PORTS);
  sm::RegisterPorts ports(c);
  stats::CounterSet n;
  CHECK(ports.read(reads({2, 4, 6}), 0, 100, n) == 0);
  CHECK(ports.read(reads({2, 4, 6}), 0, 101, n) == 2);
  sm::RegisterPorts others(c);
  CHECK(others.read(reads({2, 3, 4}), 0, 100, n) == 0);
  CHECK(others.read(reads({2, 3, 5}), 0, 101, n) == 0);
}

TEST_CASE("what waits in a queue of the LSU reads all registers of its address and its data") {
  spec::RegisterFile c = test_gpu().sm().registers();
  c.set_model(spec::RegisterFile::PORTS);
  c.set_read_window(2);
  sm::RegisterPorts ports(c);
  stats::CounterSet n;
  isa::Instr store;  // STS.128 [R10], R4: four registers, of each bank two, and the address
  store.n_src = 3;
  store.src[0] = {isa::RegFile::kGpr, 10, 1, 0};
  store.src[1] = {isa::RegFile::kGpr, 4, 4, 1};
  store.src[2] = {isa::RegFile::kUniform, 6, 1, 2};
  // The bank of R4, R6 and R10 is busy until 103, one cycle more than the window.
  CHECK(ports.read_queued(store, 100, n) == 1);
  CHECK(n[Counter::kRegPortStalls] == 1);
  CHECK(ports.read(reads({3, 5}), 0, 102, n) == 0);  // of the other bank, free from 102
  CHECK(ports.read(reads({2, 8}), 0, 102, n) == 1);  // read at 103 and 104
  c.set_model(spec::RegisterFile::IDEAL);
  sm::RegisterPorts ideal(c);
  CHECK(ideal.read_queued(store, 100, n) == 0);
}

TEST_CASE("a register is readable from the cycle of its result, and at no known cycle before there is one") {
  sm::RegisterScoreboard s;
  const isa::Instr writes = alu(5).in, uses = alu(6, {5}).in, other = alu(7, {8}).in;
  Stall why = Stall::kWait;
  CHECK(s.ready(uses, 100, &why) == 100);
  s.set(writes, 104, Stall::kWait);
  CHECK(s.ready(uses, 100, &why) == 104);
  CHECK(s.ready(other, 100, &why) == 100);
  s.set(writes, kNever, Stall::kLongScoreboard);
  CHECK(s.ready(uses, 100, &why) == kNever);
  CHECK(why == Stall::kLongScoreboard);
}

TEST_CASE(
    "an instruction writes up to four runs of registers of any file, and what is behind them is nobody's") {
  using isa::RegFile;
  const isa::Operand runs[] = {{RegFile::kGpr, 252, 3, 0},
                               {RegFile::kUniform, 60, 2, 0},
                               {RegFile::kPredicate, 6, 1, 0},
                               {RegFile::kUniformPredicate, 0, 1, 0}};
  const isa::Operand others[] = {{RegFile::kGpr, 251, 1, 0},
                                 {RegFile::kUniform, 59, 1, 0},
                                 {RegFile::kUniform, 62, 1, 0},
                                 {RegFile::kPredicate, 5, 1, 0},
                                 {RegFile::kUniformPredicate, 1, 1, 0},
                                 {RegFile::kConvergence, 0, 1, 0}};
  isa::Instr writes;
  std::copy(std::begin(runs), std::end(runs), writes.dst.begin());
  const auto ready = [](const sm::RegisterScoreboard& s, const isa::Operand& o, bool as_source) {
    isa::Instr in;
    (as_source ? in.src[0] : in.dst[0]) = o;
    (as_source ? in.n_src : in.n_dst) = 1;
    Stall why = Stall::kWait;
    return s.ready(in, 100, &why);
  };
  for (uint8_t n = 0; n <= 4; ++n) {
    CAPTURE(n);
    sm::RegisterScoreboard s;
    writes.n_dst = n;
    s.set(writes, 104, Stall::kWait);
    for (const bool as_source : {false, true}) {
      for (uint8_t i = 0; i < 4; ++i) {
        for (uint8_t r = 0; r < runs[i].count; ++r) {
          isa::Operand one = runs[i];
          one.index = static_cast<uint8_t>(one.index + r);
          one.count = 1;
          CHECK(ready(s, one, as_source) == (i < n ? 104 : 100));
        }
      }
      for (const isa::Operand& o : others) {
        CHECK(ready(s, o, as_source) == 100);
      }
    }
  }
}

}  // namespace
}  // namespace heddle::simtest
