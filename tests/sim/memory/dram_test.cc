// DRAM timing in its own language. Per channel 32 bytes a cycle, so 64 bytes take 2; tRCD 10, tRP 12, CL 14,
// tRAS 40, tCCD 2, read/write turn-around 8, controller 100; all in cycles of 1000 MHz.
#include "sim/memory/dram.h"

#include <catch2/catch.hpp>

#include "sim/memory/address_map.h"
#include "tests/sim/support/test_config.h"

namespace heddle::memory {
namespace {

using stats::Counter;

struct Fixture {
  spec::GpuConfig gpu = simtest::test_gpu();
  stats::CounterSet counters;
  Dram dram{gpu, counters};

  Cycle read(uint64_t row, Cycle at, uint32_t bytes = 64, uint32_t channel = 0) {
    return to_cycles_up(dram.access(channel, row * 1024, bytes, false, to_ticks(at)));
  }
  Cycle write(uint64_t row, Cycle at, uint32_t bytes = 64) {
    return to_cycles_up(dram.access(0, row * 1024, bytes, true, to_ticks(at)));
  }
  // The n-th row after row 0 that lies in row 0's bank (or in another).
  static uint64_t row(bool same_bank, int n = 1) {
    uint64_t r = 0;
    while (n) {
      ++r;
      n -= (AddressMap::mix(r) % 4 == AddressMap::mix(0) % 4) == same_bank;
    }
    return r;
  }
  uint64_t hits() const { return counters[Counter::kDramRowHits]; }
  uint64_t misses() const { return counters[Counter::kDramRowMisses]; }
};

TEST_CASE_METHOD(Fixture, "a read from a closed bank: tRCD + CL + burst, and the controller") {
  CHECK(read(0, 1000) == 1000 + 10 + 14 + 2 + 100);
  CHECK(misses() == 1);
  CHECK(hits() == 0);
  CHECK(counters[Counter::kDramReadBytes] == 64);
  CHECK(counters[Counter::kDramWriteBytes] == 0);
}

TEST_CASE_METHOD(Fixture, "a read from the open row: CL + burst") {
  read(0, 0);
  CHECK(read(0, 1000) == 1000 + 14 + 2 + 100);
  CHECK(hits() == 1);
}

TEST_CASE_METHOD(Fixture, "a read from another row of the bank: tRP + tRCD + CL + burst") {
  read(0, 0);
  CHECK(read(row(true), 1000) == 1000 + 12 + 10 + 14 + 2 + 100);
  CHECK(misses() == 2);
}

TEST_CASE_METHOD(Fixture, "a row stays open for at least tRAS") {
  read(0, 1000);  // activated at 1000
  // Precharge not before 1040.
  CHECK(read(row(true), 1015) == 1040 + 12 + 10 + 14 + 2 + 100);
}

TEST_CASE_METHOD(Fixture, "another bank is not held up by the first") {
  read(0, 1000);
  CHECK(read(row(false), 1001) == 1001 + 10 + 14 + 2 + 100);
  CHECK(misses() == 2);
}

TEST_CASE_METHOD(Fixture, "column commands of one bank are tCCD apart") {
  read(0, 0);
  for (uint64_t i = 0; i < 10; ++i) {
    CHECK(read(0, 1000) == 1000 + 2 * i + 14 + 2 + 100);
  }
  CHECK(hits() == 10);
}

TEST_CASE_METHOD(Fixture, "an access of several transfers is there with the last of its column commands") {
  gpu.mutable_dram()->set_t_ccd(20);
  Dram d(gpu, counters);
  CHECK(to_cycles_up(d.access(0, 0, 256, false, to_ticks(1000))) == 1000 + 10 + 3 * 20 + 14 + 2 + 100);
  CHECK(to_cycles_up(d.access(0, 0, 64, false, to_ticks(2000))) == 2000 + 14 + 2 + 100);
}

TEST_CASE_METHOD(Fixture, "the bus gives 32 bytes a cycle") {
  gpu.mutable_dram()->set_t_ccd(1);
  Dram fast(gpu, counters);
  Ticks last{};
  for (int i = 0; i < 1000; ++i) {
    last = fast.access(0, 0, 64, false, Ticks(0));
  }
  // 1000 x 2 cycles on the bus; the column commands (1 cycle each) are ahead of it.
  CHECK(to_cycles_up(last) == 2000 + 100);
  CHECK(counters[Counter::kDramReadBytes] == 64000);
}

TEST_CASE_METHOD(Fixture, "channels are independent") {
  CHECK(read(0, 1000, 64, 0) == 1126);
  CHECK(read(0, 1000, 64, 3) == 1126);
  CHECK(misses() == 2);
}

TEST_CASE_METHOD(Fixture, "four writes at a time go to the bus, which turns around before and after them") {
  read(0, 0);
  Cycle last = 0;
  for (int i = 0; i < 200; ++i) {
    if (i % 2) {
      last = read(0, 1008);
    } else {
      write(0, 1008);
    }
  }
  // 100 reads of 2 and 25 batches of 4 x 2 + 10 (tRCD) + 2 x 8 from 1008 (the start of a 16-cycle bucket) on.
  CHECK(last == 1008 + 200 + 25 * 34 + 100);
  CHECK(counters[Counter::kDramWriteBytes] == 6400);
  CHECK(counters[Counter::kDramReadBytes] == 64 + 6400);
}

TEST_CASE_METHOD(Fixture, "a batch of writes after another one only opens its rows") {
  read(0, 0);
  for (int i = 0; i < 40; ++i) {
    write(0, 1008);
  }
  // 10 batches of 4 x 2 + 10; only the first turns the bus around, 2 x 8.
  CHECK(read(0, 1008) == 1008 + 10 * 18 + 16 + 2 + 100);
}

TEST_CASE_METHOD(Fixture, "a batch is collected, one waits, one goes: then writers wait") {
  // Batches of 4 x 2 + 10.
  for (int i = 0; i < 11; ++i) {
    CHECK(write(0, 1008) == 1008);
  }
  CHECK(write(0, 1008) == 1008 + 18);  // the third batch: the first has gone
  CHECK(write(0, 1008) == 1008 + 18);
  CHECK(write(0, 1040) == 1040);
  write(0, 1040);
  CHECK(write(0, 1040) == 1044);  // the fourth: 1008 + 2 x 18
}

TEST_CASE_METHOD(Fixture, "rows of a channel are activated tRRD apart, whatever their banks") {
  gpu.mutable_dram()->set_t_rrd(16);
  gpu.mutable_dram()->set_banks(64);
  Dram d(gpu, counters);
  const auto read_row = [&](uint64_t r, uint32_t channel) {
    return to_cycles_up(d.access(channel, r * 1024, 64, false, to_ticks(1008)));
  };
  for (uint64_t r = 0; r < 6; ++r) {
    CHECK(read_row(r, 0) == 1008 + 16 * r + 10 + 14 + 2 + 100);
  }
  CHECK(misses() == 6);                                            // six banks
  CHECK(read_row(5, 0) == 1008 + 16 * 5 + 10 + 2 + 14 + 2 + 100);  // open by then: the next column
  CHECK(read_row(0, 1) == 1008 + 10 + 14 + 2 + 100);               // another channel
}

TEST_CASE_METHOD(Fixture, "a batch of writes takes as long as its rows take to activate") {
  gpu.mutable_dram()->set_t_rrd(16);
  gpu.mutable_dram()->set_banks(64);
  Dram d(gpu, counters);
  const auto write_row = [&](uint64_t r) {
    return to_cycles_up(d.access(0, r * 1024, 64, true, to_ticks(1008)));
  };
  // Batches of four: one in a row takes the bus 4 x 2 + 10; four in four rows 4 x 16.
  for (int i = 0; i < 11; ++i) {
    CHECK(write_row(0) == 1008);
  }
  CHECK(write_row(0) == 1008 + 18);
  d.reset();
  for (uint64_t i = 0; i < 11; ++i) {
    CHECK(write_row(i % 4) == 1008);
  }
  CHECK(write_row(3) == 1008 + 64);
}

TEST_CASE_METHOD(Fixture, "what is collected goes batch after batch, and a read waits for all of it") {
  gpu.mutable_dram()->set_collected_writes(10);
  Dram d(gpu, counters);
  d.access(0, 0, 64, false, to_ticks(0));
  for (int i = 0; i < 9; ++i) {
    d.access(0, 0, 64, true, to_ticks(1000));
  }
  CHECK(to_cycles_up(d.access(0, 0, 64, false, to_ticks(1008))) ==
        1008 + 14 + 2 + 100);  // nothing has gone yet
  d.access(0, 0, 64, true, to_ticks(1104));
  // 10 transfers of 2; two batches of 4 and the rest, which each open a row, 10, and turn the bus around, 2
  // x 8.
  CHECK(to_cycles_up(d.access(0, 0, 64, false, to_ticks(1104))) == 1104 + 20 + 2 * (10 + 16) + 2 + 100);
  // A size of its own for a while: each batch goes by itself.
  d.set_write_batch(2);
  d.reset();
  d.access(0, 0, 64, true, to_ticks(1008));
  d.access(0, 0, 64, true, to_ticks(1008));  // 2 x 2 + 10; the read opens its row meanwhile
  CHECK(to_cycles_up(d.access(0, 0, 64, false, to_ticks(1008))) == 1008 + 10 + 14 + 2 + 100);
}

TEST_CASE_METHOD(Fixture, "the size of a batch can be another for a while") {
  dram.set_write_batch(2);
  write(0, 1008);
  write(0, 1008);  // 2 x 2 + 10
  CHECK(read(0, 1008) == 1008 + 10 + 14 + 2 + 100);
  dram.set_write_batch(0);  // 4 again
  dram.reset();
  read(0, 0);
  write(0, 1008);
  write(0, 1008);
  write(0, 1008);
  CHECK(read(0, 1008) == 1008 + 14 + 2 + 100);
  write(0, 1008);
  CHECK(read(0, 1008) == 1008 + 4 + 8 + 10 + 16 + 100);
}

TEST_CASE_METHOD(Fixture, "larger accesses take the bus longer") {
  read(0, 0);
  gpu.mutable_dram()->set_t_ccd(1);
  Dram d(gpu, counters);
  Ticks last{};
  for (int i = 0; i < 100; ++i) {
    last = d.access(0, 0, 128, false, Ticks(0));
  }
  CHECK(to_cycles_up(last) == 100 * 4 + 100);
}

TEST_CASE_METHOD(Fixture, "efficiency stretches the bus time, the DRAM clock all times") {
  gpu.mutable_dram()->set_efficiency(0.5);
  CHECK(to_cycles_up(Dram(gpu, counters).access(0, 0, 64, false, Ticks(0))) == 10 + 14 + 4 + 100);
  gpu.mutable_dram()->set_efficiency(1);
  gpu.mutable_clocks()->set_dram_mhz(500);
  CHECK(to_cycles_up(Dram(gpu, counters).access(0, 0, 64, false, Ticks(0))) == 2 * (10 + 14 + 2) + 100);
}

TEST_CASE_METHOD(Fixture, "ROOFLINE: a fixed time and the bus, no rows") {
  gpu.mutable_dram()->set_model(spec::Dram::ROOFLINE);
  Dram d(gpu, counters);
  for (uint64_t i = 1; i <= 50; ++i) {
    CHECK(to_cycles_up(d.access(0, i * 1024, 64, false, Ticks(0))) == 2 * i + 10 + 14 + 100);
  }
  CHECK(hits() == 0);
  CHECK(misses() == 0);
  CHECK(counters[Counter::kDramReadBytes] == 3200);
  for (int i = 0; i < 3; ++i) {
    CHECK(d.access(0, 0, 64, true, Ticks(0)) == Ticks(0));
  }
  CHECK(to_cycles_up(d.access(0, 0, 64, true, Ticks(0))) == 108 - 2 * 8);  // behind the reads
  // A batch of writes takes the bus, without turning it around.
  CHECK(to_cycles_up(d.access(0, 0, 64, false, Ticks(0))) == 2 * 55 + 10 + 14 + 100);
}

TEST_CASE_METHOD(Fixture, "reset() closes the rows and frees the bus") {
  for (int i = 0; i < 100; ++i) {
    read(0, 0);
  }
  dram.reset();
  CHECK(read(0, 0) == 126);
}

TEST_CASE("for 200 of 1,000 cycles no read is taken, 4 KB by 4 KB at their own times") {
  spec::GpuConfig g = simtest::test_gpu();
  g.mutable_dram()->set_t_rfc(200);
  g.mutable_dram()->set_t_refi(1000);
  stats::CounterSet counters;
  Dram dram(g, counters);
  const auto read = [&](uint64_t addr, Cycle at) {
    return to_cycles_up(dram.access(0, addr, 64, false, to_ticks(at)));
  };
  dram.reset(to_ticks(5000));  // where the period of the first 4 KB begins
  const Cycle into = AddressMap::mix(0) % (1000 * kTicksPerCycle) / kTicksPerCycle;
  REQUIRE(into == 0);
  CHECK(read(0, 5000) == 5000 + 200 + 10 + 14 + 2 + 100);
  CHECK(read(512, 5990) == 5990 + 14 + 2 + 100);        // the open row
  CHECK(read(512, 6050) == 6050 + 150 + 14 + 2 + 100);  // the next period
  CHECK(read(512, 6200) == 6200 + 14 + 2 + 100);
  // Others of the 4 KB wait for as long, the next 4 KB have a time of their own.
  CHECK(read(1024, 7000) == 7000 + 200 + 10 + 14 + 2 + 100);
  const Cycle next = AddressMap::mix(2) % (1000 * kTicksPerCycle) / kTicksPerCycle;
  REQUIRE(next > 200);
  CHECK(read(2 * 4096, 8000) < 8000 + 150);
}

}  // namespace
}  // namespace heddle::memory
