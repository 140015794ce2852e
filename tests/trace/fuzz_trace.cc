// Any bytes as a .heddle file, or as the messages of one (parts.h): either blocks that keep their promises,
// or a heddle::Error of one line.
#include <cstdint>
#include <string>
#include <string_view>

#include "frontends/trace/reader.h"
#include "sim/base/error.h"
#include "tests/accelsim/check_blocks.h"
#include "tests/trace/parts.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heddle;
  using accelsim::test::require;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (!bytes.starts_with(trace::kMagic)) {
    bytes = trace::test::file_of(std::move(bytes));
  }
  try {
    const auto reader = trace::open("f", bytes);
    accelsim::test::check_source(*reader);
    reader->seek(reader->blocks() / 2);
    isa::BlockTrace b;
    require(reader->next(b) && b.linear == reader->blocks() / 2);
  } catch (const Error& e) {
    const std::string_view message = e.what();
    require(message.starts_with("f: ") && message.find('\n') == std::string_view::npos);
  }
  return 0;
}
