// Any bytes as a kernelslist.g.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "frontends/accelsim/kernelslist.h"
#include "sim/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const heddle::accelsim::KernelsList list = heddle::accelsim::parse_kernelslist(text, "f");
    uint32_t line = 0;
    for (const auto& e : list.entries) {
      if (e.line <= line) {
        std::abort();
      }
      line = e.line;
    }
    for (const std::string& w : list.warnings) {
      if (w.find('\n') != std::string::npos) {
        std::abort();
      }
    }
  } catch (const heddle::Error& e) {
    const std::string_view message = e.what();
    if (!message.starts_with("f:") || message.find('\n') != std::string_view::npos) {
      std::abort();
    }
  }
  return 0;
}
