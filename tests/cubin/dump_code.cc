// Prints the code of .heddle files as a table of encodings (encodings_check.cc).
//
//   dump_code FILE.heddle ...
#include <cstdio>
#include <sstream>
#include <string>

#include "frontends/trace/reader.h"

int main(int argc, char** argv) {
  using namespace heddle;
  for (int i = 1; i < argc; ++i) {
    try {
      std::istringstream lines(trace::read_listing(argv[i]).side_text);
      for (std::string pc, low, high, text; lines >> pc;) {
        if (pc[0] == '#') {
          std::getline(lines, text);
          continue;
        }
        if (!(lines >> low >> high) || !std::getline(lines >> std::ws, text)) {
          break;
        }
        while (!text.empty() && (text.back() == ';' || text.back() == ' ')) {
          text.pop_back();
        }
        std::printf("1\t%s\t%s\t%s\t%s\n", pc.c_str(), low.c_str(), high.c_str(), text.c_str());
      }
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s\n", e.what());
    }
  }
  return 0;
}
