// Lines of a table of encodings, and when two texts of an instruction are the same.
#pragma once

#include <optional>
#include <regex>
#include <sstream>
#include <string>

#include "frontends/cubin/disassemble.h"
#include "frontends/cubin/line.h"

namespace heddle::cubin::test {

struct Encoding {
  uint64_t pc = 0;
  Word word;
  std::string text;
};

inline std::optional<Encoding> encoding(const std::string& line) {
  std::istringstream in(line);
  std::string count, pc, low, high, text;
  if (line.starts_with("#") || !std::getline(in, count, '\t') || !std::getline(in, pc, '\t') ||
      !std::getline(in, low, '\t') || !std::getline(in, high, '\t') || !std::getline(in, text, '\t')) {
    return std::nullopt;
  }
  return Encoding{
      std::stoull(pc, nullptr, 16), {std::stoull(low, nullptr, 16), std::stoull(high, nullptr, 16)}, text};
}

// The disassembler has names for the targets of branches, of which an encoding says nothing.
inline std::string without_labels(const std::string& text) {
  static const std::regex label(R"( ?`\([^)]*\)+)"),
      branch(R"(^((?:@\S+ )?(?:BRA|BSSY|CALL|RET|WARPSYNC.COLL)\S*.*?),? 0x[0-9a-f]+$)"),
      targets(R"( \(\*.*)");
  std::string out = std::regex_replace(std::regex_replace(text, label, ""), targets, "");
  out = std::regex_replace(out, branch, "$1");
  while (!out.empty() && (out.back() == ' ' || out.back() == ',')) {
    out.pop_back();
  }
  return out;
}

inline bool same(const std::string& got, const std::string& expected) {
  return got == expected || without_labels(got) == without_labels(expected);
}

}  // namespace heddle::cubin::test
