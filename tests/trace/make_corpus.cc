// Writes inputs for fuzz_trace into a directory:
//
//   make_corpus DIR
#include <cstdio>
#include <fstream>

#include "tests/trace/native.h"
#include "tests/trace/parts.h"

int main(int argc, char** argv) {
  using namespace heddle::trace;
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_corpus DIR\n");
    return 2;
  }
  const std::filesystem::path dir = argv[1];
  const auto put = [&](const char* name, const std::string& bytes) {
    std::ofstream(dir / name, std::ios::binary) << bytes;
  };
  test::Text text = test::sample();
  WriterOptions options;
  put("file", test::pack(text));
  put("parts", test::parts_of(test::pack(text)));
  options.chunk_bytes = 1;
  put("chunks", test::parts_of(test::pack(text, options)));
  text.side.reset();
  text.extra.reset();
  put("columns", test::parts_of(test::pack(text, options)));
  return 0;
}
