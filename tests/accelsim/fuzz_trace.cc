// Any bytes as a trace: either blocks that keep their promises, or a heddle::Error of one line.
//
// The input is the trace, then optionally a line "%%side" and a side file, then optionally a line "%%extra"
// and operand records.
#include <cstdint>
#include <optional>
#include <string_view>

#include "frontends/accelsim/trace_reader.h"
#include "sim/base/error.h"
#include "tests/accelsim/check_blocks.h"

namespace {

using namespace heddle;

std::optional<std::string_view> cut(std::string_view& text, std::string_view marker) {
  const size_t at = text.find(marker);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view tail = text.substr(at + marker.size());
  text = text.substr(0, at);
  return tail;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  accelsim::TraceInMemory t;
  t.name = "f";
  t.trace = {reinterpret_cast<const char*>(data), size};
  t.extra = cut(t.trace, "%%extra\n");
  t.side = cut(t.trace, "%%side\n");
  accelsim::StreamOptions options;
  options.max_window_log = 20;
  try {
    const auto source = accelsim::open_trace(t, options);
    accelsim::test::check_source(*source);
  } catch (const Error& e) {
    const std::string_view message = e.what();
    accelsim::test::require(message.starts_with("f") && message.find('\n') == std::string_view::npos);
  }
  return 0;
}
