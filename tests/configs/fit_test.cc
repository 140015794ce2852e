// heddle config fit: what follows from a few published figures, by hand.
#include "configs/fit/fit.h"

#include <catch2/catch.hpp>

#include "configs/loader/config.h"
#include "sim/base/error.h"

namespace heddle::config {
namespace {

using Catch::Matchers::Contains;

Figures rtx3050() {
  Figures f;
  f.name = "rtx3050";
  f.product = "NVIDIA GeForce RTX 3050 8GB";
  f.capability = "sm_86";
  f.source = "NVIDIA's product page";
  f.sms = 20;
  f.core_mhz = 1777;
  f.dram_gb_per_s = 224;
  f.memory_gib = 8;
  f.l2_mib = 2;
  return f;
}

const FittedValue* value(const Fit& f, const std::string& path) {
  for (const FittedValue& v : f.values) {
    if (v.path == path) {
      return &v;
    }
  }
  return nullptr;
}

TEST_CASE("a GPU that is not shipped, of its data sheet") {
  const Fit f = fit(rtx3050());
  CHECK(f.base == "rtx3060");  // 28 SMs; the others of sm_86 have 72 and more
  const GpuConfig& c = f.config;
  CHECK(check(c).empty());
  CHECK(c.name() == "rtx3050");
  CHECK(c.topology().sms() == 20);
  // 10 TPCs in GPCs of at most 5.
  CHECK(std::vector<uint32_t>(c.topology().tpcs_per_gpc().begin(), c.topology().tpcs_per_gpc().end()) ==
        std::vector<uint32_t>{5, 5});
  // 224 GB/s are 7.5 of the base's channels of 30 GB/s: 8, since 2 MiB on 2 x 8 slices of 16 ways are 64
  // whole sets.
  CHECK(c.dram().channels() == 8);
  CHECK(c.clocks().dram_mhz() == Approx(1750));
  CHECK(c.dram().channels() * c.dram().bytes_per_cycle() * c.clocks().dram_mhz() == Approx(224e3));
  CHECK(c.dram().t_rcd() == 22);  // 24 x 1750 / 1875
  CHECK(c.l2().slices() == 16);
  CHECK(c.l2().total_bytes() == 2 << 20);
  CHECK(c.l2().max_persisting_bytes() == 1769472 * 8 / 9);  // of 2.25 MiB
  CHECK(c.dram().total_bytes() == uint64_t{8} << 30);
  CHECK(value(f, "topology.sms")->kind == Provenance::PUBLISHED);
  CHECK(value(f, "topology.sms")->source == "NVIDIA's product page");
  CHECK(value(f, "clocks.dram_mhz")->kind == Provenance::DERIVED);
  CHECK(value(f, "topology.tpcs_per_gpc")->kind == Provenance::ASSUMED);
}

TEST_CASE("what nobody said is assumed and named, what the capability says is not") {
  const Fit f = fit(rtx3050());
  CHECK(provenance_of(f.config, "noc.request_latency")->kind() == Provenance::ASSUMED);
  CHECK_THAT(provenance_of(f.config, "noc.request_latency")->source(), Contains("as rtx3060 ("));
  CHECK(provenance_of(f.config, "limits.max_warps_per_sm")->kind() == Provenance::DOCUMENTED);
  CHECK(without_provenance(f.config).empty());
  std::string notes;
  for (const std::string& n : f.notes) {
    notes += n + "\n";
  }
  CHECK_THAT(
      notes,
      Contains("--gpcs is not given: 2 GPCs of up to 5 TPCs are assumed") &&
          Contains("--l2-latency is not given: a hit takes about 236 cycles, as rtx3060") &&
          Contains("--dram-latency is not given: an access to DRAM takes about 499 cycles, as rtx3060"));
  CHECK_THAT(notes, !Contains("--sms"));
}

TEST_CASE("latencies are divided among the parts of the way") {
  Figures figures = rtx3050();
  figures.l2_latency = 250;
  figures.dram_latency = 600;
  const Fit f = fit(figures);
  // 250 less 8, an L1 miss of 30 and the slice's 60, half each way.
  CHECK(f.config.noc().request_latency() == 76);
  CHECK(f.config.noc().response_latency() == 76);
  // 600 less 250, 3, and tRCD and tCL of 22 cycles at 1750 of the core's 1777 MHz.
  CHECK(f.config.dram().latency() == 302);
  CHECK(value(f, "dram.latency")->kind == Provenance::DERIVED);
}

TEST_CASE("a shipped GPU again from its own figures") {
  for (const char* name : {"rtx3060", "a30", "h200", "v100", "rtx4060", "b200"}) {
    const GpuConfig own = load(name);
    Figures f;
    f.name = "again";
    f.capability = own.capability();
    f.base = name;
    f.sms = own.topology().sms();
    f.gpcs = static_cast<uint32_t>(own.topology().tpcs_per_gpc_size());
    f.core_mhz = own.clocks().core_mhz();
    f.dram_gb_per_s = own.dram().channels() * own.dram().bytes_per_cycle() * own.clocks().dram_mhz() / 1e3;
    f.memory_gib = static_cast<double>(own.dram().total_bytes()) / (1 << 30);
    f.l2_mib = static_cast<double>(own.l2().total_bytes()) / (1 << 20);
    const Fit again = fit(f);
    for (const Difference& d : diff(again.config, own)) {
      CAPTURE(name, d.path, d.a, d.b);
      // The order of the GPCs is not known, and clocks have six digits.
      CHECK((d.path == "name" || d.path == "product" || d.path == "topology.tpcs_per_gpc" ||
             (d.path == "clocks.dram_mhz" &&
              again.config.clocks().dram_mhz() == Approx(own.clocks().dram_mhz()))));
    }
  }
}

TEST_CASE("a size without whole sets is adapted, and said to be") {
  Figures f = rtx3050();
  f.l2_mib = 2.11;
  const Fit odd = fit(f);
  CHECK(check(odd.config).empty());
  CHECK_THAT(odd.notes.back() + odd.notes.front(), Contains("--"));
  bool said = false;
  for (const std::string& n : odd.notes) {
    said |= n.find("no whole number of sets") != std::string::npos;
  }
  CHECK(said);
}

TEST_CASE("figures that make no GPU name themselves") {
  Figures f = rtx3050();
  f.capability = "sm_99";
  CHECK_THROWS_WITH(fit(f), Contains("--capability sm_99: no GPU of it is shipped") && Contains("sm_86"));
  f = rtx3050();
  f.sms = 21;
  CHECK_THROWS_WITH(fit(f), Contains("--sms 21") && Contains("multiples of 2"));
  f = rtx3050();
  f.gpcs = 11;
  CHECK_THROWS_WITH(fit(f), Contains("--gpcs 11: 20 SMs are 10 TPCs; legal values: 1 to 10"));
  f = rtx3050();
  f.l2_latency = 90;
  CHECK_THROWS_WITH(fit(f), Contains("--l2-latency 90") && Contains("100 or more"));
  f = rtx3050();
  f.dram_latency = 240;
  CHECK_THROWS_WITH(fit(f), Contains("--dram-latency 240: less than"));
  f = rtx3050();
  f.base = "h200";
  CHECK_THROWS_WITH(fit(f), "--base h200: is of sm_90, not of sm_86");
  f = rtx3050();
  f.name.clear();
  CHECK_THROWS_WITH(fit(f), Contains("--name"));
}

}  // namespace
}  // namespace heddle::config
