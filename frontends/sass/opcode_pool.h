// Interns opcodes, and what follows from one alone: class, widths, shape. Instr::opcode is an index into the
// pool's list of texts, which becomes KernelImage::opcodes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontends/sass/opcode_table.h"
#include "frontends/sass/record/record.h"
#include "frontends/sass/widths.h"

namespace heddle::sass {

struct PooledOpcode {
  OpcodeInfo info;
  Widths widths;
  bool odd = false;  // the table does not know it, or not such a modifier
};

class OpcodePool {
 public:
  // Index of `opcode`, added when new. Throws heddle::Error beyond 65535 different texts.
  uint16_t intern(std::string_view opcode);
  // The same of a record's, without its text where it is not new.
  uint16_t intern(const Opcode& opcode);
  const PooledOpcode& at(uint16_t i) const { return pooled_[i]; }
  // Intern and count one static occurrence of an opcode that the table does not know.
  void count_unknown(std::string_view opcode) { ++unknown_[std::string(opcode)]; }

  const std::vector<std::string>& opcodes() const { return opcodes_; }
  const std::map<std::string, uint64_t>& unknown() const { return unknown_; }  // text -> static occurrences

 private:
  std::vector<std::string> opcodes_;
  std::vector<PooledOpcode> pooled_;
  std::map<std::string, uint16_t, std::less<>> index_;
  struct Hash {
    size_t operator()(const Opcode& o) const;
  };
  std::unordered_map<Opcode, uint16_t, Hash> by_record_;
  std::map<std::string, uint64_t> unknown_;
};

}  // namespace heddle::sass
