// heddle occupancy: residency without a simulation.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/occupancy/occupancy_text.h"
#include "configs/loader/config.h"
#include "frontends/output/output_file.h"
#include "sim/base/error.h"
#include "tools/heddle/checks.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/console.h"
#include "tools/heddle/load_gpu.h"
#include "tools/heddle/options.h"

namespace heddle::cli {
namespace {

struct OccupancyOptions {
  std::string gpu;
  config::LoadOptions load;
  analysis::BlockNeeds needs;
  std::string carveout = "driver";
  std::string curve;
  bool suggest = false, force = false;
  std::filesystem::path svg;
};

int32_t carveout_percent(const std::string& text) {
  if (text == "driver" || text == "max") {
    return text == "max" ? 100 : -1;
  }
  size_t used = 0;
  int percent = -1;
  try {
    percent = std::stoi(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used != text.size() || percent < 0 || percent > 100) {
    throw Error(fmt::format("--carveout {}: driver, max or a percentage from 0 to 100", text));
  }
  return percent;
}

int occupancy(OccupancyOptions o) {
  using analysis::Resource;
  const std::map<std::string, Resource> axes = {
      {"block", Resource::kBlock}, {"regs", Resource::kRegisters}, {"smem", Resource::kShared}};
  o.needs.carveout_percent = carveout_percent(o.carveout);
  const config::GpuConfig gpu = load_gpu(o.gpu, o.load);
  if (!o.svg.empty() && o.curve.empty()) {
    throw Error("--svg is the picture of a curve: say which with --curve block|regs|smem");
  }
  if (o.suggest) {
    print(analysis::suggestion_text(gpu, o.needs));
  } else if (o.curve.empty()) {
    print(analysis::occupancy_text(gpu, o.needs));
  }
  if (!o.curve.empty()) {
    print(analysis::curve_text(gpu, o.needs, axes.at(o.curve)));
  }
  if (!o.svg.empty()) {
    output::write_file(o.svg, output::svg_picture(), replace(o.force),
                       analysis::curve_svg(gpu, o.needs, axes.at(o.curve)));
  }
  return 0;
}

}  // namespace

void add_occupancy(CLI::App& app, int& status) {
  auto o = std::make_shared<OccupancyOptions>();
  CLI::App* c = app.add_subcommand("occupancy", "blocks per SM, what limits them, the best block size");
  c->add_option("--gpu", o->gpu, "GPU: a name (heddle config list) or a configuration file")->required();
  c->add_option("--regs", o->needs.registers, "registers per thread, as the compiler reports them")
      ->required();
  c->add_option("--block", o->needs.threads, "threads per block")->capture_default_str();
  c->add_option("--smem", o->needs.static_shared, "static shared memory per block: bytes, or 48KiB")
      ->transform(size_value(true));
  c->add_option("--dynamic-smem", o->needs.dynamic_shared, "dynamic shared memory per block")
      ->transform(size_value(true));
  c->add_option("--cluster", o->needs.cluster, "blocks per cluster")
      ->check(at_least(1))
      ->capture_default_str();
  c->add_option(
       "--carveout", o->carveout,
       "shared memory of the SM: driver (its choice, as Nsight Compute sees it), max (as the CUDA occupancy "
       "functions assume), or the per cent that the program prefers")
      ->type_name("driver|max|PERCENT")
      ->capture_default_str();
  CLI::Option* curve =
      c->add_option("--curve", o->curve, "table over block sizes, registers or shared memory instead")
          ->check(CLI::IsMember({"block", "regs", "smem"}));
  c->add_option("--svg", o->svg, "the curve as a picture")->type_name("FILE.svg");
  c->add_flag("--suggest", o->suggest, "the block size with the most resident warps")->excludes(curve);
  add_force(*c, o->force);
  add_repeatable(*c, "--set", o->load.overrides, "override one value of the configuration; repeatable")
      ->type_name("PATH=VALUE");
  c->callback([o, &status] { status = occupancy(*o); });
}

}  // namespace heddle::cli
