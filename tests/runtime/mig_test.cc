// Instances of a GPU.
#include "tools/heddle/mig.h"

#include <catch2/catch.hpp>

#include "configs/loader/config.h"
#include "sim/base/error.h"

namespace heddle::cli {

TEST_CASE("MU12: an instance has its part of the SMs, the L2 and the memory, and nothing to set aside") {
  const config::GpuConfig h200 = config::load("h200");
  struct Row {
    const char* profile;
    uint32_t sms, eighths, engines;
  };
  for (const Row& r : {Row{"1g.18gb", 16, 1, 1}, Row{"2g.35gb", 32, 2, 2}, Row{"3g.71gb", 60, 4, 3},
                       Row{"4g.71gb", 64, 4, 3}, Row{"7g.141gb", 132, 8, 3}}) {
    INFO(r.profile);
    config::LoadOptions o;
    o.overrides = mig_overrides(h200, r.profile);
    const config::GpuConfig part = config::load("h200", o);
    CHECK(part.topology().sms() == r.sms);
    CHECK(part.l2().total_bytes() == uint64_t{7864320} * r.eighths);
    CHECK(part.l2().slices() == 12 * r.eighths);
    CHECK(part.dram().total_bytes() == uint64_t{18763750000} * r.eighths);
    CHECK(part.dram().channels() == 12 * r.eighths);
    CHECK(part.host().copy().engines() == r.engines);
    CHECK(part.l2().max_persisting_bytes() == 0);
    CHECK(part.host().l2().max_window_bytes() == 0);
  }
  CHECK_THROWS_WITH(
      mig_overrides(h200, "5g.90gb"),
      "--mig 5g.90gb: no profile of h200 (legal: 1g.18gb, 2g.35gb, 3g.71gb, 4g.71gb, 7g.141gb)");
  CHECK_THROWS_WITH(mig_overrides(config::load("a100"), "3g.20gb"),
                    "--mig 3g.20gb: the profiles of a100 are not known (legal: --gpu h100 or h200)");
}

}  // namespace heddle::cli
