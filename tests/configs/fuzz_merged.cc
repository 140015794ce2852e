// What users change of a shipped GPU: a partial file merged over it, as a fidelity preset is, and lines of
// `--set`. The input's part before a line "---" is the file, every line behind it an override; without that
// line all are overrides. Each is taken or is one Error that says whose it is and leaves the configuration as
// it was; whatever the checks accept survives being printed and read again.
#include <cstdint>
#include <cstdio>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "configs/loader/config.h"
#include "configs/loader/layers.h"
#include "configs/loader/text.h"
#include "sim/base/error.h"

namespace {

using heddle::config::Layers;

void require(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "%s\n", what);
    __builtin_trap();
  }
}

const Layers& shipped() {
  static const Layers layers = [] {
    const auto gpu = heddle::config::gpu_file("h200").path;
    Layers out;
    out.add(heddle::config::parse_file(gpu.parent_path().parent_path() / "capability" / "sm_90.textproto"));
    out.add(heddle::config::parse_file(gpu));
    return out;
  }();
  return layers;
}

// `layers` and its values as bytes: with every line of the input compared, and cheaper to keep than a copy.
struct Changed {
  Layers layers;
  std::string bytes;
};

// f(layers), which may fail with one line that begins with `place`.
template <typename F>
void change(Changed& changed, std::string_view place, const F& f) {
  bool failed = false;
  try {
    f(changed.layers);
  } catch (const heddle::Error& error) {
    failed = true;
    const std::string_view message = error.what();
    require(message.starts_with(place), "an error that does not say whose it is");
    require(message.find('\n') == std::string_view::npos, "an error of several lines");
  }
  std::string bytes = changed.layers.config().SerializeAsString();
  require(!failed || bytes == changed.bytes, "changed in spite of the error");
  changed.bytes = std::move(bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view kSeparator = "---\n";
  const size_t at = input.find(kSeparator);
  static const std::string unchanged = shipped().config().SerializeAsString();
  Changed changed{shipped(), unchanged};
  if (at != std::string::npos) {
    change(changed, "fuzz:", [&](Layers& l) {
      l.add(heddle::config::parse_text(std::string_view(input).substr(0, at), "fuzz"), "fuzz");
    });
  }
  std::istringstream lines(at == std::string::npos ? input : input.substr(at + kSeparator.size()));
  for (std::string line; std::getline(lines, line);) {
    change(changed, "--set ", [&](Layers& l) { l.override_with(line); });
  }
  // Where each value comes from takes most of the time, and depends on little of the input.
  const bool provenance = size % 8 == 0;
  const heddle::config::GpuConfig merged = provenance ? changed.layers.finish() : changed.layers.config();
  const std::vector<std::string> problems = heddle::config::check(merged);
  for (const std::string& problem : problems) {
    require(!problem.empty() && problem.find('\n') == std::string::npos, "a problem that is not one line");
  }
  if (problems.empty()) {
    heddle::config::ShowOptions show;
    show.annotate = provenance;
    const auto again = heddle::config::parse_text(heddle::config::to_text(merged, show), "shown");
    require(heddle::config::hash(again.config) == heddle::config::hash(merged), "printed, it is another one");
    require(heddle::config::diff(again.config, merged).empty(), "printed, it differs");
  }
  return 0;
}
