#include "frontends/sass/function_builder.h"

#include <algorithm>
#include <unordered_map>

#include "frontends/input/limits.h"
#include "frontends/sass/decode.h"
#include "sim/base/error.h"

namespace heddle::sass {

void FunctionBuilder::fail(const std::string& what) const {
  std::string printable = what;
  for (char& c : printable) {
    c = c < ' ' || c > '~' ? '?' : c;  // other bytes do not belong in a message
  }
  throw Error(file_ + (line_ ? ":" + std::to_string(line_) : "") + ": " + printable);
}

void FunctionBuilder::check_name(std::string_view name) const {
  if (const input::Limit& most = input::limits().name_bytes; name.size() > most.value) {
    fail("a name of " + std::to_string(name.size()) + " bytes (legal: " + most.legal() + ")");
  }
}

void FunctionBuilder::function(std::string_view name, uint32_t base) {
  close_function();
  if (name.empty()) {
    fail("function without a name (legal: a mangled name)");
  }
  check_name(name);
  Function f;
  f.name = std::string(name);
  f.base = base;
  f.compute_capability = capability_;
  f.has_control = true;
  functions_.push_back(std::move(f));
  open_ = true;
  source_ = {};
  source_used_ = true;
}

void FunctionBuilder::label(std::string_view name) { pending_labels_.emplace_back(name); }

void FunctionBuilder::source(std::string_view file, uint32_t line) {
  if (!open_) {
    return;
  }
  close_instruction();
  if (!source_used_) {
    return;
  }
  check_name(file);
  source_used_ = false;
  source_ = {functions_.back().source.file(file), line};
}

void FunctionBuilder::instruction(uint32_t pc, std::string_view text) {
  close_instruction();
  if (!open_) {
    fail(
        "instruction outside a function (legal: after '# function NAME base N', 'Function : NAME' or "
        "'.text.NAME:')");
  }
  if (const input::Limit& most = input::limits().instructions; ++instructions_ > most.value) {
    fail("more than " + std::to_string(most.value) + " instructions (legal: " + most.legal() + ")");
  }
  const auto& code = functions_.back().code;
  if (pc % 16) {
    fail("offset is not a multiple of 16 (legal: 128-bit instructions, sm_70 and later)");
  }
  if (!code.empty() && pc <= code.back().pc) {
    fail("offsets must rise (legal: more than the line before)");
  }
  for (std::string& l : pending_labels_) {
    labels_.emplace_back(std::move(l), pc);
  }
  pending_labels_.clear();
  pending_ = true;
  half_ = encoded_ = false;
  pending_line_ = line_;
  pc_ = pc;
  text_ = text;
}

void FunctionBuilder::encoding(uint64_t lo, uint64_t hi) {
  if (!pending_ || encoded_) {
    fail("encoding without an instruction (legal: two 64-bit words after each instruction)");
  }
  encoded_ = true;
  lo_ = lo;
  hi_ = hi;
}

void FunctionBuilder::close_instruction() {
  if (!pending_) {
    return;
  }
  pending_ = false;
  const uint64_t here = std::exchange(line_, pending_line_);  // messages name the instruction's own line
  if (half_) {
    fail("half an encoding (legal: two 64-bit words after each instruction, sm_70 and later)");
  }
  Function& f = functions_.back();
  try {
    f.code.push_back(encoded_ ? decode_text(pc_, text_, lo_, hi_, pool_) : decode_text(pc_, text_, pool_));
    if (const std::string_view l = target_label(text_); !l.empty()) {
      branches_.emplace_back(f.code.size() - 1, l);
    }
  } catch (const Error& e) {
    fail(e.what());
  }
  f.has_control &= encoded_;
  f.encodings.push_back(encoded_ ? isa::Encoding{lo_, hi_} : isa::Encoding{});
  while (!text_.empty() && (text_.back() == ';' || text_.back() == ' ')) {
    text_.remove_suffix(1);
  }
  f.text.emplace_back(text_);
  f.source.lines.push_back(source_);
  source_used_ = true;
  line_ = here;
}

void FunctionBuilder::resolve_labels() {
  if (branches_.empty()) {
    return;
  }
  const std::unordered_map<std::string, uint32_t> where(labels_.begin(), labels_.end());
  for (const auto& [index, label] : branches_) {
    if (const auto it = where.find(label); it != where.end()) {
      functions_.back().code[index].target = it->second;
    }
  }
}

void FunctionBuilder::close_function() {
  close_instruction();
  if (!open_) {
    return;
  }
  resolve_labels();
  Function& f = functions_.back();
  if (f.code.empty()) {
    fail("function " + f.name + " has no instructions");
  }
  if (f.source.files.size() == 1) {
    f.source.lines.clear();
  }
  f.opcodes = pool_.opcodes();
  f.unknown_opcodes = pool_.unknown();
  pool_ = OpcodePool();
  labels_.clear();
  pending_labels_.clear();
  branches_.clear();
  open_ = false;
}

std::vector<Function> FunctionBuilder::finish() {
  close_function();
  if (functions_.empty()) {
    fail("no function (legal: a .sass side file, cuobjdump -sass or nvdisasm -hex output)");
  }
  return std::move(functions_);
}

}  // namespace heddle::sass
