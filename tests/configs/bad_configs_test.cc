// Wrong configurations: the message names the place, the field's path, and what would have been legal.
#include <catch2/catch.hpp>
#include <ctime>

#include "configs/loader/config.h"
#include "tests/configs/scratch.h"

namespace heddle::config {
namespace {

// Every part must occur in `message`, in this order.
void check_message(const std::string& message, const std::vector<std::string>& parts) {
  CAPTURE(message);
  CHECK(message.find('\n') == std::string::npos);
  size_t at = 0;
  for (const std::string& part : parts) {
    const size_t found = message.find(part, at);
    CAPTURE(part);
    CHECK(found != std::string::npos);
    at = found == std::string::npos ? at : found + part.size();
  }
}

struct BadText {
  const char* name;
  std::string text;  // a file of its own, or
  std::string more;  // text behind the H200's
  std::vector<std::string> parts;
};

// FILE stands for the file's path; LAST for the number of the file's last line.
void check_text(const BadText& bad) {
  const Scratch scratch;
  const std::string text = bad.text.empty() ? shipped("gpus/h200") + bad.more : bad.text;
  const std::string path = scratch.write("gpus/bad.textproto", text);
  std::vector<std::string> parts = bad.parts;
  for (std::string& part : parts) {
    if (part.starts_with("FILE")) {
      part.replace(0, 4, path);
    }
    if (const size_t at = part.find("LAST"); at != std::string::npos) {
      part.replace(at, 4, std::to_string(std::count(text.begin(), text.end(), '\n') + 1));
    }
  }
  INFO(bad.name);
  check_message(load_error(path, {}), parts);
}

TEST_CASE("files that are not configurations") {
  const BadText table[] = {
      {"unknown field",
       "l2 { wayz: 3 }",
       "",
       {"FILE:LAST:6: no field \"wayz\" in l2; nearest: l2.ways", "total_bytes"}},
      {"unknown field at the top",
       "",
       "l3 { }",
       {"FILE:LAST:1: no field \"l3\"; nearest: ", "fields of the top level"}},
      {"unknown field in a table",
       "",
       "sm { op { op: \"fp32\" pipe: \"fma\" delay: 4 } }",
       {"FILE:LAST:34: no field \"delay\" in sm.op; nearest: sm.op[NAME]",
        "fields of sm.op: op, pipe, latency, interval"}},
      {"unknown enumerator",
       "",
       "sm { fetch { model: PERFEKT } }",
       {"FILE:LAST:21: sm.fetch.model: Unknown enumeration value", "legal values: CACHED, PERFECT"}},
      {"enumerator of another field",
       "dram { model: CACHED }",
       "",
       {"FILE:LAST:15: dram.model:", "legal values: BANKS, ROOFLINE"}},
      {"text for a number",
       "l2 { ways: \"many\" }",
       "",
       {"FILE:LAST:12: l2.ways: Expected integer", "legal values: 1 to 256"}},
      {"negative number",
       "",
       "sm { tensor { mma_rate: -1 } }",
       {"FILE:LAST:25: sm.tensor.mma_rate:", "legal values: 1 to "}},
      {"number too large for its type",
       "",
       "sm { subcores: 4294967296 }",
       {"FILE:LAST:16: sm.subcores: Integer out of range", "legal values: 1 to 8"}},
      {"fraction of a whole number",
       "",
       "sm { subcores: 4.5 }",
       {"FILE:LAST:16: sm.subcores: Expected integer"}},
      {"field given twice",
       "l2 {\n  ways: 1\n  # again\n  ways: 2\n}\n",
       "",
       {"FILE:4:", "l2.ways: Non-repeated field \"ways\" is specified multiple times",
        "legal values: 1 to 256"}},
      {"unclosed brace", "l2 {\n  ways: 1\n", "", {"FILE:3:1: ", "Expected"}},
      {"not text at all", "\x01\x02", "", {"FILE:1:"}},
      {"table entry given twice",
       "",
       "sm { pipe { pipe: \"alu\" interval: 1 } pipe { pipe: \"alu\" interval: 2 } }",
       {"FILE:LAST:39: sm.pipe[alu] is given twice; legal: one entry per pipe"}},
      {"table entry without its name",
       "",
       "sm { op { pipe: \"alu\" latency: 1 } }",
       {"FILE:LAST:6: sm.op: an entry without \"op\""}},
      {"provenance of no field",
       "",
       "provenance { path: \"l2.wayz\" kind: ASSUMED source: \"x\" }",
       {"FILE:LAST:1: provenance of l2.wayz", "no field \"wayz\" in l2; nearest: l2.ways"}},
      {"provenance without kind",
       "",
       "provenance { path: \"seed\" source: \"x\" }",
       {"FILE:LAST:1: provenance of seed: no kind; legal values: DOCUMENTED, MEASURED"}},
      {"provenance without source",
       "",
       "provenance { path: \"seed\" kind: ASSUMED }",
       {"FILE:LAST:1: provenance of seed: no source"}},
      {"two provenance entries of one path",
       "",
       "provenance { path: \"seed\" kind: ASSUMED source: \"a\" } provenance { path: \"seed\" kind: ASSUMED "
       "source: \"b\" }",
       {"FILE:LAST:55: provenance[seed] is given twice"}},
      {"no capability",
       "name: \"x\"\n",
       "",
       {"FILE: capability: not set; legal values: sm_100, ", "sm_70, ", "sm_90"}},
      {"unknown capability",
       "name: \"x\" capability: \"sm_91\"\n",
       "",
       {"FILE: capability: no such file for \"sm_91\"; legal names: sm_100, ", "sm_70, ", "sm_90"}},
      {"nothing but names",
       "name: \"x\" capability: \"sm_90\"\n",
       "",
       {"product: not set", "more; `heddle config check "}},
  };
  for (const BadText& bad : table) {
    check_text(bad);
  }
}

TEST_CASE("a missing field is named with its legal values and unit") {
  const Scratch scratch;
  const auto without = [&](const std::string& file, const std::string& line) {
    return load_error(scratch.write("gpus/bad.textproto", replaced(shipped(file), line, "")), {});
  };
  check_message(without("gpus/h200", "  ways: 20\n"), {"l2.ways: not set; legal values: 1 to 256"});
  check_message(without("gpus/h200", "  banks: 32\n"),
                {"dram.banks: not set; legal values: 1 to 1024 banks per channel"});
  check_message(without("gpus/h200", "  hash: XOR_FOLD\n"),
                {"l2.hash: not set; legal values: XOR_FOLD, MODULO"});
  check_message(without("gpus/h200", "tpcs_per_gpc: [ 8, 8, 8, 9, 8, 8, 8, 9 ]"),
                {"topology.tpcs_per_gpc: not set; legal values: a list of whole numbers"});
}

TEST_CASE("a replaced table entry must be complete") {
  const Scratch scratch;
  const std::string path =
      scratch.write("gpus/bad.textproto", shipped("gpus/h200") + "sm { op { op: \"half\" pipe: \"fma\" } }");
  check_message(
      load_error(path, {}),
      {"sm.op[half].latency: not set, which the pipe fma needs; legal values: 0 to 4096 core cycles"});
}

TEST_CASE("names that nothing has") {
  check_message(load_error("h300", {}),
                {"unknown GPU \"h300\"; legal names: a10, a100, ", "h200, ", "rtx5090"});
  check_message(load_error("h200", fidelity("quick")),
                {"unknown fidelity preset \"quick\"; legal names: default, detailed, fast"});
  check_message(load_error("no/such.textproto", {}), {"no/such.textproto: cannot be read"});
  check_message(load_error("h200", fidelity("no/such.textproto")), {"no/such.textproto: cannot be read"});
  LoadOptions o;
  o.search = {"/no/such/directory"};
  check_message(load_error("h200", o),
                {"search path: \"/no/such/directory\"", "legal: one that holds gpus/"});
  setenv("HEDDLE_CONFIGS", "/no/such/directory", 1);
  check_message(load_error("h200", {}), {"HEDDLE_CONFIGS: \"/no/such/directory\""});
  unsetenv("HEDDLE_CONFIGS");
}

// What is near to it was looked for letter by letter: half a minute for three million of them.
TEST_CASE("a long name that nothing has is refused at once") {
  const std::string name = "l2.way" + std::string(3000000, 's');
  const std::clock_t begin = std::clock();
  check_message(load_error("h200", overrides({name + "=20"})), {"no field \"ways", "; nearest: "});
  CHECK(std::clock() - begin < 5 * CLOCKS_PER_SEC);
}

TEST_CASE("files whose name is not their own") {
  const Scratch scratch;
  scratch.write("gpus/other.textproto", shipped("gpus/h200"));
  check_message(load_error("other", scratch.options()),
                {"gpus/other.textproto: name: \"h200\" is not the file's; legal value: \"other\""});
  scratch.write("capability/sm_90.textproto", shipped("capability/sm_80"));
  check_message(load_error("h200", scratch.options()),
                {"sm_90.textproto: capability: \"sm_80\" is not the file's; legal value: \"sm_90\""});
}

struct BadOverride {
  std::vector<std::string> set;
  std::vector<std::string> parts;
};

TEST_CASE("overrides that cannot be applied") {
  const BadOverride table[] = {
      {{"l2.ways"}, {"--set l2.ways: legal: path=value"}},
      {{"=3"}, {"--set =3: \"\" is not a field path"}},
      {{"l2..ways=3"}, {"--set l2..ways=3: \"l2..ways\" is not a field path; legal: names with dots"}},
      {{"sm.op[fp32=3"}, {"is not a field path"}},
      {{"sm.op[]=3"}, {"is not a field path"}},
      {{"sm.op[fp32]latency=3"}, {"is not a field path"}},
      {{"ways=16"},
       {"--set ways=16: no field \"ways\"; nearest: ", "ways", "fields of the top level: name,"}},
      {{"l2.wais=16"}, {"--set l2.wais=16: no field \"wais\" in l2; nearest: l2.ways"}},
      {{"sm.l1.slices=16"}, {"no field \"slices\" in sm.l1; nearest: ", "l2.slices"}},
      {{"l2.ways.x=1"}, {"l2.ways is a single value and has no field \"x\""}},
      {{"l2=1"}, {"--set l2=1: l2 is a group of fields; name one: total_bytes, partitions"}},
      {{"sm.op=1"},
       {"--set sm.op=1: sm.op is a table; name a field of one entry: sm.op[NAME].FIELD; fields: op, pipe"}},
      {{"sm.op[fp32]=1"}, {"sm.op[fp32] is a table's entry; name a field of one entry: sm.op[fp32].FIELD"}},
      {{"sm.op.latency=1"},
       {"sm.op is a table; name the entry: sm.op[NAME]; legal names: unknown, nop, alu"}},
      {{"sm.op[fp31].latency=1"}, {"no entry \"fp31\" in sm.op; nearest: fp32", "legal names: unknown, nop"}},
      {{"sm.pipe[none].interval=1"}, {"no entry \"none\" in sm.pipe"}},
      {{"l2[3].ways=1"}, {"l2 is not a table, so [3] has no meaning"}},
      {{"topology.tpcs_per_gpc[0]=9"}, {"a list is set as a whole, topology.tpcs_per_gpc=[1, 2, ...]"}},
      {{"topology.tpcs_per_gpc=[8,x]"},
       {"\"[8,x]\" is not a value of topology.tpcs_per_gpc; legal values: a list of"}},
      {{"l2.ways=many"}, {"--set l2.ways=many: \"many\" is not a value of l2.ways; legal values: 1 to 256"}},
      {{"l2.ways="}, {"\"\" is not a value of l2.ways"}},
      {{"l2.ways=16.5"}, {"\"16.5\" is not a value of l2.ways"}},
      {{"l2.ways=4294967296"}, {"\"4294967296\" is not a value of l2.ways"}},
      {{"l2.ways=1KiB"}, {"\"1KiB\" is not a value of l2.ways"}},  // not a field of bytes
      {{"clocks.core_mhz=fast"},
       {"\"fast\" is not a value of clocks.core_mhz; legal values: 1 to 10000 MHz"}},
      {{"dram.model=banks"}, {"\"banks\" is not a value of dram.model; legal values: BANKS, ROOFLINE"}},
      {{"tlb.enabled=yes"}, {"\"yes\" is not a value of tlb.enabled; legal values: true, false"}},
  };
  for (const BadOverride& bad : table) {
    INFO(bad.set.back());
    check_message(load_error("h200", overrides(bad.set)), bad.parts);
  }
}

TEST_CASE("values out of range") {
  const BadOverride table[] = {
      {{"l2.ways=300"}, {"--set l2.ways=300: l2.ways = 300: out of range; legal values: 1 to 256"}},
      {{"l2.ways=0"}, {"l2.ways = 0: out of range; legal values: 1 to 256"}},
      {{"l2.sector_bytes=64"}, {"l2.sector_bytes = 64: out of range; legal values: 32 bytes"}},
      {{"sm.l1.sector_bytes=64"}, {"sm.l1.sector_bytes = 64: out of range; legal values: 32 bytes"}},
      {{"l2.line_bytes=64"}, {"l2.line_bytes = 64: out of range; legal values: 128 bytes"}},
      {{"sm.l1.line_bytes=256"}, {"sm.l1.line_bytes = 256: out of range; legal values: 128 bytes"}},
      {{"sm.shared.bank_bytes=8"}, {"sm.shared.bank_bytes = 8: out of range; legal values: 4 bytes"}},
      {{"seed=1"}, {"seed = 1: out of range; legal values: 0"}},
      {{"seed=18446744073709551615"}, {"seed = 18446744073709551615: out of range; legal values: 0"}},
      {{"dram.efficiency=1.5"}, {"dram.efficiency = 1.5: out of range; legal values: 0.05 to 1"}},
      {{"dram.efficiency=nan"}, {"dram.efficiency = nan: out of range"}},
      {{"clocks.core_mhz=inf"}, {"clocks.core_mhz = inf: out of range; legal values: 1 to 10000 MHz"}},
      {{"limits.warp_size=64"}, {"limits.warp_size = 64: out of range; legal values: 32 threads"}},
      {{"sm.op[fp32].latency=5000"},
       {"sm.op[fp32].latency = 5000: out of range; legal values: 0 to 4096 core cycles"}},
      {{"limits.max_registers_per_thread=256"}, {"legal values: 16 to 255 32-bit registers"}},
  };
  for (const BadOverride& bad : table) {
    INFO(bad.set.back());
    check_message(load_error("h200", overrides(bad.set)), bad.parts);
  }
}

TEST_CASE("combinations that cannot be built") {
  const BadOverride table[] = {
      {{"topology.sms=130"},
       {"--set topology.sms=130: topology.sms = 130: but 66 TPCs", "topology.sms_per_tpc = 2 make 132",
        "legal value for these TPCs: 132"}},
      {{"topology.tpcs_per_gpc=[66, 0]"}, {"topology.tpcs_per_gpc = [66, 0]: a GPC without TPCs"}},
      {{"limits.warp_allocation_unit=2"},
       {"limits.warp_allocation_unit = 2: registers are given out", "legal value: sm.subcores = 4"}},
      {{"sm.pipe[fmalite].interval=4"},
       {"sm.pipe[fmalite].interval = 4: the halves of fma have one speed", "sm.pipe[fmaheavy].interval = 2"}},
      {{"limits.compute_capability=80"},
       {"limits.compute_capability = 80: contradicts capability \"sm_90\""}},
      {{"limits.max_warps_per_sm=62"},
       {"limits.max_warps_per_sm = 62: not a multiple of sm.subcores = 4", "60, 64"}},
      {{"limits.max_threads_per_block=1000"},
       {"not a multiple of limits.warp_size = 32; nearest legal values: 992, 1024"}},
      {{"limits.max_warps_per_sm=16"},
       {"limits.max_threads_per_block = 1024: more than limits.max_warps_per_sm x limits.warp_size = 512",
        "legal values: up to 512"}},
      {{"limits.max_registers_per_block=131072"},
       {"more than limits.registers_per_sm = 65536; legal values: up to 65536"}},
      {{"limits.registers_per_sm=65000", "limits.max_registers_per_block=65000"},
       {"limits.registers_per_sm = 65000: not a multiple of", "= 1024; nearest legal values: 64512, 65536"}},
      {{"limits.registers_per_sm=16384", "limits.max_registers_per_block=16384"},
       {"limits.max_registers_per_thread = 255: one such warp takes 8192 registers and a sub-core has 4096",
        "legal values: up to 128"}},
      {{"limits.max_shared_bytes_per_block=233472"},
       {"limits.max_shared_bytes_per_block = 233472: with limits.reserved_shared_bytes_per_block = 1024 more "
        "than",
        "legal values: up to 232448"}},
      {{"sm.fetch.l1_bytes=100000"},
       {"sm.fetch.l1_bytes = 100000: not a multiple of sm.fetch.line_bytes = 128"}},
      {{"sm.fetch.gcc_latency=20"},
       {"sm.fetch.gcc_latency = 20: less than sm.fetch.l1_latency", "that or more"}},
      {{"sm.op[fp32].pipe=sp"},
       {"sm.op[fp32].pipe = \"sp\": sm.pipe has no such entry; legal values: none, alu, fmaheavy", "fma"}},
      {{"sm.op[fp32].pipe=vector"}, {"sm.pipe has no such entry; legal values: none, alu,"}},
      {{"sm.op[fp32].op=fp33"},
       {"sm.op[fp33].op", "no such class; nearest: fp32", "legal names: unknown, nop, alu,"}},
      {{"sm.pipe[xu].pipe=sfu"}, {"sm.pipe[sfu].pipe = \"sfu\": no such pipe; legal names: none, alu, fma,"}},
      {{"sm.pipe[fma].interval=1"},
       {"sm.pipe[fma].pipe = \"fma\": stands for either of fmaheavy and fmalite"}},
      {{"sm.l1.ways=7"},
       {"sm.l1.carveout_bytes",
        "no whole number of sets; legal: a multiple of sm.l1.line_bytes x sm.l1.ways = 896"}},
      {{"sm.l1.carveout_bytes=[0, 65536, 32768, 233472]"},
       {"sm.l1.carveout_bytes = [0, 65536, 32768, 233472]: not ascending"}},
      {{"sm.l1.carveout_bytes=[0, 100, 32768, 233472]"},
       {"100 is not a multiple of limits.shared_allocation_unit = 128"}},
      {{"sm.l1.carveout_bytes=[32768, 65536]"},
       {"the largest, 65536, is less than limits.shared_bytes_per_sm; legal: at least 233472"}},
      {{"sm.l1.carveout_bytes=[32768, 262144]"},
       {"262144 leaves nothing of sm.l1.total_bytes; legal values: less than 262144"}},
      {{"sm.l1.default_min_carveout_bytes=1024"},
       {"sm.l1.default_min_carveout_bytes = 1024: not in sm.l1.carveout_bytes; legal values: 0, 8192, "
        "16384"}},
      {{"l2.partitions=5"},
       {"l2.slices = 96: not a multiple of l2.partitions = 5; nearest legal values: 95, 100"}},
      {{"l2.ways=16", "l2.total_bytes=62914561"},
       {"l2.total_bytes = 62914561: not a multiple of l2.slices x l2.ways x l2.line_bytes = 196608",
        "nearest legal values: 62914560, 63111168"}},
      {{"l2.max_persisting_bytes=1GiB"},
       {"more than l2.total_bytes = 62914560; legal values: up to 62914560"}},
      {{"dram.channels=90"},
       {"dram.channels = 90: does not divide l2.slices = 96",
        "legal values: 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 96"}},
      {{"dram.channels=192"}, {"dram.channels = 192: does not divide l2.slices = 96", "behind none"}},
      {{"dram.access_bytes=16"}, {"dram.access_bytes = 16: not a multiple of l2.sector_bytes = 32"}},
      {{"dram.access_bytes=256"},
       {"dram.access_bytes = 256: more than l2.line_bytes = 128; legal values: up to 128"}},
      {{"dram.t_ras=5"}, {"dram.t_ras = 5: less than dram.t_rcd"}},
      {{"dram.t_rfc=8780"},
       {"dram.t_rfc = 8780: not less than dram.t_refi = 6570", "legal values: up to 6569"}},
      {{"dram.total_bytes=1MiB"},
       {"dram.total_bytes = 1048576: less than one row in every bank; legal values: 3145728 or more"}},
      {{"tlb.walk_bytes=65536"},
       {"tlb.walk_bytes = 65536: less than tlb.page_bytes = 2097152; legal values: that or more"}},
      {{"sm.issue.branch_next_line_cycles=9"},
       {"sm.issue.branch_next_line_cycles = 9: less than sm.issue.branch_cycles = 10; legal values: that or "
        "more"}},
      {{"sm.issue.branch_far_cycles=12"}, {"less than sm.issue.branch_next_line_cycles = 13"}},
      {{"sm.fetch.launch_prefetch_bytes=65600"},
       {"sm.fetch.launch_prefetch_bytes = 65600: not a multiple of sm.fetch.line_bytes = 128; nearest legal "
        "values: 65536, 65664"}},
      {{"sm.fetch.launch_prefetch_bytes=256KiB"},
       {"sm.fetch.launch_prefetch_bytes = 262144: more than sm.fetch.l1_bytes = 131072"}},
      {{"sm.fetch.first_fetch_bytes=1000"}, {"sm.fetch.first_fetch_bytes = 1000: not a multiple of"}},
      {{"sm.fetch.launch_prefetch_bytes=512", "sm.fetch.first_fetch_bytes=1024"},
       {"sm.fetch.first_fetch_bytes = 1024: more than sm.fetch.launch_prefetch_bytes = 512; legal values: up "
        "to 512"}},
      {{"sm.constants.parameter_latency=9999"},
       {"sm.constants.parameter_latency = 9999: more than sm.constants.memory_latency"}},
      {{"sm.l1.default_min_carveout_threads=2048"},
       {"sm.l1.default_min_carveout_threads = 2048: more than limits.max_threads_per_block = 1024; legal "
        "values: up to 1024"}},
      {{"sm.l1.default_carveout_headroom=0.5"},
       {"sm.l1.default_carveout_headroom = 0.5: chooses a carve-out", "legal values: 1 to 16"}},
      {{"sm.shared.load_latency_64=20"},
       {"sm.shared.load_latency_64 = 20: less than sm.shared.load_latency_32"}},
      {{"sm.issue.dual_issue=true"},
       {"sm.issue.dual_issue = true: but sm.issue.dependences = CONTROL_BITS", "legal value: false"}},
      {{"sm.l1.subcores_per_unit=2"},
       {"sm.l1.subcores_per_unit = 2: several L1s, but one array with shared memory",
        "legal value: "
        "sm.subcores = 4"}},
      {{"sm.l1.subcores_per_unit=3", "sm.l1.apart_from_shared=true"},
       {"sm.l1.subcores_per_unit = 3: does not divide sm.subcores = 4; legal values: its divisors"}},
      {{"sm.l1.subcores_per_unit=0"}, {"sm.l1.subcores_per_unit = 0", "legal values: 1 to 8"}},
  };
  for (const BadOverride& bad : table) {
    INFO(bad.set.back());
    check_message(load_error("h200", overrides(bad.set)), bad.parts);
  }
}

TEST_CASE("every shipped GPU, made impossible in one place, is refused by that field's name") {
  for (const std::string& gpu : gpu_names()) {
    const GpuConfig c = load(gpu);
    const auto more = [](uint64_t value, uint64_t by) { return "=" + std::to_string(value + by); };
    const std::pair<std::string, std::string> table[] = {
        {"topology.sms", more(c.topology().sms(), 1)},
        {"limits.compute_capability", more(c.limits().compute_capability(), 1)},
        {"limits.max_warps_per_sm", more(c.limits().max_warps_per_sm() - 4, 1)},
        {"limits.max_registers_per_block", more(c.limits().registers_per_sm(), 256)},
        {"limits.max_shared_bytes_per_block", more(c.limits().shared_bytes_per_sm(), 1)},
        {"l2.total_bytes", more(c.l2().total_bytes(), 128)},
        {"l2.max_persisting_bytes", more(c.l2().total_bytes(), 1)},
        {"dram.channels", more(2 * c.l2().slices(), 0)},
        {"dram.t_ras", "=1"},
        {"dram.t_rfc", more(c.dram().t_refi(), 0)},
        {"sm.l1.carveout_bytes", "=[" + std::to_string(c.sm().l1().total_bytes()) + "]"},
        {"sm.op[fp32].pipe", "=cuda"},
        {"clocks.core_mhz", "=0"},
    };
    for (const auto& [field, value] : table) {
      CAPTURE(gpu, field, value);
      const std::string error = load_error(gpu, overrides({field + value}));
      CHECK(error.starts_with(std::string("--set ").append(field).append(value).append(": ")));
      CHECK(error.find(": " + field + " = ") != std::string::npos);
    }
  }
}

TEST_CASE("a product of a capability that there is not") {
  const Scratch scratch;
  const std::string text = replaced(shipped("gpus/rtx5090"), "\"sm_120\"", "\"sm_125\"");
  check_message(load_error(scratch.write("gpus/bad.textproto", text), {}),
                {"capability: no such file for \"sm_125\"", "sm_120"});
}

TEST_CASE("mechanisms that a value of 0 turns off") {
  CHECK(check("h200", overrides({"sm.fetch.launch_prefetch_bytes=0"})).empty());
  CHECK(check("h200", overrides({"sm.fetch.first_fetch_bytes=0"})).empty());
  CHECK(check("h200", overrides({"noc.merge_entries=0"})).empty());
}

TEST_CASE("a class without an entry, and an entry too many") {
  GpuConfig c = load("h200");
  c.mutable_sm()->mutable_op()->DeleteSubrange(3, 2);
  auto problems = check(c);
  REQUIRE(problems.size() == 1);
  check_message(problems[0],
                {"sm.op: no entry for alu_predicate, fp32; legal: one for each instruction class"});

  c = load("h200");
  *c.mutable_sm()->add_op() = c.sm().op(0);
  problems = check(c);
  REQUIRE(problems.size() == 1);
  check_message(problems[0], {"sm.op[unknown].op", "given twice"});
}

TEST_CASE("check() lists everything, load() the first and how many more") {
  const LoadOptions o = overrides({"l2.ways=300", "dram.banks=0", "dram.t_cl=0"});
  const auto problems = check("h200", o);
  REQUIRE(problems.size() == 3);
  CHECK(problems[0].find("l2.ways") != std::string::npos);
  CHECK(problems[1].find("dram.banks") != std::string::npos);
  CHECK(problems[2].find("dram.t_cl") != std::string::npos);
  check_message(load_error("h200", o),
                {"l2.ways = 300", "(and 2 more; `heddle config check h200` lists them)"});
  CHECK(check("h300").size() == 1);
}

TEST_CASE("a value's file and line are named when it is out of range or does not fit") {
  const Scratch scratch;
  const std::string text = replaced(shipped("gpus/h200"), "  ways: 20", "  ways: 2000");
  const std::string path = scratch.write("gpus/bad.textproto", text);
  const std::string above = text.substr(0, text.find("ways: 2000"));
  const size_t line = std::count(above.begin(), above.end(), '\n') + 1;
  check_message(load_error(path, {}), {path + ":" + std::to_string(line) + ": l2.ways = 2000: out of range"});

  const std::string preset = scratch.write("odd.textproto", "\ndram {\n  channels: 7\n}\n");
  check_message(load_error("h200", fidelity(preset)), {preset + ":3: dram.channels = 7: does not divide"});
}

}  // namespace
}  // namespace heddle::config
