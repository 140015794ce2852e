// Files that stand on others of their kind: `inherits` and `without`.
#include <catch2/catch.hpp>

#include "configs/loader/config.h"
#include "tests/configs/scratch.h"

namespace heddle::config {
namespace {

std::string capability(const std::string& limits, const std::string& more) {
  return "capability: \"sm_91\"\ninherits: \"sm_90\"\nlimits { compute_capability: 91 " + limits + " }\n" +
         "provenance { path: \"limits.compute_capability\" kind: MODEL source: \"its name\" }\n" + more;
}

// An H200 of the capability above.
std::string gpu() { return replaced(shipped("gpus/h200"), "capability: \"sm_90\"", "capability: \"sm_91\""); }

TEST_CASE("a capability says what differs from another") {
  const Scratch scratch;
  scratch.write("gpus/h200.textproto", gpu());
  scratch.write("capability/sm_91.textproto", capability("max_blocks_per_sm: 24", R"(
sm { op { op: "half" pipe: "fmaheavy" latency: 9 } }
provenance { path: "limits.max_blocks_per_sm" kind: DOCUMENTED source: "its guide" }
provenance { path: "sm.op[half]" kind: PUBLISHED source: "a paper" }
provenance { path: "sm.shared" kind: ASSUMED source: "as sm_90" }
)"));
  const GpuConfig base = load("h200");
  const GpuConfig c = load("h200", scratch.options());
  std::vector<std::string> paths;
  for (const Difference& d : diff(base, c)) {
    paths.push_back(d.path);
  }
  CHECK(paths == std::vector<std::string>{"capability", "limits.compute_capability",
                                          "limits.max_blocks_per_sm", "sm.op[half].counted_pipe",
                                          "sm.op[half].interval", "sm.op[half].latency", "sm.op[half].pipe"});
  CHECK(provenance_of(c, "limits.max_blocks_per_sm")->source() == "its guide");
  CHECK(provenance_of(c, "sm.op[half].latency")->source() == "a paper");
  // What it inherits keeps what it rests on, but where the file says otherwise.
  CHECK(provenance_of(c, "limits.max_warps_per_sm")->source() ==
        provenance_of(base, "limits.max_warps_per_sm")->source());
  CHECK(provenance_of(base, "sm.shared.banks")->source() != "as sm_90");
  CHECK(provenance_of(c, "sm.shared.banks")->source() == "as sm_90");
  CHECK(check("h200", scratch.options()).empty());
}

TEST_CASE("what a file sets needs an entry of its own, whatever its base has") {
  const Scratch scratch;
  scratch.write("gpus/h200.textproto", gpu());
  scratch.write("capability/sm_91.textproto", capability("max_blocks_per_sm: 24", ""));
  const auto problems = check("h200", scratch.options());
  CAPTURE(problems);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].find("limits.max_blocks_per_sm: no provenance entry of the same file covers it") !=
        std::string::npos);
}

TEST_CASE("values, groups and entries of the base are left out by path") {
  const Scratch scratch;
  scratch.write("gpus/h200.textproto", gpu());
  scratch.write("capability/sm_91.textproto",
                capability("", "sm { op { op: \"mufu_exp\" pipe: \"xu\" latency: 20 } }\n"));
  scratch.write("capability/sm_92.textproto",
                "capability: \"sm_92\"\ninherits: \"sm_91\"\nwithout: \"sm.fetch.launch_latency\"\n"
                "without: \"sm.op[mufu_exp]\"\nlimits { compute_capability: 92 }\n");
  scratch.write("gpus/next.textproto", replaced(replaced(gpu(), "sm_91", "sm_92"), "\"h200\"", "\"next\""));
  const GpuConfig base = load("h200", scratch.options());
  const GpuConfig c = load("next", scratch.options());
  REQUIRE(base.sm().fetch().launch_latency() > 0);
  CHECK_FALSE(c.sm().fetch().has_launch_latency());
  CHECK(c.sm().op_size() == base.sm().op_size() - 1);
}

TEST_CASE("a GPU stands on another, and what it does not take from that one is the capability's") {
  const Scratch scratch;
  scratch.write("gpus/near.textproto", R"(
name: "near"
inherits: "h100_pcie"
clocks { core_mhz: 1500 }
provenance { path: "clocks.core_mhz" kind: PUBLISHED source: "a data sheet" }
)");
  const GpuConfig base = load("h100_pcie");
  const GpuConfig c = load("near", scratch.options());
  CHECK(c.name() == "near");
  CHECK(c.product() == base.product());
  CHECK(c.capability() == "sm_90");
  CHECK(c.clocks().core_mhz() == 1500);
  CHECK(diff(base, c).size() == 2);
  CHECK(provenance_of(c, "clocks.l2_mhz")->source() == provenance_of(base, "clocks.l2_mhz")->source());

  // The NVL's link to other GPUs is its own; without it there is what the capability's file has.
  scratch.write("gpus/alone.textproto", "name: \"alone\"\ninherits: \"h100_nvl\"\nwithout: \"host.peer\"\n");
  CHECK(load("alone", scratch.options()).host().peer().links() == load("gh200").host().peer().links());
  CHECK(load("h100_nvl").host().peer().links() != load("gh200").host().peer().links());
}

TEST_CASE("bases of bases, in any folder of configurations") {
  const Scratch scratch;
  scratch.write("gpus/b.textproto", "name: \"b\"\ninherits: \"a\"\n");
  scratch.write("gpus/a.textproto", "name: \"a\"\ninherits: \"h200\"\nclocks { core_mhz: 1000 }\n");
  CHECK(load("b", scratch.options()).clocks().core_mhz() == 1000);
}

TEST_CASE("bases that there are not, that go round, and parts that nobody set") {
  const Scratch scratch;
  const auto error = [&scratch](const std::string& text) {
    return load_error(scratch.write("gpus/mine.textproto", "name: \"mine\"\n" + text), scratch.options());
  };
  CHECK(error("inherits: \"h2000\"\n")
            .find("mine.textproto: inherits: no such file for \"h2000\"; legal names: ") !=
        std::string::npos);
  CHECK(error("inherits: \"mine\"\n").find("\"mine\" stands on this file") != std::string::npos);
  scratch.write("gpus/other.textproto", "name: \"other\"\ninherits: \"mine\"\n");
  CHECK(error("inherits: \"other\"\n").find("other.textproto: inherits: \"mine\" stands on this file") !=
        std::string::npos);
  CHECK(error("inherits: \"h200\"\nwithout: \"l2.wayz\"\n")
            .find("without: \"l2.wayz\": no field \"wayz\" in l2") != std::string::npos);
  CHECK(error("inherits: \"h200\"\nwithout: \"share\"\n")
            .find("without: \"share\": \"h200\" does not set it; legal: what it sets") != std::string::npos);
  CHECK(
      error("without: \"l2\"\n").find("without: there is no `inherits` that it could take something from") !=
      std::string::npos);
  // A needed value that is taken away is missed like one that nobody wrote.
  CHECK(
      error("inherits: \"h200\"\nwithout: \"l2.ways\"\n").find("l2.ways: not set; legal values: 1 to 256") !=
      std::string::npos);
  CHECK(load_error("h200", overrides({"inherits=h100"})).find("no field \"inherits\"") != std::string::npos);
}

TEST_CASE("provenance entries are as few as tell the same, however the files say it") {
  const Scratch scratch;
  // The same values and evidence, once by a base and once in full.
  scratch.write("gpus/near.textproto", "name: \"near\"\ninherits: \"h200\"\n");
  scratch.write("full/gpus/near.textproto",
                replaced(shipped("gpus/h200"), "name: \"h200\"", "name: \"near\""));
  LoadOptions full = scratch.options();
  full.search = {scratch.path() / "full"};
  const GpuConfig a = load("near", scratch.options());
  CHECK(to_text(a) == to_text(load("near", full)));
  CHECK(a.provenance_size() < static_cast<int>(diff(a, GpuConfig()).size()));
}

}  // namespace
}  // namespace heddle::config
