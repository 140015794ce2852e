#include <catch2/catch.hpp>
#include <cmath>
#include <sstream>

#include "analysis/report/format.h"
#include "analysis/report/hot_spots.h"
#include "analysis/report/json.h"
#include "analysis/report/kernel_report.h"
#include "analysis/report/launch_facts.h"
#include "analysis/report/relation_report.h"
#include "analysis/report/roofs.h"
#include "analysis/report/run_report.h"
#include "analysis/report/table.h"
#include "tests/analysis/sample_records.h"

namespace heddle::analysis {
namespace {

using stats::Counter;

TEST_CASE("numbers") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(133861637) == "133,861,637");
  CHECK(number(-1234) == "-1,234");
  CHECK(number(0.128) == "0.13");
  CHECK(number(-1234567.125) == "-1,234,567.12");
  CHECK(number(999.5) == "999.50");
  CHECK(quantity(0, "B") == "0 B");
  CHECK(quantity(999, "B") == "999 B");
  CHECK(quantity(5, "") == "5");
  CHECK(quantity(2.5e6, "") == "2.50 M");
  CHECK(quantity(999.6, "B") == "1.00 kB");
  CHECK(quantity(8391424, "B") == "8.39 MB");
  CHECK(quantity(12.3e12, "B/s") == "12.3 TB/s");
  CHECK(duration(812e-9) == "812 ns");
  CHECK(duration(5.698e-6) == "5.70 us");
  CHECK(duration(0.012) == "12.0 ms");
  CHECK(duration(340) == "340 s");
  CHECK(clock_time(7.6) == "8 s");
  CHECK(clock_time(65) == "1:05 min");
  CHECK(clock_time(7380) == "2:03 h");
  CHECK(demangled("_Z8k_vecaddPKfS0_Pfi") == "k_vecadd(float const*, float const*, float*, int)");
  CHECK(demangled("my_kernel") == "my_kernel");
  CHECK(demangled("t") == "t");
  CHECK(demangled("k\x1b[2J\n") == "k\\x1b[2J\\x0a");
  CHECK(shortened("abcdefgh", 5) == "abc..");
  CHECK(shortened("abcde", 5) == "abcde");
}

TEST_CASE("a table") {
  TextTable t({{"name", TextTable::Align::kLeft}, {"value"}, {"note", TextTable::Align::kLeft}});
  t.add({"a", "1"});
  t.add({"longer", "1,000", "\xc2\xb5s"});  // two bytes, one character
  CHECK(t.str() ==
        "name    value  note\n"
        "-------------------\n"
        "a           1\n"
        "longer  1,000  \xc2\xb5s\n");
}

TEST_CASE("facts of a launch") {
  const LaunchFacts f = facts(sample_launch("vecadd", 1, 0));
  CHECK(f.seconds == Approx(11282 / 1980e6));
  CHECK(f.limiter == "warps");
  CHECK(f.blocks_per_sm == 8);
  CHECK(f.l1_hit_pct.value_or(0) == Approx(25));
  CHECK(f.l2_hit_pct.value_or(0) == Approx(40));
  CHECK(f.dram_bytes == 9391424);
  CHECK(f.dram_bandwidth == Approx(9391424 / (11282 / 1980e6)));
  REQUIRE(f.stalls.size() == 3);
  CHECK(f.stalls[0].reason == "long_scoreboard");
  CHECK(f.stalls[0].percent == Approx(100 * 31000000.0 / 43055360));
}

TEST_CASE("relations between the counters of a launch") {
  stats::KernelResult r;  // of one block that does nothing: all hold
  r.totals[stats::Counter::kBlocksLaunched] = 1;
  LaunchRecord l = make_record(r);
  CHECK(broken_relations(l) == std::vector<std::string>{});
  r.totals[stats::Counter::kInstExecuted] = 1200;
  r.totals[stats::Counter::kIssueActive] = 1199;
  const std::vector<std::string> broken = broken_relations(make_record(r));
  CHECK(std::find(
            broken.begin(), broken.end(),
            "smsp__issue_active.sum + heddle__inst_dual_issued.sum = smsp__inst_executed.sum: 1,199 against "
            "1,200") != broken.end());
  CHECK(relations_text("dram__bytes_read")
            .find("dram__bytes_read.sum <= 32 lts__t_sectors_srcunit_tex_lookup_miss.sum + ") !=
        std::string::npos);
  CHECK(relations_text("no such counter").empty());
  // A database of an older version lacks a counter: nothing is said of it.
  l.values[*metric_index("smsp__issue_active.sum")] = std::nan("");
  l.values[*metric_index("smsp__inst_executed.sum")] = 7;
  for (const std::string& line : broken_relations(l)) {
    CHECK(line.find("smsp__issue_active.sum") == std::string::npos);
  }
}

