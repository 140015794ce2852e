// The table of ablations, and that every entry is a configuration of its own on every shipped GPU.
#include <catch2/catch.hpp>
#include <map>

#include "configs/loader/config.h"
#include "configs/loader/text.h"
#include "tests/configs/scratch.h"

namespace heddle::config {
namespace {

TEST_CASE("each shipped ablation changes the H200 to a different legal machine") {
  std::map<std::string, std::string> by_hash = {{hash(load("h200")), "default"}};
  for (const Ablation& a : ablations()) {
    INFO(a.name());
    const GpuConfig c = load("h200", overrides({a.set().begin(), a.set().end()}));
    const auto [it, is_new] = by_hash.emplace(hash(c), a.name());
    INFO("same as " << it->second);
    CHECK(is_new);
  }
  CHECK(by_hash.size() > 20);
}

TEST_CASE("shipped ablations are legal on the other GPUs") {
  for (const std::string& gpu : gpu_names()) {
    for (const Ablation& a : ablations()) {
      INFO(gpu << ": " << a.name());
      CHECK_NOTHROW(load(gpu, overrides({a.set().begin(), a.set().end()})));
    }
  }
}

TEST_CASE("a directory's own table comes first") {
  const Scratch scratch;
  scratch.write("gpus/none.textproto", "");
  scratch.write("ablations.textproto", "ablation { name: 'a' instead: 'b' set: 'l2.ways=16' }");
  const std::vector<Ablation> table = ablations(scratch.options());
  REQUIRE(table.size() == 1);
  CHECK(table[0].name() == "a");
  CHECK(table[0].set(0) == "l2.ways=16");
}

TEST_CASE("bad tables") {
  CHECK_THROWS_WITH(parse_ablations("ablation { nme: 'a' }", "t"),
                    Catch::Matchers::StartsWith("t:1:") && Catch::Matchers::Contains("nme"));
  CHECK_THROWS_WITH(parse_ablations("ablation { name: 'a' instead: 'b' }", "t"),
                    "t: ablation \"a\": needs `name`, `instead` and `set`");
  const std::string one = "ablation { name: 'a' instead: 'b' set: 'x=1' }";
  CHECK_THROWS_WITH(parse_ablations(one + one, "t"),
                    "t: ablation \"a\" is given twice; legal: one entry per name");
}

}  // namespace
}  // namespace heddle::config
