// The records of a function in the order of its machine code, block by block (issue.h).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "frontends/ptx/execute/translate.h"
#include "frontends/ptx/lower/issue.h"

namespace heddle::ptx::lower {

class OrderedPart {
 public:
  // All outlive this. Records are put behind those of `to`; those of branches lead to records of `from`.
  // Records of none of the image's instructions are of the one behind its last.
  OrderedPart(const Module& module, const Part& part, const Asked& asked, const Translation& from, Issued& to,
              const isa::KernelImage& image);
  void run();

  const std::vector<uint32_t>& starts() const { return starts_; }  // by block
  // The record of `from` with which the block begins.
  uint32_t first_record(uint32_t block) const;
  uint32_t registers() const { return registers_; }  // of a frame

 private:
  // A PTX instruction of the block.
  struct Unit {
    uint32_t instr = 0;                 // of Unrolled's; kNone: it copies
    exec::Slot copied = exec::kNoSlot;  // this
    uint32_t first = 0, end = 0;        // records of `from`
    exec::Slot guard = exec::kNoSlot;   // its own, or its stretch's
    bool negated = false;
    bool exits = false;  // a branch that ends the thread
    bool free = false;   // of registers alone: it may be done sooner
    bool done = false;
    uint32_t at = kNone;    // the instruction of the block where it is done; kNone: where it is needed
    uint32_t accesses = 0;  // instructions of the machine that access memory
    uint32_t kept = executed::kNothing;
    bool anywhere = false, any_parameter = false, writes_anywhere = false;  // in local memory
    std::vector<exec::Slot> read, written;  // also what stands for words of local memory
    // Of an addition that one lane asks for: who takes part, what those before each add, what was there, and
    // the result; there is none until it has been asked for.
    struct Joined {
      exec::Slot members = exec::kNoSlot, before = exec::kNoSlot, base = exec::kNoSlot,
                 result = exec::kNoSlot;
    } joined;
    std::vector<uint32_t> before;              // units that it is to be behind
    std::map<exec::Slot, exec::Slot> instead;  // where what it reads lies by now
  };

  void block(uint32_t b);
  void collect();
  void add_unit(const Stretch& s, uint32_t instr, bool last, exec::Slot guard);
  // A stretch's condition, as it is when the stretch begins.
  exec::Slot condition(const Stretch& s);
  void find_local(const exec::Inst& record, bool parameter, Unit& u);
  void find_places();
  void find_order();
  void machine(uint32_t k);
  void tell(uint32_t k, const Unit* of);
  void before_head(const Unit& u);
  bool visit(uint32_t unit);
  bool visit_needed(uint32_t unit);
  void put(uint32_t unit, bool counts);
  void put_joined(Unit& u);
  bool brings_back(const Unit& u) const;
  exec::Inst record(const Unit& u, uint32_t pc);  // of `from`
  void keep_for_readers(uint32_t unit);
  void leave(uint32_t b);
  void jump(uint32_t to);  // a record of `from`
  void add(const exec::Inst& in, uint32_t line);
  void add_copy(exec::Slot to, exec::Slot from, uint32_t line);
  void add_head(uint32_t k, const Unit* of);
  uint32_t record_of(uint32_t instr) const;  // with which an instruction of Unrolled's begins
  Unit* unit_of(uint32_t instr);

  const Module& module_;
  const Part& part_;
  const Lowered& code_;
  const Function& f_;
  const Translation& from_;
  Issued& to_;
  const isa::KernelImage& image_;
  const uint32_t none_;
  uint32_t registers_;
  std::vector<uint32_t> records_;   // by instruction of Asked's: with which it begins; one more for the end
  std::vector<uint32_t> asked_at_;  // by instruction of Unrolled's, with its questions
  std::vector<uint32_t> own_at_;    // the same without
  std::vector<uint32_t> starts_;
  // Of the block in the making.
  const Block* b_ = nullptr;
  std::vector<Unit> units_;
  std::vector<exec::Slot> words_, parameters_;  // of local memory that its instructions name
  std::map<uint32_t, uint32_t> unit_at_;        // by instruction of Unrolled's
  std::vector<std::vector<uint32_t>> here_;  // units, by the instruction of the machine where they are done
  uint32_t origin_ = kNone;                  // of the records that are put now
};

}  // namespace heddle::ptx::lower
