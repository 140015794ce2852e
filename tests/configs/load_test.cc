// How a configuration is put together: files, layers, overrides.
#include <catch2/catch.hpp>
#include <cstdlib>

#include "configs/loader/config.h"
#include "tests/configs/scratch.h"

namespace heddle::config {
namespace {

const PipeTiming* find_pipe(const GpuConfig& c, const std::string& name) {
  for (const PipeTiming& p : c.sm().pipe()) {
    if (p.pipe() == name) {
      return &p;
    }
  }
  return nullptr;
}

const OpTiming* find_op(const GpuConfig& c, const std::string& name) {
  for (const OpTiming& o : c.sm().op()) {
    if (o.op() == name) {
      return &o;
    }
  }
  return nullptr;
}

std::string h200_with(const std::string& more) { return shipped("gpus/h200") + more; }

TEST_CASE("a GPU's file comes over its capability's") {
  const GpuConfig c = load("h200");
  CHECK(c.name() == "h200");
  CHECK(c.capability() == "sm_90");
  CHECK(c.topology().sms() == 132);            // the GPU's
  CHECK(c.limits().max_warps_per_sm() == 64);  // the capability's
}

TEST_CASE("single values of the GPU's file replace the capability's") {
  const Scratch scratch;
  const auto path = scratch.write("gpus/mine.textproto", h200_with("limits { max_blocks_per_sm: 7 }"));
  const GpuConfig c = load(path);
  CHECK(c.limits().max_blocks_per_sm() == 7);
  CHECK(c.limits().max_warps_per_sm() == 64);
}

TEST_CASE("a list replaces the whole list") {
  const Scratch scratch;
  const auto path =
      scratch.write("gpus/mine.textproto", h200_with("sm { l1 { carveout_bytes: [ 32768, 233472 ] } }"));
  const GpuConfig c = load(path);
  REQUIRE(c.sm().l1().carveout_bytes_size() == 2);
  CHECK(c.sm().l1().carveout_bytes(0) == 32768);
}

TEST_CASE("a table's entry replaces the whole entry of its name, in its place") {
  const Scratch scratch;
  const auto path =
      scratch.write("gpus/mine.textproto",
                    h200_with("sm { op { op: \"half\" pipe: \"fmaheavy\" latency: 9 } "
                              "pipe { pipe: \"fp16\" interval: 3 } pipe { pipe: \"alu\" interval: 5 } }"));
  const GpuConfig base = load("h200");
  const GpuConfig c = load(path);
  REQUIRE(find_op(base, "half")->has_interval());
  CHECK(find_op(c, "half")->latency() == 9);
  CHECK_FALSE(find_op(c, "half")->has_interval());
  CHECK(c.sm().op_size() == base.sm().op_size());
  CHECK(find_pipe(c, "alu")->interval() == 5);
  CHECK(find_pipe(c, "fp16")->interval() == 3);
  CHECK(c.sm().pipe_size() == base.sm().pipe_size());
}

TEST_CASE("a GPU's file may bring its capability's along") {
  const Scratch scratch;
  scratch.write("capability/sm_90.textproto",
                replaced(shipped("capability/sm_90"), "max_blocks_per_sm: 32", "max_blocks_per_sm: 31"));
  scratch.write("gpus/h200.textproto", shipped("gpus/h200"));
  CHECK(load("h200").limits().max_blocks_per_sm() == 32);
  CHECK(load("h200", scratch.options()).limits().max_blocks_per_sm() == 31);
}

TEST_CASE("search directories come before HEDDLE_CONFIGS, and that before the shipped files") {
  const Scratch first;
  const Scratch second;
  first.write("gpus/mine.textproto",
              replaced(replaced(shipped("gpus/h200"), "\"h200\"", "\"mine\""), "SXM", "one"));
  second.write("gpus/mine.textproto",
               replaced(replaced(shipped("gpus/h200"), "\"h200\"", "\"mine\""), "SXM", "two"));
  setenv("HEDDLE_CONFIGS", (":" + second.path().string() + ":").c_str(), 1);
  CHECK(load("mine").product() == "NVIDIA H200 two 141GB");
  CHECK(load("mine", first.options()).product() == "NVIDIA H200 one 141GB");
  CHECK(load("h200", first.options()).product() == "NVIDIA H200 SXM 141GB");
  unsetenv("HEDDLE_CONFIGS");
  const auto names = gpu_names(first.options());
  CHECK(std::find(names.begin(), names.end(), "mine") != names.end());
  CHECK(std::find(names.begin(), names.end(), "h200") != names.end());
}

// Restores the current folder.
class Folder {
 public:
  explicit Folder(const std::filesystem::path& to) : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(to);
  }
  ~Folder() { std::filesystem::current_path(before_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

 private:
  const std::filesystem::path before_;
};

TEST_CASE("a name of any length makes no long message") {
  try {
    load(std::string(3'000'000, 'x'));
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(std::string(e.what()).size() < 2000);
    CHECK(std::string(e.what()).find("legal names: ") != std::string::npos);
  }
}

TEST_CASE("what lies in ./configs by chance stands in for no shipped file") {
  const Scratch scratch;
  for (const char* name : {"h200", "mine"}) {
    scratch.write(std::string("configs/gpus/") + name + ".textproto",
                  replaced(replaced(shipped("gpus/h200"), "\"h200\"", "\"" + std::string(name) + "\""), "SXM",
                           "of the folder"));
  }
  LoadOptions given;  // as the Python package says where Heddle's files are
  given.shipped = {std::filesystem::absolute("configs")};
  const Folder folder(scratch.path());
  for (const LoadOptions& o : {LoadOptions(), given}) {
    CHECK(load("h200", o).product() == "NVIDIA H200 SXM 141GB");
    CHECK(gpu_file("h200", o).shipped);
    CHECK(load("mine", o).product() == "NVIDIA H200 of the folder 141GB");
    CHECK(gpu_file("mine", o).path == "configs/gpus/mine.textproto");
    CHECK_FALSE(gpu_file("mine", o).shipped);
    CHECK(load("configs/gpus/h200.textproto", o).product() == "NVIDIA H200 of the folder 141GB");
  }
}

TEST_CASE("overrides: numbers, enumerators, booleans, text, lists, tables") {
  const GpuConfig c = load("h200", overrides({
                                       "l2.ways = 10",
                                       "clocks.core_mhz=1755.5",
                                       "dram.model=ROOFLINE",
                                       "tlb.enabled=false",
                                       "name=\"tuned\"",
                                       "topology.tpcs_per_gpc=[9, 9, 9, 9, 8, 8, 7, 7]",
                                       "sm.op[fp32].latency=6",
                                       "sm.op[fp32].interval=3",
                                       "sm.pipe[xu].interval=4",
                                       "sm.pipe[fp16].interval=2",
                                       "seed=0",
                                   }));
  CHECK(c.l2().ways() == 10);
  CHECK(c.clocks().core_mhz() == 1755.5);
  CHECK(c.dram().model() == Dram::ROOFLINE);
  CHECK_FALSE(c.tlb().enabled());
  CHECK(c.name() == "tuned");
  CHECK(c.topology().tpcs_per_gpc_size() == 8);
  CHECK(c.topology().tpcs_per_gpc(7) == 7);
  CHECK(find_op(c, "fp32")->latency() == 6);
  CHECK(find_op(c, "fp32")->interval() == 3);
  CHECK(find_op(c, "fp32")->pipe() == "fma");
  CHECK(find_pipe(c, "xu")->interval() == 4);
  CHECK(find_pipe(c, "fp16")->interval() == 2);
  CHECK(c.has_seed());
}

TEST_CASE("overrides: sizes in KiB, MiB, GiB") {
  const GpuConfig c = load("h200", overrides({"l2.total_bytes=120MiB", "l2.ways=40",
                                              "sm.fetch.l0_bytes=16KiB", "dram.total_bytes=1GiB"}));
  CHECK(c.l2().total_bytes() == 120ull << 20);
  CHECK(c.sm().fetch().l0_bytes() == 16384);
  CHECK(c.dram().total_bytes() == 1ull << 30);
}

TEST_CASE("overrides: the last one wins, and they come after the preset") {
  LoadOptions o = overrides({"l2.far_latency=1", "l2.far_latency=2", "share.sms=16"});
  o.fidelity = "fast";
  const GpuConfig c = load("h200", o);
  CHECK(c.l2().far_latency() == 2);
  CHECK(c.share().sms() == 16);
}

TEST_CASE("set() leaves the configuration alone when it fails") {
  GpuConfig c = load("h200");
  const std::string before = hash(c);
  CHECK_THROWS_AS(set(c, "sm.pipe[fp16].interval=many"), Error);
  CHECK(hash(c) == before);
  set(c, "l2.far_latency=5");
  CHECK(c.l2().far_latency() == 5);
  CHECK(hash(c) != before);
}

TEST_CASE("a preset may be a file of the user's") {
  const Scratch scratch;
  const auto path = scratch.write("mine.textproto", "l2 { hash: MODULO }");
  CHECK(load("h200", fidelity(path)).l2().hash() == L2::MODULO);
  scratch.write("fidelity/odd.textproto", "l2 { hash: MODULO }");
  LoadOptions o = scratch.options();
  o.fidelity = "odd";
  CHECK(load("h200", o).l2().hash() == L2::MODULO);
}

TEST_CASE("a value never inherits the provenance of the one it replaces") {
  const Scratch scratch;
  const auto path = scratch.write(
      "gpus/mine.textproto", h200_with("sm { l1 { hit_latency_32: 20 ways: 8 } }\n"
                                       "provenance { path: \"sm.l1\" kind: PUBLISHED source: \"a paper\" }\n"
                                       "limits { max_blocks_per_sm: 16 }\n"));
  const GpuConfig c = load(path);
  // The capability's file has an entry of exactly this path.
  CHECK(provenance_of(c, "sm.l1.hit_latency_32")->source() == "a paper");
  CHECK(provenance_of(c, "sm.l1.ways")->source() == "a paper");
  CHECK(provenance_of(c, "sm.l1.hit_latency_64")->source() ==
        provenance_of(load("h200"), "sm.l1.hit_latency_64")->source());
  // No entry of its own file: no evidence.
  CHECK(provenance_of(c, "limits.max_blocks_per_sm")->kind() == Provenance::ASSUMED);
  CHECK(provenance_of(c, "limits.max_blocks_per_sm")->source().find("no source given in") == 0);
  CHECK(provenance_of(c, "limits.max_warps_per_sm")->kind() == Provenance::DOCUMENTED);
  const auto problems = check(path);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].find("limits.max_blocks_per_sm: no provenance entry of the same file covers it") !=
        std::string::npos);
}

TEST_CASE("an override's provenance is the command line") {
  const GpuConfig c = load("h200", overrides({"l2.ways=10", "sm.op[fp32].latency=6"}));
  CHECK(provenance_of(c, "l2.ways")->source() == "--set");
  CHECK(provenance_of(c, "l2.ways")->kind() == Provenance::ASSUMED);
  CHECK(provenance_of(c, "sm.op[fp32].latency")->source() == "--set");
  CHECK(provenance_of(c, "sm.op[fp32].pipe")->source() != "--set");
}

TEST_CASE("the provenance of a table's fields: [*] covers all names, an own entry is stronger") {
  const Scratch scratch;
  const auto path = scratch.write("gpus/mine.textproto", h200_with(R"(
sm {
  pipe { pipe: "alu" interval: 3 shared_by_sm: true }
  pipe { pipe: "xu" interval: 9 }
}
provenance { path: "sm" kind: ASSUMED source: "s" }
provenance { path: "sm.pipe[*].interval" kind: PUBLISHED source: "star" }
provenance { path: "sm.pipe[xu].interval" kind: MEASURED source: "own" }
provenance { path: "sm.pipe[alu]" kind: DERIVED source: "entry" }
)"));
  const GpuConfig c = load(path);
  CHECK(provenance_of(c, "sm.pipe[alu].interval")->source() == "star");
  CHECK(provenance_of(c, "sm.pipe[xu].interval")->source() == "own");
  CHECK(provenance_of(c, "sm.pipe[alu].shared_by_sm")->source() == "entry");
}

}  // namespace
}  // namespace heddle::config
