// Printing, comparing and identifying configurations.
#include <catch2/catch.hpp>
#include <map>

#include "configs/loader/config.h"
#include "configs/loader/field_info.h"
#include "tests/configs/scratch.h"

namespace heddle::config {
namespace {

TEST_CASE("the text of a configuration loads to the same configuration") {
  for (const std::string& gpu : gpu_names()) {
    for (const bool annotate : {true, false}) {
      const Scratch scratch;
      const GpuConfig c = load(gpu, overrides({"l2.far_latency=7", "sm.op[fp32].interval=5"}));
      ShowOptions show;
      show.annotate = annotate;
      const GpuConfig again = load(scratch.write("resolved.textproto", to_text(c, show)));
      CAPTURE(gpu, annotate);
      CHECK(hash(again) == hash(c));
      CHECK(diff(again, c).empty());
      for (const char* path : {"l2.far_latency", "sm.op[fp32].interval", "dram.latency", "sm.op[alu].pipe"}) {
        CHECK(provenance_of(again, path)->source() == provenance_of(c, path)->source());
      }
      CHECK(provenance_summary(again) == provenance_summary(c));
    }
  }
}

// Found by fuzz_merged: a quotation mark behind a NUL was printed as the end of the name.
TEST_CASE("names are printed so that they are read again, whatever they hold") {
  using namespace std::string_literals;
  const std::string odd = "H200\0\x01\n\x7f \"best\" \\ \u00e9"s;
  const Scratch scratch;
  const GpuConfig c = load("h200", overrides({"product=" + odd}));
  const std::string text = to_text(c);
  CHECK(text.find("product: \"H200\\000\\001\\012\\177 \\\"best\\\" \\\\ \u00e9\"") != std::string::npos);
  CHECK(load(scratch.write("odd.textproto", text)).product() == odd);
}

TEST_CASE("annotations give unit and provenance") {
  const GpuConfig c = load("h200");
  ShowOptions show;
  show.under = "l2";
  const std::string text = to_text(c, show);
  CHECK(text.find("l2 {\n") == 0);
  CHECK(text.find(
            "  total_bytes: 62914560                 # bytes; MEASURED, hw/h200/hostbench.csv l2_bytes\n") !=
        std::string::npos);
  CHECK(text.find("dram") == std::string::npos);

  show.annotate = false;
  CHECK(to_text(c, show).find('#') == std::string::npos);
}

TEST_CASE("one field, one table entry") {
  const GpuConfig c = load("h200");
  ShowOptions show;
  show.annotate = false;
  show.under = "sm.op[fp32]";
  CHECK(to_text(c, show) == "sm {\n  op { op: \"fp32\" pipe: \"fma\" latency: 4 }\n}\n");
  show.flat = true;
  CHECK(to_text(c, show) == "sm.op[fp32].pipe=\"fma\"\nsm.op[fp32].latency=4\n");
  show.under = "topology.sms";
  CHECK(to_text(c, show) == "topology.sms=132\n");
  show.under = "topology.smss";
  CHECK(error_of([&] { to_text(c, show); }).find("no field \"smss\" in topology; nearest: topology.sms,") !=
        std::string::npos);
}

TEST_CASE("flat lines are overrides that rebuild the configuration") {
  const GpuConfig c = load("a100");
  ShowOptions show;
  show.annotate = false;
  show.flat = true;
  std::stringstream lines(to_text(c, show));
  // sm_86 and sm_80 have different pipes; what the other lacks is added, what it has more stays.
  GpuConfig other = load("h200");
  for (std::string line; std::getline(lines, line);) {
    set(other, line);
  }
  for (const Difference& d : diff(other, c)) {
    CAPTURE(d.path, d.a, d.b);
    CHECK(d.b.empty());
    CHECK(
        (d.path.starts_with("sm.pipe[") || d.path.ends_with("].interval") || d.path.ends_with("].latency") ||
         d.path.ends_with("].counted_pipe") || d.path.ends_with("].extra_stall") ||
         // Measured for the H200 only.
         d.path.starts_with("launch.") || d.path == "sm.fetch.launch_latency" ||
         d.path == "sm.fetch.launch_lines" || d.path.starts_with("sm.fetch.launch_line_") ||
         d.path == "sm.fetch.l1_prefetch_lines" || d.path.starts_with("sm.constants.launch_code_") ||
         d.path.starts_with("sm.constants.gcc_") || d.path == "l2.max_dirty_bytes" ||
         d.path.starts_with("l2.dirty_") || d.path.starts_with("l2.scarce_") || d.path == "dram.t_rfc" ||
         d.path == "dram.t_refi" || d.path == "topology.singleton_tpcs" ||
         d.path == "l2.lowered_write_batch" || d.path == "noc.merge_sms" || d.path == "noc.distance_spread"));
  }
}

TEST_CASE("diff lists the paths that differ, with both values") {
  const GpuConfig a = load("h200");
  const GpuConfig b = load("h200", overrides({"l2.ways=10", "sm.op[fp32].interval=3", "dram.model=ROOFLINE",
                                              "topology.tpcs_per_gpc=[9,9,9,9,8,8,7,7]"}));
  const auto differences = diff(a, b);
  REQUIRE(differences.size() == 4);
  CHECK(differences[0].path == "dram.model");
  CHECK(differences[0].a == "BANKS");
  CHECK(differences[0].b == "ROOFLINE");
  CHECK(differences[1].path == "l2.ways");
  CHECK(differences[1].a == "20");
  CHECK(differences[1].b == "10");
  CHECK(differences[2].path == "sm.op[fp32].interval");
  CHECK(differences[2].a.empty());
  CHECK(differences[2].b == "3");
  CHECK(differences[3].path == "topology.tpcs_per_gpc");
  CHECK(differences[3].b == "[9, 9, 9, 9, 8, 8, 7, 7]");
  CHECK(diff(a, a).empty());
}

TEST_CASE("the hash is of values only") {
  const GpuConfig c = load("h200");
  const std::string h = hash(c);
  CHECK(h.size() == 16);
  CHECK(h.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(hash(load("h200")) == h);

  GpuConfig other = c;
  other.clear_provenance();
  CHECK(hash(other) == h);
  // The order of entries.
  other.mutable_sm()->mutable_op()->SwapElements(0, 5);
  other.mutable_sm()->mutable_pipe()->SwapElements(0, 3);
  CHECK(hash(other) == h);
  // An optional field left at its default.
  other.set_seed(0);
  other.mutable_sm()->mutable_pipe(0)->set_shared_by_sm(false);
  CHECK(hash(other) == h);

  other.set_seed(1);
  CHECK(hash(other) != h);
  CHECK(hash(load("h200", overrides({"l2.far_latency=88"}))) != h);
  CHECK(hash(load("a100")) != h);
}

TEST_CASE("the hash of a given configuration never changes") {
  GpuConfig c;
  c.set_name("x");
  c.mutable_l2()->set_ways(16);
  c.mutable_clocks()->set_core_mhz(1218.75);
  c.mutable_sm()->mutable_l1()->add_carveout_bytes(0);
  c.mutable_sm()->mutable_l1()->add_carveout_bytes(8192);
  auto* op = c.mutable_sm()->add_op();
  op->set_op("fp32");
  op->set_latency(4);
  // FNV-1a of: clocks.core_mhz=1218.75 l2.ways=16 name="x" sm.l1.carveout_bytes=[0, 8192]
  // sm.op[fp32].latency=4 sm.op[fp32].op="fp32", a line each.
  CHECK(hash(c) == "8e244fc608b60503");
}

TEST_CASE("the numbers of a kind are single and have their entry") {
  GpuConfig c;
  c.set_name("x");
  c.mutable_l2()->set_ways(16);
  c.mutable_l2()->set_hash(L2::XOR_FOLD);
  c.mutable_clocks()->set_core_mhz(1218.75);
  c.mutable_tlb()->set_enabled(true);
  c.mutable_topology()->add_tpcs_per_gpc(8);
  auto* op = c.mutable_sm()->add_op();
  op->set_op("fp32");
  op->set_latency(4);
  const auto cover = [&c](const char* path, Provenance::Kind kind) {
    Provenance* p = c.add_provenance();
    p->set_path(path);
    p->set_kind(kind);
  };
  for (const char* path : {"clocks", "l2", "tlb", "topology", "sm.op[*]"}) {
    cover(path, Provenance::ASSUMED);
  }
  cover("clocks.core_mhz", Provenance::MEASURED);
  using Numbers = std::map<std::string, std::string>;
  CHECK(numbers_of_kind(c, Provenance::ASSUMED) == Numbers{{"l2.ways", "16"}, {"sm.op[fp32].latency", "4"}});
  CHECK(numbers_of_kind(c, Provenance::MEASURED) == Numbers{{"clocks.core_mhz", "1218.75"}});
  CHECK(numbers_of_kind(c, Provenance::FITTED).empty());
}

TEST_CASE("provenance: summary and coverage") {
  const GpuConfig c = load("h200");
  int total = 0;
  for (const auto& [kind, count] : provenance_summary(c)) {
    total += count;
  }
  ShowOptions show;
  show.flat = true;
  show.annotate = false;
  const std::string flat = to_text(c, show);
  // All but name, product and capability.
  CHECK(total == std::count(flat.begin(), flat.end(), '\n') - 3);
  CHECK(without_provenance(c).empty());

  GpuConfig bare;
  bare.mutable_l2()->set_ways(16);
  CHECK(without_provenance(bare) == std::vector<std::string>{"l2.ways"});
  CHECK_FALSE(provenance_of(bare, "l2.ways").has_value());
  Provenance* p = bare.add_provenance();
  p->set_path("l2.way");  // not a part of the path that ends at a name
  CHECK(without_provenance(bare).size() == 1);
  p->set_path("l2");
  CHECK(without_provenance(bare).empty());
}

}  // namespace
}  // namespace heddle::config
