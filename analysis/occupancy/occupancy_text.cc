#include "analysis/occupancy/occupancy_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/format.h"
#include "analysis/report/svg.h"
#include "analysis/report/table.h"
#include "sim/device/occupancy.h"

namespace heddle::analysis {
namespace {

using Align = TextTable::Align;

const char* title(Resource r) {
  return r == Resource::kBlock       ? "threads per block"
         : r == Resource::kRegisters ? "registers per thread"
                                     : "shared bytes per block";
}

std::string line(const std::string& name, const std::string& value) {
  return fmt::format("  {:<22}{}\n", name, value);
}

std::string residency_words(const Residency& r) {
  return r.blocks ? fmt::format("{} blocks, {} warps, {:.1f} %", r.blocks, r.warps, r.percent)
                  : "does not fit";
}

std::string less_table(const config::GpuConfig& gpu, const BlockNeeds& needs) {
  TextTable t({{"less of", Align::kLeft},
               {"now"},
               {"one step less"},
               {"gives", Align::kLeft},
               {"more warps from"},
               {"gives", Align::kLeft}});
  for (const LessOfResource& l : less_of_each(gpu, needs)) {
    t.add({title(l.resource), grouped(value_of(needs, l.resource)), l.possible ? grouped(l.step.value) : "-",
           l.possible ? residency_words(l.step) : "", l.gains ? grouped(l.gain.value) : "-",
           l.gains ? residency_words(l.gain) : ""});
  }
  return t.str();
}

}  // namespace

std::string occupancy_text(const config::GpuConfig& gpu, const BlockNeeds& needs) {
  const stats::Occupancy o = device::occupancy(gpu, launch_shape(needs));
  const config::Limits& lim = gpu.limits();
  const Residency r = residency(gpu, needs);
  std::string out = fmt::format(
      "{}: {} threads per block, {} registers per thread, {} + {} bytes of shared memory\n", gpu.name(),
      needs.threads, needs.registers, grouped(needs.static_shared), grouped(needs.dynamic_shared));
  out += line("blocks per SM", fmt::format("{}", r.blocks));
  out += line("warps per SM", fmt::format("{} of {}, {:.1f} %", r.warps, lim.max_warps_per_sm(), r.percent));
  out += line("limited by", r.limiter);
  out +=
      line("shared memory", fmt::format("{} bytes a block with what is reserved, of a carve-out of {}",
                                        grouped(o.shared_bytes_per_block), grouped(o.shared_carveout_bytes)));
  out += line("L1", grouped(o.l1_bytes) + " bytes");
  if (needs.cluster > 1) {
    out +=
        line("clusters", fmt::format("{} of {} blocks on the device at once",
                                     active_clusters(gpc_sms(gpu), r.blocks, needs.cluster), needs.cluster));
  }
  out += "limits, blocks per SM\n";
  out += line("warps", fmt::format("{}", o.limit_warps));
  out += line("registers", fmt::format("{}", o.limit_registers));
  out += line("shared", fmt::format("{}", o.limit_shared));
  out += line("blocks", fmt::format("{}", o.limit_blocks));
  return out + "\n" + less_table(gpu, needs);
}

std::string curve_text(const config::GpuConfig& gpu, const BlockNeeds& needs, Resource r) {
  std::vector<Residency> points = curve(gpu, needs, r);
  if (r != Resource::kBlock) {
    points = plateaus(points);
  }
  TextTable t({{r == Resource::kBlock ? title(r) : std::string("up to ") + title(r)},
               {"blocks"},
               {"warps"},
               {"occupancy"},
               {"limited by", Align::kLeft}});
  for (const Residency& p : points) {
    t.add({grouped(p.value), fmt::format("{}", p.blocks), fmt::format("{}", p.warps),
           fmt::format("{:.1f} %", p.percent), p.blocks ? p.limiter : "does not fit"});
  }
  return t.str();
}

std::string curve_svg(const config::GpuConfig& gpu, const BlockNeeds& needs, Resource r) {
  constexpr double kLeft = 60, kTop = 40, kWidth = 640, kHeight = 320;
  constexpr const char *kAxis = "#d8dee4", *kCurve = "#1d4ed8", *kMark = "#c2410c";
  const std::vector<Residency> points = curve(gpu, needs, r);
  const double end = points.back().value, top = gpu.limits().max_warps_per_sm();
  const auto x = [&](double v) { return kLeft + kWidth * v / end; };
  const auto y = [&](double v) { return kTop + kHeight * (1 - v / top); };
  Svg svg(kLeft + kWidth + 30, kTop + kHeight + 60);
  svg.text(kLeft, 24, fmt::format("{}: resident warps per SM by {}", gpu.name(), title(r)), 14);
  for (int i = 0; i <= 4; ++i) {
    svg.line(kLeft, y(top * i / 4), kLeft + kWidth, y(top * i / 4), kAxis);
    svg.text(kLeft - 8, y(top * i / 4) + 4, fmt::format("{:.0f}", top * i / 4), 11, "end");
    svg.text(x(end * i / 4), kTop + kHeight + 18, grouped(static_cast<uint64_t>(end * i / 4)), 11, "middle");
  }
  svg.text(kLeft + kWidth / 2, kTop + kHeight + 42, title(r), 12, "middle");
  double from = 0, last = points.front().warps;
  for (const Residency& p : points) {
    // A point stands for all amounts above the one before it: those are rounded up to it.
    svg.line(x(from), y(last), x(from), y(p.warps), kCurve, 2);
    svg.line(x(from), y(p.warps), x(p.value), y(p.warps), kCurve, 2);
    from = p.value;
    last = p.warps;
  }
  const Residency here = residency(gpu, needs, r);
  svg.line(x(here.value), kTop, x(here.value), kTop + kHeight, kMark);
  const bool at_the_right = here.value > end * 3 / 4;
  svg.text(x(here.value) + (at_the_right ? -5 : 5), kTop + 12,
           fmt::format("{}: {} warps", grouped(here.value), here.warps), 11, at_the_right ? "end" : "start",
           kMark);
  return svg.str();
}

std::string suggestion_text(const config::GpuConfig& gpu, const BlockNeeds& needs) {
  const Residency best = best_block(gpu, needs);
  std::string sizes;
  for (const Residency& p : curve(gpu, needs, Resource::kBlock)) {
    sizes += p.warps == best.warps ? fmt::format("{}{}", sizes.empty() ? "" : ", ", p.value) : "";
  }
  return fmt::format("{}: {} registers per thread, {} + {} bytes of shared memory\n", gpu.name(),
                     needs.registers, grouped(needs.static_shared), grouped(needs.dynamic_shared)) +
         line("best block", fmt::format("{} threads: {}", best.value, residency_words(best))) +
         line("limited by", best.limiter) +
         line("fills the GPU", fmt::format("{} blocks", uint64_t{best.blocks} * gpu.topology().sms())) +
         line("as many warps with", sizes);
}

}  // namespace heddle::analysis
