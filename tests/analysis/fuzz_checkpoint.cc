// Any bytes are a checkpoint or one Error that names the file; so is any description of a launch with any
// state behind it, where lengths and checksums fit. What is read is written again as the same.
//
// An input is a number of bytes, then a description, and so many bytes of state at the end.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/run/checkpoint_file.h"
#include "frontends/trace/section.h"
#include "sim/base/error.h"

namespace {

using namespace heddle;

void require(bool good) {
  if (!good) {
    __builtin_trap();
  }
}

bool reads(std::string_view bytes) {
  try {
    const analysis::CheckpointFile c = analysis::read_checkpoint("f", bytes);
    analysis::check_same("f", c, c);
    require(analysis::checkpoint_file().is(bytes));
    require(c.label() == c.trace + "/" + std::to_string(c.launch));
    return true;
  } catch (const Error& e) {
    const std::string_view message = e.what();
    require(message.starts_with("f: ") && message.find('\n') == std::string_view::npos);
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  reads(all);
  if (size == 0) {
    return 0;
  }
  const size_t state = std::min<size_t>(data[0], size - 1);
  constexpr std::string_view kMagic = "\x89HEDCKP\n";
  const trace::FileFormat format = {kMagic, "", 1, ""};
  std::string file = trace::make_preamble(format) +
                     trace::make_section(trace::SectionKind::kLaunch, all.substr(1, size - 1 - state), 1);
  if (state > 0) {
    file += trace::make_section(trace::SectionKind::kState, all.substr(size - state), 1);
  }
  if (reads(file)) {
    require(!reads(file + "x") && !reads(file.substr(0, file.size() - 1)));
  }
  return 0;
}
