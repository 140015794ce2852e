// Writes inputs for fuzz_trace and fuzz_sections into two directories:
//
//   make_corpus DIR SECTIONS_DIR
#include <cstdio>
#include <fstream>

#include "tests/trace/native.h"
#include "tests/trace/parts.h"
#include "tests/trace/sections.h"

int main(int argc, char** argv) {
  using namespace heddle;
  using namespace heddle::trace;
  if (argc != 3) {
    std::fprintf(stderr, "usage: make_corpus DIR SECTIONS_DIR\n");
    return 2;
  }
  const auto put_to = [](const std::filesystem::path& dir, const char* name, const std::string& bytes) {
    std::ofstream(dir / name, std::ios::binary) << bytes;
  };
  const auto put = [&](const char* name, const std::string& bytes) { put_to(argv[1], name, bytes); };
  const auto put_sections = [&](const char* name, const std::string& bytes) {
    put_to(argv[2], name, test::text_of(bytes));
  };
  test::Text text = test::sample();
  WriterOptions options;
  put("file", test::pack(text));
  put("parts", test::parts_of(test::pack(text)));
  put_sections("one", test::pack(text));
  options.chunk_bytes = 1;
  put("chunks", test::parts_of(test::pack(text, options)));
  put_sections("chunks", test::pack(text, options));
  text.side.reset();
  text.extra.reset();
  put("columns", test::parts_of(test::pack(text, options)));
  put_sections("columns", test::pack(text, options));
  // Code that the disassembler makes of its encodings.
  test::Text made;
  made.side =
      "# function k base 0\n0000 0000000000007919 000e220000002500 S2R R0, SR_CTAID.X ;\n"
      "0010 0000000000007918 000fc00000000000 NOP;\n0020 000000000000794d 000fea0003800000 EXIT ;\n";
  made.trace = accelsim::test::trace(
      {"0000 ffffffff 1 R0 S2R 0 0", "0010 ffffffff 0 NOP 0 0", "0020 ffffffff 0 EXIT 0 0"});
  put("made", test::pack(made));
  put_sections("made", test::pack(made));
  return 0;
}
