// What is written: one item of a module at a time, with names as they stand. The lists of an item are pools
// that keep their memory for the next one; what refers to them says first and count.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "frontends/ptx/constant.h"
#include "frontends/ptx/fields.h"
#include "frontends/ptx/type.h"

namespace heddle::ptx::ast {

struct Range {
  uint32_t first = 0;
  uint32_t count = 0;
};

enum class OperandKind : uint8_t {
  kName,  // register, special register, variable, function, label; with +value if that is not 0
  kNumber,
  kSink,     // _
  kAddress,  // [name + value], [value], name[value]
  kBracket,  // [a, b, ...]
  kVector,   // {a, b, ...}
  kPair,     // a|b
  kList,     // (a, b, ...) of a call
};

struct Operand {
  OperandKind kind = OperandKind::kSink;
  bool negated = false;  // !
  bool minus = false;    // - before a name
  uint32_t at = 0;
  std::string_view name;  // of an address without a name: empty
  Constant value;
  Range children;  // in Item::operands
};

enum class StatementKind : uint8_t {
  kInstr,          // text: the opcode with its modifiers; range: operands
  kLabel,          // text
  kDeclaration,    // range: in Item::declarations
  kOpen,           // {
  kClose,          // }
  kLoc,            // range.first: in Item::locs
  kPragma,         // text
  kBranchTargets,  // text: its name; range: operands (names)
  kCallTargets,    // the same
  kCallPrototype,  // text: its name; range.first: in Item::prototypes
};

struct Statement {
  StatementKind kind = StatementKind::kInstr;
  bool guard_negated = false;
  uint32_t at = 0;
  uint32_t guard_at = 0;
  std::string_view text;
  std::string_view guard;  // @p
  Range range;
};

// One part of an initialiser.
struct InitItem {
  enum class Kind : uint8_t { kOpen, kClose, kNumber, kSymbol };
  Kind kind = Kind::kNumber;
  bool generic = false;  // kSymbol: its generic address
  uint32_t at = 0;
  std::string_view name;  // kSymbol
  Constant value;         // kNumber; kSymbol: added to its address
  uint64_t mask = 0;      // kSymbol: 0xFF(...), which byte of the address; 0: all
};

// One name of a declaration, or one parameter.
struct Declaration {
  std::string_view name;  // "_" and empty: without
  uint32_t at = 0;
  Space space = Space::kNone;
  Type type = Type::kNone;
  uint8_t vector = 1;
  Linkage linkage = Linkage::kNone;
  bool managed = false;
  bool array = false;
  bool initialised = false;
  bool pointer = false;                // .ptr
  Space pointer_space = Space::kNone;  // .ptr .global
  uint32_t pointer_align = 0;
  uint32_t align = 0;  // 0: the type's
  uint32_t range = 0;  // name<range>; 0: one name
  Range dimensions;    // in Item::numbers; a first one of 0 is []
  Range init;          // in Item::inits
};

// .maxntid 256, 1, 1 and so on, in order.
struct Directive {
  std::string_view name;
  std::string_view text;  // of .pragma
  uint32_t at = 0;
  Range values;  // in Item::numbers
};

struct Loc {
  uint32_t file = 0;
  uint32_t line = 0;
  uint32_t column = 0;
  std::string_view function_name;  // a label of .debug_str, when it is inlined code
  uint32_t function_offset = 0;
  bool inlined = false;
  uint32_t inlined_file = 0;
  uint32_t inlined_line = 0;
  uint32_t inlined_column = 0;
};

// Of a function, an entry or a .callprototype.
struct Prototype {
  std::string_view name;
  uint32_t at = 0;
  bool entry = false;
  bool has_body = false;
  bool noreturn = false;
  Linkage linkage = Linkage::kNone;
  Range returns;     // in Item::declarations
  Range parameters;  // in Item::declarations
  Range directives;  // in Item::directives
};

enum class ItemKind : uint8_t {
  kEnd,
  kVersion,      // numbers: major, minor
  kTarget,       // names
  kAddressSize,  // numbers
  kVariables,    // declarations
  kFunction,     // prototypes[0]; its body in statements
  kAlias,        // names: the alias, what it stands for
  kFile,         // names: the file; numbers: its index, time, size
  kSection,      // names: the section; its contents are skipped
  kPragma,       // names
};

struct Item {
  ItemKind kind = ItemKind::kEnd;
  uint32_t at = 0;
  std::vector<std::string_view> names;
  std::vector<uint64_t> numbers;
  std::vector<Declaration> declarations;
  std::vector<InitItem> inits;
  std::vector<Prototype> prototypes;
  std::vector<Directive> directives;
  std::vector<Statement> statements;
  std::vector<Operand> operands;
  std::vector<Loc> locs;

  // Empty again; keeps the memory of the pools.
  void clear() {
    names.clear();
    numbers.clear();
    declarations.clear();
    inits.clear();
    prototypes.clear();
    directives.clear();
    statements.clear();
    operands.clear();
    locs.clear();
  }
};

}  // namespace heddle::ptx::ast
