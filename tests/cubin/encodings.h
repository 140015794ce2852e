// Lines of a table of encodings, and when two texts of an instruction are the same.
#pragma once

#include <optional>
#include <regex>
#include <sstream>
#include <string>

#include "frontends/cubin/disassemble.h"
#include "frontends/cubin/record.h"

namespace heddle::cubin::test {

struct Encoding {
  uint64_t pc = 0;
  Word word;
  std::string text;
  uint32_t capability = 90;
};

// "count <tab> byte <tab> low word <tab> high word <tab> text"; in front of it "sm_100a <tab>" of others
// than 9.0.
inline std::optional<Encoding> encoding(const std::string& line) {
  constexpr std::string_view kTarget = "sm_";
  std::istringstream in(line);
  std::string target, count, pc, low, high, text;
  const bool other = line.starts_with(kTarget);
  if (line.starts_with("#") || (other && !std::getline(in, target, '\t')) || !std::getline(in, count, '\t') ||
      !std::getline(in, pc, '\t') || !std::getline(in, low, '\t') || !std::getline(in, high, '\t') ||
      !std::getline(in, text, '\t')) {
    return std::nullopt;
  }
  Encoding e{
      std::stoull(pc, nullptr, 16), {std::stoull(low, nullptr, 16), std::stoull(high, nullptr, 16)}, text};
  if (other) {
    e.capability = static_cast<uint32_t>(std::stoul(target.substr(kTarget.size())));
  }
  return e;
}

// The disassembler has names for the targets of branches, of which an encoding says nothing.
inline std::string without_labels(const std::string& text) {
  static const std::regex label(R"( ?`\([^)]*\)+)"),
      branch(R"(^((?:@\S+ )?(?:BRA|BSSY|LEPC|CALL|RET|WARPSYNC.COLL)\S*.*?),? 0x[0-9a-f]+$)"),
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