TEST_CASE("no look-ups are no hit rate; equal limits are all named") {
  stats::KernelResult r = sample_result(0);
  r.totals[stats::Counter::kL1Sectors] = 0;
  r.occupancy.limit_registers = 8;
  const LaunchFacts f = facts(make_record(r));
  CHECK_FALSE(f.l1_hit_pct);
  CHECK(f.limiter == "warps+registers");
}

TEST_CASE("the report of a run") {
  const std::vector<LaunchRecord> launches = {sample_launch("vecadd", 1, 0),
                                              sample_launch("vecadd", 2, 1000)};
  CHECK(run_heading(sample_run(), launches) ==
        "h200 (NVIDIA H200 SXM), fidelity default, seed 7, configuration 0123456789abcdef, revision abc1234\n"
        "overrides: l2.ways=8\n"
        "2 of 2 launches, 1,310,720 warp instructions, 11.9 us simulated; 1.00 s of host time, 1.31 "
        "M warp-inst/s\n");
  CHECK("\n" + launch_tables(launches) == R"(
trace   #  kernel    cycles  SM active     time  warp inst   IPC  issue %  occ. %    max  limit
-----------------------------------------------------------------------------------------------
vecadd  1  k_vecadd  11,282      8,207  5.70 us    655,360  0.69     17.2    72.2  100.0  warps
vecadd  2  k_vecadd  12,282      9,207  6.20 us    655,360  0.69     17.2    72.2  100.0  warps

trace   #  bound by, % of peak  L1 hit %  L2 hit %     DRAM  DRAM rate  largest stalls, % of warp-cycles
-----------------------------------------------------------------------------------------------------------------------------------
vecadd  1  -                        25.0      40.0  9.39 MB  1.65 TB/s  long_scoreboard 72 %, no_instruction 20 %, mio_throttle 7 %
vecadd  2  -                        25.0      40.0  9.39 MB  1.51 TB/s  long_scoreboard 72 %, no_instruction 20 %, mio_throttle 7 %
)");
  std::vector<LaunchRecord> templated = {launches[0]};
  templated[0].kernel = "_Z6k_bankILi2EEvPf";
  CHECK(launch_tables(templated).find("  k_bank<2>  ") != std::string::npos);
  CHECK(launch_tables(launches, 1).find("... and 1 more launches\n") != std::string::npos);
}

TEST_CASE("what became of sampling") {
  LaunchRecord l = sample_launch("vecadd", 1, 0);
  CHECK(sampling_text(l).empty());
  CHECK(kernel_details(l).find("sampling") == std::string::npos);
  l.cycles = 10000;
  l.sampling = {true, 512, 4096, 9500, 10500, ""};
  CHECK(sampling_text(l) == "sampled, +- 5.0 %, 512 of 4,096 blocks simulated");
  CHECK(kernel_details(l).find("  sampling              sampled, +- 5.0 %") != std::string::npos);
  l.sampling = {true, 512, 4096, 9500, 10500, "", 32, 132};
  CHECK(sampling_text(l) == "sampled, +- 5.0 %, 512 of 4,096 blocks simulated on 32 of 132 SMs");
  l.sampling = {true, 4096, 4096, 10000, 10000, "no steady state"};
  CHECK(launch_notes(std::vector<LaunchRecord>{l})
            .find("note: vecadd launch 1: not sampled: no steady state\n") == 0);
}

