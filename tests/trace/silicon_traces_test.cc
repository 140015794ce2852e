// The traces of a real GPU: those that come with Heddle, and all 57 when they lie beside the repository.
#include <catch2/catch.hpp>

#include "frontends/accelsim/discover.h"
#include "frontends/trace/compare.h"
#include "tests/trace/native.h"

namespace heddle::trace::test {
namespace {

namespace fs = std::filesystem;

// Bazel runs tests beside links to the sources; this file's own link leads to the repository.
fs::path all_traces() {
  std::error_code ec;
  const fs::path source = fs::canonical("tests/trace/silicon_traces_test.cc", ec);
  const fs::path all =
      source.parent_path().parent_path().parent_path().parent_path() / "shared" / "hw" / "h200" / "traces";
  return !ec && fs::exists(all) ? all : fs::path("traces/h200");
}

struct Sizes {
  uint64_t text = 0, native = 0;
};

void round_trip(const accelsim::Launch& l, const TempDir& dir, Sizes& sizes) {
  accelsim::Listing listing;
  accelsim::OpenOptions open_options;
  open_options.listing = &listing;
  const fs::path file = dir.path() / "t.heddle";
  WriterOptions options;
  options.level = 9;
  {
    const auto text = accelsim::open_trace(l.path, open_options);
    Writer writer(file, text->image(), listing, {}, options);
    for (isa::BlockTrace b; text->next(b);) {
      writer.add(b);
    }
    sizes.native += writer.finish().bytes;
  }
  const auto text = accelsim::open_trace(l.path);
  const auto native = open(file);
  isa::BlockTrace a, b;
  std::string what;
  while (what.empty() && text->next(a)) {
    what = native->next(b) ? difference(text->image(), a, b) : "it ends early";
  }
  CAPTURE(l.trace);
  CHECK(what.empty());
  CHECK_FALSE(native->next(b));
  for (const fs::directory_entry& e : fs::directory_iterator(l.path.parent_path())) {
    sizes.text += e.path().extension() == ".zst" ? e.file_size() : 0;
  }
}

TEST_CASE("the traces of a real GPU come back as they were, in less than half the space", "[silicon]") {
  const TempDir dir;
  Sizes sizes;
  int texts = 0;
  for (const accelsim::Launch& l : accelsim::discover(all_traces())) {
    if (l.path.extension() != ".heddle") {  // some of the shipped ones are such files
      round_trip(l, dir, sizes);
      ++texts;
    }
  }
  CHECK(texts >= 4);
  CAPTURE(sizes.text, sizes.native);
  CHECK(sizes.native * 2 < sizes.text);
}

}  // namespace
}  // namespace heddle::trace::test
