// The instruction lines of one warp to an isa::WarpTrace. This is where the time of reading a trace goes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "frontends/accelsim/address_list.h"
#include "frontends/accelsim/extra_reader.h"
#include "frontends/accelsim/instr_line.h"
#include "frontends/accelsim/line_reader.h"
#include "frontends/accelsim/pc_map.h"
#include "frontends/accelsim/static_code.h"
#include "frontends/sass/operand_check.h"
#include "sim/isa/recording.h"

namespace heddle::accelsim {

// A static instruction is printed the same way each time up to its addresses, so the last text of each is
// kept: a line that begins with the text of the instruction after the previous one is recognised by one
// comparison. Only a new mask is parsed, and only a new text is split into fields and checked.
class WarpReader {
 public:
  // Reads with the static code of `image`, which must be complete and stay as it is. `source`, where given,
  // has an element for each instruction; those without a line get it when they are read first.
  WarpReader(LineReader& in, bool lineinfo, const isa::KernelImage& image, std::string side_name,
             std::shared_ptr<isa::SourceMap> source = nullptr);
  // Collects the static code: next to the checks, each new program counter goes to `collector`. The runs
  // produced count in order of appearance, and there are no memory references.
  WarpReader(LineReader& in, bool lineinfo, CodeCollector& collector);

  // Reads `n` lines into `out` (cleared first). `extra`, where given, is at the warp of which these are the
  // lines, and `ordinal` is its next record. Fails when `out` gets much larger than `most` bytes.
  void read(uint64_t n, isa::WarpTrace& out, ExtraReader* extra, uint64_t ordinal, uint64_t most);
  // Throws: the block that the lines are of needs more memory than it may.
  [[noreturn]] void fail_block_bytes() const;
  // From here on: whether references are read, or passed over (addresses and operands are then not checked).
  void want_refs(bool want) { want_refs_ = want; }
  // The same by static instruction.
  void want_refs_of(const std::vector<bool>& wanted);

 private:
  struct Entry {
    static constexpr size_t kText = 108;
    uint32_t pc = 0;
    uint32_t mask = 0;  // as in `text`
    uint8_t mem_refs = 0;
    bool async_store = false;  // STAS, REDAS
    uint8_t length = 0;        // of the text; 0 = none kept
    uint8_t mask_end = 0;      // offset behind the mask in the text
    bool wanted = true;        // its references
    bool checked = false;      // they are looked at by check_
    bool recorded = false;     // an instance of it had a record in the operand file
    bool addresses = false;    // the text ends before the address mode; else it is the whole line
    char text[kText];
  };

  Entry make_entry(uint32_t pc, uint8_t mem_refs);
  const char* resolve(const char* p, uint32_t& index, uint32_t& mask);
  uint32_t find_or_collect(const char* p, uint32_t pc);
  const char* keep_text(const char* p, Entry& e, const InstrFields& f);
  const char* read_refs(const char* p, uint32_t mask, int mem_refs, isa::WarpTrace& out);
  void check_opcode(uint32_t index, const InstrFields& f) const;
  const char* next_lines(const isa::WarpTrace& so_far, uint64_t most);
  void sync(const char* p) {
    in_.consume(p, lines_);
    lines_ = 0;
  }
  void check_refs(uint32_t index, uint32_t mask, const isa::WarpTrace& out) const;
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail_line(const char* p, const FieldError& e) const;

  LineReader& in_;
  const bool lineinfo_;
  const isa::KernelImage* image_ = nullptr;
  CodeCollector* collector_ = nullptr;
  std::unique_ptr<const sass::OperandCheck> check_;  // where there is an image
  std::shared_ptr<isa::SourceMap> source_;
  std::string side_name_;
  bool want_refs_ = true;
  std::vector<Entry> entries_;  // one for each static instruction, and one that never matches
  PcMap index_of_;
  DeltaLists delta_lists_;
  const char* limit_ = nullptr;  // of the lines in the buffer
  uint64_t lines_ = 0;           // read since `in_` was last told
  uint64_t expected_ = 0;        // "insts" of the warp being read, and how many of them were read
  uint64_t done_ = 0;
};

}  // namespace heddle::accelsim
