// From PTX to the machine's instructions, without numbers of registers and without order (ptx.md 6.2). How
// many instructions an operation takes is from there, and from the SASS of the suites' kernels.
#pragma once

#include <array>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "frontends/ptx/lower/convention.h"
#include "frontends/ptx/lower/meetings.h"
#include "frontends/ptx/lower/uses.h"

namespace heddle::ptx::lower {

using sass::Mod;
using sass::SpecialRegister;
using sass::literals::operator""_mod;
using sass::literals::operator""_op;

class Select {
 public:
  // `callees`: of the functions that it calls directly, those that are lowered.
  Select(const Module& module, const Callees& callees, Lowered& f)
      : module_(module),
        callees_(callees),
        out_(f),
        f_(*f.function),
        uses_(module, f),
        meetings_(find_meetings(module, f, uses_)) {}

  // Fills the blocks' code.
  void run();

 private:
  using Fields = std::initializer_list<Field>;

  // select.cc
  void block(uint32_t b);
  void prologue();
  void instruction(uint32_t i);
  bool control(uint32_t i);
  void branch(uint32_t i);
  void refuse(uint32_t i, std::string_view why);
  void release(Scope scope);
  Machine& emit(const sass::Opcode& opcode, Fields d, Fields s);
  Machine& emit(const sass::Opcode& opcode, std::vector<Field> d, std::vector<Field> s);
  Value value(uint32_t reg);
  Value result(size_t place = 0);
  Field field(const Operand& o, bool high = false);
  Field in(size_t place, bool high = false) { return field(at(place), high); }
  // As vector registers: of a number or a uniform register a copy.
  Value vector(const Operand& o);
  // The same, that may be changed: a copy, unless nobody else reads it.
  Value own(const Operand& o);
  // What the instruction does not have is kNone.
  const Operand& at(size_t place) const {
    static const Operand kNothing;
    const auto all = uses_.operands(now_);
    return place < all.size() ? all[place] : kNothing;
  }
  // What stands alone is a list, too.
  std::span<const Operand> listed(const Operand& o) const {
    return o.kind == OperandKind::kVector ? f_.elements(o) : std::span<const Operand>(&o, 1);
  }
  const Op& op() const { return uses_.op(now_); }
  Value temporary(uint8_t count = 1, File file = File::kVector) { return out_.make(file, count); }
  Value predicate() { return out_.make(File::kPredicate, 1); }
  // One instruction with registers of its own, so many in a row, for its result.
  Value made(const sass::Opcode& opcode, std::vector<Field> s, uint8_t count = 1);
  // n instructions of that kind, each of which waits for the one before.
  Value chain(const sass::Opcode& opcode, uint32_t n, Value from);
  bool uniform_result() const;
  sass::Opcode name(sass::Opcode opcode) const;  // that of the uniform datapath, where that does it

  // select_integer.cc
  bool integer();
  void add(bool subtract);
  void multiply();
  void multiply_add();
  void multiply_wide(const Operand& a, const Operand& b, const Field& sum);
  Field word(const Operand& o);
  void logic();
  void shift();
  bool upper_word(uint32_t amount);
  bool bit_field();
  void compare();
  void choose();
  void predicates();

  // select_divide.cc
  // What is known of a divisor: the whole number next to 2^32 / |divisor|, |divisor|, ~divisor, whether it is
  // 0.
  struct Divisor {
    Value given, inverse, size, inverted, zero;
  };
  void divide();
  void divide_by_number(uint64_t d);
  void divide_words();
  Divisor divisor_of(uint32_t n);

  // select_float.cc
  bool floating();
  void float_arithmetic();
  void approximate();
  void convert();
  void convert_integers(uint32_t to, uint32_t from);
  void half();

  // select_roots.cc
  void divide_float();
  void divide_wide(Value r);
  void refine(const Field& x, Value guess, Value to);
  void reciprocal();
  void square_root();
  void square_root_wide(Value r, bool root);
  Machine& wall(const sass::Opcode& opcode, Fields d, Fields s);
  void begin_usual();
  void usual(Value p, bool negated, uint32_t call);
  void end_usual();
  Value wide_number(int64_t bits, bool uniform);
  Field wide(size_t place, uint32_t& uniforms);
  Value vector_pair(size_t place);

  // select_move.cc
  bool moves();
  void move();
  void special(const Operand& o);
  bool lanes();

  // groups.cc
  void find_groups();
  void make_group(std::span<const Operand> list);

  // select_memory.cc
  bool memory();
  void load_parameter();
  void load_store();
  void atomic();
  bool copies();

  // select_other.cc
  bool other();
  static Mod whole_number(bool sign, uint32_t bits);
  void barrier_reduction();
  void cache_policy();
  void cache_policy_of_range(Value u, Value shift);
  void address_space();
  void replace_field();

  // select_video.cc
  // Of 64 bits; without `high` its upper word is 0 or nobody's.
  struct Wide {
    Value low, high;
  };
  bool video();
  void finish(Value to, Value v);
  Value video_part(const Operand& o, bool sign);
  Value video_sign(Value v);
  Wide video_choose(Wide a, Wide b, bool upper);
  Value video_saturated(Wide v, bool sign, bool chosen);
  Wide video_first(Value a, Value b, bool wide);
  void video_multiply(Value a, Value b);
  void video_word();
  void video_halves(std::vector<Value>& a, std::vector<Value>& b, bool sign);
  void video_bytes(std::vector<Value>& a, std::vector<Value>& b, bool sign);
  Value video_element(Value a, Value b, bool sign, uint32_t bits_of);
  bool video_at_once(uint32_t elements, bool sign);
  void video_choose_halves(Value to, bool sign);
  void video_elements(uint32_t elements);

