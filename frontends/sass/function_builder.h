// Collects instructions into functions while a reader walks a file line by line; owns the error messages'
// position.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/sass/opcode_pool.h"
#include "frontends/sass/side_file.h"

namespace heddle::sass {

class FunctionBuilder {
 public:
  explicit FunctionBuilder(std::string_view file) : file_(file) {}

  void next_line() { ++line_; }
  // Throws heddle::Error "FILE:LINE: what", without the line for an empty file.
  [[noreturn]] void fail(const std::string& what) const;

  void capability(uint32_t cc) { capability_ = cc; }
  void function(std::string_view name, uint32_t base);
  // A label at the next instruction.
  void label(std::string_view name);
  // The following instructions are of this line, until the next call behind one of them: of several calls in
  // a row the first counts, which is the innermost inlined function's.
  void source(std::string_view file, uint32_t line);
  // `text` must live until the next call of instruction(), function() or finish().
  void instruction(uint32_t pc, std::string_view text);
  // The encoding of the instruction just given.
  void encoding(uint64_t lo, uint64_t hi);
  // True while the instruction just given has only the low half of its encoding.
  void half_encoding(bool half) { half_ = half; }

  // Throws when there was no function or one without instructions.
  std::vector<Function> finish();

 private:
  void check_name(std::string_view name) const;
  void close_instruction();
  void close_function();
  void resolve_labels();

  std::string file_;
  uint64_t line_ = 0;  // 0: the file is empty
  uint64_t instructions_ = 0;
  uint32_t capability_ = 0;
  std::vector<Function> functions_;
  OpcodePool pool_;
  std::vector<std::pair<std::string, uint32_t>> labels_;  // name -> pc of the next instruction
  std::vector<std::string> pending_labels_;               // labels waiting for their instruction
  std::vector<std::pair<size_t, std::string>> branches_;  // index into code -> label
  bool open_ = false;                                     // inside a function
  bool pending_ = false;                                  // an instruction is waiting for its encoding
  bool half_ = false;
  bool encoded_ = false;
  uint64_t pending_line_ = 0;
  uint32_t pc_ = 0;
  std::string_view text_;
  uint64_t lo_ = 0, hi_ = 0;
  isa::SourceLine source_;
  bool source_used_ = true;  // an instruction came behind it
};

}  // namespace heddle::sass
