// The parts of translate(): of each instruction's record (record.h) what the executor does for it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontends/cubin/decode.h"
#include "frontends/cubin/execute/translate.h"
#include "sim/exec/arith/convert.h"
#include "sim/exec/arith/number.h"
#include "sim/exec/arith/words.h"
#include "sim/exec/atomics.h"

namespace heddle::cubin {

using exec::Slot;

inline constexpr uint32_t kMostBarriers = 16;  // B0 to B15
inline constexpr uint32_t kBlackwell = 100;    // from this capability on

class Translator {
 public:
  Translator(const Object& object, const Placement& placement) : object_(object), placement_(placement) {}
  Translation run(uint32_t kernel);

 private:
  using WordOp = exec::arith::WordOp;
  using Kind = Operand::Kind;
  // What an instruction of the executor is to the machine's: only the main one counts and has the guard;
  // what goes before fills temporaries.
  enum class Role : uint8_t { kBefore, kMain, kBehind };

  // translate.cc
  void find_functions(uint32_t kernel);
  void find_needed(uint32_t kernel);
  bool defined(const std::string& name) const;
  void find_registers();
  void find_registers(const Operand& o, uint32_t words);
  void function(uint32_t number);
  void system_functions();
  void instruction();
  void missing(std::string_view why = "");
  void finish();

  // slots.cc
  Slot constant(uint64_t value);
  Slot special(exec::Special s);
  Slot parameter_word(uint32_t offset);
  Slot constant_word(const Operand& o, uint32_t word);
  uint32_t most_uniforms() const;

  // system_words.cc
  Slot system_word(uint32_t offset);
  Slot blackwell_word(uint32_t offset);
  Slot cluster_word(const Operand& o);
  Slot stack_top();

  // slots.cc
  // Of a thread; RZ: where results go that nobody wants. Past the last register the instruction is missing.
  Slot reg(uint32_t index, uint32_t word = 0);
  Slot ureg(uint32_t index, uint32_t word = 0);
  Slot predicate(const Operand& o) const;  // to be written
  Slot barrier(uint32_t index) const;
  Slot temporary();
  Slot source(const Operand& o, uint32_t word = 0);  // without its signs
  Slot destination(const Operand& o, uint32_t word = 0);
  // With its signs, as a number of that type: f32, f64 (joined), f16 pairs; and of words.
  Slot real(const Operand& o, exec::arith::Number type);
  Slot word(const Operand& o);
  Slot joined(const Operand& o, uint32_t word = 0);
  Slot truth(const Operand& o);  // of a predicate, negated where it is
  std::pair<Slot, Slot> pair(const Operand& o);
  uint32_t first_uniform() const;
  uint32_t first_temporary() const;

  // emit.cc
  exec::Inst& emit(exec::Kind kind, Role role = Role::kMain);
  void compute(exec::WarpFn fn, Slot d0, Slot d1, std::initializer_list<Slot> sources, uint64_t control,
               Role role = Role::kMain);
  void compute(WordOp op, Slot d0, Slot d1, std::initializer_list<Slot> sources, uint64_t control = 0,
               Role role = Role::kMain) {
    compute(exec::arith::word_fn(op), d0, d1, sources, control, role);
  }
  void compute(const exec::arith::Fn& fn, Slot d0, std::initializer_list<Slot> sources,
               Role role = Role::kMain);
  void nothing();
  void guard_kept(std::initializer_list<Slot> written);
  Slot guard_and(const Operand& also);
  Slot guarded_by(Slot also);

  const Operand& op(size_t i) const { return d_.op(i); }
  size_t count() const { return d_.count; }
  bool take(Mod m) { return d_.mods.take(m); }
  Operand guard() const;
  uint64_t signs(const Operand& o, unsigned place) const;
  static uint32_t first_bit(Part p);  // of a register, of which a source is a part

  // handlers.cc
  struct Handler;
  static const Handler kHandlers[];
  void handle();

  // translate_integer.cc
  void add3();
  void multiply();
  void multiply_wide(bool high);
  void shift_add();
  void logic();
  void predicate_logic();
  void shift();
  void compare();
  void extreme();
  void add_lanes();
  void absolute();
  void extend();
  void mask();
  void count_bits();
  void reverse_bits();
  void find_leading();
  void permute();
  void select();
  void dot_product();
  void byte_differences();
  void difference();
  void move();
  void move_to_warp();
  void move_return();
  void gather_predicates();
  void scatter_predicates();

  // translate_wide.cc
  bool takes_wide();
  bool takes_bytes();
  void add_wide();
  void move_wide();
  void select_wide();
  void compare_wide();
  void extreme_wide();
  void of_bytes();

