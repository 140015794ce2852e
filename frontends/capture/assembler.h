// Records, in the order in which the device has written them, to the streams of warps.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/capture/launch.h"
#include "frontends/sass/operand_check.h"

namespace heddle::capture {

class Assembler {
 public:
  // `launch` is described; `functions` and `starts` as there. `bytes`: of all records that will come.
  Assembler(const Input& in, Launch& launch, const std::vector<const Function*>& functions,
            const std::vector<uint32_t>& starts, uint64_t bytes);

  // Takes the records in `bytes` away; what is left is the beginning of one more.
  void add(std::string& bytes);
  uint64_t done() const { return done_; }
  // Behind the last. Throws when something is missing, or is nothing that a GPU would have executed.
  void finish();

 private:
  struct Part {  // a function's instructions
    uint32_t first = 0, end = 0, start = 0;
  };
  struct List {
    bool strided = false;
    uint64_t base = 0;
    int64_t stride = 0;
    const char* at = nullptr;  // else
  };

  size_t record(std::string_view bytes);
  uint32_t code_of(uint32_t instr);
  void references(const Record& r, const char* p, const isa::Instr& in, isa::WarpTrace& w);
  isa::MemRef addresses(const List& l, int n, isa::WarpTrace& w) const;
  isa::MemRef operands(const List& where, const List& what, int n, isa::WarpTrace& w) const;
  isa::MemRef values(const Record& r, const char* p, isa::WarpTrace& w);
  [[noreturn]] void fail(const std::string& what) const;

  const Input& in_;
  Launch& launch_;
  std::vector<Part> parts_;  // by number
  size_t latest_ = 0;
  const uint64_t bytes_;
  uint64_t done_ = 0;
  const uint64_t blocks_;
  const uint32_t warps_;  // of a block
  const sass::OperandCheck check_;
  std::map<std::pair<uint64_t, std::string>, uint64_t> maps_;  // index by address and contents
};

}  // namespace heddle::capture
