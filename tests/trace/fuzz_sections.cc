// .heddle files whose sections hold any bytes, with lengths and checksums that fit (sections.h): behind the
// checks there are either blocks that keep their promises, or a heddle::Error of one line. Budgets are small,
// so that what gets past them is a crash here and not hidden by the machine's memory.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "frontends/accelsim/warp_bytes.h"
#include "frontends/input/limits.h"
#include "frontends/trace/reader.h"
#include "sim/base/error.h"
#include "tests/accelsim/check_blocks.h"
#include "tests/trace/sections.h"

namespace {

using namespace heddle;
using accelsim::test::require;

constexpr uint64_t kMostBlocks = 64;  // of a file: each costs time, and the first ones show what all do

void check(trace::Reader& reader) {
  isa::BlockTrace b;
  for (uint64_t i = 0; i < std::min(reader.blocks(), kMostBlocks); ++i) {
    require(reader.next(b) && b.linear == i && b.warps.size() == reader.image().shape.warps());
    for (const isa::WarpTrace& w : b.warps) {
      accelsim::test::check_warp(reader.image(), w);
      require(accelsim::bytes_of(w) <= input::limits().block_bytes.value);
    }
  }
  const uint64_t middle = reader.blocks() / 2;
  trace::PackedBlock packed;
  reader.seek(middle);
  require(reader.next_packed(packed) && packed.linear == middle);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const input::ScopedLimits small(
      "section_bytes=1M,code_bytes=64K,instructions=2K,elements=1K,block_bytes=1M,warp_instructions=5K");
  const std::string bytes = trace::test::file_of_sections({reinterpret_cast<const char*>(data), size});
  try {
    const auto reader = trace::open("f", bytes);
    check(*reader);
  } catch (const Error& e) {
    const std::string_view message = e.what();
    require(message.starts_with("f: ") && message.find('\n') == std::string_view::npos);
  }
  return 0;
}