  // select_call.cc
  struct Known {
    Place place;
    Machine::Stack stack = Machine::Stack::kOwn;
  };
  struct Call {
    Places arguments, results;
    bool standard = false;
  };
  void find_calls();
  void bind(uint32_t i);
  Places places_of(const Operand& list, const std::vector<Parameter>* formal, bool standard);
  Places places_of(const std::vector<Parameter>& own);
  // R4 + word.
  Value convention(uint32_t word, uint32_t count);
  Value stack_pointer();
  void parameter();
  Machine& local_access(const Operand& e, Address where);
  void parameter_in_memory(const Known& p, const Operand& e, int64_t byte);
  void through_address();
  void give(const Place& p, const Operand& e, int64_t byte, uint32_t bytes);
  void take(const Place& p, const Operand& e, int64_t byte, uint32_t bytes);
  std::vector<Value> registers_of(const Places& p);
  void move_registers(const Places& p, std::span<const Operand> list, bool give_them);
  void call(uint32_t i);
  void results(uint32_t call);
  void enter();
  void leave();

  // select_matrix.cc
  bool matrices();
  void tiles();
  void product();
  void product_of_small_floats();
  void wgmma();
  Value descriptors(bool in_registers);

  // select_wmma.cc
  void find_wmma_groups(uint32_t i);
  void wmma_memory();
  void wmma_product();
  void product_of_bits(const sass::Opcode& how, Value to, Value a, Value b, Value c);
  std::array<Value, 2> signed_bytes(Value word);
  void load_bytes(const sass::Opcode& what, Value to, const std::array<Tiles, 4>& places, uint32_t cols);
  void tile_access(const sass::Opcode& what, const std::vector<Operand>& data, Value other, const Tiles& t,
                   uint32_t cols);
  Value lane_place(const Field& step, bool wide, const Tiles& t);
  // `cols`: elements from one row to the next, where the instruction does not say.
  Address row_address(const Operand& base, const Operand& stride, uint32_t cols, const Tiles& t);

  // select_tcgen05.cc
  bool tensor_memory();
  void move_cells();
  void tensor_product(const sass::Suffix& pair);
  Value tensor_columns(const Operand& o);
  Value tensor_operand(const Operand& o, uint8_t count);
  Field tensor_place(const Operand& o);
  Field tensor_descriptor(const Operand& o);

  // select_async.cc
  bool asynchronous();
  bool clusters();
  void barrier_object();
  void asynchronous_store();
  void bulk_copy();
  void tensor_copy();
  void copy_once(const sass::Opcode& opcode, std::vector<Field> s);
  void into_uniform(Value to, const Operand& from);
  Address address(const Operand& o);
  Value group(const Operand& o, bool writes);
  Value group(std::span<const Operand> list, bool writes);
  // Of what could not be put in a row, from the row to where it belongs.
  void spread(std::span<const Operand> list, Value row);

  // select_texture.cc
  bool textures();
  void fetch();
  void surface();
  void query();
  // In a row, as the machine takes them, and the name of their shape.
  std::pair<Value, sass::Mod> coordinates(const Operand& o);
  std::pair<Value, Value> fetched();
  Value handle(size_t place);

  // merge_loads.cc
  uint32_t multiple_of(const Operand& o, uint32_t depth) const;
  void merge_loads(Block& b);
  void merge(Block& b, std::vector<size_t>& loads);
  void merge_all_loads();

  const Module& module_;
  const Callees& callees_;
  Lowered& out_;
  const Function& f_;
  Uses uses_;
  Meetings meetings_;
  uint32_t now_ = 0;  // the instruction
  Block* block_ = nullptr;
  uint32_t number_ = 0;  // of the block
  const Stretch* stretch_ = nullptr;
  bool last_stretch_ = false;
  std::vector<Value> values_;  // by register
  std::map<uint64_t, Value> parameters_;
  std::map<uint32_t, Value> specials_;
  std::vector<uint32_t> written_;         // how often, by register of the machine
  std::map<uint32_t, Value> moved_;       // registers that are part of a wider one now
  std::map<uint32_t, Divisor> divisors_;  // by register
  // Of the block: by stride and element; by base, stride and row.
  std::map<std::pair<uint32_t, uint64_t>, Value> tile_places_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Value> tile_sums_;
  std::map<std::tuple<uint32_t, uint32_t>, Value> descriptors_;  // of two factors, by their registers
  std::map<std::tuple<uint32_t, int64_t, uint8_t>, Value> tensor_operands_;  // in uniform registers
  std::vector<Value> tensor_loads_;            // since the last tcgen05.wait::ld
  std::vector<Value> accumulators_;            // of warp groups' products
  Value convention_, stack_pointer_, return_;  // R4 on; R1; the own return address
  std::map<uint32_t, Known> places_;           // by variable
  std::map<uint32_t, Call> calls_;             // by instruction
  size_t first_of_video_ = 0;                  // in the block's code
  Places parameters_of_, returns_of_;          // of the function
  std::map<uint32_t, uint32_t> call_before_;   // by block: the call that it goes on behind
};

// ADD, ...: what an atomic makes of a word.
sass::Mod reduction_name(const Op& o);

}  // namespace heddle::ptx::lower
