// Any bytes as what a tracer sends: launches that keep the promises of blocks, or a heddle::Error of one
// line.
#include <cstdint>
#include <string>
#include <string_view>

#include "frontends/input/limits.h"
#include "sim/base/error.h"
#include "tests/accelsim/check_blocks.h"
#include "tests/capture/stream.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heddle;
  using accelsim::test::require;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  capture::test::Log log;
  try {
    capture::read_session("f", capture::test::reader(bytes), log);
  } catch (const Error& e) {
    const std::string_view message = e.what();
    require(message.starts_with("f: byte ") && message.find('\n') == std::string_view::npos);
  }
  for (const capture::Launch& l : log.launches) {
    require(l.warps.size() == l.image.shape.grid.count() * l.image.shape.warps());
    for (const isa::WarpTrace& w : l.warps) {
      accelsim::test::check_warp(l.image, w);
    }
  }
  return 0;
}
