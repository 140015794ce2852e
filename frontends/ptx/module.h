// A PTX module, checked and with its names resolved: what an executor and a lowering start from. PTX.md tells
// how. Sources: ptx.md 1 (language), 2 (instructions).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/ptx/decode.h"
#include "frontends/ptx/fields.h"
#include "frontends/ptx/op.h"
#include "frontends/ptx/source.h"
#include "frontends/ptx/special.h"
#include "frontends/ptx/type.h"

namespace heddle::ptx {

constexpr uint32_t kNone = UINT32_MAX;

enum class OperandKind : uint8_t {
  kNone,       // an optional operand that is not written
  kSink,       // _
  kRegister,   // id: of the function's registers
  kImmediate,  // value: the bits, cut or rounded to the type that the instruction wants
  kSpecial,    // id: a Special
  kVariable,   // id: of the module's variables; value: added to its address
  kFunction,   // id: of the module's functions
  kLabel,      // value: index of the instruction, which may be one behind the last
  kAddress,    // [base + value]: base says what id is
  kVector,     // id: the first of value operands in Function::operands
  kList,       // id: of the function's branch targets; of a call its prototypes or, if negated, call targets
};

// What stands in an address besides its offset. kAbsolute: nothing, value is all of it.
enum class Base : uint8_t { kAbsolute, kRegister, kVariable };

struct Operand {
  OperandKind kind = OperandKind::kNone;
  Base base = Base::kAbsolute;
  bool negated = false;   // !p; in vmad also -a
  bool selected = false;  // kRegister: value says which bytes or halves of it a video instruction takes
  uint32_t id = 0;
  int64_t value = 0;
};

// Of a selected register: .b0, .h1, .b3210.
struct Selection {
  bool halves;       // .h
  uint8_t count;     // 1, 2, 4
  uint8_t index[4];  // in the order written
};
Selection selection(const Operand& operand);

struct Instr {
  uint32_t at = 0;  // in the source
  uint32_t op = 0;  // in Module::ops
  uint32_t operands =
      0;  // first in Function::operands; as many as the form has places (call: three, see PTX.md)
  uint8_t operand_count = 0;
  bool guard_negated = false;
  uint32_t guard = kNone;  // register
};

// Where the space of a variable's address is counted from, and what is in it.
struct Relocation {
  uint64_t offset = 0;  // in the variable, bytes
  uint8_t size = 0;     // bytes
  bool function = false;
  bool generic = false;  // its generic address instead of the one in its space
  uint8_t shift = 0;     // with one byte of an address: which, in bits
  uint32_t id = 0;       // of the module's variables or functions
  int64_t addend = 0;
};

struct Chunk {
  uint64_t offset = 0;  // bytes
  std::vector<uint8_t> bytes;
};

// What a variable holds at first: zero outside the chunks.
struct Initial {
  std::vector<Chunk> chunks;  // by offset, without overlap
  std::vector<Relocation> relocations;
};

struct Variable {
  std::string_view name;
  uint32_t at = 0;
  Space space = Space::kNone;
  Type type = Type::kNone;
  uint8_t vector = 1;
  Linkage linkage = Linkage::kNone;
  bool managed = false;
  bool unsized = false;        // []: dynamic shared memory, or the rest of the arguments
  uint32_t align = 1;          // bytes
  uint64_t size = 0;           // bytes
  uint32_t function = kNone;   // in which it is declared
  uint32_t parameter = kNone;  // which one, of an entry or a function
  uint64_t offset = 0;         // parameter: bytes from the first parameter's address
  bool pointer = false;        // .ptr
  Space pointer_space = Space::kNone;
  uint32_t pointer_align = 0;
  uint32_t initial = kNone;  // in Module::initials
  std::vector<uint64_t> dimensions;
};

// Registers as they were declared. `count` of them are one after the other; of vectors, their elements are.
struct RegisterRange {
  std::string_view name;
  Type type = Type::kNone;
  uint8_t vector = 1;
  bool numbered = false;  // name<count>: name0, name1, ...
  uint32_t first = 0;     // declared number, of the function
  uint32_t count = 0;     // with the elements of vectors
};

struct Parameter {
  bool is_register = false;
  uint32_t id = 0;  // register, or variable
  Type type = Type::kNone;
  uint32_t align = 0;
  uint64_t size = 0;
};

// The shape of a call.
struct Signature {
  std::vector<Parameter> returns;
  std::vector<Parameter> parameters;
  bool noreturn = false;
};

struct LaunchBounds {
  uint32_t max_threads[3] = {0, 0, 0};       // .maxntid; 0: none
  uint32_t required_threads[3] = {0, 0, 0};  // .reqntid
  uint32_t required_cluster[3] = {0, 0, 0};  // .reqnctapercluster
  uint32_t max_registers = 0;                // .maxnreg
  uint32_t min_blocks = 0;                   // .minnctapersm
  uint32_t max_blocks = 0;                   // .maxnctapersm
  uint32_t max_cluster_rank = 0;             // .maxclusterrank
  bool explicit_cluster = false;
  bool blocks_are_clusters = false;
};

struct Loc {
  uint32_t instr = 0;  // from this instruction to the next Loc's
  uint32_t file = 0;   // its number, see Module::files
  uint32_t line = 0;
  uint32_t column = 0;
  std::string_view function_name;  // label of the inlined function's name in .debug_str
  uint32_t function_offset = 0;
  bool inlined = false;
  uint32_t inlined_file = 0;
  uint32_t inlined_line = 0;
  uint32_t inlined_column = 0;
};

struct Label {
  std::string_view name;
  uint32_t instr = 0;
};

// A pragma in a body: "nounroll" is about the loop whose first instruction follows.
struct Pragma {
  std::string_view text;
  uint32_t instr = 0;
};

struct Function {
  std::string_view name;
  uint32_t at = 0;
  bool entry = false;
  bool defined = false;  // has a body
  Linkage linkage = Linkage::kNone;
  uint32_t alias_of = kNone;
  Signature signature;
  uint64_t parameter_bytes = 0;  // of an entry
  LaunchBounds bounds;
  std::vector<std::string_view> pragmas;  // of the whole function

