// Any text is either a sweep or one Error that names the file. A sweep has as many points as it says, reads
// back from its own text as the same, and what its points set are overrides or one Error each.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/sweep/design.h"
#include "analysis/sweep/sweep_file.h"
#include "configs/loader/config.h"
#include "sim/base/error.h"

namespace {

constexpr size_t kExpanded = 2000;  // points
constexpr size_t kApplied = 16;

void require(bool good) {
  if (!good) {
    __builtin_trap();
  }
}

void apply(const heddle::sweep::Point& point) {
  heddle::config::GpuConfig config;
  for (const std::string& setting : point.set) {
    try {
      heddle::config::set(config, setting);
    } catch (const heddle::Error& error) {
      require(std::string_view(error.what()).starts_with("--set "));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heddle;
  sweep::Sweep s;
  try {
    s = sweep::parse_sweep({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const Error& error) {
    require(std::string_view(error.what()).starts_with("fuzz:"));
    return 0;
  }
  const std::string text = sweep::to_text(s);
  require(sweep::to_text(sweep::parse_sweep(text, "again")) == text);
  const size_t count = sweep::count_points(s);
  if (count > kExpanded) {
    return 0;
  }
  const std::vector<sweep::Point> points = sweep::design_points(s);
  require(points.size() == count);
  for (size_t i = 0; i < points.size(); ++i) {
    require(points[i].values.size() == static_cast<size_t>(s.axis_size()));
    if (i < kApplied) {
      apply(points[i]);
    }
  }
  return 0;
}
