// Interns opcode texts. Instr::opcode is an index into the pool's list, which becomes KernelImage::opcodes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::sass {

class OpcodePool {
 public:
  // Index of `opcode`, added when new. Throws heddle::Error beyond 65535 different texts.
  uint16_t intern(std::string_view opcode);
  // Intern and count one static occurrence of an opcode that the table does not know.
  void count_unknown(std::string_view opcode) { ++unknown_[std::string(opcode)]; }

  const std::vector<std::string>& opcodes() const { return opcodes_; }
  const std::map<std::string, uint64_t>& unknown() const { return unknown_; }  // text -> static occurrences

 private:
  std::vector<std::string> opcodes_;
  std::map<std::string, uint16_t, std::less<>> index_;
  std::map<std::string, uint64_t> unknown_;
};

}  // namespace heddle::sass
