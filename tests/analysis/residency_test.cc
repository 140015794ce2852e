// L2 residency control as its user writes it.
#include "analysis/run/residency.h"

#include <catch2/catch.hpp>

#include "configs/loader/config.h"
#include "sim/base/error.h"

namespace heddle::analysis {
namespace {

using memory::AccessProperty;

TEST_CASE("a window has five fields, three of them with defaults") {
  const memory::AccessWindow w = parse_window("0x7f0000000000,8MiB,0.5,streaming,normal");
  CHECK(w.base == 0x7f0000000000);
  CHECK(w.bytes == 8u << 20);
  CHECK(w.hit_ratio == 0.5);
  CHECK(w.hit == AccessProperty::kStreaming);
  CHECK(w.miss == AccessProperty::kNormal);
  const memory::AccessWindow d = parse_window("4096,128");
  CHECK(d.base == 4096);
  CHECK(d.bytes == 128);
  CHECK(d.hit_ratio == 1);
  CHECK(d.hit == AccessProperty::kPersisting);
  CHECK(d.miss == AccessProperty::kStreaming);
}

TEST_CASE("what is wrong with a window is named") {
  for (auto [text, what] : {std::pair{"4096", "1 fields"},
                            {"x,1", "BASE is \"x\""},
                            {"-1,1", "BASE is \"-1\""},
                            {"0,1MB", "BYTES is \"1MB\""},
                            {"0,99999999999GiB", "BYTES is"},
                            {"0,1,1.5", "RATIO is \"1.5\""},
                            {"0,1,nan", "RATIO is \"nan\""},
                            {"0,1,1,forever", "\"forever\" (legal: normal, streaming, persisting)"},
                            {"0,1,1,normal,normal,normal", "6 fields"}}) {
    CHECK_THROWS_WITH(parse_window(text), Catch::Contains(what) && Catch::Contains("legal"));
  }
}

TEST_CASE("the set-aside has a limit, and needs capability 8.0 (L203, L205)") {
  const config::GpuConfig h200 = config::load("h200");
  CHECK_NOTHROW(check({39321600, {}}, h200));
  CHECK_THROWS_WITH(check({39321601, {}}, h200), Catch::Contains("up to 39321600"));
  CHECK_NOTHROW(check({}, config::load("v100")));
  CHECK_THROWS_WITH(check({128, {}}, config::load("v100")), Catch::Contains("capability 7.0"));
}

TEST_CASE("a policy is told as the options that give it") {
  CHECK(describe({}).empty());
  const memory::L2Policy p{1000, parse_window("0x1000,2KiB,0.25")};
  CHECK(describe(p) ==
        std::vector<std::string>{"--l2-set-aside=1000", "--l2-window=0x1000,2048,0.25,persisting,streaming"});
}

}  // namespace
}  // namespace heddle::analysis
