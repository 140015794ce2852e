// What is in PTX files, and how fast they are read:
//   bazel run -c opt //tests/ptx:ptx_totals -- FILE...
// A line for each file: functions, instructions, distinct opcodes with modifiers, warnings; or the error. The
// last line has the sums and the speed, in MB of text a second of one core's time; small files are read again
// until there are 200 MB.
#include <cstdio>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "frontends/ptx/load.h"

int main(int argc, char** argv) {
  using namespace heddle;
  size_t bytes = 0;
  size_t instrs = 0;
  int failed = 0;
  std::vector<std::string> good;
  for (int i = 1; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    try {
      const auto module = ptx::parse(argv[i], text.str());
      size_t mine = 0;
      for (const ptx::Function& f : module->functions) {
        mine += f.instrs.size();
      }
      std::printf("%s: %zu functions, %zu instructions, %zu opcodes, %zu warnings\n", argv[i],
                  module->functions.size(), mine, module->ops.size(), module->warnings.size());
      bytes += text.str().size();
      instrs += mine;
      good.push_back(text.str());
    } catch (const Error& e) {
      std::printf("%s\n", e.what());
      ++failed;
    }
  }
  const size_t again = bytes == 0 ? 0 : 200'000'000 / bytes + 1;
  const std::clock_t start = std::clock();
  for (size_t n = 0; n < again; ++n) {
    for (const std::string& text : good) {
      ptx::parse("again", text);
    }
  }
  const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("%zu files, %d failed, %zu bytes, %zu instructions; %.0f MB/s\n", static_cast<size_t>(argc - 1),
              failed, bytes, instrs, static_cast<double>(again * bytes) / 1e6 / took);
  return failed == 0 ? 0 : 1;
}
