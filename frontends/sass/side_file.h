// Static code of kernels, from text: our own `.sass` side files, `cuobjdump -sass` and `nvdisasm -hex`
// output.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/isa/instr.h"
#include "sim/isa/kernel.h"

namespace heddle::sass {

struct Function {
  std::string name;                  // mangled
  uint32_t base = 0;                 // byte offset of the first instruction in the trace's program counters
  uint32_t compute_capability = 0;   // 90 for sm_90; 0 = the file does not say
  std::vector<isa::Instr> code;      // ascending pc; pc is relative to the function, `base` not added
  std::vector<std::string> opcodes;  // full opcode texts; indexed by Instr::opcode
  std::vector<std::string> text;     // SASS line per instruction, without the semicolon; parallel to `code`
  isa::SourceMap source;             // no lines: the file has no line information
  std::vector<isa::Encoding> encodings;             // parallel to `code`; 0 where the file has none
  bool has_control = false;                         // every instruction carried its encoding
  std::map<std::string, uint64_t> unknown_opcodes;  // text -> static occurrences
};

// Reads every function of a file, in the file's order. Throws heddle::Error "FILE:LINE: what (legal: ...)".
std::vector<Function> read_side_file(const std::filesystem::path& path);

// The same from memory; `name` stands for the file in messages.
std::vector<Function> read_side_text(std::string_view text, std::string_view name);

}  // namespace heddle::sass
