// Bits of instructions that the disassembler does not ask for, of a table of encodings (encodings_check.cc):
// lines "opcode bits count text".
//
//   leftovers FILE
#include <cstdio>
#include <fstream>
#include <map>
#include <string>

#include "tests/cubin/encodings.h"

int main(int argc, char** argv) {
  using namespace heddle::cubin;
  std::map<std::string, std::pair<uint64_t, std::string>> found;
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i]);
    for (std::string line; std::getline(file, line);) {
      const auto e = test::encoding(line);
      if (!e) {
        continue;
      }
      const Word w = leftover_bits(e->word);
      char key[64];
      std::snprintf(key, sizeof key, "%03lx %016lx %016lx", e->word.low & 0xfff, w.high, w.low);
      auto& [count, text] = found[key];
      ++count;
      text = e->text;
    }
  }
  for (const auto& [key, value] : found) {
    if (key.substr(4) != "0000000000000000 0000000000000000") {
      std::printf("%s %6lu %s\n", key.c_str(), static_cast<unsigned long>(value.first), value.second.c_str());
    }
  }
  return 0;
}