  std::vector<Instr> instrs;
  std::vector<Operand> operands;
  std::vector<Label> labels;
  std::vector<Loc> locs;
  std::vector<Pragma> loop_pragmas;
  std::vector<std::vector<uint32_t>> branch_targets;  // instructions
  std::vector<std::vector<uint32_t>> call_targets;    // functions
  std::vector<Signature> prototypes;
  std::vector<uint32_t> variables;  // those declared in it, parameters too
  // Registers that occur, by id.
  std::vector<Type> register_types;
  std::vector<uint32_t> register_numbers;  // declared ones, ascending
  std::vector<RegisterRange> ranges;
  uint64_t declared_registers = 0;

  std::span<const Operand> operands_of(const Instr& i) const {
    return {operands.data() + i.operands, i.operand_count};
  }
  // Of a kVector.
  std::span<const Operand> elements(const Operand& vector) const {
    return {operands.data() + vector.id, static_cast<size_t>(vector.value)};
  }
  std::string register_name(uint32_t id) const;
};

struct SourceFile {
  uint32_t number = 0;
  std::string_view name;
};

struct Module {
  explicit Module(std::string name, std::string text) : source(std::move(name), std::move(text)) {}
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  Source source;
  std::deque<std::string> made;  // texts that do not stand in the source
  Target target;
  bool debug = false;  // .target ..., debug
  bool texmode_independent = false;
  uint32_t address_bits = 64;
  std::vector<Variable> variables;
  std::vector<Initial> initials;
  std::vector<Function> functions;  // one for each name
  std::vector<Op> ops;
  std::vector<SourceFile> files;
  std::vector<std::string_view> pragmas;
  std::vector<std::string> warnings;  // one line each, at most 100: what was ignored

  const Function* function(std::string_view name) const;
  const Variable* variable(std::string_view name) const;  // of the module
};

// Bytes of shared memory that the function declares itself, with gaps for alignment: .shared in it;
// module-level variables are the module's.
uint64_t shared_bytes(const Module& module, const Function& function);

}  // namespace heddle::ptx
