// Compares the disassembler with a table of encodings: lines "count <tab> address <tab> low word <tab> high
// word <tab> text", with "sm_100a <tab>" in front where they are not of 9.0. Prints what differs, and how
// many.
//
//   encodings_check FILE
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <string>

#include "tests/cubin/encodings.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: encodings_check FILE\n");
    return 2;
  }
  std::ifstream file(argv[1]);
  uint64_t all = 0, equal = 0;
  std::map<uint64_t, uint64_t> wrong;
  for (std::string line; std::getline(file, line);) {
    const auto e = heddle::cubin::test::encoding(line);
    if (!e) {
      continue;
    }
    ++all;
    const std::string got = heddle::cubin::disassembled(e->word, e->pc, e->capability);
    if (heddle::cubin::test::same(got, e->text)) {
      ++equal;
    } else if (wrong[e->word.low & 0xfff]++ < 3) {
      std::printf("%03x %016lx %016lx\n    %s\n    %s\n", static_cast<unsigned>(e->word.low & 0xfff),
                  static_cast<unsigned long>(e->word.high), static_cast<unsigned long>(e->word.low),
                  e->text.c_str(), got.c_str());
    }
  }
  for (const auto& [opcode, count] : wrong) {
    std::printf("%03lx: %lu differ\n", static_cast<unsigned long>(opcode), static_cast<unsigned long>(count));
  }
  std::printf("%lu of %lu equal\n", static_cast<unsigned long>(equal), static_cast<unsigned long>(all));
  return 0;
}
