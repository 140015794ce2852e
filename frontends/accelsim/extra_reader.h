// Operand records beside a trace (kernel-1.extra): what the text format has no room for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "frontends/accelsim/byte_stream.h"
#include "frontends/accelsim/line_reader.h"
#include "frontends/sass/operand_check.h"
#include "sim/isa/recording.h"

namespace heddle::accelsim {

// Lines "block warp ordinal offset KIND ...", in the trace's order: `block` the linear index of the block in
// the grid, `ordinal` the instruction's position in the warp's stream, from 0, `offset` its program counter
// (hexadecimal).
//   S addresses             shared-memory side of an LDGSTS
//   B addresses V values    mbarrier addresses and data operands of a SYNCS
//   U v0 v1 ...             uniform registers (hexadecimal) of a TMA or bulk copy or a GMMA
// Address lists are written as in the trace. One record at a time is in memory.
class ExtraReader {
 public:
  static constexpr uint64_t kNone = UINT64_MAX;

  explicit ExtraReader(std::unique_ptr<ByteStream> in);

  // Ordinal of the next record if it belongs to this warp, else kNone.
  uint64_t begin_warp(uint64_t block, uint32_t warp);

  struct Place {
    uint32_t index = 0;  // of the static instruction
    uint32_t pc = 0;
    uint32_t mask = 0;
    int mem_refs = 0;
  };
  // Merges the record at hand, which must be for that instruction, into the `mem_refs` references at the end
  // of w.refs; nothing to merge when mask or mem_refs is 0. Returns the next ordinal for this warp as
  // begin_warp() does.
  uint64_t apply(const Place& at, const sass::OperandCheck& check, isa::WarpTrace& w);

  // There are no more records.
  bool ended() const { return !valid_; }
  // Throws: the file has ended, but the instruction at `pc`, which had records, is executed again.
  [[noreturn]] void fail_missing(uint32_t pc) const;

  // Throws when the record at hand belongs to this warp, or block: nothing will ask for it any more.
  void end_warp(uint64_t instructions) const;
  void end_block(uint64_t block) const;
  // Throws when records are left.
  void end() const;

 private:
  void advance();
  bool at(uint64_t block, uint32_t warp) const { return valid_ && block_ == block && warp_ == warp; }
  void apply_addresses(const char* p, uint32_t mask, isa::MemRef& ref, isa::WarpTrace& w);
  void apply_barrier(const char* p, uint32_t mask, isa::MemRef& ref, isa::WarpTrace& w);
  void apply_values(const char* p, isa::MemRef& ref, isa::WarpTrace& w);
  const char* scan_list(const char* p, uint32_t mask, uint64_t addr[32]) const;
  void expect_end(const char* p) const;
  [[noreturn]] void fail(std::string_view what) const;

  LineReader in_;
  bool valid_ = false;  // false: no record left
  uint64_t block_ = 0;
  uint32_t warp_ = 0;
  uint64_t ordinal_ = 0;
  uint32_t pc_ = 0;
  char kind_ = 0;
  const char* payload_ = nullptr;
  uint64_t current_block_ = 0;
  uint32_t current_warp_ = 0;
};

}  // namespace heddle::accelsim
