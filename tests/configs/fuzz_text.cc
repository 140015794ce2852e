// Any text is either a configuration or one Error; any line is either an override or one Error.
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

#include "configs/loader/config.h"
#include "configs/loader/layers.h"
#include "configs/loader/text.h"
#include "sim/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    heddle::config::Layers layers;
    layers.add(heddle::config::parse_text(text, "fuzz"), "fuzz");
    layers.finish();
  } catch (const heddle::Error& error) {
    if (std::string_view(error.what()).find("fuzz:") != 0) {
      __builtin_trap();
    }
  }
  std::istringstream lines(text);
  heddle::config::GpuConfig config;
  for (std::string line; std::getline(lines, line);) {
    try {
      heddle::config::set(config, line);
    } catch (const heddle::Error& error) {
      if (std::string_view(error.what()).find("--set ") != 0) {
        __builtin_trap();
      }
    }
  }
  return 0;
}
