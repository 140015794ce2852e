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
  // Bytes of the first record; 0: it is not complete. Throws where no device writes such a record.
  static size_t record_bytes(const Input& in, std::string_view bytes);

  // `launch` is described; `functions` and `starts` as there. `bytes`: of records, at most.
  Assembler(const Input& in, Launch& launch, const std::vector<const Function*>& functions,
            const std::vector<uint32_t>& starts, uint64_t bytes);

  // Of what `bytes` allowed, the least that the launch must have.
  uint64_t least_bytes() const { return launch_.warps.size() * sizeof(Record); }

  // One whole record, which begins at byte `at` of those that have been sent.
  void add(std::string_view record, uint64_t at);
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

  uint64_t place_of(uint32_t block) const;
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
  uint64_t at_ = 0;  // of the record at hand
  const uint64_t blocks_;
  const uint32_t warps_;  // of a block
  const sass::OperandCheck check_;
  std::map<std::pair<uint64_t, std::string>, uint64_t> maps_;  // index by address and contents
};

}  // namespace heddle::capture
