// The parts of translate().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontends/ptx/execute/contraction.h"
#include "frontends/ptx/execute/translate.h"
#include "frontends/ptx/form.h"

namespace heddle::ptx {

class Translator {
 public:
  Translator(const Module& module, const Placement& placement, const Bodies& bodies)
      : module_(module), placement_(placement), bodies_(bodies) {}

  Translation run(const Function& kernel);

 private:
  // Where things of a function lie.
  struct Layout {
    std::vector<exec::Slot> registers;  // by id; of 128 bits: the first of two
    uint32_t next = 0;                  // the first register that is free
  };

  // translate.cc
  const Function& body(uint32_t id) const {
    const auto other = bodies_.find(id);
    return other != bodies_.end() ? *other->second : module_.functions[id];
  }
  void find_functions(uint32_t kernel);
  void add_function(uint32_t id);
  void lay_out(uint32_t id);
  void lay_out_shared();
  void function(uint32_t id);
  void instruction(const Instr& instr);
  void arithmetic(const Instr& instr, const Op& op);
  bool contracted(const Instr& instr, const Op& op);
  void missing(std::string_view why = "");

  // operands.cc
  exec::Slot source(const Operand& o, uint32_t bits);
  exec::Slot source(const Instr& instr,
                    size_t place);  // of the type that the form says; kNoSlot: not written
  exec::Slot destination(const Operand& o);
  exec::Slot constant(uint64_t value);
  exec::Slot special(const Operand& o);
  exec::Slot special_slot(exec::Special s);
  exec::Slot variable_address(const Operand& o);
  exec::Slot temporary();
  uint64_t address_of(uint32_t variable, bool generic);
  bool in_frame(const Variable& v) const;
  uint32_t bits_of(const Instr& instr, size_t place) const;
  const Operand& operand(const Instr& instr, size_t place) const {
    return f_->operands[instr.operands + place];
  }
  std::vector<Operand> elements(const Operand& o) const;  // of a vector; or the one

  // translate_mov.cc
  void mov(const Instr& instr, const Op& op);
  void pack(exec::Slot to, uint32_t bits, const std::vector<Operand>& from);
  void unpack(const std::vector<Operand>& to, uint32_t bits, exec::Slot from);
  bool float_pairs(const Instr& instr, const Op& op);
  void convert_address(const Instr& instr, const Op& op);
  void is_space(const Instr& instr, const Op& op);
  bool stack_or_cluster(const Instr& instr, const Op& op);

  // translate_memory.cc
  exec::Place place(const Operand& o, exec::Space space);
  void emit_memory(const exec::Place& at, exec::MemoryOp m);
  void values(const Operand& o, bool reads, uint32_t bits, exec::Slot* slots);
  void load_store(const Instr& instr, const Op& op);
  void atomic(const Instr& instr, const Op& op);

  // translate_async.cc
  bool async(const Instr& instr, const Op& op);
  void emit_transfer(const exec::TransferOp& t);
  void barrier_object(const Instr& instr, const Op& op);
  void copy(const Instr& instr, const Op& op);
  void bulk_copy(const Instr& instr, const Op& op);
  void tensor_copy(const Instr& instr, const Op& op);
  void asynchronous_store(const Instr& instr, const Op& op);
  void replace_field(const Instr& instr, const Op& op);

  // translate_texture.cc
  bool texture(const Instr& instr, const Op& op);
  exec::Slot handle(const Operand& o);
  void coordinates(const Operand& o, const Op& op, exec::TextureOp& t);
  bool of_shape(const Op& op, exec::TextureOp& t);
  void fetch(const Instr& instr, const Op& op);
  void query(const Instr& instr, const Op& op);
  void surface(const Instr& instr, const Op& op);
  void emit_texture(const exec::TextureOp& t);

  // translate_control.cc
  bool control(const Instr& instr, const Op& op);
  void barrier(const Instr& instr, const Op& op);
  void sync(const Instr& instr, const Op& op);
  void call(const Instr& instr);
  exec::ValuePlace value_place(const Operand& o, const Parameter* parameter);

  // translate_matrix.cc
  bool matrix(const Instr& instr, const Op& op);
  exec::MatrixOp::Operand matrix_operand(const Instr& instr, size_t place, bool reads);
  exec::Inst& emit_matrix(exec::MatrixOp m);
  void tiles(const Instr& instr, const Op& op);
  void wmma_memory(const Instr& instr, const Op& op);
  void mma(const Instr& instr, const Op& op);
  void sparsity(const Instr& instr, size_t place, exec::MatrixOp& m);
  void wgmma(const Instr& instr, const Op& op);

  // translate_tcgen05.cc
  bool tcgen05(const Instr& instr, const Op& op);
  void tensor_address(const Instr& instr, size_t at, exec::Slot& base, int64_t& offset);
  void move_cells(const Instr& instr, const Op& op, exec::TensorMemoryOp& t);
  void tensor_product(const Instr& instr, const Op& op, exec::TensorMemoryOp& t);

  // For the instruction that is being translated, with its guard. The last one is the one that counts.
  exec::Inst& emit(exec::Kind kind);
  void compute(exec::WarpFn fn, exec::Slot d, exec::Slot s0, exec::Slot s1 = exec::kNoSlot,
               exec::Slot s2 = exec::kNoSlot, exec::Slot s3 = exec::kNoSlot);

  const Module& module_;
  const Placement& placement_;
  const Bodies& bodies_;
  Translation out_;
  std::vector<uint32_t> functions_;  // those that the kernel may reach
  std::vector<Layout> layouts_;      // by function
  std::vector<uint64_t> shared_;     // offset, by variable
  std::vector<uint64_t> local_;      // offset in the frame, by variable
  std::unordered_map<uint64_t, exec::Slot> constants_;
  std::vector<uint32_t> line_starts_;

  const Function* f_ = nullptr;
  uint32_t id_ = 0;
  std::unordered_map<uint32_t, Contraction> contractions_;  // of *f_
  const Instr* instr_ = nullptr;
  uint32_t temporaries_ = 0;  // of this instruction
  uint32_t most_temporaries_ = 0;
  bool missing_ = false;  // reported already, of this instruction
};

}  // namespace heddle::ptx
