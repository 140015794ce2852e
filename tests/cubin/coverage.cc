// Which machine instructions of recordings cannot be executed yet.
//
//   dump_code FILE.heddle ... | coverage      prints "COUNT TEXT" of each missing form, then a sum
#include <cstdio>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

#include "frontends/cubin/execute/translate.h"
#include "sim/base/error.h"

namespace {

using namespace heddle;

struct Totals {
  std::map<std::string, uint64_t> missing;
  uint64_t kernels = 0, whole = 0, instructions = 0;
};

// Operands left out: "IMAD.WIDE.X: a carry under a predicate".
std::string form(const std::string& line) {
  const size_t text = line.find(": ", line.find(": ") + 2);
  std::string s = line.substr(text + 2);
  if (s[0] == '@') {
    s = s.substr(s.find(' ') + 1);
  }
  const size_t why = s.rfind(": ");
  return s.substr(0, s.find(' ')) + (why == std::string::npos ? "" : s.substr(why));
}

void take(cubin::Object& object, Totals& totals) {
  cubin::Function& f = object.functions.front();
  if (f.code.empty()) {
    return;
  }
  ++totals.kernels;
  totals.instructions += f.code.size();
  exec::Memory memory;
  const cubin::Placement placement = cubin::place(object, memory);
  const cubin::Translation t = cubin::translate(object, 0, placement);
  totals.whole += t.missing.empty() ? 1 : 0;
  for (const std::string& line : t.missing) {
    ++totals.missing[form(line)];
  }
  f.code.clear();
}

}  // namespace

int main() {
  cubin::Object object;
  object.file = "recording";
  object.capability = 90;
  object.functions.resize(1);
  cubin::Function& f = object.functions.front();
  f.name = "kernel";
  f.kernel = true;
  f.parameter_offset = 0x210;
  f.parameter_bytes = 4096;
  Totals totals;
  try {
    for (std::string line; std::getline(std::cin, line);) {
      std::istringstream fields(line);
      std::string count, pc, low, high;
      fields >> count >> pc >> low >> high;
      if (pc == "0000") {
        take(object, totals);
      }
      f.code.push_back({std::stoull(low, nullptr, 16), std::stoull(high, nullptr, 16)});
    }
    take(object, totals);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  uint64_t sum = 0;
  for (const auto& [text, n] : totals.missing) {
    std::printf("%llu %s\n", static_cast<unsigned long long>(n), text.c_str());
    sum += n;
  }
  std::printf("%llu of %llu instructions; %llu of %llu kernels whole\n", static_cast<unsigned long long>(sum),
              static_cast<unsigned long long>(totals.instructions),
              static_cast<unsigned long long>(totals.whole), static_cast<unsigned long long>(totals.kernels));
}