// A round machine: 10 SMs of 4 sub-cores at 1 GHz.
RunRecord round_run() {
  RunRecord r = sample_run();
  r.config_text = R"(
    topology { sms: 10 } clocks { core_mhz: 1000 l2_mhz: 500 dram_mhz: 2000 }
    sm { subcores: 4
         pipe { pipe: "alu" interval: 2 } pipe { pipe: "fmaheavy" interval: 2 } pipe { pipe: "fmalite" interval: 2 }
         pipe { pipe: "adu" interval: 2 shared_by_sm: true }
         tensor { mma_rate: 4096 gmma_rate: 8192 } memory { shared_interval: 1 }
         shared { wavefront_cycles: 1 } l1 { data_bytes_per_cycle: 128 } }
    l2 { slices: 8 slice_bytes_per_cycle: 64 } dram { channels: 4 bytes_per_cycle: 16 })";
  return r;
}

TEST_CASE("roofs: work over what all cycles of the launch allow") {
  const std::optional<config::GpuConfig> gpu = configuration(round_run());
  REQUIRE(gpu);
  stats::KernelResult k = sample_result(0);
  k.cycles = 1000;
  k.totals = {};
  k.totals[Counter::kIssueActive] = 20000;  // of 10 * 4 * 1000
  k.totals[Counter::kPipeAlu] = 6000;       // 2 cycles each
  k.totals[Counter::kPipeFmaHeavy] = 5000;  // the fuller half
  k.totals[Counter::kPipeFmaLite] = 1000;
  k.totals[Counter::kPipeAdu] = 500;  // one for an SM: of 10 * 1000
  k.totals[Counter::kTensorBusy] = 8000;
  k.totals[Counter::kPipeLsu] = 1500;
  k.totals[Counter::kSharedLdWavefronts] = 7500;
  k.totals[Counter::kL1Sectors] = 4000;       // 128000 bytes of 10 * 128 * 1000
  k.totals[Counter::kL2Sectors] = 2000;       // 64000 of 8 * 64 * 500
  k.totals[Counter::kDramReadBytes] = 70000;  // of 4 * 16 * 2000
  k.totals[Counter::kDramWriteBytes] = 26000;
  const LaunchRecord l = make_record(k);
  const std::vector<std::pair<std::string, double>> expected = {
      {"shared memory", 75}, {"DRAM", 75}, {"issue slots", 50}, {"ALU", 30}, {"FMA", 25}, {"L2", 25},
      {"tensor", 20},        {"LSU", 15},  {"ADU", 10},         {"L1", 10}};
  const std::vector<Roof> got = roofs(l, gpu);
  REQUIRE(got.size() == expected.size());  // none for the pipes that the machine lacks
  for (size_t i = 0; i < got.size(); ++i) {
    CHECK(got[i].name == expected[i].first);
    CHECK(got[i].percent == Approx(expected[i].second));
  }
  CHECK(bottleneck(got) == "shared memory 75 %");
  CHECK(bottleneck({{"L2", 60}, {"DRAM", 10}}) == "latency (L2 60 %)");
  CHECK(kernel_details(l, got).find("  bound by              shared memory 75 %\n") != std::string::npos);
  CHECK(kernel_details(l, got).find("  issue slots            50.0  ##########\n") != std::string::npos);
  const Peaks p = peaks(*gpu);
  CHECK(p.fp32 == Approx(2 * 2 * 16 * 40e9));  // both halves, 16 lanes
  CHECK(p.fp64 == 0);
  CHECK(p.tensor == Approx(2 * 512 * 40e9));  // 8192 bit-products are 512 of 16 bits
  CHECK(p.l1 == Approx(1280e9));
  CHECK(p.l2 == Approx(256e9));
  CHECK(p.dram == Approx(128e9));

  // Two L1s to an SM: twice the bytes and instructions.
  std::optional<config::GpuConfig> two = gpu;
  two->mutable_sm()->mutable_l1()->set_subcores_per_unit(2);
  for (const Roof& r : roofs(l, two)) {
    if (r.name == "L1") {
      CHECK(r.percent == Approx(5));
    } else if (r.name == "LSU") {
      CHECK(r.percent == Approx(7.5));
    }
  }
  CHECK(peaks(*two).l1 == Approx(2560e9));
}