  // translate_float.cc
  void fused();
  void fused_pair();
  void extreme_float();
  void extreme_of_three();
  void select_float();
  void check_division();
  void compare_floats();
  void halves();
  void compare_halves();
  Slot half_source(const Operand& o, size_t& next, bool bf16);
  Slot half_value(const Operand& o, exec::arith::Number type);
  Operand magnitude(Operand o);
  void special_function();

  // translate_convert.cc
  void converted(const exec::arith::Conversion& c, Slot from);
  void float_to_integer();
  void integer_to_float();
  void float_to_float();
  void round_float();
  void saturate();
  void pack_floats();
  void pack_integers();
  void pack_bytes();

  // translate_memory.cc
  void access(exec::MemoryOp m, const Operand& address);
  void load_store();
  void load_constant();
  void matrix_tiles();
  void in_space_of();

  // translate_atomic.cc
  Slot generic_address(const Operand& o);
  Slot in_space(Slot address, exec::Space space);
  Slot none_of(std::initializer_list<Slot> predicates);
  Slot done_by_atom(const Operand& address, exec::AtomicKind kind, exec::AtomicType type);
  void atomic();
  void stored(const Operand& d, uint32_t words, Slot old, Slot compared);

  // translate_control.cc
  void branch();
  void jump(Slot index, bool absolute, int64_t offset);
  void leave();
  void converge();
  void move_barrier();
  void end_collective();
  void sleep();
  void code_address();
  void cluster_barrier();
  void block_barrier();
  uint32_t to_flat(int64_t at);
  void emit_guarded(WordOp what, Slot d, Slot s, uint64_t control);
  Slot barrier_result() const;
  Slot return_register(uint32_t word) const;
  Slot collective_lanes() const;

  // translate_warp.cc
  void sync(exec::SyncKind kind, Slot d0, Slot d1, std::initializer_list<Slot> s, Role role = Role::kMain);
  void sync_of(exec::SyncKind kind, Slot d0, Slot d1, std::initializer_list<Slot> s, Slot mask, Role role);
  void shuffle();
  void vote();
  void match();
  void reduce();
  void elect();
  void warp_sync();
  void special_register();

  // translate_matrix.cc
  Shape shape();
  void emit_matrix(exec::MatrixOp m);
  void move_tile();
  void unpack_tile();
  std::vector<Slot> matrix_words(const Operand& o, uint32_t words, bool reads);
  void product();
  void double_product();
  void group_product();
  void sparsity(exec::MatrixOp& m, size_t place, bool selects);

  // translate_texture.cc
  Slot texture_handle(size_t at);
  void emit_texture(const exec::TextureOp& t);
  void fetch();
  void texture_query();
  void surface();

  // translate_barrier.cc
  void arrive_copies();
  void barrier_object();
  void initialise_object();
  void arrive();
  void emit_object(const exec::BarrierObjectOp& o, const Operand& at, Slot operand, Slot result, bool once);

  // translate_async.cc
  void emit_transfer(const exec::TransferOp& t, bool once);
  void copy();
  void source_of_part(exec::TransferOp& t);
  void bulk_copy();
  void bulk_prefetch();
  exec::AtomicKind reduction();
  void tensor_copy();
  void asynchronous_store();
  exec::Place place(const Operand& o, exec::Space space);
  Operand next_uniform(const Operand& o);

  const Object& object_;
  const Placement& placement_;
  Translation out_;
  std::unordered_map<uint64_t, Slot> constants_;
  std::unordered_map<uint32_t, Slot> parameters_;
  std::vector<uint8_t> const_data_;
  std::vector<bool> needed_;  // by function: what it has must be executed, or the kernel cannot be
  uint32_t bank2_ = 0;
  // So many are used.
  uint32_t barriers_ = 0, uniform_predicates_ = 0, uniforms_ = 0, registers_ = 0;
  const Function* f_ = nullptr;
  uint32_t f_number_ = 0;
  uint32_t at_ = 0;  // number of the instruction in its function
  uint32_t flat_ = 0;
  Word word_;
  Decoded d_;
  Mnemonic name_ = Mnemonic::kNone;  // in the datapath of a thread
  bool uniform_ = false;
  bool missing_ = false;
  bool collective_ = false;  // between WARPSYNC.COLLECTIVE and ENDCOLLECTIVE: what lanes may come to apart
  uint32_t temporaries_ = 0;
  std::vector<uint32_t> starts_;   // by instruction, functions one behind the other: the first of `code`
  std::vector<uint32_t> flat_of_;  // by function in out_.functions: its first instruction
};

}  // namespace heddle::cubin