TEST_CASE("JSON: text stays text, also within a page") {
  std::ostringstream out;
  JsonWriter j(out);
  j.begin_object().field("a\"b", "</script>&\n\x01\xff\xc3\xa9").key("list").begin_array();
  j.value(1).value(-2.5).value(std::nan("")).value(true).value(uint64_t{1} << 53).begin_object().end_object();
  j.end_array().key("raw").raw("{\"x\":1}").end_object();
  CHECK(out.str() ==
        "{\"a\\\"b\":\"\\u003c/script\\u003e\\u0026\\u000a\\u0001\\ufffd\xc3\xa9\","
        "\"list\":[1,-2.5,null,true,9007199254740992,{}],\"raw\":{\"x\":1}}");
}

TEST_CASE("without a configuration there are no roofs") {
  RunRecord broken = sample_run();
  broken.config_text = "no such field: 1";
  CHECK_FALSE(configuration(broken));
  CHECK_FALSE(configuration(sample_run()));  // has no clocks
  CHECK(roofs(sample_launch("a", 1, 0), std::nullopt).empty());
  CHECK(bottleneck({}).empty());
}

TEST_CASE("notes") {
  std::vector<LaunchRecord> launches = {sample_launch("a", 1, 0), sample_launch("b", 1, 0)};
  CHECK(launch_notes(launches) ==
        "note: opcodes classified by prefix only, with executed warp instructions: NEWOP.X 24\n");
  launches[0].used_control_bits = false;
  CHECK(launch_notes(launches).find("note: 1 of 2 launches ran on the register scoreboard") == 0);
  for (LaunchRecord& l : launches) {
    l.used_control_bits = true;
    l.unknown_opcodes.clear();
  }
  CHECK(launch_notes(launches).empty());
}

TEST_CASE("hot spots: by warp-cycles, with the source line where the trace has it") {
  std::vector<stats::InstructionProfile> code(3);
  for (uint32_t i = 0; i < 3; ++i) {
    code[i].pc = 16 * i;
    code[i].text = "FADD R" + std::to_string(i);
  }
  CHECK(hot_spots(code).empty());
  code[0].counts.stall[static_cast<size_t>(stats::Stall::kWait)] = 10;
  code[1].counts.stall[static_cast<size_t>(stats::Stall::kWait)] = 10;
  code[1].counts.stall[static_cast<size_t>(stats::Stall::kLongScoreboard)] = 20;
  CHECK(hot_spots(code) == R"(hot spots, % of warp-cycles
   %    pc  largest          instruction
----------------------------------------
75.0  0010  long_scoreboard  FADD R1
25.0  0000  wait             FADD R0
)");
  code[1].source_file = "/home/me/a.cu";
  code[1].source_line = 12;
  CHECK(hot_spots(code, 1) == R"(hot spots, % of warp-cycles
   %    pc  largest          source   instruction
-------------------------------------------------
75.0  0010  long_scoreboard  a.cu:12  FADD R1
)");
}

TEST_CASE("the report of a kernel") {
  CHECK("\n" + kernel_details(sample_launch("vecadd", 1, 0)) == R"(
vecadd launch 1: k_vecadd(float const*, float const*, float*, int)
launch
  grid, block           (4096, 1, 1), (256, 1, 1)
  registers per thread  16
  shared per block      0 static + 0 dynamic bytes
time
  cycles                11,282, 5.70 us at 1980 MHz
  SM-active cycles      8,207 busiest SM, 7,217.86 mean
occupancy
  achieved              72.2 %, 46.2 warps of an active SM
  theoretical           100.0 %, 8 blocks per SM, limited by warps
  waves                 3.88
issue
  warp instructions     655,360
  IPC                   0.69 per SM and active cycle
  issue slots used      17.2 %
  dependences           control bits
memory
  L1 hits               25.0 % of 400,000 sectors (100,000 hit)
  L2 hits               40.0 % of 500,000 sectors (200,000 hit)
  DRAM                  8.39 MB read, 1.00 MB written, 1.65 TB/s
  shared memory         0 wavefronts, 0 bank conflicts
stalls, % of warp-cycles
  long_scoreboard        72.0
  no_instruction         19.7
  mio_throttle            6.7
)");
}

}  // namespace
}  // namespace heddle::analysis
